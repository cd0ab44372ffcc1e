/* total.c - reductions of whole arrays: each row of LUN_REDUCTION in terms of reduce and
 * operations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/elements.h"
#include "api/fold/lazy.h"
#include "eval/eval.h"
#include "lunarray_bind.h"
#include "table/skeleton.h"

/* ---- as nodes -------------------------------------------------------------------------------- */

static const lun_segments whole = {.length = 0};

/* The Scalar of a reduction by one operation; a is released. */
static lun_status total_node(lun_engine *e, lun_reduction r, lun_node *a, lun_node **out)
{
    lun_dtype t = lun__lazy_total_dtype(r, (lun_dtype)a->dtype);
    lun_status s = lun__lazy_total(e, r, a, &whole, t, out);
    lun__node_release(e, a);
    return s;
}

static lun_status evaluate(lun_engine *e, lun_node *n, lun_value *out)
{
    lun_status s = lun__eval(e, &n, 1);
    if (s == LUN_OK)
        *out = lun__dtype_cell_to_value((lun_dtype)n->dtype, n->cell);
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
    lun_status s = lun__convert(e, a, LUN_F64, &x);
    if (s == LUN_OK)
        s = lun__typed_number(e, LUN_F64, shift, &k);
    if (s == LUN_OK && shift != 0)
        s = lun__elementwise_op(e, LUN_OP_SUB, (lun_node *[]){x, k}, &d);
    else if (s == LUN_OK)
        d = lun__node_retain(x);
    if (s == LUN_OK)
        s = lun__elementwise_op(e, LUN_OP_MUL, (lun_node *[]){d, d}, &square);
    lun_node *of[3] = {x, d, square};
    for (int i = 0; s == LUN_OK && i < 3; i++)
        s = lun__fold_node_reduce(e, LUN_OP_ADD, NULL, NULL, of[i], NULL, LUN_F64, &sums[i]);
    if (s == LUN_OK)
        s = lun__eval(e, sums, 3);
    for (int i = 0; s == LUN_OK && i < 3; i++)
        sum[i] = lun__dtype_cell_to_value(LUN_F64, sums[i]->cell).as.d;
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
    lun_status s = lun__convert(e, a, LUN_F64, &x);
    if (s == LUN_OK)
        s = lun__typed_number(e, LUN_F64, 0x1p-64, &k);
    if (s == LUN_OK)
        s = lun__elementwise_op(e, LUN_OP_MUL, (lun_node *[]){x, k}, &small);
    if (s == LUN_OK)
        s = lun__fold_node_reduce(e, LUN_OP_ADD, NULL, NULL, small, NULL, LUN_F64, &sum);
    if (s == LUN_OK)
        s = lun__eval(e, &sum, 1);
    if (s == LUN_OK)
        *mean = lun__dtype_cell_to_value(LUN_F64, sum->cell).as.d / (double)a->n * 0x1p64;
    lun_node *all[] = {x, k, small, sum};
    for (int i = 0; i < 4; i++)
        lun__node_release(e, all[i]);
    return s;
}

/* Whether a variance by a shift at distance `off` from the mean has lost digits. */
static bool is_rough(const moments *m, double off, double n)
{
    return isfinite(m->mean) && off != 0 && (!isfinite(m->m2) || off * off * n > 1e4 * m->m2);
}

/* The array in memory that a is or is a view of, else NULL. */
static const lun_node *in_memory(const lun_node *a)
{
    const lun_node *leaf = a->kind == LUN_NODE_VIEW ? a->in[0] : a;
    return leaf->kind == LUN_NODE_LEAF ? leaf : NULL;
}

