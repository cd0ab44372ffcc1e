/* quantile.c - quantiles along axes, and places in a sorted Vector.  Knows no way of sorting. */
#include "api/fold/lazy.h"

/* The quantiles' parts as a node. */
static lun_status parts_node(lun_engine *e, const double *q, int64_t count, lun_node **out)
{
    lun_array *parts = NULL;
    for (int64_t k = 0; k < count; k++)
        if (!(q[k] >= 0 && q[k] <= 1))
            return lun__fail(e, LUN_ERANGE, "a quantile is a number from 0 to 1, not %g", q[k]);
    lun_status s = lun_vector(e, q, count, LUN_F64, &parts);
    if (s == LUN_OK)
        s = lun__node(e, parts, LUN_DTYPE_COUNT, out);
    lun_release(parts);
    return s;
}

/* The shape of the result: the parts, if they have an axis, then the first `kept` extents of x. */
static int result_shape(const lun_node *x, int kept, int64_t count, int64_t *shape)
{
    int64_t extent[LUN_MAX_RANK];
    int rank = 0;
    lun__node_shape(x, extent);
    if (count)
        shape[rank++] = count;
    for (int k = 0; k < kept; k++)
        shape[rank++] = extent[k];
    return rank;
}

/* Of x, whose first `kept` axes stay. */
static lun_status quantiles(lun_engine *e, const lun_array *a, lun_node *x, int kept,
                            lun_node *parts, int64_t count, bool skipnan, lun_node **out)
{
    char text[96];
    int64_t shape[LUN_MAX_RANK + 1], line = 1, extent[LUN_MAX_RANK], results = 1;
    const int rank = result_shape(x, kept, count, shape);
    const lun_dtype t = lun__dtype_is_float((lun_dtype)x->dtype) ? (lun_dtype)x->dtype : LUN_F64;
    lun__node_shape(x, extent);
    for (int k = kept; k < x->rank; k++)
        line *= extent[k];
    for (int k = 0; k < rank; k++)
        results *= shape[k];
    if (rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "the result would have %d axes, of at most %d", rank,
                         LUN_MAX_RANK);
    if (results == 0)
        return lun__node_number(e, t, 0, rank, shape, out);
    if (line == 0)
        return lun__fail(e, LUN_EARG,
                         "quantile of no elements is undefined: an axis of %s is empty",
                         lun__describe(a, text));
    lun_node *n = NULL, *in[] = {x, parts};
    const uint64_t option[] = {skipnan, 0};
    lun_status s =
        lun__node_algorithm(e, LUN_ALGORITHM_QUANTILE, in, line, option, t, 1, &results, NULL, &n);
    if (s == LUN_OK)
        s = lun__node_reshape(e, n, rank, shape, out);
    lun__node_release(e, n);
    return s;
}

lun_status lun_quantile(lun_engine *e, lun_array *a, const double *q, int64_t count,
                        const int *axes, int axis_count, bool skipnan, lun_array **out)
{
    LUN_NEED(e, a && q && count >= 0 && (axis_count <= 0 || axes) && out);
    lun_node *x = NULL, *parts = NULL, *n = NULL;
    unsigned set = 0;
    int kept = 0;
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    if (s == LUN_OK)
        s = lun__axis_set(e, a, axes, axis_count, &set);
    if (s == LUN_OK)
        s = lun__axes_last(e, a, set, &kept, &x);
    if (s != LUN_OK)
        return s;
    e->error_operand = 2;
    s = parts_node(e, q, count ? count : 1, &parts);
    e->error_operand = s == LUN_OK ? 1 : 2;
    if (s == LUN_OK)
        s = quantiles(e, a, x, kept, parts, count, skipnan, &n);
    lun__node_release(e, x);
    lun__node_release(e, parts);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

lun_status lun_searchsorted(lun_engine *e, lun_array *sorted, lun_array *x, int flags,
                            int64_t first, lun_array **out)
{
    LUN_NEED(e, sorted && x && out);
    char text[96];
    int64_t shape[LUN_MAX_RANK];
    lun_node *raw[2] = {NULL, NULL}, *in[2] = {NULL, NULL}, *n = NULL;
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__usable(e, sorted);
    if (s == LUN_OK && (sorted->weak || lun_shape(sorted, shape) != 1))
        s = lun__fail(e, LUN_ESHAPE, "a sorted Vector expected, got %s",
                      sorted->weak ? "a number" : lun__describe(sorted, text));
    e->error_operand = 1;
    if (s != LUN_OK)
        return s;
    s = lun__usable(e, x);
    const lun_dtype t =
        s == LUN_OK ? lun__dtype_common(lun_dtype_of(sorted), lun_dtype_of(x)) : LUN_I64;
    lun_array *given[] = {sorted, x};
    for (int k = 0; k < 2 && s == LUN_OK; k++) {
        s = lun__node(e, given[k], LUN_DTYPE_COUNT, &raw[k]);
        if (s == LUN_OK)
            s = lun__cast(e, raw[k], t, &in[k]);
    }
    if (s == LUN_OK) {
        const uint64_t option[] = {(flags & LUN_RIGHT) != 0, (uint64_t)first};
        lun__node_shape(in[1], shape);
        s = lun__node_algorithm(e, LUN_ALGORITHM_SEARCHSORTED, in, 0, option, LUN_I64, in[1]->rank,
                                shape, NULL, &n);
    }
    for (int k = 0; k < 2; k++) {
        lun__node_release(e, raw[k]);
        lun__node_release(e, in[k]);
    }
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}
