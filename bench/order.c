/* order.c - what bench/order.lua times, by hand: the elements of an i32 array in order, by a
 * parallel radix sort of 8-bit digits, the lowest one first.
 * usage: order threads log2-of-elements repetitions */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 64, DIGITS = 256, HUGE_PAGE = 2 << 20 };

static int64_t counts[MOST][DIGITS];

/* Memory in huge pages where the system has them, as the engine's own. */
static uint32_t *make(size_t n)
{
    size_t bytes = (n * sizeof(uint32_t) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint32_t *p = aligned_alloc(HUGE_PAGE, bytes);
    if (!p)
        exit(1);
    madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

/* One digit; flip: what is inverted of it. */
static void pass(const uint32_t *from, uint32_t *to, int64_t n, int shift, uint32_t flip,
                 int threads)
{
#pragma omp parallel num_threads(threads)
    {
        const int w = omp_get_thread_num();
        const int64_t first = n * w / threads, last = n * (w + 1) / threads;
        int64_t own[DIGITS] = {0};
        for (int64_t i = first; i < last; i++)
            own[((from[i] >> shift) & 255) ^ flip]++;
        memcpy(counts[w], own, sizeof own);
#pragma omp barrier
#pragma omp single
        {
            int64_t sum = 0;
            for (int d = 0; d < DIGITS; d++)
                for (int k = 0; k < threads; k++) {
                    const int64_t count = counts[k][d];
                    counts[k][d] = sum;
                    sum += count;
                }
        }
        memcpy(own, counts[w], sizeof own);
        for (int64_t i = first; i < last; i++)
            to[own[((from[i] >> shift) & 255) ^ flip]++] = from[i];
    }
}

int main(int argc, char **argv)
{
    if (argc != 4 || atoi(argv[1]) > MOST)
        return 1;
    const int threads = atoi(argv[1]);
    const int64_t n = (int64_t)1 << atoi(argv[2]);
    uint32_t *x = make((size_t)n), *a = make((size_t)n), *b = make((size_t)n);
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (uint32_t)(state >> 32);
    }
    for (int r = 0; r < atoi(argv[3]); r++) {
        const double start = omp_get_wtime();
        pass(x, a, n, 0, 0, threads);
        pass(a, b, n, 8, 0, threads);
        pass(b, a, n, 16, 0, threads);
        pass(a, b, n, 24, 128, threads);
        printf("%.9f\n", omp_get_wtime() - start);
        for (int64_t i = 1; i < n; i++)
            if ((int32_t)b[i] < (int32_t)b[i - 1])
                return 1;
    }
    return 0;
}
