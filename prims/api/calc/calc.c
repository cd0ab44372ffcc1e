/* calc.c - expressions of arrays and numbers, of which an operation on dates or on complex numbers
 * is made. */
#include "api/calc/calc.h"

lun_array *lun__calc_take(lun__calc *c, lun_status s, lun_array *a)
{
    if (c->s == LUN_OK && s == LUN_OK && c->used == LUN__CALC_MOST)
        s = lun__fail(c->e, LUN_ELIMIT, "an expression of dates or complex numbers is too large");
    if (c->s != LUN_OK || s != LUN_OK) {
        if (s == LUN_OK)
            lun_release(a);
        c->s = c->s == LUN_OK ? s : c->s;
        return NULL;
    }
    return c->made[c->used++] = a;
}

lun_array *lun__calc_op(lun__calc *c, lun_op op, lun_array *a, lun_array *b)
{
    lun_array *made = NULL;
    if (c->s != LUN_OK)
        return NULL;
    const lun_status s = lun_apply(c->e, op, (lun_array *[]){a, b}, b ? 2 : 1, &made);
    return lun__calc_take(c, s, made);
}

lun_array *lun__calc_number(lun__calc *c, int64_t x)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? lun_integer(c->e, x, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_array *lun__calc_by(lun__calc *c, lun_op op, lun_array *a, int64_t x)
{
    return lun__calc_op(c, op, a, lun__calc_number(c, x));
}

lun_array *lun__calc_real(lun__calc *c, double x)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? lun_number(c->e, x, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_array *lun__calc_scale(lun__calc *c, lun_op op, lun_array *a, double x)
{
    return lun__calc_op(c, op, a, lun__calc_real(c, x));
}

lun_array *lun__calc_cast(lun__calc *c, lun_array *a, lun_dtype t)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? lun_cast(c->e, a, t, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_array *lun__calc_where(lun__calc *c, lun_array *when, lun_array *a, lun_array *b)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? lun_where(c->e, when, a, b, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_status lun__calc_end(lun__calc *c, lun_array *a, lun_array **out)
{
    if (c->s == LUN_OK)
        lun_retain(*out = a);
    while (c->used)
        lun_release(c->made[--c->used]);
    return c->s;
}
