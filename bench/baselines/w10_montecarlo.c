/* W10: Monte Carlo pi, 1e8 points, counter-based generator (Philox4x32-10):
 * one Philox call gives four 32-bit words = two (x, y) points.  Each word keeps 24
 * bits.  The hit count does not depend on the number of threads. */
#include "bench.h"
#include "simd.h"

enum { CALLS = 50000000 };
static const uint32_t M0 = 0xD2511F53u, M1 = 0xCD9E8D57u, W0 = 0x9E3779B9u, W1 = 0xBB67AE85u;

typedef struct {
    uint32_t w[4];
} word4;

static inline word4 philox(uint32_t c0, uint32_t c1, uint32_t k0, uint32_t k1)
{
    uint32_t x0 = c0, x1 = c1, x2 = 0, x3 = 0;
    for (int r = 0; r < 10; r++) {
        uint64_t p0 = (uint64_t)M0 * x0, p1 = (uint64_t)M1 * x2;
        x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
        x1 = (uint32_t)p1;
        x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
        x3 = (uint32_t)p0;
        k0 += W0;
        k1 += W1;
    }
    return (word4){{x0, x1, x2, x3}};
}

static inline float unit(uint32_t w)
{
    return (float)(int32_t)(w >> 8) * (1.0f / 16777216.0f);
}

static inline int64_t hits2(word4 p)
{
    float a = unit(p.w[0]), b = unit(p.w[1]), c = unit(p.w[2]), d = unit(p.w[3]);
    return (a * a + b * b < 1.0f) + (c * c + d * d < 1.0f);
}

static int64_t plain(void)
{
    int64_t h = 0;
#pragma omp parallel for reduction(+ : h) schedule(static)
    for (int64_t i = 0; i < CALLS; i++)
        h += hits2(philox((uint32_t)i, 0, 1234, 5678));
    return h;
}

/* Same with 32-bit counters and an explicit simd clause inside fixed blocks:
 * lets gcc keep everything in 32-bit lanes. */
static int64_t plain_simd(void)
{
    int64_t h = 0;
    enum { BLOCK = 1 << 16 };
#pragma omp parallel for reduction(+ : h) schedule(static)
    for (int64_t b = 0; b < CALLS; b += BLOCK) {
        int32_t part = 0, len = CALLS - b < BLOCK ? (int32_t)(CALLS - b) : BLOCK;
#pragma omp simd reduction(+ : part)
        for (int32_t i = 0; i < len; i++) {
            word4 p = philox((uint32_t)b + (uint32_t)i, 0, 1234, 5678);
            part += (int32_t)hits2(p);
        }
        h += part;
    }
    return h;
}

#ifdef __AVX512F__
/* clang-format off */
/* 16 calls per vector.  vpmuludq multiplies even lanes; odd lanes are moved down,
 * and the two halves are blended back. */
static inline void mul_hilo(__m512i x, __m512i m, __m512i *hi, __m512i *lo)
{
    __m512i even = _mm512_mul_epu32(x, m), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), m);
    *hi = _mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xAAAA, odd);
    *lo = _mm512_mullo_epi32(x, m);
}

static inline void mul_hilo_blend(__m512i x, __m512i m, __m512i *hi, __m512i *lo)
{
    __m512i even = _mm512_mul_epu32(x, m), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), m);
    *hi = _mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xAAAA, odd);
    *lo = _mm512_mask_mov_epi32(even, 0xAAAA, _mm512_slli_epi64(odd, 32));
}

static inline __m512 vunit(__m512i w)
{
    return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(w, 8)),
                         _mm512_set1_ps(1.0f / 16777216.0f));
}

