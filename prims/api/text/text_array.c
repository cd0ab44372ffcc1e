/* text_array.c - arrays of dtype text: made of strings, read, their codes and levels.
 *
 * Invariant: a text array is an unsigned array of codes, the pool that they count in, and a
 * validity or none, as arrays of other dtypes: where that is false the code is 0, and nowhere
 * else. */
#include "api/text/text_array.h"

#include "base/sized.h"
#include "store/pool.h"

#include <stdlib.h>
#include <string.h>

lun_dtype lun__text_array_codes(int64_t most)
{
    return lun__dtype_integer(LUN_KIND_UNSIGNED, most <= UINT8_MAX    ? 1
                                                 : most <= UINT16_MAX ? 2
                                                                      : 4);
}

lun_status lun__text_array(lun_engine *e, lun_array *codes, lun_array *valid, lun_text_pool *t,
                           lun_array **out)
{
    lun_array *a, *none;
    lun_status s =
        valid ? lun_with_parts(e, codes, valid, &a) : lun_missing_parts(e, codes, &a, &none);
    if (s != LUN_OK)
        return s;
    a->logical = LUN_TEXT;
    a->texts = lun__text_pool_retain(t);
    *out = a;
    return LUN_OK;
}

lun_status lun__text_array_by_code(lun_engine *e, const void *table, int64_t n, lun_dtype t,
                                   lun_array *codes, lun_array **out)
{
    lun_array *results;
    lun_status s = lun_vector(e, table, n + 1, t, &results);
    if (s != LUN_OK)
        return s;
    s = lun_take(e, results, codes, 0, NULL, out);
    lun_release(results);
    return s;
}

/* Comparisons of codes with those of one truth, joined: true where a code is one of them, if they
 * are the true ones. */
static lun_status compare_codes(lun_engine *e, const int64_t *which, int count, bool truth,
                                lun_array *codes, lun_array **out)
{
    lun_array *all = NULL;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < (count ? count : 1); k++) {
        lun_array *number = NULL, *one = NULL, *both = NULL;
        s = lun_integer(e, count ? which[k] : -1, &number); /* -1 is no code */
        if (s == LUN_OK)
            s = lun_apply(e, truth ? LUN_OP_EQ : LUN_OP_NE, (lun_array *[]){codes, number}, 2,
                          &one);
        if (s == LUN_OK && all)
            s = lun_apply(e, truth ? LUN_OP_LOR : LUN_OP_LAND, (lun_array *[]){all, one}, 2, &both);
        lun_release(number);
        if (both || s != LUN_OK) {
            lun_release(one);
            lun_release(all);
            all = both;
        } else {
            all = one;
        }
    }
    *out = all;
    return s;
}

lun_status lun__text_array_mask(lun_engine *e, const bool *truths, int64_t n, lun_array *codes,
                                lun_array **out)
{
    enum { FEW = 4 }; /* comparisons that cost less than a look-up */
    int64_t which[2][FEW], count[2] = {0, 0};
    for (int64_t k = 0; k <= n; k++) {
        if (count[truths[k]] < FEW)
            which[truths[k]][count[truths[k]]] = k;
        count[truths[k]]++;
    }
    const bool fewer = count[true] <= count[false];
    if (count[fewer] > FEW)
        return lun__text_array_by_code(e, truths, n, LUN_BOOL, codes, out);
    return compare_codes(e, which[fewer], (int)count[fewer], fewer, codes, out);
}

