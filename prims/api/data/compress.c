/* compress.c - the elements where a bool is true, or their indices: arrays whose length is known
 * only after evaluation. */
#include "api/array/api.h"

#include <stdio.h>

/* LUN_EDTYPE unless m is of bools. */
static lun_status check_mask(lun_engine *e, const lun_array *m)
{
    char text[96];
    if (lun_dtype_kind(lun_dtype_of(m)) == LUN_KIND_BOOL)
        return LUN_OK;
    return lun__fail(e, LUN_EDTYPE, "the mask is %s, not bool; compare first: x:gt(0)",
                     lun__array_describe(m, text));
}

/* a's elements in row-major order, as a Vector; LUN_ESHAPE unless mask has a's shape. */
static lun_status keep(lun_engine *e, lun_array *a, lun_array *mask, lun_array **out)
{
    lun_node *in[2] = {NULL, NULL}, *n = NULL;
    char x[96], y[96];
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &in[0]);
    if (s == LUN_OK)
        s = lun__array_node(e, mask, LUN_DTYPE_COUNT, &in[1]);
    int64_t shape[LUN_MAX_RANK], other[LUN_MAX_RANK];
    if (s == LUN_OK) {
        lun__node_shape(in[0], shape);
        lun__node_shape(in[1], other);
        bool fits = in[0]->rank == in[1]->rank;
        for (int k = 0; fits && k < in[0]->rank; k++)
            fits = shape[k] == other[k];
        int axis = 0; /* the first one whose slices a mask that is a Vector may choose, from 1 */
        for (int k = in[0]->rank; in[1]->rank == 1 && k > 0; k--)
            axis = shape[k - 1] == other[0] ? k : axis;
        char hint[48] = "";
        if (axis)
            (void)snprintf(hint, sizeof hint, ": along an axis it takes {axis=%d}", axis);
        if (!fits)
            s = lun__fail(e, LUN_ESHAPE, "shapes differ: %s and a mask %s%s",
                          lun__array_describe(a, x), lun__array_describe(mask, y), hint);
    }
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_KEEP, in, 0, NULL, (lun_dtype)in[0]->dtype, 1,
                                     &in[0]->n, NULL, &n);
    lun__node_release(e, in[0]);
    lun__node_release(e, in[1]);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

lun_status lun_compress(lun_engine *e, lun_array *a, lun_array *mask, lun_array **out)
{
    LUN_NEED(e, a && mask && out);
    LUN_AS_MASK(e, mask, lun_compress(e, a, mask, out))
    LUN_MOVED(e, a, out, lun_compress(e, moved, mask, made))
    e->error_where = NULL;
    e->error_operand = 0;
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK)
        s = lun__array_usable(e, mask);
    if (s == LUN_OK && (a->weak || mask->weak))
        return lun__fail(e, LUN_EARG, "a number has no elements to choose from");
    e->error_operand = 2;
    if (s == LUN_OK)
        s = check_mask(e, mask);
    return s == LUN_OK ? keep(e, a, mask, out) : s;
}

lun_status lun__compress_present(lun_engine *e, lun_array *a, lun_array *of, lun_array **out)
{
    lun_array *slots, *valid, *kept;
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_compress(e, of ? of : slots, valid, &kept);
    lun_release(slots);
    lun_release(valid);
    if (s != LUN_OK)
        return s;
    s = lun__array_present(e, kept);
    if (s == LUN_OK)
        *out = kept;
    else
        lun_release(kept);
    return s;
}

lun_status lun_compress_along(lun_engine *e, lun_array *a, lun_array *mask, int axis,
                              lun_array **out)
{
    LUN_NEED(e, a && mask && out);
    LUN_AS_MASK(e, mask, lun_compress_along(e, a, mask, axis, out))
    LUN_MOVED(e, a, out, lun_compress_along(e, moved, mask, axis, made))
    lun_array *indices;
    int64_t shape[LUN_MAX_RANK], extent[LUN_MAX_RANK];
    char x[96], y[96];
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__array_usable(e, a);
    int rank = s == LUN_OK ? lun_shape(a, shape) : 0;
    if (s == LUN_OK && (axis < 0 || axis >= rank))
        s = lun__fail(e, LUN_ESHAPE, "no axis " LUN_NTH ": the rank is %d", axis, rank);
    e->error_operand = 2;
    if (s == LUN_OK)
        s = lun__array_usable(e, mask);
    if (s == LUN_OK)
        s = check_mask(e, mask);
    if (s != LUN_OK)
        return s;
    if (lun_shape(mask, extent) != 1 || extent[0] != shape[axis])
        return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " of %s and a mask %s differ", axis,
                         lun__array_describe(a, x), lun__array_describe(mask, y));
    s = lun_indices(e, mask, 0, &indices);
    if (s != LUN_OK)
        return s;
    s = lun_take(e, a, indices, axis, NULL, out);
    lun_release(indices);
    return s;
}

lun_status lun_indices(lun_engine *e, lun_array *mask, int64_t first, lun_array **out)
{
    LUN_NEED(e, mask && out);
    LUN_AS_MASK(e, mask, lun_indices(e, mask, first, out))
    lun_node *in = NULL, *n = NULL;
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__array_usable(e, mask);
    if (s == LUN_OK)
        s = check_mask(e, mask);
    if (s == LUN_OK)
        s = lun__array_node(e, mask, LUN_DTYPE_COUNT, &in);
    if (s != LUN_OK)
        return s;
    const uint64_t option[] = {(uint64_t)first, 0};
    s = lun__fold_node_algorithm(e, LUN_ALGORITHM_PLACES, &in, 0, option, LUN_I64, 1, &in->n, NULL,
                                 &n);
    lun__node_release(e, in);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}
