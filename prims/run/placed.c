/* placed.c - a kernel on several places: what each needs is made current there, each runs its
 * indices as a launch of its own, chunks are joined where the first one ran; see placed.h.  Who
 * runs what is plan/placing.c's. */
#include "run/placed.h"

#include <stdlib.h>
#include <string.h>

#include "ir/order.h"
#include "plan/placing.h"
#include "run/bind.h"
#include "run/carry.h"
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
    uint64_t carry;           /* of a SCAN: what it came to before this place, */
    bool carried;             /* if there was one */
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
    const lun_slot_source *from = &to->l->slots[i];
    lun__node_layout(from->view ? from->view : from->node, &at);
    lun_status status = lun__bind_layout(e, to, i, sizeof(int64_t), &at);
    if (status != LUN_OK)
        return status;
    to->origin[i] = 0;
    to->streams[i].origin = first;
    to->streams[i].is_places = true;
    return LUN_OK;
}

/* The LEAF that a slot reads elements of. */
static const lun_node *array_of(const lun_slot_source *from)
{
    return from->node->kind == LUN_NODE_PAD ? from->node->in[0] : from->node;
}

/* Makes what slot i reads current at the place.  The piece's memory moves when another slot asks
 * for more of the same array, so all are made current before one is bound. */
static lun_status ensure(lun_engine *e, const lun_lowered *l, int i, lun_backend_slot *at,
                         lun_interval indices, lun_piece **x)
{
    const lun_node *n = array_of(&l->slots[i]);
    const lun_interval need = lun__placing_need(l, i, indices, at);
    if (l->ir.slots[i].role == LUN_SLOT_OUT || n->kind == LUN_NODE_INDEX)
        return LUN_OK;
    lun_status s = n->storage->source ? lun__storage_host(e, n->storage, false) : LUN_OK;
    if (s != LUN_OK)
        return s;
    return lun__placed_ensure(e, n->storage, at, n->offset + need.lo, n->offset + need.hi, x);
}

/* Slot i, whose elements do not stand side by side in the piece x. */
static lun_status bind_layout(lun_engine *e, lun_binding *to, int i, const lun_piece *x,
                              int64_t first)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = array_of(from);
    lun_layout layout;
    lun__node_layout(from->view ? from->view : from->node, &layout);
    lun_status s = lun__bind_layout(e, to, i, lun__dtype_get((lun_dtype)n->dtype)->bytes, &layout);
    if (s == LUN_OK && n != from->node)
        s = lun__bind_padding(e, to, i, from->node);
    if (s != LUN_OK)
        return s;
    bind_piece(to, i, n->storage, x, n->offset);
    to->room[i] = INT64_MAX;
    to->strided[i].base = x->data ? to->at[i] : NULL;
    to->streams[i].origin = first;
    return LUN_OK;
}

static lun_status bind_read(lun_engine *e, lun_binding *to, int i, lun_backend_slot *at,
                            lun_interval indices)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = array_of(from);
    const lun_interval need = lun__placing_need(to->l, i, indices, at);
    lun_piece *x;
    if (n->kind == LUN_NODE_INDEX)
        return bind_places(e, to, i, indices.lo);
    lun_status s = ensure(e, to->l, i, at, indices, &x);
    if (s != LUN_OK)
        return s;
    if (n != from->node && at->backend->buffer_new) { /* the device makes the padded array */
        s = lun__bind_slot(e, to, i, NULL, 0, indices.hi - indices.lo);
        if (s == LUN_OK)
            to->streams[i].origin = indices.lo;
        return s;
    }
    to->read += (need.hi - need.lo) * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    if (from->view || n != from->node)
        return bind_layout(e, to, i, x, indices.lo);
    bind_piece(to, i, n->storage, x, n->offset + need.lo);
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

/* Row of the cells of an index: of its chunk, or its line. */
static int64_t row_of(const lun_lowered *l, int64_t index)
{
    return index / (l->line ? l->line : LUN_CHUNK);
}

