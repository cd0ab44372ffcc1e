/* launch.c - one launch of a kernel: its results' memory, the results' way to their nodes.  How its
 * arrays are bound is bind.c's. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ir/combine_order.h"
#include "kernels/canonical_nan.h"
#include "launch/bind.h"
#include "launch/join_chunks.h"
#include "launch/launch.h"
#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "launch/trap.h"
#include "placing/placing.h"
#include "store/fetch.h"
#include "store/pool.h"

enum { FEW = 24, FEW_CELLS = 64 }; /* slots and arguments, cells that need no memory */

/* A result in memory, and the node that it is for. */
typedef struct output {
    lun_storage *storage;           /* NULL: the node has taken it, or */
    const lun_storage_view *target; /* where its elements go instead; NULL: they are storage's */
    lun_node *node;
} output;

/* Results of one launch, until they are given to their nodes. */
typedef struct outcome {
    output *outputs; /* in the order of their slots */
    int count;
    uint64_t
        *cells; /* a row for each chunk; the first becomes the results; or one for each segment */
    lun_storage **segments; /* by result, of segments; NULL: there are none */
    int segment_count;
    output few_outputs[FEW];
    uint64_t few_cells[FEW_CELLS];
} outcome;

static void outcome_free(lun_engine *e, outcome *o)
{
    for (int k = 0; k < o->count; k++)
        if (o->outputs[k].storage)
            lun__storage_release(e, o->outputs[k].storage);
    for (int r = 0; o->segments && r < o->segment_count; r++)
        if (o->segments[r])
            lun__storage_release(e, o->segments[r]);
    free(o->segments);
    if (o->outputs != o->few_outputs)
        free(o->outputs);
    if (o->cells != o->few_cells)
        free(o->cells);
}

/* For n indices; targets: for the result of each slot, or NULL; shared: memory is that of the
 * locations that run it.  Also on failure o is to be ended by outcome_free. */
static lun_status outcome_make(lun_engine *e, const lun_lowered *l, int64_t n, bool shared,
                               const lun_storage_view *const *targets, outcome *o)
{
    const lun_ir *ir = &l->ir;
    size_t rows = n > 0 ? (size_t)lun__join_rows(l, n) : 1, bytes;
    o->count = 0;
    o->cells = o->few_cells;
    o->outputs =
        ir->slot_count <= FEW ? o->few_outputs : calloc((size_t)ir->slot_count, sizeof *o->outputs);
    o->segments = NULL;
    if (__builtin_mul_overflow(rows, (size_t)ir->result_count * sizeof *o->cells, &bytes))
        return lun__launch_run_no_memory(e, n);
    if (bytes > sizeof o->few_cells)
        o->cells = malloc(bytes);
    if (l->segment && ir->result_count)
        o->segments = calloc((size_t)ir->result_count, sizeof *o->segments);
    if (!o->outputs || !o->cells || (l->segment && ir->result_count && !o->segments))
        return lun__launch_run_no_memory(e, n);
    o->segment_count = ir->result_count;
    for (int i = 0; i < ir->slot_count; i++) {
        if (ir->slots[i].role != LUN_SLOT_OUT)
            continue;
        output *to = &o->outputs[o->count];
        *to = (output){.node = l->slots[i].node, .target = targets ? targets[i] : NULL};
        lun_status s = LUN_OK;
        if (!to->target)
            s = (shared ? lun__storage_empty : lun__mirror_result)(e, (lun_dtype)ir->slots[i].dtype,
                                                                   n, &to->storage);
        if (s != LUN_OK)
            return s;
        o->count++;
    }
    return LUN_OK;
}

/* ---- launching ------------------------------------------------------------------------------- */

lun_status lun__launch_needed(lun_engine *e, const lun_node *needed, int64_t first, int64_t count,
                              bool *out)
{
    if (needed->kind == LUN_NODE_NUMBER) {
        *out = needed->cell != 0;
        return LUN_OK;
    }
    lun_status s = lun__mirror_host(e, needed->storage, false);
    if (s == LUN_OK)
        *out = memchr(lun__node_leaf_data(needed) + first, 1, (size_t)count) != NULL;
    return s;
}

