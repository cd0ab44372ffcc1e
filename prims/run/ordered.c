/* ordered.c - lines in order on the places of a set.  Whole lines are each one place's.  Of one
 * line each place orders its part; samples of all, each with its place and its number there, say
 * about where to cut; what lies between two cuts goes to one place, which merges it; the few that
 * belong to a neighbour of that are moved on.  So there is one result, and equal elements keep
 * their order.  Elements go from place to place; knows no order but by backends' algorithms. */
#include <stdlib.h>
#include <string.h>

#include "plan/placing.h"
#include "run/algorithm.h"
#include "run/at_places.h"
#include "run/placed.h"
#include "run/profile.h"
#include "store/placed.h"
#include "store/pool.h"

enum { SAMPLES = 64 /* of a place, about */ };

/* Elements at the places, in order: each place has those from lo[k] on, in memory from piece->lo
 * on. */
typedef struct ordering {
    lun_engine *e;
    lun_node *n;
    lun_spread *cut;
    int places;
    bool asks_places;    /* ARGSORT */
    lun_storage *to;     /* the result */
    lun_storage *run[2]; /* parts in order: elements; where they stood; NULL: not wanted */
    lun_storage *met[2]; /* what lies between two cuts, run after run */
    int64_t every;       /* of so many elements in order one is a sample */
    int64_t *sample;     /* by place: the number of its first sample; one more */
    char *samples, *ordered, *splitters; /* as given, in order; those at which is cut */
    int64_t *stood;                      /* by sample in order: its number as given */
    int64_t *owner;                      /* by splitter: its place, */
    int64_t *at;                         /* and how many come before it there, with itself; NONE,
                                            ALL: of each place so many do */
    int64_t *cuts;    /* by place, by splitter: its elements before that; one more: all */
    int64_t *lengths; /* by place: of the runs that it merges */
    int64_t *begins;  /* by place: the number of its first element in order; one more */
    lun_place_run runs[LUN_MAX_PLACES];
    lun_scratch scratch;
    double seconds;
} ordering;

static int64_t size_of(const ordering *w)
{
    return lun__dtype_get((lun_dtype)w->n->more[0]->dtype)->bytes;
}

static lun_interval part(const ordering *w, int k)
{
    return lun__spread_part(w->cut, k);
}

/* The column of elements from `lo` on of a piece, as results have them. */
static lun_column column_of(const lun_piece *x, lun_dtype t, int64_t n)
{
    return (lun_column){.data = x->buffer ? (void *)x->buffer : x->data, .dtype = t, .n = n};
}

/* Memory for elements lo .. hi - 1 at a place, instead of what it has of them; what it has is used
 * where it suffices. */
static lun_status room_at(ordering *w, lun_storage *s, int k, int64_t lo, int64_t hi,
                          lun_column *out)
{
    lun_backend_slot *at = lun__set_at(w->e, k);
    lun_placed *p;
    lun_status status = lun__placed_open(w->e, s, &p);
    lun_piece *x = status == LUN_OK ? lun__placed_piece(p, at) : NULL;
    if (!x)
        return lun__nomem(w->e);
    lun__intervals_clear(&x->fresh);
    const int64_t padded = (hi - lo + 63) / 64 * 64;
    if (x->data && padded * lun__dtype_get(s->dtype)->bytes <= x->bytes) {
        x->lo = lo;
        x->hi = hi;
        lun__pool_pad(x->data, hi - lo, lun__dtype_get(s->dtype)->bytes);
    } else {
        lun__piece_empty(w->e, x);
        status = lun__placed_result(w->e, s, at, lo, hi, &x);
    }
    if (status == LUN_OK)
        *out = column_of(x, s->dtype, hi - lo);
    return status;
}

/* Host memory is had before any work is done, for parts that are a little longer than they were
 * meant to be: a failure later would do work twice. */
