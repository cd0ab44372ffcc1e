/* W4: exclusive prefix sum of 2^25 int32 and float32.  8 useful bytes per element
 * (read once, write once). */
#include "bench.h"
#include "simd.h"

enum { MAXT = 64 };

#define SERIAL(T, NAME)                                            \
    static void NAME(T *restrict y, const T *restrict x, size_t n) \
    {                                                              \
        T s = 0;                                                   \
        for (size_t i = 0; i < n; i++) {                           \
            T v = x[i];                                            \
            y[i] = s;                                              \
            s += v;                                                \
        }                                                          \
    }
SERIAL(int32_t, serial_i32)
SERIAL(float, serial_f32)

/* The textbook two passes: each thread sums its half, then scans it.
 * Traffic: two reads and one write per element. */
#define TWO_PASS(T, NAME)                                                                    \
    static void NAME(T *restrict y, const T *restrict x, size_t n)                           \
    {                                                                                        \
        static T part[MAXT + 1];                                                             \
        _Pragma("omp parallel")                                                              \
        {                                                                                    \
            size_t lo, hi, id = (size_t)omp_get_thread_num();                                \
            share(n, 1024, &lo, &hi);                                                        \
            T s = 0;                                                                         \
            _Pragma("omp simd reduction(+ : s)") for (size_t i = lo; i < hi; i++) s += x[i]; \
            part[id + 1] = s;                                                                \
            _Pragma("omp barrier") s = 0;                                                    \
            for (size_t k = 1; k <= id; k++)                                                 \
                s += part[k];                                                                \
            for (size_t i = lo; i < hi; i++) {                                               \
                T v = x[i];                                                                  \
                y[i] = s;                                                                    \
                s += v;                                                                      \
            }                                                                                \
        }                                                                                    \
    }
TWO_PASS(int32_t, plain_i32)
TWO_PASS(float, plain_f32)

static int check_i32(const int32_t *y, const int32_t *x, size_t n)
{
    int32_t s = 0;
    for (size_t i = 0; i < n; i++) {
        if (y[i] != s)
            return 0;
        s += x[i];
    }
    return 1;
}

static int check_f32(const float *y, const float *x, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 1000 && (y[i] / s < 0.999 || y[i] / s > 1.001))
            return 0;
        s += (double)x[i];
    }
    return 1;
}

#ifdef __AVX512F__
/* ---- AVX-512: scan 16 lanes in registers, carry as a broadcast vector ---- */

static inline __m512i up_i32(__m512i x, int k) /* shift lanes up by k, zero fill */
{
    __m512i z = _mm512_setzero_si512();
    switch (k) {
    case 1:
        return _mm512_alignr_epi32(x, z, 15);
    case 2:
        return _mm512_alignr_epi32(x, z, 14);
    case 4:
        return _mm512_alignr_epi32(x, z, 12);
    default:
        return _mm512_alignr_epi32(x, z, 8);
    }
}

static inline __m512i scan16_i32(__m512i x)
{
    x = _mm512_add_epi32(x, up_i32(x, 1));
    x = _mm512_add_epi32(x, up_i32(x, 2));
    x = _mm512_add_epi32(x, up_i32(x, 4));
    return _mm512_add_epi32(x, up_i32(x, 8));
}

static inline __m512 up_f32(__m512 x, int k)
{
    return _mm512_castsi512_ps(up_i32(_mm512_castps_si512(x), k));
}

static inline __m512 scan16_f32(__m512 x)
{
    x = _mm512_add_ps(x, up_f32(x, 1));
    x = _mm512_add_ps(x, up_f32(x, 2));
    x = _mm512_add_ps(x, up_f32(x, 4));
    return _mm512_add_ps(x, up_f32(x, 8));
}

/* Exclusive scan of x[0..n) (n a multiple of 16) with carry-in; returns carry-out.
 * exclusive = inclusive - element for integers; for floats the lanes are shifted,
 * which keeps the values exact. */
