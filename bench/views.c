/* views.c - what bench/views.lua times, written by hand for it: transposing in registers, rows and
 * columns broadcast and reduced, rows normalised while they are in the cache.  AVX-512 where the
 * compiler has it, else plain loops.
 * usage: views   (BENCH_REPS, BENCH_ONLY as in baselines/bench.h) */
#include <float.h>
#include <math.h>

#include "baselines/bench.h"

#ifdef __AVX512F__
#include <immintrin.h>

/* y = (a +) transposed x, 16 x 16. */
static inline void tile16(float *y, const float *a, size_t ldy, const float *x, size_t ldx)
{
    __m512 r[16], t[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        r[i] = _mm512_loadu_ps(x + (size_t)i * ldx);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m512d p = _mm512_castps_pd(t[4 * i]), q = _mm512_castps_pd(t[4 * i + 1]);
        __m512d u = _mm512_castps_pd(t[4 * i + 2]), v = _mm512_castps_pd(t[4 * i + 3]);
        r[4 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(p, u));
        r[4 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(p, u));
        r[4 * i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(q, v));
        r[4 * i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(q, v));
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
        r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        __m512 v = a ? _mm512_add_ps(r[i], _mm512_loadu_ps(a + (size_t)i * ldy)) : r[i];
        _mm512_stream_ps(y + (size_t)i * ldy, v);
    }
}

static void fence(void)
{
    _mm_sfence();
}
#else
static inline void tile16(float *y, const float *a, size_t ldy, const float *x, size_t ldx)
{
    for (size_t i = 0; i < 16; i++)
        for (size_t j = 0; j < 16; j++)
            y[i * ldy + j] = x[j * ldx + i] + (a ? a[i * ldy + j] : 0);
}

static void fence(void)
{
}
#endif

/* y = (a +) x transposed; y: r x c, x: c x r. */
static void transposed(float *y, const float *a, const float *x, size_t r, size_t c)
{
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(dynamic, 4)
        for (size_t ii = 0; ii < r; ii += 64)
            for (size_t jj = 0; jj < c; jj += 64)
                for (size_t i = ii; i < ii + 64; i += 16)
                    for (size_t j = jj; j < jj + 64; j += 16)
                        tile16(y + i * c + j, a ? a + i * c + j : NULL, c, x + j * r + i, r);
        fence();
    }
}

static void add(float *restrict y, const float *restrict a, const float *restrict b, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

static void add_three(float *restrict y, const float *restrict x, const float *restrict v, size_t n)
{
    float w[48];
    for (int i = 0; i < 48; i++)
        w[i] = v[i % 3];
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n / 48; i++)
        for (size_t k = 0; k < 48; k++)
            y[48 * i + k] = x[48 * i + k] + w[k];
}

static double sum_all(const float *x, size_t n)
{
    double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

static void softmax(float *restrict y, const float *restrict x, size_t r, size_t c)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < r; i++) {
        const float *a = x + i * c;
        float *b = y + i * c, top = -FLT_MAX, total = 0;
        for (size_t j = 0; j < c; j++)
            top = a[j] > top ? a[j] : top;
        for (size_t j = 0; j < c; j++)
            total += b[j] = expf(a[j] - top);
        for (size_t j = 0; j < c; j++)
            b[j] /= total;
    }
}

static void standard_rows(float *restrict y, const float *restrict x, size_t r, size_t c)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < r; i++) {
        const float *a = x + i * c;
        float *b = y + i * c;
        double s1 = 0, s2 = 0, shift = a[0];
        for (size_t j = 0; j < c; j++) {
            double d = a[j] - shift;
            s1 += d;
            s2 += d * d;
        }
        float mean = (float)(shift + s1 / (double)c);
        float std = (float)sqrt((s2 - s1 * s1 / (double)c) / (double)c);
        for (size_t j = 0; j < c; j++)
            b[j] = (a[j] - mean) / std;
    }
}

static void standard_columns(float *restrict y, const float *restrict x, size_t r, size_t c)
{
    double *s1 = calloc(2 * c, sizeof *s1), *s2 = s1 + c;
#pragma omp parallel for schedule(static) reduction(+ : s1[:2 * c])
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < c; j++) {
            double d = x[i * c + j] - x[j];
            s1[j] += d;
            s1[c + j] += d * d;
        }
    float *mean = malloc(2 * c * sizeof *mean), *std = mean + c;
    for (size_t j = 0; j < c; j++) {
        mean[j] = (float)(x[j] + s1[j] / (double)r);
        std[j] = (float)sqrt((s2[j] - s1[j] * s1[j] / (double)r) / (double)r);
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < c; j++)
            y[i * c + j] = (x[i * c + j] - mean[j]) / std[j];
    free(s1);
    free(mean);
}

/* Means of windows of seven. */
static void moving(float *restrict y, const float *restrict x, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++) {
        double s = 0;
        for (size_t k = 0; k < 7; k++)
            s += x[i + k];
        y[i] = (float)(s / 7);
    }
}

int main(void)
{
    const size_t r = 8192, c = 4096, n = r * c, m = (size_t)1 << 23, w = (size_t)1 << 24;
    float *a = bench_alloc(n * sizeof *a, PAGES_HUGE), *b = bench_alloc(n * sizeof *b, PAGES_HUGE);
    float *y = bench_alloc(n * sizeof *y, PAGES_HUGE);
    const double bytes = 4.0 * (double)n;
    double total = 0;
    bench_fill(a, n, 0, 1, 1);
    bench_fill(b, n, 0, 1, 2);
    BENCH("transpose", "hand", 2 * bytes, "GB/s", transposed(y, NULL, b, r, c));
    bench_check("transpose", y[5 * c + 3] == b[3 * r + 5]);
    BENCH("add_t", "hand", 3 * bytes, "GB/s", transposed(y, a, b, r, c));
    bench_check("add_t", y[5 * c + 3] == a[5 * c + 3] + b[3 * r + 5]);
    BENCH("add", "hand", 3 * bytes, "GB/s", add(y, a, b, n));
    BENCH("add_row", "hand", 3 * bytes, "GB/s", add(y, a, b, n)); /* the goal: no more than that */
    BENCH("add_col", "hand", 3 * bytes, "GB/s", add(y, a, b, n));
    BENCH("add_3", "hand", 24.0 * (double)m, "GB/s", add_three(y, a, b, 3 * m));
    BENCH("sum", "hand", bytes, "GB/s", total += sum_all(a, n));
    BENCH("sum_rows", "hand", bytes, "GB/s", total += sum_all(a, n));
    BENCH("sum_cols", "hand", bytes, "GB/s", total += sum_all(a, n));
    BENCH("sum_3", "hand", 12.0 * (double)m, "GB/s", total += sum_all(a, 3 * m));
    BENCH("sum_3_cols", "hand", 12.0 * (double)m, "GB/s", total += sum_all(a, 3 * m));
    bench_check("sum", total > 0);
    BENCH("softmax", "hand", 2 * bytes, "GB/s", softmax(y, a, r, c));
    BENCH("std_rows", "hand", 2 * bytes, "GB/s", standard_rows(y, a, r, c));
    BENCH("std_cols", "hand", 3 * bytes, "GB/s", standard_columns(y, a, r, c));
    BENCH("moving", "hand", 8.0 * (double)w, "GB/s", moving(y, a, w));
    return 0;
}
