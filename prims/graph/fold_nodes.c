/* fold_nodes.c - nodes whose elements are made of many of their operands': reductions, scans,
 * running functions, products of matrices, algorithms, and the results of those that have
 * several. */
#include "graph/make_node.h"

lun_status lun__fold_node_reduce(lun_engine *e, lun_op op, lun_function *f,
                                 const lun_ir_function *body, lun_node *a, lun_node *id,
                                 lun_dtype t, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, (int32_t)op, t);
    if (!n)
        return lun__fail_nomem(e);
    n->function = f;
    n->body = body;
    n->extended = f || body;
    n->n = 1;
    n->acc = a->dtype;
    n->in[0] = a;
    n->in[1] = id;
    return lun__node_intern(e, n, out);
}

lun_status lun__fold_node_index(lun_engine *e, lun_op op, lun_node *a, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, (int32_t)op, LUN_I64);
    if (!n)
        return lun__fail_nomem(e);
    n->folds = LUN_FOLDS_INDEX;
    n->n = 1;
    n->acc = a->dtype;
    n->in[0] = a;
    return lun__node_intern(e, n, out);
}

/* A REDUCE of a's segments, not interned yet; NULL without memory. */
static lun_node *start_segments(lun_engine *e, lun_op op, lun_node *a, lun_node *id, lun_dtype t,
                                int64_t segment)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, (int32_t)op, t);
    if (!n)
        return NULL;
    n->acc = a->dtype;
    n->in[0] = a;
    n->in[1] = id;
    n->step = segment;
    return n;
}

static lun_status finish_segments(lun_engine *e, lun_node *n, lun_function *f,
                                  const lun_ir_function *body, int rank, const int64_t *shape,
                                  lun_node **out)
{
    lun_status s = lun__node_set_shape(e, n, rank, shape);
    n->function = f;
    n->body = body;
    n->extended |= f || body;
    return lun__node_shaped(e, n, s, out);
}

lun_status lun__fold_node_segments(lun_engine *e, lun_op op, lun_function *f,
                                   const lun_ir_function *body, lun_node *a, lun_node *id,
                                   lun_dtype t, int64_t segment, int rank, const int64_t *shape,
                                   lun_node **out)
{
    lun_node *n = start_segments(e, op, a, id, t, segment);
    return n ? finish_segments(e, n, f, body, rank, shape, out) : LUN_ENOMEM;
}

lun_status lun__fold_node_blocks(lun_engine *e, lun_op op, lun_function *f,
                                 const lun_ir_function *body, lun_node *a, lun_node *id,
                                 lun_dtype t, int64_t segment, const int64_t shape[2],
                                 lun_node **out)
{
    lun_node *n = start_segments(e, op, a, id, t, segment);
    if (!n)
        return LUN_ENOMEM;
    n->folds = LUN_FOLDS_BLOCKS;
    n->is = 0; /* whatever the operands are, it is worth keeping */
    return finish_segments(e, n, f, body, 2, shape, out);
}

lun_status lun__fold_node_sum_needed(lun_engine *e, lun_node *a, lun_node *needed, int64_t segment,
                                     int rank, const int64_t *shape, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_REDUCE, LUN_OP_ADD, (lun_dtype)a->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->folds = LUN_FOLDS_NEEDED;
    n->acc = a->dtype;
    n->in[0] = a;
    n->in[1] = needed;
    n->step = segment;
    n->n = 1;
    return lun__node_shaped(e, n, segment ? lun__node_set_shape(e, n, rank, shape) : LUN_OK, out);
}

lun_status lun__fold_node_scan(lun_engine *e, lun_op op, lun_function *f,
                               const lun_ir_function *body, lun_node *a, lun_node *id,
                               bool inclusive, int64_t segment, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_SCAN, (int32_t)op, (lun_dtype)a->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->function = f;
    n->body = body;
    n->extended = f || body;
    n->inclusive = inclusive;
    n->step = segment;
    n->in[0] = a;
    n->in[1] = id;
    return lun__node_shaped(e, n, lun__node_set_shape_like(e, n, a), out);
}

lun_status lun__fold_node_matmul(lun_engine *e, lun_node *a, lun_node *b, lun_dtype t,
                                 lun_node **out)
{
    int64_t shape[LUN_MAX_RANK], other[LUN_MAX_RANK];
    lun_node *n = lun__node_start(e, LUN_NODE_MATMUL, 0, t);
    if (!n)
        return lun__fail_nomem(e);
    lun__node_shape(a, shape);
    lun__node_shape(b, other);
    shape[a->rank - 1] = other[b->rank - 1];
    n->is = 0; /* whatever the operands are, it is worth keeping */
    n->in[0] = a;
    n->in[1] = b;
    return lun__node_shaped(e, n, lun__node_set_shape(e, n, a->rank, shape), out);
}

lun_status lun__fold_node_algorithm(lun_engine *e, lun_algorithm which, lun_node *const *in,
                                    int64_t segment, const uint64_t option[LUN_ALGORITHM_OPTIONS],
                                    lun_dtype t, int rank, const int64_t *shape,
                                    const char *const *notes, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_ALGORITHM, (int32_t)which, t);
    if (!n)
        return lun__fail_nomem(e);
    lun_status s = lun__node_set_operands(e, n, in, lun__algorithm_rows[which].operands);
    if (s == LUN_OK)
        s = lun__node_set_shape(e, n, rank, shape);
    n->step = segment;
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

lun_status lun__fold_node_running(lun_engine *e, unsigned how, lun_function *f,
                                  const lun_ir_function *body, lun_node *const *in, int count,
                                  int elements, int64_t segment, int rank, const int64_t *shape,
                                  lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_RUNNING, (int32_t)how, value_dtype(body, 0));
    if (!n)
        return lun__fail_nomem(e);
    lun_status s = lun__node_set_operands(e, n, in, count);
    if (s == LUN_OK) {
        n->function = f;
        n->body = body;
        n->elements = elements;
        n->step = segment;
        n->is = 0; /* whatever the operands are, it is worth keeping */
        s = lun__node_set_shape(e, n, rank, shape);
    }
    return lun__node_shaped(e, n, s, out);
}

lun_status lun__fold_node_result(lun_engine *e, lun_node *of, int k, lun_node **out)
{
    const bool running = of->kind == LUN_NODE_RUNNING;
    lun_node *n =
        lun__node_start(e, LUN_NODE_RESULT, k,
                        running ? value_dtype(of->body, k) : lun__algorithm_rows[of->op].also);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = of;
    return lun__node_shaped(e, n, lun__node_set_shape_like(e, n, of), out);
}
