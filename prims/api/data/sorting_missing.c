/* sorting_missing.c - orders of arrays, of which elements may be missing.  Of a Vector those that
 * are there are ordered alone; along an axis of others all slots are, then by their validity,
 * which is a second stable order. */
#include "api/data/sorting.h"

#include "lunarray_bind.h"

/* `count` missing elements of dtype t. */
static lun_status gaps(lun_engine *e, lun_dtype t, int64_t count, lun_array **out)
{
    lun_array *na;
    lun_status s = lun_na(e, t, &na);
    if (s != LUN_OK)
        return s;
    s = lun_broadcast(e, na, 1, &count, out);
    lun_release(na);
    return s;
}

/* The elements of both, the missing ones in front if flags have it. */
static lun_status joined(lun_engine *e, lun_array *there, lun_array *missing, int flags,
                         lun_array **out)
{
    return flags & LUN_MISSING_FIRST ? lun_concat(e, missing, there, out)
                                     : lun_concat(e, there, missing, out);
}

/* ---- of a Vector ----------------------------------------------------------------------------- */

static lun_status sort_vector(lun_engine *e, lun_array *a, int flags, lun_array **out)
{
    lun_array *kept = NULL, *sorted = NULL, *rest = NULL;
    lun_status s = lun__compress_present(e, a, NULL, &kept);
    if (s == LUN_OK)
        s = lun__sort_slots(e, kept, 0, flags, &sorted);
    if (s == LUN_OK)
        s = gaps(e, lun_dtype_of(a), lun_length(a) - lun_length(sorted), &rest);
    if (s == LUN_OK)
        s = joined(e, sorted, rest, flags, out);
    lun_release(kept);
    lun_release(sorted);
    lun_release(rest);
    return s;
}

static lun_status argsort_vector(lun_engine *e, lun_array *a, int flags, int64_t first,
                                 lun_array **out)
{
    lun_array *slots, *valid, *gone = NULL, *kept = NULL, *order = NULL;
    lun_array *places = NULL, *there = NULL, *missing = NULL;
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_lnot(e, valid, &gone);
    if (s == LUN_OK)
        s = lun_compress(e, slots, valid, &kept);
    if (s == LUN_OK)
        s = lun__sorting_argsort(e, kept, 0, flags, 0, &order);
    if (s == LUN_OK)
        s = lun_indices(e, valid, first, &places);
    if (s == LUN_OK)
        s = lun_take(e, places, order, 0, NULL, &there);
    if (s == LUN_OK)
        s = lun_indices(e, gone, first, &missing);
    if (s == LUN_OK)
        s = joined(e, there, missing, flags, out);
    lun_array *all[] = {slots, valid, gone, kept, order, places, there, missing};
    for (int k = 0; k < 8; k++)
        lun_release(all[k]);
    return s;
}

/* ---- along an axis --------------------------------------------------------------------------- */

/* Exchanges the reference *a for op of it and an integer. */
static lun_status with(lun_engine *e, lun_op op, lun_array **a, int64_t x)
{
    lun_array *number, *made = NULL;
    lun_status s = lun_integer(e, x, &number);
    if (s != LUN_OK)
        return s;
    s = lun_apply(e, op, (lun_array *[]){*a, number}, 2, &made);
    lun_release(number);
    if (s != LUN_OK)
        return s;
    lun_release(*a);
    *a = made;
    return LUN_OK;
}

/* Each element's index along the axis whose neighbours are `stride` apart in row-major order, and
 * the row-major position of the first element of its segment. */
