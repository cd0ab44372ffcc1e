/* part.c - arrays made of parts of others: slices, rows, concatenation, other shapes. Copies
 * nothing itself; knows no operation but the one that a slice is pushed through. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"

typedef struct slicer {
    lun_engine *e;
    int64_t offset, step, count;
    int budget;     /* nodes that may still be rebuilt */
    uint32_t place; /* of the node to be rebuilt next, 0: its own */
} slicer;

/* The slice of an index: offset + i * step. */
static lun_status slice_index(const slicer *c, lun_node **out)
{
    lun_engine *e = c->e;
    lun_node *i = NULL, *step = NULL, *offset = NULL;
    lun_status s = lun__node_index(e, c->count, &i);
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, (uint64_t)c->step, 0, NULL, &step);
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, (uint64_t)c->offset, 0, NULL, &offset);
    if (s == LUN_OK)
        s = lun__op2(e, LUN_OP_MUL, i, step, &i);
    else {
        lun__node_release(e, i);
        lun__node_release(e, step);
    }
    if (s != LUN_OK) {
        lun__node_release(e, offset);
        return s;
    }
    return lun__op2(e, LUN_OP_ADD, i, offset, out);
}

/* A slice of an elementwise expression is that expression of slices: only what is asked for gets
 * computed.  Depth and number of nodes are bounded; what is larger is cut as it stands. */
static lun_status slice_down(slicer *c, lun_node *n, int64_t whole, int depth, lun_node **out)
{
    lun_node *in[3] = {0};
    int64_t shape = c->count;
    if (n->n != whole || n->rank == 0) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    if (n->kind == LUN_NODE_PLACE) {
        c->place = n->where;
        return slice_down(c, n->in[0], whole, depth, out);
    }
    uint32_t place = c->place ? c->place : n->where, here = c->e->place;
    c->place = 0;
    if (n->kind == LUN_NODE_INDEX)
        return slice_index(c, out);
    bool elementwise =
        n->kind == LUN_NODE_OP || n->kind == LUN_NODE_CAST || n->kind == LUN_NODE_RANDOM;
    if (!elementwise || !depth || c->budget-- <= 0 || n->rank > 1)
        return lun__node_slice(c->e, n, c->offset, c->step, 1, &shape, out);
    lun_status s = LUN_OK;
    int k = 0;
    for (; s == LUN_OK && k < 3 && n->in[k]; k++)
        s = slice_down(c, n->in[k], whole, depth - 1, &in[k]);
    c->e->place = place; /* a part stands where the whole was written */
    if (s == LUN_OK && n->kind == LUN_NODE_CAST)
        s = lun__node_cast(c->e, in[0], (lun_dtype)n->dtype, out);
    else if (s == LUN_OK && n->kind == LUN_NODE_RANDOM)
        s = lun__node_random(c->e, in[0], in[1], (lun_dtype)n->dtype, out);
    else if (s == LUN_OK)
        s = lun__op_of(c->e, (lun_op)n->op, in, (lun_dtype)n->dtype, out);
    c->e->place = here;
    for (k = 0; k < 3; k++)
        lun__node_release(c->e, in[k]);
    return s;
}

lun_status lun__slice(lun_engine *e, lun_node *a, int64_t offset, int64_t step, int rank,
                      const int64_t *shape, lun_node **out)
{
    if (rank == 1 && a->rank == 1 && a->n > 1 && !lun__node_ready(a)) {
        slicer c = {e, offset, step, shape[0], 64, 0};
        return slice_down(&c, a, a->n, 24, out);
    }
    return lun__node_slice(e, a, offset, step, rank, shape, out);
}

lun_status lun_slice(lun_engine *e, lun_array *a, int64_t first, int64_t count, int64_t step,
                     lun_array **out)
{
    LUN_NEED(e, out);
    lun_node *n, *part;
    int64_t shape[LUN_MAX_RANK], rows, last, row = 1;
    lun_status s = lun__usable(e, a);
    if (s != LUN_OK)
        return s;
    int rank = lun_shape(a, shape);
    if (rank == 0)
        return lun__fail(e, LUN_ESHAPE, "a Scalar cannot be sliced");
    rows = shape[0];
    if (count < 0 ||
        (count > 0 &&
         (first < 0 || first >= rows || __builtin_mul_overflow(count - 1, step, &last) ||
          __builtin_add_overflow(first, last, &last) || last < 0 || last >= rows)))
        return lun__fail(
            e, LUN_ERANGE, "elements %lld to %lld are out of range: the length is %lld",
            (long long)first + 1, (long long)(first + (count - 1) * step + 1), (long long)rows);
    if (step == 0 && count > 1)
        return lun__fail(e, LUN_ERANGE, "the step is 0");
    if (rank > 1 && step != 1 && count > 1)
        return lun__fail(e, LUN_ESHAPE,
                         "a step of %lld between rows: rows are taken one after another",
                         (long long)step);
    for (int i = 1; i < rank; i++)
        row *= shape[i];
    shape[0] = count;
    s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__slice(e, n, count ? first * row : 0, count > 1 ? step : 1, rank, shape, &part);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, part, a->made, out) : s;
}

