/* time_kind.c - dates, timestamps and durations beside others, in order, cast, written into: what
 * the kind TIME does. */
#include "api/array/api.h"
#include "api/time/time_array.h"

/* ---- beside others --------------------------------------------------------------------------- */

/* The dtype in which elements of all meet: of dates and timestamps a timestamp. */
static lun_status meeting(lun_engine *e, lun_array *const *all, int count, lun_dtype *t)
{
    *t = lun__array_logical(all[0]);
    for (int k = 1; k < count; k++) {
        const lun_dtype other = lun__array_logical(all[k]);
        if ((other == LUN_DURATION) != (*t == LUN_DURATION))
            return lun__logical_refuse(e, (lun_array *[]){all[0], all[k]}, 2);
        if (other == LUN_TIMESTAMP)
            *t = other;
    }
    return LUN_OK;
}

/* A Scalar of dtype t. */
static lun_status prototype_of(lun_engine *e, lun_dtype t, lun_array **out)
{
    lun_array *zero = NULL;
    lun_status s = lun_missing_slot(e, lun__dtype_storage(t), &zero);
    if (s == LUN_OK)
        s = lun__time_array(e, zero, t, out);
    lun_release(zero);
    return s;
}

static lun_status alike(lun_engine *e, lun_array *const *all, int count, lun_alike *out)
{
    lun_dtype t;
    lun_status s = meeting(e, all, count, &t);
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_array *same, *slots, *valid;
        if (lun__array_logical(all[k]) == t)
            continue;
        s = lun__time_array_as(e, all[k], t, &same);
        if (s != LUN_OK)
            return s;
        s = lun__validity_parts(e, same, false, &slots, &valid);
        lun_release(same);
        if (s != LUN_OK)
            return s;
        lun_release(valid);
        lun_release(out->slots[k]);
        out->slots[k] = slots;
    }
    return s == LUN_OK ? prototype_of(e, t, &out->prototype) : s;
}

static lun_status order(lun_engine *e, lun_array *const *all, int count, lun_array **keys,
                        lun_array **prototype)
{
    lun_dtype t;
    int made = 0;
    lun_array *same;
    lun_status s = meeting(e, all, count, &t);
    while (s == LUN_OK && made < count) {
        s = lun__time_array_as(e, all[made], t, &same);
        if (s == LUN_OK) {
            s = lun__time_array_stored(e, same, &keys[made]);
            lun_release(same);
        }
        made += s == LUN_OK;
    }
    if (s == LUN_OK)
        s = prototype_of(e, t, prototype);
    while (s != LUN_OK && made)
        lun_release(keys[--made]);
    return s;
}

static lun_status adopt(lun_engine *e, lun_array *target, lun_array *source, lun_array **slots,
                        lun_array **valid)
{
    const lun_dtype t = lun__array_logical(target), from = lun__array_logical(source);
    lun_array *same;
    if (t != from && !(t == LUN_TIMESTAMP && from == LUN_DATE))
        return lun__logical_refuse(e, (lun_array *[]){target, source}, 2);
    lun_status s = lun__time_array_as(e, source, t, &same);
    if (s != LUN_OK)
        return s;
    s = lun__validity_parts(e, same, false, slots, valid);
    lun_release(same);
    return s;
}

/* ---- casts ----------------------------------------------------------------------------------- */

static lun_status from_integers(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    char text[96];
    lun_array *wide;
    if (!lun__dtype_is_integer(lun_dtype_of(a)))
        return lun__fail(e, LUN_EDTYPE, "integers expected for %s, got %s", lun_dtype_name(t),
                         lun__array_describe(a, text));
    lun_status s = lun_cast(e, a, lun__dtype_storage(t), &wide);
    if (s != LUN_OK)
        return s;
    s = lun__time_array(e, wide, t, out);
    lun_release(wide);
    return s;
}

static lun_status cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun_array *numbers;
    if (t == LUN_TEXT)
        return lun__time_texts(e, a, NULL, out);
    if (lun__array_logical(a) == LUN_TEXT)
        return lun__time_text_read(e, a, t, NULL, false, out);
    if (!lun__array_logical(a))
        return from_integers(e, a, t, out);
    if (lun__dtype_is_logical(t))
        return lun__time_array_as(e, a, t, out);
    lun_status s = lun__time_array_stored(e, a, &numbers);
    if (s != LUN_OK)
        return s;
    s = lun_cast(e, numbers, t, out);
    lun_release(numbers);
    return s;
}

lun_status lun_time_of(lun_engine *e, lun_array *a, lun_dtype t, lun_time_unit unit,
                       lun_array **out)
{
    LUN_NEED(e, a && out);
    static const int64_t multiple[] = {1000000, 1000, 1, 1};
    char text[96];
    lun__calc c = {.e = e};
    lun_array *x = NULL;
    if (t != LUN_TIMESTAMP && t != LUN_DURATION)
        return lun__fail(e, LUN_EDTYPE, "timestamp or duration expected, got %s",
                         lun_dtype_name(t));
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && !lun__dtype_is_integer(lun_dtype_of(a)))
        s = lun__fail(e, LUN_EDTYPE, "integers expected, got %s", lun__array_describe(a, text));
    if (s != LUN_OK)
        return s;
    x = lun__calc_cast(&c, a, LUN_I64);
    if (unit == LUN_TIME_NS)
        x = lun__calc_by(&c, LUN_OP_IDIV, x, 1000);
    else if (multiple[unit] != 1)
        x = lun__calc_by(&c, LUN_OP_MUL, x, multiple[unit]);
    s = lun__calc_end(&c, x, &x);
    if (s != LUN_OK)
        return s;
    s = lun__time_array(e, x, t, out);
    lun_release(x);
    return s;
}

const lun_logical_kind lun__time_kind = {.alike = alike,
                                         .order = order,
                                         .adopt = adopt,
                                         .cast = cast,
                                         .compute = lun__time_compute,
                                         .reduce = lun__time_reduce,
                                         .numbers = lun__time_reduce_numbers,
                                         .of_numbers = lun__time_reduce_of_numbers};
