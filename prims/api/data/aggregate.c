/* aggregate.c - aggregates of the rows of each group: sums, means, extremes. */
#include <math.h>

#include "api/data/grouping.h"
#include "api/fold/lazy.h"
#include "lunarray_bind.h"
#include "table/skeleton.h"

/* A reduction of x's rows by group. */
typedef struct reduction {
    lun_engine *e;
    const lun_grouping *g;
    lun_array *x;     /* slots, where elements are missing */
    lun_array *valid; /* NULL: none is */
    lun_along_options options;
    lun_dtype t; /* of x */
    bool floats, skips;
    lun_handles h;
} reduction;

static lun_status aggregate(reduction *r, lun_aggregate which, lun_array *x, lun_array *means,
                            lun_dtype t, lun_array **out)
{
    const unsigned skips = r->skips ? LUN_AGGREGATE_SKIPNAN : 0;
    return lun__codes_aggregate(r->e, r->g->codes, r->g->groups, which | skips, x, means, t, out);
}

/* Integers are summed in 64 bits, floats in f64. */
static lun_dtype sum_dtype(const reduction *r)
{
    return (lun_dtype)(r->floats ? LUN_F64 : lun__dtype_get(r->t)->sum);
}

/* The elements for a reduction, with what it passes over where they are
 * missing: where NaN is left out, the slots, which are NaN then. */
static lun_status elements(reduction *r, lun_reduction which, lun_array **out)
{
    if (!r->valid || r->skips) {
        lun_retain(*out = r->x);
        return LUN_OK;
    }
    return lun__along_missing_passed(r->e, which, r->x, r->valid, out);
}

/* How many elements each result has, as f64, to divide by: of x's rank. */
static lun_status counts(reduction *r, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(r->x, shape);
    lun_array **n = lun__grouping_handle(&r->h), **columns = lun__grouping_handle(&r->h);
    lun_status s;
    if (r->skips) {
        s = aggregate(r, LUN_AGGREGATE_COUNT, r->x, NULL, LUN_I64, n);
    } else if (r->valid) {
        s = aggregate(r, LUN_AGGREGATE_SUM, r->valid, NULL, LUN_I64, n);
    } else {
        s = lun_grouping_counts(r->e, r->g, n);
        shape[0] = r->g->groups;
        for (int k = 1; k < rank; k++)
            shape[k] = 1;
        if (s == LUN_OK && rank > 1)
            s = lun_reshape(r->e, *n, rank, shape, columns);
    }
    return s == LUN_OK ? lun_cast(r->e, *columns ? *columns : *n, LUN_F64, out) : s;
}

static lun_status mean(reduction *r, lun_array **out)
{
    lun_array **sum = lun__grouping_handle(&r->h), **count = lun__grouping_handle(&r->h);
    lun_array **x = lun__grouping_handle(&r->h);
    lun_status s = elements(r, LUN_SUM, x);
    if (s == LUN_OK)
        s = aggregate(r, LUN_AGGREGATE_SUM, *x, NULL, LUN_F64, sum);
    if (s == LUN_OK)
        s = counts(r, count);
    return s == LUN_OK ? lun__codes_op(r->e, LUN_OP_DIV, *sum, *count, out) : s;
}

/* n - ddof, NaN where that is not positive. */
static lun_status degrees(reduction *r, lun_array *n, lun_array **out)
{
    lun_array **ddof = lun__grouping_handle(&r->h), **zero = lun__grouping_handle(&r->h),
              **nan = lun__grouping_handle(&r->h);
    lun_array **less = lun__grouping_handle(&r->h), **some = lun__grouping_handle(&r->h);
    lun_status s = lun_number(r->e, (double)r->options.ddof + r->options.ddof_part, ddof);
    if (s == LUN_OK)
        s = lun_number(r->e, 0, zero);
    if (s == LUN_OK)
        s = lun_number(r->e, NAN, nan);
    if (s == LUN_OK)
        s = lun__codes_op(r->e, LUN_OP_SUB, n, *ddof, less);
    if (s == LUN_OK)
        s = lun__codes_op(r->e, LUN_OP_GT, *less, *zero, some);
    return s == LUN_OK ? lun_apply(r->e, LUN_OP_WHERE, (lun_array *[]){*some, *less, *nan}, 3, out)
                       : s;
}

