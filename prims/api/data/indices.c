/* indices.c - indices along an axis of an array, and the offsets of their elements. Reading there
 * is take.c's, writing put.c's. */
#include "api/data/indices.h"

#include <string.h>

#include "api/array/api.h"

static lun_status check_axis(lun_engine *e, const lun_array *a, int axis)
{
    char text[96];
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__array_usable(e, a);
    if (s != LUN_OK)
        return s;
    if (a->weak)
        return lun__fail(e, LUN_EARG, "array expected, got a number");
    int rank = lun_shape(a, shape);
    if (axis < 0 || axis >= rank)
        return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: %s has %d", axis,
                         lun__array_describe(a, text), rank);
    return LUN_OK;
}

/* i's elements as i64, where those beyond i64 are its largest number. */
static lun_status index_node(lun_engine *e, lun_array *i, lun_node **out)
{
    lun_node *raw = NULL, *most = NULL, *least = NULL;
    lun_status s = lun__array_node(e, i, i->weak ? LUN_I64 : LUN_DTYPE_COUNT, &raw);
    if (s != LUN_OK)
        return s;
    lun_dtype t = (lun_dtype)raw->dtype;
    if (lun__dtype_is_bool(t))
        s = lun__fail(e, LUN_EDTYPE,
                      "indices are integers, got bool: compress takes the elements where a bool "
                      "array is true");
    else if (!lun__dtype_is_integer(t))
        s = lun__fail(e, LUN_EDTYPE, "indices are integers, got %s", lun__dtype_get(t)->name);
    else if (lun__dtype_is_wide_unsigned(t)) { /* beyond i64: out of range of every array */
        s = lun__node_number(e, t, INT64_MAX, 0, NULL, &most);
        if (s == LUN_OK)
            s = lun__elementwise_op(e, LUN_OP_MIN, (lun_node *[]){raw, most}, &least);
    }
    if (s == LUN_OK)
        s = lun__convert(e, least ? least : raw, LUN_I64, out);
    if (s == LUN_EDTYPE)
        e->error_operand = 2;
    lun__node_release(e, raw);
    lun__node_release(e, most);
    lun__node_release(e, least);
    return s;
}

/* The result's shape: the axis is replaced by those of the index. */
static lun_status shape_of(lun_engine *e, lun_indexed *t)
{
    int64_t at[LUN_MAX_RANK];
    int behind = t->of.rank - t->axis - 1;
    lun__node_shape(t->index, at);
    t->rank = t->of.rank - 1 + t->index->rank;
    if (t->rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE,
                         "the result would have rank %d: an array has 0 to %d dimensions", t->rank,
                         LUN_MAX_RANK);
    memcpy(t->shape, t->of.extent, (size_t)t->axis * sizeof *at);
    memcpy(t->shape + t->axis, at, t->index->rank * sizeof *at);
    memcpy(t->shape + t->axis + t->index->rank, t->of.extent + t->axis + 1,
           (size_t)behind * sizeof *at);
    lun_status s = lun__shape_check(e, t->rank, t->shape);
    lun_layout whole = lun__layout_right(t->rank, t->shape);
    t->n = s == LUN_OK ? lun__layout_count(&whole) : 0;
    return s;
}

lun_status lun__indices(lun_engine *e, const lun_array *a, lun_array *i, int axis, lun_indexed *out)
{
    *out = (lun_indexed){.axis = axis};
    lun_status s = check_axis(e, a, axis);
    if (s != LUN_OK)
        return s;
    lun__array_layout(a, &out->of);
    s = index_node(e, i, &out->index);
    return s == LUN_OK ? shape_of(e, out) : s;
}

/* ---- offsets --------------------------------------------------------------------------------- */

/* The index of each element of the result. */
static lun_status index_of(lun_engine *e, const lun_indexed *t, lun_node **out)
{
    lun_layout l = lun__layout_right(t->rank, t->shape);
    int64_t step = 1;
    for (int k = t->rank - 1; k >= 0; k--) {
        bool inside = k >= t->axis && k < t->axis + t->index->rank;
        l.stride[k] = inside ? step : 0;
        step *= inside ? l.extent[k] : 1;
    }
    if (t->n == t->index->n)
        return lun__view_node_reshape(e, t->index, t->rank, t->shape, out);
    return lun__view(e, t->index, &l, out);
}

/* The offset of index 0 of the axis for each element of the result; none: 0 for all. */
static lun_status base_of(lun_engine *e, const lun_indexed *t, const lun_layout *of, int64_t n,
                          lun_node **out)
{
    lun_layout l = lun__layout_right(t->rank, t->shape);
    lun_node *flat = NULL;
    bool same = true;
    memset(l.stride, 0, sizeof l.stride);
    l.offset = of->offset;
    for (int k = 0; k < of->rank; k++) {
        if (k == t->axis)
            continue;
        l.stride[k < t->axis ? k : t->rank - of->rank + k] = of->stride[k];
        same = same && of->extent[k] == 1;
    }
    if (same)
        return of->offset || of->stride[t->axis] != 1
                   ? lun__node_number(e, LUN_I64, (uint64_t)of->offset, 0, NULL, out)
                   : LUN_OK;
    lun_status s = lun__node_index(e, n, &flat);
    if (s == LUN_OK)
        s = lun__view(e, flat, &l, out);
    lun__node_release(e, flat);
    return s;
}

/* The number of each element of the result. */
static lun_status number_of(lun_engine *e, const lun_indexed *t, lun_node **out)
{
    lun_node *segment = NULL;
    if (!t->rank)
        return lun__node_number(e, LUN_I64, 0, 0, NULL, out);
    lun_status s = lun__node_index(e, t->n, &segment);
    if (s == LUN_OK)
        s = lun__view_node_reshape(e, segment, t->rank, t->shape, out);
    lun__node_release(e, segment);
    return s;
}

lun_status lun__indices_offsets(lun_engine *e, const lun_indexed *t, const lun_layout *of,
                                int64_t n, lun_taking *x)
{
    x->length = of->extent[t->axis];
    x->step = of->stride[t->axis];
    x->count = t->index->n;
    x->axis = t->axis;
    x->inner = 1;
    for (int k = t->axis + 1; k < of->rank; k++)
        x->inner *= of->extent[k];
    lun_status s = index_of(e, t, &x->index);
    if (s == LUN_OK)
        s = number_of(e, t, &x->number);
    return s == LUN_OK && n ? base_of(e, t, of, n, &x->base) : s;
}

void lun__indices_end(lun_engine *e, lun_indexed *i, lun_taking *x)
{
    lun_node *const used[] = {i->index, x->index, x->number, x->base};
    for (int k = 0; k < 4; k++)
        lun__node_release(e, used[k]);
}

lun_status lun__indices_no_values(lun_engine *e, const lun_array *to, const lun_array *x, int rank,
                                  const int64_t *shape)
{
    char from[96], text[96];
    const lun_array whole = {
        .viewed = true, .node = lun__array_top(to)->node, .at = lun__layout_right(rank, shape)};
    (void)lun__fail(e, LUN_ESHAPE, "%s does not broadcast to the shape of the indices: %s",
                    lun__array_describe(x, from), lun__array_describe(&whole, text));
    e->error_operand = 3;
    return LUN_ESHAPE;
}
