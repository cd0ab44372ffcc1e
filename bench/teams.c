/* teams.c - what bench/teams.lua does, by hand, on one thread: the same loops over the same arrays,
 * as a C programmer writes them. Prints "name hand ms" for each, the least of the repetitions. With
 * FUSED what is to be compiled with fused multiplications and additions, the rest without. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *room(size_t n, size_t size)
{
    void *p = aligned_alloc(64, (n * size + 63) / 64 * 64);
    if (!p)
        exit(1);
    memset(p, 0, n * size);
    return p;
}

static void print(const char *name, int calls, void (*body)(void))
{
    const char *text = getenv("BENCH_REPS");
    int reps = text ? atoi(text) : 7;
    double best = 1e30;
    for (int rep = -2; rep < reps; rep++) {
        double start = now();
        for (int i = 0; i < calls; i++)
            body();
        double ms = (now() - start) / calls;
        if (rep >= 0 && ms < best)
            best = ms;
    }
    printf("%s hand %.6f\n", name, best);
}

/* ---- y = a x + y ----------------------------------------------------------------------------- */

static double *x, *y;
static long length;

__attribute__((noinline)) static void daxpy(void)
{
    const double a = 1e-3;
    double *restrict to = y;
    for (long i = 0; i < length; i++)
        to[i] = a * x[i] + to[i];
}

/* ---- a matrix of 27 numbers a row by a vector ------------------------------------------------ */

enum { EDGE = 48 };
static int64_t *first, *column;
static double *number;

static void assemble(void)
{
    const long rows = (long)EDGE * EDGE * EDGE;
    int64_t at = 0;
    first = room((size_t)rows + 1, sizeof *first);
    column = room((size_t)rows * 27, sizeof *column);
    number = room((size_t)rows * 27, sizeof *number);
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++)
            for (int k = 0; k < EDGE; k++) {
                for (int d = 0; d < 27; d++) {
                    int a = i + d / 9 - 1, b = j + d / 3 % 3 - 1, c = k + d % 3 - 1;
                    if (a < 0 || a >= EDGE || b < 0 || b >= EDGE || c < 0 || c >= EDGE)
                        continue;
                    column[at] = ((int64_t)a * EDGE + b) * EDGE + c;
                    number[at++] = d == 13 ? 26 : -1;
                }
                first[((long)i * EDGE + j) * EDGE + k + 1] = at;
            }
}

static void spmv(void)
{
    for (long row = 0; row < (long)EDGE * EDGE * EDGE; row++) {
        double sum = 0;
        for (int64_t k = first[row]; k < first[row + 1]; k++)
            sum += number[k] * x[column[k]];
        y[row] = sum;
    }
}

/* ---- forces of a crystal --------------------------------------------------------------------- */

enum { CELLS = 10, ATOMS = 4 * CELLS * CELLS * CELLS, MOST = 120 };
static double *px, *py, *pz, *fx, *fy, *fz, *u, size;
static int32_t *list, *count;

static double near(double d)
{
    return d > size / 2 ? d - size : d < -size / 2 ? d + size : d;
}

static void crystal(void)
{
    static const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    double **arrays[] = {&px, &py, &pz, &fx, &fy, &fz, &u};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = room(ATOMS, sizeof(double));
    list = room((size_t)ATOMS * MOST, sizeof *list);
    count = room(ATOMS, sizeof *count);
    size = cbrt(ATOMS / 0.8442);
    for (int i = 0; i < ATOMS; i++) {
        int cube = i / 4;
        px[i] = (cube % CELLS + corner[i % 4][0]) * size / CELLS;
        py[i] = (cube / CELLS % CELLS + corner[i % 4][1]) * size / CELLS;
        pz[i] = (cube / (CELLS * CELLS) + corner[i % 4][2]) * size / CELLS;
    }
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++) {
            double a = near(px[j] - px[i]), b = near(py[j] - py[i]), c = near(pz[j] - pz[i]);
            if (j != i && a * a + b * b + c * c < 2.8 * 2.8)
                list[i * MOST + count[i]++] = j;
        }
}

