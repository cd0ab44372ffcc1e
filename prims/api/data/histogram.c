/* histogram.c - how many elements lie in each of some bins, and the edges of bins of equal
 * width. */
#include <math.h>
#include <stdlib.h>

#include "api/array/api.h"

static lun_status check_array(lun_engine *e, const lun_array *a, int operand)
{
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    if (s != LUN_OK)
        e->error_operand = operand;
    return s;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* NumPy's: low + k * step, but the last, which is high; an empty range is widened around its
 * value. Where high - low exceeds f64, both are halved and the edges doubled: that is exact. */
static lun_status edges_between(lun_engine *e, int64_t bins, double low, double high,
                                lun_array **out)
{
    char from[LUN_NUMBER_TEXT], to[LUN_NUMBER_TEXT];
    if (!isfinite(low) || !isfinite(high) || low > high)
        return lun__fail(e, LUN_ERANGE, "no range from %s to %s", lun__strbuf_number(low, from),
                         lun__strbuf_number(high, to));
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    const double half = isfinite(high - low) ? 1 : 0.5;
    double *edges = malloc(((size_t)bins + 1) * sizeof *edges),
           step = (high * half - low * half) / (double)bins;
    if (!edges)
        return lun__fail_nomem(e);
    for (int64_t k = 0; k < bins; k++)
        edges[k] = ((double)k * step + low * half) / half;
    edges[bins] = high;
    lun_status s = lun_vector(e, edges, bins + 1, LUN_F64, out);
    free(edges);
    return s;
}

/* The least or largest element that is no NaN, in f64. */
static lun_status extreme(lun_engine *e, lun_reduction r, lun_array *a, lun_node **out)
{
    const lun_along_options o = {.size = sizeof o, .skipnan = true};
    lun_array *x = NULL, *wide = NULL;
    lun_status s = lun_along(e, r, a, NULL, 0, &o, &x);
    if (s == LUN_OK)
        s = lun_cast(e, x, LUN_F64, &wide);
    if (s == LUN_OK)
        s = lun__array_node(e, wide, LUN_DTYPE_COUNT, out);
    lun_release(x);
    lun_release(wide);
    return s;
}

static lun_node *number(lun_engine *e, double x)
{
    lun_node *n = NULL;
    return lun__typed_number(e, LUN_F64, x, &n) == LUN_OK ? n : NULL;
}

static lun_node *apply(lun_engine *e, lun_op op, lun_node *a, lun_node *b)
{
    lun_node *n = NULL;
    return lun__elementwise_op2(e, op, a, b, &n) == LUN_OK ? n : NULL;
}

static lun_node *held(lun_node *n)
{
    return n ? lun__node_retain(n) : NULL;
}

/* where(which, a, b); releases the last two. */
static lun_node *choose(lun_engine *e, lun_node *which, lun_node *a, lun_node *b)
{
    lun_node *n = NULL;
    if (which && a && b)
        (void)lun__elementwise_op(e, LUN_OP_WHERE, (lun_node *[]){which, a, b}, &n);
    lun__node_release(e, a);
    lun__node_release(e, b);
    return n;
}

/* 0.5 where high - low exceeds f64, else 1. */
static lun_node *half_of(lun_engine *e, lun_node *low, lun_node *high)
{
    lun_node *far =
        apply(e, LUN_OP_EQ, apply(e, LUN_OP_SUB, held(high), held(low)), number(e, INFINITY));
    lun_node *half = choose(e, far, number(e, 0.5), number(e, 1));
    lun__node_release(e, far);
    return half;
}

/* The same edges from extremes as expressions. */
static lun_node *edges_of(lun_engine *e, int64_t bins, lun_node *least, lun_node *most)
{
    lun_node *segment = NULL, *k = NULL, *edges = NULL;
    lun_node *same = apply(e, LUN_OP_EQ, held(least), held(most));
    lun_node *low = choose(e, same, apply(e, LUN_OP_SUB, held(least), number(e, 0.5)), held(least));
    lun_node *high = choose(e, same, apply(e, LUN_OP_ADD, held(most), number(e, 0.5)), held(most));
    lun_node *half = half_of(e, low, high);
    lun_node *from = apply(e, LUN_OP_MUL, held(low), held(half));
    lun_node *width =
        apply(e, LUN_OP_SUB, apply(e, LUN_OP_MUL, held(high), held(half)), held(from));
    lun_node *step = apply(e, LUN_OP_DIV, width, number(e, (double)bins));
    if (lun__node_index(e, bins + 1, &segment) == LUN_OK &&
        lun__convert(e, segment, LUN_F64, &k) == LUN_OK) {
        lun_node *last = apply(e, LUN_OP_EQ, held(k), number(e, (double)bins));
        lun_node *edge =
            apply(e, LUN_OP_ADD, apply(e, LUN_OP_MUL, held(k), held(step)), held(from));
        edges = choose(e, last, held(high), apply(e, LUN_OP_DIV, edge, held(half)));
        lun__node_release(e, last);
    }
    lun_node *const used[] = {segment, k, same, low, high, half, from, step};
    for (int i = 0; i < 8; i++)
        lun__node_release(e, used[i]);
    return edges;
}

lun_status lun_histogram_edges(lun_engine *e, lun_array *a, int64_t bins, const double *range,
                               lun_array **out)
{
    LUN_NEED(e, a && out);
    if (lun_has_missing(a)) {
        lun_array *some = NULL;
        lun_status there = lun__compress_present(e, a, NULL, &some);
        if (there == LUN_OK)
            there = lun_histogram_edges(e, some, bins, range, out);
        lun_release(some);
        return there;
    }
    lun_node *least = NULL, *most = NULL, *edges = NULL;
    lun_status s = check_array(e, a, 1);
    if (s == LUN_OK && (bins < 1 || bins > INT32_MAX))
        s = lun__fail(e, LUN_ERANGE, "the number of bins is %lld: 1 to 2^31 - 1 expected",
                      (long long)bins);
    if (s != LUN_OK)
        return s;
    if (range || lun_size(a) == 0)
        return edges_between(e, bins, range ? range[0] : 0, range ? range[1] : 1, out);
    s = extreme(e, LUN_MIN, a, &least);
    if (s == LUN_OK)
        s = extreme(e, LUN_MAX, a, &most);
    if (s == LUN_OK) {
        edges = edges_of(e, bins, least, most);
        s = edges ? LUN_OK : lun__fail_nomem(e);
    }
    lun__node_release(e, least);
    lun__node_release(e, most);
    return s == LUN_OK ? lun__array(e, edges, false, out) : s;
}

/* ---- counting -------------------------------------------------------------------------------- */

static lun_status check_shapes(lun_engine *e, lun_array *a, lun_array *edges, lun_array *weights)
{
    char x[96], y[96];
    int64_t shape[LUN_MAX_RANK], other[LUN_MAX_RANK];
    if (lun_shape(edges, shape) != 1 || shape[0] < 2) {
        (void)lun__fail(e, LUN_ESHAPE, "edges are a Vector of at least 2 elements, not %s",
                        lun__array_describe(edges, x));
        e->error_operand = 2;
        return LUN_ESHAPE;
    }
    int rank = lun_shape(a, shape);
    bool same = !weights || lun_shape(weights, other) == rank;
    for (int k = 0; weights && same && k < rank; k++)
        same = shape[k] == other[k];
    if (same)
        return LUN_OK;
    (void)lun__fail(e, LUN_ESHAPE, "shapes differ: %s and weights %s", lun__array_describe(a, x),
                    lun__array_describe(weights, y));
    e->error_operand = 3;
    return LUN_ESHAPE;
}

static lun_status count(lun_engine *e, lun_node *const *in, lun_array **counts, lun_array **sums)
{
    static const char *const notes[] = {"edge " LUN_NTH_LONG
                                        " of a histogram is NaN, or less than the one "
                                        "before: give a range, or other edges"};
    lun_node *n = NULL, *also = NULL;
    const int64_t bins = in[1]->n - 1;
    lun_status s =
        lun__fold_node_algorithm(e, sums ? LUN_ALGORITHM_WEIGHED : LUN_ALGORITHM_HISTOGRAM, in, 0,
                                 NULL, sums ? LUN_F64 : LUN_I64, 1, &bins, notes, &n);
    if (s == LUN_OK && sums)
        s = lun__fold_node_result(e, n, 1, &also);
    if (s != LUN_OK) {
        lun__node_release(e, n);
        return s;
    }
    if (!sums)
        return lun__array(e, n, false, counts);
    s = lun__array(e, n, false, sums);
    if (s != LUN_OK) {
        lun__node_release(e, also);
        return s;
    }
    s = lun__array(e, also, false, counts);
    if (s != LUN_OK)
        lun_release(*sums);
    return s;
}

lun_status lun_histogram(lun_engine *e, lun_array *a, lun_array *edges, lun_array *weights,
                         lun_array **counts, lun_array **sums)
{
    LUN_NEED(e, a && edges && counts && !weights == !sums);
    LUN_NO_MISSING(e, edges);
    LUN_NO_MISSING(e, weights);
    if (lun_has_missing(a)) {
        lun_array *some = NULL, *beside = NULL;
        lun_status there = lun__compress_present(e, a, NULL, &some);
        if (there == LUN_OK && weights)
            there = lun__compress_present(e, a, weights, &beside);
        if (there == LUN_OK)
            there = lun_histogram(e, some, edges, beside, counts, sums);
        lun_release(some);
        lun_release(beside);
        return there;
    }
    lun_node *in[3] = {0}, *raw = NULL;
    lun_array *const from[3] = {a, edges, weights};
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < 3 && from[k]; k++)
        s = check_array(e, from[k], k + 1);
    if (s == LUN_OK)
        s = check_shapes(e, a, edges, weights);
    for (int k = 0; s == LUN_OK && k < 3 && from[k]; k++) {
        s = lun__array_node(e, from[k], LUN_DTYPE_COUNT, &raw);
        if (s == LUN_OK)
            s = k ? lun__convert(e, raw, LUN_F64, &in[k]) : LUN_OK;
        if (s == LUN_OK && !k)
            in[k] = lun__node_retain(raw);
        lun__node_release(e, raw);
        raw = NULL;
    }
    if (s == LUN_OK)
        s = count(e, in, counts, sums);
    for (int k = 0; k < 3; k++)
        lun__node_release(e, in[k]);
    return s;
}
