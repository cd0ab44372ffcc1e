/* lazy.c - reductions as expressions, which share passes with others. Each has the bits of what
 * total.c computes of the same node, or of the same elements in a Vector. */
#include <math.h>

#include "api/fold/lazy.h"
#include "table/skeleton.h"

enum { MOST = 96 }; /* nodes of one expression */

typedef struct builder {
    lun_engine *e;
    const lun_segments *segments;
    lun_node *made[MOST];
    int count;
    lun_status status;
} builder;

/* Field by field: clearing the unused list would take longer than the rest. */
static inline void start(builder *b, lun_engine *e, const lun_segments *l)
{
    b->e = e;
    b->segments = l;
    b->count = 0;
    b->status = LUN_OK;
}

/* Each of these gives a node that the builder holds; NULL after a failure, also with a NULL. */
static lun_node *hold(builder *b, lun_status s, lun_node *n)
{
    b->status = s;
    return s == LUN_OK ? b->made[b->count++] = n : NULL;
}

static lun_node *op(builder *b, lun_op o, lun_node *x, lun_node *y, lun_node *z)
{
    lun_node *in[3] = {x, y, z}, *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    lun_status s = lun__elementwise_op(b->e, o, in, &n);
    return hold(b, s, n);
}

static lun_node *number(builder *b, double x)
{
    lun_node *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    lun_status s = lun__typed_number(b->e, LUN_F64, x, &n);
    return hold(b, s, n);
}

static lun_node *as(builder *b, lun_node *a, lun_dtype t)
{
    lun_node *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    lun_status s = lun__convert(b->e, a, t, &n);
    return hold(b, s, n);
}

static lun_node *reduce(builder *b, lun_op o, lun_node *x, lun_dtype t)
{
    lun_node *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    const lun_segments *l = b->segments;
    lun_status s = l->length ? lun__fold_node_segments(b->e, o, NULL, NULL, x, NULL, t, l->length,
                                                       l->rank, l->shape, &n)
                             : lun__fold_node_reduce(b->e, o, NULL, NULL, x, NULL, t, &n);
    return hold(b, s, n);
}

static lun_node *sum(builder *b, lun_node *x)
{
    return reduce(b, LUN_OP_ADD, x, LUN_F64);
}

/* The sum of x's segments, where `needed` is true. */
static lun_node *sum_needed(builder *b, lun_node *x, lun_node *needed)
{
    lun_node *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    const lun_segments *l = b->segments;
    lun_status s = lun__fold_node_sum_needed(b->e, x, needed, l->length, l->rank, l->shape, &n);
    return hold(b, s, n);
}

/* *out: a reference to n, which the builder may hold; releases all that it holds. */
static lun_status finish(builder *b, lun_node *n, lun_node **out)
{
    if (b->status == LUN_OK)
        *out = lun__node_retain(n);
    while (b->count)
        lun__node_release(b->e, b->made[--b->count]);
    return b->status;
}

/* x where it is a number, `instead` where it is NaN and that is left out. */
static lun_node *present(builder *b, lun_node *x, lun_node *nan, lun_node *instead)
{
    return nan ? op(b, LUN_OP_WHERE, nan, instead, x) : x;
}

/* Which elements of x are left out; NULL: none. */
static lun_node *left_out(builder *b, lun_node *x)
{
    bool some = b->segments->skipnan && lun__dtype_is_float((lun_dtype)x->dtype);
    return some ? op(b, LUN_OP_ISNAN, x, NULL, NULL) : NULL;
}

/* The number of elements of a segment, as f64. */
static lun_node *counted(builder *b, const lun_node *a, lun_node *nan)
{
    if (!nan)
        return number(b, (double)(b->segments->length ? b->segments->length : a->n));
    lun_node *there = as(b, op(b, LUN_OP_LNOT, nan, NULL, NULL), LUN_I64);
    return as(b, reduce(b, LUN_OP_ADD, there, LUN_I64), LUN_F64);
}

/* The elements of a reduction as f64, which of them are left out, and how many are not. */
typedef struct sample {
    lun_node *x, *nan, *n;
    double count; /* n if none is left out */
    lun_dtype t;  /* of the elements */
} sample;

bool lun__lazy_is_wide(lun_dtype t)
{
    return lun__dtype_is_float(t) && lun__dtype_get(t)->bytes >= (int)sizeof(double);
}

/* The mean; where the sum may overflow, also of x times 2^-64. */
static lun_node *mean_of(builder *b, const sample *of)
{
    lun_node *zero = number(b, 0), *x = present(b, of->x, of->nan, zero);
    lun_node *mean = op(b, LUN_OP_DIV, sum(b, x), of->n, NULL);
    if (!lun__lazy_is_wide(of->t))
        return mean;
    lun_node *small = op(b, LUN_OP_MUL, x, number(b, 0x1p-64), NULL);
    lun_node *scaled = op(b, LUN_OP_DIV, sum(b, small), of->n, NULL);
    scaled = op(b, LUN_OP_MUL, scaled, number(b, 0x1p64), NULL);
    return op(b, LUN_OP_WHERE, op(b, LUN_OP_ISFINITE, mean, NULL, NULL), mean, scaled);
}

