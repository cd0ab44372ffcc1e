/* match.c - joins: the pairs of rows that have equal keys. */
#include "api/data/grouping.h"
#include "api/fold/lazy.h"

#include <stdlib.h>

/* A join being computed. */
typedef struct matching {
    lun_engine *e;
    int64_t rows[2], groups, total;
    lun_array *codes, *of_a, *of_b; /* of the keys of both sides, concatenated; of each side */
    lun_array *ends;                /* running number of pairs behind each row of a */
    lun_array *starts, *order; /* the first of b's rows of each code in `order`; b's rows by code */
    lun_handles h;
} matching;

/* u64 and signed integers as two keys: their bits, and whether they are negative, in out[1]. */
static lun_status by_bits(matching *m, lun_array *a, lun_array *b, lun_array **out)
{
    lun_handles h = {0};
    lun_array **x = lun__grouping_handle(&h), **y = lun__grouping_handle(&h);
    lun_array **is_a = lun__grouping_handle(&h), **is_b = lun__grouping_handle(&h);
    lun_status s = lun_cast(m->e, a, LUN_U64, x);
    if (s == LUN_OK)
        s = lun_cast(m->e, b, LUN_U64, y);
    if (s == LUN_OK)
        s = lun_concat(m->e, *x, *y, out);
    if (s == LUN_OK)
        s = lun__codes_with(m->e, LUN_OP_LT, a, 0, is_a);
    if (s == LUN_OK)
        s = lun__codes_with(m->e, LUN_OP_LT, b, 0, is_b);
    if (s == LUN_OK)
        s = lun_concat(m->e, *is_a, *is_b, out + 1);
    lun__codes_handles_release(&h);
    return s;
}

/* A key of both sides in one dtype, or as two keys; *count: of those so far. */
static lun_status both_sides(matching *m, lun_array *a, lun_array *b, lun_array **keys, int *count)
{
    lun_array **out = keys + *count;
    const lun_dtype s = lun_dtype_of(a), t = lun_dtype_of(b);
    const bool mixed = s != t && (lun__dtype_is_logical(s) != lun__dtype_is_logical(t) ||
                                  lun__dtype_is_float(s) != lun__dtype_is_float(t) ||
                                  lun__dtype_is_bool(s) != lun__dtype_is_bool(t));
    if (mixed)
        return lun__fail(m->e, LUN_EDTYPE,
                         "keys of %s and %s are not compared: convert one of them",
                         lun_dtype_name(s), lun_dtype_name(t));
    if (lun__array_some_logical((lun_array *[]){a, b}, 2)) {
        ++*count;
        return lun_concat(m->e, a, b, out);
    }
    const bool two = lun__dtype_common(s, t) == LUN_DTYPE_COUNT;
    *count += two ? 2 : 1;
    return two ? by_bits(m, a, b, out) : lun_concat(m->e, a, b, out);
}

static lun_status find_codes(matching *m, lun_array *const *a, lun_array *const *b, int count)
{
    lun_array **keys = calloc(2 * (size_t)count, sizeof *keys);
    lun_status s = keys ? LUN_OK : lun__fail_nomem(m->e);
    int all = 0;
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = both_sides(m, a[k], b[k], keys, &all);
    if (s == LUN_OK)
        s = lun__codes(m->e, keys, all, &m->codes, &m->groups);
    for (int k = 0; keys && k < 2 * count; k++)
        if (keys[k])
            lun_release(keys[k]);
    free(keys);
    if (s == LUN_OK)
        s = lun_slice(m->e, m->codes, 0, m->rows[0], 1, &m->of_a);
    if (s == LUN_OK)
        s = lun_slice(m->e, m->codes, m->rows[0], m->rows[1], 1, &m->of_b);
    return s;
}

/* Exchanges *codes for those of rows of which every key is there, else `none`. */
static lun_status without_missing(matching *m, lun_array *const *keys, int count, int64_t none,
                                  lun_array **codes)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_array *gone = NULL, *number = NULL, *made = NULL;
        if (!lun_has_missing(keys[k]))
            continue;
        s = lun_missing(m->e, keys[k], &gone);
        if (s == LUN_OK)
            s = lun_integer(m->e, none, &number);
        if (s == LUN_OK)
            s = lun_where(m->e, gone, number, *codes, &made);
        lun_release(gone);
        lun_release(number);
        if (s != LUN_OK)
            break;
        lun_release(*codes);
        *codes = made;
    }
    return s;
}

/* Missing keys match nothing: those of both sides have a code each, which the other has not. */
static lun_status leave_missing(matching *m, lun_array *const *a, lun_array *const *b, int count)
{
    bool some = false;
    for (int k = 0; k < count; k++)
        some = some || lun_has_missing(a[k]) || lun_has_missing(b[k]);
    if (!some)
        return LUN_OK;
    lun_status s = without_missing(m, a, count, m->groups, &m->of_a);
    if (s == LUN_OK)
        s = without_missing(m, b, count, m->groups + 1, &m->of_b);
    m->groups += 2;
    return s == LUN_OK ? lun_eval(m->e, (lun_array *[]){m->of_a, m->of_b}, 2) : s;
}

/* Running sums, with a 0 in front or not. */
static lun_status running(matching *m, lun_array *x, lun_array **out)
{
    lun_function *add = NULL;
    lun_status s = lun_function_op(m->e, LUN_OP_ADD, &add);
    if (s == LUN_OK)
        s = lun__fold_scan_whole(m->e, add, NULL, x, NULL, 0, true, out);
    lun_function_release(add);
    return s;
}

