/* putby.c - values combined with the elements of a Vector at given indices by a function, in the
 * order of the indices: the values are grouped by element, and the function runs along each group.
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

/* i in its flat order, all from `first` on. */
static lun_array *flat_indices(work *w, lun_array *i, int64_t length, int first)
{
    lun_engine *e = w->e;
    const int64_t n = lun_size(i);
    lun_array *whole = DO(w, lun_cast(e, i, LUN_I64, next(w)));
    lun_array *flat = DO(w, lun_reshape(e, whole, 1, &n, next(w)));
    lun_array *zero = DO(w, lun_integer(e, 0, next(w)));
    lun_array *all = DO(w, lun_integer(e, length + first, next(w)));
    lun_array *below = DO(w, lun_lt(e, flat, zero, next(w)));
    lun_array *from_start = DO(w, lun_add(e, flat, all, next(w)));
    return DO(w, lun_where(e, below, from_start, flat, next(w)));
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

static lun_status combine(work *w, lun_array *a, lun_array *flat, lun_array *values, int first,
                          lun_function *f)
{
    lun_engine *e = w->e;
    if (w->status == LUN_OK)
        w->status = lun_grouping_make(e, &flat, 1, 0, &w->groups);
    lun_array *order = DO(w, lun_grouping_order(e, w->groups, 0, next(w)));
    lun_array *counts = DO(w, lun_grouping_counts(e, w->groups, next(w)));
    lun_array *keys = DO(w, lun_grouping_key(e, w->groups, 0, next(w)));
    lun_array *starts = starts_of(w, counts);
    lun_array *arranged = DO(w, lun_take(e, values, order, 0, NULL, next(w)));
    lun_array *before = DO(w, lun_take_from(e, a, keys, 0, first, NULL, next(w)));
    lun_array *after =
        DO(w, lun_run_lines(e, f, before, arranged, starts, counts, LUN_LINES_ENDS, next(w)));
    if (w->status == LUN_OK)
        w->status = check_dtype(e, a, after);
    if (w->status == LUN_OK)
        w->status = lun_put_from(e, a, keys, after, 0, first, LUN_OP_NONE);
    return w->status;
}

lun_status lun_put_by(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis, int first,
                      lun_function *f)
{
    LUN_NEED(e, a && i && x && f);
    char text[96];
    int64_t shape[LUN_MAX_RANK], n;
    work w = {.e = e, .status = LUN_OK};
    if (lun_shape(a, shape) != 1 || axis != 0)
        return lun__fail(e, LUN_ESHAPE, "combining by a function takes a Vector, got %s",
                         lun__describe(a, text));
    const int64_t length = shape[0];
    lun_array *taken = DO(&w, lun_take_from(e, a, i, axis, first, NULL, next(&w)));
    if (w.status == LUN_OK)
        w.status = lun_eval(e, &taken, 1); /* checks that all indices are within */
    if (w.status == LUN_OK && (n = lun_size(taken)) > 0) {
        const int rank = lun_shape(taken, shape);
        lun_array *wide = spread(&w, a, x, rank, shape);
        lun_array *values = DO(&w, lun_reshape(e, wide, 1, &n, next(&w)));
        lun_array *flat = w.status == LUN_OK ? flat_indices(&w, i, length, first) : NULL;
        combine(&w, a, flat, values, first, f);
    }
    lun_grouping_release(w.groups);
    while (w.count)
        lun_release(w.held[--w.count]);
    return w.status;
}
