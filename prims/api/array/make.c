/* make.c - arrays from nothing: copied or wrapped memory, numbers, and virtual arrays, which are
 * expressions over the index and take no memory until the first write. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "store/export.h"

lun_status lun__make_wrapped(lun_engine *e, void *data, int64_t n, int rank, const int64_t *shape,
                             lun_dtype t, void (*release)(void *data, void *ctx), void *ctx,
                             lun_array **out)
{
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    int size = lun__dtype_get(t)->bytes;
    if (n < 0)
        return lun__fail(e, LUN_EARG, "the length is negative: %lld", (long long)n);
    if (n && !data)
        return lun__fail(e, LUN_EARG, "the data of %lld elements is missing (NULL)", (long long)n);
    if (n > PTRDIFF_MAX / size)
        return lun__fail(e, LUN_ERANGE, "%lld elements of %s are more than can be addressed",
                         (long long)n, lun_dtype_name(t));
    if ((uintptr_t)data % (uintptr_t)size)
        return lun__fail(e, LUN_EARG, "data must be aligned to %d bytes, the size of a %s", size,
                         lun_dtype_name(t));
    lun_storage *s = lun__storage_object(e);
    lun_node *leaf;
    if (!s)
        return lun__fail_nomem(e);
    *s = (lun_storage){
        .refs = 1, .dtype = t, .count = n, .room = n, .data = data, .wrapped = true, .ctx = ctx};
    lun_status status = lun__node_leaf(e, s, 0, rank, shape, &leaf);
    lun__storage_release(e, s);
    if (status == LUN_OK)
        status = lun__array(e, leaf, true, out);
    if (status != LUN_OK)
        return status;
    s->release = release; /* set last: after a failure the memory is still the caller's */
    (*out)->wraps = 1;
    return LUN_OK;
}

lun_status lun__make_imported(lun_engine *e, const void *data, int64_t n, lun_dtype t,
                              void (*release)(void *data, void *ctx), void *ctx, lun_array **out)
{
    lun_array *a;
    lun_status s = lun__make_wrapped(e, (void *)(uintptr_t)data, n, 1, &n, t, release, ctx, &a);
    if (s != LUN_OK)
        return s;
    a->wraps = 0; /* so a write goes to a copy */
    a->node->storage->constant = true;
    *out = a;
    return LUN_OK;
}

lun_status lun_wrap(lun_engine *e, void *data, int64_t n, lun_dtype t,
                    void (*release)(void *data, void *ctx), void *ctx, lun_array **out)
{
    LUN_NEED(e, out);
    return lun__make_wrapped(e, data, n, 1, &n, t, release, ctx, out);
}

lun_status lun_tensor(lun_engine *e, const void *data, int rank, const int64_t *shape, lun_dtype t,
                      lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_storage *s;
    lun_node *leaf;
    int64_t n = 1;
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX)
        return e->kinds[LUN_KIND_COMPLEX]->tensor(e, data, rank, shape, t, out);
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    lun_status status = lun__shape_check(e, rank, shape);
    lun__exports_collect(e);
    for (int i = 0; status == LUN_OK && i < rank; i++)
        n *= shape[i];
    if (status == LUN_OK)
        status = lun__storage_new(e, t, n, &s);
    if (status != LUN_OK)
        return status;
    size_t bytes = (size_t)n * lun__dtype_get(t)->bytes;
    if (data && bytes)
        memcpy(s->data, data, bytes);
    else
        memset(s->data, 0, bytes);
    status = lun__node_leaf(e, s, 0, rank, shape, &leaf);
    lun__storage_release(e, s);
    return status == LUN_OK ? lun__array(e, leaf, true, out) : status;
}

lun_status lun_vector(lun_engine *e, const void *data, int64_t n, lun_dtype t, lun_array **out)
{
    return lun_tensor(e, data, 1, &n, t, out);
}