static void forces(void)
{
    for (int i = 0; i < ATOMS; i++) {
        double sx = 0, sy = 0, sz = 0, su = 0;
        for (int k = 0; k < count[i]; k++) {
            int j = list[i * MOST + k];
            double a = near(px[i] - px[j]), b = near(py[i] - py[j]), c = near(pz[i] - pz[j]);
            double square = a * a + b * b + c * c;
            if (square < 2.5 * 2.5) {
                double inverse = 1 / square, sixth = inverse * inverse * inverse;
                double f = 48 * sixth * (sixth - 0.5) * inverse;
                sx += f * a;
                sy += f * b;
                sz += f * c;
                su += 2 * sixth * (sixth - 1);
            }
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
        u[i] = su;
    }
}

/* ---- a step of conjugate gradients, -div grad on a grid with zeros around it ----------------- */

enum { GRID = 128, WIDE = GRID + 2, STEPS = 10 };
static double *cx, *cr, *cp, *cq;

static long node(int i, int j)
{
    return ((long)i * WIDE + j) * WIDE;
}

/* q = A p; p . q */
static double multiply(void)
{
    double sum = 0;
    for (int i = 1; i <= GRID; i++)
        for (int j = 1; j <= GRID; j++) {
            const double *restrict at = cp + node(i, j);
            const double *restrict up = cp + node(i - 1, j), *restrict down = cp + node(i + 1, j);
            const double *restrict left = cp + node(i, j - 1), *restrict right =
                                                                   cp + node(i, j + 1);
            double *restrict to = cq + node(i, j);
#pragma omp simd reduction(+ : sum)
            for (int k = 1; k <= GRID; k++) {
                const double v =
                    6 * at[k] - at[k - 1] - at[k + 1] - left[k] - right[k] - up[k] - down[k];
                to[k] = v;
                sum += v * at[k];
            }
        }
    return sum;
}

/* x = x + alpha p, r = r - alpha q; r . r */
static double advance(double alpha)
{
    double sum = 0;
    for (int i = 1; i <= GRID; i++)
        for (int j = 1; j <= GRID; j++) {
            const double *restrict p = cp + node(i, j), *restrict q = cq + node(i, j);
            double *restrict x = cx + node(i, j), *restrict r = cr + node(i, j);
#pragma omp simd reduction(+ : sum)
            for (int k = 1; k <= GRID; k++) {
                const double v = r[k] - alpha * q[k];
                x[k] = x[k] + alpha * p[k];
                r[k] = v;
                sum += v * v;
            }
        }
    return sum;
}

/* p = r + beta p */
static void turn(double beta)
{
    for (int i = 1; i <= GRID; i++)
        for (int j = 1; j <= GRID; j++) {
            const double *restrict r = cr + node(i, j);
            double *restrict p = cp + node(i, j);
            for (int k = 1; k <= GRID; k++)
                p[k] = r[k] + beta * p[k];
        }
}

static double residual; /* r . r */

static void start_cg(void)
{
    const size_t n = (size_t)node(WIDE, 0);
    cx = room(n, sizeof *cx);
    cr = room(n, sizeof *cr);
    cp = room(n, sizeof *cp);
    cq = room(n, sizeof *cq);
    for (int i = 1; i <= GRID; i++)
        for (int j = 1; j <= GRID; j++)
            for (int k = 1; k <= GRID; k++) {
                const double b = (double)((i * 7 + j * 5 + k * 3) % 11) - 5;
                cr[node(i, j) + k] = cp[node(i, j) + k] = b;
                residual += b * b;
            }
}

static void cg(void)
{
    for (int step = 0; step < STEPS; step++) {
        const double next = advance(residual / multiply());
        turn(next / residual);
        residual = next;
    }
}

int main(void)
{
#ifdef FUSED
    crystal();
    print("forces_fused", 1, forces);
#else
    const long most = 1 << 22;
    x = room((size_t)most, sizeof *x);
    y = room((size_t)most, sizeof *y);
    for (long i = 0; i < most; i++)
        x[i] = (double)(i % 1000) / 1000;
    length = 1 << 14;
    print("daxpy_near", 100, daxpy);
    length = most;
    print("daxpy_far", 1, daxpy);
    assemble();
    print("spmv", 1, spmv);
    start_cg();
    print("cg", 1, cg);
    crystal();
    print("forces", 1, forces);
#endif
    return 0;
}
