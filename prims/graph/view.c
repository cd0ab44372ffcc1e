/* view.c - parts of nodes at the offsets of a layout: of an elementwise expression that expression
 * of its operands' parts.  Knows no array and no kernel. */
#include <stdlib.h>

#include "engine/state.h"
#include "graph/axis_indices.h"
#include "graph/node.h"
#include "graph/take_nodes.h"

typedef struct pusher {
    lun_engine *e;
    const lun_layout *at;
    int budget;           /* nodes that may still be rebuilt */
    uint32_t source_line; /* of the node to be rebuilt next, 0: its own */
} pusher;

/* An operation on i, an index, and a number. */
static lun_status with_number(lun_engine *e, lun_op op, lun_node *i, int64_t number, lun_node **out)
{
    lun_node *in[2] = {i, NULL};
    lun_status s = lun__node_number(e, (lun_dtype)i->dtype, (uint64_t)number, 0, NULL, &in[1]);
    if (s == LUN_OK)
        s = lun__node_op(e, op, in, (lun_dtype)i->dtype, i, out);
    lun__node_release(e, in[1]);
    return s;
}

/* Elements of an index that stand evenly: offset + i * step. */
static lun_status even_index(const pusher *c, const lun_layout *even, lun_node **out)
{
    lun_engine *e = c->e;
    lun_node *i = NULL, *flat = NULL, *scaled = NULL;
    lun_status s = lun__node_index(e, even->extent[0], &flat);
    if (s == LUN_OK)
        s = lun__view_node_reshape(e, flat, c->at->rank, c->at->extent, &i);
    lun__node_release(e, flat);
    if (s == LUN_OK)
        s = with_number(e, LUN_OP_MUL, i, even->stride[0], &scaled);
    if (s == LUN_OK)
        s = with_number(e, LUN_OP_ADD, scaled, even->offset, out);
    lun__node_release(e, i);
    lun__node_release(e, scaled);
    return s;
}

/* The operand that has the shape of a part: the others are single numbers. */
static const lun_node *shaped_one(const pusher *c, lun_node *const *in)
{
    int64_t n = lun__layout_count(c->at);
    for (int k = 0; k < 3 && in[k]; k++)
        if (in[k]->n == n && in[k]->rank == c->at->rank)
            return in[k];
    return in[0];
}

static lun_status push_down(pusher *c, lun_node *n, int64_t whole, int depth, lun_node **out);

/* A function may cost much, and windows that overlap would call it for the same elements again: so
 * it is called for a part only where that has each element once, or is a small one. */
static bool is_called(const pusher *c, const lun_node *n, int64_t whole)
{
    enum { SMALL = 4 };
    int64_t count = lun__layout_count(c->at);
    lun_taking spare;
    return n->kind == LUN_NODE_CALL && (n->function || lun__take_node_of(n, &spare)) &&
           (count == whole || count <= whole / SMALL);
}

/* n, a CALL, of the elements of its operands; extra ones stay whole. */
static lun_status push_call(pusher *c, const lun_node *n, int64_t whole, int depth, lun_node **out)
{
    uint32_t source_line = c->source_line ? c->source_line : n->where, here = c->e->source_line;
    const lun_node *like = NULL;
    lun_node **in = calloc((size_t)n->count, sizeof(lun_node *));
    lun_status s = in ? LUN_OK : lun__fail_nomem(c->e);
    int k = 0;
    c->source_line = 0;
    for (; s == LUN_OK && k < n->count; k++) {
        if (k < n->elements)
            s = push_down(c, n->more[k], whole, depth - 1, &in[k]);
        else
            in[k] = lun__node_retain(n->more[k]);
        if (s == LUN_OK && k < n->elements && n->more[k]->n == whole)
            like = in[k];
    }
    c->e->source_line = source_line;
    if (s == LUN_OK && like)
        s = lun__node_call(c->e, n->function, n->body, in, n->count, n->elements,
                           (lun_dtype)n->dtype, like, out);
    else if (s == LUN_OK) /* of numbers alone */
        s = lun__view_node(c->e, (lun_node *)(uintptr_t)n, c->at, out);
    c->e->source_line = here;
    if (s == LUN_OK && like)
        ((*out)->kind == LUN_NODE_SOURCE_LINE ? (*out)->in[0] : *out)->notes = n->notes;
    for (k = 0; in && k < n->count; k++)
        lun__node_release(c->e, in[k]);
    free(in);
    return s;
}

