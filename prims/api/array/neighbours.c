/* neighbours.c - the elements that the function of a stencil reads, as operands: windows on the
 * padded array. */
#include <stdio.h>
#include <string.h>

#include "api/array/apply_function.h"

/* The function's radius along each axis of the nodes, on both sides. */
typedef struct extent {
    int rank;
    int64_t before[LUN_MAX_RANK], after[LUN_MAX_RANK];
    lun_edge edge[LUN_MAX_RANK];
} extent;

/* The axis of an array that is axis k of its node. */
static int axis_of(const lun_axes *axes, int k)
{
    return axes ? axes->axis[k] : k;
}

lun_status lun__neighbours_check_radius(lun_engine *e, const lun_neighbour *at,
                                        const int64_t *radius)
{
    char call[48] = "";
    if (at->line)
        snprintf(call, sizeof call, " of get(x, ...) in line %d", at->line);
    for (int k = 0; radius && k < at->axes; k++)
        if (at->by[k] > radius[k] || at->by[k] < -radius[k])
            return lun__fail(e, LUN_EARG,
                             "offset %lld%s is beyond the radius of axis " LUN_NTH
                             ", which is %lld",
                             (long long)at->by[k], call, k, (long long)radius[k]);
    return LUN_OK;
}

/* LUN_EARG for an offset that no array can have. */
static lun_status check_offset(lun_engine *e, const lun_neighbour *at, int rank)
{
    for (int k = 0; k < rank; k++)
        if (at->by[k] > LUN_MOST_ELEMENTS || at->by[k] < -LUN_MOST_ELEMENTS)
            return lun__fail(e, LUN_ERANGE, "offset %lld of axis " LUN_NTH " is too far",
                             (long long)at->by[k], k);
    return LUN_OK;
}

static lun_status extent_of(lun_engine *e, const lun_neighbour *at, int count,
                            const lun_stencil_options *how, const lun_axes *axes, int rank,
                            extent *out)
{
    *out = (extent){.rank = rank};
    for (int i = 0; i < count; i++) {
        lun_status s = lun__neighbours_check_radius(e, &at[i], how->radius);
        if (s == LUN_OK)
            s = check_offset(e, &at[i], rank);
        if (s != LUN_OK)
            return s;
        for (int k = 0; k < rank; k++) {
            int64_t by = at[i].by[axis_of(axes, k)];
            if (-by > out->before[k])
                out->before[k] = -by;
            if (by > out->after[k])
                out->after[k] = by;
        }
    }
    for (int k = 0; k < rank; k++)
        out->edge[k] = how->edge ? how->edge[axis_of(axes, k)] : LUN_EDGE_NEAREST;
    return LUN_OK;
}

/* The elements of n, padded by the radius, at that offset from each index. */
static lun_status one_neighbour(lun_engine *e, lun_node *n, lun_node *padded, const extent *to,
                                const lun_neighbour *at, const lun_axes *axes, lun_node **out)
{
    int64_t shape[LUN_MAX_RANK], wide[LUN_MAX_RANK];
    bool here = true;
    for (int k = 0; k < to->rank; k++)
        here &= at->by[k] == 0;
    if (here || n->n == 0) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    lun__node_shape(n, shape);
    lun__node_shape(padded, wide);
    lun_layout l = lun__layout_right(to->rank, wide);
    for (int k = 0; k < to->rank; k++) {
        l.extent[k] = shape[k];
        l.offset += (to->before[k] + at->by[axis_of(axes, k)]) * l.stride[k];
    }
    return lun__view_node(e, padded, &l, out);
}

/* Of one array, parameter `param`: each of its neighbours into its entry of out. */
static lun_status neighbours_of(lun_engine *e, const lun_neighbour *at, int count, lun_array *a,
                                int param, const extent *to, lun_value x, const lun_axes *axes,
                                lun_node **out)
{
    lun_node *raw, *n = NULL, *padded = NULL;
    lun_status s = lun__axes_node(e, a, lun_dtype_of(a), axes, &raw);
    if (s != LUN_OK)
        return s;
    s = raw->n ? lun__pad(e, raw, to->before, to->after, to->edge, x, &padded) : LUN_OK;
    for (int i = 0; s == LUN_OK && i < count; i++) {
        if (at[i].param != param)
            continue;
        s = one_neighbour(e, raw, padded, to, &at[i], axes, &n);
        if (s == LUN_OK) {
            s = lun__convert(e, n, at[i].dtype, &out[i]);
            lun__node_release(e, n);
        }
    }
    lun__node_release(e, padded);
    lun__node_release(e, raw);
    return s;
}

lun_status lun__neighbours(lun_engine *e, const lun_neighbour *at, int count,
                           lun_array *const *arrays, lun_around *around, const lun_axes *axes,
                           lun_node **out)
{
    int64_t shape[LUN_MAX_RANK];
    extent to;
    int most = 0;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int i = 0; i < count; i++)
        most = at[i].param > most ? at[i].param : most;
    lun_status s = extent_of(e, at, count, around->how, axes, lun_shape(arrays[0], shape), &to);
    for (int k = 0; s == LUN_OK && k < to.rank; k++) {
        around->before[axis_of(axes, k)] = to.before[k];
        around->after[axis_of(axes, k)] = to.after[k];
    }
    for (int p = 0; s == LUN_OK && p <= most; p++)
        s = neighbours_of(e, at, count, arrays[p], p, &to, around->how->x, axes, out);
    for (int i = 0; s != LUN_OK && i < count; i++)
        lun__node_release(e, out[i]);
    return s;
}
