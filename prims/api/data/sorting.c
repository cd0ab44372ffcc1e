/* sorting.c - sorts along an axis, top-k, unique elements of arrays of which nothing is missing. */
#include "api/data/sorting.h"

/* a's node, of an array. */
static lun_status array_node(lun_engine *e, lun_array *a, lun_node **out)
{
    e->error_where = NULL;
    e->error_operand = 1;
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    return s == LUN_OK ? lun__array_node(e, a, LUN_DTYPE_COUNT, out) : s;
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
                     given, lun__array_describe(a, text), rank);
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
        s = lun__fold_node_algorithm(e, which, &segments, shape[last], option,
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

lun_status lun__sort_slots(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out)
{
    return ordered(e, LUN_ALGORITHM_SORT, a, axis, flags, 0, out);
}

lun_status lun__sorting_argsort(lun_engine *e, lun_array *a, int axis, int flags, int64_t first,
                                lun_array **out)
{
    return ordered(e, LUN_ALGORITHM_ARGSORT, a, axis, flags, first, out);
}

/* The two results of an algorithm (takes the reference) as arrays. */
static lun_status both(lun_engine *e, lun_node *n, lun_array **first, lun_array **second)
{
    lun_node *also = NULL;
    *first = *second = NULL;
    lun_status s = lun__fold_node_result(e, n, 1, &also);
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

lun_status lun__sorting_topk(lun_engine *e, lun_array *a, int64_t k, int flags, int64_t first,
                             lun_array **values, lun_array **places)
{
    char text[96];
    lun_node *n = NULL, *top = NULL;
    lun_status s = array_node(e, a, &n);
    if (s != LUN_OK)
        return s;
    if (n->rank != 1)
        s = lun__fail(e, LUN_ESHAPE, "a Vector expected, got %s", lun__array_describe(a, text));
    if (s == LUN_OK) {
        const int64_t count = k < n->n ? k : n->n;
        const uint64_t option[] = {flags & LUN_DESCENDING, (uint64_t)first};
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_TOPK, &n, 0, option, (lun_dtype)n->dtype, 1,
                                     &count, NULL, &top);
    }
    lun__node_release(e, n);
    return s == LUN_OK ? both(e, top, values, places) : s;
}

lun_status lun__sorting_unique(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts)
{
    lun_node *n = NULL, *found = NULL;
    lun_status s = array_node(e, a, &n);
    if (s != LUN_OK)
        return s;
    s = lun__fold_node_algorithm(e, LUN_ALGORITHM_UNIQUE, &n, 0, NULL, (lun_dtype)n->dtype, 1,
                                 &n->n, NULL, &found);
    lun__node_release(e, n);
    return s == LUN_OK ? both(e, found, values, counts) : s;
}
