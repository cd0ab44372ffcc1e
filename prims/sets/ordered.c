/* ordered.c - lines in order on the places of a set.  Whole lines are each one place's.  Of one
 * line each place orders its part; samples of all, each with its place and its number there, say
 * about where to cut; what lies between two cuts goes to one place, which merges it; the few that
 * belong to a neighbour of that are moved on.  So there is one result, and equal elements keep
 * their order.  Elements go from place to place; knows no order but by backends' algorithms. */
#include "sets/ordering.h"

#include <stdlib.h>
#include <string.h>

#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "sets/shared_steps.h"
#include "steps/algorithm_step.h"

/* ---- whole lines ----------------------------------------------------------------------------- */

static lun_status run_lines(lun_ordering *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__ordering_part(w, k);
        if (x.lo >= x.hi)
            continue;
        lun_algorithm_run *r = lun__ordering_want(w, k, (lun_algorithm)w->n->op);
        r->line = w->n->step;
        s = lun__ordering_load(w, k, r);
        if (s == LUN_OK)
            s = lun__ordering_room(w, w->to, k, x.lo, x.hi, &r->out[0]);
    }
    return s == LUN_OK ? lun__ordering_run(w) : s;
}

/* ---- parts in order, and samples ------------------------------------------------------------- */

static lun_status order_parts(lun_ordering *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__ordering_part(w, k);
        if (x.lo >= x.hi)
            continue;
        lun_algorithm_run *r = lun__ordering_want(w, k, LUN_ALGORITHM_ORDERED);
        r->option[1] += (uint64_t)x.lo;
        r->every = w->every;
        s = lun__ordering_load(w, k, r);
        for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++)
            s = lun__ordering_room(w, w->run[i], k, x.lo, x.hi, &r->out[i]);
        r->out[2] = (lun_column){.data = w->samples + w->sample[k] * lun__ordering_size(w),
                                 .dtype = r->in[0].dtype,
                                 .n = w->sample[k + 1] - w->sample[k],
                                 .here = true};
    }
    return s == LUN_OK ? lun__ordering_run(w) : s;
}

/* Samples in order: as they stand by place and number, equal ones keep that order. */
static lun_status order_samples(lun_ordering *w)
{
    const int64_t count = w->sample[w->places];
    const lun_dtype t = (lun_dtype)w->n->more[0]->dtype;
    const int current = w->e->current;
    lun_backend_slot *host;
    lun_algorithm_run r = {.which = LUN_ALGORITHM_ORDERED, .option = {w->n->cell}, .every = 1};
    r.in[0] = (lun_column){.data = w->samples, .dtype = t, .n = count};
    r.out[0] = (lun_column){.data = w->ordered, .dtype = t, .n = count};
    r.out[1] = (lun_column){.data = w->stood, .dtype = LUN_I64, .n = count};
    lun_status s = lun__backend_native(w->e, &host);
    if (s == LUN_OK)
        s = lun__places_do(w->e, w->n, host, &r, &w->scratch, &w->seconds);
    w->e->current = current;
    return s;
}

/* The place of a sample. */
static int place_of(const lun_ordering *w, int64_t sample)
{
    int low = 0, high = w->places;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(w->sample[middle] <= sample ? &low : &high) = middle;
    }
    return low;
}

enum { NONE = -1, ALL = -2 };

