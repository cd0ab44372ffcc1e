/* total.c - whole reductions: what each row of LUN_REDUCTION is in terms of
 * reduce and operations. */
#include <math.h>
#include <stdlib.h>

#include "api/lazy.h"
#include "run/run.h"
#include "table/skeleton.h"

/* ---- as nodes -------------------------------------------------------------------------------- */

/* REDUCE of a (released) by op in dtype acc, given as t. */
static lun_status reduce(lun_engine *e, lun_op op, lun_node *a, lun_dtype acc, lun_dtype t,
                         lun_node **out)
{
    lun_node *in = NULL;
    lun_status s = a ? lun__cast(e, a, acc, &in) : LUN_ENOMEM;
    if (s == LUN_OK)
        s = lun__node_reduce(e, op, NULL, NULL, in, NULL, t, out);
    lun__node_release(e, in);
    lun__node_release(e, a);
    return s;
}

/* a (released) as bool, that as t. */
static lun_node *truth(lun_engine *e, lun_node *a, lun_dtype t)
{
    lun_node *b = NULL, *out = NULL;
    if (lun__cast(e, a, LUN_BOOL, &b) == LUN_OK && lun__cast(e, b, t, &out) != LUN_OK)
        out = NULL;
    lun__node_release(e, a);
    lun__node_release(e, b);
    return out;
}

/* The Scalar of a reduction by one operation; a is released. */
static lun_status total_node(lun_engine *e, lun_reduction r, lun_node *a, lun_node **out)
{
    const lun__reduction_row *row = &lun__reduction_rows[r];
    const lun_dtype_row *d = lun__dtype_get((lun_dtype)a->dtype);
    lun_op op = (lun_op)row->op;
    lun_dtype sum = (lun_dtype)d->sum;
    lun_dtype as_number = d->kind == LUN_KIND_BOOL ? sum : (lun_dtype)a->dtype;
    lun_dtype acc = (lun_dtype)lun__dtype_get(as_number)->compute;
    switch ((lun__reduced)row->of) {
    case LUN__OF_SUMS:
        return reduce(e, op, a, sum, sum, out);
    case LUN__OF_ELEMENTS:
        return reduce(e, op, a, acc, as_number, out);
    case LUN__OF_TRUTH:
        return reduce(e, op, truth(e, a, LUN_BOOL), LUN_BOOL, LUN_BOOL, out);
    case LUN__OF_COUNTS:
        return reduce(e, op, truth(e, a, LUN_I64), LUN_I64, LUN_I64, out);
    case LUN__OF_NUMBER:
    case LUN__OF_INDEX:
        break;
    }
    lun__node_release(e, a); /* total_lazy's */
    return LUN_EARG;
}

static lun_status evaluate(lun_engine *e, lun_node *n, lun_value *out)
{
    lun_status s = lun__run(e, &n, 1);
    if (s == LUN_OK)
        *out = lun__cell_to_value((lun_dtype)n->dtype, n->cell);
    lun__node_release(e, n);
    return s;
}

/* ---- mean and variance ----------------------------------------------------------------------- */

typedef struct moments {
    double mean, m2; /* m2: sum of squared deviations */
} moments;

/* One pass: sums of a, of d = a - shift and of d^2, in f64. */
static lun_status shifted(lun_engine *e, lun_node *a, double shift, moments *out)
{
    lun_node *x = NULL, *k = NULL, *d = NULL, *square = NULL, *sums[3] = {0};
    double n = (double)a->n, sum[3] = {0};
    lun_status s = lun__cast(e, a, LUN_F64, &x);
    if (s == LUN_OK)
        s = lun__number(e, LUN_F64, shift, &k);
    if (s == LUN_OK && shift != 0)
        s = lun__op(e, LUN_OP_SUB, (lun_node *[]){x, k}, &d);
    else if (s == LUN_OK)
        d = lun__node_retain(x);
    if (s == LUN_OK)
        s = lun__op(e, LUN_OP_MUL, (lun_node *[]){d, d}, &square);
    lun_node *of[3] = {x, d, square};
    for (int i = 0; s == LUN_OK && i < 3; i++)
        s = lun__node_reduce(e, LUN_OP_ADD, NULL, NULL, of[i], NULL, LUN_F64, &sums[i]);
    if (s == LUN_OK)
        s = lun__run(e, sums, 3);
    for (int i = 0; s == LUN_OK && i < 3; i++)
        sum[i] = lun__cell_to_value(LUN_F64, sums[i]->cell).as.d;
    out->mean = sum[0] / n;
    out->m2 = sum[2] - sum[1] * (sum[1] / n);
    if (out->m2 < 0)
        out->m2 = 0;
    lun_node *all[] = {x, k, d, square, sums[0], sums[1], sums[2]};
    for (int i = 0; i < 7; i++)
        lun__node_release(e, all[i]);
    return s;
}

/* The mean of elements whose sum overflows: of the elements times 2^-64, which is exact for those
 * that matter.  Infinite or NaN only if some element is. */