/* The first element in *cell: alone, where it is not in memory and can be computed so. */
static lun_status first_cell(lun_engine *e, lun_node *a, uint64_t *cell)
{
    const lun_node *leaf = in_memory(a);
    bool done = false;
    if (leaf)
        return lun__mirror_read(e, leaf->storage, leaf->offset + (leaf == a ? 0 : a->offset), 1,
                                cell);
    lun_status s = lun__node_ready(a) ? LUN_OK : lun__eval_range(e, a, 0, 1, cell, &done);
    if (s == LUN_OK && !done)
        s = lun__eval(e, &a, 1);
    return s == LUN_OK && !done ? lun__read_copy_out(e, a, 0, 1, cell) : s;
}

/* The first element as f64 where that is finite, else 0. */
static lun_status shift_of(lun_engine *e, lun_node *a, double *shift)
{
    uint64_t cell = 0;
    *shift = 0;
    lun_status s = a->n ? first_cell(e, a, &cell) : LUN_OK;
    double first =
        lun__dtype_cell_to_value(LUN_F64, lun__dtype_cell_cast(LUN_F64, (lun_dtype)a->dtype, cell))
            .as.d;
    if (s == LUN_OK && isfinite(first))
        *shift = first;
    return s;
}

/* Mean and variance together, kept on the node, so that the second of them is free. The shift is
 * the first element; if it is so far from the mean that digits were lost in the difference of
 * squares, a second pass shifts by the mean itself (Chan, Golub and LeVeque 1983, "Algorithms for
 * computing the sample variance"). */
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

/* The Scalar of the index of the first extreme element, or NaN; a is released. */
static lun_status position(lun_engine *e, lun_reduction r, lun_node *a, lun_node **out)
{
    const lun_dtype_row *d = lun__dtype_get((lun_dtype)a->dtype);
    lun_node *x = NULL;
    lun_dtype t = d->kind == LUN_KIND_BOOL ? lun__dtype_integer(LUN_KIND_UNSIGNED, d->bytes)
                                           : (lun_dtype)d->compute;
    lun_status s = lun__convert(e, a, t, &x);
    if (s == LUN_OK)
        s = lun__fold_node_index(e, r == LUN_ARGMIN ? LUN_OP_MIN : LUN_OP_MAX, x, out);
    lun__node_release(e, x);
    lun__node_release(e, a);
    return s;
}

/* ---- the norm -------------------------------------------------------------------------------- */

/* The sum of the squares of a's elements times `scale`, in f64. */
static lun_status squared(lun_engine *e, lun_node *a, double scale, double *out)
{
    lun_node *x = NULL, *k = NULL, *scaled = NULL, *square = NULL, *sum = NULL;
    lun_status s = lun__convert(e, a, LUN_F64, &x);
    if (s == LUN_OK && scale != 1)
        s = lun__typed_number(e, LUN_F64, scale, &k);
    if (s == LUN_OK && k)
        s = lun__elementwise_op(e, LUN_OP_MUL, (lun_node *[]){x, k}, &scaled);
    else if (s == LUN_OK)
        scaled = lun__node_retain(x);
    if (s == LUN_OK)
        s = lun__elementwise_op(e, LUN_OP_MUL, (lun_node *[]){scaled, scaled}, &square);
    if (s == LUN_OK)
        s = lun__fold_node_reduce(e, LUN_OP_ADD, NULL, NULL, square, NULL, LUN_F64, &sum);
    if (s == LUN_OK)
        s = lun__eval(e, &sum, 1);
    if (s == LUN_OK)
        *out = lun__dtype_cell_to_value(LUN_F64, sum->cell).as.d;
    lun_node *all[] = {x, k, scaled, square, sum};
    for (int i = 0; i < 5; i++)
        lun__node_release(e, all[i]);
    return s;
}

/* a is released.  Where squares may have left f64's range, of scaled elements once more. */
static lun_status norm(lun_engine *e, lun_node *a, lun_value *out)
{
    double sum = 0, scale = 1;
    lun_status s = squared(e, a, scale, &sum);
    if (s == LUN_OK && lun__lazy_is_wide((lun_dtype)a->dtype) &&
        (isinf(sum) || sum < LUN_SQUARES_LEAST)) {
        scale = isinf(sum) ? LUN_SQUARES_DOWN : LUN_SQUARES_UP;
        s = squared(e, a, scale, &sum);
    }
    if (s == LUN_OK)
        *out = (lun_value){.dtype = LUN_F64, .as.d = sqrt(sum) / scale};
    lun__node_release(e, a);
    return s;
}

