/* launch.c - one launch of a kernel: its results' memory, its arrays as the backend sees them, the
 * results' way to their nodes. Knows nothing of other groups, nor of what a kernel computes. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ir/order.h"
#include "run/profile.h"
#include "run/run.h"
#include "run/trap.h"
#include "store/pool.h"
#include "store/source.h"

enum { FEW = 24, FEW_CELLS = 64 }; /* slots and arguments, cells that need no memory */

/* A result in memory, and the node that it is for. */
typedef struct output {
    lun_storage *storage; /* NULL: the node has taken it */
    lun_node *node;
} output;

/* Results of one launch, until they are given to their nodes. */
typedef struct outcome {
    output *outputs; /* in the order of their slots */
    int count;
    uint64_t *cells; /* a row for each chunk; the first becomes the results */
    output few_outputs[FEW];
    uint64_t few_cells[FEW_CELLS];
} outcome;

static void outcome_free(lun_engine *e, outcome *o)
{
    for (int k = 0; k < o->count; k++)
        if (o->outputs[k].storage)
            lun__storage_release(e, o->outputs[k].storage);
    if (o->outputs != o->few_outputs)
        free(o->outputs);
    if (o->cells != o->few_cells)
        free(o->cells);
}

static lun_status no_working_memory(lun_engine *e, int64_t n)
{
    return lun__fail(e, LUN_ENOMEM,
                     "out of memory: no working memory for a kernel over %lld elements",
                     (long long)n);
}

/* For n indices. Also on failure o is to be ended by outcome_free. */
static lun_status outcome_make(lun_engine *e, const lun_lowered *l, int64_t n, outcome *o)
{
    const lun_ir *ir = &l->ir;
    size_t rows = n > 0 ? (size_t)lun__order_chunks(ir, n) : 1, bytes;
    o->count = 0;
    o->cells = o->few_cells;
    o->outputs =
        ir->slot_count <= FEW ? o->few_outputs : calloc((size_t)ir->slot_count, sizeof *o->outputs);
    if (__builtin_mul_overflow(rows, (size_t)ir->result_count * sizeof *o->cells, &bytes))
        return no_working_memory(e, n);
    if (bytes > sizeof o->few_cells)
        o->cells = malloc(bytes);
    if (!o->outputs || !o->cells)
        return no_working_memory(e, n);
    for (int i = 0; i < ir->slot_count; i++) {
        if (ir->slots[i].role != LUN_SLOT_OUT)
            continue;
        output *to = &o->outputs[o->count];
        to->node = l->slots[i].node;
        lun_status s = lun__storage_result(e, (lun_dtype)ir->slots[i].dtype, n, &to->storage);
        if (s != LUN_OK)
            return s;
        o->count++;
    }
    return LUN_OK;
}

/* ---- launching ------------------------------------------------------------------------------- */

lun_status lun__run_kernel(lun_engine *e, const lun_lowered *l, lun_kernel_entry **out)
{
    lun_status s = lun__kernel_get(e, &l->ir, out);
    return s == LUN_EBUILD ? lun__explain_refusal(e, l) : s;
}

/* A lun_launch being filled. */
typedef struct binding {
    void **at;
    int64_t *room, *origin;
    int64_t bytes, written;
    lun_stream *streams; /* NULL: none needed yet */
} binding;

static int read_stream(const void *storage, int64_t first, int64_t count, void *to)
{
    return lun__storage_fetch(storage, first, count, to);
}

static lun_status explain_stream(lun_engine *e, const lun_storage *s, int failure)
{
    return lun__source_fail(e, s->source, failure);
}

/* Whether a kernel reads slot i's elements one after the other, so that they need
 * not be in memory. */
static bool is_sequential(const lun_ir *ir, int i)
{
    for (int k = 0; k < ir->count; k++)
        if (ir->ins[k].kind == LUN_IR_GATHER && ir->ins[k].imm == i)
            return false;
    return ir->slots[i].role == LUN_SLOT_IN;
}

static lun_status bind_stream(lun_engine *e, const lun_storage *s, const lun_lowered *l, int i,
                              binding *to)
{
    if (!to->streams)
        to->streams = calloc((size_t)l->ir.slot_count, sizeof *to->streams);
    if (!to->streams)
        return lun__nomem(e);
    to->streams[i] = (lun_stream){read_stream, s, to->origin[i]};
    to->room[i] = INT64_MAX; /* it is read into memory with room enough */
    to->at[i] = NULL;
    return lun__source_check(e, s->source);
}

/* A storage that one slot needs whole is loaded into memory for all slots on it. */
static void bind_loaded(const lun_ir *ir, binding *to)
{
    for (int i = 0; i < ir->slot_count; i++) {
        const lun_storage *s = to->streams[i].self;
        if (!s || s->source)
            continue;
        to->streams[i] = (lun_stream){0};
        to->room[i] = s->room - to->origin[i];
        to->at[i] = (char *)s->data + to->origin[i] * lun__dtype_get(s->dtype)->bytes;
    }
}

