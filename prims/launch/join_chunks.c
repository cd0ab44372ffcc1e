/* join_chunks.c - what the chunks of a launch amount to, and segments where a backend takes one
 * at a time; see join_chunks.h. */
#include "launch/join_chunks.h"

#include <stdlib.h>
#include <string.h>

#include "ir/combine_order.h"
#include "kernels/canonical_nan.h"
#include "lunarray_bind.h"
#include "ranks/ranks.h"

/* What the kernel's chunks are joined with. */
typedef struct joint {
    const lun_backend_slot *b;
    lun_kernel *kernel;
    lun_launch *run;
} joint;

static lun_status combine_level(void *ctx, void *rows, int64_t pairs)
{
    const joint *j = ctx;
    const lun_work work = lun__work_combine(j->kernel, j->run, rows, pairs);
    return lun__state_backend_do(j->b, &work);
}

/* ---- first values ---------------------------------------------------------------------------- */

/* The first value of REDUCE n as a cell. */
static lun_status first_value(lun_engine *e, const lun_node *n, uint64_t *cell)
{
    const lun_node *first = lun__node_first(n);
    *cell = first->cell;
    return first->kind == LUN_NODE_NUMBER
               ? LUN_OK
               : lun__mirror_read(e, first->storage, first->offset, 1, cell);
}

/* Combines first values with those of `segments` rows in j->run->partials that have one.  The other
 * results, by operations, are combined with themselves, for nothing. */
static lun_status begin_results(lun_engine *e, const lun_lowered *l, joint *j, int64_t segments)
{
    uint64_t few[2 * 2 * LUN_GROUP_SINKS], first[2 * LUN_GROUP_SINKS]; /* a sink has two at most */
    const int64_t count = l->ir.result_count;
    bool any = false;
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < count; r++)
        if (lun__node_first(l->results[r])) {
            any = true;
            s = first_value(e, l->results[r], &first[r]);
        }
    if (!any || s != LUN_OK)
        return s;
    uint64_t *from = j->run->partials;
    uint64_t *rows = segments == 1 ? few : malloc(2 * (size_t)(segments * count) * sizeof *rows);
    if (!rows)
        return lun__fail_nomem(e);
    for (int64_t k = 0; k < segments * count; k++) {
        uint64_t *pair = rows + k / count * 2 * count + k % count;
        pair[0] = lun__node_first(l->results[k % count]) ? first[k % count] : from[k];
        pair[count] = from[k];
    }
    s = combine_level(j, rows, segments);
    for (int64_t k = 0; s == LUN_OK && k < segments * count; k++)
        if (lun__node_first(l->results[k % count]))
            from[k] = rows[k];
    if (rows != few)
        free(rows);
    return s;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* The tables of a launch for one segment after the other. */
typedef struct walker {
    void **slots;
    int64_t *room, *origin;
    lun_stream *streams;
    uint64_t *rows; /* of one segment's chunks */
} walker;

static void walker_free(walker *w)
{
    free(w->slots);
    free(w->room);
    free(w->streams);
    free(w->rows);
}

static bool walker_make(walker *w, const lun_ir *ir, int64_t segment)
{
    size_t n = (size_t)ir->slot_count + 1;
    *w = (walker){.slots = malloc(n * sizeof *w->slots),
                  .room = malloc(2 * n * sizeof *w->room),
                  .streams = malloc(n * sizeof *w->streams),
                  .rows = calloc((size_t)lun__order_chunks(ir, segment) + 1,
                                 ((size_t)ir->result_count + 1) * sizeof *w->rows)};
    w->origin = w->room ? w->room + n : NULL;
    return w->slots && w->room && w->streams && w->rows;
}

/* The tables for the segment that begins at index `at`. */
static void walk_to(walker *w, const lun_ir *ir, const lun_launch *all, bool device, int64_t at)
{
    for (int s = 0; s < ir->slot_count; s++) {
        lun_ir_role role = (lun_ir_role)ir->slots[s].role;
        int64_t by = role == LUN_SLOT_IN || role == LUN_SLOT_OUT ? at : 0;
        bool stream = all->streams && all->streams[s].read;
        w->slots[s] = all->slots[s];
        w->room[s] = all->room[s];
        w->origin[s] = all->origin ? all->origin[s] : 0;
        if (all->streams) {
            w->streams[s] = all->streams[s];
            w->streams[s].origin += by;
        }
        if (stream || !by)
            continue;
        w->origin[s] += by;
        w->room[s] -= by;
        if (!device)
            w->slots[s] =
                (char *)all->slots[s] + by * lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
    }
}

static lun_status join_chunks(const lun_ir *ir, joint *j)
{
    if (!ir->result_count || j->run->count <= LUN_CHUNK)
        return LUN_OK;
    return lun__order_join(j->run->partials, lun__order_chunks(ir, j->run->count),
                           (size_t)ir->result_count * sizeof *j->run->partials, combine_level, j);
}

/* A launch for each segment. */
static lun_status run_each_segment(lun_engine *e, const lun_backend_slot *b, const lun_ir *ir,
                                   lun_kernel *k, lun_launch *run)
{
    walker w;
    lun_launch one = *run;
    const lun_work work = lun__work_launch(k, &one);
    const size_t row = (size_t)ir->result_count * sizeof *run->partials;
    lun_status s = walker_make(&w, ir, run->segment) ? LUN_OK : lun__fail_nomem(e);
    for (int64_t at = 0; s == LUN_OK && at < run->n; at += run->segment) {
        walk_to(&w, ir, run, b->backend->buffer_new != NULL, at);
        one.n = one.count = run->segment;
        one.segment = 0;
        one.bytes = run->bytes / (run->n / run->segment);
        one.slots = w.slots;
        one.room = w.room;
        one.origin = w.origin;
        one.streams = run->streams ? w.streams : NULL;
        one.partials = w.rows;
        s = lun__watch_stopped(e);
        if (s == LUN_OK)
            s = lun__state_backend_do(b, &work);
        if (s == LUN_OK)
            s = join_chunks(ir, &(joint){b, k, &one});
        if (s == LUN_OK && row)
            memcpy(run->partials + at / run->segment * ir->result_count, w.rows, row);
    }
    run->trap = one.trap;
    run->trap_value = one.trap_value;
    walker_free(&w);
    return s;
}

