/* sort_packed.c - a long segment of 64-bit elements with their indices, where key and index fit 64
 * bits together: sorted as such words, half as wide as records of both.  See sort_parts.h. */
#include "algorithms/sort/sort_digit.h"

enum { SAMPLE = 1 << 10, BLOCK = 1 << 10 };

typedef struct run {
    const lun_sort_segment *l;
    uint64_t (*range)[2]; /* of each worker: the least and the greatest key */
    uint64_t *words;      /* key less low in the upper bits, index in the lower ones */
    uint64_t low;
    int shift;
} run;

static void together(run *x, void (*work)(void *ctx, int worker))
{
    const lun_sort_segment *l = x->l;
    if (l->workers > 1)
        l->team->parallel(l->team, x, l->workers, work);
    else
        work(x, 0);
}

static void add_range(const lun_sort_segment *l, int64_t from, int64_t end, uint64_t *low,
                      uint64_t *high)
{
    uint64_t keys[BLOCK];
    for (int64_t i = from, n; i < end; i += n) {
        n = lun__sort_digit_less(BLOCK, end - i);
        lun__keys_read(&l->keys, (const char *)l->from + i * 8, n, i, LUN_RECORD_KEY64, keys);
        for (int64_t k = 0; k < n; k++) {
            *low = keys[k] < *low ? keys[k] : *low;
            *high = keys[k] > *high ? keys[k] : *high;
        }
    }
}

/* Whether keys from low to high are narrow enough.  NaNs are not: their keys do not say their bits.
 */
static bool fits(const run *x, uint64_t low, uint64_t high)
{
    if (x->l->keys.infinity && high == UINT64_MAX)
        return false;
    return (high - low) >> (64 - x->shift) == 0;
}

static void find_range(void *ctx, int worker)
{
    const run *x = ctx;
    const lun_sort_segment *l = x->l;
    uint64_t *range = x->range[worker];
    range[0] = UINT64_MAX;
    range[1] = 0;
    if (!lun__backend_stop_requested(l->services))
        add_range(l, lun__sort_digit_share(l->n, worker, l->workers),
                  lun__sort_digit_share(l->n, worker + 1, l->workers), &range[0], &range[1]);
}

static void pack(void *ctx, int worker)
{
    const run *x = ctx;
    const lun_sort_segment *l = x->l;
    const int64_t from = lun__sort_digit_share(l->n, worker, l->workers);
    const int64_t end = lun__sort_digit_share(l->n, worker + 1, l->workers);
    if (lun__backend_stop_requested(l->services))
        return;
    lun__keys_read(&l->keys, (const char *)l->from + from * 8, end - from, from, LUN_RECORD_KEY64,
                   x->words + from);
    for (int64_t i = from; i < end; i++)
        x->words[i] = (x->words[i] - x->low) << x->shift | (uint64_t)i;
}

/* Unpacks the words, which lie in the memory of the indices. */
static void unpack(void *ctx, int worker)
{
    const run *x = ctx;
    const lun_sort_segment *l = x->l;
    uint64_t keys[BLOCK];
    const uint64_t mask = ((uint64_t)1 << x->shift) - 1;
    const int64_t end = lun__sort_digit_share(l->n, worker + 1, l->workers);
    for (int64_t i = lun__sort_digit_share(l->n, worker, l->workers), n; i < end; i += n) {
        n = lun__sort_digit_less(BLOCK, end - i);
        for (int64_t k = 0; k < n; k++) {
            const uint64_t word = (uint64_t)l->indices[i + k];
            keys[k] = (word >> x->shift) + x->low;
            l->indices[i + k] = (int64_t)(word & mask) + l->base;
        }
        if (l->to)
            lun__keys_write(&l->keys, LUN_RECORD_KEY64, keys, n, (char *)l->to + i * 8);
    }
}

bool lun__sort_packed(const lun_sort_segment *l)
{
    run x = {.l = l, .shift = 64 - __builtin_clzll((uint64_t)l->n)};
    uint64_t low = UINT64_MAX, high = 0;
    if (l->record != LUN_RECORD_PLACED64 || l->keys.bits != 64)
        return false;
    add_range(l, 0, lun__sort_digit_less(SAMPLE, l->n), &low, &high);
    if (!fits(&x, low, high))
        return false;
    x.words = (uint64_t *)(void *)l->scratch;
    x.range = (uint64_t(*)[2])(void *)l->scratch;
    together(&x, find_range);
    for (int w = 0; w < l->workers; w++) {
        low = x.range[w][0] < low ? x.range[w][0] : low;
        high = x.range[w][1] > high ? x.range[w][1] : high;
    }
    if (!fits(&x, low, high))
        return false;
    x.low = low;
    together(&x, pack);
    lun_sort_segment words = *l;
    words.keys = lun__keys(LUN_U64, false);
    words.record = LUN_RECORD_KEY64;
    words.from = x.words;
    words.to = l->indices;
    words.indices = NULL;
    words.scratch = l->scratch + (l->n * 8 + LUN_LINE - 1) / LUN_LINE * LUN_LINE;
    lun__sort_parts_run(&words);
    if (!lun__backend_stop_requested(l->services))
        together(&x, unpack);
    return true;
}
