/* make.c - one node of each kind that computes or has elements (makeview.c: of those that place
 * them).  Knows how a node is filled, not where it is kept: the table may have an equal one to give
 * instead. */
#include <stdlib.h>
#include <string.h>

#include "graph/make.h"

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
        return lun__nomem(e);
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

static inline lun_status shape_like(lun_engine *e, lun_node *n, const lun_node *like)
{
    if (like->rank < 2) {
        n->rank = like->rank;
        n->n = like->n;
        return LUN_OK;
    }
    return lun__node_set_shape(e, n, like->rank, like->shape);
}

lun_status lun__node_set_operands(lun_engine *e, lun_node *n, lun_node *const *in, int count)
{
    n->more = malloc((size_t)count * sizeof *n->more);
    if (!n->more)
        return lun__nomem(e);
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
        return LUN_ENOMEM;
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
        return LUN_ENOMEM;
    n->cell = cell;
    return lun__node_shaped(e, n, lun__node_set_shape(e, n, rank, shape), out);
}

lun_status lun__node_index(lun_engine *e, int64_t length, lun_node **out)
{
    if (countable(e, length) != LUN_OK)
        return LUN_ERANGE;
    lun_node *n = lun__node_start(e, LUN_NODE_INDEX, 0, LUN_I64);
    if (!n)
        return LUN_ENOMEM;
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
        return LUN_ENOMEM;
    n->in[0] = key;
    n->in[1] = index;
    n->is |= LUN_IS_SOURCE;
    return lun__node_shaped(e, n, shape_like(e, n, index), out);
}

/* Whether a kernel that computes n may fail there: a C function need not even compile, and without
 * a function a call is the engine's own check. What a front end's may fail at names its places. */
static inline bool may_fail(const lun_node *n)
{
    if (n->kind == LUN_NODE_CALL)
        return n->body->text || !n->function;
    return n->kind == LUN_NODE_OP && lun__op_get((lun_op)n->op)->flags & LUN_OPF_TRAP0 &&
           !lun__dtype_is_float((lun_dtype)n->dtype);
}

/* *out, built at another place before, as built at this one; exchanges the reference. */
static lun_status place(lun_engine *e, lun_node **out)
{
    lun_node *shared = *out;
    lun_node *n = lun__node_start(e, LUN_NODE_PLACE, (int32_t)e->place, (lun_dtype)shared->dtype);
    lun_status s = LUN_ENOMEM;
    if (n) {
        n->in[0] = shared;
        s = lun__node_shaped(e, n, shape_like(e, n, shared), out);
    }
    lun__node_release(e, shared);
    return s;
}

/* *out, just made with status s: as built at this place if it may fail. */
static inline lun_status placed(lun_engine *e, lun_status s, lun_node **out)
{
    if (s == LUN_OK && (*out)->where != e->place && e->place && may_fail(*out))
        s = place(e, out);
    return s;
}

lun_status lun__node_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                        const lun_node *like, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_OP, (int32_t)op, t);
    if (!n)
        return LUN_ENOMEM;
    for (int k = 0; k < lun__op_get(op)->arity; k++)
        n->in[k] = in[k];
    return placed(e, lun__node_shaped(e, n, shape_like(e, n, like), out), out);
}

lun_status lun__node_cast(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_CAST, 0, t);
    if (!n)
        return LUN_ENOMEM;
    n->in[0] = a;
    n->is |= a->is & LUN_IS_SOURCE;
    return lun__node_shaped(e, n, shape_like(e, n, a), out);
}

lun_status lun__node_call(lun_engine *e, lun_function *f, const lun_ir_function *body,
                          lun_node *const *in, int count, int elements, lun_dtype t,
                          const lun_node *like, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_CALL, 0, t);
    if (!n)
        return LUN_ENOMEM;
    lun_status s = lun__node_set_operands(e, n, in, count);
    if (s == LUN_OK) {
        n->function = f;
        n->body = body;
        n->elements = elements;
        s = shape_like(e, n, like);
    }
    return placed(e, lun__node_shaped(e, n, s, out), out);
}

lun_status lun__node_output(lun_engine *e, lun_node *call, int number, lun_dtype t, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_OUTPUT, number, t);
    if (!n)
        return LUN_ENOMEM;
    n->in[0] = call;
    return lun__node_shaped(e, n, shape_like(e, n, call), out);
}

lun_status lun__node_reduce(lun_engine *e, lun_op op, lun_function *f, const lun_ir_function *body,
                            lun_node *a, lun_node *id, lun_dtype t, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, (int32_t)op, t);
    if (!n)
        return LUN_ENOMEM;
    n->function = f;
    n->body = body;
    n->extended = f || body;
    n->n = 1;
    n->acc = a->dtype;
    n->in[0] = a;
    n->in[1] = id;
    return lun__node_intern(e, n, out);
}

lun_status lun__node_place_of(lun_engine *e, lun_op op, lun_node *a, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, (int32_t)op, LUN_I64);
    if (!n)
        return LUN_ENOMEM;
    n->folds = LUN_FOLDS_PLACE;
    n->n = 1;
    n->acc = a->dtype;
    n->in[0] = a;
    return lun__node_intern(e, n, out);
}

/* A REDUCE of a's lines, not interned yet; NULL without memory. */
static lun_node *start_lines(lun_engine *e, lun_op op, lun_node *a, lun_node *id, lun_dtype t,
                             int64_t line)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, (int32_t)op, t);
    if (!n)
        return NULL;
    n->acc = a->dtype;
    n->in[0] = a;
    n->in[1] = id;
    n->step = line;
    return n;
}