/* One of several results of a CALL. */
static lun_status push_output(pusher *c, const lun_node *n, int64_t whole, int depth,
                              lun_node **out)
{
    lun_node *call = NULL;
    lun_status s = push_call(c, n->in[0], whole, depth, &call);
    if (s == LUN_OK)
        s = lun__node_output(c->e, call, n->op, (lun_dtype)n->dtype, out);
    lun__node_release(c->e, call);
    return s;
}

/* n, elementwise, of the elements of its operands. */
static lun_status push_through(pusher *c, const lun_node *n, int64_t whole, int depth,
                               lun_node **out)
{
    lun_node *in[3] = {0};
    uint32_t source_line = c->source_line ? c->source_line : n->where, here = c->e->source_line;
    lun_status s = LUN_OK;
    int k = 0;
    c->source_line = 0;
    for (; s == LUN_OK && k < 3 && n->in[k]; k++)
        s = push_down(c, n->in[k], whole, depth - 1, &in[k]);
    c->e->source_line = source_line; /* a part stands where the whole was written */
    if (s == LUN_OK && n->kind == LUN_NODE_CAST)
        s = lun__node_cast(c->e, in[0], (lun_dtype)n->dtype, out);
    else if (s == LUN_OK && n->kind == LUN_NODE_RANDOM)
        s = lun__node_random(c->e, in[0], in[1], (lun_dtype)n->dtype, out);
    else if (s == LUN_OK)
        s = lun__node_op(c->e, (lun_op)n->op, in, (lun_dtype)n->dtype, shaped_one(c, in), out);
    c->e->source_line = here;
    if (s == LUN_OK && lun__node_is(n, LUN_IS_SOURCE))
        (*out)->is |= LUN_IS_SOURCE;
    for (k = 0; k < 3; k++)
        lun__node_release(c->e, in[k]);
    return s;
}

/* ---- what is moved, not computed ------------------------------------------------------------- */

/* n's elements at the offsets `at`, which are fewer, of a walk that goes on. */
static lun_status push_moved(pusher *c, lun_node *n, const lun_layout *at, int depth,
                             lun_node **out)
{
    pusher part = {c->e, at, c->budget, c->source_line};
    const int64_t count = lun__layout_count(at);
    bool all = count == n->n && at->offset == 0 && lun__layout_is_dense(at);
    bool repeats = count > n->n; /* which would compute elements again */
    lun_status s = n->rank && !repeats && !all ? push_down(&part, n, n->n, depth - 1, out)
                                               : lun__view_node(c->e, n, at, out);
    c->budget = part.budget;
    c->source_line = 0;
    return s;
}

/* The box of n, which is joined, that w lies in: joined of parts of its operands. */
static lun_status push_box(pusher *c, const lun_node *n, const lun_within *w, int depth,
                           lun_node **out)
{
    const int64_t blocks = w->high[0] - w->low[0] + 1, width = w->high[1] - w->low[1] + 1;
    const int64_t shape[2] = {blocks, width};
    lun_node **in = calloc((size_t)n->count, sizeof(lun_node *));
    lun_status s = in ? LUN_OK : lun__fail_nomem(c->e);
    int64_t low = w->low[1], high = w->high[1];
    int some = 0;
    for (int k = 0; s == LUN_OK && k < n->count && high >= 0; k++) {
        int64_t own = n->more[k]->n / n->step, first = low > 0 ? low : 0;
        int64_t end = high + 1 < own ? high + 1 : own;
        lun_layout at = {.rank = 2,
                         .offset = w->low[0] * own + first,
                         .extent = {blocks, end - first},
                         .stride = {own, 1}};
        if (end > first)
            s = push_moved(c, n->more[k], &at, depth, &in[some++]);
        low -= own;
        high -= own;
    }
    if (s == LUN_OK)
        s = lun__view_node_concat(c->e, in, some, blocks, 2, shape, out);
    while (some)
        lun__node_release(c->e, in[--some]);
    free(in);
    return s;
}

