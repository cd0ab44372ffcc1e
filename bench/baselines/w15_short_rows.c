/* W15: reductions of many short rows, f64, one thread: sums of rows of k elements, and the
 * nearest of 8 centres for points of 4 coordinates (the step of k-means that assigns).
 *
 * serial     a loop over the row, left to right
 * lanes64    one call of a kernel for each row, which computes a whole block of 64 lanes and
 *            folds it in halves
 * across     a vector of rows at once: whole vectors of a row's lanes are folded in halves as
 *            far as one vector, four rows then share the last two levels.  The order is that of
 *            lanes64 (lane l + lane l + s for s = 32 .. 1, elements beyond the row are the
 *            identity), so bits are equal
 * For the assignment: serial is the loop by hand; lanes64 makes all distances and takes the
 * argmin of each row of 8 by itself; across keeps 4 points in a vector, the best distance and
 * number in registers. */
#include "bench.h"

typedef double v4 __attribute__((vector_size(32)));
typedef int64_t m4 __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 64, CENTRES = 8, DIM = 4 };

static inline v4 at(const double *p)
{
    return (v4) * (const loose *)p;
}

static void sum_serial(const double *x, double *out, int64_t rows, int64_t k)
{
    for (int64_t r = 0; r < rows; r++) {
        double s = 0;
        for (int64_t j = 0; j < k; j++)
            s += x[r * k + j];
        out[r] = s;
    }
}

typedef struct {
    const double *x;
    double *cell;
    int64_t n;
} line;
typedef void line_kernel(line *f);
static __attribute__((noinline)) void block64(line *f)
{
    v4 lane[LANES / 4];
    double side[LANES] __attribute__((aligned(32)));
    for (int l = 0; l < LANES / 4; l++)
        lane[l] = (v4){};
    for (int64_t b = 0; b < f->n; b += LANES) {
        const double *x = f->x + b;
        if (b + LANES > f->n) { /* the last block from a stand-in */
            memset(side, 0, sizeof side);
            memcpy(side, x, (size_t)(f->n - b) * sizeof *x);
            x = side;
        }
        for (int l = 0; l < LANES / 4; l++)
            lane[l] += at(x + 4 * l);
    }
    for (int s = LANES / 8; s; s /= 2)
        for (int l = 0; l < s; l++)
            lane[l] += lane[l + s];
    *f->cell = (lane[0][0] + lane[0][2]) + (lane[0][1] + lane[0][3]);
}
static line_kernel *volatile one_line = block64;

static void sum_lanes64(const double *x, double *out, int64_t rows, int64_t k)
{
    for (int64_t r = 0; r < rows; r++)
        one_line(&(line){x + r * k, out + r, k});
}

/* ---- a vector of rows ------------------------------------------------------------------------ */

/* a row's lanes folded as far as 4; k <= 64 is known where it is inlined */
static inline __attribute__((always_inline)) v4 fold_to_4(const double *x, int k)
{
    v4 lane[LANES / 4];
    int full = k / 4, used = (k + 3) / 4, top = 1;
    for (int l = 0; l < full; l++)
        lane[l] = at(x + 4 * l);
    if (used > full) {
        int rest = k - 4 * full; /* what is read beyond the row becomes the identity */
        m4 mask = {-1, -(rest > 1), -(rest > 2), 0};
        lane[full] = (v4)((m4)at(x + 4 * full) & mask);
    }
    while (top < used)
        top *= 2;
    for (int s = top / 2; s; s /= 2)
        for (int l = 0; l < s && l + s < used; l++)
            lane[l] += lane[l + s];
    return lane[0];
}
static inline v4 last_two(v4 a, v4 b, v4 c, v4 d)
{
    v4 p = __builtin_shuffle(a, b, (m4){0, 1, 4, 5}) + __builtin_shuffle(a, b, (m4){2, 3, 6, 7});
    v4 q = __builtin_shuffle(c, d, (m4){0, 1, 4, 5}) + __builtin_shuffle(c, d, (m4){2, 3, 6, 7});
    v4 even = __builtin_shuffle(p, q, (m4){0, 2, 4, 6}),
       odd = __builtin_shuffle(p, q, (m4){1, 3, 5, 7});
    return even + odd;
}
#define ACROSS(K)                                                                         \
    static void across##K(const double *x, double *out, int64_t rows)                     \
    {                                                                                     \
        int64_t r = 0;                                                                    \
        for (; r + 4 <= rows; r += 4) {                                                   \
            const double *p = x + r * K;                                                  \
            v4 a = fold_to_4(p, K), b = fold_to_4(p + K, K), c = fold_to_4(p + 2 * K, K); \
            *(loose *)(out + r) = last_two(a, b, c, fold_to_4(p + 3 * K, K));             \
        }                                                                                 \
        for (; r < rows; r++) {                                                           \
            v4 a = fold_to_4(x + r * K, K);                                               \
            out[r] = (a[0] + a[2]) + (a[1] + a[3]);                                       \
        }                                                                                 \
    }
ACROSS(2)
ACROSS(3)
ACROSS(4)
ACROSS(8)
ACROSS(16)
ACROSS(50)
static void sum_across(const double *x, double *out, int64_t rows, int64_t k)
{
    switch (k) {
    case 2:
        across2(x, out, rows);
        break;
    case 3:
        across3(x, out, rows);
        break;
    case 4:
        across4(x, out, rows);
        break;
    case 8:
        across8(x, out, rows);
        break;
    case 16:
        across16(x, out, rows);
        break;
    default:
        across50(x, out, rows);
    }
}

