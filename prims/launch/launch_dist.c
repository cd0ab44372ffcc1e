/* launch_dist.c - a kernel on several locations: what each needs is made current there, each runs
 * its indices as a launch of its own, chunks are joined, and totals of a scan chained, where the
 * first one ran; see launch_dist.h.  Who runs what is placing/placing.c's. */
#include "launch/launch_dist.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/watch.h"
#include "ir/order.h"
#include "launch/flights.h"
#include "launch/join_chunks.h"
#include "launch/local.h"
#include "placing/placing.h"
#include "store/fetch.h"

/* The part of one location. */
typedef struct turn {
    lun_interval indices;
    int64_t totals; /* of a SCAN: the first of so many indices whose totals others start from, */
    int64_t cell;   /* and the cell of the first one */
} turn;

typedef struct sharing {
    lun_engine *e;
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

/* Row of the cells of an index: of its chunk, or its segment. */
static int64_t row_of(const lun_lowered *l, int64_t index)
{
    return index / (l->segment ? l->segment : LUN_CHUNK);
}

static uint64_t *rows_of(const sharing *w, const turn *t)
{
    if (w->stage)
        return w->carries + t->cell;
    return w->cells + row_of(w->l, t->indices.lo) * w->l->ir.result_count;
}

/* ---- all locations --------------------------------------------------------------------------- */

/* All that the launch of location k needs, unless another stage had it before; false: it failed. */
static bool bind(sharing *w, int k)
{
    lun_flight *x = &w->flights.at[k];
    if (x->open)
        return true;
    x->open = true;
    x->kernel = w->kernel;
    const lun_status s = lun__local_bind(w->e, w->l, w->written, lun__set_at(w->e, k),
                                         w->turns[k].indices, &x->binding, &x->kernel);
    if (s != LUN_OK)
        lun__flights_fail(&w->flights, k, s, false);
    else
        w->kernel = x->kernel;
    return s == LUN_OK;
}

/* Location k's part begins, and on the host ends. */
static void submit(sharing *w, int k)
{
    lun_engine *e = w->e;
    lun_backend_slot *at = lun__set_at(e, k);
    const turn *t = &w->turns[k];
    const int64_t launches = e->stats.launches, all = t->indices.hi - t->indices.lo;
    const int64_t count = w->stage == LUN_STAGE_TOTALS ? t->totals : all;
    if (!count) /* nor is its kernel made: others would wait for a program that does not run here */
        return;
    lun__set_enter(e, at);
    if (!bind(w, k))
        return;
    w->flights.at[k].binding.stage = w->stage;
    lun__flights_begin(&w->flights, k, count, rows_of(w, t));
    at->counted->launches += e->stats.launches - launches;
}

/* All locations at once. */
static lun_status run_all(sharing *w)
{
    lun_engine *e = w->e;
    const lun_ir *ir = &w->l->ir;
    const double start = lun__now();
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && w->flights.failed < 0 && i < w->cut->places; i++) {
        const int k = lun__placing_turn(e, w->cut->places, i);
        if (w->turns[k].indices.lo < w->turns[k].indices.hi)
            submit(w, k);
        s = lun__stopped(e);
    }
    lun__flights_end(&w->flights);
    e->stats.run_time += lun__now() - start;
    if (w->flights.failed >= 0)
        return lun__flights_failure(&w->flights);
    for (int k = 0; s == LUN_OK && !w->l->segment && ir->result_count && k < w->cut->places; k++) {
        const lun_interval x = w->turns[k].indices;
        if (x.lo < x.hi)
            shift_places(ir, rows_of(w, &w->turns[k]), lun__order_chunks(ir, x.hi - x.lo), x.lo);
    }
    return s;
}