/* Slot i as the backend in use sees it. */
static inline lun_status bind_slot(lun_engine *e, lun_backend_slot *b, const lun_lowered *l, int i,
                                   lun_storage *written, int64_t first, int64_t count, binding *to)
{
    const lun_node *n = l->slots[i].node;
    /* element `first` of the index space is element 0 of an output */
    lun_storage *s = written ? written : n->storage;
    int64_t origin = written ? -first : n->offset + l->slots[i].offset;
    int64_t size = lun__dtype_get(s->dtype)->bytes;
    lun_ir_role role = (lun_ir_role)l->ir.slots[i].role;
    int64_t bytes = size * (role == LUN_SLOT_UNIFORM ? 1 : role == LUN_SLOT_ARRAY ? n->n : count);
    to->bytes += bytes;
    if (written)
        to->written += bytes;
    to->origin[i] = origin;
    if (b->backend->buffer_new) {
        lun_buffer *buffer = NULL;
        lun_status status = lun__storage_buffer(e, s, b, &buffer);
        to->room[i] = lun__order_blocks(s->count) - origin;
        to->at[i] = buffer;
        return status;
    }
    if (s->stale) {
        if (s->source && is_sequential(&l->ir, i))
            return bind_stream(e, s, l, i, to);
        lun_status status = lun__storage_host(e, s, false);
        if (status != LUN_OK)
            return status;
    }
    to->room[i] = s->room - origin;
    to->at[i] = (char *)s->data + origin * size;
    return LUN_OK;
}

/* What the kernel's chunks are joined with. */
typedef struct joint {
    const lun_backend_slot *b;
    lun_kernel *kernel;
    lun_launch *run;
} joint;

static lun_status combine_level(void *ctx, void *rows, int64_t pairs)
{
    const joint *j = ctx;
    return j->b->backend->combine(j->b->state, j->kernel, j->run, rows, pairs);
}

/* The first value of REDUCE n as a cell. */
static lun_status first_value(lun_engine *e, const lun_node *n, uint64_t *cell)
{
    const lun_node *first = n->in[1];
    *cell = first->cell;
    return first->kind == LUN_NODE_NUMBER
               ? LUN_OK
               : lun__storage_read(e, first->storage, first->offset, 1, cell);
}

/* Combines first values with the results that have one, in the first row of j->run->partials.  The
 * other results, by operations, are combined with themselves, for nothing. */
static lun_status begin_results(lun_engine *e, const lun_lowered *l, joint *j)
{
    uint64_t rows[2 * LUN_GROUP_SINKS];
    const int count = l->ir.result_count;
    bool any = false;
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < count; r++) {
        rows[r] = rows[count + r] = j->run->partials[r];
        if (l->results[r]->in[1])
            s = first_value(e, l->results[r], &rows[r]);
        any |= l->results[r]->in[1] != NULL;
    }
    if (s == LUN_OK && any)
        s = combine_level(j, rows, 1);
    for (int r = 0; s == LUN_OK && r < count; r++)
        if (l->results[r]->in[1])
            j->run->partials[r] = rows[r];
    return s;
}

/* Runs; the first row of run->partials is the results then. */
static inline lun_status run_joined(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                                    lun_kernel *k, lun_launch *run)
{
    const lun_ir *ir = &l->ir;
    lun_status s = b->backend->run(b->state, k, run);
    if (s != LUN_OK || !ir->result_count)
        return s;
    joint j = {b, k, run};
    if (run->count > LUN_CHUNK)
        s = lun__order_join(run->partials, lun__order_chunks(ir, run->count),
                            (size_t)ir->result_count * sizeof *run->partials, combine_level, &j);
    return s == LUN_OK ? begin_results(e, l, &j) : s;
}

/* Runs and counts the time.  Of launches too small for a look at the clock one in sixteen stands
 * for those before it. */
static lun_status run_timed(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                            lun_kernel *k, lun_launch *run)
{
    enum { SMALL = 1 << 18, STANDS_FOR = 16 };
    if (run->bytes < SMALL && e->stats.launches > STANDS_FOR && e->untimed < STANDS_FOR - 1) {
        e->untimed++;
        return run_joined(e, b, l, k, run);
    }
    double start = lun__now();
    lun_status s = run_joined(e, b, l, k, run);
    e->stats.run_time += (lun__now() - start) * (e->untimed + 1);
    e->untimed = 0;
    return s;
}

