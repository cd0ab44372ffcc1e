/* putby.c - values combined with the elements of an array at given indices by a function, in the
 * order of the indices: the values are grouped by the element's flat position, and the function
 * runs along each group.  Each index then writes its group's last result, so equal ones write the
 * same.
 * Built on lun_grouping, lun_take, running functions and lun_put. */
#include <stdlib.h>

#include "api/array/array.h"
#include "lunarray_bind.h"

enum { HELD = 24 };

/* Temporary arrays; released together. */
typedef struct work {
    lun_engine *e;
    lun_array *held[HELD];
    int count;
    lun_status status;
    lun_grouping *groups;
} work;

static lun_array **next(work *w)
{
    w->held[w->count] = NULL;
    return &w->held[w->count++];
}

/* The array of a call; NULL if it or an earlier one failed. */
static lun_array *made(work *w, lun_status s)
{
    w->status = s;
    return s == LUN_OK ? w->held[w->count - 1] : NULL;
}

#define DO(w, call) ((w)->status == LUN_OK ? made(w, call) : NULL)

/* The indices in their flat order, all from 0 on; free after use. */
static int64_t *read_indices(work *w, lun_array *i, int64_t length, int first)
{
    const int64_t n = lun_size(i);
    lun_array *whole = DO(w, lun_cast(w->e, i, LUN_I64, next(w)));
    lun_array *flat = DO(w, lun_reshape(w->e, whole, 1, &n, next(w)));
    int64_t *at = malloc(((size_t)n + 1) * sizeof *at);
    if (!at && w->status == LUN_OK)
        w->status = lun__nomem(w->e);
    if (w->status == LUN_OK)
        w->status = lun_read(w->e, flat, at, 0, n);
    for (int64_t k = 0; w->status == LUN_OK && k < n; k++)
        at[k] += at[k] < 0 ? length : -first;
    return at;
}

/* The flat position in a of each of n elements taken along the axis. */
static lun_array *positions(work *w, const lun_array *a, lun_array *i, int axis, int first,
                            int64_t n)
{
    int64_t shape[LUN_MAX_RANK], inner = 1;
    const int rank = lun_shape(a, shape);
    const int64_t length = shape[axis], count = lun_size(i);
    for (int k = axis + 1; k < rank; k++)
        inner *= shape[k];
    int64_t *at = read_indices(w, i, length, first), *to = malloc((size_t)n * sizeof *to);
    if (!to && w->status == LUN_OK)
        w->status = lun__nomem(w->e);
    for (int64_t k = 0; w->status == LUN_OK && k < n; k++) {
        const int64_t line = k / inner;
        to[k] = (line / count * length + at[line % count]) * inner + k % inner;
    }
    lun_array *out = DO(w, lun_vector(w->e, to, n, LUN_I64, next(w)));
    free(at);
    free(to);
    return out;
}

/* The index of each group's first row. */
static lun_array *starts_of(work *w, lun_array *counts)
{
    const int64_t n = w->status == LUN_OK ? lun_size(counts) : 0;
    int64_t *at = malloc(((size_t)n + 1) * sizeof *at), sum = 0;
    if (!at) {
        if (w->status == LUN_OK)
            w->status = lun__nomem(w->e);
        return NULL;
    }
    if (w->status == LUN_OK)
        w->status = lun_read(w->e, counts, at, 0, n);
    for (int64_t k = 0; w->status == LUN_OK && k < n; k++) {
        int64_t own = at[k];
        at[k] = sum;
        sum += own;
    }
    lun_array *out = DO(w, lun_vector(w->e, at, n, LUN_I64, next(w)));
    free(at);
    return out;
}

/* x in the shape that is written: a number in a's dtype, unless only x is a float. */
static lun_array *spread(work *w, const lun_array *a, lun_array *x, int rank, const int64_t *shape)
{
    lun_dtype t = lun_dtype_of(a), own = lun_dtype_of(x);
    if (!x->weak)
        return DO(w, lun_broadcast(w->e, x, rank, shape, next(w)));
    if (lun__dtype_is_float(own) && !lun__dtype_is_float(t))
        t = own;
    return DO(w, lun_full(w->e, rank, shape, t, x->number, next(w)));
}

static lun_status check_dtype(lun_engine *e, const lun_array *a, const lun_array *given)
{
    lun_dtype t = lun_dtype_of(a), own = lun_dtype_of(given);
    if (lun__dtype_is_float(own) && !lun__dtype_is_float(t))
        return lun__fail(e, LUN_EDTYPE, "the function gives %s, the array has elements of %s",
                         lun_dtype_name(own), lun_dtype_name(t));
    return LUN_OK;
}

/* What each index writes, flat: its group's last result. */
static lun_array *combined(work *w, lun_array *old, lun_array *at, lun_array *values,
                           lun_function *f)
{
    lun_engine *e = w->e;
    if (w->status == LUN_OK)
        w->status = lun_grouping_make(e, &at, 1, 0, &w->groups);
    lun_array *order = DO(w, lun_grouping_order(e, w->groups, 0, next(w)));
    lun_array *counts = DO(w, lun_grouping_counts(e, w->groups, next(w)));
    lun_array *codes = DO(w, lun_grouping_codes(e, w->groups, 0, next(w)));
    lun_array *starts = starts_of(w, counts);
    lun_array *arranged = DO(w, lun_take(e, values, order, 0, NULL, next(w)));
    lun_array *rows = DO(w, lun_take(e, order, starts, 0, NULL, next(w)));
    lun_array *before = DO(w, lun_take(e, old, rows, 0, NULL, next(w)));
    lun_array *after =
        DO(w, lun_run_lines(e, f, before, arranged, starts, counts, LUN_LINES_ENDS, next(w)));
    return DO(w, lun_take(e, after, codes, 0, NULL, next(w)));
}

lun_status lun_put_by(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis, int first,
                      lun_function *f)
{
    LUN_NEED(e, a && i && x && f);
    int64_t shape[LUN_MAX_RANK], n;
    work w = {.e = e, .status = LUN_OK};
    lun_array *taken = DO(&w, lun_take_from(e, a, i, axis, first, NULL, next(&w)));
    if (w.status == LUN_OK)
        w.status = lun_eval(e, &taken, 1); /* checks that all indices are within */
    if (w.status == LUN_OK && (n = lun_size(taken)) > 0) {
        const int rank = lun_shape(taken, shape);
        lun_array *wide = spread(&w, a, x, rank, shape);
        lun_array *values = DO(&w, lun_reshape(e, wide, 1, &n, next(&w)));
        lun_array *old = DO(&w, lun_reshape(e, taken, 1, &n, next(&w)));
        lun_array *at = positions(&w, a, i, axis, first, n);
        lun_array *flat = combined(&w, old, at, values, f);
        lun_array *result = DO(&w, lun_reshape(e, flat, rank, shape, next(&w)));
        if (w.status == LUN_OK)
            w.status = check_dtype(e, a, result);
        if (w.status == LUN_OK)
            w.status = lun_put_from(e, a, i, result, axis, first, LUN_OP_NONE);
    }
    lun_grouping_release(w.groups);
    while (w.count)
        lun_release(w.held[--w.count]);
    return w.status;
}
