/* view.c - parts of nodes at the places of a layout: of an elementwise expression that expression
 * of its operands' parts.  Knows no array and no kernel. */
#include <stdlib.h>

#include "engine/state.h"
#include "graph/node.h"
#include "graph/take.h"

typedef struct pusher {
    lun_engine *e;
    const lun_layout *at;
    int budget;     /* nodes that may still be rebuilt */
    uint32_t place; /* of the node to be rebuilt next, 0: its own */
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
        s = lun__node_reshape(e, flat, c->at->rank, c->at->extent, &i);
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
    return n->kind == LUN_NODE_CALL && (n->function || lun__node_taking(n, &spare)) &&
           (count == whole || count <= whole / SMALL);
}

/* n, a CALL, of the elements of its operands; extra ones stay whole. */
static lun_status push_call(pusher *c, const lun_node *n, int64_t whole, int depth, lun_node **out)
{
    uint32_t place = c->place ? c->place : n->where, here = c->e->place;
    const lun_node *like = NULL;
    lun_node **in = calloc((size_t)n->count, sizeof(lun_node *));
    lun_status s = in ? LUN_OK : lun__nomem(c->e);
    int k = 0;
    c->place = 0;
    for (; s == LUN_OK && k < n->count; k++) {
        if (k < n->elements)
            s = push_down(c, n->more[k], whole, depth - 1, &in[k]);
        else
            in[k] = lun__node_retain(n->more[k]);
        if (s == LUN_OK && k < n->elements && n->more[k]->n == whole)
            like = in[k];
    }
    c->e->place = place;
    if (s == LUN_OK && like)
        s = lun__node_call(c->e, n->function, n->body, in, n->count, n->elements,
                           (lun_dtype)n->dtype, like, out);
    else if (s == LUN_OK) /* of numbers alone */
        s = lun__node_view(c->e, (lun_node *)(uintptr_t)n, c->at, out);
    c->e->place = here;
    if (s == LUN_OK && like)
        ((*out)->kind == LUN_NODE_PLACE ? (*out)->in[0] : *out)->notes = n->notes;
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
    uint32_t place = c->place ? c->place : n->where, here = c->e->place;
    lun_status s = LUN_OK;
    int k = 0;
    c->place = 0;
    for (; s == LUN_OK && k < 3 && n->in[k]; k++)
        s = push_down(c, n->in[k], whole, depth - 1, &in[k]);
    c->e->place = place; /* a part stands where the whole was written */
    if (s == LUN_OK && n->kind == LUN_NODE_CAST)
        s = lun__node_cast(c->e, in[0], (lun_dtype)n->dtype, out);
    else if (s == LUN_OK && n->kind == LUN_NODE_RANDOM)
        s = lun__node_random(c->e, in[0], in[1], (lun_dtype)n->dtype, out);
    else if (s == LUN_OK)
        s = lun__node_op(c->e, (lun_op)n->op, in, (lun_dtype)n->dtype, shaped_one(c, in), out);
    c->e->place = here;
    if (s == LUN_OK && lun__node_is(n, LUN_IS_SOURCE))
        (*out)->is |= LUN_IS_SOURCE;
    for (k = 0; k < 3; k++)
        lun__node_release(c->e, in[k]);
    return s;
}

/* A part of an elementwise expression is that expression of parts: only what is asked for gets
 * computed.  Depth and number of nodes are bounded; what is larger is cut as it stands. */
static lun_status push_down(pusher *c, lun_node *n, int64_t whole, int depth, lun_node **out)
{
    if (n->n != whole || n->rank == 0) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    if (n->kind == LUN_NODE_PLACE) {
        c->place = n->where;
        return push_down(c, n->in[0], whole, depth, out);
    }
    if (n->kind == LUN_NODE_RESHAPE)
        return push_down(c, n->in[0], whole, depth, out);
    lun_layout even = lun__layout_simplified(c->at);
    if (n->kind == LUN_NODE_INDEX && even.rank == 1) {
        c->place = 0;
        return even_index(c, &even, out);
    }
    bool elementwise =
        n->kind == LUN_NODE_OP || n->kind == LUN_NODE_CAST || n->kind == LUN_NODE_RANDOM;
    if (elementwise && depth && c->budget-- > 0)
        return push_through(c, n, whole, depth, out);
    if (is_called(c, n, whole) && depth && c->budget-- > 0)
        return push_call(c, n, whole, depth, out);
    if (n->kind == LUN_NODE_OUTPUT && is_called(c, n->in[0], whole) && depth && c->budget-- > 0)
        return push_output(c, n, whole, depth, out);
    c->place = 0;
    return lun__node_view(c->e, n, c->at, out);
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
    return lun__node_view(e, a, l, out);
}
