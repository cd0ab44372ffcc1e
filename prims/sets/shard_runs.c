/* shard_runs.c - algorithms at the locations of a set, their operands and results there or on the
 * host; see sorted_exchange.h.  Knows no algorithm. */
#include <string.h>

#include "base/clock.h"
#include "launch/launch_dist.h"
#include "launch/run_event.h"
#include "ranks/ranks.h"
#include "sets/sorted_exchange.h"
#include "steps/algorithm_step.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static lun_column piece_column(const lun_piece *x, lun_dtype t, int64_t n)
{
    return lun__work_column(x->buffer ? (void *)x->buffer : x->data, t, n);
}

lun_column lun__shard_run_of(const lun_exchange *x, int i, int k)
{
    return piece_column(lun__current_piece(x->run[i]->placed, lun__set_at(x->e, k)),
                        x->run[i]->dtype, x->at[k].count);
}

lun_status lun__shard_run_room(lun_exchange *x, lun_storage *s, int k, int64_t lo, int64_t hi,
                               lun_column *out)
{
    lun_backend_slot *at = lun__set_at(x->e, k);
    const int64_t size = lun__exchange_size(s), padded = (hi - lo + 63) / 64 * 64;
    lun_placed *p;
    if (x->at[k].lent) {
        const lun_status status = lun__host_elements_ensure(x->e, s, lo, hi);
        *out = lun__work_column((char *)s->data + lo * size, s->dtype, hi - lo);
        return status;
    }
    lun_status status = lun__fetch_open(x->e, s, &p);
    lun_piece *piece = status == LUN_OK ? lun__current_piece(p, at) : NULL;
    if (!piece)
        return lun__fail_nomem(x->e);
    lun__intervals_clear(&piece->fresh);
    if (piece->data && padded * size <= piece->bytes) {
        piece->lo = lo;
        piece->hi = hi;
        lun__pool_pad(piece->data, hi - lo, (int)size);
    } else {
        lun__current_piece_empty(x->e, piece);
        status = lun__fetch_result(x->e, s, at, lo, hi, &piece);
    }
    if (status == LUN_OK)
        *out = piece_column(piece, s->dtype, hi - lo);
    return status;
}

/* A NUMBER as an array of so many elements. */
static lun_status load_number(lun_exchange *x, int i, int64_t count, lun_column *to)
{
    if (!x->number[i]) {
        const lun_status s = lun__storage_new(x->e, to->dtype, count, &x->number[i]);
        if (s != LUN_OK)
            return s;
        lun__dtype_cell_fill(to->dtype, x->n->more[i]->cell, x->number[i]->data, count);
    }
    to->data = x->number[i]->data;
    return LUN_OK;
}

lun_status lun__shard_run_whole(lun_exchange *x, int i, lun_column *to)
{
    const lun_node *in = x->n->more[i];
    *to = (lun_column){NULL, (lun_dtype)in->dtype, in->n, true};
    if (in->kind == LUN_NODE_NUMBER)
        return load_number(x, i, in->n, to);
    const lun_status s = lun__launch_dist_gather(x->e, in, false);
    if (s == LUN_OK)
        to->data = lun__node_leaf_data(in);
    return s;
}

static lun_status load_array(lun_exchange *x, int k, int i, lun_algorithm_run *r)
{
    const lun_node *in = x->n->more[i];
    lun_backend_slot *at = lun__set_at(x->e, k);
    const int64_t lo = in->offset + x->at[k].shard.lo, hi = in->offset + x->at[k].shard.hi;
    const void *data;
    lun_piece *piece;
    if (at->away)
        return LUN_OK;
    if (!x->at[k].device) {
        const lun_status s = lun__host_elements_for(x->e, in->storage, at, lo, hi, &data);
        r->in[i].data = (void *)(uintptr_t)data;
        return s;
    }
    const lun_status s = lun__fetch_ensure(x->e, in->storage, at, lo, hi, &piece);
    if (s == LUN_OK) {
        r->in[i].data = piece->buffer;
        r->origin[i] = lo - piece->lo;
    }
    return s;
}

lun_status lun__shard_run_load(lun_exchange *x, int k, lun_algorithm_run *r)
{
    const lun_node *n = x->n;
    const int64_t count = x->at[k].shard.hi - x->at[k].shard.lo;
    lun_status s = lun__share_bring_at(x->share, k);
    for (int i = 0; s == LUN_OK && i < n->count; i++) {
        const lun_node *in = n->more[i];
        r->in[i] = lun__work_column(NULL, (lun_dtype)in->dtype, count);
        s = i >= lun__placing_shared(n)   ? lun__shard_run_whole(x, i, &r->in[i])
            : in->kind == LUN_NODE_NUMBER ? load_number(x, i, x->longest, &r->in[i])
                                          : load_array(x, k, i, r);
    }
    return s;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What computes for a location becomes the backend in use, *out: what runs algorithms for it; it
 * has the scratch memory that it needs. */
static lun_status open_run(lun_exchange *x, lun_backend_slot *at, lun_algorithm_run *r,
                           lun_backend_slot **out)
{
    lun_engine *e = x->e;
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = r};
    int64_t bytes = 0;
    lun__state_set_enter(e, at);
    const lun_status s = lun__backend_for(e, &work, out, &bytes);
    if (s != LUN_OK)
        return s;
    if (bytes <= x->scratch_bytes)
        return LUN_OK;
    if (x->scratch)
        lun__pool_give(e->pool, x->scratch, x->scratch_bytes);
    x->scratch = NULL;
    x->scratch_bytes = 0;
    return lun__pool_take(e->pool, bytes, &x->scratch, &x->scratch_bytes) == LUN_OK
               ? LUN_OK
               : lun__fail_nomem(e);
}

