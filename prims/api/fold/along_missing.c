/* along_missing.c - reductions, lazy or along axes, of arrays of which elements are missing: the
 * same reduction of other elements in their place, and of the validity, which says where a segment
 * has none left. */
#include <math.h>
#include <string.h>

#include "api/array/api.h"
#include "api/fold/lazy.h"
#include "lunarray_bind.h"
#include "table/skeleton.h"

enum { MOST = 24 };

/* A reduction and what it has made, which is released with it. */
typedef struct reduction {
    lun_engine *e;
    lun_reduction r;
    const int *axes;
    int count;
    lun_along_options o;
    lun_array *slots, *valid;
    bool floats;
    lun_array *made[MOST];
    int used;
} reduction;

static lun_array **made(reduction *g)
{
    return &g->made[g->used++];
}

/* op of a and b, which may be NULL, into *out. */
static lun_status apply(reduction *g, lun_op op, lun_array *a, lun_array *b, lun_array **out)
{
    return lun_apply(g->e, op, (lun_array *[]){a, b}, b ? 2 : 1, out);
}

/* The same segments of x reduced. */
static lun_status along(const reduction *g, lun_reduction r, lun_array *x, bool keep, bool skipnan,
                        lun_array **out)
{
    lun_along_options o = g->o;
    o.keep = keep;
    o.skipnan = skipnan;
    return lun__along_slots(g->e, r, x, g->axes, g->count, &o, out);
}

const int *lun__along_missing_neutral(lun_reduction r)
{
    static const int zero = 0, one = 1;
    return r == LUN_SUM || r == LUN_COUNT || r == LUN_ANY || r == LUN_NORM ? &zero
           : r == LUN_PROD || r == LUN_ALL                                 ? &one
                                                                           : NULL;
}

lun_status lun__along_missing_filled(lun_engine *e, lun_array *slots, lun_array *valid, int x,
                                     lun_array **out)
{
    lun_array *number;
    const lun_dtype t = lun_dtype_of(slots);
    const lun_value v = {.dtype = lun__dtype_is_bool(t) ? LUN_BOOL : LUN_I64, .as.i = x};
    lun_status s = lun_full(e, 0, NULL, t, v, &number);
    if (s != LUN_OK)
        return s;
    s = lun_where(e, valid, slots, number, out);
    lun_release(number);
    return s;
}

lun_status lun__along_missing_passed(lun_engine *e, lun_reduction r, lun_array *slots,
                                     lun_array *valid, lun_array **out)
{
    const int *neutral = lun__along_missing_neutral(r);
    uint64_t cell = 0;
    lun_node *n;
    lun_array *number;
    if (neutral)
        return lun__along_missing_filled(e, slots, valid, *neutral, out);
    lun__op_identity((lun_op)lun__reduction_rows[r].op, lun_dtype_of(slots), &cell);
    lun_status s = lun__node_number(e, lun_dtype_of(slots), cell, 0, NULL, &n);
    if (s == LUN_OK)
        s = lun__array(e, n, true, &number);
    if (s != LUN_OK)
        return s;
    s = lun_where(e, valid, slots, number, out);
    lun_release(number);
    return s;
}

/* x, missing where no element of the segment is there. */
static lun_status where_some(reduction *g, lun_array *x, lun_array **out)
{
    lun_array **some = made(g), **none = made(g);
    lun_status s = along(g, LUN_ANY, g->valid, g->o.keep, false, some);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LNOT, *some, NULL, none);
    return s == LUN_OK ? lun_with_missing(g->e, x, *none, out) : s;
}

/* The least or largest elements that are there; of segments that have none any number. */
static lun_status extreme(reduction *g, lun_reduction r, bool keep, lun_array **out)
{
    lun_array **x = made(g);
    if (g->floats && g->o.skipnan)
        return along(g, r, g->slots, keep, true, out);
    lun_status s = lun__along_missing_passed(g->e, r, g->slots, g->valid, x);
    return s == LUN_OK ? along(g, r, *x, keep, false, out) : s;
}

/* x, but NaN where an element that is there is NaN. */
static lun_status with_nan(reduction *g, lun_array *x, lun_array **out)
{
    lun_array **nan = made(g), **there = made(g), **bad = made(g), **number = made(g);
    lun_status s = apply(g, LUN_OP_ISNAN, g->slots, NULL, nan);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LAND, *nan, g->valid, there);
    if (s == LUN_OK)
        s = along(g, LUN_ANY, *there, g->o.keep, false, bad);
    if (s == LUN_OK)
        s = lun_number(g->e, NAN, number);
    return s == LUN_OK ? lun_where(g->e, *bad, *number, x, out) : s;
}

/* The deviations in f64 from the mean of each segment, NaN where elements are missing: their
 * moments need no further shift, which a missing first element could not give. */
