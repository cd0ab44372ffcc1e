/* pad.c - arrays with elements beyond their ends: padded, and shifted.  Which elements those are is
 * base/layout/pad_rows.h's. */
#include <string.h>

#include "api/array/api.h"

_Static_assert((int)LUN_PAD_VALUE == (int)LUN_EDGE_VALUE &&
                   (int)LUN_PAD_WRAP == (int)LUN_EDGE_WRAP &&
                   (int)LUN_PAD_NEAREST == (int)LUN_EDGE_NEAREST,
               "the rules are the edges");

lun_status lun__pad(lun_engine *e, lun_node *n, const int64_t *before, const int64_t *after,
                    const lun_edge *edge, lun_value x, lun_node **out)
{
    lun_padding p = {.rank = n->rank};
    lun_node *number = NULL;
    bool valued = false;
    lun__node_shape(n, p.inner);
    for (int k = 0; k < p.rank; k++) {
        p.rule[k] = (uint8_t)edge[k];
        p.before[k] = before[k];
        valued |= edge[k] == LUN_EDGE_VALUE && (before[k] || after[k]);
        if (__builtin_add_overflow(before[k], after[k], &p.extent[k]) ||
            __builtin_add_overflow(p.extent[k], p.inner[k], &p.extent[k]))
            return lun__fail(e, LUN_ERANGE, "too many elements");
        if (p.inner[k] == 0 && p.extent[k] > 0 && edge[k] != LUN_EDGE_VALUE)
            return lun__fail(e, LUN_ESHAPE,
                             "axis " LUN_NTH " has no elements that could stand beyond its ends",
                             k);
    }
    lun_status s = valued ? lun__array_constant(e, (lun_dtype)n->dtype, x, &number) : LUN_OK;
    if (s != LUN_OK)
        return s;
    p.value = number ? number->cell : 0;
    lun__node_release(e, number);
    return lun__view_node_pad(e, n, &p, out);
}

static lun_status check(lun_engine *e, const lun_array *a, const lun_edge *edge, int count)
{
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    for (int k = 0; s == LUN_OK && k < count; k++)
        if ((unsigned)edge[k] > LUN_EDGE_NEAREST)
            s = lun__fail(e, LUN_EARG, "no such edge: %d", (int)edge[k]);
    return s;
}

lun_status lun_pad(lun_engine *e, lun_array *a, const int64_t *before, const int64_t *after,
                   const lun_edge *edge, lun_value x, lun_array **out)
{
    LUN_NEED(e, before && after && edge && out);
    int64_t shape[LUN_MAX_RANK];
    lun_node *n, *padded;
    LUN_MOVED_WITH(e, a, true, out,
                   lun_pad(e, moved, before, after, edge, LUN_INTO_GAPS(a, x), made))
    int rank = a ? lun_shape(a, shape) : 0;
    lun_status s = check(e, a, edge, rank);
    for (int k = 0; s == LUN_OK && k < rank; k++)
        if (before[k] < 0 || after[k] < 0)
            s = lun__fail(e, LUN_ERANGE,
                          "axis " LUN_NTH ": a negative number of elements cannot be added", k);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__pad(e, n, before, after, edge, x, &padded);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, padded, false, out) : s;
}

/* n padded on one side of the axis by the shift, at most its extent, as a view from there. */
static lun_status shift_node(lun_engine *e, lun_node *n, int64_t k, int axis, lun_edge edge,
                             lun_value x, lun_node **out)
{
    int64_t before[LUN_MAX_RANK] = {0}, after[LUN_MAX_RANK] = {0}, shape[LUN_MAX_RANK];
    lun_edge edges[LUN_MAX_RANK] = {LUN_EDGE_VALUE};
    lun_node *padded;
    lun__node_shape(n, shape);
    int64_t extent = shape[axis], far;
    if (n->n == 0) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    far = edge == LUN_EDGE_WRAP ? k % extent : k < -extent ? -extent : k > extent ? extent : k;
    *(far > 0 ? &before[axis] : &after[axis]) = far > 0 ? far : -far;
    edges[axis] = edge;
    lun_status s = lun__pad(e, n, before, after, edges, x, &padded);
    if (s != LUN_OK)
        return s;
    lun__node_shape(padded, shape);
    lun_layout l = lun__layout_right(padded->rank, shape);
    l.extent[axis] = extent;
    l.offset = after[axis] * l.stride[axis];
    s = lun__view(e, padded, &l, out);
    lun__node_release(e, padded);
    return s;
}

lun_status lun_shift(lun_engine *e, lun_array *a, int64_t k, int axis, lun_edge edge, lun_value x,
                     lun_array **out)
{
    LUN_NEED(e, out);
    char text[96];
    int64_t shape[LUN_MAX_RANK];
    lun_node *n = NULL, *shifted;
    LUN_MOVED_WITH(e, a, true, out, lun_shift(e, moved, k, axis, edge, LUN_INTO_GAPS(a, x), made))
    lun_status s = check(e, a, &edge, 1);
    int rank = s == LUN_OK ? lun_shape(a, shape) : 0;
    if (s == LUN_OK && (axis < 0 || axis >= rank))
        s = lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: %s has %d", axis,
                      lun__array_describe(a, text), rank);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = shift_node(e, n, k, axis, edge, x, &shifted);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, shifted, false, out) : s;
}
