/* sorting.c - sorts along an axis, top-k, unique elements. */
#include "api/array/api.h"
#include "lunarray_bind.h"

/* a's node, of an array. */
static lun_status array_node(lun_engine *e, lun_array *a, lun_node **out)
{
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    return s == LUN_OK ? lun__node(e, a, LUN_DTYPE_COUNT, out) : s;
}

/* n with its axis `from` at `to`. */
static lun_status move_axis(lun_engine *e, lun_node *n, int from, int to, lun_node **out)
{
    lun_layout l;
    lun__node_layout(n, &l);
    const lun_layout right = lun__layout_right(n->rank, l.extent);
    lun_layout moved = {.rank = n->rank};
    for (int k = 0, old = 0; k < n->rank; k++) {
        old += old == from;
        const int at = k == to ? from : old++;
        moved.extent[k] = right.extent[at];
        moved.stride[k] = right.stride[at];
    }
    return lun__view(e, n, &moved, out);
}

/* The axis from 0; negative ones count from the end. */
static lun_status check_axis(lun_engine *e, const lun_array *a, int rank, int *axis)
{
    char text[96];
    const int given = *axis;
    if (given < 0)
        *axis += rank;
    if (given >= -rank && given < rank)
        return LUN_OK;
    return lun__fail(e, LUN_ESHAPE,
                     given < 0 ? "axis %d is out of range: %s has %d"
                               : "axis " LUN_NTH " is out of range: %s has %d",
                     given, lun__describe(a, text), rank);
}

/* SORT or ARGSORT. */
static lun_status ordered(lun_engine *e, lun_algorithm which, lun_array *a, int axis, int flags,
                          int64_t first, lun_array **out)
{
    lun_node *n = NULL, *segments = NULL, *sorted = NULL, *back = NULL;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = array_node(e, a, &n);
    if (s != LUN_OK)
        return s;
    const int last = n->rank - 1;
    s = check_axis(e, a, n->rank, &axis);
    if (s == LUN_OK)
        s = move_axis(e, n, axis, last, &segments);
    if (s == LUN_OK) {
        const uint64_t option[] = {flags & LUN_DESCENDING, (uint64_t)first};
        lun__node_shape(segments, shape);
        s = lun__node_algorithm(e, which, &segments, shape[last], option,
                                which == LUN_ALGORITHM_SORT ? (lun_dtype)n->dtype : LUN_I64,
                                n->rank, shape, NULL, &sorted);
    }
    if (s == LUN_OK)
        s = move_axis(e, sorted, last, axis, &back);
    lun_node *all[] = {n, segments, sorted};
    for (int i = 0; i < 3; i++)
        lun__node_release(e, all[i]);
    return s == LUN_OK ? lun__array(e, back, false, out) : s;
}

/* ---- of Vectors of which elements are missing: those come last ------------------------------- */

static bool is_vector_with_missing(const lun_array *a)
{
    int64_t shape[LUN_MAX_RANK];
    return lun_has_missing(a) && lun_shape(a, shape) == 1;
}

/* `count` missing elements of dtype t behind those of head. */
static lun_status with_tail(lun_engine *e, lun_array *head, int64_t count, lun_array **out)
{
    lun_array *na, *tail = NULL;
    lun_status s = lun_na(e, lun_dtype_of(head), &na);
    if (s == LUN_OK)
        s = lun_broadcast(e, na, 1, &count, &tail);
    if (s == LUN_OK)
        s = lun_concat(e, head, tail, out);
    lun_release(na);
    lun_release(tail);
    return s;
}

static lun_status sort_there(lun_engine *e, lun_array *a, int flags, lun_array **out)
{
    lun_array *kept = NULL, *sorted = NULL;
    lun_status s = lun__compress_present(e, a, NULL, &kept);
    if (s == LUN_OK)
        s = lun_sort(e, kept, 0, flags, &sorted);
    if (s == LUN_OK)
        s = with_tail(e, sorted, lun_length(a) - lun_length(sorted), out);
    lun_release(kept);
    lun_release(sorted);
    return s;
}

static lun_status argsort_there(lun_engine *e, lun_array *a, int flags, int64_t first,
                                lun_array **out)
{
    lun_array *slots, *valid, *gone = NULL, *kept = NULL, *order = NULL;
    lun_array *places = NULL, *head = NULL, *tail = NULL;
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_lnot(e, valid, &gone);
    if (s == LUN_OK)
        s = lun_compress(e, slots, valid, &kept);
    if (s == LUN_OK)
        s = lun_argsort(e, kept, 0, flags, 0, &order);
    if (s == LUN_OK)
        s = lun_indices(e, valid, first, &places);
    if (s == LUN_OK)
        s = lun_take(e, places, order, 0, NULL, &head);
    if (s == LUN_OK)
        s = lun_indices(e, gone, first, &tail);
    if (s == LUN_OK)
        s = lun_concat(e, head, tail, out);
    lun_array *all[] = {slots, valid, gone, kept, order, places, head, tail};
    for (int k = 0; k < 8; k++)
        lun_release(all[k]);
    return s;
}

