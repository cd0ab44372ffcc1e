/* main.c - measures every function of functions.c in every variant and writes docs/accuracy.md to
 * standard output; exits with 1 where a bound of math/functions.def is not kept.
 * usage: accuracy [m.share [name]]: share 0.01 takes one argument of a hundred.
 *
 * f32: arguments are screened with this library's functions of f64, whose error is 2^-28 ULP of f32
 * or less; f64: with the C library's long double functions, 2^-11 ULP. The worst ones are then told
 * by MPFR, which also checks the screens. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accuracy.h"

enum { SPECIALS = 24 };
static measurement m;

/* ---- arguments ------------------------------------------------------------------------------- */

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

/* Where evenly taken numbers say nothing: next to k pi/2, k up to 2^31, where sin, cos and tan are
 * zero or infinite, and next to m 2^-e, where functions are, or a sequence chooses. */
static double trap(uint64_t *state, bool is_double)
{
    uint64_t bits = random_bits(state);
    extended at =
        bits & 1 ? (extended)(bits >> 33 >> bits / 2 % 31) * 1.57079632679489661923132169163975144L
                 : ldexpl((extended)(bits >> 54), -(int)(bits / 2 % 11));
    double x = is_double ? (double)at : (double)(float)at;
    for (uint64_t k = bits >> 8 & 3; k; k--)
        x = is_double ? nextafter(x, bits & 64 ? INFINITY : 0)
                      : (double)nextafterf((float)x, bits & 64 ? INFINITY : 0);
    return bits & 128 ? -x : x;
}

/* Half of them evenly from where the function bends, a quarter next to traps, the others from any
 * binade, half of these within 2^-30 .. 2^34, where most data is. */
static double sample(const function *f, uint64_t *state, bool is_double, int turn)
{
    double near = turn & 2 ? trap(state, is_double) : NAN;
    if (turn & 1 && near >= f->low && near <= f->high)
        return near;
    for (int tries = 0; turn & 1 && tries < 64; tries++) {
        uint64_t bits = random_bits(state);
        double x;
        if (bits & 1)
            bits = (bits & 0x800fffffffffffff) | (993 + (bits >> 52) % 64) << 52;
        else if (!is_double)
            bits = (bits & 0x800fffffffffffff) | (873 + (bits >> 52) % 280) << 52;
        memcpy(&x, &bits, sizeof x);
        if (x >= f->low && x <= f->high)
            return x;
    }
    return f->from + (f->to - f->from) * unit(state);
}

static const double special[SPECIALS] = {
    0.0,  -0.0, 1.0,   -1.0, INFINITY, -INFINITY, NAN,       0.5,     -0.5,     2.0, -2.0, 3.0,
    -3.0, 1e30, -1e30, 2.5,  -2.5,     0x1p-140,  -0x1p-140, 0x1p127, -0x1p127, 1e5, 89.0, -104.0};

/* Block b of samples; block 0 holds special values, all pairs of them. */
static void fill_f64(const function *f, int64_t b, bool is_double, double *x, double *y)
{
    uint64_t state = (uint64_t)b * 0x1234567;
    for (int i = 0; i < BLOCK; i++) {
        x[i] = b ? sample(f, &state, is_double, i) : special[i % SPECIALS];
        y[i] = f->arity == 1 ? 0
               : b           ? sample(f, &state, is_double, i >> 1)
                             : special[i / SPECIALS % SPECIALS];
    }
}

/* f32 has so few numbers that all can be taken: argument k of 2^32 /
 * stride, a power of two. */
