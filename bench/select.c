/* select.c - what bench/select.lua times, written by hand: the elements of f32 where a byte is 1,
 * in one pass, blocks of 65,536 elements shared out by OpenMP; a block is counted, waits for the
 * blocks before it, and is written without a branch, or compressed in registers where there is
 * AVX-512.  Prints the seconds of each repetition.
 * usage: select threads n repetitions */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { BLOCK = 65536 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long pack(const float *x, const uint8_t *m, long n, float *to, long count)
{
    long i = 0, at = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n && at + 16 <= count; i += 16) {
        __m128i bytes = _mm_loadu_si128((const void *)(m + i));
        __mmask16 k = _mm512_cmpneq_epi32_mask(_mm512_cvtepu8_epi32(bytes), _mm512_setzero_si512());
        _mm512_storeu_ps(to + at, _mm512_maskz_compress_ps(k, _mm512_loadu_ps(x + i)));
        at += __builtin_popcount(k);
    }
#endif
    for (; i < n && at < count; i++) {
        to[at] = x[i];
        at += m[i];
    }
    return at;
}

static long compress(const float *x, const uint8_t *m, long n, float *to)
{
    long next = 0, ready = 0, carry = 0;
#pragma omp parallel
    for (;;) {
        long k, first, count = 0;
#pragma omp atomic capture
        k = next++;
        if ((first = k * BLOCK) >= n)
            break;
        long size = n - first < BLOCK ? n - first : BLOCK;
        for (long i = 0; i < size; i++)
            count += m[first + i];
        while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != k)
            ;
        long at = carry;
        carry += count;
        __atomic_store_n(&ready, k + 1, __ATOMIC_RELEASE);
        pack(x + first, m + first, size, to + at, count);
    }
    return carry;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    omp_set_num_threads(atoi(argv[1]));
    long n = atol(argv[2]);
    float *x = aligned_alloc(64, (size_t)n * 4), *to = aligned_alloc(64, (size_t)n * 4);
    uint8_t *m = aligned_alloc(64, (size_t)n);
    uint64_t state = 1;
    if (!x || !to || !m)
        return 1;
    for (long i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (float)(state >> 40) * 0x1p-24f;
        m[i] = x[i] > 0.5f;
        to[i] = 0;
    }
    for (int r = atoi(argv[3]); r > 0; r--) {
        double start = now();
        long made = compress(x, m, n, to);
        printf("%.9f\n", now() - start);
        if (made < n / 4)
            return 1;
    }
    return 0;
}
