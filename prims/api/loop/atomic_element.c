/* atomic_element.c - the operations of table/atomics.def on one element, by the host, while no
 * kernel runs. */
#include "api/array/apply_function.h"
#include "api/array/elements.h"
#include "lunarray_bind.h"
#include "table/atomic.h"

const char *lun_atomic_name(int which)
{
    return which >= 0 && which < LUN_ATOMIC_COUNT ? lun__atomic_rows[which].name : NULL;
}

bool lun_atomic_expects(int which)
{
    return which >= 0 && which < LUN_ATOMIC_COUNT && lun__atomic_rows[which].expects;
}

static lun_value of_integers(lun_atomic which, lun_dtype t, lun_value a, lun_value x)
{
    const bool less = lun__dtype_is_signed(t) ? a.as.i < x.as.i : a.as.u < x.as.u;
    switch (which) {
    case LUN_ATOMIC_ADD:
        a.as.u += x.as.u;
        return a;
    case LUN_ATOMIC_SUB:
        a.as.u -= x.as.u;
        return a;
    case LUN_ATOMIC_MIN:
        return less ? a : x;
    case LUN_ATOMIC_MAX:
        return less ? x : a;
    case LUN_ATOMIC_BAND:
        a.as.u &= x.as.u;
        return a;
    case LUN_ATOMIC_BOR:
        a.as.u |= x.as.u;
        return a;
    case LUN_ATOMIC_BXOR:
        a.as.u ^= x.as.u;
        return a;
    default:
        return x;
    }
}

/* narrow: they are computed in f32. */
static lun_value of_floats(lun_atomic which, bool narrow, lun_value a, lun_value x)
{
    const double p = a.as.d, q = x.as.d;
    switch (which) {
    case LUN_ATOMIC_ADD:
        a.as.d = narrow ? (float)(p + q) : p + q;
        return a;
    case LUN_ATOMIC_SUB:
        a.as.d = narrow ? (float)(p - q) : p - q;
        return a;
    case LUN_ATOMIC_MIN:
        return p < q || p != p ? a : x;
    case LUN_ATOMIC_MAX:
        return p > q || p != p ? a : x;
    default:
        return x;
    }
}

static lun_status as_element(lun_engine *e, lun_dtype t, lun_value x, uint64_t *cell)
{
    lun_node *n;
    lun_status s = lun__array_constant(e, t, x, &n);
    if (s != LUN_OK)
        return s;
    *cell = n->cell;
    lun__node_release(e, n);
    return LUN_OK;
}

lun_status lun_atomic_apply(lun_engine *e, lun_array *a, int which, int64_t index, lun_value x,
                            lun_value expected, lun_value *old)
{
    LUN_NEED(e, lun_atomic_name(which) && old);
    LUN_NO_MISSING(e, a);
    uint64_t cell = 0, wanted = 0, given = 0;
    lun_status s = lun__array_usable(e, a);
    if (s != LUN_OK)
        return s;
    const lun_dtype t = lun_dtype_of(a);
    if (!lun__atomic_takes((lun_atomic)which, t))
        return lun__fail(e, LUN_EDTYPE, "atomic.%s on elements of %s: it is for %s",
                         lun_atomic_name(which), lun_dtype_name(t),
                         lun__atomic_takes((lun_atomic)which, LUN_F64) ? "numbers" : "integers");
    s = as_element(e, t, x, &given);
    if (s == LUN_OK && lun_atomic_expects(which))
        s = as_element(e, t, expected, &wanted);
    if (s == LUN_OK)
        s = lun_read(e, a, &cell, index, 1);
    if (s != LUN_OK)
        return s;
    *old = lun__dtype_cell_to_value(t, cell);
    if (lun_atomic_expects(which) && cell != wanted)
        return LUN_OK;
    x = lun__dtype_cell_to_value(t, given);
    x = lun__dtype_is_float(t) ? of_floats((lun_atomic)which, lun__dtype_is_stored(t), *old, x)
                               : of_integers((lun_atomic)which, t, *old, x);
    cell = lun__dtype_cell_from_value(t, x);
    return lun_write(e, a, &cell, index, 1);
}
