/* make_node.c - nodes that have elements, and those that compute them one by one (fold_nodes.c:
 * nodes that combine elements; view_nodes.c: those that place them). */
#include <stdlib.h>
#include <string.h>

#include "graph/make_node.h"

static lun_status countable(lun_engine *e, int64_t n)
{
    return n <= LUN_MOST_ELEMENTS
               ? LUN_OK
               : lun__fail(e, LUN_ERANGE, "too many elements: %lld, of at most 2^63 - 2^20 - 1",
                           (long long)n);
}

lun_status lun__node_set_shape(lun_engine *e, lun_node *n, int rank, const int64_t *shape)
{
    n->rank = (uint8_t)rank;
    n->n = 1;
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(n->n, shape[i], &n->n))
            return lun__fail(e, LUN_ERANGE,
                             "too many elements: the product of the extents exceeds 2^63");
    lun_status s = countable(e, n->n);
    if (s != LUN_OK || rank < 2)
        return s;
    bool both = n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD; /* see lun__node_set_both */
    n->shape = malloc((both ? 2 : 1) * (size_t)rank * sizeof *n->shape);
    if (!n->shape)
        return lun__fail_nomem(e);
    n->extended = 1;
    memcpy(n->shape, shape, (size_t)rank * sizeof *shape);
    return LUN_OK;
}

lun_status lun__node_set_both(lun_engine *e, lun_node *n, int rank, const int64_t *shape,
                              const int64_t *other)
{
    lun_status s = lun__node_set_shape(e, n, rank, shape);
    if (s == LUN_OK && rank > 1)
        memcpy(n->shape + rank, other, (size_t)rank * sizeof *other);
    return s;
}

lun_status lun__node_set_operands(lun_engine *e, lun_node *n, lun_node *const *in, int count)
{
    n->more = malloc((size_t)count * sizeof *n->more);
    if (!n->more)
        return lun__fail_nomem(e);
    memcpy(n->more, in, (size_t)count * sizeof *n->more);
    n->extended = 1;
    n->count = count;
    return LUN_OK;
}

lun_status lun__node_shaped(lun_engine *e, lun_node *n, lun_status s, lun_node **out)
{
    if (s == LUN_OK)
        return lun__node_intern(e, n, out);
    lun__node_drop(e, n);
    return s;
}

lun_status lun__node_leaf(lun_engine *e, lun_storage *s, int64_t offset, int rank,
                          const int64_t *shape, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_LEAF, 0, s->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->offset = offset;
    lun_status status = lun__node_set_shape(e, n, rank, shape);
    if (status != LUN_OK) {
        lun__node_drop(e, n);
        return status;
    }
    s->refs++;
    n->storage = s;
    n->is = s->source ? LUN_IS_UNBACKED : 0;
    *out = n;
    return LUN_OK;
}

lun_status lun__node_number(lun_engine *e, lun_dtype t, uint64_t cell, int rank,
                            const int64_t *shape, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_NUMBER, 0, t);
    if (!n)
        return lun__fail_nomem(e);
    n->cell = cell;
    return lun__node_shaped(e, n, lun__node_set_shape(e, n, rank, shape), out);
}

lun_status lun__node_index(lun_engine *e, int64_t length, lun_node **out)
{
    if (countable(e, length) != LUN_OK)
        return LUN_ERANGE;
    lun_node *n = lun__node_start(e, LUN_NODE_INDEX, 0, LUN_I64);
    if (!n)
        return lun__fail_nomem(e);
    n->rank = 1;
    n->n = length;
    n->is |= LUN_IS_SOURCE;
    return lun__node_intern(e, n, out);
}

lun_status lun__node_random(lun_engine *e, lun_node *key, lun_node *index, lun_dtype t,
                            lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_RANDOM, 0, t);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = key;
    n->in[1] = index;
    n->is |= LUN_IS_SOURCE;
    return lun__node_shaped(e, n, lun__node_set_shape_like(e, n, index), out);
}

/* Whether a kernel that computes n may fail there: a C function need not even compile, and without
 * a function a call is the engine's own check. What a front end's may fail at names its source
 * segments. */