/* The elements, and where they are missing their group's mean, which m has. */
static lun_status at_mean(reduction *r, lun_array *m, lun_array **out)
{
    lun_array **wide = lun__grouping_handle(&r->h), **means = lun__grouping_handle(&r->h);
    if (!r->valid || r->skips) {
        lun_retain(*out = r->x);
        return LUN_OK;
    }
    lun_status s = lun_cast(r->e, r->x, LUN_F64, wide);
    if (s == LUN_OK)
        s = lun_take(r->e, m, r->g->codes, 0, NULL, means);
    return s == LUN_OK ? lun_where(r->e, r->valid, *wide, *means, out) : s;
}

/* The sum of squared deviations from the group's mean, divided by the number of elements - ddof. */
static lun_status variance(reduction *r, lun_array **out)
{
    lun_array **m = lun__grouping_handle(&r->h), **sum = lun__grouping_handle(&r->h),
              **n = lun__grouping_handle(&r->h);
    lun_array **free = lun__grouping_handle(&r->h), **x = lun__grouping_handle(&r->h);
    lun_status s = mean(r, m);
    if (s == LUN_OK)
        s = at_mean(r, *m, x);
    if (s == LUN_OK)
        s = aggregate(r, LUN_AGGREGATE_DEVIATIONS, *x, *m, LUN_F64, sum);
    if (s == LUN_OK)
        s = counts(r, n);
    if (s == LUN_OK)
        s = degrees(r, *n, free);
    return s == LUN_OK ? lun__codes_op(r->e, LUN_OP_DIV, *sum, *free, out) : s;
}

static lun_status deviation(reduction *r, lun_array **out)
{
    lun_array **square = lun__grouping_handle(&r->h);
    lun_status s = variance(r, square);
    return s == LUN_OK ? lun_apply(r->e, LUN_OP_SQRT, square, 1, out) : s;
}

/* A group without rows has no least element. */
static lun_status no_rows(const reduction *r, const char *what)
{
    return lun__fail(r->e, LUN_EARG,
                     "group " LUN_NTH_LONG " has no rows: %s of integers has no result there",
                     (long long)r->g->gap, what);
}

static lun_status extreme(reduction *r, lun_reduction which, lun_array **out)
{
    lun_array **best = lun__grouping_handle(&r->h), **n = lun__grouping_handle(&r->h),
              **none = lun__grouping_handle(&r->h);
    lun_array **nan = lun__grouping_handle(&r->h), **x = lun__grouping_handle(&r->h);
    if (r->g->gap >= 0 && !r->floats && !r->valid)
        return no_rows(r, which == LUN_MIN ? "the least" : "the greatest");
    const lun_aggregate a = which == LUN_MIN ? LUN_AGGREGATE_MIN : LUN_AGGREGATE_MAX;
    lun_status s = elements(r, which, x);
    if (s != LUN_OK)
        return s;
    if (r->g->gap < 0 || r->skips || r->valid)
        return aggregate(r, a, *x, NULL, r->t, out);
    s = aggregate(r, a, *x, NULL, r->t, best);
    if (s == LUN_OK)
        s = counts(r, n);
    if (s == LUN_OK)
        s = lun__codes_with(r->e, LUN_OP_GT, *n, 0, none);
    if (s == LUN_OK)
        s = lun_number(r->e, NAN, nan);
    if (s == LUN_OK)
        s = lun_apply(r->e, LUN_OP_WHERE, (lun_array *[]){*none, *best, *nan}, 3, out);
    return s;
}

