/* codes.c - rows by their codes: codes of keys, an aggregate for each code, the rows of each, its
 * elements in order. */
#include "api/data/grouping.h"

#include "lunarray_bind.h"

void lun__codes_handles_release(lun_handles *h)
{
    for (int i = 0; i < h->count; i++)
        if (h->at[i])
            lun_release(h->at[i]);
    h->count = 0;
}

lun_status lun__codes_op(lun_engine *e, lun_op op, lun_array *a, lun_array *b, lun_array **out)
{
    return lun_apply(e, op, (lun_array *[]){a, b}, 2, out);
}

lun_status lun__codes_with(lun_engine *e, lun_op op, lun_array *a, int64_t x, lun_array **out)
{
    lun_array *number = NULL;
    lun_status s = lun_integer(e, x, &number);
    if (s == LUN_OK)
        s = lun__codes_op(e, op, a, number, out);
    if (number)
        lun_release(number);
    return s;
}

/* first: the key that says how many rows there are. */
static lun_status check_key(lun_engine *e, const lun_array *key, const lun_array *first)
{
    char text[96], other[96];
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__array_present(e, key);
    if (s != LUN_OK)
        return s;
    if (key->weak || lun_shape(key, shape) != 1)
        return lun__fail(e, LUN_ESHAPE, "keys are Vectors, got %s",
                         key->weak ? "a number" : lun__array_describe(key, text));
    if (key != first && shape[0] != lun_length(first))
        return lun__fail(e, LUN_ESHAPE, "lengths differ: keys %s and %s",
                         lun__array_describe(first, other), lun__array_describe(key, text));
    return LUN_OK;
}

lun_status lun__codes_keys_check(lun_engine *e, lun_array *const *keys, int count, int64_t *rows)
{
    if (count < 1)
        return lun__fail(e, LUN_EARG, "no keys given");
    for (int k = 0; k < count; k++) {
        lun_status s = check_key(e, keys[k], keys[0]);
        if (s != LUN_OK) {
            e->error_operand = k + 1;
            return s;
        }
        *rows = lun_length(keys[k]);
    }
    return LUN_OK;
}

/* The codes of one key of which nothing is missing. */
static lun_status codes_of_slots(lun_engine *e, lun_array *key, lun_array **out, int64_t *groups)
{
    static const char *const notes[] = {"there are more groups than 2147483647"};
    const int64_t n = lun_length(key), length = n + 1;
    lun_node *in = NULL, *node = NULL;
    lun_array *all = NULL;
    lun_value last = {0};
    lun_status s = lun__array_node(e, key, LUN_DTYPE_COUNT, &in);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_GROUP, &in, 0, NULL, LUN_I32, 1, &length,
                                     notes, &node);
    lun__node_release(e, in);
    if (s == LUN_OK)
        s = lun__array(e, node, false, &all);
    if (s == LUN_OK)
        s = lun_get(e, all, n, &last);
    *groups = last.as.i;
    if (s == LUN_OK)
        s = lun_slice(e, all, 0, n, 1, out);
    if (all)
        lun_release(all);
    return s;
}

/* The codes of one key; what is missing has the last one. */
static lun_status codes_of(lun_engine *e, lun_array *key, lun_array **out, int64_t *groups)
{
    lun_array *slots, *valid, *codes = NULL, *last = NULL, *all = NULL;
    LUN_BY_ORDER(e, key, codes_of(e, ordered, out, groups))
    if (!lun_has_missing(key))
        return codes_of_slots(e, key, out, groups);
    lun_status s = lun_missing_parts(e, key, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = codes_of_slots(e, slots, &codes, groups);
    if (s == LUN_OK)
        s = lun_integer(e, *groups, &last);
    if (s == LUN_OK)
        s = lun_where(e, valid, codes, last, &all);
    if (s == LUN_OK) /* the code of slots of missing elements may be no longer used */
        s = codes_of_slots(e, all, out, groups);
    lun_array *used[] = {slots, valid, codes, last, all};
    for (int k = 0; k < 5; k++)
        lun_release(used[k]);
    return s;
}

/* The codes of pairs of codes, below `groups` and `more`. */
static lun_status joined(lun_engine *e, lun_array *a, int64_t groups, lun_array *b, int64_t more,
                         lun_array **out, int64_t *found)
{
    lun_handles h = {0};
    lun_array *wide = a;
    lun_status s = LUN_OK;
    if (more > 0 && groups > INT32_MAX / more) {
        s = lun_cast(e, a, LUN_I64, lun__grouping_handle(&h));
        wide = h.at[0];
    }
    lun_array **scaled = lun__grouping_handle(&h), **sum = lun__grouping_handle(&h);
    if (s == LUN_OK)
        s = lun__codes_with(e, LUN_OP_MUL, wide, more, scaled);
    if (s == LUN_OK)
        s = lun__codes_op(e, LUN_OP_ADD, *scaled, b, sum);
    if (s == LUN_OK)
        s = codes_of(e, *sum, out, found);
    lun__codes_handles_release(&h);
    return s;
}

lun_status lun__codes(lun_engine *e, lun_array *const *keys, int count, lun_array **out,
                      int64_t *groups)
{
    lun_array *all = NULL;
    lun_status s = codes_of(e, keys[0], &all, groups);
    for (int k = 1; s == LUN_OK && k < count; k++) {
        lun_array *one = NULL, *both = NULL;
        int64_t more = 0;
        s = codes_of(e, keys[k], &one, &more);
        if (s == LUN_OK)
            s = joined(e, all, *groups, one, more, &both, groups);
        lun_release(all);
        if (one)
            lun_release(one);
        all = both;
    }
    *out = all;
    return s;
}

lun_status lun__codes_aggregate(lun_engine *e, lun_array *codes, int64_t groups, unsigned which,
                                lun_array *x, lun_array *means, lun_dtype t, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK], segment = 1;
    const uint64_t option[] = {which, (uint64_t)groups};
    lun_array *const from[] = {codes, x, means ? means : codes};
    lun_node *in[3] = {NULL}, *n = NULL;
    const int rank = lun_shape(x, shape);
    lun_status s = LUN_OK;
    shape[0] = groups;
    for (int k = 1; k < rank; k++)
        segment *= shape[k];
    for (int k = 0; s == LUN_OK && k < 3; k++)
        s = lun__array_node(e, from[k], LUN_DTYPE_COUNT, &in[k]);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_AGGREGATE, in, rank > 1 ? segment : 0, option,
                                     t, rank, shape, NULL, &n);
    for (int k = 0; k < 3; k++)
        lun__node_release(e, in[k]);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

lun_status lun__codes_sorted(lun_engine *e, lun_array *codes, int64_t groups, lun_array *x,
                             lun_array **out)
{
    const int64_t rows = lun_length(x);
    const uint64_t option[] = {0, (uint64_t)groups};
    lun_node *in[2] = {NULL}, *n = NULL;
    lun_status s = lun__array_node(e, codes, LUN_DTYPE_COUNT, &in[0]);
    if (s == LUN_OK)
        s = lun__array_node(e, x, LUN_DTYPE_COUNT, &in[1]);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_ARRANGE, in, 0, option, lun_dtype_of(x), 1,
                                     &rows, NULL, &n);
    lun__node_release(e, in[0]);
    lun__node_release(e, in[1]);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

lun_status lun__codes_arranged(lun_engine *e, lun_array *codes, int64_t first, lun_array **out)
{
    return lun_argsort(e, codes, 0, 0, first, out);
}