static lun_status reserve(ordering *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__spread_part(w->cut, k);
        const int64_t most = x.hi + (x.hi - x.lo) / 16;
        lun_backend_slot *at = lun__set_at(w->e, k);
        lun_algorithm_run r = {.which = LUN_ALGORITHM_MERGED, .every = w->every};
        if (x.lo >= x.hi || at->backend->buffer_new)
            continue;
        s = room_at(w, w->to, k, x.lo, most, &r.out[0]);
        for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++) {
            s = room_at(w, w->run[i], k, x.lo, x.hi, &r.out[i]);
            if (s == LUN_OK)
                s = room_at(w, w->met[i], k, x.lo, most, &r.in[i]);
        }
        r.in[2].n = w->places;
        if (s == LUN_OK)
            s = lun__places_reserve(w->e, at, &r, &w->scratch);
        r.which = LUN_ALGORITHM_ORDERED;
        if (s == LUN_OK)
            s = lun__places_reserve(w->e, at, &r, &w->scratch);
    }
    return s;
}

/* Place k is to run an algorithm. */
static lun_algorithm_run *want(ordering *w, int k, lun_algorithm which)
{
    lun_place_run *x = &w->runs[k];
    *x =
        (lun_place_run){.wanted = true, .there = lun__set_at(w->e, k)->backend->buffer_new != NULL};
    x->r = (lun_algorithm_run){.which = which, .option = {w->n->cell, (uint64_t)w->n->offset}};
    return &x->r;
}

static lun_status run_all(ordering *w)
{
    const lun_status s = lun__places_run(w->e, w->n, w->runs, w->places, &w->scratch, &w->seconds);
    for (int k = 0; k < w->places; k++)
        w->runs[k].wanted = false;
    return s;
}

/* The operand's elements at place k, of that run. */
static lun_status load(ordering *w, int k, lun_algorithm_run *r)
{
    const lun_node *in = w->n->more[0];
    const lun_interval x = part(w, k);
    lun_piece *piece;
    const lun_status s = lun__placed_ensure(w->e, in->storage, lun__set_at(w->e, k),
                                            in->offset + x.lo, in->offset + x.hi, &piece);
    if (s != LUN_OK)
        return s;
    r->in[0] = column_of(piece, (lun_dtype)in->dtype, x.hi - x.lo);
    r->origin[0] = in->offset + x.lo - piece->lo;
    if (piece->data)
        r->in[0].data = (char *)piece->data + r->origin[0] * size_of(w);
    return LUN_OK;
}

/* ---- whole lines ----------------------------------------------------------------------------- */

static lun_status run_lines(ordering *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = part(w, k);
        if (x.lo >= x.hi)
            continue;
        lun_algorithm_run *r = want(w, k, (lun_algorithm)w->n->op);
        r->line = w->n->step;
        s = load(w, k, r);
        if (s == LUN_OK)
            s = room_at(w, w->to, k, x.lo, x.hi, &r->out[0]);
    }
    return s == LUN_OK ? run_all(w) : s;
}

/* ---- parts in order, and samples ------------------------------------------------------------- */

static lun_status order_parts(ordering *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = part(w, k);
        if (x.lo >= x.hi)
            continue;
        lun_algorithm_run *r = want(w, k, LUN_ALGORITHM_ORDERED);
        r->option[1] += (uint64_t)x.lo;
        r->every = w->every;
        s = load(w, k, r);
        for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++)
            s = room_at(w, w->run[i], k, x.lo, x.hi, &r->out[i]);
        r->out[2] = (lun_column){.data = w->samples + w->sample[k] * size_of(w),
                                 .dtype = r->in[0].dtype,
                                 .n = w->sample[k + 1] - w->sample[k],
                                 .here = true};
    }
    return s == LUN_OK ? run_all(w) : s;
}