#define VECTOR(NAME, MULHILO, V)                                                       \
    static int64_t NAME(void)                                                          \
    {                                                                                  \
        int64_t h = 0;                                                                 \
        _Pragma("omp parallel for reduction(+ : h) schedule(static)")                  \
        for (int64_t b = 0; b < CALLS; b += 16 * V) {                                  \
            const __m512i ramp = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,   \
                                                   12, 13, 14, 15);                    \
            const __m512i m0 = _mm512_set1_epi64(M0), m1 = _mm512_set1_epi64(M1);       \
            __m512i x0[V], x1[V], x2[V], x3[V];                                        \
            __m512i k0 = _mm512_set1_epi32(1234), k1 = _mm512_set1_epi32(5678);        \
            for (int v = 0; v < V; v++) {                                              \
                x0[v] = _mm512_add_epi32(_mm512_set1_epi32((int32_t)b + 16 * v), ramp); \
                x1[v] = x2[v] = x3[v] = _mm512_setzero_si512();                        \
            }                                                                          \
            _Pragma("GCC unroll 10")                                                   \
            for (int r = 0; r < 10; r++) {                                             \
                for (int v = 0; v < V; v++) {                                          \
                    __m512i h0, l0, h1, l1;                                            \
                    MULHILO(x0[v], m0, &h0, &l0);                                      \
                    MULHILO(x2[v], m1, &h1, &l1);                                      \
                    x0[v] = _mm512_ternarylogic_epi32(h1, x1[v], k0, 0x96);            \
                    x1[v] = l1;                                                        \
                    x2[v] = _mm512_ternarylogic_epi32(h0, x3[v], k1, 0x96);            \
                    x3[v] = l0;                                                        \
                }                                                                      \
                k0 = _mm512_add_epi32(k0, _mm512_set1_epi32((int32_t)W0));             \
                k1 = _mm512_add_epi32(k1, _mm512_set1_epi32((int32_t)W1));             \
            }                                                                          \
            for (int v = 0; v < V; v++) {                                              \
                int64_t left = CALLS - b - 16 * v;                                     \
                __mmask16 live = left >= 16  ? 0xFFFF                                  \
                                 : left <= 0 ? 0                                       \
                                             : (__mmask16)((1u << left) - 1);          \
                __m512 fa = vunit(x0[v]), fb = vunit(x1[v]), fc = vunit(x2[v]), fd = vunit(x3[v]); \
                __m512 one = _mm512_set1_ps(1.0f);                                     \
                __m512 ab = _mm512_fmadd_ps(fa, fa, _mm512_mul_ps(fb, fb));            \
                __m512 cd = _mm512_fmadd_ps(fc, fc, _mm512_mul_ps(fd, fd));            \
                __mmask16 p = _mm512_mask_cmp_ps_mask(live, ab, one, _CMP_LT_OQ);      \
                __mmask16 q = _mm512_mask_cmp_ps_mask(live, cd, one, _CMP_LT_OQ);      \
                h += __builtin_popcount(p) + __builtin_popcount(q);                    \
            }                                                                          \
        }                                                                              \
        return h;                                                                      \
    }
/* With m0 as 64-bit lanes mullo_epi32 would zero the odd products, so the plain
 * mul_hilo form needs the constant in every 32-bit lane. */
#define FULL(x, m, hi, lo) mul_hilo(x, _mm512_or_si512(m, _mm512_slli_epi64(m, 32)), hi, lo)
VECTOR(avx512_mullo_v1, FULL, 1)
VECTOR(avx512_blend_v1, mul_hilo_blend, 1)
VECTOR(avx512_blend_v2, mul_hilo_blend, 2)
VECTOR(avx512_blend_v4, mul_hilo_blend, 4)
/* clang-format on */
#endif

int main(void)
{
    int64_t h = 0, ref = plain();
    double work = 2.0 * CALLS;
    printf("# pi = %.6f\n", 4.0 * (double)ref / work);
    word4 p = philox(0, 0, 0, 0);
    bench_check("philox test vector", p.w[0] == 0x6627e8d5u && p.w[1] == 0xe169c58du &&
                                          p.w[2] == 0xbc57ac4cu && p.w[3] == 0x9b00dbd8u);
#define RUN(F)                                  \
    BENCH("W10", #F, work, "Gsamp/s", h = F()); \
    if (h)                                      \
    bench_check(#F, h - ref < 4 && ref - h < 4)
    RUN(plain);
    RUN(plain_simd);
#ifdef __AVX512F__
    RUN(avx512_mullo_v1);
    RUN(avx512_blend_v1);
    RUN(avx512_blend_v2);
    RUN(avx512_blend_v4);
#endif
    return 0;
}