/* ---- the interface --------------------------------------------------------------------------- */

static lun_status operand(lun_engine *e, lun_reduction r, lun_array *a, lun_node **out)
{
    lun_status s = lun__array_usable(e, a);
    e->error_where = NULL;
    if (s != LUN_OK)
        return s;
    if ((unsigned)r >= LUN_REDUCTION_COUNT)
        return lun__fail(e, LUN_EARG, "no such reduction: %d", (int)r);
    if (lun__reduction_rows[r].empty_is_error && lun_size(a) == 0)
        return lun__fail(e, LUN_EARG, "%s of an empty array", lun__reduction_rows[r].info.name);
    return lun__array_node(e, a, LUN_DTYPE_COUNT, out);
}

/* ---- of arrays of which elements are missing ------------------------------------------------- */

/* The slots where there is an element, or (slots NULL) their indices; evaluated. */
static lun_status kept(lun_engine *e, lun_array *slots, lun_array *valid, lun_array **out)
{
    lun_node *in[2] = {NULL, NULL}, *n;
    const int of = slots ? 1 : 0;
    lun_status s = slots ? lun__array_node(e, slots, LUN_DTYPE_COUNT, &in[0]) : LUN_OK;
    if (s == LUN_OK)
        s = lun__array_node(e, valid, LUN_DTYPE_COUNT, &in[of]);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, slots ? LUN_ALGORITHM_KEEP : LUN_ALGORITHM_PLACES, in, 0,
                                     (const uint64_t[LUN_ALGORITHM_OPTIONS]){0},
                                     slots ? (lun_dtype)in[0]->dtype : LUN_I64, 1, &in[of]->n, NULL,
                                     &n);
    lun__node_release(e, in[0]);
    lun__node_release(e, in[1]);
    if (s == LUN_OK)
        s = lun__array(e, n, false, out);
    return s == LUN_OK ? lun__array_present(e, *out) : s;
}

/* A reduction of the elements that are there: NaN, or an error of argmin and argmax, if none is. */
static lun_status total_kept(lun_engine *e, lun_reduction r, lun_array *slots, lun_array *valid,
                             int64_t ddof, lun_value *out)
{
    lun_array *x = NULL, *where = NULL;
    lun_value v = {.dtype = LUN_F64, .as.d = NAN};
    const bool index = lun__reduction_rows[r].info.index;
    lun_status s = kept(e, slots, valid, &x);
    if (s == LUN_OK && lun_size(x) == 0 && index)
        s = lun__fail(e, LUN_EARG, "%s of an array of which all elements are missing",
                      lun__reduction_rows[r].info.name);
    else if (s == LUN_OK && lun_size(x) > 0)
        s = lun_total(e, r, x, ddof, &v);
    if (s == LUN_OK && index)
        s = kept(e, NULL, valid, &where);
    if (s == LUN_OK && index)
        s = lun_get(e, where, v.as.i, &v);
    if (s == LUN_OK)
        *out = v;
    lun_release(x);
    lun_release(where);
    return s;
}

static lun_status total_there(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof,
                              lun_value *out)
{
    lun_array *slots, *valid, *x = NULL;
    if ((unsigned)r >= LUN_REDUCTION_COUNT)
        return lun__fail(e, LUN_EARG, "no such reduction: %d", (int)r);
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    if (lun__along_missing_neutral(r))
        s = lun__along_missing_filled(e, slots, valid, *lun__along_missing_neutral(r), &x);
    if (s == LUN_OK)
        s = x ? lun_total(e, r, x, ddof, out) : total_kept(e, r, slots, valid, ddof, out);
    lun_release(slots);
    lun_release(valid);
    lun_release(x);
    return s;
}