static lun_status finish_lines(lun_engine *e, lun_node *n, lun_function *f,
                               const lun_ir_function *body, int rank, const int64_t *shape,
                               lun_node **out)
{
    lun_status s = lun__node_set_shape(e, n, rank, shape);
    n->function = f;
    n->body = body;
    n->extended |= f || body;
    return lun__node_shaped(e, n, s, out);
}

lun_status lun__node_reduce_lines(lun_engine *e, lun_op op, lun_function *f,
                                  const lun_ir_function *body, lun_node *a, lun_node *id,
                                  lun_dtype t, int64_t line, int rank, const int64_t *shape,
                                  lun_node **out)
{
    lun_node *n = start_lines(e, op, a, id, t, line);
    return n ? finish_lines(e, n, f, body, rank, shape, out) : LUN_ENOMEM;
}

lun_status lun__node_reduce_blocks(lun_engine *e, lun_op op, lun_function *f,
                                   const lun_ir_function *body, lun_node *a, lun_node *id,
                                   lun_dtype t, int64_t line, const int64_t shape[2],
                                   lun_node **out)
{
    lun_node *n = start_lines(e, op, a, id, t, line);
    if (!n)
        return LUN_ENOMEM;
    n->folds = LUN_FOLDS_BLOCKS;
    n->is = 0; /* whatever the operands are, it is worth keeping */
    return finish_lines(e, n, f, body, 2, shape, out);
}

lun_status lun__node_sum_needed(lun_engine *e, lun_node *a, lun_node *needed, int64_t line,
                                int rank, const int64_t *shape, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, LUN_OP_ADD, (lun_dtype)a->dtype);
    if (!n)
        return LUN_ENOMEM;
    n->folds = LUN_FOLDS_NEEDED;
    n->acc = a->dtype;
    n->in[0] = a;
    n->in[1] = needed;
    n->step = line;
    n->n = 1;
    return lun__node_shaped(e, n, line ? lun__node_set_shape(e, n, rank, shape) : LUN_OK, out);
}

lun_status lun__node_scan(lun_engine *e, lun_op op, lun_function *f, const lun_ir_function *body,
                          lun_node *a, lun_node *id, bool inclusive, int64_t line, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_SCAN, (int32_t)op, (lun_dtype)a->dtype);
    if (!n)
        return LUN_ENOMEM;
    n->function = f;
    n->body = body;
    n->extended = f || body;
    n->inclusive = inclusive;
    n->step = line;
    n->in[0] = a;
    n->in[1] = id;
    return lun__node_shaped(e, n, shape_like(e, n, a), out);
}

lun_status lun__node_matmul(lun_engine *e, lun_node *a, lun_node *b, lun_dtype t, lun_node **out)
{
    int64_t shape[LUN_MAX_RANK], other[LUN_MAX_RANK];
    lun_node *n = lun__node_start(e, LUN_NODE_MATMUL, 0, t);
    if (!n)
        return LUN_ENOMEM;
    lun__node_shape(a, shape);
    lun__node_shape(b, other);
    shape[a->rank - 1] = other[b->rank - 1];
    n->is = 0; /* whatever the operands are, it is worth keeping */
    n->in[0] = a;
    n->in[1] = b;
    return lun__node_shaped(e, n, lun__node_set_shape(e, n, a->rank, shape), out);
}

lun_status lun__node_algorithm(lun_engine *e, lun_algorithm which, lun_node *const *in,
                               int64_t line, const uint64_t option[LUN_ALGORITHM_OPTIONS],
                               lun_dtype t, int rank, const int64_t *shape,
                               const char *const *notes, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_ALGORITHM, (int32_t)which, t);
    if (!n)
        return LUN_ENOMEM;
    lun_status s = lun__node_set_operands(e, n, in, lun__algorithm_rows[which].operands);
    if (s == LUN_OK)
        s = lun__node_set_shape(e, n, rank, shape);
    n->step = line;
    n->cell = option ? option[0] : 0;
    n->offset = option ? (int64_t)option[1] : 0;
    n->notes = notes;
    n->is = 0; /* whatever the operands are, it is worth keeping */
    return lun__node_shaped(e, n, s, out);
}

static lun_dtype value_dtype(const lun_ir_function *body, int k)
{
    return lun__ir_function_param(body, k);
}

lun_status lun__node_running(lun_engine *e, unsigned how, lun_function *f,
                             const lun_ir_function *body, lun_node *const *in, int count,
                             int elements, int64_t line, int rank, const int64_t *shape,
                             lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_RUNNING, (int32_t)how, value_dtype(body, 0));
    if (!n)
        return LUN_ENOMEM;
    lun_status s = lun__node_set_operands(e, n, in, count);
    if (s == LUN_OK) {
        n->function = f;
        n->body = body;
        n->elements = elements;
        n->step = line;
        n->is = 0; /* whatever the operands are, it is worth keeping */
        s = lun__node_set_shape(e, n, rank, shape);
    }
    return lun__node_shaped(e, n, s, out);
}

lun_status lun__node_result(lun_engine *e, lun_node *of, int k, lun_node **out)
{
    const bool running = of->kind == LUN_NODE_RUNNING;
    lun_node *n =
        lun__node_start(e, LUN_NODE_RESULT, k,
                        running ? value_dtype(of->body, k) : lun__algorithm_rows[of->op].also);
    if (!n)
        return LUN_ENOMEM;
    n->in[0] = of;
    return lun__node_shaped(e, n, shape_like(e, n, of), out);
}

lun_status lun__node_again(lun_engine *e, const lun_node *from, int32_t op, lun_node *const *in,
                           lun_function *f, const lun_ir_function *body, lun_node **out)
{
    lun_node *n = lun__node_start(e, (lun_node_kind)from->kind, op, (lun_dtype)from->dtype);
    if (!n)
        return LUN_ENOMEM;
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