/* Runs indices first .. first+count-1 of n. */
static lun_status launch_now(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                             int64_t first, int64_t count, const outcome *o)
{
    const lun_ir *ir = &l->ir;
    lun_binding to;
    const output *next = o->outputs;
    lun_status s = lun__bind_open(e, l, &to);
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++) {
        const output *result = ir->slots[i].role == LUN_SLOT_OUT ? next++ : NULL;
        if (result && result->target)
            s = lun__bind_target(e, &to, i, result->target);
        else
            s = lun__bind_slot(e, &to, i, result ? result->storage : NULL, first, count);
    }
    if (s == LUN_OK)
        s = lun__launch_run(e, &to, k, n, first, count, o->cells);
    lun__bind_close(&to);
    return s;
}

static lun_status launch(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                         int64_t first, int64_t count, const outcome *o)
{
    if (!e->profiling)
        return launch_now(e, l, k, n, first, count, o);
    lun_stats before = e->stats;
    double start = lun__clock_now();
    lun_status s = launch_now(e, l, k, n, first, count, o);
    lun__profile_after(e, &before, lun__clock_now() - start, l, k, count);
    return s;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Elements for the results of segments, from their cells. */
static lun_status keep_segments(lun_engine *e, const lun_lowered *l, outcome *o)
{
    for (int r = 0; r < l->ir.result_count; r++) {
        const lun_node *n = l->results[r];
        int size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
        if (r + 1 < l->ir.result_count && l->results[r + 1] == n)
            continue;
        lun_status s = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &o->segments[r]);
        if (s != LUN_OK)
            return s;
        char *to = o->segments[r]->data;
        for (int64_t k = 0; k < n->n; k++, to += size) {
            uint64_t cell =
                lun__canonical_nan_result(n->op, (lun_dtype)n->dtype, (lun_dtype)l->ir.results[r],
                                          o->cells[k * l->ir.result_count + r]);
            memcpy(to, &cell, (size_t)size);
        }
    }
    return LUN_OK;
}

/* A reduction over no elements gives its identity. */
static void empty_results(const lun_lowered *l, uint64_t *results)
{
    for (int r = 0; r < l->ir.result_count; r++) {
        const lun_node *n = l->results[r];
        uint64_t cell = 0;
        if (n->op < LUN_OP_COUNT)
            lun__op_identity((lun_op)n->op, (lun_dtype)n->acc, &cell);
        results[r] = cell;
    }
}

/* The nodes take their results; o's storage goes with them. */
static lun_status keep(lun_engine *e, const lun_lowered *l, outcome *o)
{
    for (int k = 0; k < o->count; k++) { /* what may fail comes first */
        const output *from = &o->outputs[k];
        lun_status host = from->node->rank == 0 && from->storage->stale
                              ? lun__mirror_host(e, from->storage, false)
                              : LUN_OK;
        if (host != LUN_OK)
            return host;
    }
    lun_status s = o->segments ? keep_segments(e, l, o) : LUN_OK;
    if (s != LUN_OK)
        return s;
    bool several = o->count + l->ir.result_count > 1;
    for (int k = 0; several && k < o->count; k++) /* one may live only by another that uses it */
        lun__node_retain(o->outputs[k].node);
    for (int k = 0; k < o->count; k++) {
        output *from = &o->outputs[k];
        lun_node *n = from->node;
        if (n->rank == 0) {
            uint64_t cell = 0;
            memcpy(&cell, from->storage->data, lun__dtype_get((lun_dtype)n->dtype)->bytes);
            lun__node_become_number(e, n, cell);
        } else {
            lun__node_become_leaf(e, n, from->storage, 0);
            from->storage = NULL;
        }
    }
    if (!o->segments)
        lun__join_take(e, l, o->cells);
    for (int r = 0; o->segments && r < l->ir.result_count; r++)
        if (o->segments[r]) {
            lun__node_become_leaf(e, l->results[r], o->segments[r], 0);
            o->segments[r] = NULL;
        }
    for (int k = 0; several && k < o->count; k++)
        lun__node_release(e, o->outputs[k].node);
    return LUN_OK;
}

bool lun__launch_short_of_memory(lun_engine *e, lun_status s)
{
    if (s == LUN_ENOMEM)
        return !lun__pool_refused(e->pool);
    return s == LUN_ELIMIT && lun__watch_stopped(e) == LUN_OK;
}

