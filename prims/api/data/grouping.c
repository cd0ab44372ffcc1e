/* grouping.c - groups of rows, by keys or codes; the keys and the rows of each group. */
#include "api/data/grouping.h"

#include <stdlib.h>

#include "lunarray_bind.h"

/* Numbers the groups in the order of their first rows. */
static lun_status by_first(lun_engine *e, lun_grouping *g)
{
    lun_handles h = {0};
    lun_array **firsts = lun__grouping_handle(&h), **ranks = lun__grouping_handle(&h),
              *codes = NULL;
    int64_t groups;
    lun_status s = lun__codes_aggregate(e, g->codes, g->groups, LUN_AGGREGATE_FIRST, g->codes, NULL,
                                        LUN_I64, firsts);
    if (s == LUN_OK)
        s = lun__codes(e, firsts, 1, ranks, &groups);
    if (s == LUN_OK)
        s = lun_take(e, *ranks, g->codes, 0, NULL, &codes);
    if (s == LUN_OK)
        s = lun_eval(e, &codes, 1);
    if (s == LUN_OK) {
        lun_release(g->codes);
        g->codes = codes;
    } else if (codes)
        lun_release(codes);
    lun__codes_handles_release(&h);
    return s;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static lun_status firsts_of(lun_engine *e, lun_grouping *g)
{
    return g->firsts ? LUN_OK
                     : lun__codes_aggregate(e, g->codes, g->groups, LUN_AGGREGATE_FIRST, g->codes,
                                            NULL, LUN_I64, &g->firsts);
}

/* The keys of groups as expressions, which hold the present elements of the key arrays. */
static lun_status name_keys(lun_engine *e, lun_grouping *g, lun_array *const *keys, int count)
{
    lun_status s = firsts_of(e, g);
    g->keys = calloc((size_t)count, sizeof *g->keys);
    if (!g->keys)
        return lun__fail_nomem(e);
    g->key_count = count;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_array *taken = NULL;
        s = lun_take_from(e, keys[k], g->firsts, 0, 1, NULL, &taken);
        if (s == LUN_OK && lun_dtype_kind(lun_dtype_of(taken)) == LUN_KIND_FLOAT) {
            s = lun__codes_with(e, LUN_OP_ADD, taken, 0, &g->keys[k]); /* no -0.0 */
            lun_release(taken);
        } else
            g->keys[k] = taken;
    }
    return s;
}

static lun_status new_grouping(lun_engine *e, lun_grouping **out)
{
    lun_grouping *g = calloc(1, sizeof *g);
    if (!g)
        return lun__fail_nomem(e);
    g->engine = e;
    g->gap = -1;
    *out = g;
    return LUN_OK;
}

lun_status lun_grouping_make(lun_engine *e, lun_array *const *keys, int count, unsigned flags,
                             lun_grouping **out)
{
    LUN_NEED(e, keys && out);
    lun_grouping *g = NULL;
    int64_t rows = 0;
    lun_status s = lun__codes_keys_check(e, keys, count, &rows);
    if (s == LUN_OK)
        s = new_grouping(e, &g);
    if (s != LUN_OK)
        return s;
    g->rows = rows;
    s = lun__codes(e, keys, count, &g->codes, &g->groups);
    if (s == LUN_OK && (flags & LUN_GROUPING_FIRST))
        s = by_first(e, g);
    if (s == LUN_OK)
        s = name_keys(e, g, keys, count);
    if (s == LUN_OK)
        *out = g;
    else
        lun_grouping_release(g);
    return s;
}

/* LUN_EBOUNDS unless all codes are first .. first + groups - 1. */
static lun_status check_codes(lun_engine *e, lun_array *codes, int64_t groups, int64_t first)
{
    lun_value low, high;
    if (lun_length(codes) == 0)
        return LUN_OK;
    lun_status s = lun_total(e, LUN_MIN, codes, 0, &low);
    if (s == LUN_OK)
        s = lun_total(e, LUN_MAX, codes, 0, &high);
    if (s != LUN_OK)
        return s;
    bool is_low = !lun__dtype_value_is_unsigned(low) && low.as.i < first;
    const lun_value bad = is_low ? low : high;
    if (is_low || high.as.u > (uint64_t)(first + groups - 1))
        return lun__fail(e, LUN_EBOUNDS, "code %lld is out of range: there are %lld groups",
                         (long long)bad.as.i, (long long)groups);
    return LUN_OK;
}

/* The first group without rows. */
static lun_status find_gap(lun_engine *e, lun_grouping *g)
{
    lun_array *counts = NULL;
    lun_value x = {0};
    lun_status s = lun_grouping_counts(e, g, &counts);
    if (s == LUN_OK && g->groups > 0)
        s = lun_total(e, LUN_ARGMIN, counts, 0, &x);
    const int64_t at = x.as.i;
    if (s == LUN_OK && g->groups > 0)
        s = lun_get(e, counts, at, &x);
    if (s == LUN_OK && g->groups > 0 && x.as.i == 0)
        g->gap = at;
    if (counts)
        lun_release(counts);
    return s;
}

