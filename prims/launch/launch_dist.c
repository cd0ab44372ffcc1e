/* launch_dist.c - a kernel on several locations: what each needs is made current there, each runs
 * its indices as a launch of its own, chunks are joined, and totals of a scan chained, where the
 * first one ran; see launch_dist.h.  Who runs what is placing/placing.c's. */
#include "launch/launch_dist.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/watch.h"
#include "ir/combine_order.h"
#include "launch/flights.h"
#include "launch/join_chunks.h"
#include "launch/local.h"
#include "launch/run_event.h"
#include "placing/placing.h"
#include "ranks/ranks.h"
#include "store/fetch.h"

/* The part of one location. */
typedef struct turn {
    lun_interval indices;
    int64_t totals; /* of a SCAN: the first of so many indices whose totals others start from, */
    int64_t cell;   /* and the cell of the first one */
} turn;

typedef struct sharing {
    lun_engine *e;
    const lun_share *share;
    const lun_lowered *l;
    const lun_spread *cut;
    lun_storage *const *written;
    uint64_t *cells;
    turn *turns; /* by location */
    lun_flights flights;
    lun_kernel_entry *kernel; /* of the location that was bound last */
    lun_stage stage;          /* that the locations run */
    uint64_t *carries; /* of a SCAN in stages: totals, then carries, one more; NULL: it has none */
    int64_t chunks;    /* carries */
} sharing;

/* ---- launches -------------------------------------------------------------------------------- */

/* Results that are indices count from the launch's first index. */
static void shift_places(const lun_ir *ir, uint64_t *row, int64_t rows, int64_t first)
{
    for (int k = 0; k < ir->count; k++)
        for (int64_t r = 0; lun__ir_gives_index(&ir->ins[k]) && r < rows; r++)
            row[r * ir->result_count + ir->ins[k].imm + 1] += (uint64_t)first;
}

/* The location that joins chunks and chains totals: the first one that has indices, or -1. */
static int first_place(const sharing *w)
{
    for (int k = 0; k < w->cut->places; k++)
        if (w->turns[k].indices.lo < w->turns[k].indices.hi)
            return k;
    return -1;
}

/* The cells of the first chunk, or segment, of a location's indices. */
static uint64_t *rows_of(const sharing *w, const turn *t)
{
    if (w->stage)
        return w->carries + t->cell;
    const int64_t row = t->indices.lo / (w->l->segment ? w->l->segment : LUN_CHUNK);
    return w->cells + row * w->l->ir.result_count;
}

/* ---- all locations --------------------------------------------------------------------------- */

lun_status lun__launch_dist_at(lun_engine *e, int k, lun_status (*at)(void *ctx, int k), void *ctx)
{
    const int64_t launches = e->stats.launches;
    lun_backend_slot *slot = lun__set_at(e, k);
    lun__state_set_enter(e, slot);
    const lun_status s = at(ctx, k);
    if (slot->counted)
        slot->counted->launches += e->stats.launches - launches;
    return s == LUN_OK ? lun__watch_stopped(e) : s;
}

lun_status lun__launch_dist_each(lun_engine *e, int places, bool devices_first,
                                 lun_status (*at)(void *ctx, int k), void *ctx)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < places; i++)
        s = lun__launch_dist_at(e, devices_first ? lun__placing_turn(e, places, i) : i, at, ctx);
    return s;
}

/* All that the launch of location k needs, unless another stage had it before. */
static lun_status bind(sharing *w, int k)
{
    lun_flight *x = &w->flights.at[k];
    if (x->open)
        return LUN_OK;
    const bool has = lun__local_has(w->l, lun__set_at(w->e, k), w->turns[k].indices);
    lun_status s = has ? LUN_OK : lun__share_bring_at(w->share, k);
    if (s == LUN_OK) {
        x->open = true;
        x->kernel = w->kernel;
        s = lun__local_bind(w->e, w->l, w->written, lun__set_at(w->e, k), w->turns[k].indices,
                            &x->binding, &x->kernel);
    }
    if (s != LUN_OK)
        lun__flights_fail(&w->flights, k, s, false);
    else
        w->kernel = x->kernel;
    return s;
}

