/* sort_parts.c - a long segment in order; see sort_parts.h.
 *
 * MSD radix sort.  Records are scattered into buckets by the top digit, up to eleven of the bits
 * that vary, from the elements to one of two arrays; a bucket that fits a worker's cache is sorted
 * there, another one is scattered again, to the other array.  The first array is memory of the
 * results where records are as wide.  All workers scatter a segment, and buckets that are much of
 * it; each of the other buckets is one worker's. */
#include "algorithms/sort/sort_parts.h"

#include <string.h>

#include "algorithms/sort/sort_digit.h"

enum { CACHE = 8 << 20 /* bytes of the last-level caches, where that is unknown */ };

/* ---- results --------------------------------------------------------------------------------- */

/* Elements that are in order as they stand. */
static void keep(const lun_sort_segment *l, int64_t from, int64_t to)
{
    const int64_t size = lun__sort_digit_bytes(l);
    if (l->to)
        memcpy((char *)l->to + from * size, (const char *)l->from + from * size,
               (size_t)((to - from) * size));
    for (int64_t i = from; l->indices && i < to; i++)
        l->indices[i] = l->base + i;
}

/* What records that are in order say. */
static void store(const lun_sorter *x, int side, int64_t from, int64_t count)
{
    const lun_sort_segment *l = x->l;
    const char *records = x->side[side] + from * x->radix->bytes;
    if (l->to)
        lun__keys_write(&l->keys, l->record, records, count,
                        (char *)l->to + from * lun__sort_digit_bytes(l));
    if (l->indices)
        lun__keys_indices(l->record, records, count, l->base, l->indices + from);
}

static void work_on_store(void *ctx, int worker)
{
    lun_sorter *x = ctx;
    const lun_sort_range *r = &x->now;
    const int64_t from = lun__sort_digit_share(r->count, worker, x->workers);
    const int64_t to = lun__sort_digit_share(r->count, worker + 1, x->workers);
    if (r->side < 0)
        keep(x->l, r->from + from, r->from + to);
    else
        store(x, r->side, r->from + from, to - from);
}

static void store_all(lun_sorter *x, lun_sort_range r)
{
    x->now = r;
    lun__sort_digit_together(x, work_on_store);
}

static void settle(lun_sorter *x, lun_sort_range r)
{
    x->radix->settle(x->side[r.side] + r.from * x->radix->bytes, r.count, r.high, x->own->cached,
                     x->own->settle);
    store(x, r.side, r.from, r.count);
}

/* ---- spreading ------------------------------------------------------------------------------- */

static void work_on_spread(void *ctx, int worker)
{
    lun_sorter *x = ctx;
    lun_sort_own *o = &x->own[worker];
    const void *records;
    int64_t nans = 0;
    const int64_t end = lun__sort_digit_share(x->now.count, worker + 1, x->workers);
    for (int64_t i = lun__sort_digit_share(x->now.count, worker, x->workers), n;
         i < end && !lun__sort_digit_stopped(x); i += n) {
        n = lun__sort_digit_records(x, o, i, end - i, &records, &nans);
        x->radix->spread(records, n, x->digit, &o->spread);
    }
    x->radix->flush(x->digit.mask, &o->spread);
}

/* The offsets of each digit and worker.  Parts of a digit follow one another in the workers' order,
 * so equal records stay in order. */
static void set_offsets(lun_sorter *x, lun_sort_level *v)
{
    const int64_t size = x->radix->bytes;
    int64_t at = x->now.from;
    const int64_t bytes = x->now.count * size, known = x->l->team->cache_bytes;
    for (int d = 0; d < v->parts; d++) {
        v->starts[d] = at;
        for (int w = 0; w < x->workers; w++) {
            lun_sort_own *o = &x->own[w];
            o->spread.at[d] = o->spread.first[d] = x->to + at * size;
            at += o->counts[d];
        }
    }
    v->starts[v->parts] = at;
    for (int w = 0; w < x->workers; w++)
        x->own[w].spread.stream = bytes > (known ? known : CACHE) / 2;
}

