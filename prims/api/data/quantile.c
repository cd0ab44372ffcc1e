/* quantile.c - quantiles along axes, and insertion indices in a sorted Vector. */
#include "api/fold/lazy.h"

/* The probabilities of the quantiles as a node. */
static lun_status parts_node(lun_engine *e, const double *q, int64_t count, lun_node **out)
{
    lun_array *parts = NULL;
    char text[LUN_NUMBER_TEXT];
    for (int64_t k = 0; k < count; k++)
        if (!(q[k] >= 0 && q[k] <= 1))
            return lun__fail(e, LUN_ERANGE, "a quantile is a number from 0 to 1, not %s",
                             lun__strbuf_number(q[k], text));
    lun_status s = lun_vector(e, q, count, LUN_F64, &parts);
    if (s == LUN_OK)
        s = lun__array_node(e, parts, LUN_DTYPE_COUNT, out);
    lun_release(parts);
    return s;
}

/* The shape of the result: the probabilities, if they have an axis, then the first `kept` extents
 * of x. */
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

/* The quantiles of x, whose first `kept` axes stay. */
static lun_status quantiles(lun_engine *e, const lun_array *a, lun_node *x, int kept,
                            lun_node *parts, int64_t count, bool skipnan, lun_node **out)
{
    char text[96];
    int64_t shape[LUN_MAX_RANK + 1], segment = 1, extent[LUN_MAX_RANK], results = 1;
    const int rank = result_shape(x, kept, count, shape);
    const lun_dtype t = lun__dtype_is_float((lun_dtype)x->dtype) ? (lun_dtype)x->dtype : LUN_F64;
    lun__node_shape(x, extent);
    for (int k = kept; k < x->rank; k++)
        segment *= extent[k];
    for (int k = 0; k < rank; k++)
        results *= shape[k];
    if (rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "the result would have %d axes, of at most %d", rank,
                         LUN_MAX_RANK);
    if (results == 0)
        return lun__node_number(e, t, 0, rank, shape, out);
    if (segment == 0)
        return lun__fail(e, LUN_EARG,
                         "quantile of no elements is undefined: an axis of %s is empty",
                         lun__array_describe(a, text));
    lun_node *n = NULL, *in[] = {x, parts};
    const uint64_t option[] = {skipnan, 0};
    lun_status s = lun__fold_node_algorithm(e, LUN_ALGORITHM_QUANTILE, in, segment, option, t, 1,
                                            &results, NULL, &n);
    if (s == LUN_OK)
        s = lun__view_node_reshape(e, n, rank, shape, out);
    lun__node_release(e, n);
    return s;
}

/* Of elements that are there: NaN is in the slots of the others, and left out. */
static lun_status quantiles_there(lun_engine *e, lun_array *a, const double *q, int64_t count,
                                  const int *axes, int axis_count, bool skipnan, lun_array **out)
{
    const lun_dtype t = lun_dtype_of(a);
    lun_array *wide = NULL, *slots = NULL, *valid = NULL, *number = NULL;
    lun_status s = lun_cast(e, a, lun__dtype_is_float(t) ? t : LUN_F64, &wide);
    if (s == LUN_OK)
        s = lun_missing_parts(e, wide, &slots, &valid);
    if (s == LUN_OK)
        s = lun_quantile(e, slots, q, count, axes, axis_count, true, &number);
    if (s == LUN_OK)
        s = lun__along_missing_of(e, a, axes, axis_count, skipnan, number, out);
    lun_array *all[] = {wide, slots, valid, number};
    for (int k = 0; k < 4; k++)
        lun_release(all[k]);
    return s;
}