/* A part of what is joined: of the one operand that it lies in, or of parts of some.  *out stays
 * NULL where that is much of it. */
static lun_status push_joined(pusher *c, const lun_node *n, int depth, lun_node **out)
{
    enum { SMALL = 4 };
    const int64_t blocks = n->step, extent[2] = {blocks, n->n / blocks};
    lun_within w;
    int64_t begin = 0;
    if (!lun__axis_indices(c->at, 2, extent, &w))
        return LUN_OK;
    for (int k = 0; k < n->count; k++) {
        int64_t own[2] = {blocks, n->more[k]->n / blocks}, less[2] = {0, begin};
        if (w.low[1] >= begin && w.high[1] < begin + own[1]) {
            lun_layout at = lun__axis_indices_layout(&w, c->at, own, less);
            return push_moved(c, n->more[k], &at, depth, out);
        }
        begin += own[1];
    }
    const int64_t box[2] = {w.high[0] - w.low[0] + 1, w.high[1] - w.low[1] + 1};
    if (box[0] * box[1] > n->n / SMALL)
        return LUN_OK;
    lun_node *some = NULL;
    lun_status s = push_box(c, n, &w, depth, &some);
    lun_layout at = lun__axis_indices_layout(&w, c->at, box, w.low);
    if (s == LUN_OK)
        s = lun__view_node(c->e, some, &at, out);
    lun__node_release(c->e, some);
    return s;
}

/* A box of n, whose extents along `rank` axes are `extent`. */
typedef struct part_box {
    int rank;
    const int64_t *extent;
    int64_t first[LUN_LAYOUT_RANK], count[LUN_LAYOUT_RANK];
} part_box;

/* The box's elements; along some axes it may go on with index 0 behind the last one.  It is cut
 * there once for each axis at most. */
static lun_status push_around(pusher *c, lun_node *n, const part_box *b, int depth, lun_node **out)
{
    int k = 0;
    int64_t blocks = 1;
    while (k < b->rank && b->first[k] + b->count[k] <= b->extent[k])
        blocks *= b->count[k++];
    if (k == b->rank) {
        lun_layout at = lun__layout_right(b->rank, b->extent);
        for (k = 0; k < b->rank; k++) {
            at.extent[k] = b->count[k];
            at.offset += b->first[k] * at.stride[k];
        }
        return push_moved(c, n, &at, depth, out);
    }
    part_box before = *b, behind = *b;
    lun_node *in[2] = {NULL, NULL};
    before.count[k] = b->extent[k] - b->first[k];
    behind.first[k] = 0;
    behind.count[k] -= before.count[k];
    lun_status s = push_around(c, n, &before, depth, &in[0]);
    if (s == LUN_OK)
        s = push_around(c, n, &behind, depth, &in[1]);
    if (s == LUN_OK)
        s = lun__view_node_concat(c->e, in, 2, blocks, b->rank, b->count, out);
    lun__node_release(c->e, in[0]);
    lun__node_release(c->e, in[1]);
    return s;
}

/* A small part of a padded expression: of that of the elements that it needs.  *out stays NULL
 * where it is large: several parts, as those that stencils read, would compute what they share
 * again. */