lun_status lun_grouping_of(lun_engine *e, lun_array *codes, int64_t groups, int64_t first,
                           lun_grouping **out)
{
    LUN_NEED(e, codes && out);
    LUN_NO_MISSING(e, codes);
    lun_grouping *g = NULL;
    lun_array *from_0 = NULL;
    int64_t rows = 0;
    lun_status s = lun__codes_keys_check(e, &codes, 1, &rows);
    lun_kind kind = s == LUN_OK ? lun_dtype_kind(lun_dtype_of(codes)) : LUN_KIND_SIGNED;
    if (s == LUN_OK && kind != LUN_KIND_SIGNED && kind != LUN_KIND_UNSIGNED)
        s = lun__fail(e, LUN_EDTYPE, "codes are integers, got %s",
                      lun_dtype_name(lun_dtype_of(codes)));
    if (s == LUN_OK && (groups < 0 || groups > INT32_MAX))
        s = lun__fail(e, LUN_ERANGE, "%lld groups", (long long)groups);
    if (s == LUN_OK)
        s = check_codes(e, codes, groups, first);
    if (s == LUN_OK)
        s = new_grouping(e, &g);
    if (s != LUN_OK)
        return s;
    g->rows = rows;
    g->groups = groups;
    s = lun__codes_with(e, LUN_OP_SUB, codes, first, &from_0);
    if (s == LUN_OK)
        s = lun_cast(e, from_0, LUN_I32, &g->codes);
    if (s == LUN_OK)
        s = lun_eval(e, &g->codes, 1);
    if (s == LUN_OK)
        s = find_gap(e, g);
    if (from_0)
        lun_release(from_0);
    if (s == LUN_OK)
        *out = g;
    else
        lun_grouping_release(g);
    return s;
}

void lun_grouping_release(lun_grouping *g)
{
    if (!g)
        return;
    for (int k = 0; g->keys && k < g->key_count; k++)
        if (g->keys[k])
            lun_release(g->keys[k]);
    free(g->keys);
    if (g->codes)
        lun_release(g->codes);
    if (g->firsts)
        lun_release(g->firsts);
    free(g);
}

int64_t lun_grouping_groups(const lun_grouping *g)
{
    return g ? g->groups : 0;
}

int64_t lun_grouping_rows(const lun_grouping *g)
{
    return g ? g->rows : 0;
}

lun_status lun_grouping_key(lun_engine *e, const lun_grouping *g, int k, lun_array **out)
{
    LUN_NEED(e, g && out);
    if (k < 0 || k >= g->key_count)
        return lun__fail(e, LUN_EARG, "key " LUN_NTH " of %d", k, g->key_count);
    lun_retain(g->keys[k]);
    *out = g->keys[k];
    return LUN_OK;
}

lun_status lun_grouping_codes(lun_engine *e, const lun_grouping *g, int64_t first, lun_array **out)
{
    LUN_NEED(e, g && out);
    lun_array *wide = NULL;
    lun_status s = lun_cast(e, g->codes, LUN_I64, &wide);
    if (s == LUN_OK)
        s = lun__codes_with(e, LUN_OP_ADD, wide, first, out);
    if (wide)
        lun_release(wide);
    return s;
}

lun_status lun_grouping_order(lun_engine *e, const lun_grouping *g, int64_t first, lun_array **out)
{
    LUN_NEED(e, g && out);
    return lun__codes_arranged(e, g->codes, first, out);
}

lun_status lun_grouping_sort(lun_engine *e, const lun_grouping *g, lun_array *x, lun_array **out)
{
    char text[96];
    LUN_NEED(e, g && x && out);
    LUN_ORDERED(e, x, out, lun_grouping_sort(e, g, ordered, made))
    LUN_NO_MISSING(e, x);
    lun_array *wide = NULL, *sorted = NULL;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__array_usable(e, x);
    if (s == LUN_OK && (x->weak || lun_shape(x, shape) != 1 || shape[0] != g->rows))
        s = lun__fail(e, LUN_ESHAPE, "lengths differ: %s and groups of %lld rows",
                      x->weak ? "a number" : lun__array_describe(x, text), (long long)g->rows);
    if (s != LUN_OK)
        return s;
    const lun_dtype t = lun_dtype_of(x);
    s = lun_cast(e, x, lun__dtype_is_float(t) ? LUN_F64 : (lun_dtype)lun__dtype_get(t)->sum, &wide);
    if (s == LUN_OK)
        s = lun__codes_sorted(e, g->codes, g->groups, wide, &sorted);
    if (s == LUN_OK)
        s = lun_cast(e, sorted, t, out);
    lun_release(wide);
    lun_release(sorted);
    return s;
}

lun_status lun_grouping_counts(lun_engine *e, const lun_grouping *g, lun_array **out)
{
    LUN_NEED(e, g && out);
    return lun__codes_aggregate(e, g->codes, g->groups, LUN_AGGREGATE_COUNT, g->codes, NULL,
                                LUN_I64, out);
}