static lun_status weak(lun_engine *e, lun_value v, lun_array **out)
{
    lun_array *a = NULL;
    lun_status s = lun__array(e, NULL, false, &a);
    if (s != LUN_OK)
        return s;
    a->weak = 1;
    a->number = v;
    *out = a;
    return LUN_OK;
}

lun_status lun_number(lun_engine *e, double x, lun_array **out)
{
    LUN_NEED(e, out);
    return weak(e, (lun_value){.dtype = LUN_F64, .as.d = x}, out);
}

lun_status lun_integer(lun_engine *e, int64_t x, lun_array **out)
{
    LUN_NEED(e, out);
    return weak(e, (lun_value){.dtype = LUN_I64, .as.i = x}, out);
}

lun_status lun_boolean(lun_engine *e, bool x, lun_array **out)
{
    LUN_NEED(e, out);
    return weak(e, (lun_value){.dtype = LUN_BOOL, .as.u = x}, out);
}

lun_status lun_full(lun_engine *e, int rank, const int64_t *shape, lun_dtype t, lun_value x,
                    lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_node *c, *n;
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX)
        return e->kinds[LUN_KIND_COMPLEX]->full(e, rank, shape, t, x, out);
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    if (lun__dtype_is_bool(t) && lun__dtype_is_index(x.dtype) && (x.as.i == 0 || x.as.i == 1))
        x.dtype = LUN_BOOL; /* ones and zeros of truth values */
    lun_status s = lun__shape_check(e, rank, shape);
    if (s == LUN_OK)
        s = lun__array_constant(e, t, x, &c);
    if (s != LUN_OK)
        return s;
    s = lun__node_number(e, t, c->cell, rank, shape, &n);
    lun__node_release(e, c);
    return s == LUN_OK ? lun__array(e, n, true, out) : s;
}

/* ---- virtual arrays -------------------------------------------------------------------------- */

/* A step of a chain: takes the node so far and gives the next; NULL after a failure. */
static lun_node *step(lun_engine *e, lun_op op, lun_node *a, lun_node *b)
{
    lun_node *out = NULL;
    if (lun__elementwise_op2(e, op, a, b, &out) != LUN_OK)
        return NULL;
    out->is |= LUN_IS_SOURCE;
    return out;
}

static lun_node *cast(lun_engine *e, lun_node *a, lun_dtype t)
{
    lun_node *out = NULL;
    if (!a)
        return NULL;
    if (lun__convert(e, a, t, &out) != LUN_OK)
        out = NULL;
    else if (out != a)
        out->is |= LUN_IS_SOURCE;
    lun__node_release(e, a);
    return out;
}

static lun_node *constant(lun_engine *e, lun_dtype t, double x)
{
    lun_node *out = NULL;
    return lun__typed_number(e, t, x, &out) == LUN_OK ? out : NULL;
}

static lun_node *integer(lun_engine *e, int64_t x)
{
    lun_node *out = NULL;
    return lun__node_number(e, LUN_I64, (uint64_t)x, 0, NULL, &out) == LUN_OK ? out : NULL;
}

static lun_node *index_of(lun_engine *e, int64_t n)
{
    lun_node *out = NULL;
    return lun__node_index(e, n, &out) == LUN_OK ? out : NULL;
}

static lun_status made(lun_engine *e, lun_node *n, lun_array **out)
{
    if (n)
        return lun__array(e, n, true, out);
    return e->error_status == LUN_ELIMIT ? LUN_ELIMIT : LUN_ENOMEM; /* a step has said why */
}

