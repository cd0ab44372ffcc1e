/* W2: STREAM triad a = b + s*c, float32, n = 2^25.  12 bytes per element. */
#include "bench.h"
#include "simd.h"

static void serial(float *restrict a, const float *restrict b, const float *restrict c, float s,
                   size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

static void plain(float *restrict a, const float *restrict b, const float *restrict c, float s,
                  size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

static void check(const char *what, float *const *v, size_t n)
{
    int ok = 1;
    if (!bench_ran)
        return;
    for (size_t i = 0; i < n; i += 991)
        ok &= __builtin_fabsf(v[0][i] - (v[1][i] + 0.4f * v[2][i])) < 1e-6f;
    bench_check(what, ok);
    memset(v[0], 0, n * sizeof(float));
}

#ifdef __AVX512F__
static void nt(float *a, const float *b, const float *c, float s, size_t n, size_t ahead)
{
#pragma omp parallel
    {
        size_t lo, hi;
        share(n, 1024, &lo, &hi);
        __m512 k = _mm512_set1_ps(s);
        for (size_t i = lo; i < hi; i += 16) {
            if (ahead) {
                _mm_prefetch((const char *)(b + i + ahead), _MM_HINT_T0);
                _mm_prefetch((const char *)(c + i + ahead), _MM_HINT_T0);
            }
            _mm512_stream_ps(a + i,
                             _mm512_fmadd_ps(k, _mm512_load_ps(c + i), _mm512_load_ps(b + i)));
        }
        _mm_sfence();
    }
}

static void limits(float *const *s, float *const *h, size_t n, double work)
{
    BENCH("W2", "nt_4k", work, "GB/s", nt(s[0], s[1], s[2], 0.4f, n, 0));
    check("nt_4k", s, n);
    BENCH("W2", "nt_thp", work, "GB/s", nt(h[0], h[1], h[2], 0.4f, n, 0));
    check("nt_thp", h, n);
    BENCH("W2", "nt_thp_pf1k", work, "GB/s", nt(h[0], h[1], h[2], 0.4f, n, 256));
    check("nt_thp_pf1k", h, n);
    BENCH("W2", "nt_thp_pf4k", work, "GB/s", nt(h[0], h[1], h[2], 0.4f, n, 1024));
    check("nt_thp_pf4k", h, n);
}
#else
static void limits(float *const *s, float *const *h, size_t n, double work)
{
    (void)s, (void)h, (void)n, (void)work;
}
#endif

int main(void)
{
    size_t n = (size_t)1 << 25, bytes = n * sizeof(float);
    double work = 12.0 * (double)n;
    float *s[3], *h[3];
    for (uint32_t i = 0; i < 3; i++) {
        s[i] = bench_alloc(bytes, PAGES_SMALL);
        h[i] = bench_alloc(bytes, PAGES_HUGE);
        bench_fill(s[i], n, 0, 1, i);
        bench_fill(h[i], n, 0, 1, i);
    }
    BENCH("W2", "serial", work, "GB/s", serial(s[0], s[1], s[2], 0.4f, n));
    check("serial", s, n);
    BENCH("W2", "plain", work, "GB/s", plain(s[0], s[1], s[2], 0.4f, n));
    check("plain", s, n);
    BENCH("W2", "plain_thp", work, "GB/s", plain(h[0], h[1], h[2], 0.4f, n));
    check("plain_thp", h, n);
    limits(s, h, n, work);
    return 0;
}
