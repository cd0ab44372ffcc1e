/* text_kind.c - text arrays beside others: in one pool, in order, compared, written into. */
#include "api/text/text_array.h"

#include "api/array/api.h"
#include "table/op.h"

#include <stdlib.h>

/* ---- one pool -------------------------------------------------------------------------------- */

/* The pool with the most values that others may be added to; NULL: there is none. */
static lun_text_pool *largest(lun_array *const *all, int count)
{
    lun_text_pool *best = NULL;
    for (int k = 0; k < count; k++) {
        lun_text_pool *t = lun__text_array_pool(all[k]);
        if (t && !lun__text_pool_frozen(t) && lun__text_pool_distinct(t) &&
            (!best || lun__text_pool_count(t) > lun__text_pool_count(best)))
            best = t;
    }
    return best;
}

/* Adds the values of t to `into`; to: their codes there, `count of t` + 1 of them. */
static lun_status add_all(lun_engine *e, const lun_text_pool *t, lun_text_pool *into, uint32_t *to)
{
    lun_status s = LUN_OK;
    to[0] = 0;
    for (uint32_t code = 1; s == LUN_OK && code <= lun__text_pool_count(t); code++) {
        int64_t n;
        const char *text = lun__text_pool_at(t, code, &n);
        s = lun__text_pool_add(e, into, text, n, &to[code]);
    }
    return s;
}

/* Exchanges the codes *slots of pool t for those of the same values in `into`. */
static lun_status move_to(lun_engine *e, const lun_text_pool *t, lun_text_pool *into,
                          lun_array **slots)
{
    const int64_t n = lun__text_pool_count(t);
    lun_array *made = NULL;
    if (t == into)
        return LUN_OK;
    uint32_t *to = malloc(((size_t)n + 1) * sizeof *to);
    lun_status s = to ? add_all(e, t, into, to) : lun__fail_nomem(e);
    if (s == LUN_OK)
        s = lun__text_array_recoded(e, to, n, lun__text_pool_count(into), *slots, &made);
    free(to);
    if (s != LUN_OK)
        return s;
    lun_release(*slots);
    *slots = made;
    return LUN_OK;
}

/* Whether all arrays have the same pool. */
static bool in_one(lun_array *const *all, int count)
{
    for (int k = 1; k < count; k++)
        if (lun__text_array_pool(all[k]) != lun__text_array_pool(all[0]))
            return false;
    return true;
}

/* A missing Scalar of dtype text with that pool. */
static lun_status prototype_of(lun_engine *e, lun_text_pool *t, lun_array **out)
{
    lun_array *zero = NULL;
    lun_status s = lun_missing_slot(e, lun__text_array_codes(0), &zero);
    if (s == LUN_OK)
        s = lun__text_array(e, zero, NULL, t, out);
    lun_release(zero);
    return s;
}