static lun_status scaled_mean(lun_engine *e, lun_node *a, double *mean)
{
    lun_node *x = NULL, *k = NULL, *small = NULL, *sum = NULL;
    lun_status s = lun__cast(e, a, LUN_F64, &x);
    if (s == LUN_OK)
        s = lun__number(e, LUN_F64, 0x1p-64, &k);
    if (s == LUN_OK)
        s = lun__op(e, LUN_OP_MUL, (lun_node *[]){x, k}, &small);
    if (s == LUN_OK)
        s = lun__node_reduce(e, LUN_OP_ADD, NULL, NULL, small, NULL, LUN_F64, &sum);
    if (s == LUN_OK)
        s = lun__run(e, &sum, 1);
    if (s == LUN_OK)
        *mean = lun__cell_to_value(LUN_F64, sum->cell).as.d / (double)a->n * 0x1p64;
    lun_node *all[] = {x, k, small, sum};
    for (int i = 0; i < 4; i++)
        lun__node_release(e, all[i]);
    return s;
}

/* Whether a variance by another shift than the mean, `off` away from it, has lost digits. */
static bool is_rough(const moments *m, double off, double n)
{
    return isfinite(m->mean) && off != 0 && (!isfinite(m->m2) || off * off * n > 1e4 * m->m2);
}

/* The first element, where that is in memory and finite; else 0. */
static lun_status shift_of(lun_engine *e, const lun_node *a, double *shift)
{
    uint64_t cell = 0;
    *shift = 0;
    if (a->kind != LUN_NODE_LEAF || a->n == 0)
        return LUN_OK;
    lun_status s = lun__storage_read(e, a->storage, a->offset, 1, &cell);
    double first =
        lun__cell_to_value(LUN_F64, lun__cell_cast(LUN_F64, (lun_dtype)a->dtype, cell)).as.d;
    if (s == LUN_OK && isfinite(first))
        *shift = first;
    return s;
}

/* Mean and variance together, kept on the node, so that whichever is asked for second is free.  The
 * shift is the first element where that is in memory; if it lies so far from the mean that digits
 * were lost in the difference of squares, a second pass shifts by the mean itself (Chan, Golub and
 * LeVeque 1983, "Algorithms for computing the sample variance"). */
static lun_status moments_of(lun_engine *e, lun_node *a, moments *out)
{
    double shift = 0, n = (double)a->n;
    if (a->moments) {
        *out = (moments){a->moments[0], a->moments[1]};
        return LUN_OK;
    }
    lun_status s = shift_of(e, a, &shift);
    if (s == LUN_OK)
        s = shifted(e, a, shift, out);
    double mean = out->mean;
    if (s == LUN_OK && !isfinite(mean))
        s = scaled_mean(e, a, &mean);
    out->mean = mean;
    if (s == LUN_OK && is_rough(out, mean - shift, n))
        s = shifted(e, a, mean, out);
    out->mean = mean;
    if (s != LUN_OK)
        return s;
    a->moments = malloc(2 * sizeof *a->moments);
    if (a->moments) {
        a->extended = 1;
        a->moments[0] = out->mean;
        a->moments[1] = out->m2;
    }
    return LUN_OK;
}

static lun_status moment(lun_engine *e, lun_reduction r, lun_node *a, int64_t ddof, lun_value *out)
{
    moments m;
    double n = (double)a->n;
    lun_status s = moments_of(e, a, &m);
    lun__node_release(e, a);
    if (s != LUN_OK)
        return s;
    out->dtype = LUN_F64;
    out->as.d = r == LUN_MEAN ? m.mean : m.m2 / (n - (double)ddof);
    if (n - (double)ddof <= 0 && r != LUN_MEAN)
        out->as.d = NAN;
    if (r == LUN_STD)
        out->as.d = sqrt(out->as.d);
    return LUN_OK;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* The smallest index whose element equals the extreme value, or is NaN if that
 * is. a is released. */
static lun_status position(lun_engine *e, lun_reduction r, lun_node *a, lun_value *out)
{
    lun_node *best = NULL, *hit = NULL, *index = NULL, *none = NULL, *at = NULL, *first = NULL;
    lun_status s = total_node(e, r == LUN_ARGMIN ? LUN_MIN : LUN_MAX, lun__node_retain(a), &best);
    if (s == LUN_OK)
        s = lun__run(e, &best, 1);
    if (s == LUN_OK) {
        lun_value v = lun__cell_to_value((lun_dtype)best->dtype, best->cell);
        bool nan = lun__value_is_float(v) && isnan(v.as.d);
        s = lun__op(e, nan ? LUN_OP_ISNAN : LUN_OP_EQ, (lun_node *[]){a, best}, &hit);
    }
    if (s == LUN_OK)
        s = lun__node_index(e, a->n, &index);
    if (s == LUN_OK && a->rank > 1) {
        int64_t shape[LUN_MAX_RANK];
        lun_node *flat = index;
        lun__node_shape(a, shape);
        s = lun__node_reshape(e, flat, a->rank, shape, &index);
        lun__node_release(e, flat);
        if (s != LUN_OK)
            index = NULL;
    }
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, INT64_MAX, 0, NULL, &none);
    if (s == LUN_OK)
        s = lun__op(e, LUN_OP_WHERE, (lun_node *[]){hit, index, none}, &at);
    if (s == LUN_OK)
        s = lun__node_reduce(e, LUN_OP_MIN, NULL, NULL, at, NULL, LUN_I64, &first);
    if (s == LUN_OK)
        s = evaluate(e, first, out);
    lun_node *all[] = {a, best, hit, index, none, at};
    for (int i = 0; i < 6; i++)
        lun__node_release(e, all[i]);
    return s;
}

