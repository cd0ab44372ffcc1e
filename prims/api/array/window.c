/* window.c - windows: arrays that show elements of another and are written through.  They are
 * arithmetic on layouts: no element is copied or computed. */
#include <string.h>

#include "api/array/api.h"

/* a's layout; LUN_EARG for a number. */
static lun_status layout_of(lun_engine *e, const lun_array *a, lun_layout *out)
{
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    if (a->weak)
        return lun__fail(e, LUN_EARG, "array expected, got a number");
    lun__array_layout(a, out);
    return LUN_OK;
}

/* Axis `axis`, from 0, of l. */
static lun_status check_axis(lun_engine *e, const lun_array *a, const lun_layout *l, int axis)
{
    char text[96];
    if (axis >= 0 && axis < l->rank)
        return LUN_OK;
    return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: %s has %d", axis,
                     lun__array_describe(a, text), l->rank);
}

static lun_status check_range(lun_engine *e, int axis, int64_t n, int64_t first, int64_t count,
                              int64_t step)
{
    int64_t last;
    bool within = count >= 0 &&
                  (count == 0 ||
                   (first >= 0 && first < n && !__builtin_mul_overflow(count - 1, step, &last) &&
                    !__builtin_add_overflow(first, last, &last) && last >= 0 && last < n));
    if (!within)
        return lun__fail(
            e, LUN_ERANGE,
            "elements " LUN_NTH_LONG " to " LUN_NTH_LONG " are out of range: the %s is %lld",
            (long long)first, (long long)((uint64_t)first + ((uint64_t)count - 1) * (uint64_t)step),
            axis ? "extent" : "length", (long long)n);
    if (step == 0)
        return lun__fail(e, LUN_ERANGE, "the step is 0");
    return LUN_OK;
}

lun_status lun_window(lun_engine *e, lun_array *a, int rank, const int64_t *first,
                      const int64_t *count, const int64_t *step, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || (first && count)));
    lun_layout l;
    lun_status s = layout_of(e, a, &l);
    if (s == LUN_OK && rank < 0)
        s = lun__fail(e, LUN_ESHAPE, "the number of axes is negative: %d", rank);
    if (s == LUN_OK && rank > 0)
        s = check_axis(e, a, &l, rank - 1);
    for (int k = 0; s == LUN_OK && k < rank; k++) {
        int64_t by = step && count[k] > 1 ? step[k] : 1;
        s = check_range(e, k, l.extent[k], first[k], count[k], step ? step[k] : 1);
        if (s != LUN_OK)
            return s;
        if (count[k])
            l.offset += first[k] * l.stride[k];
        l.extent[k] = count[k];
        l.stride[k] *= by;
    }
    return s == LUN_OK ? lun__array_window(e, a, &l, out) : s;
}

/* Removes axis k from l. */
static void drop_axis(lun_layout *l, int k)
{
    size_t after = (size_t)(l->rank - k - 1) * sizeof *l->extent;
    memmove(l->extent + k, l->extent + k + 1, after);
    memmove(l->stride + k, l->stride + k + 1, after);
    l->rank--;
}

lun_status lun_select(lun_engine *e, lun_array *a, int axis, int64_t i, lun_array **out)
{
    LUN_NEED(e, out);
    lun_layout l;
    lun_status s = layout_of(e, a, &l);
    if (s == LUN_OK)
        s = check_axis(e, a, &l, axis);
    if (s != LUN_OK)
        return s;
    if (i < 0 || i >= l.extent[axis])
        return lun__fail(e, LUN_ERANGE,
                         "index %lld is out of range: axis " LUN_NTH
                         " has length %lld, counted from 0",
                         (long long)i, axis, (long long)l.extent[axis]);
    l.offset += i * l.stride[axis];
    drop_axis(&l, axis);
    return lun__array_window(e, a, &l, out);
}

lun_status lun_row(lun_engine *e, lun_array *a, int64_t i, lun_array **out)
{
    LUN_NEED(e, out);
    lun_layout l;
    lun_status s = layout_of(e, a, &l);
    if (s != LUN_OK)
        return s;
    if (l.rank < 2)
        return lun__fail(e, LUN_ESHAPE, "a row needs an array of rank 2 or more, not of rank %d",
                         l.rank);
    if (i < 0 || i >= l.extent[0])
        return lun__fail(e, LUN_ERANGE,
                         "row %lld is out of range: the array has %lld rows, counted from 0",
                         (long long)i, (long long)l.extent[0]);
    return lun_select(e, a, 0, i, out);
}

lun_status lun_permute(lun_engine *e, lun_array *a, const int *axes, lun_array **out)
{
    LUN_NEED(e, out);
    lun_layout l, to;
    unsigned seen = 0;
    lun_status s = layout_of(e, a, &l);
    if (s != LUN_OK)
        return s;
    to = l;
    for (int k = 0; k < l.rank; k++) {
        int from = axes ? axes[k] : l.rank - 1 - k;
        s = check_axis(e, a, &l, from);
        if (s == LUN_OK && seen >> from & 1)
            s = lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is given twice", from);
        if (s != LUN_OK)
            return s;
        seen |= 1u << from;
        to.extent[k] = l.extent[from];
        to.stride[k] = l.stride[from];
    }
    return lun__array_window(e, a, &to, out);
}