static int32_t scan_block_i32(int32_t *y, const int32_t *x, size_t n, int32_t carry, int stream)
{
    __m512i c = _mm512_set1_epi32(carry), last = _mm512_set1_epi32(15);
    for (size_t i = 0; i < n; i += 16) {
        __m512i v = _mm512_load_si512(x + i), s = scan16_i32(v);
        __m512i out = _mm512_add_epi32(c, _mm512_sub_epi32(s, v));
        if (stream)
            _mm512_stream_si512((void *)(y + i), out);
        else
            _mm512_store_si512(y + i, out);
        c = _mm512_add_epi32(c, _mm512_permutexvar_epi32(last, s));
    }
    return _mm_cvtsi128_si32(_mm512_castsi512_si128(c));
}

static float scan_block_f32(float *y, const float *x, size_t n, float carry, int stream)
{
    __m512 c = _mm512_set1_ps(carry);
    __m512i last = _mm512_set1_epi32(15);
    for (size_t i = 0; i < n; i += 16) {
        __m512 s = scan16_f32(_mm512_load_ps(x + i));
        __m512 out = _mm512_add_ps(c, up_f32(s, 1));
        if (stream)
            _mm512_stream_ps(y + i, out);
        else
            _mm512_store_ps(y + i, out);
        c = _mm512_add_ps(c, _mm512_permutexvar_ps(last, s));
    }
    return _mm512_cvtss_f32(c);
}

