/* putby.c - values combined with the elements of an array at given indices by a function, in the
 * order of the indices: the values are grouped by the element's flat position, and the function
 * runs along each group, whose last result is written.  Built on lun_grouping, lun_take, running
 * functions and lun_put. */
#include <stdlib.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "api/data/indices.h"
#include "lunarray_bind.h"

enum { HELD = 40 };

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

/* The indices in their flat order, all from 0 on. */
static lun_array *flat_indices(work *w, lun_array *i, int64_t length, int first)
{
    lun_engine *e = w->e;
    const int64_t n = lun_size(i);
    lun_array *whole = DO(w, lun_cast(e, i, LUN_I64, next(w)));
    lun_array *flat = DO(w, lun_reshape(e, whole, 1, &n, next(w)));
    lun_array *zero = DO(w, lun_integer(e, 0, next(w)));
    lun_array *all = DO(w, lun_integer(e, length, next(w)));
    lun_array *less = DO(w, lun_integer(e, -first, next(w)));
    lun_array *below = DO(w, lun_lt(e, flat, zero, next(w)));
    lun_array *change = DO(w, lun_where(e, below, all, less, next(w)));
    return DO(w, lun_add(e, flat, change, next(w)));
}

/* each * (0, 1, ... n - 1), as the axis of three that it is. */
static lun_array *along(work *w, int axis, int64_t n, int64_t each)
{
    int64_t shape[3] = {1, 1, 1};
    lun_array *numbers = DO(w, lun_range(w->e, (lun_value){LUN_I64, {0}},
                                         (lun_value){LUN_I64, {each}}, n, LUN_I64, next(w)));
    shape[axis] = n;
    return DO(w, lun_reshape(w->e, numbers, 3, shape, next(w)));
}

/* The flat position in a, of that shape, of each of n elements taken along the axis. */
static lun_array *positions(work *w, lun_array *flat, int rank, const int64_t *shape, int axis,
                            int64_t n)
{
    lun_engine *e = w->e;
    int64_t outer = 1, inner = 1;
    for (int k = 0; k < rank; k++)
        *(k < axis ? &outer : &inner) *= k == axis ? 1 : shape[k];
    if (w->status != LUN_OK)
        return NULL;
    const int64_t middle[] = {1, lun_size(flat), 1};
    lun_array *rows = DO(w, lun_reshape(e, flat, 3, middle, next(w)));
    lun_array *step = DO(w, lun_integer(e, inner, next(w)));
    lun_array *row = DO(w, lun_mul(e, rows, step, next(w)));
    lun_array *before = along(w, 0, outer, shape[axis] * inner), *column = along(w, 2, inner, 1);
    lun_array *start = DO(w, lun_add(e, before, row, next(w)));
    lun_array *all = DO(w, lun_add(e, start, column, next(w)));
    return DO(w, lun_reshape(e, all, 1, &n, next(w)));
}