static lun_status run_bound(sharing *w, const lun_lowered *l, lun_binding *to, lun_kernel_entry *k,
                            lun_interval indices)
{
    const lun_ir *ir = &l->ir;
    const int64_t count = indices.hi - indices.lo;
    uint64_t *rows = w->cells + row_of(l, indices.lo) * ir->result_count;
    if (l->base)
        to->cells[l->base - 1] = (uint64_t)indices.lo;
    if (w->carried)
        to->cells[lun__placing_start(w->l)] = w->carry;
    to->apart = !l->line;
    to->bytes = to->read + to->written;
    lun_status s = lun__bind_run(w->e, to, k, count, 0, count, rows);
    if (s == LUN_OK && !l->line)
        shift_places(ir, rows, lun__order_chunks(ir, count), indices.lo);
    return s;
}

/* Indices of kernel l at one place, with `to` to be closed. */
static lun_status run_at(sharing *w, const lun_lowered *l, lun_storage *const *written,
                         lun_backend_slot *at, lun_interval indices, lun_binding *to,
                         lun_kernel_entry **k)
{
    lun_engine *e = w->e;
    const int64_t launches = e->stats.launches;
    lun_piece *x;
    lun_status s = lun__run_kernel(e, l, k);
    if (s == LUN_OK)
        s = lun__bind_open(e, l, to);
    else
        *to = (lun_binding){0};
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        s = ensure(e, l, i, at, indices, &x);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        s = l->ir.slots[i].role == LUN_SLOT_OUT ? bind_written(e, to, i, written[i], at, indices)
                                                : bind_read(e, to, i, at, indices);
    if (s == LUN_OK)
        s = run_bound(w, l, to, *k, indices);
    if (at->counted)
        at->counted->launches += e->stats.launches - launches;
    return s;
}

/* The indices of one place; its binding stays open where it is the first. */
static lun_status run_there(sharing *w, lun_backend_slot *at, lun_interval indices)
{
    lun_kernel_entry *k;
    lun_binding own, *to = w->at < 0 ? &w->first : &own;
    lun_status s = run_at(w, w->l, w->written, at, indices, to, &k);
    if (s != LUN_OK || w->at >= 0) {
        lun__bind_close(to);
        return s;
    }
    w->kernel = k;
    w->at = w->e->current;
    return LUN_OK;
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* The last of the elements that a place has just written. */
static lun_status read_last(lun_storage *s, lun_backend_slot *at, uint64_t *cell)
{
    lun_piece *x = lun__placed_piece(s->placed, at); /* there is one */
    const int64_t size = lun__dtype_get(s->dtype)->bytes, last = (x->hi - x->lo - 1) * size;
    *cell = 0;
    if (x->buffer)
        return at->backend->download(at->state, x->buffer, last, cell, size);
    memcpy(cell, (const char *)x->data + last, (size_t)size);
    return LUN_OK;
}

/* What the scan has come to behind the indices of a place, for the next one. */
static lun_status carry_on(sharing *w, lun_backend_slot *at, lun_interval indices)
{
    lun_lowered carry;
    lun_storage *to = NULL, **written;
    lun_binding b;
    lun_kernel_entry *k;
    if (indices.lo >= indices.hi)
        return LUN_OK;
    lun_status s = lun__carry_open(w->e, w->l, &carry);
    if (s != LUN_OK)
        return s;
    const lun_dtype t = (lun_dtype)carry.ir.ins[carry.ir.scan].dtype;
    written = calloc((size_t)carry.ir.slot_count, sizeof(lun_storage *));
    s = written ? lun__storage_empty(w->e, t, indices.hi, &to) : lun__nomem(w->e);
    for (int i = 0; s == LUN_OK && i < carry.ir.slot_count; i++)
        written[i] = to;
    if (s == LUN_OK) {
        s = run_at(w, &carry, written, at, indices, &b, &k);
        lun__bind_close(&b);
    }
    if (s == LUN_OK)
        s = read_last(to, at, &w->carry);
    w->carried = true;
    if (to)
        lun__storage_release(w->e, to);
    free(written);
    lun__carry_close(&carry);
    return s;
}

/* ---- all places ------------------------------------------------------------------------------ */

static lun_status join(sharing *w, int64_t n)
{
    lun_engine *e = w->e;
    if (!w->l->ir.result_count || w->l->line || w->at < 0)
        return LUN_OK;
    w->first.run.partials = w->cells;
    lun_status s = lun__join_apart(e, &e->backends[w->at], w->l, w->kernel->kernel, &w->first.run,
                                   lun__order_chunks(&w->l->ir, n));
    return s == LUN_OK ? s : lun__bind_failed(e, &w->first, s, n);
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
            s = carry_on(&w, at, lun__placing_carried(cut, l, k));
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