/* Splitter j, behind which place j's elements begin: about as many samples come before. */
static void choose(lun_ordering *w, int j)
{
    const int64_t size = lun__ordering_size(w), count = w->sample[w->places];
    const int64_t bound = w->cut->bound[j];
    int64_t i = (bound + w->every / 2) / w->every - 1;
    i = i < count ? i : count - 1;
    w->at[j] = bound == w->cut->n ? ALL : NONE;
    w->owner[j] = 0;
    if (i < 0 || w->at[j] == ALL)
        return;
    const int64_t sample = w->stood[i];
    const int k = place_of(w, sample);
    w->owner[j] = k;
    w->at[j] = (sample - w->sample[k] + 1) * w->every;
    memcpy(w->splitters + j * size, w->ordered + i * size, (size_t)size);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static int64_t *cuts_of(const lun_ordering *w, int k)
{
    return w->cuts + (int64_t)k * (w->places + 1);
}

static lun_status find_cuts(lun_ordering *w)
{
    const lun_dtype t = (lun_dtype)w->n->more[0]->dtype;
    const int64_t places = w->places;
    for (int j = 0; j < w->places; j++)
        choose(w, j);
    for (int k = 0; k < w->places; k++) {
        const lun_interval x = lun__ordering_part(w, k);
        if (x.lo >= x.hi)
            continue;
        lun_algorithm_run *r = lun__ordering_want(w, k, LUN_ALGORITHM_CUTS);
        const lun_piece *run = lun__placed_piece(w->run[0]->placed, lun__set_at(w->e, k));
        r->option[1] = (uint64_t)k;
        r->in[0] = lun__ordering_column(run, t, x.hi - x.lo);
        r->in[1] = (lun_column){w->splitters, t, places, true};
        r->in[2] = (lun_column){w->owner, LUN_I64, places, true};
        r->out[0] = (lun_column){cuts_of(w, k), LUN_I64, places, true};
    }
    const lun_status s = lun__ordering_run(w);
    for (int k = 0; k < w->places; k++) {
        const lun_interval x = lun__ordering_part(w, k);
        const int64_t all = x.lo < x.hi ? x.hi - x.lo : 0;
        int64_t *cuts = cuts_of(w, k);
        for (int j = 0; j < w->places; j++)
            cuts[j] = w->at[j] == NONE          ? 0
                      : w->at[j] == ALL || !all ? all
                      : w->owner[j] == k        ? w->at[j]
                                                : cuts[j];
        cuts[0] = 0;
        cuts[places] = all;
    }
    return s;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Place k's run between the cuts of place j, to where its `at`-th element is met. */
static lun_status carry(lun_ordering *w, int k, int j, int64_t at)
{
    const int64_t from = cuts_of(w, k)[j], count = cuts_of(w, k)[j + 1] - from;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++) {
        const int64_t size = lun__dtype_get(w->run[i]->dtype)->bytes;
        s = lun__ordering_carry(w, w->run[i], k, from * size, w->met[i], j, at * size,
                                count * size);
    }
    return s;
}

/* All that place j merges is on its way there. */
static lun_status meet(lun_ordering *w, int j)
{
    const int64_t lo = w->begins[j], hi = w->begins[j + 1];
    int64_t *lengths = w->lengths + (int64_t)j * w->places, at = 0;
    lun_algorithm_run *r = lun__ordering_want(w, j, LUN_ALGORITHM_MERGED);
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++)
        s = lun__ordering_room(w, w->met[i], j, lo, hi, &r->in[i]);
    r->in[2] = (lun_column){lengths, LUN_I64, 0, true};
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const int64_t count = cuts_of(w, k)[j + 1] - cuts_of(w, k)[j];
        if (count)
            s = carry(w, k, j, at);
        lengths[r->in[2].n] = count;
        r->in[2].n += count > 0;
        at += count;
    }
    return s;
}

/* Where place j's result begins in its memory: that of what it merges and what it is to have. */
static lun_status make_result(lun_ordering *w, int j)
{
    const lun_interval own = lun__ordering_part(w, j);
    const int64_t begin = w->begins[j], end = w->begins[j + 1];
    const bool owns = own.lo < own.hi, merges = begin < end;
    const int64_t lo = !owns || (merges && begin < own.lo) ? begin : own.lo;
    const int64_t hi = !owns || (merges && end > own.hi) ? end : own.hi;
    lun_algorithm_run *r = &w->runs[j].r;
    lun_column all;
    lun_status s = owns || merges ? lun__ordering_room(w, w->to, j, lo, hi, &all) : LUN_OK;
    if (s != LUN_OK || !merges)
        return s;
    all.n = end - begin;
    r->to_origin[w->asks_places] = begin - lo;
    if (!w->runs[j].there)
        all.data = (char *)all.data + (begin - lo) * lun__dtype_get(all.dtype)->bytes;
    r->out[w->asks_places] = all;
    return LUN_OK;
}