static lun_status coordinates(lun_engine *e, int64_t count, int64_t extent, int64_t stride,
                              lun_array **begin)
{
    lun_array *at = NULL, *along = NULL;
    const lun_value zero = {.dtype = LUN_I64}, one = {.dtype = LUN_I64, .as.i = 1};
    lun_status s = lun_range(e, zero, one, count, LUN_I64, begin);
    if (s != LUN_OK)
        return s;
    lun_retain(along = *begin);
    s = with(e, LUN_OP_IDIV, &along, stride);
    if (s == LUN_OK)
        s = with(e, LUN_OP_MOD, &along, extent);
    if (s == LUN_OK)
        s = with(e, LUN_OP_MUL, &along, stride);
    if (s == LUN_OK)
        s = lun_sub(e, *begin, along, &at);
    lun_release(along);
    lun_release(*begin);
    *begin = s == LUN_OK ? at : NULL;
    return s;
}

/* The elements of a at indices along the axis, of a's shape. */
static lun_status take_along(lun_engine *e, lun_array *a, int axis, lun_array *indices,
                             lun_array **out)
{
    int64_t shape[LUN_MAX_RANK], stride = 1;
    const int64_t count = lun_size(a);
    const int rank = lun_shape(a, shape);
    lun_array *flat = NULL, *at = NULL, *begin = NULL, *place = NULL, *taken = NULL;
    for (int k = axis + 1; k < rank; k++)
        stride *= shape[k];
    lun_status s = lun_reshape(e, a, 1, &count, &flat);
    if (s == LUN_OK)
        s = lun_reshape(e, indices, 1, &count, &at);
    if (s == LUN_OK)
        s = with(e, LUN_OP_MUL, &at, stride);
    if (s == LUN_OK)
        s = coordinates(e, count, shape[axis] ? shape[axis] : 1, stride ? stride : 1, &begin);
    if (s == LUN_OK)
        s = lun_add(e, at, begin, &place);
    if (s == LUN_OK)
        s = lun_take(e, flat, place, 0, NULL, &taken);
    if (s == LUN_OK)
        s = lun_reshape(e, taken, rank, shape, out);
    lun_array *all[] = {flat, at, begin, place, taken};
    for (int k = 0; k < 5; k++)
        lun_release(all[k]);
    return s;
}

/* By value, then, in that order, by whether an element is missing. */
static lun_status argsort_along(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out)
{
    lun_array *slots, *valid, *gone = NULL, *by_value = NULL, *moved = NULL, *order = NULL;
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun__sorting_argsort(e, slots, axis, flags & LUN_DESCENDING, 0, &by_value);
    if (s == LUN_OK)
        s = lun_lnot(e, valid, &gone);
    if (s == LUN_OK)
        s = take_along(e, gone, axis, by_value, &moved);
    if (s == LUN_OK)
        s = lun__sorting_argsort(e, moved, axis, flags & LUN_MISSING_FIRST ? LUN_DESCENDING : 0, 0,
                                 &order);
    if (s == LUN_OK)
        s = take_along(e, by_value, axis, order, out);
    lun_array *all[] = {slots, valid, gone, by_value, moved, order};
    for (int k = 0; k < 6; k++)
        lun_release(all[k]);
    return s;
}

/* Negative axes count from the end; one that is not there stays, for the sort to refuse. */
static int from_front(const lun_array *a, int axis)
{
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(a, shape);
    return axis < 0 && axis >= -rank ? axis + rank : axis;
}

static bool is_vector(const lun_array *a, int axis)
{
    int64_t shape[LUN_MAX_RANK];
    return lun_shape(a, shape) == 1 && axis == 0;
}

static lun_status argsort_there(lun_engine *e, lun_array *a, int axis, int flags, int64_t first,
                                lun_array **out)
{
    const int at = from_front(a, axis);
    if (is_vector(a, at))
        return argsort_vector(e, a, flags, first, out);
    lun_status s = argsort_along(e, a, at, flags, out);
    if (s != LUN_OK || first == 0)
        return s;
    s = with(e, LUN_OP_ADD, out, first);
    if (s != LUN_OK)
        lun_release(*out);
    return s;
}

static lun_status sort_there(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out)
{
    lun_array *order;
    const int at = from_front(a, axis);
    if (is_vector(a, at))
        return sort_vector(e, a, flags, out);
    lun_status s = argsort_along(e, a, at, flags, &order);
    if (s != LUN_OK)
        return s;
    s = take_along(e, a, at, order, out);
    lun_release(order);
    return s;
}

