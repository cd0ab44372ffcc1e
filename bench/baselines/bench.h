/* bench.h - timing harness shared by the benchmark programs in this folder.
 *
 * Each measured variant prints one line:
 *     NAME variant median_ms rate unit min_ms
 * rate = work / median, where work is bytes, flops or items per evaluation.
 *
 * Environment:  BENCH_REPS  timed repetitions  (default 11)
 *               BENCH_ONLY  run only variants whose name is in this list: a,b,c
 */
#ifndef BENCH_H
#define BENCH_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BENCH_WARMUP = 2, BENCH_MAXREPS = 1001 };

static int bench_ran; /* whether the last variant was run, not left out */

typedef struct {
    const char *name, *variant;
    int reps, done; /* done counts warm-up runs as negative */
    double start, ms[BENCH_MAXREPS];
} bench_state;

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Whether a name stands in a list separated by commas. */
static inline int bench_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return 1;
    return 0;
}

static inline int bench_begin(bench_state *b, const char *name, const char *variant)
{
    const char *only = getenv("BENCH_ONLY"), *reps = getenv("BENCH_REPS");
    b->name = name;
    b->variant = variant;
    b->reps = reps ? atoi(reps) : 11;
    if (b->reps < 1)
        b->reps = 1;
    if (b->reps > BENCH_MAXREPS)
        b->reps = BENCH_MAXREPS;
    b->done = -BENCH_WARMUP - 1;
    bench_ran = !only || bench_listed(only, variant);
    return bench_ran;
}

/* Called before each evaluation; records the time of the one before it. */
static inline int bench_more(bench_state *b)
{
    double t = bench_now();
    if (b->done >= 0)
        b->ms[b->done] = t - b->start;
    if (++b->done >= b->reps)
        return 0;
    b->start = bench_now();
    return 1;
}

static inline int bench_cmp(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static inline double bench_end(bench_state *b, double work, const char *unit)
{
    double scale = 1e-6; /* per ms -> giga per s */
    qsort(b->ms, (size_t)b->reps, sizeof b->ms[0], bench_cmp);
    double med = b->ms[b->reps / 2];
    printf("%-10s %-22s %10.4f ms %9.2f %-8s min %.4f\n", b->name, b->variant, med,
           work / med * scale, unit, b->ms[0]);
    fflush(stdout);
    return med;
}

/* BENCH("W1", "plain", bytes, "GB/s", statement...) */
#define BENCH(name_, variant_, work_, unit_, ...) \
    do {                                          \
        static bench_state b_;                    \
        if (!bench_begin(&b_, name_, variant_))   \
            break;                                \
        b_.done = -BENCH_WARMUP - 1;              \
        while (bench_more(&b_)) {                 \
            __VA_ARGS__;                          \
        }                                         \
        bench_end(&b_, work_, unit_);             \
    } while (0)

/* Page policy of an allocation. The system default here is THP=madvise,
 * so plain malloc gives 4 KiB pages. */
typedef enum { PAGES_SMALL, PAGES_HUGE } bench_pages;

static inline void *bench_map(size_t bytes, bench_pages pages)
{
    size_t two_mib = (size_t)2 << 20, len = (bytes + two_mib - 1) / two_mib * two_mib + two_mib;
    char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    p = (char *)(((uintptr_t)p + two_mib - 1) / two_mib * two_mib);
    madvise(p, len - two_mib, pages == PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return p;
}

/* Mapped and already touched. Never freed: the programs are short-lived. */
static inline void *bench_alloc(size_t bytes, bench_pages pages)
{
    void *p = bench_map(bytes, pages);
    memset(p, 0, bytes);
    return p;
}

/* Cheap reproducible fill: values in [lo, hi). */
static inline void bench_fill(float *x, size_t n, float lo, float hi, uint32_t seed)
{
    uint32_t s = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        x[i] = lo + (hi - lo) * (float)(s >> 8) * (1.0f / 16777216.0f);
    }
}

/* Says so if the last variant, where it was run, gave a wrong result. */
static inline void bench_check(const char *what, int ok)
{
    if (bench_ran && !ok) {
        printf("%s WRONG RESULT\n", what);
        fflush(stdout);
    }
}
#endif
