/* W1: e = (a+b)*(c+d), float32, n = 2^25.  20 bytes of useful traffic per element. */
#include "bench.h"
#include "simd.h"

typedef struct {
    float *a, *b, *c, *d, *e, *t1, *t2;
    size_t n;
} arrays;

static void serial(const arrays *v)
{
    const float *restrict a = v->a, *restrict b = v->b, *restrict c = v->c, *restrict d = v->d;
    float *restrict e = v->e;
    for (size_t i = 0; i < v->n; i++)
        e[i] = (a[i] + b[i]) * (c[i] + d[i]);
}

static void plain(const arrays *v)
{
    const float *restrict a = v->a, *restrict b = v->b, *restrict c = v->c, *restrict d = v->d;
    float *restrict e = v->e;
    size_t n = v->n;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        e[i] = (a[i] + b[i]) * (c[i] + d[i]);
}

/* Small chunks dealt in turn: both threads stay on neighbouring DRAM pages. */
static void plain_chunk(const arrays *v, size_t chunk)
{
    const float *restrict a = v->a, *restrict b = v->b, *restrict c = v->c, *restrict d = v->d;
    float *restrict e = v->e;
    size_t n = v->n, nchunks = (n + chunk - 1) / chunk;
#pragma omp parallel for schedule(static, 1)
    for (size_t k = 0; k < nchunks; k++) {
        size_t hi = (k + 1) * chunk < n ? (k + 1) * chunk : n;
#pragma omp simd
        for (size_t i = k * chunk; i < hi; i++)
            e[i] = (a[i] + b[i]) * (c[i] + d[i]);
    }
}

/* What an eager array library does: three passes, two temporaries. */
static void unfused(const arrays *v, float *t1, float *t2)
{
    const float *restrict a = v->a, *restrict b = v->b, *restrict c = v->c, *restrict d = v->d;
    float *restrict e = v->e;
    size_t n = v->n;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        t1[i] = a[i] + b[i];
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        t2[i] = c[i] + d[i];
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        e[i] = t1[i] * t2[i];
}

static void make(arrays *v, size_t n, bench_pages pages)
{
    float **p[] = {&v->a, &v->b, &v->c, &v->d, &v->e, &v->t1, &v->t2};
    v->n = n;
    for (size_t i = 0; i < 7; i++) {
        *p[i] = bench_alloc(n * sizeof(float), pages);
        bench_fill(*p[i], n, -1, 1, (uint32_t)i);
    }
}

static void check(const char *what, const arrays *v)
{
    int ok = 1;
    if (!bench_ran)
        return;
    for (size_t i = 0; i < v->n; i += 997)
        ok &= v->e[i] == (v->a[i] + v->b[i]) * (v->c[i] + v->d[i]);
    bench_check(what, ok);
    memset(v->e, 0, v->n * sizeof(float));
}

#ifdef __AVX512F__
static void nt(const arrays *v, size_t ahead)
{
#pragma omp parallel
    {
        size_t lo, hi;
        share(v->n, 1024, &lo, &hi);
        const float *a = v->a, *b = v->b, *c = v->c, *d = v->d;
        float *e = v->e;
        for (size_t i = lo; i < hi; i += 16) {
            if (ahead) {
                _mm_prefetch((const char *)(a + i + ahead), _MM_HINT_T0);
                _mm_prefetch((const char *)(b + i + ahead), _MM_HINT_T0);
                _mm_prefetch((const char *)(c + i + ahead), _MM_HINT_T0);
                _mm_prefetch((const char *)(d + i + ahead), _MM_HINT_T0);
            }
            __m512 x = _mm512_add_ps(_mm512_load_ps(a + i), _mm512_load_ps(b + i));
            __m512 y = _mm512_add_ps(_mm512_load_ps(c + i), _mm512_load_ps(d + i));
            _mm512_stream_ps(e + i, _mm512_mul_ps(x, y));
        }
        _mm_sfence();
    }
}

/* One stream at a time: bring a 2 KiB piece of each input into L1 with
 * prefetches, then compute on it.  Fewer DRAM pages open at once. */