/* The indices that location k runs in this stage. */
static int64_t count_at(const sharing *w, int k)
{
    const turn *t = &w->turns[k];
    return w->stage == LUN_STAGE_TOTALS ? t->totals : t->indices.hi - t->indices.lo;
}

/* What another rank writes is current there. */
static lun_status note_written(const sharing *w, int k)
{
    const lun_interval x = w->turns[k].indices;
    lun_piece *piece;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && w->stage != LUN_STAGE_TOTALS && i < w->l->ir.slot_count; i++)
        if (w->l->ir.slots[i].role == LUN_SLOT_OUT)
            s = lun__fetch_result(w->e, w->written[i], lun__set_at(w->e, k), x.lo, x.hi, &piece);
    return s;
}

/* Location k's part begins, and on the host ends. */
static lun_status submit(void *ctx, int k)
{
    sharing *w = ctx;
    const turn *t = &w->turns[k];
    const int64_t count = count_at(w, k);
    if (!count) /* nor is its kernel made: others would wait for a program that does not run here */
        return LUN_OK;
    if (lun__set_at(w->e, k)->away)
        return note_written(w, k);
    lun_status s = bind(w, k);
    if (s != LUN_OK)
        return s;
    w->flights.at[k].binding.stage = w->stage;
    lun__flights_begin(&w->flights, k, count, rows_of(w, t));
    return w->flights.failed < 0 ? LUN_OK : w->flights.at[w->flights.failed].failed;
}

/* A launch by which cells are combined, on a rank that has none. */
static lun_status bind_none(sharing *w, lun_flight *x)
{
    const lun_ir *ir = &w->l->ir;
    x->kernel = w->kernel;
    lun_status s = LUN_OK;
    if (!x->kernel || !lun__kernel_fits(w->e, x->kernel))
        s = lun__kernel_of(w->e, w->l, &x->kernel);
    if (s == LUN_OK)
        s = lun__bind_open(w->e, w->l, &x->binding);
    x->open = s == LUN_OK;
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_ARRAY)
            s = lun__bind_slot(w->e, &x->binding, i, NULL, 0, 0);
    if (s == LUN_OK)
        lun__launch_run_fill(&x->binding, w->cut->n, 0, 0, w->cells);
    return s;
}

/* Each rank has the cells of its chunks: all get what they come to. */
static lun_status join_ranks(sharing *w, lun_status s)
{
    const int own = lun_spmd_mype(w->e), ranks = w->cut->places;
    lun_flight *x = &w->flights.at[own];
    lun_interval *chunks = calloc((size_t)ranks, sizeof *chunks);
    if (!chunks)
        return lun__fail_nomem(w->e);
    for (int k = 0; k < ranks; k++) {
        const lun_interval at = w->turns[k].indices;
        chunks[k] = (lun_interval){at.lo / LUN_CHUNK, (at.hi + LUN_CHUNK - 1) / LUN_CHUNK};
    }
    if (s == LUN_OK && !x->open)
        s = bind_none(w, x);
    const lun_backend_slot *b = lun__state_computes_at(lun__set_at(w->e, own));
    lun_kernel *k = x->open ? x->kernel->kernel : NULL;
    x->binding.run.partials = w->cells;
    for (int told = 0; told < 2 && (s == LUN_OK || !told); told++) {
        const lun_rank_chunks of = {chunks, ranks, s == LUN_OK ? own : -1, told};
        const lun_status made = lun__join_ranks(w->e, b, w->l, k, &x->binding.run, &of);
        if (s == LUN_OK && made != LUN_OK)
            s = lun__launch_run_failed(w->e, &x->binding, made, w->cut->n);
        if (!told)
            s = lun__rank_moves_end(w->e, s);
    }
    free(chunks);
    return s;
}