static float number(uint64_t k, uint64_t stride)
{
    uint32_t bits = (uint32_t)(k * stride + ((k * 0x9e3779b9u >> 7) & (stride - 1)));
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- f32 ------------------------------------------------------------------------------------- */

typedef struct block_f32 {
    float x[BLOCK], y[BLOCK], got[BLOCK];
    double wide_x[BLOCK], wide_y[BLOCK], exact[BLOCK];
} block_f32;

static void fill_block(const function *f, block_f32 *b, int64_t k, uint64_t stride)
{
    for (int i = 0; f->arity == 1 && i < BLOCK; i++)
        b->x[i] = number((uint64_t)k * BLOCK + (uint64_t)i, stride);
    if (f->arity == 2)
        fill_f64(f, k, false, b->wide_x, b->wide_y);
    for (int i = 0; f->arity == 2 && i < BLOCK; i++) {
        b->x[i] = (float)b->wide_x[i];
        b->y[i] = (float)b->wide_y[i];
    }
    for (int i = 0; i < BLOCK; i++) {
        b->wide_x[i] = (double)b->x[i];
        b->wide_y[i] = (double)b->y[i];
    }
    compute_f64(V1, f, b->wide_x, b->wide_y, b->exact, BLOCK);
}

/* Variants first .. last over one argument of each stride (unary), or so many pairs. */
static void sweep_f32(int index, variant first, variant last, uint64_t stride, double pairs)
{
    const function *f = &functions[index];
    int64_t blocks = f->arity == 2 ? (int64_t)pairs / BLOCK + 1
                                   : (int64_t)((UINT64_C(1) << 32) / stride / BLOCK);
#pragma omp parallel
    {
        block_f32 *b = aligned_alloc(64, sizeof *b);
        worst mine[VARIANTS];
        memset(mine, 0, sizeof mine);
#pragma omp for schedule(dynamic)
        for (int64_t k = 0; k < blocks; k++) {
            fill_block(f, b, k, stride);
            for (int v = (int)first; v <= (int)last; v++) {
                compute_f32((variant)v, f, b->x, b->y, b->got, BLOCK);
                judge_f32(&mine[v], b->x, f->arity == 2 ? b->y : NULL, b->exact, b->got, BLOCK);
            }
        }
#pragma omp critical
        for (int v = (int)first; v <= (int)last; v++)
            merge(&m.table[index][0][v], &mine[v]);
        free(b);
    }
}

/* ---- f64 ------------------------------------------------------------------------------------- */

static void judge_f64(worst *w, const double *x, const double *y, const extended *exact,
                      const double *got)
{
    for (int i = 0; i < BLOCK; i++)
        note(w, error_in_ulp(exact[i], got[i], true), x[i], y[i]);
    w->seen += BLOCK;
}

static void sweep_f64(int index, double count)
{
    const function *f = &functions[index];
    int64_t blocks = (int64_t)count / BLOCK + 1;
#pragma omp parallel
    {
        double *x = aligned_alloc(64, 3 * sizeof *x * BLOCK), *y = x + BLOCK, *got = y + BLOCK;
        extended *exact = malloc(sizeof *exact * BLOCK);
        worst mine[VARIANTS];
        memset(mine, 0, sizeof mine);
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < blocks; b++) {
            fill_f64(f, b, true, x, y);
            for (int i = 0; i < BLOCK; i++)
                exact[i] = f->arity == 1 ? f->wide1((extended)x[i])
                                         : f->wide2((extended)x[i], (extended)y[i]);
            for (int v = 0; v < VARIANTS; v++) {
                compute_f64((variant)v, f, x, y, got, BLOCK);
                judge_f64(&mine[v], x, y, exact, got);
            }
        }
#pragma omp critical
        for (int v = 0; v < VARIANTS; v++)
            merge(&m.table[index][1][v], &mine[v]);
        free(x);
        free(exact);
    }
}

/* ---- by MPFR --------------------------------------------------------------------------------- */

/* The error at the worst place, as it truly is. */
static void confirm(int index, bool is_double, variant v)
{
    const function *f = &functions[index];
    worst *w = &m.table[index][is_double][v];
    double x[64], y[64], got[64];
    float xs[64], ys[64], gots[64];
    for (int i = 0; i < 64; i++) {
        x[i] = w->at[0];
        y[i] = w->at[1];
        xs[i] = (float)x[i];
        ys[i] = (float)y[i];
    }
    if (is_double)
        compute_f64(v, f, x, y, got, 64);
    else
        compute_f32(v, f, xs, ys, gots, 64);
    w->ulp =
        error_in_ulp(exact_by_mpfr(f, x[0], y[0]), is_double ? got[0] : (double)gots[0], is_double);
}