lun_status lun__shard_run_scratch(lun_exchange *x, int k, lun_algorithm_run *r)
{
    const int current = x->e->current;
    lun_backend_slot *b;
    const lun_status s = open_run(x, lun__set_at(x->e, k), r, &b);
    x->e->current = current;
    return s;
}

static lun_status run_on_host(lun_exchange *x, lun_backend_slot *at, lun_algorithm_run *r)
{
    lun_backend_slot *b;
    lun_status s = open_run(x, at, r, &b);
    if (s != LUN_OK)
        return s;
    r->scratch = x->scratch;
    const double start = lun__clock_now();
    lun__set_advance(x->e);
    lun_run_event *watched = lun__run_event_algorithm(x->e, start, at, x->n);
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = r};
    s = lun__state_backend_do(b, &work);
    const double end = lun__clock_now();
    x->seconds += end - start;
    lun__run_event_end(x->e, watched, end);
    return s;
}

lun_status lun__shard_run_native(lun_exchange *x, lun_algorithm_run *r)
{
    const int current = x->e->current;
    lun_backend_slot *host;
    lun_status s = lun__backend_native(x->e, &host);
    if (s == LUN_OK)
        s = lun__algorithm_step_explain(x->e, x->n, run_on_host(x, host, r), r);
    x->e->current = current;
    return s;
}

lun_algorithm_run *lun__shard_run_want(lun_exchange *x, int k, lun_algorithm which)
{
    x->at[k].wants = true;
    x->at[k].r =
        (lun_algorithm_run){.which = which, .option = {x->n->cell, (uint64_t)x->n->offset}};
    return &x->at[k].r;
}

/* All have ended; `failed` is the first that did not succeed, which is explained then, for each
 * leaves a text. */
static lun_status end_runs(lun_exchange *x, lun_status s, const lun_algorithm_run *failed)
{
    const double start = lun__clock_now();
    lun_run_event *watched = NULL;
    for (int k = 0; !watched && k < x->places; k++)
        if (x->at[k].mark)
            watched = lun__run_event_algorithm(x->e, start, NULL, x->n);
    for (int k = 0; k < x->places; k++) {
        const lun_backend_slot *at = lun__set_at(x->e, k);
        const lun_work_mark mark = x->at[k].mark;
        const lun_status ended =
            mark ? at->backend->wait(at->state, mark, LUN_WAIT_END, NULL) : LUN_OK;
        x->at[k].wants = false;
        x->at[k].mark = 0;
        if (s == LUN_OK && ended != LUN_OK) {
            s = ended;
            failed = &x->at[k].r;
        }
    }
    const double end = lun__clock_now();
    x->seconds += end - start;
    lun__run_event_end(x->e, watched, end);
    return failed ? lun__algorithm_step_explain(x->e, x->n, s, failed) : s;
}

/* What ranks have made on the host, and how many elements those whose number is found are, goes to
 * all. */
static void tell_ranks(lun_exchange *x)
{
    for (int k = 0; k < x->places; k++) {
        lun_algorithm_run *r = &x->at[k].r;
        const bool found = lun__algorithm_rows[r->which].found != LUN_LENGTH_KNOWN;
        const int counts = /* the result that is counts */
            r->which == LUN_ALGORITHM_DIGITS || r->which == LUN_ALGORITHM_HISTOGRAM ? 0
            : r->which == LUN_ALGORITHM_MERGED && x->once                           ? 1
                                                                                    : -1;
        for (int i = 0; x->at[k].wants && i < LUN_ALGORITHM_RESULTS; i++) {
            lun_column *c = &r->out[i];
            if (c->here && c->data)
                (void)lun__rank_move(x->e, k, i == counts ? LUN_COUNTS_TO_ALL : LUN_ALL_RANKS,
                                     c->data, c->n * lun__dtype_get(c->dtype)->bytes);
            else if (found && i == 0)
                (void)lun__rank_move(x->e, k, LUN_ALL_RANKS, &c->n, sizeof c->n);
        }
    }
}