static lun_status deviations(reduction *g, lun_array *x, lun_array **out)
{
    lun_array **wide = made(g), **mean = made(g);
    lun_status s = lun_cast(g->e, x, LUN_F64, wide);
    if (s == LUN_OK)
        s = along(g, LUN_MEAN, *wide, true, true, mean);
    return s == LUN_OK ? apply(g, LUN_OP_SUB, *wide, *mean, out) : s;
}

/* Means and variances: the slots of missing elements hold NaN, which is left out. */
static lun_status moment(reduction *g, lun_array *a, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    const bool whole = (!g->count || g->count == lun_shape(a, shape)) && !g->o.keep;
    lun_array **wide = made(g), **x = made(g), **number = made(g), **there = made(g);
    lun_array **given = made(g), **from = made(g), **unused = made(g);
    lun_status s = lun_cast(g->e, a, g->floats ? lun_dtype_of(a) : LUN_F64, wide);
    if (s == LUN_OK)
        s = lun_missing_parts(g->e, *wide, from, unused);
    if (s == LUN_OK && g->r != LUN_MEAN)
        s = deviations(g, *from, x);
    if (s == LUN_OK)
        s = along(g, g->r, *x ? *x : *from, g->o.keep, true, number);
    if (s == LUN_OK)
        s = lun_cast(g->e, *number, whole ? LUN_F64 : lun_dtype_of(*from), given);
    lun_array *result = *given;
    if (s == LUN_OK && g->floats && !g->o.skipnan) {
        s = with_nan(g, result, there);
        result = *there;
    }
    return s == LUN_OK ? where_some(g, result, out) : s;
}

/* Where an element is its segment's extreme, of which NaN is one unless left out. */
static lun_status extremal(reduction *g, lun_array **out)
{
    lun_array **best = made(g), **equal = made(g), **nan = made(g), **both = made(g);
    lun_array **either = made(g), **is_nan = made(g);
    lun_status s = extreme(g, g->r == LUN_ARGMIN ? LUN_MIN : LUN_MAX, true, best);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_EQ, g->slots, *best, equal);
    if (s != LUN_OK || !g->floats || g->o.skipnan)
        return s == LUN_OK ? apply(g, LUN_OP_LAND, *equal, g->valid, out) : s;
    s = apply(g, LUN_OP_ISNAN, *best, NULL, nan);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_ISNAN, g->slots, NULL, is_nan);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LAND, *is_nan, *nan, both);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LOR, *equal, *both, either);
    return s == LUN_OK ? apply(g, LUN_OP_LAND, *either, g->valid, out) : s;
}

/* Whether segments have an element that is no NaN that is left out. */
static lun_status some_left(reduction *g, lun_array **out)
{
    lun_array **nan = made(g), **number = made(g), **left = made(g);
    lun_status s = LUN_OK;
    if (!g->floats || !g->o.skipnan)
        return along(g, LUN_ANY, g->valid, g->o.keep, false, out);
    s = apply(g, LUN_OP_ISNAN, g->slots, NULL, nan);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LNOT, *nan, NULL, number);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LAND, *number, g->valid, left);
    return s == LUN_OK ? along(g, LUN_ANY, *left, g->o.keep, false, out) : s;
}

static lun_status position(reduction *g, lun_array **out)
{
    static const char *const nothing =
        "the place of the extreme of a segment of which all elements are missing";
    lun_array **at = made(g), **hit = made(g), **miss = made(g), **left = made(g);
    lun_node *place = NULL, *some = NULL, *n = NULL;
    lun_status s = extremal(g, hit);
    if (s == LUN_OK && g->r == LUN_ARGMIN)
        s = apply(g, LUN_OP_LNOT, *hit, NULL, miss);
    if (s == LUN_OK)
        s = along(g, g->r, g->r == LUN_ARGMIN ? *miss : *hit, g->o.keep, false, at);
    if (s == LUN_OK)
        s = some_left(g, left);
    if (s == LUN_OK)
        s = lun__array_node(g->e, *at, LUN_DTYPE_COUNT, &place);
    if (s == LUN_OK)
        s = lun__array_node(g->e, *left, LUN_DTYPE_COUNT, &some);
    if (s == LUN_OK)
        s = lun__runtime_check(g->e, place, some, &nothing, &n);
    lun__node_release(g->e, place);
    lun__node_release(g->e, some);
    return s == LUN_OK ? lun__array(g->e, n, false, out) : s;
}

static lun_status reduce(reduction *g, lun_array *a, lun_array **out)
{
    lun_array **x = made(g);
    lun_status s;
    switch ((lun__reduced)lun__reduction_rows[g->r].of) {
    case LUN__OF_INDEX:
        return position(g, out);
    case LUN__OF_NUMBER:
        if (g->r != LUN_NORM)
            return moment(g, a, out);
        break;
    default:
        break;
    }
    if (lun__along_missing_neutral(g->r)) {
        s = lun__along_missing_filled(g->e, g->slots, g->valid, *lun__along_missing_neutral(g->r),
                                      x);
        return s == LUN_OK ? along(g, g->r, *x, g->o.keep, g->o.skipnan, out) : s;
    }
    s = extreme(g, g->r, g->o.keep, x);
    return s == LUN_OK ? where_some(g, *x, out) : s;
}