lun_status lun_sort(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out)
{
    LUN_NEED(e, a && out);
    if (is_vector_with_missing(a) && (axis == 0 || axis == -1))
        return sort_there(e, a, flags, out);
    LUN_NO_MISSING(e, a);
    return ordered(e, LUN_ALGORITHM_SORT, a, axis, flags, 0, out);
}

lun_status lun_argsort(lun_engine *e, lun_array *a, int axis, int flags, int64_t first,
                       lun_array **out)
{
    LUN_NEED(e, a && out);
    if (is_vector_with_missing(a) && (axis == 0 || axis == -1))
        return argsort_there(e, a, flags, first, out);
    LUN_NO_MISSING(e, a);
    return ordered(e, LUN_ALGORITHM_ARGSORT, a, axis, flags, first, out);
}

/* The two results of an algorithm (takes the reference) as arrays. */
static lun_status both(lun_engine *e, lun_node *n, lun_array **first, lun_array **second)
{
    lun_node *also = NULL;
    *first = *second = NULL;
    lun_status s = lun__node_result(e, n, 1, &also);
    if (s != LUN_OK) {
        lun__node_release(e, n);
        return s;
    }
    s = lun__array(e, n, false, first);
    if (s != LUN_OK) {
        lun__node_release(e, also);
        return s;
    }
    s = lun__array(e, also, false, second);
    if (s != LUN_OK) {
        lun_release(*first);
        *first = NULL;
    }
    return s;
}

lun_status lun_topk(lun_engine *e, lun_array *a, int64_t k, int flags, int64_t first,
                    lun_array **values, lun_array **places)
{
    LUN_NEED(e, a && values && places);
    LUN_NO_MISSING(e, a);
    char text[96];
    lun_node *n = NULL, *top = NULL;
    lun_status s = array_node(e, a, &n);
    if (s != LUN_OK)
        return s;
    if (n->rank != 1)
        s = lun__fail(e, LUN_ESHAPE, "a Vector expected, got %s", lun__describe(a, text));
    else if (k < 0)
        s = lun__fail(e, LUN_ERANGE, "the number of elements is negative: %lld", (long long)k);
    if (s == LUN_OK) {
        const int64_t count = k < n->n ? k : n->n;
        const uint64_t option[] = {flags & LUN_DESCENDING, (uint64_t)first};
        s = lun__node_algorithm(e, LUN_ALGORITHM_TOPK, &n, 0, option, (lun_dtype)n->dtype, 1,
                                &count, NULL, &top);
    }
    lun__node_release(e, n);
    return s == LUN_OK ? both(e, top, values, places) : s;
}

/* The different elements that are there, then, if some are missing, that. */
static lun_status unique_there(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts)
{
    lun_array *kept = NULL, *found = NULL, *often = NULL, *rest = NULL;
    lun_status s = lun__compress_present(e, a, NULL, &kept);
    const int64_t gone = s == LUN_OK ? lun_size(a) - lun_length(kept) : 0;
    const lun_value x = {.dtype = LUN_I64, .as.i = gone};
    if (s == LUN_OK)
        s = lun_unique(e, kept, &found, &often);
    if (s == LUN_OK)
        s = lun_full(e, 1, (int64_t[]){gone ? 1 : 0}, LUN_I64, x, &rest);
    if (s == LUN_OK)
        s = lun_concat(e, often, rest, counts);
    if (s == LUN_OK) {
        s = with_tail(e, found, gone ? 1 : 0, values);
        if (s != LUN_OK)
            lun_release(*counts);
    }
    lun_array *all[] = {kept, found, often, rest};
    for (int k = 0; k < 4; k++)
        lun_release(all[k]);
    return s;
}

lun_status lun_unique(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts)
{
    LUN_NEED(e, a && values && counts);
    if (lun_has_missing(a))
        return unique_there(e, a, values, counts);
    lun_node *n = NULL, *found = NULL;
    lun_status s = array_node(e, a, &n);
    if (s != LUN_OK)
        return s;
    s = lun__node_algorithm(e, LUN_ALGORITHM_UNIQUE, &n, 0, NULL, (lun_dtype)n->dtype, 1, &n->n,
                            NULL, &found);
    lun__node_release(e, n);
    return s == LUN_OK ? both(e, found, values, counts) : s;
}