/* What ranks have made of cells goes to all; s is how this one has fared. */
static lun_status tell_cells(sharing *w, lun_status s)
{
    const int64_t row = (w->stage ? 1 : w->l->ir.result_count) * (int64_t)sizeof *w->cells;
    if (!w->stage && !w->l->segment && row)
        return join_ranks(w, s);
    for (int k = 0; row && w->stage != LUN_STAGE_CARRIED && k < w->cut->places; k++)
        if (count_at(w, k))
            (void)lun__rank_move(w->e, k, LUN_ALL_RANKS, rows_of(w, &w->turns[k]),
                                 lun__join_rows(w->l, count_at(w, k)) * row);
    return lun__rank_moves_end(w->e, s);
}

/* All locations at once. */
static lun_status run_all(sharing *w)
{
    lun_engine *e = w->e;
    const lun_ir *ir = &w->l->ir;
    const bool ranks = lun__state_of_ranks(e);
    const double start = lun__clock_now();
    lun_run_event *watched = lun__run_event_kernel(e, start, NULL, w->l, w->cut->n, 0);
    const lun_status s = lun__launch_dist_each(e, w->cut->places, true, submit, w);
    lun__flights_end(&w->flights);
    const double end = lun__clock_now();
    e->stats.run_time += end - start;
    lun__run_event_end(e, watched, end);
    if (w->flights.failed >= 0)
        return ranks ? tell_cells(w, lun__flights_failure(&w->flights))
                     : lun__flights_failure(&w->flights);
    for (int k = 0; s == LUN_OK && !w->l->segment && ir->result_count && k < w->cut->places; k++) {
        const lun_interval x = w->turns[k].indices;
        if (x.lo < x.hi && !lun__set_at(e, k)->away)
            shift_places(ir, rows_of(w, &w->turns[k]), lun__order_chunks(ir, x.hi - x.lo), x.lo);
    }
    return ranks ? tell_cells(w, s) : s;
}

