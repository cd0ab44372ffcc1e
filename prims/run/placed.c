/* placed.c - a kernel on several places: what each needs is made current there, each runs its
 * indices as a launch of its own, chunks are joined where the first one ran; see placed.h.  Who
 * runs what is plan/placing.c's. */
#include "run/placed.h"

#include <stdlib.h>

#include "ir/order.h"
#include "plan/placing.h"
#include "run/bind.h"
#include "run/join.h"
#include "store/placed.h"

typedef struct sharing {
    lun_engine *e;
    const lun_lowered *l;
    const lun_spread *cut;
    lun_storage *const *written;
    uint64_t *cells;
    lun_kernel_entry *kernel; /* of the first place that ran, and its binding: */
    lun_binding first;        /* they join the chunks */
    int at;                   /* e->current of it; -1: none has run */
} sharing;

/* ---- slots ----------------------------------------------------------------------------------- */

/* Slot i begins with element `element` of s, whose piece at a place is x. */
static void bind_piece(lun_binding *to, int i, const lun_storage *s, const lun_piece *x,
                       int64_t element)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    to->origin[i] = element - x->lo;
    to->room[i] = x->lo + lun__order_blocks(x->hi - x->lo) - element;
    to->at[i] = x->data ? (char *)x->data + (element - x->lo) * size : (void *)x->buffer;
}

static lun_status bind_written(lun_engine *e, lun_binding *to, int i, lun_storage *s,
                               lun_backend_slot *at, lun_interval indices)
{
    lun_piece *x;
    lun_status status = lun__placed_result(e, s, at, indices.lo, indices.hi, &x);
    if (status != LUN_OK)
        return status;
    bind_piece(to, i, s, x, indices.lo);
    to->written += (indices.hi - indices.lo) * lun__dtype_get(s->dtype)->bytes;
    return LUN_OK;
}

/* Positions, which are in no memory. */
static lun_status bind_places(lun_engine *e, lun_binding *to, int i, int64_t first)
{
    lun_layout at;
    lun__node_layout(to->l->slots[i].view, &at);
    lun_status status = lun__bind_layout(e, to, i, sizeof(int64_t), &at);
    if (status != LUN_OK)
        return status;
    to->origin[i] = 0;
    to->streams[i].origin = first;
    to->streams[i].is_places = true;
    return LUN_OK;
}

/* Makes what slot i reads current at the place.  The piece's memory moves when another slot asks
 * for more of the same array, so all are made current before one is bound. */
static lun_status ensure(lun_engine *e, const lun_lowered *l, int i, lun_backend_slot *at,
                         lun_interval indices, lun_piece **x)
{
    const lun_node *n = l->slots[i].node;
    const lun_interval need = lun__placing_need(l, i, indices);
    if (l->ir.slots[i].role == LUN_SLOT_OUT || n->kind == LUN_NODE_INDEX)
        return LUN_OK;
    lun_status s = n->storage->source ? lun__storage_host(e, n->storage, false) : LUN_OK;
    if (s != LUN_OK)
        return s;
    return lun__placed_ensure(e, n->storage, at, n->offset + need.lo, n->offset + need.hi, x);
}

static lun_status bind_read(lun_engine *e, lun_binding *to, int i, lun_backend_slot *at,
                            lun_interval indices)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = from->node;
    const lun_interval need = lun__placing_need(to->l, i, indices);
    const int64_t size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    lun_layout layout;
    lun_piece *x;
    if (n->kind == LUN_NODE_INDEX)
        return bind_places(e, to, i, indices.lo);
    lun_status status = ensure(e, to->l, i, at, indices, &x);
    if (status != LUN_OK)
        return status;
    to->read += (need.hi - need.lo) * size;
    if (!from->view) {
        bind_piece(to, i, n->storage, x, n->offset + need.lo);
        return LUN_OK;
    }
    lun__node_layout(from->view, &layout);
    status = lun__bind_layout(e, to, i, (int)size, &layout);
    if (status != LUN_OK)
        return status;
    bind_piece(to, i, n->storage, x, n->offset);
    to->room[i] = INT64_MAX;
    to->strided[i].base = x->data ? to->at[i] : NULL;
    to->streams[i].origin = indices.lo;
    return LUN_OK;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Results that are places count from the launch's first index. */
static void shift_places(const lun_ir *ir, uint64_t *row, int64_t rows, int64_t first)
{
    for (int k = 0; k < ir->count; k++)
        for (int64_t r = 0; lun__ir_places(&ir->ins[k]) && r < rows; r++)
            row[r * ir->result_count + ir->ins[k].imm + 1] += (uint64_t)first;
}

