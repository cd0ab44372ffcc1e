/* W0: what the machine can do - peak FMA rate, cache and DRAM bandwidth,
 * page-fault cost, OpenMP fork/join cost. */
#include "bench.h"

#ifndef __AVX512F__
int main(void)
{
    puts("# W0 needs AVX-512");
    return 0;
}
#else
#include <immintrin.h>
#include <omp.h>

static volatile double sink;

/* Twelve independent FMA chains in named registers (an array plus asm would
 * make gcc spill). The empty asm keeps the loop from being simplified. */
#define CHAINS(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
enum { NCHAINS = 12 };

static void fma_f32(long iters)
{
    __m512 m = _mm512_set1_ps(0.999f), c = _mm512_set1_ps(0.001f), s = c;
#define DECL(i)   __m512 a##i = _mm512_set1_ps(1.0f + i);
#define STEP(i)                         \
    a##i = _mm512_fmadd_ps(a##i, m, c); \
    __asm__("" : "+v"(a##i));
#define FOLD(i) s = _mm512_add_ps(s, a##i);
    CHAINS(DECL)
    for (long k = 0; k < iters; k++) {
        CHAINS(STEP)
    }
    CHAINS(FOLD)
    sink = _mm512_reduce_add_ps(s);
#undef DECL
#undef STEP
#undef FOLD
}

static void fma_f64(long iters)
{
    __m512d m = _mm512_set1_pd(0.999), c = _mm512_set1_pd(0.001), s = c;
#define DECL(i) __m512d a##i = _mm512_set1_pd(1.0 + i);
#define STEP(i)                         \
    a##i = _mm512_fmadd_pd(a##i, m, c); \
    __asm__("" : "+v"(a##i));
#define FOLD(i) s = _mm512_add_pd(s, a##i);
    CHAINS(DECL)
    for (long k = 0; k < iters; k++) {
        CHAINS(STEP)
    }
    CHAINS(FOLD)
    sink = _mm512_reduce_add_pd(s);
}

/* Sum of a slice with eight independent accumulators: pure read traffic. */
static float read_slice(const float *x, size_t n)
{
    __m512 s[8];
    for (int j = 0; j < 8; j++)
        s[j] = _mm512_setzero_ps();
    for (size_t i = 0; i + 128 <= n; i += 128)
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++)
            s[j] = _mm512_add_ps(s[j], _mm512_loadu_ps(x + i + 16 * j));
    for (int j = 1; j < 8; j++)
        s[0] = _mm512_add_ps(s[0], s[j]);
    return _mm512_reduce_add_ps(s[0]);
}

static void slice(size_t n, size_t *lo, size_t *hi)
{
    size_t nt = (size_t)omp_get_num_threads(), id = (size_t)omp_get_thread_num();
    size_t per = (n / nt + 127) / 128 * 128;
    *lo = id * per < n ? id * per : n;
    *hi = *lo + per < n ? *lo + per : n;
}

static void read_all(const float *x, size_t n, int nt)
{
#pragma omp parallel num_threads(nt)
    {
        size_t lo, hi;
        slice(n, &lo, &hi);
        float s = read_slice(x + lo, hi - lo);
        if (s == 12345.678f)
            sink = s;
    }
}

static void write_nt(float *x, size_t n, int nt)
{
#pragma omp parallel num_threads(nt)
    {
        size_t lo, hi;
        slice(n, &lo, &hi);
        __m512 v = _mm512_set1_ps(1.0f);
        for (size_t i = lo; i < hi; i += 16)
            _mm512_stream_ps(x + i, v);
        _mm_sfence();
    }
}

static void write_plain(float *x, size_t n, int nt)
{
#pragma omp parallel num_threads(nt)
    {
        size_t lo, hi;
        slice(n, &lo, &hi);
        __m512 v = _mm512_set1_ps(1.0f);
        for (size_t i = lo; i < hi; i += 16)
            _mm512_store_ps(x + i, v);
    }
}

static void copy_nt(float *y, const float *x, size_t n, int nt)
{
#pragma omp parallel num_threads(nt)
    {
        size_t lo, hi;
        slice(n, &lo, &hi);
        for (size_t i = lo; i < hi; i += 16)
            _mm512_stream_ps(y + i, _mm512_load_ps(x + i));
        _mm_sfence();
    }
}

static void copy_plain(float *y, const float *x, size_t n, int nt)
{
#pragma omp parallel num_threads(nt)
    {
        size_t lo, hi;
        slice(n, &lo, &hi);
        for (size_t i = lo; i < hi; i += 16)
            _mm512_store_ps(y + i, _mm512_load_ps(x + i));
    }
}

/* Read a cache-sized block again and again. */
static void read_repeat(const float *x, size_t n, int times, int nt)
{
#pragma omp parallel num_threads(nt)
    {
        size_t off = (size_t)omp_get_thread_num() * n;
        for (int r = 0; r < times; r++) {
            float s = read_slice(x + off, n);
            if (s == 12345.678f)
                sink = s;
        }
    }
}

static void fault_in(size_t bytes, bench_pages pages, int nt)
{
    char *p = bench_map(bytes, pages);
#pragma omp parallel for num_threads(nt) schedule(static)
    for (size_t i = 0; i < bytes; i += 4096)
        p[i] = 1;
    munmap(p, bytes);
}

int main(void)
{
    char name[32];
    size_t n = (size_t)1 << 26, bytes = n * sizeof(float);
    float *x = bench_alloc(bytes, PAGES_HUGE), *y = bench_alloc(bytes, PAGES_HUGE);
    float *xs = bench_alloc(bytes, PAGES_SMALL);
    bench_fill(x, n, 0, 1, 1);
    memcpy(xs, x, bytes);

    for (int nt = 1; nt <= omp_get_num_procs(); nt++) {
        long it = 10000000;
        double fl = (double)nt * (double)it * NCHAINS;
        snprintf(name, sizeof name, "fma_f32_t%d", nt);
        BENCH("W0", name, fl * 32, "GFLOP/s",
              { _Pragma("omp parallel num_threads(nt)") fma_f32(it); });
        snprintf(name, sizeof name, "fma_f64_t%d", nt);
        BENCH("W0", name, fl * 16, "GFLOP/s",
              { _Pragma("omp parallel num_threads(nt)") fma_f64(it); });
    }
    for (int nt = 1; nt <= omp_get_num_procs(); nt++) {
        double b = (double)bytes;
        snprintf(name, sizeof name, "read_t%d", nt);
        BENCH("W0", name, b, "GB/s", read_all(x, n, nt));
        snprintf(name, sizeof name, "read_4k_t%d", nt);
        BENCH("W0", name, b, "GB/s", read_all(xs, n, nt));
        snprintf(name, sizeof name, "write_t%d", nt);
        BENCH("W0", name, b, "GB/s", write_plain(y, n, nt));
        snprintf(name, sizeof name, "write_nt_t%d", nt);
        BENCH("W0", name, b, "GB/s", write_nt(y, n, nt));
        snprintf(name, sizeof name, "copy_t%d", nt);
        BENCH("W0", name, 2 * b, "GB/s", copy_plain(y, x, n, nt));
        snprintf(name, sizeof name, "copy_nt_t%d", nt);
        BENCH("W0", name, 2 * b, "GB/s", copy_nt(y, x, n, nt));
        size_t kib[] = {32, 512, 8192};
        const char *level[] = {"L1", "L2", "L3"};
        for (int l = 0; l < 3; l++) {
            size_t cn = kib[l] * 1024 / sizeof(float);
            int times = (int)(((size_t)1 << 30) / (kib[l] * 1024));
            snprintf(name, sizeof name, "read_%s_t%d", level[l], nt);
            BENCH("W0", name, (double)nt * (double)times * (double)kib[l] * 1024, "GB/s",
                  read_repeat(x, cn, times, nt));
        }
        size_t fb = (size_t)128 << 20;
        snprintf(name, sizeof name, "fault_4k_t%d", nt);
        BENCH("W0", name, (double)fb, "GB/s", fault_in(fb, PAGES_SMALL, nt));
        snprintf(name, sizeof name, "fault_thp_t%d", nt);
        BENCH("W0", name, (double)fb, "GB/s", fault_in(fb, PAGES_HUGE, nt));
    }
    int np = omp_get_num_procs();
    BENCH("W0", "omp_forkjoin_x1000", 1000, "G/s", {
        for (int k = 0; k < 1000; k++) {
            _Pragma("omp parallel num_threads(np)")
            {
                __asm__ volatile("" ::: "memory");
            }
        }
    });
    return 0;
}
#endif