static lun_status join(sharing *w, int64_t n)
{
    lun_engine *e = w->e;
    const int k = first_place(w);
    if (k < 0 || lun__state_of_ranks(e)) /* which have done so */
        return LUN_OK;
    lun_flight *x = &w->flights.at[k];
    const lun_backend_slot *b = lun__state_computes_at(lun__set_at(e, k));
    x->binding.run.partials = w->cells;
    lun_status s = lun__join_partials(e, b, w->l, x->kernel->kernel, &x->binding.run,
                                      lun__order_chunks(&w->l->ir, n));
    return s == LUN_OK ? s : lun__launch_run_failed(e, &x->binding, s, n);
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* Totals become carries, in the order of chunks, at location k; each rank that has indices chains
 * them. */
static lun_status chain_at(void *ctx, int k)
{
    sharing *w = ctx;
    lun_flight *x = &w->flights.at[k];
    const int64_t n = w->chunks * LUN_SCAN_CHUNK;
    if (!count_at(w, k))
        return LUN_OK;
    if (bind(w, k) != LUN_OK)
        return lun__flights_failure(&w->flights);
    x->binding.stage = LUN_STAGE_CARRIES;
    return lun__launch_run(w->e, &x->binding, x->kernel, n, 0, n, w->carries);
}

/* The chunks of a SCAN whose totals other locations start from get cells; there may be none. */
static lun_status open_cells(sharing *w)
{
    const int64_t places = w->cut->places;
    int64_t cells = 0;
    for (int k = 0; k < places; k++) {
        const lun_interval x = lun__placing_totals(w->share->step, w->cut, k);
        w->turns[k].totals = x.hi - x.lo;
        w->turns[k].cell = cells;
        cells += lun__order_chunks(&w->l->ir, x.hi - x.lo);
    }
    w->chunks = cells + 1;
    w->carries = cells ? calloc((size_t)w->chunks, sizeof *w->carries) : NULL;
    return !cells || w->carries ? LUN_OK : lun__fail_nomem(w->e);
}

static lun_status run_stage(sharing *w, lun_share_stage which)
{
    lun_status s = LUN_OK;
    if (which == LUN_STAGE_OF_TOTALS)
        s = open_cells(w);
    if (which == LUN_STAGE_OF_PAIRS)
        return join(w, w->share->step->n);
    if (s != LUN_OK || (which != LUN_STAGE_OF_WORK && !w->carries))
        return s;
    w->stage = which == LUN_STAGE_OF_TOTALS ? LUN_STAGE_TOTALS
               : w->carries                 ? LUN_STAGE_CARRIED
                                            : LUN_STAGE_ALL;
    const int first = lun__state_of_ranks(w->e) ? lun_spmd_mype(w->e) : first_place(w);
    return which == LUN_STAGE_OF_CARRIES ? lun__launch_dist_at(w->e, first, chain_at, w)
                                         : run_all(w);
}

lun_status lun__launch_dist_run(const lun_share *x, lun_storage *const *written, uint64_t *cells)
{
    lun_engine *e = x->e;
    const int places = x->cut->places, before = e->current;
    sharing w = {.e = e,
                 .share = x,
                 .l = &x->step->lowered,
                 .cut = x->cut,
                 .written = written,
                 .cells = cells,
                 .kernel = x->step->ref ? x->step->ref->kernel : NULL};
    w.turns = calloc((size_t)places, sizeof *w.turns);
    lun_status s = lun__flights_open(e, places, &w.flights);
    if (s == LUN_OK && !w.turns)
        s = lun__fail_nomem(e);
    for (int k = 0; s == LUN_OK && k < places; k++)
        w.turns[k].indices = lun__placing_range(x->cut, w.l, k);
    e->kernels_held++;
    if (s == LUN_OK && lun__state_of_ranks(e)) /* what all need, before any of them computes */
        s = lun__fetch_settled(e, lun__share_bring(x, 1));
    for (const lun_share_stage *at = x->stages; s == LUN_OK && *at; at++)
        s = run_stage(&w, *at);
    s = lun__fetch_settled(e, s);
    if (s == LUN_OK && x->step->ref && x->step->ref->kernel != w.kernel)
        lun__kernel_ref(x->step->ref, w.kernel);
    lun__flights_close(&w.flights);
    e->current = before;
    e->kernels_held--;
    free(w.turns);
    free(w.carries);
    return s;
}

/* ---- distributions --------------------------------------------------------------------------- */

lun_status lun__launch_dist_reduced(lun_engine *e, lun_storage *s, lun_spread *spread, bool used)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    lun_status status = lun__placement_decide(e, s, spread);
    for (int k = 0; status == LUN_OK && used && k < spread->places; k++) {
        const lun_interval part = lun__placing_keeps(spread, lun__set_at(e, k), k);
        lun_backend_slot *at = lun__set_at(e, k);
        lun_piece *x;
        if (part.lo >= part.hi)
            continue;
        status = lun__fetch_result(e, s, at, part.lo, part.hi, &x);
        if (status == LUN_OK && !at->away)
            memcpy(x->data, (char *)s->data + part.lo * size, (size_t)((part.hi - part.lo) * size));
    }
    return status;
}

/* ---- one location alone ---------------------------------------------------------------------- */

/* All of s becomes current in the memory of the device in use, or the host's; changes: and is about
 * to be written. */
static lun_status bring(lun_engine *e, lun_storage *s, bool device, bool changes)
{
    lun_buffer *buffer;
    lun_placed *placed;
    const lun_status status = lun__fetch_open(e, s, &placed);
    if (status != LUN_OK)
        return status;
    return device ? lun__mirror_buffer(e, s, e->backends[e->current], &buffer)
                  : lun__mirror_host(e, s, changes);
}