static void nt_blocked(const arrays *v, size_t block)
{
#pragma omp parallel
    {
        size_t lo, hi;
        share(v->n, block, &lo, &hi);
        const float *in[4] = {v->a, v->b, v->c, v->d};
        float *e = v->e;
        for (size_t j = 0; j < 4; j++)
            for (size_t i = lo; i < lo + block; i += 16)
                _mm_prefetch((const char *)(in[j] + i), _MM_HINT_T0);
        for (size_t k = lo; k < hi; k += block) {
            for (size_t j = 0; j < 4; j++)
                for (size_t i = k + block; i < k + 2 * block; i += 16)
                    _mm_prefetch((const char *)(in[j] + i), _MM_HINT_T0);
            for (size_t i = k; i < k + block; i += 16) {
                __m512 x = _mm512_add_ps(_mm512_load_ps(in[0] + i), _mm512_load_ps(in[1] + i));
                __m512 y = _mm512_add_ps(_mm512_load_ps(in[2] + i), _mm512_load_ps(in[3] + i));
                _mm512_stream_ps(e + i, _mm512_mul_ps(x, y));
            }
        }
        _mm_sfence();
    }
}

static void limits(arrays *s, arrays *h, double work)
{
    BENCH("W1", "nt_4k", work, "GB/s", nt(s, 0));
    check("nt", s);
    BENCH("W1", "nt_thp", work, "GB/s", nt(h, 0));
    check("nt", h);
    BENCH("W1", "nt_thp_pf1k", work, "GB/s", nt(h, 256));
    check("nt", h);
    BENCH("W1", "nt_thp_pf4k", work, "GB/s", nt(h, 1024));
    check("nt", h);
    BENCH("W1", "nt_blocked_1k", work, "GB/s", nt_blocked(h, 256));
    check("nt_blocked", h);
    BENCH("W1", "nt_blocked_2k", work, "GB/s", nt_blocked(h, 512));
    check("nt_blocked", h);
    BENCH("W1", "nt_blocked_4k", work, "GB/s", nt_blocked(h, 1024));
    check("nt_blocked", h);
    arrays f = *h;
    size_t bytes = h->n * sizeof(float);
    BENCH("W1", "fresh_out_thp_nt", work, "GB/s", {
        f.e = bench_map(bytes, PAGES_HUGE);
        nt(&f, 0);
        munmap(f.e, bytes);
    });
}
#else
static void limits(const arrays *s, const arrays *h, double work)
{
    (void)s, (void)h, (void)work;
}
#endif

int main(void)
{
    size_t n = (size_t)1 << 25, bytes = n * sizeof(float);
    double work = 20.0 * (double)n;
    arrays s, h;
    make(&s, n, PAGES_SMALL);
    make(&h, n, PAGES_HUGE);

    BENCH("W1", "serial", work, "GB/s", serial(&s));
    check("serial", &s);
    BENCH("W1", "plain", work, "GB/s", plain(&s));
    check("plain", &s);
    BENCH("W1", "plain_thp", work, "GB/s", plain(&h));
    check("plain_thp", &h);
    BENCH("W1", "chunk4k_thp", work, "GB/s", plain_chunk(&h, 4096));
    check("chunk", &h);
    BENCH("W1", "chunk64k_thp", work, "GB/s", plain_chunk(&h, 65536));
    check("chunk", &h);
    limits(&s, &h, work);
    BENCH("W1", "unfused_pooled", work, "GB/s", unfused(&s, s.t1, s.t2));
    check("unfused", &s);
    BENCH("W1", "unfused_pooled_thp", work, "GB/s", unfused(&h, h.t1, h.t2));
    check("unfused", &h);
    BENCH("W1", "unfused_fresh_temps", work, "GB/s", {
        float *t1 = malloc(bytes), *t2 = malloc(bytes);
        unfused(&s, t1, t2);
        free(t1);
        free(t2);
    });
    check("unfused_fresh", &s);

    arrays f = s;
    BENCH("W1", "fresh_out_4k", work, "GB/s", {
        f.e = bench_map(bytes, PAGES_SMALL);
        plain(&f);
        munmap(f.e, bytes);
    });
    BENCH("W1", "fresh_out_thp", work, "GB/s", {
        f.e = bench_map(bytes, PAGES_HUGE);
        plain(&f);
        munmap(f.e, bytes);
    });
    return 0;
}