/* ---- the nearest centre ---------------------------------------------------------------------- */

static void near_serial(const double *p, const double *c, int64_t *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double best = 1e300;
        int64_t who = 0;
        for (int j = 0; j < CENTRES; j++) {
            double d = 0;
            for (int q = 0; q < DIM; q++)
                d += (p[i * DIM + q] - c[j * DIM + q]) * (p[i * DIM + q] - c[j * DIM + q]);
            if (d < best)
                best = d, who = j;
        }
        out[i] = who + 1;
    }
}
static __attribute__((noinline)) int64_t argmin_row(const double *d, int64_t n)
{
    int64_t who = 0;
    for (int64_t j = 1; j < n; j++)
        who = d[j] < d[who] ? j : who;
    return who + 1;
}
static int64_t (*volatile argmin_line)(const double *, int64_t) = argmin_row;
static void near_lanes64(const double *p, const double *c, int64_t *out, int64_t n, double *all)
{
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < CENTRES; j++) {
            double d = 0;
            for (int q = 0; q < DIM; q++)
                d += (p[i * DIM + q] - c[j * DIM + q]) * (p[i * DIM + q] - c[j * DIM + q]);
            all[i * CENTRES + j] = d;
        }
    for (int64_t i = 0; i < n; i++)
        out[i] = argmin_line(all + i * CENTRES, CENTRES);
}
static void near_across(const double *p, const double *c, int64_t *out, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v4 a = at(p + i * 4), b = at(p + i * 4 + 4), g = at(p + i * 4 + 8), h = at(p + i * 4 + 12),
           x[4];
        v4 ab = __builtin_shuffle(a, b, (m4){0, 4, 2, 6}),
           AB = __builtin_shuffle(a, b, (m4){1, 5, 3, 7});
        v4 gh = __builtin_shuffle(g, h, (m4){0, 4, 2, 6}),
           GH = __builtin_shuffle(g, h, (m4){1, 5, 3, 7});
        x[0] = __builtin_shuffle(ab, gh, (m4){0, 1, 4, 5});
        x[1] = __builtin_shuffle(AB, GH, (m4){0, 1, 4, 5});
        x[2] = __builtin_shuffle(ab, gh, (m4){2, 3, 6, 7});
        x[3] = __builtin_shuffle(AB, GH, (m4){2, 3, 6, 7});
        v4 best = (v4){} + 1e300;
        m4 who = {};
        for (int j = 0; j < CENTRES; j++) {
            v4 d = {};
            for (int q = 0; q < DIM; q++)
                d += (x[q] - c[j * DIM + q]) * (x[q] - c[j * DIM + q]);
            m4 less = d < best;
            best = (v4)(((m4)d & less) | ((m4)best & ~less));
            who = ((m4){j, j, j, j} & less) | (who & ~less);
        }
        who += 1;
        memcpy(out + i, &who, sizeof who);
    }
    if (i < n)
        near_serial(p + i * 4, c, out + i, n - i);
}

int main(void)
{
    static const int64_t ks[] = {2, 3, 4, 8, 16, 50}, counts[] = {500, 2000, 1000000};
    double *x = bench_alloc(50000064 * sizeof *x, PAGES_HUGE),
           *o = bench_alloc(8000064 * sizeof *o, PAGES_HUGE);
    double *o2 = bench_alloc(1000064 * sizeof *o, PAGES_HUGE);
    for (size_t i = 0; i < 50000064; i++)
        x[i] = (double)((uint32_t)i * 2654435761u >> 8) * 0x1p-24 - 0.5;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 6; k++) {
            int64_t rows = counts[c];
            int reps = rows > 10000 ? 1 : 1000000 / (int)rows / 4;
            char name[24];
            double work = (double)rows * reps;
            snprintf(name, sizeof name, "W15_%dx%d", (int)rows, (int)ks[k]);
            sum_lanes64(x, o, rows, ks[k]);
            sum_across(x, o2, rows, ks[k]);
            bench_check(name, memcmp(o, o2, (size_t)rows * sizeof *o) == 0);
            BENCH(name, "serial", work, "Grow/s",
                  for (int i = 0; i < reps; i++) sum_serial(x, o, rows, ks[k]));
            BENCH(name, "lanes64", work, "Grow/s",
                  for (int i = 0; i < reps; i++) sum_lanes64(x, o, rows, ks[k]));
            BENCH(name, "across", work, "Grow/s",
                  for (int i = 0; i < reps; i++) sum_across(x, o, rows, ks[k]));
        }
    for (int c = 1; c < 3; c++) {
        int64_t n = counts[c], *i1 = bench_alloc((size_t)n * 8 + 64, PAGES_HUGE),
                *i2 = bench_alloc((size_t)n * 8 + 64, PAGES_HUGE);
        char name[24];
        int reps = n > 10000 ? 1 : 100;
        snprintf(name, sizeof name, "W15near_%d", (int)n);
        double work = (double)n * reps;
        near_serial(x, x + 9999, i1, n);
        near_across(x, x + 9999, i2, n);
        bench_check(name, memcmp(i1, i2, (size_t)n * 8) == 0);
        BENCH(name, "serial", work, "Grow/s",
              for (int i = 0; i < reps; i++) near_serial(x, x + 9999, i1, n));
        BENCH(name, "lanes64", work, "Grow/s",
              for (int i = 0; i < reps; i++) near_lanes64(x, x + 9999, i1, n, o));
        BENCH(name, "across", work, "Grow/s",
              for (int i = 0; i < reps; i++) near_across(x, x + 9999, i2, n));
    }
    return 0;
}