static lun_status run_bound(sharing *w, lun_binding *to, lun_kernel_entry *k, lun_interval indices)
{
    const lun_ir *ir = &w->l->ir;
    const int64_t count = indices.hi - indices.lo;
    uint64_t *rows = w->cells + indices.lo / LUN_CHUNK * ir->result_count;
    if (w->l->base)
        to->cells[w->l->base - 1] = (uint64_t)indices.lo;
    to->apart = true;
    to->bytes = to->read + to->written;
    lun_status s = lun__bind_run(w->e, to, k, count, 0, count, rows);
    if (s == LUN_OK)
        shift_places(ir, rows, lun__order_chunks(ir, count), indices.lo);
    return s;
}

/* The indices of one place; its binding stays open where it is the first. */
static lun_status run_there(sharing *w, lun_backend_slot *at, lun_interval indices)
{
    lun_engine *e = w->e;
    lun_kernel_entry *k;
    lun_binding own, *to = w->at < 0 ? &w->first : &own;
    const int64_t launches = e->stats.launches;
    lun_piece *x;
    lun_status s = lun__run_kernel(e, w->l, &k);
    if (s != LUN_OK)
        return s;
    s = lun__bind_open(e, w->l, to);
    for (int i = 0; s == LUN_OK && i < w->l->ir.slot_count; i++)
        s = ensure(e, w->l, i, at, indices, &x);
    for (int i = 0; s == LUN_OK && i < w->l->ir.slot_count; i++)
        s = w->l->ir.slots[i].role == LUN_SLOT_OUT
                ? bind_written(e, to, i, w->written[i], at, indices)
                : bind_read(e, to, i, at, indices);
    if (s == LUN_OK)
        s = run_bound(w, to, k, indices);
    if (at->counted)
        at->counted->launches += e->stats.launches - launches;
    if (s != LUN_OK || w->at >= 0) {
        lun__bind_close(to);
        return s;
    }
    w->kernel = k;
    w->at = e->current;
    return LUN_OK;
}

static lun_status join(sharing *w, int64_t n)
{
    lun_engine *e = w->e;
    if (!w->l->ir.result_count || w->at < 0)
        return LUN_OK;
    w->first.run.partials = w->cells;
    return lun__join_apart(e, &e->backends[w->at], w->l, w->kernel->kernel, &w->first.run,
                           lun__order_chunks(&w->l->ir, n));
}

lun_status lun__placed_launch(lun_engine *e, const lun_lowered *l, int64_t n, const lun_spread *cut,
                              lun_storage *const *written, uint64_t *cells)
{
    sharing w = {.e = e, .l = l, .cut = cut, .written = written, .cells = cells, .at = -1};
    const int before = e->current;
    lun_status s = LUN_OK;
    e->kernels_held++;
    for (int k = 0; s == LUN_OK && k < cut->places; k++) {
        const lun_interval indices = lun__placing_range(cut, l, k);
        lun_backend_slot *at = lun__set_at(e, k);
        if (indices.lo >= indices.hi)
            continue;
        lun__set_enter(e, at);
        s = run_there(&w, at, indices);
        if (s == LUN_OK)
            s = lun__stopped(e);
    }
    if (s == LUN_OK)
        s = join(&w, n);
    if (w.at >= 0)
        lun__bind_close(&w.first);
    e->current = before;
    e->kernels_held--;
    return s;
}

/* ---- distributions --------------------------------------------------------------------------- */

static const lun_spread *look(void *ctx, const lun_node *n, int64_t *offset)
{
    *offset = n->offset;
    return n->kind == LUN_NODE_LEAF ? lun__placed_spread(ctx, n->storage) : NULL;
}

lun_status lun__placed_cut(lun_engine *e, const lun_lowered *l, int64_t n, lun_spread **out)
{
    return lun__placing_cut(e, l, n, look, e, out);
}

lun_status lun__placed_settle(lun_engine *e, const lun_lowered *l, lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        if (n->kind != LUN_NODE_LEAF || l->ir.slots[i].role != LUN_SLOT_IN)
            continue;
        const lun_spread *was = lun__placed_spread(e, n->storage);
        if (lun__placing_becomes(l, i, cut, was, n->offset, n->storage->count))
            s = lun__placed_decide(e, n->storage, cut);
    }
    return s;
}

/* ---- one place alone ------------------------------------------------------------------------- */

static lun_status gather(lun_engine *e, const lun_step *step, const lun_node *n)
{
    lun_buffer *buffer;
    n = lun__placing_array(n);
    if (!n || n->kind != LUN_NODE_LEAF || !n->storage->placed || !n->storage->stale)
        return LUN_OK;
    return lun__placing_on_device(e, step)
               ? lun__storage_buffer(e, n->storage, &e->backends[e->current], &buffer)
               : lun__storage_host(e, n->storage, false);
}

lun_status lun__placed_gather(lun_engine *e, const lun_step *step)
{
    lun_status s = LUN_OK;
    const lun_node *n;
    for (int i = 0; s == LUN_OK && (n = lun__placing_operand(step, i)); i++)
        s = gather(e, step, n);
    return s;
}
