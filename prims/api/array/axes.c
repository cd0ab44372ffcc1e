/* axes.c - the order of axes in which elementwise expressions on arrays are computed that are not
 * row-major: where all operands have one order in memory, their elements are taken in it, and the
 * result has it too.  Knows no operation. */
#include "api/array/axes.h"

#include <string.h>

static uint64_t distance(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Axes of one element come first: their stride does not matter. */
static bool before(const lun_layout *l, int i, int j)
{
    if (l->extent[i] == 1 || l->extent[j] == 1)
        return l->extent[i] == 1 && l->extent[j] != 1;
    return distance(l->stride[i]) > distance(l->stride[j]);
}

bool lun__axes_sorted(const lun_layout *l, lun_axes *out)
{
    int last = -1;
    bool moved = false;
    out->rank = l->rank;
    memcpy(out->extent, l->extent, sizeof out->extent);
    for (int k = 0; k < l->rank; k++) {
        int at = k;
        for (; at > 0 && before(l, k, out->axis[at - 1]); at--)
            out->axis[at] = out->axis[at - 1];
        out->axis[at] = (uint8_t)k;
    }
    for (int k = 0; k < l->rank; k++) {
        int axis = out->axis[k];
        if (l->extent[axis] == 1)
            continue;
        moved |= axis < last;
        last = axis;
    }
    return moved;
}

static bool repeats(const lun_layout *l)
{
    for (int k = 0; k < l->rank; k++)
        if (l->stride[k] == 0 && l->extent[k] > 1)
            return true;
    return false;
}

bool lun__axes_of(const lun_array *a, lun_axes *out)
{
    return a->viewed && a->at.rank > 1 && !repeats(&a->at) && lun__axes_sorted(&a->at, out);
}

/* The shape of an expression on these operands; false if they do not go together. */
static bool common_shape(lun_array *const *operands, int count, lun_layout *out)
{
    int64_t shape[LUN_MAX_RANK];
    out->rank = 0;
    for (int i = 0; i < count; i++) {
        int rank = lun_shape(operands[i], shape);
        for (; out->rank < rank; out->rank++) {
            memmove(out->extent + 1, out->extent, (size_t)out->rank * sizeof *out->extent);
            out->extent[0] = 1;
        }
        for (int k = 0; k < rank; k++) {
            int64_t *to = &out->extent[out->rank - rank + k];
            if (*to != shape[k] && *to != 1 && shape[k] != 1)
                return false;
            *to = *to == 1 ? shape[k] : *to;
        }
    }
    return true;
}

bool lun__axes_common(lun_array *const *operands, int count, lun_axes *out)
{
    bool some = false;
    lun_layout whole, at;
    lun_axes one;
    for (int i = 0; i < count; i++) /* most expressions are on row-major arrays alone */
        some |= operands[i]->viewed && lun__axes_of(operands[i], &one);
    if (!some || !common_shape(operands, count, &whole))
        return false;
    some = false;
    for (int i = 0; i < count; i++) {
        if (operands[i]->weak)
            continue;
        lun__array_layout(operands[i], &at);
        if (at.rank != whole.rank || repeats(&at) ||
            memcmp(at.extent, whole.extent, (size_t)at.rank * sizeof *at.extent))
            continue;
        if (!lun__axes_sorted(&at, &one) ||
            (some && memcmp(one.axis, out->axis, (size_t)at.rank * sizeof *one.axis)))
            return false;
        *out = one;
        some = true;
    }
    return some;
}

lun_layout lun__axes_applied(const lun_axes *x, const lun_layout *l)
{
    lun_layout to = {.rank = x->rank, .offset = l->offset};
    for (int k = 0; k < x->rank; k++) {
        int from = x->axis[k] - (x->rank - l->rank);
        to.extent[k] = from < 0 ? 1 : l->extent[from];
        to.stride[k] = from < 0 ? 0 : l->stride[from];
    }
    return to;
}

void lun__axes_shape(const lun_axes *x, int64_t shape[LUN_MAX_RANK])
{
    for (int k = 0; k < x->rank; k++)
        shape[k] = x->extent[x->axis[k]];
}

lun_status lun__axes_node(lun_engine *e, lun_array *a, lun_dtype t, const lun_axes *x,
                          lun_node **out)
{
    lun_layout own, along;
    lun_status s = x ? lun__array_usable(e, a) : LUN_OK;
    if (s != LUN_OK)
        return s;
    int rank = lun_shape(a, own.extent);
    if (!x || rank == 0 || (rank == 1 && own.extent[0] == 1))
        return lun__array_node(e, a, t, out);
    lun__array_used(e, lun__array_top(a));
    lun__array_layout(a, &own);
    along = lun__axes_applied(x, &own);
    return lun__view(e, lun__array_top(a)->node, &along, out);
}

lun_status lun__axes_array(lun_engine *e, lun_node *n, bool made, const lun_axes *x,
                           lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    if (!x)
        return lun__array(e, n, made, out);
    lun__axes_shape(x, shape);
    lun_layout along = lun__layout_right(x->rank, shape), own = {.rank = x->rank};
    for (int k = 0; k < x->rank; k++) {
        own.extent[x->axis[k]] = shape[k];
        own.stride[x->axis[k]] = along.stride[k];
    }
    return lun__array_viewed(e, n, &own, made, out);
}
