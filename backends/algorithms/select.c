/* select.c - elements at given indices of a segment in order; see select.h. */
#include "algorithms/select.h"

#include <string.h>

#include "algorithms/compress_chunks.h"

enum { LEAST = 1 << 16 /* elements of a segment */ };

static int64_t rounded(int64_t bytes)
{
    return (bytes + LUN_LINE - 1) / LUN_LINE * LUN_LINE;
}

static int workers_for(int64_t n, int threads)
{
    return (int)lun__sort_digit_less(threads, n / LUN_SORT_LEAST + 1);
}

bool lun__select_pays(lun_dtype t, int64_t segment)
{
    return segment >= LEAST && lun__dtype_bits(t) >= 32;
}

int64_t lun__select_room(lun_dtype t, int64_t n, int64_t most, bool placed, int threads)
{
    const int64_t size = lun__dtype_get(t)->bytes;
    return workers_for(n, threads) * (int64_t)sizeof(lun_sort_own) + rounded(most * size) +
           (placed ? rounded(most * (int64_t)sizeof(int64_t)) : 0) + LUN_LINE;
}

lun_status lun__select_count(const lun_services *services, const lun_team *team, lun_dtype t,
                             bool descending, const void *from, int64_t n, void *scratch,
                             lun_selection *out)
{
    lun_selection *x = out;
    memset(x, 0, sizeof *x);
    x->segment = (lun_sort_segment){.services = services,
                                    .team = team,
                                    .workers = workers_for(n, team->threads),
                                    .keys = lun__keys(t, descending),
                                    .record = lun__sort_record(t, n, false),
                                    .n = n,
                                    .from = from};
    lun_sorter *s = &x->sorter;
    s->l = &x->segment;
    s->radix = &lun__radix[x->segment.record];
    s->workers = x->segment.workers;
    s->own = (lun_sort_own *)(void *)((char *)scratch + -(uintptr_t)scratch % LUN_LINE);
    x->n = n;
    lun__sort_digit_count(s, (lun_sort_range){.side = -1, .count = n, .high = 64});
    for (uint32_t d = 0; d <= s->digit.mask; d++) {
        x->starts[d + 1] = x->starts[d];
        for (int w = 0; w < s->workers; w++)
            x->starts[d + 1] += s->own[w].counts[d];
    }
    for (int w = 0; w < s->workers; w++)
        x->nans += s->own[w].nans;
    return lun__sort_digit_stopped(s) ? LUN_ECANCEL : LUN_OK;
}

/* The digit of the element at index i in order. */
static uint32_t digit_at(const lun_selection *x, int64_t i)
{
    uint32_t low = 0, high = x->sorter.digit.mask + 1;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (x->starts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void lun__select_want(lun_selection *x, int64_t i, bool below)
{
    const uint32_t last = digit_at(x, i);
    memset(x->wanted + (below ? 0 : last), 1, below ? last + (size_t)1 : 1);
}

static void take_share(void *ctx, int worker)
{
    lun_selection *x = ctx;
    lun_sorter *s = &x->sorter;
    lun_sort_own *o = &s->own[worker];
    uint8_t mask[LUN_SORT_STAGE];
    const int64_t size = lun__sort_digit_bytes(s->l);
    const lun_packer pack = lun__pack_block_elements((int)size);
    const lun_numberer number = lun__pack_block_numbers();
    const int64_t end = lun__sort_digit_share(x->n, worker + 1, s->workers);
    int64_t at = o->starts[0], nans = 0;
    const void *keys;
    for (int64_t i = lun__sort_digit_share(x->n, worker, s->workers), n;
         i < end && !lun__sort_digit_stopped(s); i += n) {
        int64_t count = 0;
        n = lun__sort_digit_records(s, o, i, end - i, &keys, &nans);
        s->radix->mark(keys, n, s->digit, x->wanted, mask);
        for (int64_t k = 0; k < n; k++)
            count += mask[k];
        pack((const char *)s->l->from + i * size, mask, n, (char *)x->elements + at * size, count);
        if (x->indices)
            number(i, mask, n, x->indices + at, count);
        at += count;
    }
}

lun_status lun__select_take(lun_selection *x, int64_t most, bool placed)
{
    lun_sorter *s = &x->sorter;
    int64_t at = 0;
    for (uint32_t d = 0; d <= s->digit.mask; d++)
        x->taken[d + 1] = x->taken[d] + (x->wanted[d] ? x->starts[d + 1] - x->starts[d] : 0);
    x->count = x->taken[s->digit.mask + 1];
    if (x->count > most)
        return LUN_OK;
    for (int w = 0; w < s->workers; w++) {
        s->own[w].starts[0] = at;
        for (uint32_t d = 0; d <= s->digit.mask; d++)
            at += x->wanted[d] ? s->own[w].counts[d] : 0;
    }
    x->elements = s->own + s->workers;
    if (placed)
        x->indices =
            (int64_t *)(void *)((char *)x->elements + rounded(most * lun__sort_digit_bytes(s->l)));
    if (s->workers > 1)
        s->l->team->parallel(s->l->team, x, s->workers, take_share);
    else
        take_share(x, 0);
    return lun__sort_digit_stopped(s) ? LUN_ECANCEL : LUN_OK;
}

int64_t lun__select_at(const lun_selection *x, int64_t i)
{
    const uint32_t d = digit_at(x, i);
    return x->taken[d] + (i - x->starts[d]);
}