/* Samples in order: as they stand by place and number, equal ones keep that order. */
static lun_status order_samples(ordering *w)
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
static int place_of(const ordering *w, int64_t sample)
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
static void choose(ordering *w, int j)
{
    const int64_t size = size_of(w), count = w->sample[w->places];
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

static int64_t *cuts_of(const ordering *w, int k)
{
    return w->cuts + (int64_t)k * (w->places + 1);
}

static lun_status find_cuts(ordering *w)
{
    const lun_dtype t = (lun_dtype)w->n->more[0]->dtype;
    const int64_t places = w->places;
    for (int j = 0; j < w->places; j++)
        choose(w, j);
    for (int k = 0; k < w->places; k++) {
        const lun_interval x = part(w, k);
        if (x.lo >= x.hi)
            continue;
        lun_algorithm_run *r = want(w, k, LUN_ALGORITHM_CUTS);
        const lun_piece *run = lun__placed_piece(w->run[0]->placed, lun__set_at(w->e, k));
        r->option[1] = (uint64_t)k;
        r->in[0] = column_of(run, t, x.hi - x.lo);
        r->in[1] = (lun_column){w->splitters, t, places, true};
        r->in[2] = (lun_column){w->owner, LUN_I64, places, true};
        r->out[0] = (lun_column){cuts_of(w, k), LUN_I64, places, true};
    }
    const lun_status s = run_all(w);
    for (int k = 0; k < w->places; k++) {
        const lun_interval x = part(w, k);
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
static lun_status carry(ordering *w, int k, int j, int64_t at)
{
    const int64_t from = cuts_of(w, k)[j], count = cuts_of(w, k)[j + 1] - from;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++) {
        const int64_t size = lun__dtype_get(w->run[i]->dtype)->bytes;
        s = lun__piece_carry(
            w->e, lun__placed_piece(w->run[i]->placed, lun__set_at(w->e, k)), from * size,
            lun__placed_piece(w->met[i]->placed, lun__set_at(w->e, j)), at * size, count * size);
    }
    return s;
}

/* All that place j merges is on its way there. */
static lun_status meet(ordering *w, int j)
{
    const int64_t lo = w->begins[j], hi = w->begins[j + 1];
    int64_t *lengths = w->lengths + (int64_t)j * w->places, at = 0;
    lun_algorithm_run *r = want(w, j, LUN_ALGORITHM_MERGED);
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++)
        s = room_at(w, w->met[i], j, lo, hi, &r->in[i]);
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
static lun_status make_result(ordering *w, int j)
{
    const lun_interval own = part(w, j);
    const int64_t begin = w->begins[j], end = w->begins[j + 1];
    const bool owns = own.lo < own.hi, merges = begin < end;
    const int64_t lo = !owns || (merges && begin < own.lo) ? begin : own.lo;
    const int64_t hi = !owns || (merges && end > own.hi) ? end : own.hi;
    lun_algorithm_run *r = &w->runs[j].r;
    lun_column all;
    lun_status s = owns || merges ? room_at(w, w->to, j, lo, hi, &all) : LUN_OK;
    if (s != LUN_OK || !merges)
        return s;
    all.n = end - begin;
    r->to_origin[w->asks_places] = begin - lo;
    if (!w->runs[j].there)
        all.data = (char *)all.data + (begin - lo) * lun__dtype_get(all.dtype)->bytes;
    r->out[w->asks_places] = all;
    return LUN_OK;
}

static lun_status merge(ordering *w)
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
    return s == LUN_OK ? run_all(w) : lun__placed_carried(w->e, s);
}

/* ---- where they belong ----------------------------------------------------------------------- */

/* Place j gets what others have merged of its elements. */
static lun_status get_own(ordering *w, int j)
{
    const lun_interval own = part(w, j);
    const int64_t size = lun__dtype_get(w->to->dtype)->bytes;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && own.lo < own.hi && k < w->places; k++) {
        const int64_t lo = own.lo > w->begins[k] ? own.lo : w->begins[k];
        const int64_t hi = own.hi < w->begins[k + 1] ? own.hi : w->begins[k + 1];
        if (k == j || lo >= hi)
            continue;
        const lun_piece *from = lun__placed_piece(w->to->placed, lun__set_at(w->e, k));
        const lun_piece *to = lun__placed_piece(w->to->placed, lun__set_at(w->e, j));
        s = lun__piece_carry(w->e, from, (lo - from->lo) * size, to, (lo - to->lo) * size,
                             (hi - lo) * size);
    }
    return s;
}