lun_status lun__launch_dist_gather(lun_engine *e, const lun_node *n, bool device)
{
    lun_status s = LUN_OK;
    n = lun__placing_array(n);
    if (!n || n->kind != LUN_NODE_LEAF || (!device && (!n->storage->stale || n->storage->source)))
        return LUN_OK;
    if (n->storage->source)
        s = lun__mirror_host(e, n->storage, false);
    return s == LUN_OK ? bring(e, n->storage, device, false) : s;
}

/* ---- operands -------------------------------------------------------------------------------- */

static lun_storage *array(void *e, const lun_node *n)
{
    (void)e;
    return n->kind == LUN_NODE_LEAF ? n->storage : NULL;
}

/* The array in memory that a need is of; NULL: none. */
static const lun_node *array_of(const lun_need *x)
{
    const lun_node *n = lun__placing_array(x->of);
    return n && n->kind == LUN_NODE_LEAF ? n : NULL;
}

static lun_status has(void *e, const lun_need *x)
{
    const lun_node *n = array_of(x);
    const lun_placed *p =
        n && x->at && !x->whole && !n->storage->mirrors ? n->storage->placed : NULL;
    const lun_piece *at = p ? lun__current_find(p, x->at) : NULL;
    const int64_t lo = n ? n->offset + x->elements.lo : 0, hi = n ? n->offset + x->elements.hi : 0;
    (void)e;
    return !n || (at && at->lo < at->hi && at->lo <= (x->indexed ? n->offset : lo) &&
                  hi <= at->hi && lun__intervals_cover(&at->fresh, lo, hi))
               ? LUN_OK
               : LUN_EARG;
}

/* Of an array that is indexed there is memory from its first element on, which lanes that have
 * nothing to read do read. */
static lun_status take_room(void *e, const lun_need *x)
{
    const lun_node *n = x->at && !x->whole ? array_of(x) : NULL;
    int64_t lo = x->elements.lo, hi = x->elements.hi;
    lun_piece *piece;
    if (n && x->indexed) {
        lo = 0;
        hi = hi || !n->n ? hi : 1;
    }
    return n ? lun__fetch_room(e, n->storage, x->at, n->offset + lo, n->offset + hi, &piece)
             : LUN_OK;
}

static lun_status move(void *e, const lun_need *x)
{
    const lun_node *n = array_of(x);
    lun_piece *piece;
    if (!n || x->whole)
        return n ? lun__launch_dist_gather(e, n, x->at != NULL) : LUN_OK;
    const int64_t lo = n->offset + x->elements.lo, hi = n->offset + x->elements.hi;
    if (lo >= hi)
        return LUN_OK;
    if (x->at)
        return lun__fetch_ensure(e, n->storage, x->at, lo, hi, &piece);
    return n->storage->source ? lun__mirror_host(e, n->storage, false)
                              : lun__host_elements_ensure(e, n->storage, lo, hi);
}

const lun_share_actions lun__share_done = {
    .array = array, .has = has, .room = take_room, .move = move};

lun_status lun__launch_dist_hand_on(lun_engine *e, lun_storage *s)
{
    return bring(e, s, e->backends[e->current]->backend->buffer_new != NULL, true);
}

lun_status lun__launch_dist_chain(lun_engine *e, const lun_steps *s, int first, int last,
                                  lun_status (*at)(void *ctx, int k), void *ctx)
{
    const int count = last - first + 1;
    lun_share *x = calloc((size_t)count, sizeof *x);
    lun_status status = x ? LUN_OK : lun__fail_nomem(e);
    for (int i = 0; status == LUN_OK && i < count; i++)
        status = lun__share_open(e, &s->at[first + i], &lun__share_done, e, &x[i]);
    if (status == LUN_OK)
        status = lun__share_bring(x, count);
    if (status == LUN_OK)
        status = lun__launch_dist_each(e, x->cut->places, false, at, ctx);
    for (int i = 0; status == LUN_OK && i < count; i++)
        status = lun__share_settle(&x[i]);
    for (int i = 0; x && i < count; i++)
        lun__share_close(&x[i]);
    free(x);
    return status;
}