static lun_status norm(lun_engine *e, lun_node *a, lun_value *out)
{
    lun_node *x = NULL, *square = NULL, *sum = NULL;
    lun_status s = lun__cast(e, a, LUN_F64, &x);
    if (s == LUN_OK)
        s = lun__op(e, LUN_OP_MUL, (lun_node *[]){x, x}, &square);
    if (s == LUN_OK)
        s = lun__node_reduce(e, LUN_OP_ADD, NULL, NULL, square, NULL, LUN_F64, &sum);
    if (s == LUN_OK)
        s = evaluate(e, sum, out);
    if (s == LUN_OK)
        out->as.d = sqrt(out->as.d);
    lun__node_release(e, a);
    lun__node_release(e, x);
    lun__node_release(e, square);
    return s;
}

/* ---- the interface --------------------------------------------------------------------------- */

static lun_status operand(lun_engine *e, lun_reduction r, lun_array *a, lun_node **out)
{
    lun_status s = lun__usable(e, a);
    e->error_where = NULL;
    if (s != LUN_OK)
        return s;
    if ((unsigned)r >= LUN_REDUCTION_COUNT)
        return lun__fail(e, LUN_EARG, "no such reduction: %d", (int)r);
    if (lun__reduction_rows[r].empty_is_error && lun_size(a) == 0)
        return lun__fail(e, LUN_EARG, "%s of an empty array", lun__reduction_rows[r].info.name);
    return lun__node(e, a, LUN_DTYPE_COUNT, out);
}

lun_status lun_total(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof, lun_value *out)
{
    LUN_NEED(e, out);
    lun_node *n, *scalar = NULL;
    lun_status s = operand(e, r, a, &n);
    if (s != LUN_OK)
        return s;
    switch (r) {
    case LUN_MEAN:
    case LUN_VAR:
    case LUN_STD:
        return moment(e, r, n, ddof, out);
    case LUN_ARGMIN:
    case LUN_ARGMAX:
        return position(e, r, n, out);
    case LUN_NORM:
        return norm(e, n, out);
    default:
        s = total_node(e, r, n, &scalar);
        return s == LUN_OK ? evaluate(e, scalar, out) : s;
    }
}

/* The dtype in which products of elements of t are summed without loss; those of floats are rounded
 * as they compute. */
static lun_dtype factor_dtype(lun_dtype t)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    return (lun_dtype)(lun__dtype_is_float(t) ? d->compute : d->sum);
}

lun_status lun_dot(lun_engine *e, lun_array *a, lun_array *b, lun_value *out)
{
    LUN_NEED(e, a && b && out);
    lun_array *wide = NULL, *product;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = lun__usable(e, b);
    if (s != LUN_OK)
        return s;
    lun_dtype meeting = lun__dtype_common(lun_dtype_of(a), lun_dtype_of(b));
    lun_dtype t = factor_dtype(meeting);
    if (t != meeting)
        s = lun_cast(e, a, t, &wide);
    if (s == LUN_OK)
        s = lun_mul(e, wide ? wide : a, b, &product);
    if (wide)
        lun_release(wide);
    if (s != LUN_OK)
        return s;
    s = lun_total(e, LUN_SUM, product, 0, out);
    lun_release(product);
    return s;
}

lun_status lun_total_lazy(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof,
                          lun_array **out)
{
    LUN_NEED(e, out);
    lun_node *n, *best, *scalar = NULL;
    double shift;
    lun_status s = operand(e, r, a, &n);
    if (s != LUN_OK)
        return s;
    switch ((lun__reduced)lun__reduction_rows[r].of) {
    case LUN__OF_NUMBER:
        s = shift_of(e, n, &shift);
        if (s == LUN_OK)
            s = lun__moment_node(e, r, n, shift, ddof, &scalar);
        lun__node_release(e, n);
        break;
    case LUN__OF_INDEX:
        s = total_node(e, r == LUN_ARGMIN ? LUN_MIN : LUN_MAX, lun__node_retain(n), &best);
        if (s == LUN_OK) {
            s = lun__position_node(e, n, best, &scalar);
            lun__node_release(e, best);
        }
        lun__node_release(e, n);
        break;
    default:
        s = total_node(e, r, n, &scalar);
    }
    return s == LUN_OK ? lun__array(e, scalar, false, out) : s;
}
