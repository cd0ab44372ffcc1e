/* complex_reduce.c - reductions of complex arrays, and their matrix products, of those of their
 * parts. */
#include "api/complex/complex_array.h"

/* x reduced; NULL: it failed. */
static lun_array *reduced(lun__calc *c, const lun_reducing *by, lun_reduction r, lun_array *x)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? by->call(by->of, r, x, &made) : c->s;
    return lun__calc_take(c, s, made);
}

static lun_array *squares(lun__calc *c, lun__z z)
{
    lun_array *re = lun__calc_op(c, LUN_OP_MUL, z.re, z.re);
    return lun__calc_op(c, LUN_OP_ADD, re, lun__calc_op(c, LUN_OP_MUL, z.im, z.im));
}

lun_status lun__complex_reduce(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                               lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *x = NULL;
    const lun__z z = lun__complex_array_parts(&c, a);
    switch (r) {
    case LUN_SUM:
    case LUN_MEAN:
        x = reduced(&c, by, r, z.re);
        x = lun__complex_array_made(&c, (lun__z){x, reduced(&c, by, r, z.im)});
        break;
    case LUN_VAR:
    case LUN_STD:
        x = reduced(&c, by, LUN_VAR, z.re);
        x = lun__calc_op(&c, LUN_OP_ADD, x, reduced(&c, by, LUN_VAR, z.im));
        x = r == LUN_STD ? lun__calc_op(&c, LUN_OP_SQRT, x, NULL) : x;
        break;
    case LUN_NORM:
        x = reduced(&c, by, LUN_SUM, squares(&c, z));
        x = lun__calc_op(&c, LUN_OP_SQRT, x, NULL);
        break;
    case LUN_ANY:
    case LUN_ALL:
    case LUN_COUNT:
        x = reduced(&c, by, r, lun__complex_compute_truth(&c, z));
        break;
    case LUN_MIN:
    case LUN_MAX:
    case LUN_ARGMIN:
    case LUN_ARGMAX:
        c.s =
            lun__fail(e, LUN_EDTYPE, "complex numbers have no order: take abs(), real() or imag()");
        break;
    default:
        c.s = lun__array_refuse_logical(e, a);
    }
    return lun__calc_end(&c, x, out);
}

/* The product of two parts. */
static lun_array *product(lun__calc *c, lun_array *a, lun_array *b)
{
    lun_array *made = NULL;
    const lun_status s = c->s == LUN_OK ? lun_matmul(c->e, a, b, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_status lun__complex_reduce_matmul(lun_engine *e, lun_array *a, lun_array *b, lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *const all[] = {a, b};
    for (int k = 0; k < 2; k++)
        if (lun__array_logical(all[k]) && !lun__array_is_complex(all[k]))
            return lun__logical_refuse(e, all, 2);
    const lun__z x = lun__complex_array_parts(&c, a), y = lun__complex_array_parts(&c, b);
    lun__z z = {product(&c, x.re, y.re), NULL};
    if (x.im && y.im)
        z.re = lun__calc_op(&c, LUN_OP_SUB, z.re, product(&c, x.im, y.im));
    if (y.im)
        z.im = product(&c, x.re, y.im);
    if (x.im) {
        lun_array *other = product(&c, x.im, y.re);
        z.im = z.im ? lun__calc_op(&c, LUN_OP_ADD, z.im, other) : other;
    }
    return lun__calc_end(&c, lun__complex_array_made(&c, z), out);
}