/* Spreads a range that is not in order; false: it was, or there is no need to go on. */
static bool open_range(lun_sorter *x, lun_sort_range r)
{
    bool descends;
    lun__sort_digit_count(x, r);
    const uint64_t varying = lun__sort_digit_varying(x, &descends);
    if (lun__sort_digit_stopped(x))
        return false;
    if (varying >> x->radix->low == 0 || (!descends && lun__sort_digit_ascends(x))) {
        store_all(x, r);
        return false;
    }
    if (r.side < 0) {
        x->low = __builtin_ctzll(varying >> x->radix->low << x->radix->low);
        for (int w = 0; w < x->workers; w++)
            x->nans += x->own[w].nans;
    }
    lun_sort_level *v = &x->levels[x->depth], *before = v - 1;
    *v = (lun_sort_level){.side = r.side < 0 ? 0 : 1 - r.side,
                          .parts = (int)x->digit.mask + 1,
                          .high = x->digit.shift,
                          .end_high = r.side < 0 ? 64 : x->digit.shift};
    v->starts = x->depth ? before->starts + before->parts + 1 : x->own->starts;
    x->to = x->side[v->side];
    x->depth++;
    set_offsets(x, v);
    lun__sort_digit_together(x, work_on_spread);
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static lun_sort_range part_of(const lun_sort_level *v, int i)
{
    return (lun_sort_range){.side = v->side,
                            .from = v->starts[i],
                            .count = v->starts[i + 1] - v->starts[i],
                            .high = i > 0 && i + 1 < v->parts ? v->high : v->end_high};
}

static bool is_near(const lun_sorter *x, lun_sort_range r)
{
    return r.count * x->radix->bytes <= LUN_SORT_CACHED;
}

static void work_on_parts(void *ctx, int worker);

/* Does a range: at once, or by opening it. */
static void begin(lun_sorter *x, lun_sort_range r)
{
    if (r.count == 0 || lun__sort_digit_stopped(x))
        return;
    if (r.side >= 0 && r.high <= x->low)
        store_all(x, r);
    else if (r.side >= 0 && is_near(x, r))
        settle(x, r);
    else if (open_range(x, r) && x->workers > 1) {
        x->parts = &x->levels[x->depth - 1];
        atomic_store(&x->next, 0);
        lun__sort_digit_together(x, work_on_parts);
    }
}

/* All of a range.  What all workers do together are parts of more than `alone` records. */
static void sort_range(lun_sorter *x, lun_sort_range r)
{
    begin(x, r);
    while (x->depth > 0) {
        lun_sort_level *v = &x->levels[x->depth - 1];
        if (v->next == v->parts) {
            x->depth--;
            continue;
        }
        r = part_of(v, v->next++);
        if (r.count > x->alone)
            begin(x, r);
    }
}

/* The calling thread says how far it is. */
static void report(const lun_sorter *x, int64_t done)
{
    const lun_services *s = x->l->services;
    if (s->tick)
        s->tick(s->tick_ctx, "sort", done, x->l->n);
}

static void work_on_parts(void *ctx, int worker)
{
    lun_sorter *all = ctx, one = {.l = all->l, .radix = all->radix, .low = all->low, .workers = 1};
    one.own = &all->own[worker];
    if (all->workers > 1 && worker == 0)
        one.own = &all->own[all->workers]; /* its own one holds starts of all */
    memcpy(one.side, all->side, sizeof one.side);
    for (int64_t i; (i = atomic_fetch_add(&all->next, 1)) < all->parts->parts;) {
        const lun_sort_range r = part_of(all->parts, (int)i);
        if (r.count <= all->alone)
            sort_range(&one, r);
        if (worker == 0)
            report(all, r.from);
    }
}

/* ---- a segment ------------------------------------------------------------------------------- */

/* Whether records fit the memory of the results: indices, or elements of so many bytes. */
static bool stands(lun_record r, int64_t size)
{
    return r == LUN_RECORD_PLACED32 || (r != LUN_RECORD_PLACED64 && lun__key_bytes(r) == size);
}

static int64_t side_bytes(lun_record r, int64_t n)
{
    return (n * lun__key_bytes(r) + LUN_LINE - 1) / LUN_LINE * LUN_LINE;
}

/* Worker 0 has one more, beside what it has for all. */
static int owns(int workers)
{
    return workers > 1 ? workers + 1 : 1;
}

int64_t lun__sort_parts_room(lun_record r, int64_t size, int64_t n, int workers)
{
    return owns(workers) * (int64_t)sizeof(lun_sort_own) +
           side_bytes(r, n) * (stands(r, size) ? 1 : 2);
}

/* NaNs have lost their bits: they are taken from the elements, in order. */
static void restore_nans(const lun_sorter *x)
{
    const lun_sort_segment *l = x->l;
    const int64_t size = lun__sort_digit_bytes(l);
    if (l->to && x->nans)
        lun__keys_nans(&l->keys, l->from, l->n, (char *)l->to + (l->n - x->nans) * size);
}

void lun__sort_parts_run(const lun_sort_segment *l)
{
    lun_sorter x = {.l = l, .radix = &lun__radix[l->record], .workers = l->workers};
    char *at = l->scratch;
    x.own = (lun_sort_own *)(void *)at;
    at += owns(l->workers) * (int64_t)sizeof(lun_sort_own);
    x.low = x.radix->low;
    x.alone = l->workers > 1 ? l->n / (2 * l->workers) : 0;
    x.side[1] = at;
    x.side[0] = !stands(l->record, lun__sort_digit_bytes(l)) ? at + side_bytes(l->record, l->n)
                : l->record == LUN_RECORD_PLACED32           ? (char *)l->indices
                                                             : l->to;
    atomic_init(&x.next, 0);
    sort_range(&x, (lun_sort_range){.side = -1, .count = l->n, .high = 64});
    if (!lun__sort_digit_stopped(&x))
        restore_nans(&x);
}