static int32_t sum_i32(const int32_t *x, size_t n)
{
    int32_t s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

static float sum_f32(const float *x, size_t n)
{
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

/* Two passes over halves, vector scan, optional streaming stores. */
#define TWO_PASS_SIMD(T, SUM, SCAN, NAME)                     \
    static void NAME(T *y, const T *x, size_t n, int stream)  \
    {                                                         \
        static T part[MAXT + 1];                              \
        _Pragma("omp parallel")                               \
        {                                                     \
            size_t lo, hi, id = (size_t)omp_get_thread_num(); \
            share(n, 1024, &lo, &hi);                         \
            part[id + 1] = SUM(x + lo, hi - lo);              \
            _Pragma("omp barrier") T s = 0;                   \
            for (size_t k = 1; k <= id; k++)                  \
                s += part[k];                                 \
            SCAN(y + lo, x + lo, hi - lo, s, stream);         \
            _mm_sfence();                                     \
        }                                                     \
    }
TWO_PASS_SIMD(int32_t, sum_i32, scan_block_i32, two_pass_i32)
TWO_PASS_SIMD(float, sum_f32, scan_block_f32, two_pass_f32)

/* One pass over memory: threads take blocks in order (dynamic), sum the block (which
 * pulls it into L2), wait for the previous block's inclusive total, publish
 * their own, then scan from L2.  The serial chain is one flag per block. */
typedef struct {
    _Alignas(64) volatile int ready;
} flag;

#define ONE_PASS(T, SUM, SCAN, NAME)                                          \
    static void NAME(T *y, const T *x, size_t n, size_t block, int stream)    \
    {                                                                         \
        size_t nblocks = (n + block - 1) / block;                             \
        static flag ready[1 << 16];                                           \
        static T total[(1 << 16) + 1];                                        \
        for (size_t k = 0; k <= nblocks; k++)                                 \
            ready[k].ready = 0;                                               \
        ready[0].ready = 1;                                                   \
        size_t next = 0;                                                      \
        _Pragma("omp parallel")                                               \
        {                                                                     \
            for (;;) {                                                        \
                size_t k = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);    \
                if (k >= nblocks)                                             \
                    break;                                                    \
                size_t lo = k * block, len = n - lo < block ? n - lo : block; \
                T s = SUM(x + lo, len);                                       \
                while (!__atomic_load_n(&ready[k].ready, __ATOMIC_ACQUIRE))   \
                    _mm_pause();                                              \
                T in = total[k];                                              \
                total[k + 1] = in + s;                                        \
                __atomic_store_n(&ready[k + 1].ready, 1, __ATOMIC_RELEASE);   \
                SCAN(y + lo, x + lo, len, in, stream);                        \
            }                                                                 \
            _mm_sfence();                                                     \
        }                                                                     \
    }
ONE_PASS(int32_t, sum_i32, scan_block_i32, one_pass_i32)
ONE_PASS(float, sum_f32, scan_block_f32, one_pass_f32)

static void limits_i32(int32_t *y, const int32_t *x, size_t n)
{
    size_t bytes = n * 4;
    double work = 8.0 * (double)n;
    BENCH("W4i32", "simd_two_pass", work, "GB/s", two_pass_i32(y, x, n, 0));
    BENCH("W4i32", "simd_two_pass_nt", work, "GB/s", two_pass_i32(y, x, n, 1));
    bench_check("two_pass", check_i32(y, x, n));
    static const size_t kb[] = {64, 128, 256, 512};
    for (int i = 0; i < 4; i++) {
        static char name[2][32];
        snprintf(name[0], 32, "one_pass_%zuk", kb[i]);
        snprintf(name[1], 32, "one_pass_nt_%zuk", kb[i]);
        BENCH("W4i32", name[0], work, "GB/s", one_pass_i32(y, x, n, kb[i] * 256, 0));
        memset(y, 0, bytes);
        BENCH("W4i32", name[1], work, "GB/s", one_pass_i32(y, x, n, kb[i] * 256, 1));
        bench_check(name[1], check_i32(y, x, n));
    }
}

static void limits_f32(float *g, const float *f, size_t n)
{
    double work = 8.0 * (double)n;
    BENCH("W4f32", "simd_two_pass", work, "GB/s", two_pass_f32(g, f, n, 0));
    BENCH("W4f32", "simd_two_pass_nt", work, "GB/s", two_pass_f32(g, f, n, 1));
    BENCH("W4f32", "one_pass_nt_128k", work, "GB/s", one_pass_f32(g, f, n, 32768, 1));
    BENCH("W4f32", "one_pass_nt_256k", work, "GB/s", one_pass_f32(g, f, n, 65536, 1));
    bench_check("one_pass f32", check_f32(g, f, n));
}
#else
static void limits_i32(int32_t *y, const int32_t *x, size_t n)
{
    (void)y, (void)x, (void)n;
}

static void limits_f32(float *g, const float *f, size_t n)
{
    (void)g, (void)f, (void)n;
}
#endif

int main(void)
{
    size_t n = (size_t)1 << 25, bytes = n * 4;
    double work = 8.0 * (double)n;
    int32_t *xs = bench_alloc(bytes, PAGES_SMALL), *ys = bench_alloc(bytes, PAGES_SMALL);
    int32_t *x = bench_alloc(bytes, PAGES_HUGE), *y = bench_alloc(bytes, PAGES_HUGE);
    float *fs = bench_alloc(bytes, PAGES_SMALL), *gs = bench_alloc(bytes, PAGES_SMALL);
    float *f = bench_alloc(bytes, PAGES_HUGE), *g = bench_alloc(bytes, PAGES_HUGE);
    for (size_t i = 0; i < n; i++)
        x[i] = xs[i] = (int32_t)(i * 2654435761u >> 24) - 100;
    bench_fill(f, n, 0, 1, 1);
    memcpy(fs, f, bytes);

    BENCH("W4i32", "serial", work, "GB/s", serial_i32(ys, xs, n));
    BENCH("W4i32", "plain_two_pass", work, "GB/s", plain_i32(ys, xs, n));
    bench_check("plain", check_i32(ys, xs, n));
    limits_i32(y, x, n);
    BENCH("W4f32", "serial", work, "GB/s", serial_f32(gs, fs, n));
    BENCH("W4f32", "plain_two_pass", work, "GB/s", plain_f32(gs, fs, n));
    bench_check("plain", check_f32(gs, fs, n));
    limits_f32(g, f, n);
    return 0;
}