/* Elements that are not 0. */
static lun_status truth(reduction *r, lun_reduction of, lun_aggregate which, lun_dtype t,
                        lun_array **out)
{
    lun_array **given = lun__grouping_handle(&r->h), **there = lun__grouping_handle(&r->h);
    r->skips = false;
    lun_status s = elements(r, of, there);
    lun_array *x = *there;
    if (s == LUN_OK && !lun__dtype_is_bool(r->t)) {
        s = lun__codes_with(r->e, LUN_OP_NE, x, 0, given);
        x = *given;
    }
    return s == LUN_OK ? aggregate(r, which, x, NULL, t, out) : s;
}

/* LUN_SUM, or LUN_PROD. */
static lun_status total(reduction *r, lun_reduction which, lun_array **out)
{
    const lun_aggregate a = which == LUN_SUM ? LUN_AGGREGATE_SUM : LUN_AGGREGATE_PROD;
    lun_array **x = lun__grouping_handle(&r->h);
    lun_status s = elements(r, which, x);
    return s == LUN_OK ? aggregate(r, a, *x, NULL, sum_dtype(r), out) : s;
}

static lun_status reduce(reduction *r, lun_reduction which, lun_array **out)
{
    switch (which) {
    case LUN_SUM:
    case LUN_PROD:
        return total(r, which, out);
    case LUN_MIN:
    case LUN_MAX:
        return extreme(r, which, out);
    case LUN_MEAN:
        return mean(r, out);
    case LUN_VAR:
        return variance(r, out);
    case LUN_STD:
        return deviation(r, out);
    case LUN_ANY:
        return truth(r, which, LUN_AGGREGATE_ANY, LUN_BOOL, out);
    case LUN_ALL:
        return truth(r, which, LUN_AGGREGATE_ALL, LUN_BOOL, out);
    case LUN_COUNT:
        return truth(r, which, LUN_AGGREGATE_SUM, LUN_I64, out);
    default:
        return lun__fail(r->e, LUN_EARG, "groups have no such reduction");
    }
}

static lun_status start(lun_engine *e, const lun_grouping *g, lun_array *x,
                        const lun_along_options *options, reduction *r)
{
    char text[96];
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__array_usable(e, x);
    if (s != LUN_OK)
        return s;
    if (x->weak || lun_shape(x, shape) == 0)
        return lun__fail(e, LUN_ESHAPE, "an array with an element or a line for each row expected");
    if (lun_length(x) != g->rows)
        return lun__fail(e, LUN_ESHAPE, "lengths differ: %s and groups of %lld rows",
                         lun__array_describe(x, text), (long long)g->rows);
    *r = (reduction){.e = e, .g = g, .x = x, .t = lun_dtype_of(x)};
    if (options)
        r->options = *options;
    r->floats = lun__dtype_is_float(r->t);
    r->skips = r->options.skipnan && r->floats;
    return LUN_OK;
}

/* ---- of elements of which some are missing --------------------------------------------------- */

/* A reduction of a Vector's slots, and for each group whether none of its elements is there. */
static lun_status start_there(lun_engine *e, const lun_grouping *g, lun_array *x,
                              const lun_along_options *options, reduction *r, lun_array **none)
{
    lun_handles h = {0};
    lun_array **slots = lun__grouping_handle(&h), **valid = lun__grouping_handle(&h),
              **some = lun__grouping_handle(&h);
    *r = (reduction){.e = e};
    lun_status s = lun_missing_parts(e, x, slots, valid);
    if (s == LUN_OK)
        s = start(e, g, *slots, options, r);
    if (s == LUN_OK)
        s = aggregate(r, LUN_AGGREGATE_ANY, *valid, NULL, LUN_BOOL, some);
    if (s == LUN_OK)
        s = lun_lnot(e, *some, none);
    if (s == LUN_OK) { /* the handles are the reduction's from now on */
        r->valid = *valid;
        r->h = h;
    } else {
        lun__codes_handles_release(&h);
    }
    return s;
}