lun_status lun_concat(lun_engine *e, lun_array *a, lun_array *b, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *both[2] = {a, b};
    lun_node *in[2] = {0}, *n = NULL;
    int64_t shape[2][LUN_MAX_RANK];
    int rank[2] = {0};
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = lun__usable(e, both[k]);
    if (s != LUN_OK)
        return s;
    for (int k = 0; k < 2; k++)
        rank[k] = lun_shape(both[k], shape[k]);
    if (rank[0] == 0 || rank[0] != rank[1] ||
        memcmp(shape[0] + 1, shape[1] + 1, (size_t)(rank[0] - 1) * sizeof(int64_t))) {
        char x[96], y[96];
        return lun__fail(e, LUN_ESHAPE,
                         "cannot concatenate %s and %s: only the first extents may differ",
                         lun__describe(a, x), lun__describe(b, y));
    }
    lun_dtype t = lun__dtype_common(lun_dtype_of(a), lun_dtype_of(b));
    for (int k = 0; s == LUN_OK && k < 2; k++) {
        lun_node *raw;
        s = lun__node(e, both[k], LUN_DTYPE_COUNT, &raw);
        if (s != LUN_OK)
            break;
        s = lun__cast(e, raw, t, &in[k]);
        lun__node_release(e, raw);
    }
    if (s == LUN_OK && __builtin_add_overflow(shape[0][0], shape[1][0], &shape[0][0]))
        s = lun__fail(e, LUN_ERANGE, "too many elements");
    if (s == LUN_OK)
        s = lun__node_concat(e, in[0], in[1], rank[0], shape[0], &n);
    lun__node_release(e, in[0]);
    lun__node_release(e, in[1]);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

/* The failure of a shape that has not as many elements as n. */
static lun_status misfit(lun_engine *e, const lun_node *n, int rank, const int64_t *shape)
{
    char text[LUN_MAX_RANK * 22 + 2];
    int used = 0;
    for (int i = 0; i < rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld", i ? ", " : "[",
                         (long long)shape[i]);
    return lun__fail(e, LUN_ESHAPE, "%lld elements do not fill a shape of %s]", (long long)n->n,
                     text);
}

lun_status lun_reshape(lun_engine *e, lun_array *a, int rank, const int64_t *shape, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_node *n, *r;
    int64_t size = 1;
    lun_status s = lun__shape_check(e, rank, shape);
    if (s == LUN_OK)
        s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    for (int i = 0; i < rank; i++)
        size *= shape[i];
    if (size != n->n) {
        s = misfit(e, n, rank, shape);
        lun__node_release(e, n);
        return s;
    }
    s = lun__node_reshape(e, n, rank, shape, &r);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, r, a->made, out) : s;
}

lun_status lun_row(lun_engine *e, lun_array *a, int64_t i, lun_array **out)
{
    LUN_NEED(e, out);
    int64_t shape[LUN_MAX_RANK], row = 1;
    lun_array *v = NULL;
    lun_status s = lun__usable(e, a);
    if (s != LUN_OK)
        return s;
    int rank = lun_shape(a, shape);
    if (rank < 2)
        return lun__fail(e, LUN_ESHAPE, "a row needs an array of rank 2 or more, not of rank %d",
                         rank);
    if (i < 0 || i >= shape[0])
        return lun__fail(e, LUN_ERANGE, "row %lld is out of range: the array has %lld, from 0",
                         (long long)i, (long long)shape[0]);
    for (int k = 1; k < rank; k++)
        row *= shape[k];
    s = lun__array(e, NULL, true, &v);
    if (s != LUN_OK)
        return s;
    v->parent = a;
    v->offset = i * row;
    v->rank = (int8_t)(rank - 1);
    memcpy(v->shape, shape + 1, (size_t)(rank - 1) * sizeof *shape);
    lun_retain(a);
    *out = v;
    return LUN_OK;
}
