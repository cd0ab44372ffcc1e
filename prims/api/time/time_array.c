/* time_array.c - arrays of dates, timestamps and durations and the numbers that their slots are.
 *
 * Invariant: slots are of the storage of the row of table/logical.def, and of a missing element
 * 0. */
#include "api/time/time_array.h"

lun_status lun__time_array_check(lun_engine *e, lun_array *a, unsigned dtypes, const char *what)
{
    char text[96];
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK || (lun__time_array_is(a) && LUN__TIME_BIT(lun__array_logical(a)) & dtypes))
        return s;
    return lun__fail(e, LUN_EDTYPE, "%s expected, got %s", what, lun__array_describe(a, text));
}

lun_status lun__time_array(lun_engine *e, lun_array *numbers, lun_dtype t, lun_array **out)
{
    lun_array *slots, *valid, *none, *a, *fit = NULL;
    lun_status s = lun_dtype_of(numbers) == lun__dtype_storage(t)
                       ? LUN_OK
                       : lun_cast(e, numbers, lun__dtype_storage(t), &fit);
    if (s == LUN_OK)
        s = lun_missing_parts(e, fit ? fit : numbers, &slots, &valid);
    lun_release(fit);
    if (s != LUN_OK)
        return s;
    s = valid ? lun_with_parts(e, slots, valid, &a) : lun_missing_parts(e, slots, &a, &none);
    lun_release(slots);
    lun_release(valid);
    if (s != LUN_OK)
        return s;
    a->logical = (uint8_t)t;
    *out = a;
    return LUN_OK;
}

lun_status lun__time_array_stored(lun_engine *e, lun_array *a, lun_array **out)
{
    lun_array *slots, *valid;
    lun_status s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    if (!valid) {
        *out = slots;
        return LUN_OK;
    }
    s = lun_with_parts(e, slots, valid, out);
    lun_release(slots);
    lun_release(valid);
    return s;
}

lun_status lun__time_array_numbers(lun_engine *e, lun_array *a, bool us, lun_array **out)
{
    lun_array *slots;
    lun__calc c = {.e = e};
    lun_status s = lun__time_array_stored(e, a, &slots);
    if (s != LUN_OK)
        return s;
    const bool days = lun__array_logical(a) == LUN_DATE;
    if (!days) {
        *out = slots;
        return LUN_OK;
    }
    lun_array *x = lun__calc_cast(&c, lun__calc_take(&c, LUN_OK, slots), LUN_I64);
    if (us)
        x = lun__calc_by(&c, LUN_OP_MUL, x, LUN__TIME_DAY);
    return lun__calc_end(&c, x, out);
}

lun_status lun__time_array_as(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *x = NULL;
    const lun_dtype from = lun__array_logical(a);
    if (from == t) {
        lun_retain(*out = a);
        return LUN_OK;
    }
    if ((from == LUN_DURATION) != (t == LUN_DURATION))
        return lun__array_refuse_logical(e, a);
    lun_status s = lun__time_array_numbers(e, a, t == LUN_TIMESTAMP, &x);
    x = lun__calc_take(&c, s, x);
    if (t == LUN_DATE)
        x = lun__calc_by(&c, LUN_OP_IDIV, x, LUN__TIME_DAY);
    s = lun__calc_end(&c, x, &x);
    if (s != LUN_OK)
        return s;
    s = lun__time_array(e, x, t, out);
    lun_release(x);
    return s;
}