/* ---- a launch -------------------------------------------------------------------------------- */

int64_t lun__join_rows(const lun_lowered *l, int64_t n)
{
    return l->segment ? n / l->segment : lun__order_chunks(&l->ir, n);
}

lun_status lun__join_partials(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                              lun_kernel *k, lun_launch *run, int64_t rows)
{
    joint j = {b, k, run};
    lun_status s = LUN_OK;
    if (rows > 1)
        s = lun__order_join(run->partials, rows, (size_t)l->ir.result_count * sizeof *run->partials,
                            combine_level, &j);
    return s == LUN_OK ? begin_results(e, l, &j, 1) : s;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The cells of all chunks, of which rank k has those of chunks[k]. */
typedef struct tree {
    lun_engine *e;
    joint *j;
    const lun_interval *chunks;
    int64_t row, all; /* cells of a chunk; chunks */
    int own;          /* the rank whose cells are joined here; -1: none */
    bool told;        /* all know what the nodes of one rank come to */
} tree;

/* What a node of the tree, `size` chunks from `at` on, comes to is to be in the row of the first
 * one: a node of one rank's chunks goes to all, one of several is made where these are told. */
static lun_status visit(const tree *t, int64_t at, int64_t size)
{
    uint64_t two[2 * 2 * LUN_GROUP_SINKS];
    const int64_t half = size / 2, end = at + size < t->all ? at + size : t->all;
    const size_t bytes = (size_t)t->row * sizeof *two;
    uint64_t *one = t->j->run->partials + at * t->row, *other = one + half * t->row;
    lun_status s = LUN_OK;
    int k = 0;
    while (at < t->chunks[k].lo || at >= t->chunks[k].hi)
        k++;
    if (end <= t->chunks[k].hi) {
        if (!t->told && k == t->own)
            s = lun__order_join(one, end - at, bytes, combine_level, t->j);
        const lun_status noted =
            t->told ? LUN_OK : lun__rank_move(t->e, k, LUN_ALL_RANKS, one, (int64_t)bytes);
        return s == LUN_OK ? noted : s;
    }
    s = visit(t, at, half);
    const lun_status rest = at + half < t->all ? visit(t, at + half, half) : LUN_OK;
    s = s == LUN_OK ? rest : s;
    if (!t->told || s != LUN_OK || at + half >= t->all)
        return s;
    memcpy(two, one, bytes);
    memcpy(two + t->row, other, bytes);
    s = combine_level(t->j, two, 1);
    memcpy(one, two, bytes);
    return s;
}

lun_status lun__join_ranks(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                           lun_kernel *k, lun_launch *run, const lun_rank_chunks *of)
{
    joint j = {b, k, run};
    tree t = {e, &j, of->at, l->ir.result_count, 0, of->own, of->told};
    int64_t size = 1;
    for (int i = 0; i < of->ranks; i++)
        t.all = of->at[i].hi > t.all ? of->at[i].hi : t.all;
    while (size < t.all)
        size *= 2;
    const lun_status s = visit(&t, 0, size);
    return s == LUN_OK && of->told ? begin_results(e, l, &j, 1) : s;
}

/* Whether the backend has to be asked for one segment after the other. */
static bool goes_by_segments(const lun_backend_slot *b, const lun_launch *run)
{
    return run->segment && !run->turns && (run->segment > LUN_CHUNK || !b->can.segments);
}

/* What comes after the run. */
static lun_status finish(lun_engine *e, const lun_lowered *l, joint *j)
{
    const lun_launch *run = j->run;
    lun_status s = LUN_OK;
    if (!l->ir.result_count)
        return LUN_OK;
    if (!run->segment)
        s = join_chunks(&l->ir, j);
    return s == LUN_OK ? begin_results(e, l, j, run->segment ? run->n / run->segment : 1) : s;
}

lun_status lun__join_submit(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                            lun_kernel *k, lun_launch *run, lun_work_mark *mark)
{
    const lun_work work = lun__work_launch(k, run);
    *mark = 0;
    if (goes_by_segments(b, run))
        return run_each_segment(e, b, &l->ir, k, run);
    return b->backend->begin(b->state, &work, mark);
}

lun_status lun__join_collect(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                             lun_kernel *k, lun_launch *run, lun_work_mark mark, bool unjoined)
{
    lun_status s = mark ? b->backend->wait(b->state, mark, LUN_WAIT_END, NULL) : LUN_OK;
    return s == LUN_OK && !unjoined ? finish(e, l, &(joint){b, k, run}) : s;
}

void lun__join_take(lun_engine *e, const lun_lowered *l, const uint64_t *cells)
{
    for (int r = 0; r < l->ir.result_count; r++) {
        lun_node *n = l->results[r];
        lun_dtype t = (lun_dtype)l->ir.results[r];
        if (r + 1 < l->ir.result_count && l->results[r + 1] == n)
            continue;
        lun__node_become_number(e, n,
                                lun__canonical_nan_result(n->op, (lun_dtype)n->dtype, t, cells[r]));
    }
}