lun_status lun_total(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof, lun_value *out)
{
    LUN_NEED(e, out);
    if (lun__logical_reduced(a, r) && lun__reduction_rows[r].info.index)
        LUN_BY_ORDER(e, a, lun_total(e, r, ordered, ddof, out))
    if (a && lun_has_missing(a))
        return total_there(e, r, a, ddof, out);
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
        s = position(e, r, n, &scalar);
        return s == LUN_OK ? evaluate(e, scalar, out) : s;
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

/* Numbers go with any shape. */
static lun_status same_shape(lun_engine *e, const lun_array *a, const lun_array *b)
{
    int64_t x[LUN_MAX_RANK], y[LUN_MAX_RANK];
    char one[96], other[96];
    int rank = lun_shape(a, x), its = lun_shape(b, y);
    if (!rank || !its || (rank == its && !memcmp(x, y, (size_t)rank * sizeof *x)))
        return LUN_OK;
    e->error_operand = 2;
    return lun__fail(e, LUN_ESHAPE, "%s differ: %s and %s%s",
                     rank == 1 && its == 1 ? "lengths" : "shapes", lun__array_describe(a, one),
                     lun__array_describe(b, other),
                     rank > 1 || its > 1 ? "; matrices are multiplied by matmul" : "");
}

lun_status lun_dot(lun_engine *e, lun_array *a, lun_array *b, lun_value *out)
{
    LUN_NEED(e, a && b && out);
    lun_array *wide = NULL, *product;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK)
        s = lun__array_present(e, b);
    if (s == LUN_OK)
        s = same_shape(e, a, b);
    if (s != LUN_OK)
        return s;
    lun_dtype meeting = lun__dtype_common(lun_dtype_of(a), lun_dtype_of(b));
    if (meeting == LUN_DTYPE_COUNT && (a->weak || b->weak))
        meeting = lun_dtype_of(a->weak ? b : a);
    if (meeting == LUN_DTYPE_COUNT)
        return lun__mixed_sign_no_common(e, lun_dtype_of(a), lun_dtype_of(b));
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

/* Whether the graph itself has to read the first element, by which squares are shifted. */
static bool shifts_later(lun_reduction r, const lun_node *n)
{
    return (r == LUN_VAR || r == LUN_STD) && n->n && !in_memory(n);
}

/* n is released. */
static lun_status lazy_moment(lun_engine *e, lun_reduction r, lun_node *n, int64_t ddof,
                              lun_node **out)
{
    double shift = 0;
    lun_node *k = NULL;
    lun_status s = in_memory(n) ? shift_of(e, n, &shift) : LUN_OK;
    if (s == LUN_OK)
        s = lun__typed_number(e, LUN_F64, shift, &k);
    if (s == LUN_OK)
        s = lun__lazy_moment(e, r, n, &whole, k, k, (double)ddof, out);
    lun__node_release(e, k);
    lun__node_release(e, n);
    return s;
}

lun_status lun_total_lazy(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof,
                          lun_array **out)
{
    LUN_NEED(e, out);
    const lun_along_options o = {.size = sizeof o, .ddof = ddof};
    if (a && lun__array_has_parts(a))
        return lun_along(e, r, a, NULL, 0, &o, out);
    lun_node *n, *scalar = NULL;
    lun_status s = operand(e, r, a, &n);
    if (s != LUN_OK)
        return s;
    if (shifts_later(r, n)) {
        lun__node_release(e, n);
        return lun_along(e, r, a, NULL, 0, &o, out);
    }
    switch ((lun__reduced)lun__reduction_rows[r].of) {
    case LUN__OF_NUMBER:
        s = lazy_moment(e, r, n, ddof, &scalar);
        break;
    case LUN__OF_INDEX:
        s = position(e, r, n, &scalar);
        break;
    default:
        s = total_node(e, r, n, &scalar);
    }
    return s == LUN_OK ? lun__array(e, scalar, false, out) : s;
}