static inline bool may_fail(const lun_node *n)
{
    if (n->kind == LUN_NODE_CALL)
        return n->body->text || !n->function;
    return n->kind == LUN_NODE_OP && lun__op_get((lun_op)n->op)->flags & LUN_OPF_TRAP0 &&
           !lun__dtype_is_float((lun_dtype)n->dtype);
}

/* *out, built at another source line before, as built at this one; exchanges the reference. */
static lun_status mark_line(lun_engine *e, lun_node **out)
{
    lun_node *shared = *out;
    lun_node *n =
        lun__node_start(e, LUN_NODE_SOURCE_LINE, (int32_t)e->source_line, (lun_dtype)shared->dtype);
    lun_status s = LUN_ENOMEM;
    if (n) {
        n->in[0] = shared;
        s = lun__node_shaped(e, n, lun__node_set_shape_like(e, n, shared), out);
    }
    lun__node_release(e, shared);
    return s;
}

/* *out, just made with status s: as built at this source line if it may fail. */
static inline lun_status placed(lun_engine *e, lun_status s, lun_node **out)
{
    if (s == LUN_OK && (*out)->where != e->source_line && e->source_line && may_fail(*out))
        s = mark_line(e, out);
    return s;
}

lun_status lun__node_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                        const lun_node *like, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_OP, (int32_t)op, t);
    if (!n)
        return lun__fail_nomem(e);
    for (int k = 0; k < lun__op_get(op)->arity; k++)
        n->in[k] = in[k];
    return placed(e, lun__node_shaped(e, n, lun__node_set_shape_like(e, n, like), out), out);
}

lun_status lun__node_cast(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_CAST, 0, t);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = a;
    n->is |= a->is & LUN_IS_SOURCE;
    return lun__node_shaped(e, n, lun__node_set_shape_like(e, n, a), out);
}

lun_status lun__node_call(lun_engine *e, lun_function *f, const lun_ir_function *body,
                          lun_node *const *in, int count, int elements, lun_dtype t,
                          const lun_node *like, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_CALL, 0, t);
    if (!n)
        return lun__fail_nomem(e);
    lun_status s = lun__node_set_operands(e, n, in, count);
    if (s == LUN_OK) {
        n->function = f;
        n->body = body;
        n->elements = elements;
        s = lun__node_set_shape_like(e, n, like);
    }
    return placed(e, lun__node_shaped(e, n, s, out), out);
}

lun_status lun__node_output(lun_engine *e, lun_node *call, int number, lun_dtype t, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_OUTPUT, number, t);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = call;
    return lun__node_shaped(e, n, lun__node_set_shape_like(e, n, call), out);
}

lun_status lun__node_again(lun_engine *e, const lun_node *from, int32_t op, lun_node *const *in,
                           lun_function *f, const lun_ir_function *body, lun_node **out)
{
    lun_node *n = lun__node_start(e, (lun_node_kind)from->kind, op, (lun_dtype)from->dtype);
    if (!n)
        return lun__fail_nomem(e);
    lun_status s = LUN_OK;
    n->acc = from->acc;
    n->inclusive = from->inclusive;
    n->is = from->is & (LUN_IS_SOURCE | LUN_IS_VIRTUAL | LUN_IS_UNBACKED);
    n->rank = from->rank;
    n->n = from->n;
    n->offset = from->offset;
    n->step = from->step;
    n->cell = from->cell;
    if (lun__node_has_many(from))
        s = lun__node_set_operands(e, n, in, from->count);
    for (int k = 0; k < 3 && !lun__node_has_many(from); k++)
        n->in[k] = in[k];
    if (s == LUN_OK && from->rank > 1)
        s = n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD
                ? lun__node_set_both(e, n, from->rank, from->shape, from->shape + from->rank)
                : lun__node_set_shape(e, n, from->rank, from->shape);
    n->elements = from->elements;
    n->function = f;
    n->body = body;
    n->notes = from->notes;
    n->extended |= f || body || from->notes;
    s = lun__node_shaped(e, n, s, out);
    if (s == LUN_OK)
        (*out)->is |= from->is & LUN_IS_WHOLE;
    return s;
}
