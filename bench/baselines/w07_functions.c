/* W7: functions of a few elements, float32: Black-Scholes prices of 2^22 options, a box of 17
 * neighbours over 2^24 elements.  plain: what a loop with the C library's functions gives; vector:
 * the same with prototypes of vector variants (libmvec), which gcc's vectorizer uses. Build with
 * -fno-math-errno -fno-trapping-math -mprefer-vector-width=512: a pragma does not reach what OpenMP
 * moves into functions of its own. */
#include "bench.h"

enum { OPTIONS = 1 << 22, CELLS = 1 << 24, TAPS = 17 };

#ifdef __x86_64__
#pragma omp declare simd notinbranch
__attribute__((const, nothrow)) float expf(float);
#pragma omp declare simd notinbranch
__attribute__((const, nothrow)) float logf(float);
#else
__attribute__((const, nothrow)) float expf(float);
__attribute__((const, nothrow)) float logf(float);
#endif

/* The normal distribution by Abramowitz and Stegun 26.2.17. */
#define NORMAL(EXP, x, out)                                                                      \
    do {                                                                                         \
        float a_ = __builtin_fabsf(x), k_ = 1.0f / (1.0f + 0.2316419f * a_);                     \
        float p_ = k_ * (0.319381530f +                                                          \
                         k_ * (-0.356563782f +                                                   \
                               k_ * (1.781477937f + k_ * (-1.821255978f + k_ * 1.330274429f)))); \
        float y_ = 0.39894228f * EXP(-0.5f * a_ * a_) * p_;                                      \
        out = x < 0 ? y_ : 1.0f - y_;                                                            \
    } while (0)

#define PRICE(EXP, LOG)                                                \
    do {                                                               \
        float root = v * __builtin_sqrtf(t[i]), n1, n2;                \
        float d1 = (LOG(s[i] / x) + (r + 0.5f * v * v) * t[i]) / root; \
        float d2 = d1 - root;                                          \
        NORMAL(EXP, d1, n1);                                           \
        NORMAL(EXP, d2, n2);                                           \
        out[i] = s[i] * n1 - x * EXP(-r * t[i]) * n2;                  \
    } while (0)

static float r = 0.02f, v = 0.3f, x = 20;

#pragma GCC push_options
#pragma GCC optimize("no-tree-vectorize")
static void prices_plain(const float *s, const float *t, float *out)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < OPTIONS; i++)
        PRICE(expf, logf);
}
#pragma GCC pop_options

static void prices_vector(const float *s, const float *t, float *out)
{
#pragma omp parallel for simd schedule(static)
    for (int i = 0; i < OPTIONS; i++)
        PRICE(expf, logf);
}

/* in has TAPS - 1 elements more. The order of additions is the source's. */
static void box_plain(const float *in, float *out)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < CELLS; i++) {
        float sum = 0;
        for (int j = 0; j < TAPS; j++)
            sum += in[i + j];
        out[i] = sum / TAPS;
    }
}

static void box_vector(const float *in, float *out)
{
#pragma omp parallel for schedule(static)
    for (int k = 0; k < CELLS; k += 1024) {
#pragma omp simd
        for (int i = k; i < k + 1024; i++) {
            float sum = 0;
#pragma GCC unroll 17
            for (int j = 0; j < TAPS; j++)
                sum += in[i + j];
            out[i] = sum / TAPS;
        }
    }
}

/* A sparse matrix in rows of 0 to 2 * mean elements, times a vector. */
typedef struct sparse {
    int *first, *column;
    double *value, *x, *y;
    long filled;
} sparse;

enum { ROWS = 1 << 18 };

static sparse sparse_make(int mean)
{
    sparse m = {.first = bench_alloc((ROWS + 1) * sizeof *m.first, PAGES_HUGE)};
    for (long i = 0, at = 0; i <= ROWS; i++) {
        m.first[i] = (int)at;
        m.filled = at;
        at += (i + 1) * 7919 % (2 * mean + 1);
    }
    m.column = bench_alloc((size_t)m.filled * sizeof *m.column, PAGES_HUGE);
    m.value = bench_alloc((size_t)m.filled * sizeof *m.value, PAGES_HUGE);
    m.x = bench_alloc(ROWS * sizeof *m.x, PAGES_HUGE);
    m.y = bench_alloc(ROWS * sizeof *m.y, PAGES_HUGE);
    for (long k = 0; k < m.filled; k++) {
        m.column[k] = (int)((k + 1) * 2654435761 % ROWS);
        m.value[k] = 1.0 / (double)(k % 97 + 1);
    }
    for (long i = 0; i < ROWS; i++)
        m.x[i] = 1.0 / (double)(i % 89 + 1);
    return m;
}

static void sparse_plain(const sparse *m)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = m->first[i]; k < m->first[i + 1]; k++)
            sum += m->value[k] * m->x[m->column[k]];
        m->y[i] = sum;
    }
}

int main(void)
{
    sparse five = sparse_make(5), fifty = sparse_make(50);
    float *s = bench_alloc(OPTIONS * sizeof *s, PAGES_HUGE),
          *t = bench_alloc(OPTIONS * sizeof *t, PAGES_HUGE),
          *out = bench_alloc(OPTIONS * sizeof *out, PAGES_HUGE),
          *in = bench_alloc((CELLS + TAPS - 1) * sizeof *in, PAGES_HUGE),
          *smooth = bench_alloc(CELLS * sizeof *smooth, PAGES_HUGE);
    bench_fill(s, OPTIONS, 5, 30, 1);
    bench_fill(t, OPTIONS, 0.25f, 10, 3);
    bench_fill(in, CELLS + TAPS - 1, 0, 1, 4);
    BENCH("W7bs", "plain", OPTIONS, "Gopt/s", prices_plain(s, t, out));
    BENCH("W7bs", "vector", OPTIONS, "Gopt/s", prices_vector(s, t, out));
    BENCH("W7box", "plain", CELLS, "Gcell/s", box_plain(in, smooth));
    BENCH("W7box", "vector", CELLS, "Gcell/s", box_vector(in, smooth));
    BENCH("W7csr5", "plain", five.filled, "Gelement/s", sparse_plain(&five));
    BENCH("W7csr50", "plain", fifty.filled, "Gelement/s", sparse_plain(&fifty));
    return 0;
}