static lun_status merge(lun_ordering *w)
{
    lun_status s = LUN_OK;
    w->begins[0] = 0;
    for (int j = 0; j < w->places; j++) {
        w->begins[j + 1] = w->begins[j];
        for (int k = 0; k < w->places; k++)
            w->begins[j + 1] += cuts_of(w, k)[j + 1] - cuts_of(w, k)[j];
    }
    for (int j = 0; s == LUN_OK && j < w->places; j++)
        if (w->begins[j] < w->begins[j + 1])
            s = meet(w, j);
    for (int j = 0; s == LUN_OK && j < w->places; j++)
        s = make_result(w, j);
    return s == LUN_OK ? lun__ordering_run(w) : lun__placed_carried(w->e, s);
}

/* ---- where they belong ----------------------------------------------------------------------- */

/* Place j gets what others have merged of its elements. */
static lun_status get_own(lun_ordering *w, int j)
{
    const lun_interval own = lun__ordering_part(w, j);
    const int64_t size = lun__dtype_get(w->to->dtype)->bytes;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && own.lo < own.hi && k < w->places; k++) {
        const int64_t lo = own.lo > w->begins[k] ? own.lo : w->begins[k];
        const int64_t hi = own.hi < w->begins[k + 1] ? own.hi : w->begins[k + 1];
        if (k == j || lo >= hi)
            continue;
        const lun_piece *from = lun__placed_piece(w->to->placed, lun__set_at(w->e, k));
        const lun_piece *to = lun__placed_piece(w->to->placed, lun__set_at(w->e, j));
        s = lun__ordering_carry(w, w->to, k, (lo - from->lo) * size, w->to, j, (lo - to->lo) * size,
                                (hi - lo) * size);
    }
    return s;
}

static lun_status move_on(lun_ordering *w)
{
    lun_status s = LUN_OK;
    for (int j = 0; s == LUN_OK && j < w->places; j++)
        s = get_own(w, j);
    s = lun__placed_carried(w->e, s);
    for (int j = 0; s == LUN_OK && j < w->places; j++) {
        lun_piece *x = lun__placed_piece(w->to->placed, lun__set_at(w->e, j));
        const lun_interval own = lun__ordering_part(w, j);
        if (!x)
            return lun__nomem(w->e);
        lun__intervals_clear(&x->fresh);
        if (own.lo < own.hi && !lun__intervals_add(&x->fresh, own.lo, own.hi))
            s = lun__nomem(w->e);
    }
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Working memory, and by how many elements samples are apart. */
static lun_status open_work(lun_ordering *w)
{
    lun_engine *e = w->e;
    const lun_dtype t = (lun_dtype)w->n->more[0]->dtype;
    const size_t places = (size_t)w->places, size = (size_t)lun__ordering_size(w);
    lun_status s = LUN_OK;
    w->sample = calloc(places + 1, sizeof *w->sample);
    if (!w->sample)
        return lun__nomem(e);
    for (int k = 0; k < w->places; k++)
        w->sample[k + 1] = w->sample[k] + lun__placing_samples(w->n, w->cut, k);
    const size_t samples = (size_t)w->sample[places] + 1;
    w->samples = calloc(samples, size);
    w->ordered = calloc(samples, size);
    w->stood = calloc(samples, sizeof *w->stood);
    w->splitters = calloc(places, size);
    w->owner = calloc(places, sizeof *w->owner);
    w->at = calloc(places, sizeof *w->at);
    w->cuts = calloc(places * (places + 1), sizeof *w->cuts);
    w->lengths = calloc(places * places, sizeof *w->lengths);
    w->begins = calloc(places + 1, sizeof *w->begins);
    if (!w->samples || !w->ordered || !w->stood || !w->splitters || !w->owner || !w->at ||
        !w->cuts || !w->lengths || !w->begins)
        return lun__nomem(e);
    for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++) {
        s = lun__storage_empty(e, i ? LUN_I64 : t, w->n->n, &w->run[i]);
        if (s == LUN_OK)
            s = lun__storage_empty(e, i ? LUN_I64 : t, w->n->n, &w->met[i]);
    }
    return s;
}

