/* matmul.c - what bench/matmul.lua times, by a BLAS; and the machine's peak of fused
 * multiplications and additions, on one thread: twelve vectors in registers.
 * usage: matmul blas threads m k n dtype repetitions | matmul peak dtype
 * Built with -DBLAS where there is OpenBLAS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BLAS
#include <cblas.h>
void openblas_set_num_threads(int n);
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the peak -------------------------------------------------------------------------------- */

#ifdef __AVX512F__
#define BYTES 64
#else
#define BYTES 32
#endif
typedef float floats __attribute__((vector_size(BYTES)));
typedef double doubles __attribute__((vector_size(BYTES)));

/* Compiled with contraction: each line is one instruction on each of 12 vectors. */
#define PEAK(name, V, T)                                                                         \
    static double name(void)                                                                     \
    {                                                                                            \
        enum { ROUNDS = 1 << 22, SUMS = 12 };                                                    \
        V sum[SUMS], x = (V){0} + (T)1.0000001, y = (V){0} + (T)1e-9;                            \
        double best = 1e9;                                                                       \
        for (int i = 0; i < SUMS; i++)                                                           \
            sum[i] = (V){0} + (T)i;                                                              \
        for (int r = 0; r < 5; r++) {                                                            \
            double start = now();                                                                \
            for (int k = 0; k < ROUNDS; k++)                                                     \
                _Pragma("GCC unroll 12") for (int i = 0; i < SUMS; i++) sum[i] = sum[i] * x + y; \
            double took = now() - start;                                                         \
            best = took < best ? took : best;                                                    \
        }                                                                                        \
        T all = 0;                                                                               \
        for (int i = 0; i < SUMS; i++)                                                           \
            all += sum[i][0];                                                                    \
        double flops = 2.0 * ROUNDS * SUMS * (BYTES / sizeof(T)) / best;                         \
        return all == (T)-1 ? 0 : flops;                                                         \
    }
PEAK(peak_f32, floats, float)
PEAK(peak_f64, doubles, double)

/* ---- a BLAS ---------------------------------------------------------------------------------- */

#ifdef BLAS
#define RUN(name, T, gemm)                                                                       \
    static void name(int m, int k, int n, int rounds)                                            \
    {                                                                                            \
        size_t sizes[3] = {(size_t)m * (size_t)k, (size_t)k * (size_t)n, (size_t)m * (size_t)n}; \
        T *at[3];                                                                                \
        for (int i = 0; i < 3; i++) {                                                            \
            at[i] = malloc(sizes[i] * sizeof(T));                                                \
            if (!at[i])                                                                          \
                exit(1);                                                                         \
            for (size_t j = 0; j < sizes[i]; j++)                                                \
                at[i][j] = (T)(rand() % 1000) / 1000;                                            \
        }                                                                                        \
        for (int r = 0; r < rounds; r++) {                                                       \
            double start = now();                                                                \
            gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, at[0], k, at[1], n, 0,   \
                 at[2], n);                                                                      \
            printf("%.9f\n", now() - start);                                                     \
        }                                                                                        \
    }
RUN(blas_f32, float, cblas_sgemm)
RUN(blas_f64, double, cblas_dgemm)
#endif

int main(int count, char **words)
{
    if (count == 3 && !strcmp(words[1], "peak")) {
        printf("%.4g\n", (!strcmp(words[2], "f32") ? peak_f32() : peak_f64()) / 1e9);
        return 0;
    }
#ifdef BLAS
    if (count == 8) {
        int m = atoi(words[3]), k = atoi(words[4]), n = atoi(words[5]), rounds = atoi(words[7]);
        openblas_set_num_threads(atoi(words[2]));
        (!strcmp(words[6], "f32") ? blas_f32 : blas_f64)(m, k, n, rounds);
        return 0;
    }
#endif
    return 1;
}