lun_status lun_range(lun_engine *e, lun_value first, lun_value by, int64_t n, lun_dtype t,
                     lun_array **out)
{
    LUN_NEED(e, out);
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    if (n < 0)
        return lun__fail(e, LUN_ERANGE, "the length is negative: %lld", (long long)n);
    lun_status given = lun__shape_check(e, 1, &n);
    if (given == LUN_OK)
        given = lun__fail_check_value(e, first);
    if (given == LUN_OK)
        given = lun__fail_check_value(e, by);
    if (given != LUN_OK)
        return given;
    lun_node *i = index_of(e, n);
    if (!lun__dtype_value_is_float(first) && !lun__dtype_value_is_float(by)) {
        if (by.as.i != 1)
            i = step(e, LUN_OP_MUL, i, integer(e, by.as.i));
        if (first.as.i != 0)
            i = step(e, LUN_OP_ADD, i, integer(e, first.as.i));
        if (lun__dtype_value_is_unsigned(first))
            i = cast(e, i, LUN_U64);
    } else {
        double a = lun__dtype_value_double(first), d = lun__dtype_value_double(by);
        i = step(e, LUN_OP_MUL, cast(e, i, LUN_F64), constant(e, LUN_F64, d));
        i = step(e, LUN_OP_ADD, i, constant(e, LUN_F64, a));
    }
    return made(e, cast(e, i, t), out);
}

lun_status lun_linspace(lun_engine *e, double a, double b, int64_t n, lun_dtype t, lun_array **out)
{
    LUN_NEED(e, out);
    if (!((unsigned)t < LUN_DTYPE_COUNT) || !lun__dtype_is_float(t))
        return lun__fail(e, LUN_EDTYPE, "linspace needs a float dtype");
    if (n < 0)
        return lun__fail(e, LUN_ERANGE, "the length is negative: %lld", (long long)n);
    if (lun__shape_check(e, 1, &n) != LUN_OK)
        return LUN_ERANGE;
    double scale = isfinite(a) && isfinite(b) && !isfinite(b - a) ? 0.5 : 1; /* of what is summed */
    double d = n > 1 ? (b * scale - a * scale) / (double)(n - 1) : 0;
    lun_node *x = step(e, LUN_OP_MUL, cast(e, index_of(e, n), LUN_F64), constant(e, LUN_F64, d));
    x = step(e, LUN_OP_ADD, x, constant(e, LUN_F64, a * scale));
    if (scale < 1)
        x = step(e, LUN_OP_MUL, x, constant(e, LUN_F64, 1 / scale));
    if (x && n > 1) { /* the last element is exactly b */
        lun_node *end = step(e, LUN_OP_EQ, index_of(e, n), integer(e, n - 1));
        lun_node *in[3] = {end, constant(e, LUN_F64, b), x};
        lun_node *y = NULL;
        if (in[0] && in[1] && lun__elementwise_op(e, LUN_OP_WHERE, in, &y) == LUN_OK)
            y->is |= LUN_IS_SOURCE;
        for (int k = 0; k < 3; k++)
            lun__node_release(e, in[k]);
        x = y;
    }
    return made(e, cast(e, x, t), out);
}

/* Philox bits of the elements with these numbers. */
static lun_node *bits(lun_engine *e, uint64_t seed, lun_node *index, lun_dtype t)
{
    lun_node *key = NULL, *out = NULL;
    if (index && lun__node_number(e, LUN_U64, seed, 0, NULL, &key) == LUN_OK &&
        lun__node_random(e, key, index, t, &out) != LUN_OK)
        out = NULL;
    lun__node_release(e, key);
    lun__node_release(e, index);
    return out;
}

/* The unsigned word whose top bits make a float with so many bits. */
static lun_dtype word_for(int bits)
{
    return lun__dtype_integer(LUN_KIND_UNSIGNED, bits <= 32 ? 4 : 8);
}

