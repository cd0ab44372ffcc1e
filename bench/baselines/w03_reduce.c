/* W3: sum, dot product (map fused into reduce), mean + variance; float32, n = 2^25. */
#include "bench.h"
#include "simd.h"

static volatile double sink;

static float sum_serial(const float *x, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

static float sum_plain(const float *x, size_t n)
{
    float s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

/* Same loop, double accumulator: costs nothing when DRAM is the limit. */
static double sum_plain_f64acc(const float *x, size_t n)
{
    double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (size_t i = 0; i < n; i++)
        s += (double)x[i];
    return s;
}

static float dot_plain(const float *x, const float *y, size_t n)
{
    float s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (size_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static void meanvar_two_pass(const float *x, size_t n, double *mean, double *var)
{
    double s = 0, q = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (size_t i = 0; i < n; i++)
        s += (double)x[i];
    double m = s / (double)n;
#pragma omp parallel for simd reduction(+ : q) schedule(static)
    for (size_t i = 0; i < n; i++)
        q += ((double)x[i] - m) * ((double)x[i] - m);
    *mean = m;
    *var = q / (double)n;
}

/* One pass: sums of x-k and (x-k)^2 in double, with shift k = x[0]. */
static void meanvar_one_pass(const float *x, size_t n, double *mean, double *var)
{
    double s = 0, q = 0, k = (double)x[0];
#pragma omp parallel for simd reduction(+ : s, q) schedule(static)
    for (size_t i = 0; i < n; i++) {
        double d = (double)x[i] - k;
        s += d;
        q += d * d;
    }
    double m = s / (double)n;
    *mean = k + m;
    *var = q / (double)n - m * m;
}

#ifdef __AVX512F__
/* Eight accumulators of 16 lanes; `ahead` floats of software prefetch. */
static float sum_limit(const float *x, size_t n, size_t ahead)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        size_t lo, hi;
        share(n, 1024, &lo, &hi);
        __m512 s[8];
        for (int j = 0; j < 8; j++)
            s[j] = _mm512_setzero_ps();
        for (size_t i = lo; i < hi; i += 128)
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++) {
                if (ahead)
                    _mm_prefetch((const char *)(x + i + 16 * j + ahead), _MM_HINT_T0);
                s[j] = _mm512_add_ps(s[j], _mm512_load_ps(x + i + 16 * j));
            }
        for (int j = 1; j < 8; j++)
            s[0] = _mm512_add_ps(s[0], s[j]);
        total = (double)_mm512_reduce_add_ps(s[0]);
    }
    return (float)total;
}

/* Each thread walks `streams` far-apart slices at once: more pages in flight
 * for the hardware prefetchers. */
static float sum_streams(const float *x, size_t n, size_t streams)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        size_t lo, hi;
        share(n, 8192, &lo, &hi);
        size_t len = (hi - lo) / streams;
        __m512 s[8];
        for (int j = 0; j < 8; j++)
            s[j] = _mm512_setzero_ps();
        for (size_t i = 0; i < len; i += 64)
            for (size_t k = 0; k < streams; k++) {
                const float *p = x + lo + k * len + i;
#pragma GCC unroll 4
                for (int j = 0; j < 4; j++)
                    s[j] = _mm512_add_ps(s[j], _mm512_load_ps(p + 16 * j));
            }
        for (int j = 1; j < 8; j++)
            s[0] = _mm512_add_ps(s[0], s[j]);
        total = (double)_mm512_reduce_add_ps(s[0]);
    }
    return (float)total;
}

static float dot_limit(const float *x, const float *y, size_t n, size_t ahead)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        size_t lo, hi;
        share(n, 1024, &lo, &hi);
        __m512 s[4];
        for (int j = 0; j < 4; j++)
            s[j] = _mm512_setzero_ps();
        for (size_t i = lo; i < hi; i += 64)
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                size_t k = i + 16 * (size_t)j;
                if (ahead) {
                    _mm_prefetch((const char *)(x + k + ahead), _MM_HINT_T0);
                    _mm_prefetch((const char *)(y + k + ahead), _MM_HINT_T0);
                }
                s[j] = _mm512_fmadd_ps(_mm512_load_ps(x + k), _mm512_load_ps(y + k), s[j]);
            }
        for (int j = 1; j < 4; j++)
            s[0] = _mm512_add_ps(s[0], s[j]);
        total = (double)_mm512_reduce_add_ps(s[0]);
    }
    return (float)total;
}