lun_status lun__text_array_recoded(lun_engine *e, const uint32_t *to, int64_t n, int64_t most,
                                   lun_array *codes, lun_array **out)
{
    const lun_dtype t = lun__text_array_codes(most);
    const int size = lun__dtype_get(t)->bytes;
    char *table = malloc((size_t)(n + 1) * (size_t)size);
    if (!table)
        return lun__fail_nomem(e);
    for (int64_t k = 0; k <= n; k++)
        memcpy(table + k * size, &to[k], (size_t)size);
    lun_status s = lun__text_array_by_code(e, table, n, t, codes, out);
    free(table);
    return s;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Text k of n, whose code goes to *code; 0: it is missing. */
static lun_status encode(lun_engine *e, lun_text_pool *t, const lun_string *s, int64_t k,
                         uint32_t *code)
{
    *code = 0;
    if (!s->data)
        return LUN_OK;
    if (s->length < 0 || !lun__utf8_valid(s->data, s->length))
        return lun__fail(e, LUN_EARG, "element " LUN_NTH_LONG " is not UTF-8 text", (long long)k);
    return lun__text_pool_add(e, t, s->data, s->length, code);
}

/* The codes of n strings, and whether some are missing. */
static lun_status encode_all(lun_engine *e, lun_text_pool *t, const lun_string *s, int64_t n,
                             uint32_t *codes, bool *gaps)
{
    lun_status status = LUN_OK;
    for (int64_t k = 0; status == LUN_OK && k < n; k++) {
        status = encode(e, t, &s[k], k, &codes[k]);
        *gaps = *gaps || !codes[k];
    }
    return status;
}

/* The array of codes in a shape, with a validity if there are gaps. */
static lun_status of_codes(lun_engine *e, lun_array *wide, bool gaps, lun_text_pool *t, int rank,
                           const int64_t *shape, lun_array **out)
{
    lun_array *narrow = NULL, *shaped = NULL, *valid = NULL, *zero = NULL;
    lun_status s = lun_cast(e, wide, lun__text_array_codes(lun__text_pool_count(t)), &narrow);
    if (s == LUN_OK)
        s = lun_reshape(e, narrow, rank, shape, &shaped);
    if (s == LUN_OK && gaps)
        s = lun_integer(e, 0, &zero);
    if (s == LUN_OK && gaps)
        s = lun_ne(e, shaped, zero, &valid);
    if (s == LUN_OK && lun_size(shaped) > 1)
        s = lun_eval(e, (lun_array *[]){shaped, valid}, gaps ? 2 : 1);
    if (s == LUN_OK)
        s = lun__text_array(e, shaped, valid, t, out);
    if (s == LUN_OK)
        (*out)->made = 1;
    lun_array *all[] = {narrow, shaped, valid, zero};
    for (int k = 0; k < 4; k++)
        lun_release(all[k]);
    return s;
}

/* From so many values on what is there to add more is given back. */
enum { MANY = 100000 };

lun_status lun_text_tensor(lun_engine *e, const lun_string *s, int rank, const int64_t *shape,
                           lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_blank *blank = NULL;
    lun_array *wide = NULL;
    lun_text_pool *t = NULL;
    void *codes;
    bool gaps = false;
    int64_t n = 1;
    for (int k = 0; k < rank; k++)
        n *= shape[k];
    lun_status status = lun__text_pool_new(e, &t);
    if (status == LUN_OK)
        status = lun_blank_new(e, n, (int)sizeof(uint32_t), &blank, &codes);
    if (status == LUN_OK)
        status = encode_all(e, t, s, n, codes, &gaps);
    if (status == LUN_OK && lun__text_pool_count(t) > MANY)
        lun__text_pool_trim(t);
    lun__pool_press(e->pool, lun__text_pool_bytes(t));
    if (status == LUN_OK) {
        status = lun_blank_vector(e, blank, lun__dtype_integer(LUN_KIND_UNSIGNED, 4), &wide);
        blank = status == LUN_OK ? NULL : blank;
    }
    if (status == LUN_OK)
        status = of_codes(e, wide, gaps, t, rank, shape, out);
    if (blank)
        lun_blank_drop(e, blank);
    lun_release(wide);
    lun__text_pool_release(t);
    return status;
}

lun_status lun_text(lun_engine *e, const lun_string *s, int64_t n, lun_array **out)
{
    LUN_NEED(e, out && n >= 0 && (s || !n));
    return lun_text_tensor(e, s, 1, &n, out);
}

lun_status lun_text_of_codes(lun_engine *e, lun_array *codes, lun_array *valid,
                             lun_text_made *values, lun_array **out)
{
    LUN_NEED(e, codes && LUN_HAS(values, distinct) && out);
    lun_text_pool *t;
    lun_status s = lun__text_pool_of(e, values, &t);
    if (s != LUN_OK)
        return s;
    lun__pool_press(e->pool, lun__text_pool_bytes(t));
    s = lun__text_array(e, codes, valid, t, out);
    if (s == LUN_OK)
        (*out)->made = 1;
    lun__text_pool_release(t);
    return s;
}

/* ---- reading --------------------------------------------------------------------------------- */

lun_status lun__text_array_check(lun_engine *e, lun_array *a)
{
    char text[96];
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && lun__array_logical(a) != LUN_TEXT)
        s = lun__fail(e, LUN_EDTYPE, "text expected, got %s", lun__array_describe(a, text));
    return s;
}

lun_status lun_text_read(lun_engine *e, lun_array *a, int64_t first, int64_t n, lun_string *s)
{
    LUN_NEED(e, s || !n);
    lun_array *codes, *valid;
    lun_status status = lun__text_array_check(e, a);
    if (status == LUN_OK)
        status = lun__validity_parts(e, a, false, &codes, &valid);
    if (status != LUN_OK)
        return status;
    const int size = lun__dtype_get(lun_dtype_of(codes))->bytes;
    const lun_text_pool *t = lun__text_array_pool(a);
    char *room = (char *)s; /* the codes go to the end of the strings' own memory */
    char *at = n > 0 ? room + n * (int64_t)(sizeof *s - (size_t)size) : room;
    status = lun_read(e, codes, at, first, n);
    for (int64_t k = 0; status == LUN_OK && k < n; k++) {
        uint32_t code = 0;
        memcpy(&code, at + k * size, (size_t)size);
        s[k] = (lun_string){NULL, 0};
        if (code)
            s[k].data = lun__text_pool_at(t, code, &s[k].length);
    }
    lun_release(codes);
    lun_release(valid);
    return status;
}

