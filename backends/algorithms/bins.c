/* bins.c - which bin a number is in; see bins.h. */
#include "algorithms/bins.h"

#include <math.h>
#include <string.h>

int64_t lun__bins_make(const double *edges, int64_t count, lun_bins *out)
{
    const double low = edges[0], wide = edges[count] - low, step = wide / (double)count;
    for (int64_t k = 0; k <= count; k++)
        if (isnan(edges[k]) || (k && edges[k] < edges[k - 1]))
            return k;
    *out = (lun_bins){.edges = edges, .count = count, .scale = (double)count / wide};
    out->even = wide > 0 && isfinite(wide) && isfinite(out->scale);
    for (int64_t k = 1; out->even && k < count; k++)
        out->even = fabs(edges[k] - (low + (double)k * step)) < step / 2;
    return -1;
}

/* ---- elements as numbers --------------------------------------------------------------------- */

#define NUMBERS_PLAIN(ID, T)                                          \
    static void numbers_##ID(const void *from, int64_t n, double *to) \
    {                                                                 \
        const T *x = from;                                            \
        for (int64_t k = 0; k < n; k++)                               \
            to[k] = (double)x[k];                                     \
    }
#define NUMBERS_STORED(ID, T)                                                                    \
    static void numbers_##ID(const void *from, int64_t n, double *to)                            \
    {                                                                                            \
        const T *x = from;                                                                       \
        for (int64_t k = 0; k < n; k++)                                                          \
            to[k] = lun__dtype_value_double(lun__dtype_cell_to_value(LUN_##ID, (uint64_t)x[k])); \
    }
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    NUMBERS_##form(ID, ctype)
#include "table/dtypes.def"
#undef LUN_DTYPE

static void (*const numbers[LUN_DTYPE_COUNT])(const void *from, int64_t n, double *to) = {
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    [LUN_##ID] = numbers_##ID,
#include "table/dtypes.def"
#undef LUN_DTYPE
};

/* ---- finding --------------------------------------------------------------------------------- */

/* The bin of x, which is within the first and the last edge, from a guess on. */
static inline int64_t settle(const lun_bins *b, double x, int64_t k)
{
    k = k < 0 ? 0 : k < b->count ? k : b->count - 1;
    while (k > 0 && x < b->edges[k])
        k--;
    while (k + 1 < b->count && x >= b->edges[k + 1])
        k++;
    return k;
}

/* The same by halves. */
static inline int64_t search(const lun_bins *b, double x)
{
    int64_t low = 0,
            high = b->count; /* edges[low] <= x, and below edges[high] or in the last bin */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (x >= b->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

void lun__bins_find(const lun_bins *b, lun_dtype t, const void *from, int64_t n, int64_t *to)
{
    double x[LUN_BINS_BLOCK];
    const double first = b->edges[0], last = b->edges[b->count];
    numbers[t](from, n, x);
    for (int64_t k = 0; k < n; k++) {
        if (!(x[k] >= first && x[k] <= last))
            to[k] = b->count;
        else if (b->even)
            to[k] = settle(b, x[k], (int64_t)((x[k] - first) * b->scale));
        else
            to[k] = search(b, x[k]);
    }
}
