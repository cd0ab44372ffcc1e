/* time_reduce.c - sums, means and quantiles of dates, timestamps and durations. */
#include "api/time/time_array.h"

/* x reduced; NULL: it failed. */
static lun_array *reduced(lun__calc *c, const lun_reducing *by, lun_array *x)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? by->call(by->of, LUN_SUM, x, &made) : c->s;
    return lun__calc_take(c, s, made);
}

/* The number of elements in each segment. */
static lun_array *counted(lun__calc *c, const lun_reducing *by, lun_array *x)
{
    int64_t shape[LUN_MAX_RANK];
    lun_array *ones = NULL, *zero = NULL;
    const int rank = lun_shape(x, shape);
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    if (c->s != LUN_OK)
        return NULL;
    lun_status s = lun_full(c->e, rank, shape, LUN_I64, one, &ones);
    ones = lun__calc_take(c, s, ones);
    if (c->s == LUN_OK && lun_has_missing(x)) { /* it is missing where x is */
        zero = lun__calc_by(c, LUN_OP_MUL, x, 0);
        ones = lun__calc_op(c, LUN_OP_ADD, ones, zero);
    }
    return reduced(c, by, ones);
}

/* The mean of integers, rounded down, exact: of their high and low halves apart, whose sums do not
 * overflow for fewer than 2^30 elements. */
static lun_array *mean(lun__calc *c, const lun_reducing *by, lun_array *x)
{
    const int64_t half = INT64_C(1) << 30;
    lun_array *high = lun__calc_by(c, LUN_OP_IDIV, x, half);
    lun_array *low = lun__calc_by(c, LUN_OP_BAND, x, half - 1);
    lun_array *sum = reduced(c, by, high), *rest = reduced(c, by, low);
    lun_array *n = c->s == LUN_OK ? counted(c, by, x) : NULL, *made = NULL;
    lun_array *none = lun__calc_by(c, LUN_OP_EQ, n, 0);
    n = lun__calc_where(c, none, lun__calc_number(c, 1), n);
    lun_array *whole = lun__calc_op(c, LUN_OP_IDIV, sum, n);
    lun_array *left = lun__calc_op(c, LUN_OP_SUB, sum, lun__calc_op(c, LUN_OP_MUL, whole, n));
    left = lun__calc_op(c, LUN_OP_ADD, lun__calc_by(c, LUN_OP_MUL, left, half), rest);
    left = lun__calc_op(c, LUN_OP_IDIV, left, n);
    whole = lun__calc_op(c, LUN_OP_ADD, lun__calc_by(c, LUN_OP_MUL, whole, half), left);
    const lun_status s = c->s == LUN_OK ? lun_with_missing(c->e, whole, none, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_status lun__time_reduce(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                            lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *x = NULL, *made = NULL;
    const lun_dtype t = lun__array_logical(a);
    if (r != LUN_MEAN && (r != LUN_SUM || t != LUN_DURATION))
        return lun__array_refuse_logical(e, a);
    lun_status s = lun__time_array_numbers(e, a, false, &x);
    x = lun__calc_take(&c, s, x);
    x = r == LUN_MEAN ? mean(&c, by, x) : reduced(&c, by, x);
    s = c.s == LUN_OK ? lun__time_array(e, x, t, &made) : c.s;
    return lun__calc_end(&c, lun__calc_take(&c, s, made), out);
}

lun_status lun__time_reduce_numbers(lun_engine *e, lun_array *a, lun_array **numbers,
                                    lun_array **from)
{
    lun__calc c = {.e = e};
    lun_array *x = NULL, *least = NULL, *first = NULL;
    lun_status s = lun__time_array_numbers(e, a, false, &x);
    x = lun__calc_take(&c, s, x);
    s = c.s == LUN_OK ? lun_total_lazy(e, LUN_MIN, a, 0, &least) : c.s;
    least = lun__calc_take(&c, s, least);
    s = c.s == LUN_OK ? lun__time_array_numbers(e, least, false, &first) : c.s;
    x = lun__calc_op(&c, LUN_OP_SUB, x, lun__calc_take(&c, s, first));
    x = lun__calc_cast(&c, x, LUN_F64);
    if (c.s == LUN_OK)
        lun_retain(least);
    s = lun__calc_end(&c, x, numbers);
    if (s == LUN_OK)
        *from = least;
    return s;
}

lun_status lun__time_reduce_of_numbers(lun_engine *e, lun_array *from, lun_array *numbers,
                                       lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *first = NULL, *made = NULL;
    lun_array *x = lun__calc_op(&c, LUN_OP_FLOOR, numbers, NULL);
    x = lun__calc_cast(&c, x, LUN_I64);
    lun_status s = c.s == LUN_OK ? lun__time_array_numbers(e, from, false, &first) : c.s;
    x = lun__calc_op(&c, LUN_OP_ADD, x, lun__calc_take(&c, s, first));
    s = c.s == LUN_OK ? lun__time_array(e, x, lun__array_logical(from), &made) : c.s;
    return lun__calc_end(&c, lun__calc_take(&c, s, made), out);
}