static lun_status join(sharing *w, int64_t n)
{
    lun_engine *e = w->e;
    const int k = first_place(w);
    if (!w->l->ir.result_count || w->l->segment || k < 0)
        return LUN_OK;
    lun_flight *x = &w->flights.at[k];
    const lun_backend_slot *b = lun__computes_at(lun__set_at(e, k));
    x->binding.run.partials = w->cells;
    lun_status s = lun__join_partials(e, b, w->l, x->kernel->kernel, &x->binding.run,
                                      lun__order_chunks(&w->l->ir, n));
    return s == LUN_OK ? s : lun__bind_failed(e, &x->binding, s, n);
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* Totals become carries, in the order of chunks. */
static lun_status chain(sharing *w)
{
    lun_engine *e = w->e;
    const int k = first_place(w);
    lun_flight *x = &w->flights.at[k];
    const int64_t n = w->chunks * LUN_SCAN_CHUNK, launches = e->stats.launches;
    lun_backend_slot *at = lun__set_at(e, k);
    lun__set_enter(e, at);
    if (!bind(w, k))
        return lun__flights_failure(&w->flights);
    x->binding.stage = LUN_STAGE_CARRIES;
    const lun_status s = lun__bind_run(e, &x->binding, x->kernel, n, 0, n, w->carries);
    at->counted->launches += e->stats.launches - launches;
    return s;
}

/* The chunks of a SCAN whose totals other locations start from get cells; there may be none. */
static lun_status open_cells(sharing *w)
{
    const int64_t places = w->cut->places;
    int64_t cells = 0;
    for (int k = 0; k < places; k++) {
        const lun_interval x = lun__placing_totals(w->cut, w->l, k);
        w->turns[k].totals = x.hi - x.lo;
        w->turns[k].cell = cells;
        cells += lun__order_chunks(&w->l->ir, x.hi - x.lo);
    }
    w->chunks = cells + 1;
    w->carries = cells ? calloc((size_t)w->chunks, sizeof *w->carries) : NULL;
    return !cells || w->carries ? LUN_OK : lun__nomem(w->e);
}

static lun_status run_stages(sharing *w)
{
    lun_status s = w->l->ir.scan >= 0 ? open_cells(w) : LUN_OK;
    if (s == LUN_OK && w->carries) {
        w->stage = LUN_STAGE_TOTALS;
        s = run_all(w);
        if (s == LUN_OK)
            s = chain(w);
        w->stage = LUN_STAGE_CARRIED;
    }
    return s == LUN_OK ? run_all(w) : s;
}

lun_status lun__placed_launch(lun_engine *e, const lun_lowered *l, int64_t n, const lun_spread *cut,
                              lun_storage *const *written, uint64_t *cells)
{
    const size_t places = (size_t)cut->places;
    sharing w = {.e = e, .l = l, .cut = cut, .written = written, .cells = cells};
    const int before = e->current;
    w.turns = calloc(places, sizeof *w.turns);
    lun_status s = lun__flights_open(e, cut->places, &w.flights);
    if (s == LUN_OK && !w.turns)
        s = lun__nomem(e);
    for (int k = 0; s == LUN_OK && k < cut->places; k++)
        w.turns[k].indices = lun__placing_range(cut, l, k);
    e->kernels_held++;
    if (s == LUN_OK)
        s = run_stages(&w);
    if (s == LUN_OK)
        s = join(&w, n);
    s = lun__placed_settled(e, s);
    lun__flights_close(&w.flights);
    e->current = before;
    e->kernels_held--;
    free(w.turns);
    free(w.carries);
    return s;
}

/* ---- distributions --------------------------------------------------------------------------- */

const lun_spread *lun__placed_look(void *ctx, const lun_node *n, int64_t *offset)
{
    *offset = n->offset;
    return n->kind == LUN_NODE_LEAF ? lun__placed_spread(ctx, n->storage) : NULL;
}

lun_status lun__placed_cut(lun_engine *e, const lun_lowered *l, int64_t n, lun_spread **out)
{
    return lun__placing_cut(e, l, n, lun__placed_look, e, out);
}

lun_status lun__placed_settle(lun_engine *e, const lun_lowered *l, lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        if (n->kind == LUN_NODE_LEAF && lun__placing_counts(l, i) &&
            lun__placing_settles(cut, lun__placed_spread(e, n->storage),
                                 n->offset + l->slots[i].offset, n->storage->count))
            s = lun__placed_decide(e, n->storage, cut);
    }
    return s;
}

lun_status lun__placed_reduced(lun_engine *e, lun_storage *s, lun_spread *spread, bool used)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    lun_status status = lun__placed_decide(e, s, spread);
    for (int k = 0; status == LUN_OK && used && k < spread->places; k++) {
        const lun_interval part = lun__placing_keeps(spread, lun__set_at(e, k), k);
        lun_backend_slot *at = lun__set_at(e, k);
        lun_piece *x;
        if (part.lo >= part.hi)
            continue;
        status = lun__placed_result(e, s, at, part.lo, part.hi, &x);
        if (status == LUN_OK)
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
    const lun_status status = lun__placed_open(e, s, &placed);
    if (status != LUN_OK)
        return status;
    return device ? lun__storage_buffer(e, s, e->backends[e->current], &buffer)
                  : lun__storage_host(e, s, changes);
}

lun_status lun__placed_gather(lun_engine *e, const lun_node *n, bool device)
{
    lun_status s = LUN_OK;
    n = lun__placing_array(n);
    if (!n || n->kind != LUN_NODE_LEAF || (!device && (!n->storage->stale || n->storage->source)))
        return LUN_OK;
    if (n->storage->source)
        s = lun__storage_host(e, n->storage, false);
    return s == LUN_OK ? bring(e, n->storage, device, false) : s;
}

lun_status lun__placed_hand_on(lun_engine *e, lun_storage *s)
{
    return bring(e, s, e->backends[e->current]->backend->buffer_new != NULL, true);
}
