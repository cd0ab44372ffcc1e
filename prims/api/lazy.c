/* lazy.c - mean, variance, norm and positions as expressions: Scalars that share passes with
 * others.  Each has the bits of the number that total.c computes of the same node. */
#include <math.h>

#include "api/lazy.h"

typedef struct builder {
    lun_engine *e;
    lun_node *made[64];
    int count;
    lun_status status;
} builder;

/* Each of these gives a node that the builder holds; NULL after a failure, also with a NULL. */
static lun_node *hold(builder *b, lun_status s, lun_node *n)
{
    b->status = s;
    return s == LUN_OK ? b->made[b->count++] = n : NULL;
}

static lun_node *op(builder *b, lun_op o, lun_node *x, lun_node *y, lun_node *z)
{
    lun_node *in[3] = {x, y, z}, *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    lun_status s = lun__op(b->e, o, in, &n);
    return hold(b, s, n);
}

static lun_node *number(builder *b, double x)
{
    lun_node *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    lun_status s = lun__number(b->e, LUN_F64, x, &n);
    return hold(b, s, n);
}

static lun_node *as_f64(builder *b, lun_node *a)
{
    lun_node *n = NULL;
    lun_status s = lun__cast(b->e, a, LUN_F64, &n);
    return hold(b, s, n);
}

static lun_node *reduce(builder *b, lun_op o, lun_node *x, lun_dtype t)
{
    lun_node *n = NULL;
    if (b->status != LUN_OK)
        return NULL;
    lun_status s = lun__node_reduce(b->e, o, NULL, NULL, x, NULL, t, &n);
    return hold(b, s, n);
}

static lun_node *sum(builder *b, lun_node *x)
{
    return reduce(b, LUN_OP_ADD, x, LUN_F64);
}

/* *out: a reference to n, which the builder may hold; releases what it holds. */
static lun_status finish(builder *b, lun_node *n, lun_node **out)
{
    if (b->status == LUN_OK)
        *out = lun__node_retain(n);
    while (b->count)
        lun__node_release(b->e, b->made[--b->count]);
    return b->status;
}

/* The mean of x, as f64 from dtype t; where the sum may overflow, of x times 2^-64 beside. */
static lun_node *mean_of(builder *b, lun_node *x, lun_dtype t, lun_node *n)
{
    lun_node *mean = op(b, LUN_OP_DIV, sum(b, x), n, NULL);
    if (!lun__dtype_is_float(t) || lun__dtype_get(t)->bytes < (int)sizeof(double))
        return mean;
    lun_node *small = op(b, LUN_OP_MUL, x, number(b, 0x1p-64), NULL);
    lun_node *scaled = op(b, LUN_OP_DIV, sum(b, small), n, NULL);
    scaled = op(b, LUN_OP_MUL, scaled, number(b, 0x1p64), NULL);
    return op(b, LUN_OP_WHERE, op(b, LUN_OP_ISFINITE, mean, NULL, NULL), mean, scaled);
}

/* The sum of squared deviations of x from its mean, of the differences to a Scalar near that. */
static lun_node *squares(builder *b, lun_node *x, lun_node *shift, lun_node *n)
{
    lun_node *d = op(b, LUN_OP_SUB, x, shift, NULL), *zero = number(b, 0);
    lun_node *s1 = sum(b, d), *s2 = sum(b, op(b, LUN_OP_MUL, d, d, NULL));
    lun_node *lost = op(b, LUN_OP_MUL, s1, op(b, LUN_OP_DIV, s1, n, NULL), NULL);
    lun_node *m2 = op(b, LUN_OP_SUB, s2, lost, NULL);
    return op(b, LUN_OP_WHERE, op(b, LUN_OP_LT, m2, zero, NULL), zero, m2);
}

/* Whether squares by a shift that is `off` away from the mean have lost digits, as in total.c. */
static lun_node *rough(builder *b, lun_node *m2, lun_node *mean, lun_node *off, lun_node *n)
{
    lun_node *known = op(b, LUN_OP_ISFINITE, mean, NULL, NULL);
    lun_node *away = op(b, LUN_OP_NE, off, number(b, 0), NULL);
    lun_node *wide = op(b, LUN_OP_MUL, op(b, LUN_OP_MUL, off, off, NULL), n, NULL);
    lun_node *lost = op(b, LUN_OP_GT, wide, op(b, LUN_OP_MUL, number(b, 1e4), m2, NULL), NULL);
    lun_node *finite = op(b, LUN_OP_ISFINITE, m2, NULL, NULL);
    lun_node *bad = op(b, LUN_OP_LOR, op(b, LUN_OP_LNOT, finite, NULL, NULL), lost, NULL);
    return op(b, LUN_OP_LAND, op(b, LUN_OP_LAND, known, away, NULL), bad, NULL);
}

static lun_node *variance(builder *b, lun_node *x, lun_node *a, double shift, double ddof)
{
    double count = (double)a->n;
    lun_node *n = number(b, count), *k = number(b, shift);
    lun_node *mean = mean_of(b, x, (lun_dtype)a->dtype, n);
    lun_node *m2 = squares(b, x, k, n);
    lun_node *off = op(b, LUN_OP_SUB, mean, k, NULL);
    m2 = op(b, LUN_OP_WHERE, rough(b, m2, mean, off, n), squares(b, x, mean, n), m2);
    return op(b, LUN_OP_DIV, m2, number(b, count - ddof), NULL);
}

lun_status lun__moment_node(lun_engine *e, lun_reduction r, lun_node *a, double shift, int64_t ddof,
                            lun_node **out)
{
    builder b = {.e = e};
    lun_node *x = as_f64(&b, a), *n = NULL;
    if (r == LUN_MEAN)
        n = mean_of(&b, x, (lun_dtype)a->dtype, number(&b, (double)a->n));
    else if (r == LUN_NORM)
        n = sum(&b, op(&b, LUN_OP_MUL, x, x, NULL));
    else if ((double)a->n <= (double)ddof)
        n = number(&b, NAN);
    else
        n = variance(&b, x, a, shift, (double)ddof);
    if (r == LUN_STD || r == LUN_NORM)
        n = op(&b, LUN_OP_SQRT, n, NULL, NULL);
    return finish(&b, n, out);
}

lun_status lun__position_node(lun_engine *e, lun_node *a, lun_node *best, lun_node **out)
{
    builder b = {.e = e};
    lun_node *index = NULL, *none = NULL, *flat;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__node_index(e, a->n, &index);
    flat = hold(&b, s, index);
    lun__node_shape(a, shape);
    if (flat && a->rank > 1) {
        s = lun__node_reshape(e, flat, a->rank, shape, &index);
        index = hold(&b, s, index);
    }
    if (b.status == LUN_OK) {
        s = lun__node_number(e, LUN_I64, INT64_MAX, 0, NULL, &none);
        none = hold(&b, s, none);
    }
    lun_node *hit = op(&b, LUN_OP_EQ, a, best, NULL);
    if (lun__dtype_is_float((lun_dtype)a->dtype)) {
        lun_node *nan = op(&b, LUN_OP_ISNAN, a, NULL, NULL);
        nan = op(&b, LUN_OP_LAND, nan, op(&b, LUN_OP_ISNAN, best, NULL, NULL), NULL);
        hit = op(&b, LUN_OP_LOR, hit, nan, NULL);
    }
    lun_node *at = op(&b, LUN_OP_WHERE, hit, index, none);
    return finish(&b, reduce(&b, LUN_OP_MIN, at, LUN_I64), out);
}