/* The reduction of all slots, missing where an element of the segment is. */
static lun_status propagated(reduction *g, lun_array **out)
{
    lun_array **x = made(g), **number = made(g), **gone = made(g), **some = made(g);
    lun_status s = lun__along_missing_filled(g->e, g->slots, g->valid, 0, x);
    if (s == LUN_OK)
        s = along(g, g->r, *x, g->o.keep, g->o.skipnan, number);
    if (s == LUN_OK)
        s = apply(g, LUN_OP_LNOT, g->valid, NULL, gone);
    if (s == LUN_OK)
        s = along(g, LUN_ANY, *gone, g->o.keep, false, some);
    return s == LUN_OK ? lun_with_missing(g->e, *number, *some, out) : s;
}

static lun_status begin(reduction *g, lun_array *a)
{
    g->floats = lun__dtype_is_float(lun_dtype_of(a));
    return lun_missing_parts(g->e, a, &g->slots, &g->valid);
}

static void end(reduction *g)
{
    for (int k = 0; k < g->used; k++)
        lun_release(g->made[k]);
    lun_release(g->slots);
    lun_release(g->valid);
}

static lun_status along_there(lun_engine *e, lun_reduction r, lun_array *a, const int *axes,
                              int count, const lun_along_options *options, lun_array **out)
{
    reduction g = {.e = e, .r = r, .axes = axes, .count = count, .o = *options};
    lun_status s = begin(&g, a);
    if (s == LUN_OK)
        s = options->propagate ? propagated(&g, out) : reduce(&g, a, out);
    end(&g);
    return s;
}

lun_status lun__along_missing_of(lun_engine *e, lun_array *a, const int *axes, int count,
                                 bool skipnan, lun_array *x, lun_array **out)
{
    reduction g = {.e = e, .r = LUN_MEAN, .axes = axes, .count = count};
    g.o = (lun_along_options){.size = sizeof g.o, .skipnan = skipnan};
    lun_status s = begin(&g, a);
    lun_array *result = x;
    if (s == LUN_OK && g.floats && !skipnan) {
        lun_array **there = made(&g);
        s = with_nan(&g, x, there);
        result = *there;
    }
    if (s == LUN_OK)
        s = where_some(&g, result, out);
    end(&g);
    return s;
}

/* A reduction along axes, for lun_reducing. */
typedef struct segments {
    lun_engine *e;
    const int *axes;
    int count;
    const lun_along_options *options;
} segments;

static lun_status reduce_segments(const void *of, lun_reduction r, lun_array *x, lun_array **out)
{
    const segments *g = of;
    return lun_along(g->e, r, x, g->axes, g->count, g->options, out);
}

/* A product of complex numbers, whose parts are combined together. */
static lun_status product_along(lun_engine *e, lun_array *a, const int *axes, int count, bool keep,
                                lun_array **out)
{
    lun_function *times = NULL;
    lun_status s = lun_function_op(e, LUN_OP_MUL, &times);
    if (s == LUN_OK)
        s = lun_fold_along(e, times, NULL, a, axes, count, keep, out);
    lun_function_release(times);
    return s;
}

lun_status lun_along(lun_engine *e, lun_reduction r, lun_array *a, const int *axes, int count,
                     const lun_along_options *options, lun_array **out)
{
    LUN_NEED(e, out && (count <= 0 || axes) && (!options || options->size));
    lun_along_options o = {.size = sizeof o};
    if (options)
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    if ((unsigned)r >= LUN_REDUCTION_COUNT)
        return lun__fail(e, LUN_EARG, "no such reduction: %d", (int)r);
    if (lun__logical_reduced(a, r) && !lun__reduction_rows[r].info.index)
        LUN_ORDERED(e, a, out, lun_along(e, r, ordered, axes, count, options, made))
    if (lun__logical_reduced(a, r))
        LUN_BY_ORDER(e, a, lun_along(e, r, ordered, axes, count, options, out))
    if (r == LUN_PROD && lun__array_some_complex(&a, 1))
        return product_along(e, a, axes, count, o.keep, out);
    const segments g = {e, axes, count, options};
    if (lun__array_some_logical(&a, 1))
        return lun__logical_reduce(e, r, a, &(lun_reducing){reduce_segments, &g}, out);
    return a && lun_has_missing(a) ? along_there(e, r, a, axes, count, &o, out)
                                   : lun__along_slots(e, r, a, axes, count, &o, out);
}