static void close_work(lun_ordering *w)
{
    void *const all[] = {w->sample, w->samples, w->ordered, w->stood,  w->splitters, w->owner,
                         w->at,     w->cuts,    w->lengths, w->begins, w->runs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    lun__scratch_free(w->e, &w->scratch);
    for (int i = 0; i < 2; i++) {
        if (w->run[i])
            lun__storage_release(w->e, w->run[i]);
        if (w->met[i])
            lun__storage_release(w->e, w->met[i]);
    }
}

static lun_status run_line(lun_ordering *w)
{
    lun_status s = open_work(w);
    if (s == LUN_OK)
        s = lun__ordering_reserve(w);
    if (s == LUN_OK)
        s = order_parts(w);
    if (s == LUN_OK)
        s = order_samples(w);
    if (s == LUN_OK)
        s = find_cuts(w);
    if (s == LUN_OK)
        s = merge(w);
    return s == LUN_OK ? move_on(w) : s;
}

/* How many places have some of it. */
static int parts_of(const lun_ordering *w)
{
    int parts = 0;
    for (int k = 0; k < w->places; k++)
        parts += lun__ordering_part(w, k).lo < lun__ordering_part(w, k).hi;
    return parts;
}

static lun_status order(lun_ordering *w)
{
    lun_engine *e = w->e;
    const int parts = parts_of(w);
    w->every = lun__placing_apart(w->n, w->cut);
    lun_status s = lun__storage_empty(e, (lun_dtype)w->n->dtype, w->n->n, &w->to);
    if (s == LUN_OK)
        s = lun__placed_decide(e, w->to, w->cut);
    if (s == LUN_OK)
        s = w->every ? run_line(w) : run_lines(w);
    if (s == LUN_OK)
        s = lun__algorithm_settle(e, w->n, w->cut);
    e->stats.algorithms += s == LUN_OK ? parts : 0;
    return s;
}

/* n has its elements. */
static void give(lun_ordering *w, double transfer)
{
    lun_engine *e = w->e;
    const int64_t read = w->n->n * lun__ordering_size(w);
    const int64_t written = w->n->n * lun__dtype_get(w->to->dtype)->bytes;
    e->stats.run_time += w->seconds;
    e->stats.bytes_read += read;
    e->stats.bytes_written += written;
    if (e->profiling)
        lun__profile_algorithm(e, w->n, w->seconds, e->stats.transfer_time - transfer,
                               read + written);
    lun__node_become_leaf(e, w->n, w->to, 0);
    w->to = NULL;
}

lun_status lun__order_shared(lun_engine *e, lun_node *n, lun_spread *cut)
{
    const int current = e->current;
    const double transfer = e->stats.transfer_time;
    lun_ordering *w = calloc(1, sizeof *w);
    if (!w)
        return lun__nomem(e);
    *w = (lun_ordering){.e = e,
                        .n = n,
                        .cut = cut,
                        .places = cut->places,
                        .asks_places = n->op == LUN_ALGORITHM_ARGSORT};
    w->runs = calloc((size_t)w->places, sizeof *w->runs);
    const lun_status s = w->runs ? order(w) : lun__nomem(e);
    close_work(w);
    e->current = current;
    if (s == LUN_OK)
        give(w, transfer);
    else if (w->to)
        lun__storage_release(e, w->to);
    free(w);
    return s;
}