static lun_status alike(lun_engine *e, lun_array *const *all, int count, lun_alike *out)
{
    lun_text_pool *into = in_one(all, count) ? lun__text_array_pool(all[0]) : largest(all, count);
    lun_status s = LUN_OK;
    if (into || in_one(all, count))
        lun__text_pool_retain(into);
    else
        s = lun__text_pool_new(e, &into);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = move_to(e, lun__text_array_pool(all[k]), into, &out->slots[k]);
    if (s == LUN_OK)
        s = prototype_of(e, into, &out->prototype);
    lun__text_pool_release(into);
    return s;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The numbers in order of the values at codes of pool t, with that validity or none. */
static lun_status key_of(lun_engine *e, lun_text_pool *t, const uint32_t *rank, int64_t most,
                         lun_array *slots, lun_array *valid, lun_array **out)
{
    lun_array *keys = NULL;
    lun_status s = LUN_OK;
    if (lun__text_pool_sorted(t))
        lun_retain(keys = slots);
    else
        s = lun__text_array_recoded(e, rank, lun__text_pool_count(t), most, slots, &keys);
    if (s == LUN_OK && valid)
        s = lun_with_parts(e, keys, valid, out);
    else if (s == LUN_OK)
        lun_retain(*out = keys);
    lun_release(keys);
    return s;
}

static lun_status order(lun_engine *e, lun_array *const *all, int count, lun_array **keys,
                        lun_array **prototype)
{
    const uint32_t *rank = NULL;
    lun_text_pool *levels = NULL;
    lun_alike same;
    int made = 0;
    lun_status s = lun__logical_alike(e, all, count, &same);
    if (s != LUN_OK)
        return s;
    lun_text_pool *t = lun__text_array_pool(same.prototype);
    if (lun__text_pool_sorted(t))
        levels = t;
    else
        s = lun__text_order_ranks(e, t, &rank, &levels);
    const int64_t most = lun__text_pool_count(levels);
    while (s == LUN_OK && made < count) {
        s = key_of(e, t, rank, most, same.slots[made], same.valid[made], &keys[made]);
        made += s == LUN_OK;
    }
    if (s == LUN_OK)
        s = prototype_of(e, levels, prototype);
    while (s != LUN_OK && made)
        lun_release(keys[--made]);
    lun__logical_alike_end(&same);
    return s;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* The value of a Scalar of which nothing is missing and whose pool has one; false: it is none. */
static bool constant_of(const lun_array *a, const char **s, int64_t *n)
{
    const lun_node *node = lun__array_top(a)->node;
    if (a->parent || a->viewed || a->valid || !node || node->rank ||
        lun__text_pool_count(a->texts) != 1)
        return false;
    *s = lun__text_pool_at(a->texts, 1, n);
    return true;
}

/* Whether each value of t compares so with a text, by code. */
static lun_status compare_table(lun_engine *e, lun_op op, const lun_text_pool *t, const char *s,
                                int64_t n, lun_array *codes, lun_array **out)
{
    const int64_t count = lun__text_pool_count(t);
    bool *holds = malloc((size_t)count + 1);
    if (!holds)
        return lun__fail_nomem(e);
    holds[0] = lun__op_get(op)->missing == LUN__MISSING_TRUE;
    for (int64_t k = 1; k <= count; k++) {
        int64_t m;
        const char *text = lun__text_pool_at(t, (uint32_t)k, &m);
        holds[k] = lun__op_holds(op, lun__text_order_compare(text, m, s, n), 0);
    }
    lun_status status = lun__text_array_mask(e, holds, count, codes, out);
    free(holds);
    return status;
}

/* op of a and the text: EQ and NE where each value has one code are comparisons of codes. */
static lun_status compare_constant(lun_engine *e, lun_op op, lun_array *a, const char *s, int64_t n,
                                   lun_array **out)
{
    lun_array *codes, *valid, *number = NULL;
    lun_text_pool *t = lun__text_array_pool(a);
    uint32_t code = 0;
    lun_status status = lun__validity_parts(e, a, false, &codes, &valid);
    if (status != LUN_OK)
        return status;
    lun_release(valid);
    if ((op == LUN_OP_EQ || op == LUN_OP_NE) && lun__text_pool_distinct(t)) {
        status = lun__text_pool_find(e, t, s, n, &code);
        if (status == LUN_OK)
            status = lun_integer(e, code ? (int64_t)code : -1, &number);
        if (status == LUN_OK)
            status = lun_apply(e, op, (lun_array *[]){codes, number}, 2, out);
    } else {
        status = compare_table(e, op, t, s, n, codes, out);
    }
    lun_release(codes);
    lun_release(number);
    return status;
}

/* The comparison of b and a that is op of a and b. */
static lun_op mirrored(lun_op op)
{
    return op == LUN_OP_LT   ? LUN_OP_GT
           : op == LUN_OP_GT ? LUN_OP_LT
           : op == LUN_OP_LE ? LUN_OP_GE
           : op == LUN_OP_GE ? LUN_OP_LE
                             : op;
}

static lun_status compare(lun_engine *e, lun_op op, lun_array *const *all, int count,
                          lun_array **out)
{
    lun_array *a = all[0], *b = all[1];
    lun_array *keys[2], *prototype;
    const char *text;
    int64_t n;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK)
        s = lun__array_present(e, b);
    if (s != LUN_OK)
        return s;
    if (constant_of(b, &text, &n))
        return compare_constant(e, op, a, text, n, out);
    if (constant_of(a, &text, &n))
        return compare_constant(e, mirrored(op), b, text, n, out);
    s = order(e, all, count, keys, &prototype);
    if (s != LUN_OK)
        return s;
    s = lun_apply(e, op, keys, 2, out);
    lun_release(keys[0]);
    lun_release(keys[1]);
    lun_release(prototype);
    return s;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Gives the array that target shows a pool of its own to add to. */
static lun_status own_pool(lun_engine *e, lun_array *base)
{
    lun_text_pool *t;
    if (base->texts && !lun__text_pool_frozen(base->texts) && lun__text_pool_distinct(base->texts))
        return LUN_OK;
    lun_status s =
        base->texts ? lun__text_pool_copy(e, base->texts, &t) : lun__text_pool_new(e, &t);
    if (s != LUN_OK)
        return s;
    lun__text_pool_release(base->texts);
    base->texts = t;
    return LUN_OK;
}

/* The codes of base have room for all of its pool. */
static lun_status widen(lun_engine *e, lun_array *base)
{
    const lun_dtype t = lun__text_array_codes(lun__text_pool_count(base->texts));
    lun_node *wide;
    if (lun__dtype_get(t)->bytes <= lun__dtype_get((lun_dtype)base->node->dtype)->bytes)
        return LUN_OK;
    lun_status s = lun__convert(e, base->node, t, &wide);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, base->node);
    base->node = wide;
    return LUN_OK;
}

static lun_status adopt(lun_engine *e, lun_array *target, lun_array *source, lun_array **slots,
                        lun_array **valid)
{
    lun_array *base = lun__array_base(target);
    lun_status s = lun__validity_parts(e, source, false, slots, valid);
    if (s != LUN_OK)
        return s;
    if (lun__text_array_pool(source) != base->texts) {
        s = own_pool(e, base);
        if (s == LUN_OK)
            s = move_to(e, lun__text_array_pool(source), base->texts, slots);
    }
    if (s == LUN_OK)
        s = widen(e, base);
    if (s != LUN_OK) {
        lun_release(*slots);
        lun_release(*valid);
    }
    return s;
}

lun_status lun_text_set(lun_engine *e, lun_array *a, int64_t index, lun_string x)
{
    LUN_NEED(e, x.data && x.length >= 0);
    uint32_t code = 0;
    lun_status s = lun__text_array_check(e, a);
    if (s == LUN_OK && !lun__utf8_valid(x.data, x.length))
        s = lun__fail(e, LUN_EARG, "element " LUN_NTH_LONG " is not UTF-8 text", (long long)index);
    if (s == LUN_OK)
        s = own_pool(e, lun__array_base(a));
    if (s == LUN_OK)
        s = lun__text_pool_add(e, lun__array_base(a)->texts, x.data, x.length, &code);
    if (s == LUN_OK)
        s = widen(e, lun__array_base(a));
    return s == LUN_OK ? lun__write_slot(e, a, index, &code) : s;
}

static lun_status cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    (void)t;
    (void)out;
    return lun__array_refuse_logical(e, a);
}

const lun_logical_kind lun__text_kind = {
    .alike = alike, .order = order, .adopt = adopt, .cast = cast, .compute = compare};