/* Which codes are used, in used[0 .. n]. */
static lun_status mark_used(lun_engine *e, lun_array *codes, int64_t n, bool *used)
{
    enum { PIECE = 50000 };
    const int size = lun__dtype_get(lun_dtype_of(codes))->bytes;
    const int64_t all = lun_size(codes);
    char *piece = malloc((size_t)PIECE * (size_t)size);
    lun_status s = piece ? lun_eval(e, &codes, 1) : lun__fail_nomem(e);
    memset(used, 0, (size_t)n + 1);
    for (int64_t at = 0, some; s == LUN_OK && at < all; at += some) {
        some = all - at < PIECE ? all - at : PIECE;
        s = lun_read(e, codes, piece, at, some);
        for (int64_t k = 0; s == LUN_OK && k < some; k++) {
            uint32_t code = 0;
            memcpy(&code, piece + k * size, (size_t)size);
            used[code] = true;
        }
    }
    free(piece);
    return s;
}

/* A pool of the used values in order, and each code's number there. */
static lun_status used_levels(lun_engine *e, lun_text_pool *t, const bool *used, uint32_t *to,
                              lun_text_pool **out)
{
    const uint32_t *rank;
    const int64_t n = lun__text_pool_count(t);
    lun_text_pool *levels = NULL, *made = NULL;
    lun_status s = lun__text_order_ranks(e, t, &rank, &levels);
    const int64_t m = s == LUN_OK ? lun__text_pool_count(levels) : 0;
    uint32_t *number = calloc((size_t)m + 1, sizeof *number);
    if (s == LUN_OK)
        s = number ? lun__text_pool_new(e, &made) : lun__fail_nomem(e);
    for (int64_t k = 1; s == LUN_OK && k <= n; k++)
        if (used[k])
            number[rank[k]] = 1;
    for (int64_t k = 1; s == LUN_OK && k <= m; k++) {
        int64_t length;
        if (!number[k])
            continue;
        const char *text = lun__text_pool_at(levels, (uint32_t)k, &length);
        s = lun__text_pool_add(e, made, text, length, &number[k]);
    }
    for (int64_t k = 0; s == LUN_OK && k <= n; k++)
        to[k] = k && used[k] ? number[rank[k]] : 0;
    free(number);
    if (s == LUN_OK)
        *out = made;
    else
        lun__text_pool_release(made);
    return s;
}

/* All values of a pool, 1 to its count, as a text array. */
static lun_status all_values(lun_engine *e, lun_text_pool *t, lun_array **out)
{
    const int64_t n = lun__text_pool_count(t);
    lun_array *codes = NULL;
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    lun_status s = lun_range(e, one, one, n, lun__text_array_codes(n), &codes);
    if (s == LUN_OK)
        s = lun_eval(e, &codes, 1);
    if (s == LUN_OK)
        s = lun__text_array(e, codes, NULL, t, out);
    lun_release(codes);
    return s;
}

lun_status lun_text_codes(lun_engine *e, lun_array *a, lun_array **codes, lun_array **levels)
{
    LUN_NEED(e, codes && levels);
    lun_array *slots, *valid, *of = NULL, *narrow = NULL, *values = NULL;
    lun_text_pool *made = NULL;
    lun_status s = lun__text_array_check(e, a);
    if (s == LUN_OK)
        s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    lun_release(valid);
    const int64_t n = lun__text_pool_count(lun__text_array_pool(a));
    bool *used = malloc((size_t)n + 1);
    uint32_t *to = malloc(((size_t)n + 1) * sizeof *to);
    s = used && to ? mark_used(e, slots, n, used) : lun__fail_nomem(e);
    if (s == LUN_OK && n)
        s = used_levels(e, lun__text_array_pool(a), used, to, &made);
    else if (s == LUN_OK)
        to[0] = 0;
    if (s == LUN_OK)
        s = lun__text_array_recoded(e, to, n, lun__text_pool_count(made), slots, &narrow);
    if (s == LUN_OK)
        s = lun_cast(e, narrow, lun__dtype_integer(LUN_KIND_UNSIGNED, 4), &of);
    if (s == LUN_OK)
        s = all_values(e, made, &values);
    free(used);
    free(to);
    lun__text_pool_release(made);
    lun_release(slots);
    lun_release(narrow);
    if (s != LUN_OK) {
        lun_release(of);
        return s;
    }
    *codes = of;
    *levels = values;
    return LUN_OK;
}