/* How far the screens are from MPFR on samples. */
static void check_screens(const function *f, int count)
{
    static double x[BLOCK], y[BLOCK], narrow[BLOCK];
    for (int is_double = 0; is_double < 2; is_double++)
        for (int64_t b = 0; b * BLOCK < count; b++) {
            fill_f64(f, b, is_double, x, y);
            for (int i = 0; !is_double && i < BLOCK; i++) {
                x[i] = (double)(float)x[i];
                y[i] = (double)(float)y[i];
            }
            if (!is_double)
                compute_f64(V1, f, x, y, narrow, BLOCK);
#pragma omp parallel for schedule(dynamic, 256)
            for (int i = 0; i < BLOCK; i++) {
                extended exact = exact_by_mpfr(f, x[i], y[i]);
                extended told = is_double ? f->arity == 1 ? f->wide1((extended)x[i])
                                                          : f->wide2((extended)x[i], (extended)y[i])
                                          : (extended)narrow[i];
                int e;
                frexpl(exact, &e);
                int unit = e - (is_double ? 53 : 24), low = is_double ? -1074 : -149;
                bool regular = isfinite(exact) && isfinite(told) && e <= (is_double ? 1024 : 128);
                double off =
                    regular ? (double)ldexpl(fabsl(told - exact), -(unit < low ? low : unit)) : 0;
#pragma omp critical
                if (off > m.screen_error[is_double])
                    m.screen_error[is_double] = off;
            }
        }
}

/* Whether all backends give the same bits on a sample. */
static void check_backends(const function *f)
{
    enum { N = 1 << 18 };
    static float x[N], y[N], want[N], got[N];
    static double wx[N], wy[N], wide_want[N], wide_got[N];
    static const char *const names[] = {"openmp", "reference", "opencl"};
    for (int64_t b = 0; b * BLOCK < N; b++)
        fill_f64(f, b, true, wx + b * BLOCK, wy + b * BLOCK);
    for (int i = 0; i < N; i++) {
        x[i] = f->arity == 1 ? number((uint64_t)i, UINT64_C(1) << 14) : (float)wx[i];
        y[i] = (float)wy[i];
    }
    compute_f32(V1, f, x, y, want, N);
    compute_f64(V1, f, wx, wy, wide_want, N);
    for (int k = 0; k < 3; k++) {
        if (!compute_by_engine(names[k], f, LUN_F32, x, y, got, N) ||
            !compute_by_engine(names[k], f, LUN_F64, wx, wy, wide_got, N))
            continue; /* no device here */
        for (int i = 0; i < N; i++) {
            bool same =
                !memcmp(&want[i], &got[i], sizeof *got) || (isnan(want[i]) && isnan(got[i]));
            bool wide_same = !memcmp(&wide_want[i], &wide_got[i], sizeof *wide_got) ||
                             (isnan(wide_want[i]) && isnan(wide_got[i]));
            if (same && wide_same)
                continue;
            fprintf(stderr, "accuracy: %s on %s is another function: at %.17g\n", f->name, names[k],
                    same ? wx[i] : (double)x[i]);
            exit(1);
        }
    }
}

static void measure(int i)
{
    double start = omp_get_wtime();
    m.measured[i] = true;
    sweep_f32(i, V1, V1, m.stride, m.pairs);
    sweep_f32(i, PRECISE, PRECISE, OTHERS * m.stride, m.pairs / 4);
    sweep_f64(i, m.samples);
    for (int v = 0; v < VARIANTS; v++)
        for (int t = 0; t < 2; t++)
            confirm(i, t, (variant)v);
    check_screens(&functions[i], (int)(100000 * m.share) + 1);
    check_backends(&functions[i]);
    fprintf(stderr, "accuracy: %-6s %5.1f s  f32 %.3f  f64 %.3f\n", functions[i].name,
            omp_get_wtime() - start, m.table[i][0][V1].ulp, m.table[i][1][V1].ulp);
}

int main(int argc, char **argv)
{
    m = (measurement){.share = argc > 1 ? atof(argv[1]) : 1, .stride = 1};
    if (!(m.share > 0 && m.share <= 1)) {
        fprintf(stderr, "usage: accuracy [share [name]], 0 < share <= 1\n");
        return 2;
    }
    while ((double)m.stride * m.share < 1)
        m.stride *= 2;
    m.pairs = 0x1p27 * m.share;
    m.samples = 0x1p25 * m.share;
    for (int i = 0; i < function_count; i++)
        if (argc < 3 || !strcmp(argv[2], functions[i].name))
            measure(i);
    int missed = report(&m, (double)clock() / CLOCKS_PER_SEC);
    return missed != 0;
}