/* The sum of squared deviations from the mean, by differences from a shift near it. needed: where
 * it is used; NULL: everywhere. */
static lun_node *squares(builder *b, const sample *of, lun_node *shift, lun_node *needed)
{
    lun_node *zero = number(b, 0);
    lun_node *d = present(b, op(b, LUN_OP_SUB, of->x, shift, NULL), of->nan, zero);
    lun_node *square = op(b, LUN_OP_MUL, d, d, NULL);
    lun_node *s1 = needed ? sum_needed(b, d, needed) : sum(b, d);
    lun_node *s2 = needed ? sum_needed(b, square, needed) : sum(b, square);
    lun_node *lost = op(b, LUN_OP_MUL, s1, op(b, LUN_OP_DIV, s1, of->n, NULL), NULL);
    lun_node *m2 = op(b, LUN_OP_SUB, s2, lost, NULL);
    return op(b, LUN_OP_WHERE, op(b, LUN_OP_LT, m2, zero, NULL), zero, m2);
}

/* Whether squares by a shift at distance `off` from the mean have lost digits, as in total.c. */
static lun_node *rough(builder *b, lun_node *m2, lun_node *mean, lun_node *off, lun_node *n)
{
    lun_node *known = op(b, LUN_OP_ISFINITE, mean, NULL, NULL);
    lun_node *away = op(b, LUN_OP_NE, off, number(b, 0), NULL);
    lun_node *wide = op(b, LUN_OP_MUL, op(b, LUN_OP_MUL, off, off, NULL), n, NULL);
    lun_node *lost = op(b, LUN_OP_GT, wide, op(b, LUN_OP_MUL, number(b, 1e4), m2, NULL), NULL);
    lun_node *finite = op(b, LUN_OP_ISFINITE, m2, NULL, NULL);
    lun_node *bad = op(b, LUN_OP_LOR, op(b, LUN_OP_LNOT, finite, NULL, NULL), lost, NULL);
    return op(b, LUN_OP_LAND, op(b, LUN_OP_LAND, known, away, NULL), bad, NULL);
}

static lun_node *variance(builder *b, const sample *of, lun_node *shift, lun_node *spread,
                          double ddof)
{
    lun_node *mean = mean_of(b, of), *m2 = squares(b, of, spread, NULL);
    lun_node *off = op(b, LUN_OP_SUB, mean, shift, NULL), *nan = number(b, NAN);
    lun_node *again = rough(b, m2, mean, off, of->n);
    m2 = op(b, LUN_OP_WHERE, again, squares(b, of, mean, again), m2);
    lun_node *left =
        of->nan ? op(b, LUN_OP_SUB, of->n, number(b, ddof), NULL) : number(b, of->count - ddof);
    lun_node *var = op(b, LUN_OP_DIV, m2, left, NULL);
    if (!of->nan)
        return var;
    return op(b, LUN_OP_WHERE, op(b, LUN_OP_GT, left, number(b, 0), NULL), var, nan);
}

/* The square root of the sum of squares; where that has left f64's range, of scaled elements. */
static lun_node *norm(builder *b, const sample *of)
{
    lun_node *x = present(b, of->x, of->nan, number(b, 0));
    lun_node *plain = sum(b, op(b, LUN_OP_MUL, x, x, NULL)),
             *root = op(b, LUN_OP_SQRT, plain, NULL, NULL);
    if (!lun__lazy_is_wide(of->t))
        return root;
    lun_node *huge = op(b, LUN_OP_ISINF, plain, NULL, NULL);
    lun_node *tiny = op(b, LUN_OP_LT, plain, number(b, LUN_SQUARES_LEAST), NULL);
    lun_node *again = op(b, LUN_OP_LOR, huge, tiny, NULL);
    lun_node *scale =
        op(b, LUN_OP_WHERE, huge, number(b, LUN_SQUARES_DOWN), number(b, LUN_SQUARES_UP));
    x = op(b, LUN_OP_MUL, x, scale, NULL);
    lun_node *scaled = sum_needed(b, op(b, LUN_OP_MUL, x, x, NULL), again);
    scaled = op(b, LUN_OP_DIV, op(b, LUN_OP_SQRT, scaled, NULL, NULL), scale, NULL);
    return op(b, LUN_OP_WHERE, again, scaled, root);
}