/* The index of each group's first row. */
static lun_array *starts_of(work *w, lun_array *counts)
{
    const int64_t n = w->status == LUN_OK ? lun_size(counts) : 0;
    int64_t *at = malloc(((size_t)n + 1) * sizeof *at), sum = 0;
    if (!at) {
        if (w->status == LUN_OK)
            w->status = lun__fail_nomem(w->e);
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
    if (!x->weak) {
        lun_layout from, wide;
        lun__array_layout(x, &from);
        if (w->status == LUN_OK && !lun__shape_broadcast(&from, rank, shape, &wide))
            w->status = lun__indices_no_values(w->e, a, x, rank, shape);
        return DO(w, lun_broadcast(w->e, x, rank, shape, next(w)));
    }
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

/* Values in groups of equal positions. */
typedef struct grouped {
    lun_array *order, *counts, *starts, *values;
} grouped;

static grouped group(work *w, lun_array *at, lun_array *values)
{
    lun_engine *e = w->e;
    grouped g = {0};
    if (w->status == LUN_OK)
        w->status = lun_grouping_make(e, &at, 1, 0, &w->groups);
    g.order = DO(w, lun_grouping_order(e, w->groups, 0, next(w)));
    g.counts = DO(w, lun_grouping_counts(e, w->groups, next(w)));
    g.starts = starts_of(w, g.counts);
    g.values = DO(w, lun_take(e, values, g.order, 0, NULL, next(w)));
    return g;
}

/* The last result of each group, which begins with the element `before`. */
static lun_array *run(work *w, const grouped *g, lun_array *before, lun_function *f)
{
    return DO(w, lun_run_lines(w->e, f, before, g->values, g->starts, g->counts, LUN_LINES_ENDS,
                               next(w)));
}

/* Of a Vector: a group is of one element, which is written once. */
static void put_in_vector(work *w, lun_array *a, lun_array *at, lun_array *values, lun_function *f)
{
    lun_engine *e = w->e;
    const grouped g = group(w, at, values);
    lun_array *keys = DO(w, lun_grouping_key(e, w->groups, 0, next(w)));
    lun_array *before = DO(w, lun_take(e, a, keys, 0, NULL, next(w)));
    lun_array *after = run(w, &g, before, f);
    if (w->status == LUN_OK)
        w->status = check_dtype(e, a, after);
    if (w->status == LUN_OK)
        w->status = lun_put_from(e, a, keys, after, 0, 0, LUN_OP_NONE);
}

/* Of any rank: elements cannot be named by one number each, so each index writes its element, and
 * equal ones write the same. */
static lun_array *combined(work *w, lun_array *old, lun_array *at, lun_array *values,
                           lun_function *f)
{
    lun_engine *e = w->e;
    const grouped g = group(w, at, values);
    lun_array *codes = DO(w, lun_grouping_codes(e, w->groups, 0, next(w)));
    lun_array *rows = DO(w, lun_take(e, g.order, g.starts, 0, NULL, next(w)));
    lun_array *before = DO(w, lun_take(e, old, rows, 0, NULL, next(w)));
    lun_array *after = run(w, &g, before, f);
    return DO(w, lun_take(e, after, codes, 0, NULL, next(w)));
}

lun_status lun_put_by(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis, int first,
                      lun_function *f)
{
    LUN_NEED(e, a && i && x && f);
    int64_t shape[LUN_MAX_RANK], whole[LUN_MAX_RANK], n;
    work w = {.e = e, .status = lun__write_check(e, a)};
    if (w.status != LUN_OK)
        e->error_operand = 1;
    lun_array *taken = DO(&w, lun_take_from(e, a, i, axis, first, NULL, next(&w)));
    if (w.status == LUN_OK)
        w.status = lun_eval(e, &taken, 1); /* checks that all indices are within */
    if (w.status == LUN_OK && (n = lun_size(taken)) > 0) {
        const int rank = lun_shape(taken, shape), of = lun_shape(a, whole);
        lun_array *wide = spread(&w, a, x, rank, shape);
        lun_array *values = DO(&w, lun_reshape(e, wide, 1, &n, next(&w)));
        lun_array *flat = flat_indices(&w, i, whole[axis], first);
        if (of == 1) {
            put_in_vector(&w, a, flat, values, f);
        } else {
            lun_array *old = DO(&w, lun_reshape(e, taken, 1, &n, next(&w)));
            lun_array *at = positions(&w, flat, of, whole, axis, n);
            lun_array *written = combined(&w, old, at, values, f);
            lun_array *result = DO(&w, lun_reshape(e, written, rank, shape, next(&w)));
            if (w.status == LUN_OK)
                w.status = check_dtype(e, a, result);
            if (w.status == LUN_OK)
                w.status = lun_put_from(e, a, i, result, axis, first, LUN_OP_NONE);
        }
    }
    lun_grouping_release(w.groups);
    while (w.count)
        lun_release(w.held[--w.count]);
    return w.status;
}
