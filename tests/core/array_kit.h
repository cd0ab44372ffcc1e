/* array_kit.h - small arrays of f64 for tests of engine_kit.h's engine: made,
 * combined, read, released. */
#ifndef ARRAY_KIT_H
#define ARRAY_KIT_H

#include "engine_kit.h"

static inline lun_array *vector(const double *x, int64_t n)
{
    lun_array *a;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    return a;
}

static inline lun_array *binary(lun_op op, lun_array *a, lun_array *b)
{
    lun_array *in[2] = {a, b}, *out;
    OK(lun_apply(e, op, in, 2, &out));
    return out;
}

/* a op x */
static inline lun_array *with_number(lun_op op, lun_array *a, double x)
{
    lun_array *k, *out;
    OK(lun_number(e, x, &k));
    out = binary(op, a, k);
    lun_release(k);
    return out;
}

static inline double at(lun_array *a, int64_t i)
{
    lun_value v;
    OK(lun_get(e, a, i, &v));
    assert_int_equal(v.dtype, LUN_F64);
    return v.as.d;
}

static inline void release_all(lun_array **a, int n)
{
    while (n)
        lun_release(a[--n]);
}

#endif