static lun_status push_padded(pusher *c, const lun_node *n, int depth, lun_node **out)
{
    enum { SMALL = 64 };
    lun_padding p, part;
    lun_within w;
    int64_t box = 1;
    lun_node *inner = NULL, *padded = NULL;
    lun__node_padding(n, &p);
    part_box b = {.rank = p.rank, .extent = p.inner};
    if (!lun__axis_indices(c->at, p.rank, p.extent, &w) ||
        !lun__axis_indices_padded(&w, &p, &part, b.first))
        return LUN_OK;
    for (int k = 0; k < p.rank; k++) {
        box *= part.extent[k];
        b.count[k] = part.inner[k];
    }
    if (box > n->n / SMALL)
        return LUN_OK;
    lun_status s = push_around(c, n->in[0], &b, depth, &inner);
    if (s == LUN_OK)
        s = lun__view_node_pad(c->e, inner, &part, &padded);
    const lun_layout at = lun__axis_indices_layout(&w, c->at, part.extent, w.low);
    if (s == LUN_OK)
        s = lun__view_node(c->e, padded, &at, out);
    lun__node_release(c->e, inner);
    lun__node_release(c->e, padded);
    return s;
}

static bool is_computed(const lun_node *n)
{
    return n->kind == LUN_NODE_OP || n->kind == LUN_NODE_CAST || n->kind == LUN_NODE_RANDOM;
}

/* A part of n, which moves elements; *out stays NULL where it is as well taken of n itself. */
static lun_status push_into(pusher *c, lun_node *n, int depth, lun_node **out)
{
    lun_layout inner, composed;
    *out = NULL;
    if (n->kind == LUN_NODE_VIEW) {
        lun_node *of = n->in[0];
        lun__node_layout(n, &inner);
        if ((of->kind != LUN_NODE_CONCAT && of->kind != LUN_NODE_PAD) ||
            !lun__layout_composed(&inner, c->at, &composed))
            return LUN_OK;
        pusher part = {c->e, &composed, c->budget, 0};
        lun_status s = push_into(&part, of, depth, out);
        c->budget = part.budget;
        return s;
    }
    if (!depth || c->budget-- <= 0)
        return LUN_OK;
    if (n->kind == LUN_NODE_CONCAT)
        return push_joined(c, n, depth, out);
    return is_computed(n->in[0]) ? push_padded(c, n, depth, out) : LUN_OK;
}

/* A part of an elementwise expression is that expression of parts: only what is asked for gets
 * computed.  Depth and number of nodes are bounded; what is larger is cut as it stands. */
static lun_status push_down(pusher *c, lun_node *n, int64_t whole, int depth, lun_node **out)
{
    if (n->n != whole || n->rank == 0) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    if (n->kind == LUN_NODE_SOURCE_LINE) {
        c->source_line = n->where;
        return push_down(c, n->in[0], whole, depth, out);
    }
    if (n->kind == LUN_NODE_RESHAPE)
        return push_down(c, n->in[0], whole, depth, out);
    lun_layout even = lun__layout_simplified(c->at);
    if (n->kind == LUN_NODE_INDEX && even.rank == 1) {
        c->source_line = 0;
        return even_index(c, &even, out);
    }
    if (n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_CONCAT || n->kind == LUN_NODE_PAD) {
        lun_status s = push_into(c, n, depth, out);
        if (s != LUN_OK || *out) {
            c->source_line = 0;
            return s;
        }
    }
    if (is_computed(n) && depth && c->budget-- > 0)
        return push_through(c, n, whole, depth, out);
    if (is_called(c, n, whole) && depth && c->budget-- > 0)
        return push_call(c, n, whole, depth, out);
    if (n->kind == LUN_NODE_OUTPUT && is_called(c, n->in[0], whole) && depth && c->budget-- > 0)
        return push_output(c, n, whole, depth, out);
    c->source_line = 0;
    return lun__view_node(c->e, n, c->at, out);
}

lun_status lun__view(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out)
{
    int64_t count = lun__layout_count(l);
    bool all = count == a->n && l->offset == 0 && lun__layout_is_dense(l); /* in another shape */
    bool less = count <= a->n; /* what repeats elements would compute them again */
    if (a->n > 1 && less && !all && l->rank > 0 && !lun__node_ready(a)) {
        pusher c = {e, l, 64, 0};
        return push_down(&c, a, a->n, 24, out);
    }
    return lun__view_node(e, a, l, out);
}