lun_status lun__shard_run(lun_exchange *x)
{
    const int current = x->e->current;
    const lun_algorithm_run *failed = NULL;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < x->places; k++) {
        const lun_backend_slot *at = lun__set_at(x->e, k);
        if (!x->at[k].wants || !x->at[k].device)
            continue;
        const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = &x->at[k].r};
        s = at->backend->begin(at->state, &work, &x->at[k].mark);
    }
    s = lun__fetch_settled(x->e, s); /* what the host is to do it on */
    for (int k = 0; s == LUN_OK && k < x->places; k++) {
        if (!x->at[k].wants || x->at[k].device || lun__set_at(x->e, k)->away)
            continue;
        s = run_on_host(x, lun__set_at(x->e, k), &x->at[k].r);
        failed = s == LUN_OK ? NULL : &x->at[k].r;
        if (s == LUN_OK)
            s = lun__watch_stopped(x->e);
    }
    x->e->current = current;
    if (lun__state_of_ranks(x->e))
        tell_ranks(x);
    return lun__rank_moves_end(x->e, end_runs(x, s, failed));
}

/* ---- joined on the host ---------------------------------------------------------------------- */

lun_status lun__shard_run_host(lun_exchange *x, int64_t total)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        const lun_dtype t = i ? LUN_I64 : (lun_dtype)x->n->more[0]->dtype;
        s = lun__storage_new(x->e, t, total, &x->host[i]);
        if (s == LUN_OK)
            s = lun__storage_new(x->e, t, total, &x->joined[i]);
    }
    return s;
}

lun_column lun__shard_run_column(lun_storage *s, int64_t at, int64_t count)
{
    return (lun_column){(char *)s->data + at * lun__exchange_size(s), s->dtype, count, true};
}

lun_status lun__shard_run_join(lun_exchange *x, int64_t keep)
{
    int64_t lengths[LUN_MAX_PLACES];
    lun_algorithm_run r = {.which = LUN_ALGORITHM_MERGED,
                           .option = {x->n->cell | (x->once ? LUN_MERGED_ONE : 0)}};
    r.in[2] = (lun_column){lengths, LUN_I64, 0, true};
    for (int k = 0; k < x->places; k++)
        if (x->at[k].count)
            lengths[r.in[2].n++] = x->at[k].count;
    for (int i = 0; i < 2; i++) {
        r.in[i] = lun__shard_run_column(x->host[i], 0, x->host[i]->count);
        r.out[i] = lun__shard_run_column(x->joined[i], 0, x->joined[i]->count);
    }
    lun_status s = lun__shard_run_native(x, &r);
    keep = x->once ? r.out[0].n : keep;
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        s = lun__storage_new(x->e, x->joined[i]->dtype, keep, &x->result[i]);
        if (s == LUN_OK)
            memcpy(x->result[i]->data, x->joined[i]->data,
                   (size_t)(keep * lun__exchange_size(x->joined[i])));
    }
    return s;
}

/* ---- results in shards as they are found ----------------------------------------------------- */

static lun_spread *found_spread(const lun_exchange *x, lun_spread_kind kind)
{
    lun_spread *s = lun__spread_copy(x->cut);
    int64_t all = 0;
    if (!s)
        return NULL;
    s->kind = kind;
    s->rule = LUN_SPREAD_BOUNDS;
    s->unit = 1;
    s->halo = 0;
    for (int k = 0; k < s->places; k++) {
        s->bound[k] = all;
        all = kind == LUN_SPREAD_COPY ? x->at[k].found : all + x->at[k].found;
    }
    s->n = s->bound[s->places] = all;
    return s;
}

static lun_status give_found(lun_exchange *x, int k, const lun_storage *from, lun_storage *to,
                             int64_t lo)
{
    lun_backend_slot *at = lun__set_at(x->e, k);
    const int64_t size = lun__exchange_size(to), hi = lo + x->at[k].found;
    lun_piece *y;
    if (lo >= hi)
        return LUN_OK;
    if (x->at[k].lent) {
        const lun_status s = lun__host_elements_ensure(x->e, to, lo, hi);
        if (s == LUN_OK)
            memcpy((char *)to->data + lo * size,
                   (const char *)from->data + x->at[k].shard.lo * size, (size_t)((hi - lo) * size));
        return s;
    }
    const lun_status s = lun__fetch_result(x->e, to, at, lo, hi, &y);
    const lun_piece *piece = lun__current_piece(from->placed, at);
    if (s != LUN_OK || !piece->data)
        return s == LUN_OK && !at->away ? lun__fetch_carry(x->e, piece, 0, y, 0, (hi - lo) * size)
                                        : s;
    lun__backend_share_copy(x->e, y->data, piece->data, (hi - lo) * size);
    return LUN_OK;
}

lun_status lun__shard_run_found(lun_exchange *x, lun_storage *const *from, lun_spread_kind kind)
{
    lun_spread *spread = found_spread(x, kind);
    lun_status s = spread ? LUN_OK : lun__fail_nomem(x->e);
    for (int i = 0; s == LUN_OK && i < x->columns; i++) {
        s = lun__placement_result(x->e, from[i]->dtype, spread->n, spread, &x->result[i]);
        for (int k = 0; s == LUN_OK && k < x->places; k++)
            s = give_found(x, k, from[i], x->result[i],
                           kind == LUN_SPREAD_COPY ? 0 : spread->bound[k]);
    }
    lun__spread_release(spread);
    return s;
}
