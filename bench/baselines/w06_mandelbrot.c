/* W6: Mandelbrot escape counts, 4096 x 3072 on [-2,1] x [-1.125,1.125], float32,
 * 256 and 1000 iterations.  Rate in executed iterations per second. */
#include "bench.h"
#include "simd.h"

enum { W = 4096, H = 3072 };
static const float X0 = -2.0f, Y0 = -1.125f, DX = 3.0f / W, DY = 2.25f / H;

static inline int32_t escape(float cr, float ci, int32_t max)
{
    float zr = 0, zi = 0;
    int32_t k = 0;
    for (; k < max; k++) {
        float r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0f)
            break;
        zi = 2.0f * zr * zi + ci;
        zr = r2 - i2 + cr;
    }
    return k;
}

/* What a generated per-element kernel looks like; gcc leaves the inner loop scalar. */
static void plain_static(int32_t *out, int32_t max)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < W * H; i++)
        out[i] = escape(X0 + DX * (float)(i % W), Y0 + DY * (float)(i / W), max);
}

static void plain_dynamic(int32_t *out, int32_t max)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            out[y * W + x] = escape(X0 + DX * (float)x, Y0 + DY * (float)y, max);
}

/* Portable vector form: a block of LANES pixels runs in lock step until none is
 * left, each lane counting only while it is inside.  gcc vectorizes the lane loop. */
enum { LANES = 64 };

static void lockstep(int32_t *out, int32_t max)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < H; y++) {
        float ci = Y0 + DY * (float)y;
        for (int x = 0; x < W; x += LANES) {
            float zr[LANES], zi[LANES], cr[LANES];
            int32_t n[LANES];
            for (int l = 0; l < LANES; l++) {
                cr[l] = X0 + DX * (float)(x + l);
                zr[l] = zi[l] = 0;
                n[l] = 0;
            }
            for (int32_t k = 0; k < max; k += 8) {
                int32_t live = 0;
                int32_t steps = max - k < 8 ? max - k : 8;
                for (int32_t j = 0; j < steps; j++) {
                    live = 0;
#pragma omp simd reduction(+ : live)
                    for (int l = 0; l < LANES; l++) {
                        float r2 = zr[l] * zr[l], i2 = zi[l] * zi[l];
                        int32_t in = r2 + i2 <= 4.0f;
                        zi[l] = 2.0f * zr[l] * zi[l] + ci;
                        zr[l] = r2 - i2 + cr[l];
                        n[l] += in;
                        live += in;
                    }
                }
                if (!live)
                    break;
            }
            memcpy(out + y * W + x, n, sizeof n);
        }
    }
}

#ifdef __AVX512F__
/* clang-format off */
/* AVX-512, V vectors interleaved to hide FMA latency, test every U iterations.
 * An escaped lane runs on to infinity or NaN, whose compare stays false, so the
 * counts are exact. */
#define VEC_KERNEL(NAME, V, U)                                                         \
    static void NAME(int32_t *out, int32_t max)                                        \
    {                                                                                  \
        const __m512 four = _mm512_set1_ps(4.0f);                                      \
        const __m512i one = _mm512_set1_epi32(1);                                      \
        const __m512 ramp = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); \
        _Pragma("omp parallel for schedule(dynamic, 4)")                               \
        for (int y = 0; y < H; y++) {                                                  \
            __m512 ci = _mm512_set1_ps(Y0 + DY * (float)y);                            \
            for (int x = 0; x < W; x += 16 * V) {                                      \
                __m512 zr[V], zi[V], cr[V], r2[V], i2[V];                              \
                __m512i n[V];                                                          \
                __mmask16 m[V];                                                        \
                for (int v = 0; v < V; v++) {                                          \
                    __m512 column = _mm512_add_ps(ramp, _mm512_set1_ps((float)(x + 16 * v))); \
                    cr[v] = _mm512_fmadd_ps(column, _mm512_set1_ps(DX), _mm512_set1_ps(X0)); \
                    zr[v] = zi[v] = r2[v] = i2[v] = _mm512_setzero_ps();               \
                    n[v] = _mm512_setzero_si512();                                     \
                }                                                                      \
                for (int32_t k = 0; k < max; k += U) {                                 \
                    _Pragma("GCC unroll 8")                                            \
                    for (int u = 0; u < U; u++)                                        \
                        for (int v = 0; v < V; v++) {                                  \
                            m[v] = _mm512_cmp_ps_mask(_mm512_add_ps(r2[v], i2[v]), four,  \
                                                      _CMP_LE_OQ);                     \
                            zi[v] = _mm512_fmadd_ps(_mm512_add_ps(zr[v], zr[v]), zi[v], ci); \
                            zr[v] = _mm512_add_ps(_mm512_sub_ps(r2[v], i2[v]), cr[v]); \
                            r2[v] = _mm512_mul_ps(zr[v], zr[v]);                       \
                            i2[v] = _mm512_mul_ps(zi[v], zi[v]);                       \
                            n[v] = _mm512_mask_add_epi32(n[v], m[v], n[v], one);       \
                        }                                                              \
                    unsigned any = 0;                                                  \
                    for (int v = 0; v < V; v++) any |= m[v];                           \
                    if (!any) break;                                                   \
                }                                                                      \
                for (int v = 0; v < V; v++)                                            \
                    _mm512_storeu_si512(out + y * W + x + 16 * v, n[v]);               \
            }                                                                          \
        }                                                                              \
    }
/* max must be a multiple of U */
VEC_KERNEL(avx512_v1u1, 1, 1)
VEC_KERNEL(avx512_v2u1, 2, 1)
VEC_KERNEL(avx512_v4u1, 4, 1)
VEC_KERNEL(avx512_v2u4, 2, 4)
VEC_KERNEL(avx512_v4u4, 4, 4)
VEC_KERNEL(avx512_v4u8, 4, 8)
/* clang-format on */
#endif

static long total(const int32_t *out)
{
    long s = 0;
    for (int i = 0; i < W * H; i++)
        s += out[i];
    return s;
}

/* w06_mandelbrot [iterations] */
int main(int argc, char **argv)
{
    int32_t *out = bench_alloc((size_t)W * H * sizeof *out, PAGES_HUGE);
    int32_t iters[] = {256, 1000};
    for (int i = 0; i < 2; i++) {
        int32_t max = iters[i];
        if (argc > 1 && max != atoi(argv[1]))
            continue;
        char name[16];
        snprintf(name, sizeof name, "W6_%d", max);
        lockstep(out, max);
        double work = (double)total(out);
        printf("# max %d: %.4g iterations, mean %.1f\n", max, work, work / (W * H));
#define RUN(F)                                     \
    BENCH(name, #F, work, "Giter/s", F(out, max)); \
    printf("# total off by %.2g\n", (double)total(out) / work - 1)
        RUN(plain_static);
        RUN(plain_dynamic);
        RUN(lockstep);
#ifdef __AVX512F__
        RUN(avx512_v1u1);
        RUN(avx512_v2u1);
        RUN(avx512_v4u1);
        RUN(avx512_v2u4);
        RUN(avx512_v4u4);
        RUN(avx512_v4u8);
#endif
    }
    return 0;
}
