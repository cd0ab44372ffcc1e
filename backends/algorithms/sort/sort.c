/* sort.c - segments of elements in order; see sort.h.
 *
 * Short segments are shared among workers, each sorted in a cache; long ones are sorted by all
 * workers together, one after the other (sort_parts.c); elements of few bits are counted
 * (sort_count.c). */
#include "algorithms/sort/sort.h"

#include <stdatomic.h>
#include <string.h>

#include "algorithms/sort/sort_parts.h"

enum {
    LOCAL = 4 << 10, /* bytes of records in a worker's stack, twice */
    BATCH = 1 << 12  /* elements of segments that a worker takes at a time, about */
};

lun_record lun__sort_record(lun_dtype t, int64_t segment, bool placed)
{
    const bool wide = lun__dtype_bits(t) == 64;
    if (!placed)
        return wide ? LUN_RECORD_KEY64 : LUN_RECORD_KEY32;
    return wide || segment > UINT32_MAX ? LUN_RECORD_PLACED64 : LUN_RECORD_PLACED32;
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int workers_for(const lun_sorting *s, int threads)
{
    return (int)less(threads, s->n / LUN_SORT_LEAST + 1);
}

/* Whether each segment is one worker's. */
static bool is_short(const lun_sorting *s, int workers)
{
    const lun_record r = lun__sort_record(s->dtype, s->segment, s->indices);
    return s->segment * lun__key_bytes(r) <= LUN_SORT_CACHED && (workers == 1 || s->n > s->segment);
}

static int64_t rounded(int64_t bytes)
{
    return (bytes + LUN_LINE - 1) / LUN_LINE * LUN_LINE;
}

/* Bytes of a worker's records of a segment. */
static int64_t segment_bytes(const lun_sorting *s)
{
    return rounded(s->segment * lun__key_bytes(lun__sort_record(s->dtype, s->segment, s->indices)));
}

int64_t lun__sorting_room(const lun_sorting *s, int threads)
{
    const int workers = workers_for(s, threads);
    if (s->n == 0)
        return 0;
    if (lun__sort_counts(s))
        return lun__sort_count_room(s, workers) + LUN_LINE;
    if (is_short(s, workers))
        return segment_bytes(s) <= LOCAL ? 0 : 2 * workers * segment_bytes(s) + LUN_LINE;
    const lun_record r = lun__sort_record(s->dtype, s->segment, s->indices);
    return lun__sort_parts_room(r, lun__dtype_get(s->dtype)->bytes, s->segment, workers) + LUN_LINE;
}

/* ---- short segments -------------------------------------------------------------------------- */

typedef struct run {
    const lun_services *services;
    const lun_sorting *s;
    lun_keys keys;
    lun_record record;
    char *scratch;
    int64_t batch; /* segments */
    atomic_llong next;
} run;

static void sort_segment(const run *r, int64_t first, char *x, char *beside, uint32_t *counts)
{
    const lun_sorting *s = r->s;
    const lun_radix *radix = &lun__radix[r->record];
    const int64_t size = r->keys.bits / 8;
    const char *from = (const char *)s->from + first * size;
    char *to = s->to ? (char *)s->to + first * size : NULL;
    lun_seen seen = {0};
    const int64_t nans = lun__keys_read(&r->keys, from, s->segment, 0, r->record, x);
    radix->see(x, s->segment, &seen);
    if (seen.descends)
        radix->settle(x, s->segment, lun__radix_top(seen.any ^ seen.all), beside, counts);
    if (to)
        lun__keys_write(&r->keys, r->record, x, s->segment, to);
    if (s->indices)
        lun__keys_indices(r->record, x, s->segment, s->base, s->indices + first);
    if (to && nans)
        lun__keys_nans(&r->keys, from, s->segment, to + (s->segment - nans) * size);
}

static void work_on_segments(void *ctx, int worker)
{
    run *r = ctx;
    _Alignas(LUN_LINE) char local[2][LOCAL];
    uint32_t counts[LUN_SETTLE_COUNTS * LUN_DIGITS];
    const int64_t bytes = segment_bytes(r->s), segments = r->s->n / r->s->segment;
    char *x = local[0], *beside = local[1];
    if (bytes > LOCAL) {
        x = r->scratch + 2 * worker * bytes;
        beside = x + bytes;
    }
    for (int64_t at; (at = atomic_fetch_add(&r->next, r->batch)) < segments;)
        for (int64_t i = at; i < less(at + r->batch, segments); i++)
            if (!lun__backend_stop_requested(r->services))
                sort_segment(r, i * r->s->segment, x, beside, counts);
}

static void run_segments(const lun_services *services, const lun_team *team, int workers,
                         const lun_sorting *s, char *scratch)
{
    run r = {.services = services, .s = s, .scratch = scratch};
    r.keys = lun__keys(s->dtype, s->descending);
    r.record = lun__sort_record(s->dtype, s->segment, s->indices);
    r.batch = BATCH / s->segment + 1;
    workers = (int)less(workers, (s->n / s->segment + r.batch - 1) / r.batch);
    atomic_init(&r.next, 0);
    if (workers > 1)
        team->parallel(team, &r, workers, work_on_segments);
    else
        work_on_segments(&r, 0);
}

/* ---- any ------------------------------------------------------------------------------------- */

static void run_long(const lun_services *services, const lun_team *team, int workers,
                     const lun_sorting *s, char *scratch)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    lun_sort_segment l = {
        .services = services, .team = team, .workers = workers, .scratch = scratch};
    l.keys = lun__keys(s->dtype, s->descending);
    l.record = lun__sort_record(s->dtype, s->segment, s->indices);
    l.n = s->segment;
    l.base = s->base;
    for (int64_t i = 0; i < s->n && !lun__backend_stop_requested(services); i += s->segment) {
        l.from = (const char *)s->from + i * size;
        l.to = s->to ? (char *)s->to + i * size : NULL;
        l.indices = s->indices ? s->indices + i : NULL;
        if (!lun__sort_packed(&l))
            lun__sort_parts_run(&l);
    }
}

lun_status lun__sorting_run(const lun_services *services, const lun_team *team,
                            const lun_sorting *given)
{
    lun_sorting s = *given;
    const int workers = workers_for(&s, team->threads);
    if (s.n == 0 || (!s.to && !s.indices))
        return LUN_OK;
    if (s.scratch)
        s.scratch = (char *)s.scratch + -(uintptr_t)s.scratch % LUN_LINE;
    if (lun__sort_counts(&s))
        lun__sort_count_run(services, team, workers, &s);
    else if (is_short(&s, workers))
        run_segments(services, team, workers, &s, s.scratch);
    else
        run_long(services, team, workers, &s, s.scratch);
    return lun__backend_stop_requested(services) ? LUN_ECANCEL : LUN_OK;
}
