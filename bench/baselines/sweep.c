/* sweep.c - the work of bench/sweep.lua as plain loops on one thread; called by it.  Results go to
 * memory that was touched before; sums are taken in wide types, as the program takes them. */
#include "bench.h"

#include <math.h>

enum { MOST_CALLS = 1000 };

#define WORK(T, WIDE)                                                                  \
    static WIDE T##_sum(const T *a, const T *b, T *c, int64_t n)                       \
    {                                                                                  \
        WIDE s[16] = {0}, all = 0;                                                     \
        (void)b, (void)c;                                                              \
        for (int64_t i = 0; i + 16 <= n; i += 16)                                      \
            for (int k = 0; k < 16; k++)                                               \
                s[k] += (WIDE)a[i + k];                                                \
        for (int k = 0; k < 16; k++)                                                   \
            all += s[k];                                                               \
        return all;                                                                    \
    }                                                                                  \
    static WIDE T##_dot(const T *a, const T *b, T *c, int64_t n)                       \
    {                                                                                  \
        WIDE s[16] = {0}, all = 0;                                                     \
        (void)c;                                                                       \
        for (int64_t i = 0; i + 16 <= n; i += 16)                                      \
            for (int k = 0; k < 16; k++)                                               \
                s[k] += (WIDE)a[i + k] * (WIDE)b[i + k];                               \
        for (int k = 0; k < 16; k++)                                                   \
            all += s[k];                                                               \
        return all;                                                                    \
    }                                                                                  \
    static WIDE T##_count(const T *a, const T *b, T *c, int64_t n)                     \
    {                                                                                  \
        int64_t s = 0;                                                                 \
        (void)c;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            s += a[i] < b[i];                                                          \
        return (WIDE)s;                                                                \
    }                                                                                  \
    static WIDE T##_map(const T *a, const T *b, T *c, int64_t n)                       \
    {                                                                                  \
        (void)b;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            c[i] = (T)(a[i] + 1);                                                      \
        return 0;                                                                      \
    }                                                                                  \
    static WIDE T##_fused(const T *a, const T *b, T *c, int64_t n)                     \
    {                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                \
            c[i] = (T)((a[i] + b[i]) * (a[i] - b[i]));                                 \
        return 0;                                                                      \
    }                                                                                  \
    static WIDE T##_scan(const T *a, const T *b, T *c, int64_t n)                      \
    {                                                                                  \
        WIDE s = 0;                                                                    \
        (void)b;                                                                       \
        for (int64_t i = 0; i < n; i++) {                                              \
            c[i] = (T)s;                                                               \
            s += (WIDE)a[i];                                                           \
        }                                                                              \
        return s;                                                                      \
    }                                                                                  \
    static WIDE T##_copy(const T *a, const T *b, T *c, int64_t n)                      \
    {                                                                                  \
        (void)b;                                                                       \
        memcpy(c, a, (size_t)n * sizeof *c);                                           \
        return 0;                                                                      \
    }                                                                                  \
    static WIDE T##_function(const T *a, const T *b, T *c, int64_t n)                  \
    {                                                                                  \
        (void)b;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            c[i] = (T)(a[i] * a[i] - a[i]);                                            \
        return 0;                                                                      \
    }                                                                                  \
    static void T##_all(const char *name, const char *bits)                            \
    {                                                                                  \
        static const struct {                                                          \
            const char *name;                                                          \
            WIDE (*run)(const T *a, const T *b, T *c, int64_t n);                      \
        } work[] = {{"map", T##_map},   {"fused", T##_fused},      {"sum", T##_sum},   \
                    {"dot", T##_dot},   {"count", T##_count},      {"scan", T##_scan}, \
                    {"copy", T##_copy}, {"function", T##_function}};                   \
        int64_t n = (int64_t)pow(2, atof(bits));                                       \
        T *a = array((size_t)n * sizeof *a), *b = array((size_t)n * sizeof *b);        \
        T *c = array((size_t)n * sizeof *c);                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            a[i] = (T)(i * 7 % 50);                                                    \
            b[i] = (T)(i * 11 % 50);                                                   \
            c[i] = 0;                                                                  \
        }                                                                              \
        for (size_t w = 0; w < sizeof work / sizeof *work; w++) {                      \
            if (!listed("SWEEP_WORK", work[w].name))                                   \
                continue;                                                              \
            double ms[MOST_CALLS], all = 0;                                            \
            volatile WIDE kept = 0;                                                    \
            int k = -2;                                                                \
            while (k < 5 || (all < 2 && k < MOST_CALLS)) {                             \
                double start = bench_now();                                            \
                kept += work[w].run(a, b, c, n);                                       \
                double time = bench_now() - start;                                     \
                a[0] = (T)(k & 1);                                                     \
                if (k++ >= 0) {                                                        \
                    ms[k - 1] = time;                                                  \
                    all += time;                                                       \
                }                                                                      \
            }                                                                          \
            qsort(ms, (size_t)k, sizeof *ms, bench_cmp);                               \
            printf("%s %s %s C %.4f\n", work[w].name, name, bits, ms[k / 2] * 1e3);    \
        }                                                                              \
        free(a);                                                                       \
        free(b);                                                                       \
        free(c);                                                                       \
    }

static void *array(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

/* Whether a word stands in a variable's list. */
static int listed(const char *variable, const char *word)
{
    const char *list = getenv(variable);
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

typedef float f32;
typedef double f64;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
WORK(f32, double)
WORK(f64, double)
WORK(i32, int64_t)
WORK(i64, int64_t)
WORK(u8, uint64_t)

int main(void)
{
    static const struct {
        const char *name;
        void (*all)(const char *name, const char *bits);
    } types[] = {
        {"f32", f32_all}, {"f64", f64_all}, {"i32", i32_all}, {"i64", i64_all}, {"u8", u8_all}};
    char *sizes = strdup(getenv("SWEEP_SIZES") ? getenv("SWEEP_SIZES") : "16"), *rest;
    for (char *bits = strtok_r(sizes, " ", &rest); bits; bits = strtok_r(NULL, " ", &rest))
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (listed("SWEEP_DTYPES", types[t].name))
                types[t].all(types[t].name, bits);
    free(sizes);
    return 0;
}