static void limits(const float *x, const float *y, size_t n)
{
    double b = 4.0 * (double)n, exact = sum_plain_f64acc(x, n);
    BENCH("W3sum", "acc8", b, "GB/s", sink = sum_limit(x, n, 0));
    BENCH("W3sum", "acc8_pf1k", b, "GB/s", sink = sum_limit(x, n, 256));
    BENCH("W3sum", "acc8_pf2k", b, "GB/s", sink = sum_limit(x, n, 512));
    BENCH("W3sum", "acc8_pf4k", b, "GB/s", sink = sum_limit(x, n, 1024));
    BENCH("W3sum", "streams2", b, "GB/s", sink = sum_streams(x, n, 2));
    BENCH("W3sum", "streams4", b, "GB/s", sink = sum_streams(x, n, 4));
    BENCH("W3sum", "streams8", b, "GB/s", sink = sum_streams(x, n, 8));
    BENCH("W3dot", "acc4", 2 * b, "GB/s", sink = dot_limit(x, y, n, 0));
    BENCH("W3dot", "acc4_pf1k", 2 * b, "GB/s", sink = dot_limit(x, y, n, 256));
    BENCH("W3dot", "acc4_pf4k", 2 * b, "GB/s", sink = dot_limit(x, y, n, 1024));
    bench_check("sum",
                sum_limit(x, n, 0) / exact > 0.9999 && sum_streams(x, n, 4) / exact > 0.9999);
}
#else
static void limits(const float *x, const float *y, size_t n)
{
    (void)x, (void)y, (void)n;
}
#endif

int main(void)
{
    size_t n = (size_t)1 << 25, bytes = n * sizeof(float);
    double b = 4.0 * (double)n, m, v;
    float *xs = bench_alloc(bytes, PAGES_SMALL), *ys = bench_alloc(bytes, PAGES_SMALL);
    float *x = bench_alloc(bytes, PAGES_HUGE), *y = bench_alloc(bytes, PAGES_HUGE);
    bench_fill(xs, n, 0, 1, 1);
    bench_fill(ys, n, 0, 1, 2);
    memcpy(x, xs, bytes);
    memcpy(y, ys, bytes);

    BENCH("W3sum", "serial", b, "GB/s", sink = sum_serial(xs, n));
    BENCH("W3sum", "plain", b, "GB/s", sink = sum_plain(xs, n));
    BENCH("W3sum", "plain_thp", b, "GB/s", sink = sum_plain(x, n));
    BENCH("W3sum", "plain_thp_f64acc", b, "GB/s", sink = sum_plain_f64acc(x, n));
    BENCH("W3dot", "plain", 2 * b, "GB/s", sink = dot_plain(xs, ys, n));
    BENCH("W3dot", "plain_thp", 2 * b, "GB/s", sink = dot_plain(x, y, n));
    limits(x, y, n);
    BENCH("W3mv", "two_pass", b, "GB/s", meanvar_two_pass(xs, n, &m, &v); sink = m + v);
    BENCH("W3mv", "two_pass_thp", b, "GB/s", meanvar_two_pass(x, n, &m, &v); sink = m + v);
    BENCH("W3mv", "one_pass_thp", b, "GB/s", meanvar_one_pass(x, n, &m, &v); sink = m + v);

    double exact = sum_plain_f64acc(x, n);
    printf("# sum exact %.6f serial f32 %.1f simd f32 %.1f\n", exact, (double)sum_serial(x, n),
           (double)sum_plain(x, n));
    meanvar_one_pass(x, n, &m, &v);
    double m2, v2;
    meanvar_two_pass(x, n, &m2, &v2);
    bench_check("meanvar", m - m2 < 1e-9 && m2 - m < 1e-9 && v - v2 < 1e-9 && v2 - v < 1e-9);
    return 0;
}