lun_status lun__lazy_moment(lun_engine *e, lun_reduction r, lun_node *a, const lun_segments *l,
                            lun_node *shift, lun_node *spread, double ddof, lun_node **out)
{
    builder b;
    lun_node *n;
    start(&b, e, l);
    sample of = {.nan = left_out(&b, a), .x = as(&b, a, LUN_F64), .t = (lun_dtype)a->dtype};
    of.count = (double)(l->length ? l->length : a->n);
    of.n = r == LUN_NORM ? NULL : counted(&b, a, of.nan);
    if (r == LUN_MEAN) {
        n = mean_of(&b, &of);
    } else if (r == LUN_NORM) {
        n = norm(&b, &of);
    } else if ((double)(l->length ? l->length : a->n) <= ddof) {
        lun_node *none = NULL;
        uint64_t cell =
            lun__dtype_cell_from_value(LUN_F64, (lun_value){.dtype = LUN_F64, .as.d = NAN});
        lun_status s = lun__node_number(e, LUN_F64, cell, l->rank, l->shape, &none);
        n = b.status == LUN_OK ? hold(&b, s, none) : NULL;
    } else {
        n = variance(&b, &of, shift, spread, ddof);
    }
    if (r == LUN_STD)
        n = op(&b, LUN_OP_SQRT, n, NULL, NULL);
    return finish(&b, n, out);
}

lun_status lun__lazy_position(lun_engine *e, lun_node *a, lun_node *i, lun_node *best,
                              const lun_segments *l, lun_node **out)
{
    builder b;
    lun_node *none = NULL;
    start(&b, e, l);
    lun_status s = lun__node_number(e, LUN_I64, INT64_MAX, 0, NULL, &none);
    none = hold(&b, s, none);
    lun_node *hit = op(&b, LUN_OP_EQ, a, best, NULL);
    if (lun__dtype_is_float((lun_dtype)a->dtype)) {
        lun_node *nan = op(&b, LUN_OP_ISNAN, a, NULL, NULL);
        nan = op(&b, LUN_OP_LAND, nan, op(&b, LUN_OP_ISNAN, best, NULL, NULL), NULL);
        hit = op(&b, LUN_OP_LOR, hit, nan, NULL);
    }
    lun_node *at = op(&b, LUN_OP_WHERE, hit, i, none);
    return finish(&b, reduce(&b, LUN_OP_MIN, at, LUN_I64), out);
}

/* ---- by one operation ------------------------------------------------------------------------ */

lun_dtype lun__lazy_total_dtype(lun_reduction r, lun_dtype t)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    switch ((lun__reduced)lun__reduction_rows[r].of) {
    case LUN__OF_SUMS:
        return (lun_dtype)d->sum;
    case LUN__OF_ELEMENTS:
        return d->kind == LUN_KIND_BOOL ? (lun_dtype)d->sum : t;
    case LUN__OF_TRUTH:
        return LUN_BOOL;
    default:
        return LUN_I64;
    }
}

/* a with the operation's identity where elements are left out. */
static lun_node *without_nan(builder *b, lun_op o, lun_node *a)
{
    uint64_t cell;
    lun_node *nan = left_out(b, a), *instead = NULL;
    if (!nan || !lun__op_identity(o, (lun_dtype)a->dtype, &cell))
        return a;
    lun_status s = lun__node_number(b->e, (lun_dtype)a->dtype, cell, 0, NULL, &instead);
    return present(b, a, nan, hold(b, s, instead));
}

/* Extremes of segments without other elements than NaN are NaN. */
static lun_node *or_nan(builder *b, lun_node *a, lun_node *total)
{
    lun_node *nan = left_out(b, a);
    if (!nan)
        return total;
    lun_node *none = op(b, LUN_OP_EQ, counted(b, a, nan), number(b, 0), NULL);
    return op(b, LUN_OP_WHERE, none, as(b, number(b, NAN), (lun_dtype)total->dtype), total);
}

lun_status lun__lazy_total(lun_engine *e, lun_reduction r, lun_node *a, const lun_segments *l,
                           lun_dtype t, lun_node **out)
{
    builder b;
    const lun__reduction_row *row = &lun__reduction_rows[r];
    lun_dtype own = lun__lazy_total_dtype(r, (lun_dtype)a->dtype);
    lun_dtype acc = (lun_dtype)lun__dtype_get(own)->compute;
    lun_op o = (lun_op)row->op;
    lun_node *x, *n;
    start(&b, e, l);
    if (row->of == LUN__OF_TRUTH || row->of == LUN__OF_COUNTS) {
        lun_node *nan = left_out(&b, a);
        x = as(&b, a, LUN_BOOL);
        if (nan)
            x = op(&b, LUN_OP_LAND, x, op(&b, LUN_OP_LNOT, nan, NULL, NULL), NULL);
        if (nan && o == LUN_OP_LAND)
            x = op(&b, LUN_OP_LOR, x, nan, NULL);
        n = reduce(&b, o, as(&b, x, own), t);
    } else {
        x = as(&b, without_nan(&b, o, a), acc);
        n = reduce(&b, o, x, t);
        if (row->of == LUN__OF_ELEMENTS)
            n = or_nan(&b, a, n);
    }
    return finish(&b, n, out);
}