/* Of elements of a logical dtype: what lies between two of them is found between numbers. */
static lun_status quantiles_logical(lun_engine *e, lun_array *a, const double *q, int64_t count,
                                    const int *axes, int axis_count, lun_array **out)
{
    const lun_logical_kind *kind = e->kinds[lun_dtype_kind(lun__array_logical(a))];
    lun_array *numbers, *from, *made = NULL;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && !kind->numbers)
        s = lun__array_refuse_logical(e, a);
    if (s == LUN_OK)
        s = kind->numbers(e, a, &numbers, &from);
    if (s != LUN_OK)
        return s;
    s = lun_quantile(e, numbers, q, count, axes, axis_count, false, &made);
    if (s == LUN_OK)
        s = kind->of_numbers(e, from, made, out);
    lun_release(numbers);
    lun_release(from);
    lun_release(made);
    return s;
}

lun_status lun_quantile(lun_engine *e, lun_array *a, const double *q, int64_t count,
                        const int *axes, int axis_count, bool skipnan, lun_array **out)
{
    LUN_NEED(e, a && q && count >= 0 && (axis_count <= 0 || axes) && out);
    if (lun__array_some_logical(&a, 1))
        return quantiles_logical(e, a, q, count, axes, axis_count, out);
    if (lun_has_missing(a))
        return quantiles_there(e, a, q, count, axes, axis_count, skipnan, out);
    lun_node *x = NULL, *parts = NULL, *n = NULL;
    unsigned set = 0;
    int kept = 0;
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    if (s == LUN_OK)
        s = lun__along_axis_set(e, a, axes, axis_count, &set);
    if (s == LUN_OK)
        s = lun__along_axes_last(e, a, set, &kept, &x);
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

/* ---- insertion indices in a sorted Vector ---------------------------------------------------- */

typedef struct search {
    lun_engine *e;
    lun_array *sorted;
    bool right;
    int64_t first; /* the index of the first element */
} search;

static lun_status find(const search *f, lun_node *sorted, lun_node *x, lun_node **out)
{
    int64_t shape[LUN_MAX_RANK];
    const uint64_t option[] = {f->right, (uint64_t)f->first};
    lun_node *in[] = {sorted, x};
    lun__node_shape(x, shape);
    return lun__fold_node_algorithm(f->e, LUN_ALGORITHM_SEARCHSORTED, in, 0, option, LUN_I64,
                                    x->rank, shape, NULL, out);
}

/* The index of elements of x as dtype t, of which those that are `op` a limit have `index`. */
static lun_status find_within(const search *f, lun_node *sorted, lun_node *x, lun_dtype t,
                              lun_op op, int64_t limit, int64_t index, lun_node **out)
{
    lun_engine *e = f->e;
    lun_node *in[3] = {NULL, NULL, NULL}, *edge = NULL, *s = NULL, *converted = NULL;
    lun_status status =
        lun__node_number(e, (lun_dtype)x->dtype,
                         lun__dtype_cell_from_value((lun_dtype)x->dtype,
                                                    (lun_value){.dtype = LUN_I64, .as.i = limit}),
                         0, NULL, &edge);
    if (status == LUN_OK)
        status = lun__elementwise_op(e, op, (lun_node *[]){x, edge}, &in[0]);
    if (status == LUN_OK)
        status = lun__node_number(e, LUN_I64, (uint64_t)index, 0, NULL, &in[1]);
    if (status == LUN_OK)
        status = lun__convert(e, sorted, t, &s);
    if (status == LUN_OK)
        status = lun__convert(e, x, t, &converted);
    if (status == LUN_OK)
        status = find(f, s, converted, &in[2]);
    if (status == LUN_OK)
        status = lun__elementwise_op(e, LUN_OP_WHERE, in, out);
    lun_node *all[] = {in[0], in[1], in[2], edge, s, converted};
    for (int k = 0; k < 6; k++)
        lun__node_release(e, all[k]);
    return status;
}

/* A float number searched in integers: the integer with the same index. */
static lun_status find_number(search *f, lun_node *sorted, lun_value x, lun_node **out)
{
    const lun_dtype t = (lun_dtype)sorted->dtype;
    const lun_op op = f->right ? LUN_OP_LE : LUN_OP_LT;
    lun_node *n = NULL;
    lun_value edge;
    uint64_t most;
    const lun_op as = lun__op_compared(op, t, x, false, &edge);
    if (as == LUN_OP_GE && lun__op_identity(LUN_OP_MIN, t, &most)) /* behind all elements */
        edge = lun__dtype_cell_to_value(t, most);
    f->right = as == LUN_OP_GE || as == LUN_OP_LE;
    lun_status s = lun__array_constant(f->e, t, edge, &n);
    if (s == LUN_OK)
        s = find(f, sorted, n, out);
    lun__node_release(f->e, n);
    return s;
}

static lun_status search_for(search *f, lun_array *x, lun_node *sorted, lun_node **out)
{
    const lun_dtype of = (lun_dtype)sorted->dtype, own = lun_dtype_of(x);
    const lun_dtype t = lun__dtype_common(of, own);
    lun_node *n = NULL, *s = NULL, *wide = NULL;
    if (x->weak && !lun__dtype_value_is_bool(x->number) && lun__dtype_is_integer(of))
        return find_number(f, sorted, x->number, out);
    lun_status status = lun__array_node(f->e, x, LUN_DTYPE_COUNT, &n);
    if (status == LUN_OK && t == LUN_DTYPE_COUNT) {
        status = lun__dtype_is_signed(own)
                     ? find_within(f, sorted, n, LUN_U64, LUN_OP_LT, 0, f->first, out)
                     : find_within(f, sorted, n, LUN_I64, LUN_OP_GT, INT64_MAX,
                                   f->first + lun_length(f->sorted), out);
    } else if (status == LUN_OK) {
        status = lun__convert(f->e, sorted, t, &s);
        if (status == LUN_OK)
            status = lun__convert(f->e, n, t, &wide);
        if (status == LUN_OK)
            status = find(f, s, wide, out);
    }
    lun_node *all[] = {n, s, wide};
    for (int k = 0; k < 3; k++)
        lun__node_release(f->e, all[k]);
    return status;
}

/* The same of arrays of logical dtypes. */
static lun_status search_by_order(lun_engine *e, lun_array *sorted, lun_array *x, int flags,
                                  int64_t first, lun_array **out)
{
    lun_array *keys[2], *prototype;
    lun_status s = lun__logical_order(e, (lun_array *[]){sorted, x}, 2, keys, &prototype);
    if (s != LUN_OK)
        return s;
    s = lun_searchsorted(e, keys[0], keys[1], flags, first, out);
    lun_release(keys[0]);
    lun_release(keys[1]);
    lun_release(prototype);
    return s;
}

lun_status lun_searchsorted(lun_engine *e, lun_array *sorted, lun_array *x, int flags,
                            int64_t first, lun_array **out)
{
    LUN_NEED(e, sorted && x && out);
    if (lun__array_some_logical((lun_array *[]){sorted, x}, 2))
        return search_by_order(e, sorted, x, flags, first, out);
    LUN_NO_MISSING(e, sorted);
    LUN_NO_MISSING(e, x);
    char text[96];
    int64_t shape[LUN_MAX_RANK];
    lun_node *of = NULL, *n = NULL;
    search f = {e, sorted, (flags & LUN_RIGHT) != 0, first};
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__array_usable(e, sorted);
    if (s == LUN_OK && (sorted->weak || lun_shape(sorted, shape) != 1))
        s = lun__fail(e, LUN_ESHAPE, "a sorted Vector expected, got %s",
                      sorted->weak ? "a number" : lun__array_describe(sorted, text));
    e->error_operand = 1;
    if (s != LUN_OK)
        return s;
    s = lun__array_usable(e, x);
    if (s == LUN_OK)
        s = lun__array_node(e, sorted, LUN_DTYPE_COUNT, &of);
    if (s == LUN_OK)
        s = search_for(&f, x, of, &n);
    lun__node_release(e, of);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}