/* ---- results of a Vector --------------------------------------------------------------------- */

static lun_status topk_there(lun_engine *e, lun_array *a, int64_t k, int flags, int64_t first,
                             lun_array **values, lun_array **places)
{
    lun_array *order = NULL, *head = NULL;
    lun_status s = argsort_there(e, a, 0, flags, 0, &order);
    const int64_t count = s == LUN_OK && k < lun_length(order) ? k : lun_length(a);
    if (s == LUN_OK)
        s = lun_slice(e, order, 0, count, 1, &head);
    if (s == LUN_OK)
        s = lun_take(e, a, head, 0, NULL, values);
    if (s == LUN_OK) {
        lun_retain(*places = head);
        s = with(e, LUN_OP_ADD, places, first);
        if (s != LUN_OK) {
            lun_release(*places);
            lun_release(*values);
        }
    }
    lun_release(order);
    lun_release(head);
    return s;
}

static lun_status unique_there(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts)
{
    lun_array *kept = NULL, *found = NULL, *often = NULL, *rest = NULL, *tail = NULL;
    lun_status s = lun__compress_present(e, a, NULL, &kept);
    const int64_t gone = s == LUN_OK ? lun_size(a) - lun_length(kept) : 0;
    const lun_value x = {.dtype = LUN_I64, .as.i = gone};
    if (s == LUN_OK)
        s = lun__sorting_unique(e, kept, &found, &often);
    if (s == LUN_OK)
        s = lun_full(e, 1, (int64_t[]){gone ? 1 : 0}, LUN_I64, x, &rest);
    if (s == LUN_OK)
        s = gaps(e, lun_dtype_of(a), gone ? 1 : 0, &tail);
    if (s == LUN_OK)
        s = lun_concat(e, often, rest, counts);
    if (s == LUN_OK) {
        s = lun_concat(e, found, tail, values);
        if (s != LUN_OK)
            lun_release(*counts);
    }
    lun_array *all[] = {kept, found, often, rest, tail};
    for (int k = 0; k < 5; k++)
        lun_release(all[k]);
    return s;
}

/* ---- of any array ---------------------------------------------------------------------------- */

lun_status lun_sort(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out)
{
    LUN_NEED(e, a && out);
    LUN_ORDERED(e, a, out, lun_sort(e, ordered, axis, flags, made))
    return lun_has_missing(a) ? sort_there(e, a, axis, flags, out)
                              : lun__sort_slots(e, a, axis, flags, out);
}

lun_status lun_argsort(lun_engine *e, lun_array *a, int axis, int flags, int64_t first,
                       lun_array **out)
{
    LUN_NEED(e, a && out);
    LUN_BY_ORDER(e, a, lun_argsort(e, ordered, axis, flags, first, out))
    return lun_has_missing(a) ? argsort_there(e, a, axis, flags, first, out)
                              : lun__sorting_argsort(e, a, axis, flags, first, out);
}

lun_status lun_topk(lun_engine *e, lun_array *a, int64_t k, int flags, int64_t first,
                    lun_array **values, lun_array **places)
{
    LUN_NEED(e, a && values && places);
    LUN_ORDERED(e, a, values, lun_topk(e, ordered, k, flags, first, made, places))
    if (k < 0)
        return lun__fail(e, LUN_ERANGE, "the number of elements is negative: %lld", (long long)k);
    return is_vector(a, 0) && lun_has_missing(a)
               ? topk_there(e, a, k, flags, first, values, places)
               : lun__sorting_topk(e, a, k, flags, first, values, places);
}

lun_status lun_unique(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts)
{
    LUN_NEED(e, a && values && counts);
    LUN_ORDERED(e, a, values, lun_unique(e, ordered, made, counts))
    return lun_has_missing(a) ? unique_there(e, a, values, counts)
                              : lun__sorting_unique(e, a, values, counts);
}