/* The starts of b's rows of each code, and the end of the last ones. */
static lun_status arrange_b(matching *m, lun_array **counts)
{
    lun_array **sums = lun__grouping_handle(&m->h);
    const lun_edge edge = LUN_EDGE_VALUE;
    const lun_value zero = {.dtype = LUN_I64};
    lun_status s = lun__codes_aggregate(m->e, m->of_b, m->groups, LUN_AGGREGATE_COUNT, m->of_b,
                                        NULL, LUN_I64, counts);
    if (s == LUN_OK)
        s = running(m, *counts, sums);
    if (s == LUN_OK)
        s = lun_pad(m->e, *sums, (int64_t[]){1}, (int64_t[]){0}, &edge, zero, &m->starts);
    return s == LUN_OK ? lun__codes_arranged(m->e, m->of_b, 0, &m->order) : s;
}

/* How many pairs the rows of a have, and all of them. */
static lun_status count_pairs(matching *m, lun_array *counts, bool left)
{
    lun_array **own = lun__grouping_handle(&m->h), **least = lun__grouping_handle(&m->h),
              **wide = lun__grouping_handle(&m->h);
    lun_value sum = {0}, last = {0};
    lun_status s = lun_take(m->e, counts, m->of_a, 0, NULL, own);
    if (s == LUN_OK)
        s = lun__codes_with(m->e, LUN_OP_MAX, *own, left, least);
    if (s == LUN_OK)
        s = running(m, *least, &m->ends);
    if (s == LUN_OK)
        s = lun_get(m->e, m->ends, m->rows[0] - 1, &last);
    if (s == LUN_OK)
        s = lun_cast(m->e, *least, LUN_F64, wide);
    if (s == LUN_OK &&
        m->rows[0] > INT32_MAX) /* the check is exact: a wrapped sum would be above 2^62 */
        s = lun_total(m->e, LUN_SUM, *wide, 0, &sum);
    m->total = last.as.i;
    if (s == LUN_OK && (m->total < 0 || m->total > INT64_MAX / 16 || sum.as.d > 0x1p59))
        s = lun__fail(m->e, LUN_ENOMEM, "the join has more pairs than can be addressed");
    return s;
}

static lun_status write_pairs(matching *m, int64_t first, lun_array **i, lun_array **j)
{
    const uint64_t option[] = {(uint64_t)first, 0};
    lun_array *const from[] = {m->ends, m->of_a, m->starts, m->order};
    lun_node *in[4] = {NULL}, *n = NULL, *other = NULL;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < 4; k++)
        s = lun__array_node(m->e, from[k], LUN_DTYPE_COUNT, &in[k]);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(m->e, LUN_ALGORITHM_MATCHES, in, 0, option, LUN_I64, 1,
                                     &m->total, NULL, &n);
    if (s == LUN_OK)
        s = lun__fold_node_result(m->e, n, 1, &other);
    for (int k = 0; k < 4; k++)
        lun__node_release(m->e, in[k]);
    if (s != LUN_OK) {
        lun__node_release(m->e, n);
        return s;
    }
    s = lun__array(m->e, n, false, i);
    if (s == LUN_OK)
        s = lun__array(m->e, other, false, j);
    else
        lun__node_release(m->e, other);
    return s == LUN_OK && m->total ? lun_eval(m->e, (lun_array *[]){*i, *j}, 2) : s;
}

static lun_status match(matching *m, lun_array *const *a, lun_array *const *b, int count,
                        unsigned flags, int64_t first, lun_array **i, lun_array **j)
{
    lun_array **counts = lun__grouping_handle(&m->h);
    lun_status s = find_codes(m, a, b, count);
    if (s == LUN_OK && !(flags & LUN_JOIN_MISSING))
        s = leave_missing(m, a, b, count);
    if (s == LUN_OK)
        s = arrange_b(m, counts);
    if (s == LUN_OK && m->rows[0] > 0)
        s = count_pairs(m, *counts, (flags & LUN_JOIN_LEFT) != 0);
    if (s == LUN_OK && m->rows[0] == 0)
        s = running(m, m->of_a, &m->ends);
    return s == LUN_OK ? write_pairs(m, first, i, j) : s;
}

lun_status lun_join(lun_engine *e, lun_array *const *a, lun_array *const *b, int count,
                    unsigned flags, int64_t first, lun_array **i, lun_array **j)
{
    LUN_NEED(e, a && b && i && j);
    matching m = {.e = e};
    lun_array *first_rows = NULL, *second_rows = NULL;
    lun_status s = lun__codes_keys_check(e, a, count, &m.rows[0]);
    if (s == LUN_OK)
        s = lun__codes_keys_check(e, b, count, &m.rows[1]);
    if (s == LUN_OK)
        s = match(&m, a, b, count, flags, first, &first_rows, &second_rows);
    lun_array *const used[] = {m.codes, m.of_a, m.of_b, m.ends, m.starts, m.order};
    for (int k = 0; k < 6; k++)
        if (used[k])
            lun_release(used[k]);
    lun__codes_handles_release(&m.h);
    if (s == LUN_OK) {
        *i = first_rows;
        *j = second_rows;
        return s;
    }
    if (first_rows)
        lun_release(first_rows);
    if (second_rows)
        lun_release(second_rows);
    return s;
}