static lun_status move_on(ordering *w)
{
    lun_status s = LUN_OK;
    for (int j = 0; s == LUN_OK && j < w->places; j++)
        s = get_own(w, j);
    s = lun__placed_carried(w->e, s);
    for (int j = 0; s == LUN_OK && j < w->places; j++) {
        lun_piece *x = lun__placed_piece(w->to->placed, lun__set_at(w->e, j));
        const lun_interval own = part(w, j);
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
static lun_status open_work(ordering *w)
{
    lun_engine *e = w->e;
    const lun_dtype t = (lun_dtype)w->n->more[0]->dtype;
    const size_t places = (size_t)w->places, size = (size_t)size_of(w);
    lun_status s = LUN_OK;
    w->every = w->n->n / (w->places * SAMPLES) + 1;
    w->sample = calloc(places + 1, sizeof *w->sample);
    if (!w->sample)
        return lun__nomem(e);
    for (int k = 0; k < w->places; k++) {
        const lun_interval x = part(w, k);
        w->sample[k + 1] = w->sample[k] + (x.lo < x.hi ? (x.hi - x.lo) / w->every : 0);
    }
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

static void close_work(ordering *w)
{
    void *const all[] = {w->sample, w->samples, w->ordered, w->stood,   w->splitters,
                         w->owner,  w->at,      w->cuts,    w->lengths, w->begins};
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

static lun_status run_line(ordering *w)
{
    lun_status s = open_work(w);
    if (s == LUN_OK)
        s = reserve(w);
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

/* Of one line: whether several places have some of it. */
static int parts_of(const ordering *w)
{
    int parts = 0;
    for (int k = 0; k < w->places; k++)
        parts += part(w, k).lo < part(w, k).hi;
    return parts;
}

static lun_status order(ordering *w)
{
    lun_engine *e = w->e;
    const bool together = lun__placing_one_line(w->n) && w->cut->kind == LUN_SPREAD_BLOCK;
    const int parts = parts_of(w);
    lun_status s = lun__storage_empty(e, (lun_dtype)w->n->dtype, w->n->n, &w->to);
    if (s == LUN_OK)
        s = lun__placed_decide(e, w->to, w->cut);
    if (s == LUN_OK)
        s = together && parts > 1 ? run_line(w) : run_lines(w);
    if (s == LUN_OK)
        s = lun__algorithm_settle(e, w->n, w->cut);
    e->stats.algorithms += s == LUN_OK ? parts : 0;
    return s;
}

/* n has its elements. */
static void give(ordering *w, double transfer)
{
    lun_engine *e = w->e;
    const int64_t read = w->n->n * size_of(w);
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

lun_status lun__order_shared(lun_engine *e, lun_node *n)
{
    const int current = e->current;
    const double transfer = e->stats.transfer_time;
    ordering *w = calloc(1, sizeof *w);
    if (!w)
        return lun__nomem(e);
    *w = (ordering){.e = e, .n = n, .asks_places = n->op == LUN_ALGORITHM_ARGSORT};
    lun_status s = lun__placing_order(e, n, lun__placed_look, e, &w->cut);
    if (s == LUN_OK) {
        w->places = w->cut->places;
        s = order(w);
    }
    close_work(w);
    e->current = current;
    if (s == LUN_OK)
        give(w, transfer);
    else if (w->to)
        lun__storage_release(e, w->to);
    lun__spread_release(w->cut);
    free(w);
    return s;
}