/* The top `keep` bits of an unsigned word as a float of dtype t in [0, 1), or in (0, 1] if open. */
static lun_node *fraction(lun_engine *e, lun_node *word, int keep, lun_dtype t, bool open)
{
    if (!word)
        return NULL;
    lun_dtype u = (lun_dtype)word->dtype;
    lun_dtype i = lun__dtype_integer(LUN_KIND_SIGNED, lun__dtype_get(u)->bytes);
    lun_node *x = step(e, LUN_OP_SHR, word, constant(e, u, lun__dtype_bits(u) - keep));
    x = cast(e, x, i);
    if (open)
        x = step(e, LUN_OP_ADD, x, constant(e, i, 1));
    return step(e, LUN_OP_MUL, cast(e, x, t), constant(e, t, ldexp(1, -keep)));
}

/* In the dtype in which t is computed, with as many bits as t keeps. */
static lun_node *uniform(lun_engine *e, uint64_t seed, int64_t n, lun_dtype t)
{
    int keep = lun__dtype_precision(t);
    return fraction(e, bits(e, seed, index_of(e, n), word_for(keep)), keep,
                    (lun_dtype)lun__dtype_get(t)->compute, false);
}

/* Box and Muller 1958: sqrt(-2 ln u1) cos(pi 2 u2), in the dtype in which t is computed.
 * In f32 u1 and u2 come from the low and high word of the 64-bit draw k, in f64 from the
 * draws 2k and 2k+1. */
static lun_node *normal(lun_engine *e, uint64_t seed, int64_t n, lun_dtype t)
{
    lun_dtype c = (lun_dtype)lun__dtype_get(t)->compute;
    int keep = lun__dtype_precision(c);
    lun_dtype word = word_for(keep);
    lun_node *u1, *u2;
    if (lun__dtype_bits(word) < 64) {
        u1 = cast(e, bits(e, seed, index_of(e, n), LUN_U64), word);
        u2 = cast(
            e,
            step(e, LUN_OP_SHR, bits(e, seed, index_of(e, n), LUN_U64), constant(e, LUN_U64, 32)),
            word);
    } else {
        lun_node *even = step(e, LUN_OP_MUL, index_of(e, n), integer(e, 2));
        lun_node *odd = even ? step(e, LUN_OP_ADD, lun__node_retain(even), integer(e, 1)) : NULL;
        u1 = bits(e, seed, even, word);
        u2 = bits(e, seed, odd, word);
    }
    u1 = fraction(e, u1, keep, c, true);
    u2 = fraction(e, u2, keep, c, false);
    lun_node *r = step(e, LUN_OP_MUL, step(e, LUN_OP_LOG, u1, NULL), constant(e, c, -2));
    lun_node *halves = step(e, LUN_OP_MUL, u2, constant(e, c, 2)); /* of a turn: exact */
    return step(e, LUN_OP_MUL, step(e, LUN_OP_SQRT, r, NULL), step(e, LUN_OP_COSPI, halves, NULL));
}

lun_status lun_random(lun_engine *e, int rank, const int64_t *shape, uint64_t seed, lun_dist dist,
                      lun_dtype t, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    if (dist != LUN_UNIFORM && dist != LUN_NORMAL)
        return lun__fail(e, LUN_EARG, "no such distribution: %d", (int)dist);
    lun_status s = lun__shape_check(e, rank, shape);
    int64_t n = 1;
    if (s != LUN_OK)
        return s;
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    lun_node *x;
    if (lun__dtype_is_float(t)) {
        x = dist == LUN_NORMAL ? normal(e, seed, n, t) : uniform(e, seed, n, t);
    } else if (dist == LUN_UNIFORM && lun__dtype_bits(t) >= 32) {
        x = bits(e, seed, index_of(e, n), word_for(lun__dtype_bits(t)));
    } else {
        return lun__fail(
            e, LUN_EDTYPE,
            "random numbers need a float dtype; uniform ones may also be i32, u32, i64 or u64");
    }
    x = cast(e, x, t);
    if (x && rank != 1) {
        lun_node *r = NULL;
        s = lun__view_node_reshape(e, x, rank, shape, &r);
        lun__node_release(e, x);
        x = s == LUN_OK ? r : NULL;
    }
    return made(e, x, out);
}