/* The reduction of all slots, missing where a row of the group is. */
static lun_status reduce_all(lun_engine *e, const lun_grouping *g, lun_reduction which,
                             lun_array *x, const lun_along_options *options, lun_array **out)
{
    lun_handles h = {0};
    lun_array **slots = lun__grouping_handle(&h), **valid = lun__grouping_handle(&h),
              **filled = lun__grouping_handle(&h);
    lun_array **gone = lun__grouping_handle(&h), **some = lun__grouping_handle(&h),
              **all = lun__grouping_handle(&h);
    lun_status s = lun_missing_parts(e, x, slots, valid);
    if (s == LUN_OK)
        s = lun__along_missing_filled(e, *slots, *valid, 0, filled);
    if (s == LUN_OK)
        s = lun_lnot(e, *valid, gone);
    if (s == LUN_OK)
        s = lun_grouping_reduce(e, g, LUN_ANY, *gone, NULL, some);
    if (s == LUN_OK)
        s = lun_grouping_reduce(e, g, which, *filled, options, all);
    if (s == LUN_OK)
        s = lun_with_missing(e, *all, *some, out);
    lun__codes_handles_release(&h);
    return s;
}

/* Sums, products and truths of nothing have a value. */
static lun_status reduce_there(lun_engine *e, const lun_grouping *g, lun_reduction which,
                               lun_array *x, const lun_along_options *options, lun_array **out)
{
    reduction r;
    lun_array *all = NULL, *none = NULL;
    const bool has_value = which == LUN_SUM || which == LUN_PROD || which == LUN_COUNT ||
                           which == LUN_ANY || which == LUN_ALL;
    lun_status s = start_there(e, g, x, options, &r, &none);
    if (s == LUN_OK)
        s = reduce(&r, which, &all);
    if (s == LUN_OK && has_value)
        lun_retain(*out = all);
    else if (s == LUN_OK)
        s = lun_with_missing(e, all, none, out);
    lun__codes_handles_release(&r.h);
    lun_release(all);
    lun_release(none);
    return s;
}

/* Numbers that are NaN where an element is left out: what is missing, and NaN if that is asked
 * for. */
static lun_status marked(reduction *r, lun_array **out)
{
    lun_array **nan = lun__grouping_handle(&r->h), **zero = lun__grouping_handle(&r->h);
    if (r->skips) {
        lun_retain(*out = r->x);
        return LUN_OK;
    }
    lun_status s = lun_number(r->e, NAN, nan);
    if (s == LUN_OK)
        s = lun_number(r->e, 0, zero);
    return s == LUN_OK ? lun_where(r->e, r->valid, *zero, *nan, out) : s;
}

static lun_status pick_there(lun_engine *e, const lun_grouping *g, bool last, lun_array *x,
                             const lun_along_options *options, lun_array **out)
{
    reduction r;
    lun_array *all = NULL, *none = NULL;
    const lun_value blank = lun__validity_blank(lun_dtype_of(x));
    lun_status s = start_there(e, g, x, options, &r, &none);
    lun_array **left = lun__grouping_handle(&r.h), **rows = lun__grouping_handle(&r.h);
    if (s == LUN_OK)
        s = marked(&r, left);
    r.skips = true;
    if (s == LUN_OK)
        s = aggregate(&r, last ? LUN_AGGREGATE_LAST : LUN_AGGREGATE_FIRST, *left, NULL, LUN_I64,
                      rows);
    if (s == LUN_OK)
        s = lun_take_from(e, r.x, *rows, 0, 1, &blank, &all);
    if (s == LUN_OK)
        s = lun_with_missing(e, all, none, out);
    lun__codes_handles_release(&r.h);
    lun_release(all);
    lun_release(none);
    return s;
}

