/* W12: cost of one small evaluation of e = (a+b)*(c+d) through a function pointer
 * (what a cached run-time-compiled kernel costs at best).  Rate: evaluations/s;
 * the time column is for 1000 evaluations, so ms reads as microseconds each. */
#include "bench.h"
#include "simd.h"

enum { CALLS = 1000 };
typedef void kernel(float *restrict, const float *restrict, const float *restrict,
                    const float *restrict, const float *restrict, size_t);

static void one_thread(float *restrict e, const float *restrict a, const float *restrict b,
                       const float *restrict c, const float *restrict d, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        e[i] = (a[i] + b[i]) * (c[i] + d[i]);
}

static void two_threads(float *restrict e, const float *restrict a, const float *restrict b,
                        const float *restrict c, const float *restrict d, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        e[i] = (a[i] + b[i]) * (c[i] + d[i]);
}

int main(void)
{
    static const size_t sizes[] = {100, 1000, 10000, 30000, 100000, 300000, 1000000, 4000000};
    kernel *volatile serial = one_thread, *volatile parallel = two_threads;
    float *p[5];
    for (uint32_t i = 0; i < 5; i++) {
        p[i] = bench_alloc(4000000 * sizeof(float), PAGES_HUGE);
        bench_fill(p[i], 4000000, 0, 1, i);
    }
    for (int s = 0; s < 8; s++) {
        size_t n = sizes[s];
        char name[24];
        int calls = n > 100000 ? CALLS / 100 : CALLS;
        snprintf(name, sizeof name, "W12_%zu%s", n, calls < CALLS ? "x10" : "");
        BENCH(name, "1thread", calls, "Geval/s",
              for (int k = 0; k < calls; k++) serial(p[0], p[1], p[2], p[3], p[4], n));
        BENCH(name, "2threads", calls, "Geval/s",
              for (int k = 0; k < calls; k++) parallel(p[0], p[1], p[2], p[3], p[4], n));
        if (calls == CALLS)
            BENCH(
                name, "1thread+malloc", calls, "Geval/s", for (int k = 0; k < calls; k++) {
                    float *e = malloc(n * sizeof(float));
                    serial(e, p[1], p[2], p[3], p[4], n);
                    free(e);
                });
    }
    return 0;
}