/* Runs indices first .. first+count-1 of n. */
static lun_status launch_now(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                             int64_t first, int64_t count, const outcome *o)
{
    const lun_ir *ir = &l->ir;
    void *few_at[FEW];
    int64_t few_room[2 * FEW];
    uint64_t few_args[FEW];
    size_t slots = (size_t)ir->slot_count, args = (size_t)ir->arg_count;
    void **at = slots <= FEW ? few_at : malloc(slots * sizeof *at);
    int64_t *room = slots <= FEW ? few_room : malloc(2 * slots * sizeof *room);
    uint64_t *cells = args <= FEW ? few_args : malloc(args * sizeof *cells);
    lun_launch run = {.n = n,
                      .first = first,
                      .count = count,
                      .slots = at,
                      .room = room,
                      .args = cells,
                      .partials = o->cells,
                      .workgroup = l->workgroup,
                      .trap = -1};
    lun_status s = at && room && cells ? LUN_OK : lun__nomem(e);
    lun_backend_slot *b = &e->backends[e->current];
    binding to = {at, room, room + slots, 0, 0, NULL};
    const output *next = o->outputs;
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++) {
        lun_storage *written = ir->slots[i].role == LUN_SLOT_OUT ? next++->storage : NULL;
        s = bind_slot(e, b, l, i, written, first, count, &to);
    }
    if (s == LUN_OK && to.streams)
        bind_loaded(ir, &to);
    run.origin = to.origin;
    run.streams = to.streams;
    run.bytes = to.bytes;
    for (int i = 0; s == LUN_OK && i < ir->arg_count; i++)
        cells[i] = l->args[i].node ? l->args[i].node->cell : l->args[i].cell;
    if (s == LUN_OK) {
        s = run_timed(e, b, l, k->kernel, &run);
        if (s == LUN_EZERO || s == LUN_EBOUNDS)
            s = lun__explain_trap(e, l, &run);
        else if (s == LUN_EBUILD)
            s = lun__explain_refusal(e, l);
        else if (s == LUN_ECANCEL && lun__stopped(e) == LUN_ELIMIT)
            s = LUN_ELIMIT;
        else if (s == LUN_EIO && to.streams)
            s = explain_stream(e, to.streams[run.trap].self, (int)run.trap_value);
        else if (s == LUN_ENOMEM)
            s = no_working_memory(e, count);
    }
    if (s == LUN_OK) {
        e->stats.bytes_read += to.bytes - to.written;
        e->stats.bytes_written += to.written;
    }
    free(to.streams);
    if (at != few_at)
        free(at);
    if (room != few_room)
        free(room);
    if (cells != few_args)
        free(cells);
    return s;
}

static lun_status launch(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                         int64_t first, int64_t count, const outcome *o)
{
    if (!e->profiling)
        return launch_now(e, l, k, n, first, count, o);
    lun_stats before = e->stats;
    double start = lun__now();
    lun_status s = launch_now(e, l, k, n, first, count, o);
    lun__profile_after(e, &before, lun__now() - start, l, k, count);
    return s;
}

/* ---- keeping --------------------------------------------------------------------------------- */

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
        lun_status s = from->node->rank == 0 && from->storage->stale
                           ? lun__storage_host(e, from->storage, false)
                           : LUN_OK;
        if (s != LUN_OK)
            return s;
    }
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
    for (int r = 0; r < l->ir.result_count; r++) {
        lun_node *n = l->results[r];
        lun__node_become_number(
            e, n, lun__cell_cast((lun_dtype)n->dtype, (lun_dtype)n->acc, o->cells[r]));
    }
    for (int k = 0; several && k < o->count; k++)
        lun__node_release(e, o->outputs[k].node);
    return LUN_OK;
}

bool lun__short_of_memory(lun_engine *e, lun_status s)
{
    if (s == LUN_ENOMEM)
        return !lun__pool_refused(e->pool);
    return s == LUN_ELIMIT && lun__stopped(e) == LUN_OK;
}

lun_status lun__run_lowered(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n)
{
    outcome o;
    lun_status status = outcome_make(e, l, n, &o);
    if (status == LUN_OK && n > 0)
        status = launch(e, l, k, n, 0, n, &o);
    else if (status == LUN_OK)
        empty_results(l, o.cells);
    if (status == LUN_OK)
        status = keep(e, l, &o);
    outcome_free(e, &o);
    return status;
}

lun_status lun__run_part(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                         int64_t first, int64_t count, void *host)
{
    int64_t from = first / 64 * 64, room = first + count - from;
    outcome o;
    lun_status status = outcome_make(e, l, room, &o);
    if (status == LUN_OK)
        status = launch(e, l, k, n, from, room, &o);
    for (int i = 0; status == LUN_OK && i < o.count; i++)
        status = lun__storage_read(e, o.outputs[i].storage, first - from, count, host);
    outcome_free(e, &o);
    return status;
}