/* The element of the first or last row of each group, which may be missing. */
static lun_status pick_row(lun_engine *e, const lun_grouping *g, bool last, lun_array *x,
                           lun_array **out)
{
    lun_handles h = {0};
    lun_array **rows = lun__grouping_handle(&h), **none = lun__grouping_handle(&h),
              **all = lun__grouping_handle(&h);
    const lun_value blank = lun__validity_blank(lun_dtype_of(x));
    lun_status s = lun__codes_aggregate(e, g->codes, g->groups,
                                        last ? LUN_AGGREGATE_LAST : LUN_AGGREGATE_FIRST, g->codes,
                                        NULL, LUN_I64, rows);
    if (s == LUN_OK)
        s = lun__codes_with(e, LUN_OP_EQ, *rows, 0, none);
    if (s == LUN_OK)
        s = lun_take_from(e, x, *rows, 0, 1, &blank, all);
    if (s == LUN_OK)
        s = lun_with_missing(e, *all, *none, out);
    lun__codes_handles_release(&h);
    return s;
}

/* Whether elements of x, a Vector with one for each row, are missing; lines are refused. */
static bool some_missing(const lun_grouping *g, const lun_array *x)
{
    int64_t shape[LUN_MAX_RANK];
    return lun_has_missing(x) && lun_shape(x, shape) == 1 && shape[0] == g->rows;
}

/* A reduction of groups, for lun_reducing. */
typedef struct groups {
    lun_engine *e;
    const lun_grouping *g;
    const lun_along_options *options;
} groups;

static lun_status reduce_groups(const void *of, lun_reduction r, lun_array *x, lun_array **out)
{
    const groups *g = of;
    return lun_grouping_reduce(g->e, g->g, r, x, g->options, out);
}

lun_status lun_grouping_reduce(lun_engine *e, const lun_grouping *g, lun_reduction which,
                               lun_array *x, const lun_along_options *options, lun_array **out)
{
    LUN_NEED(e, g && x && out);
    if (lun__logical_reduced(x, which) && !lun__reduction_rows[which].info.index)
        LUN_ORDERED(e, x, out, lun_grouping_reduce(e, g, which, ordered, options, made))
    if (lun__logical_reduced(x, which))
        LUN_BY_ORDER(e, x, lun_grouping_reduce(e, g, which, ordered, options, out))
    if (lun__array_some_logical(&x, 1))
        return lun__logical_reduce(e, which, x,
                                   &(lun_reducing){reduce_groups, &(groups){e, g, options}}, out);
    if (some_missing(g, x))
        return options && options->propagate ? reduce_all(e, g, which, x, options, out)
                                             : reduce_there(e, g, which, x, options, out);
    LUN_NO_MISSING(e, x);
    reduction r;
    lun_status s = start(e, g, x, options, &r);
    if (s != LUN_OK)
        return s;
    s = reduce(&r, which, out);
    lun__codes_handles_release(&r.h);
    return s;
}

lun_status lun_grouping_pick(lun_engine *e, const lun_grouping *g, bool last, lun_array *x,
                             const lun_along_options *options, lun_array **out)
{
    LUN_NEED(e, g && x && out);
    LUN_ORDERED(e, x, out, lun_grouping_pick(e, g, last, ordered, options, made))
    if (some_missing(g, x))
        return options && options->propagate ? pick_row(e, g, last, x, out)
                                             : pick_there(e, g, last, x, options, out);
    LUN_NO_MISSING(e, x);
    reduction r;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = start(e, g, x, options, &r);
    if (s != LUN_OK)
        return s;
    const lun_value nan = {.dtype = LUN_F64, .as.d = NAN};
    const bool misses = r.skips || g->gap >= 0;
    lun_array **rows = lun__grouping_handle(&r.h);
    if (r.skips && lun_shape(x, shape) > 1)
        s = lun__fail(e, LUN_EARG, "skipnan takes the first of a Vector, not of lines");
    else if (misses && !r.floats)
        s = no_rows(&r, last ? "the last" : "the first");
    if (s == LUN_OK)
        s = aggregate(&r, last ? LUN_AGGREGATE_LAST : LUN_AGGREGATE_FIRST, r.skips ? x : g->codes,
                      NULL, LUN_I64, rows);
    if (s == LUN_OK)
        s = lun_take_from(e, x, *rows, 0, 1, misses ? &nan : NULL, out);
    lun__codes_handles_release(&r.h);
    return s;
}