lun_status lun_view(lun_engine *e, lun_array *a, int rank, const int64_t *shape, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_layout l, to;
    char text[96], wanted[96];
    lun_status s = layout_of(e, a, &l);
    if (s == LUN_OK)
        s = lun__shape_check(e, rank, shape);
    if (s != LUN_OK)
        return s;
    lun_layout right = lun__layout_right(rank, shape);
    lun_array as = {.viewed = true,
                    .logical = (uint8_t)lun__array_logical(a),
                    .node = lun__array_top(a)->node,
                    .at = right};
    if (lun__layout_count(&right) != lun__layout_count(&l))
        return lun__fail(e, LUN_ESHAPE, "%s cannot be viewed as %s: the numbers of elements differ",
                         lun__array_describe(a, text), lun__array_describe(&as, wanted));
    if (!lun__layout_reshaped(&l, rank, shape, &to))
        return lun__fail(e, LUN_ESHAPE,
                         "%s cannot be viewed as %s without a copy, since its elements are not "
                         "contiguous: use reshape",
                         lun__array_describe(a, text), lun__array_describe(&as, wanted));
    return lun__array_window(e, a, &to, out);
}

lun_status lun_diagonal(lun_engine *e, lun_array *a, int64_t k, lun_array **out)
{
    LUN_NEED(e, out);
    lun_layout l;
    lun_status s = layout_of(e, a, &l);
    if (s != LUN_OK)
        return s;
    if (l.rank < 2)
        return lun__fail(e, LUN_ESHAPE,
                         "a diagonal needs an array of rank 2 or more, not of rank %d", l.rank);
    int r = l.rank - 2, c = l.rank - 1;
    int64_t rows = l.extent[r], columns = l.extent[c];
    int64_t i = k >= 0 ? 0 : k > -rows ? -k : rows, j = k <= 0 ? 0 : k < columns ? k : columns;
    int64_t n = rows - i < columns - j ? rows - i : columns - j;
    if (n > 0)
        l.offset += i * l.stride[r] + j * l.stride[c];
    l.extent[r] = n;
    l.stride[r] += l.stride[c];
    l.rank--;
    return lun__array_window(e, a, &l, out);
}

lun_status lun_windows(lun_engine *e, lun_array *a, int axis, int64_t width, int64_t step,
                       lun_array **out)
{
    LUN_NEED(e, out);
    lun_layout l;
    lun_status s = layout_of(e, a, &l);
    if (s == LUN_OK)
        s = check_axis(e, a, &l, axis);
    if (s != LUN_OK)
        return s;
    if (l.rank == LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE,
                         "windows adds an axis, and the array already has %d, the maximum", l.rank);
    if (width < 1 || width > l.extent[axis])
        return lun__fail(e, LUN_ERANGE,
                         "windows of %lld elements do not fit into axis " LUN_NTH " of length %lld",
                         (long long)width, axis, (long long)l.extent[axis]);
    if (step < 1)
        return lun__fail(e, LUN_ERANGE, "the step of windows must be at least 1, not %lld",
                         (long long)step);
    l.extent[l.rank] = width;
    l.stride[l.rank++] = l.stride[axis];
    l.extent[axis] = (l.extent[axis] - width) / step + 1;
    if (l.extent[axis] > 1)
        l.stride[axis] *= step;
    s = lun__shape_check(e, l.rank, l.extent);
    return s == LUN_OK ? lun__array_window(e, a, &l, out) : s;
}

lun_status lun_broadcast(lun_engine *e, lun_array *a, int rank, const int64_t *shape,
                         lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_layout l, to;
    char text[96], wanted[96];
    lun_status s = layout_of(e, a, &l);
    if (s == LUN_OK)
        s = lun__shape_check(e, rank, shape);
    if (s != LUN_OK)
        return s;
    lun_array as = {.viewed = true,
                    .logical = (uint8_t)lun__array_logical(a),
                    .node = lun__array_top(a)->node,
                    .at = lun__layout_right(rank, shape)};
    if (!lun__shape_broadcast(&l, rank, shape, &to))
        return lun__shape_misfit(e, lun__array_describe(a, text), &l,
                                 lun__array_describe(&as, wanted), rank, shape);
    return lun__array_window(e, a, &to, out);
}

/* Slots from one element to the next: two where complex numbers have their parts side by side. */
static int64_t unit_of(const lun_array *a)
{
    const lun_array *top = lun__array_top(a);
    const bool lanes = lun__array_is_complex(a) && top->viewed && top->valid->viewed &&
                       top->valid->at.offset != top->at.offset;
    return lanes ? 2 : 1;
}

int lun_strides(const lun_array *a, int64_t strides[LUN_MAX_RANK])
{
    LUN_NEED_OR(lun_engine_of(a), 0);
    lun_layout l;
    if (!strides || a->weak || lun_is_freed(a))
        return 0;
    lun__array_layout(a, &l);
    for (int k = 0; k < l.rank; k++)
        strides[k] = l.stride[k] / unit_of(a);
    return l.rank;
}

lun_layout_kind lun_layout_of(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), LUN_LAYOUT_RIGHT);
    lun_layout l, right, left;
    if (a->weak || lun_is_freed(a))
        return LUN_LAYOUT_RIGHT;
    lun__array_layout(a, &l);
    right = lun__layout_right(l.rank, l.extent);
    left = lun__layout_left(l.rank, l.extent);
    bool is_right = true, is_left = true;
    const int64_t unit = unit_of(a);
    for (int k = 0; k < l.rank; k++) {
        is_right &= l.extent[k] < 2 || l.stride[k] == unit * right.stride[k];
        is_left &= l.extent[k] < 2 || l.stride[k] == unit * left.stride[k];
    }
    return is_right ? LUN_LAYOUT_RIGHT : is_left ? LUN_LAYOUT_LEFT : LUN_LAYOUT_STRIDED;
}