/* Results without elements on a set: distributed as the operands are, as others would be. */
static lun_status settle_empty(lun_engine *e, const lun_lowered *l, const outcome *o)
{
    lun_step step;
    lun_share x;
    lun_status s = lun__share_kernel(e, l, 0, &lun__share_done, e, &step, &x);
    for (int k = 0; s == LUN_OK && x.cut && k < o->count; k++)
        s = lun__placement_decide(e, o->outputs[k].storage, x.cut);
    lun__share_close(&x);
    return s;
}

lun_status lun__launch_lowered(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n)
{
    outcome o;
    lun_status status = outcome_make(e, l, n, false, NULL, &o);
    if (status == LUN_OK && n > 0)
        status = launch(e, l, k, n, 0, n, &o);
    else if (status == LUN_OK)
        empty_results(l, o.cells);
    if (status == LUN_OK && n == 0 && e->set_count)
        status = settle_empty(e, l, &o);
    if (status == LUN_OK)
        status = keep(e, l, &o);
    outcome_free(e, &o);
    return status;
}

/* On the locations; results are distributed as the indices are. */
static lun_status share(const lun_share *x, outcome *o)
{
    lun_engine *e = x->e;
    const lun_ir *ir = &x->step->lowered.ir;
    lun_storage *few[FEW] = {NULL}, **written = few;
    if (ir->slot_count > FEW)
        written = calloc((size_t)ir->slot_count, sizeof *written);
    const output *next = o->outputs;
    lun_status s = written ? LUN_OK : lun__fail_nomem(e);
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_OUT) {
            written[i] = next++->storage;
            s = lun__placement_decide(e, written[i], x->cut);
        }
    if (s == LUN_OK)
        s = lun__launch_dist_run(x, written, o->cells);
    if (written != few)
        free(written);
    return s;
}

/* Results of segments are distributed as the segments are. */
static lun_status settle_segments(lun_engine *e, const lun_lowered *l, const lun_spread *cut,
                                  bool used)
{
    lun_spread *s = lun__placing_of_segments(cut, l->segment);
    lun_status status = s ? LUN_OK : lun__fail_nomem(e);
    for (int r = 0; status == LUN_OK && r < l->ir.result_count; r++)
        if (r + 1 == l->ir.result_count || l->results[r + 1] != l->results[r])
            status = lun__launch_dist_reduced(e, l->results[r]->storage, s, used);
    lun__spread_release(s);
    return status;
}

lun_status lun__launch_shared(const lun_share *x)
{
    lun_engine *e = x->e;
    const lun_lowered *l = &x->step->lowered;
    const int64_t n = x->step->n;
    outcome o;
    lun_kernel_entry *k;
    const lun_stats before = e->stats;
    const double start = e->profiling ? lun__clock_now() : 0;
    lun_status s = outcome_make(e, l, n, true, NULL, &o);
    if (s == LUN_OK)
        s = share(x, &o);
    if (s == LUN_OK)
        s = lun__share_settle(x);
    if (s == LUN_OK && e->profiling && lun__kernel_of(e, l, &k) == LUN_OK)
        lun__profile_after(e, &before, lun__clock_now() - start, l, k, n);
    if (s == LUN_OK)
        s = keep(e, l, &o);
    if (s == LUN_OK && l->segment && l->ir.result_count)
        s = settle_segments(e, l, x->cut, x->step->used);
    outcome_free(e, &o);
    return s;
}

lun_status lun__launch_part(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                            int64_t first, int64_t count, void *host)
{
    int64_t from = first / 64 * 64, room = first + count - from;
    outcome o;
    lun_status status = outcome_make(e, l, room, false, NULL, &o);
    if (status == LUN_OK)
        status = launch(e, l, k, n, from, room, &o);
    for (int i = 0; status == LUN_OK && i < o.count; i++)
        status = lun__mirror_read(e, o.outputs[i].storage, first - from, count, host);
    outcome_free(e, &o);
    return status;
}

lun_status lun__launch_into(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                            const lun_storage_view *const *targets)
{
    outcome o;
    lun_status status = outcome_make(e, l, n, false, targets, &o);
    if (status == LUN_OK)
        status = launch(e, l, k, n, 0, n, &o);
    outcome_free(e, &o);
    return status;
}
