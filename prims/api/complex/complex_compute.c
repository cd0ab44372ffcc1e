/* complex_compute.c - elementwise operations on complex arrays, by forms of prims/complex. What has
 * no meaning for them is refused by name. */
#include "api/complex/complex_array.h"
#include "complex/form.h"

enum { MOST = 3 };

/* ---- expressions of arrays ------------------------------------------------------------------- */

static lun_array *array(lun__real *x)
{
    return (lun_array *)(void *)x;
}

static lun__real *real(lun_array *a)
{
    return (lun__real *)(void *)a;
}

static lun__real *make_op(void *ctx, lun_op op, lun__real *a, lun__real *b, lun__real *c)
{
    return real(c ? lun__calc_where(ctx, array(a), array(b), array(c))
                  : lun__calc_op(ctx, op, array(a), array(b)));
}

static lun__real *make_number(void *ctx, double x, bool wide)
{
    (void)wide; /* it takes the precision of the array beside it */
    return real(lun__calc_real(ctx, x));
}

static lun__real *make_wide(void *ctx, lun__real *x)
{
    return real(lun__complex_array_cast(ctx, (lun__z){array(x), NULL}, LUN_F64).re);
}

static lun__maker maker(lun__calc *c)
{
    return (lun__maker){c, make_op, make_number, make_wide};
}

static lun__pair pair(lun__z z)
{
    return (lun__pair){real(z.re), real(z.im)};
}

static lun__z arrays(lun__pair z)
{
    return (lun__z){array(z.re), array(z.im)};
}

lun_array *lun__complex_compute_truth(lun__calc *c, lun__z z)
{
    const lun__maker m = maker(c);
    return array(lun__form_truth(&m, pair(z)));
}

/* ---- the operations -------------------------------------------------------------------------- */

static lun_status refuse(lun_engine *e, lun_op op, lun_array *const *all, int count)
{
    int about = 0;
    while (about + 1 < count && !lun__array_is_complex(all[about]))
        about++;
    lun_status s =
        lun__form_needs_order(op)
            ? lun__fail(e, LUN_EDTYPE,
                        "complex numbers have no order: take abs(), real() or "
                        "imag()")
            : lun__fail(e, LUN_EDTYPE, "not for complex numbers: take abs(), real() or imag()");
    e->error_operand = about + 1;
    return s;
}

/* Whether b is one real whole number within the exponents that are products, *k. */
static bool is_whole(const lun_array *b, int64_t *k)
{
    if (!lun_is_weak(b) || lun__array_is_complex(b))
        return false;
    const double x = lun__dtype_value_double(b->number);
    const bool near = x >= -LUN__FORM_POWERS && x <= LUN__FORM_POWERS;
    *k = near ? (int64_t)x : 0;
    return near && (double)*k == x;
}

/* The dtype of parts in which operands from `first` on are computed: of integers and numbers alone
 * f64. */
static lun_dtype computed_in(lun_array *const *all, int first, int count)
{
    bool narrow = false;
    for (int k = first; k < count; k++) {
        const lun_dtype t = lun__array_is_complex(all[k]) ? lun_complex_part(lun_dtype_of(all[k]))
                                                          : lun_dtype_of(all[k]);
        if (lun_is_weak(all[k]) || !lun__dtype_is_float(t))
            continue;
        if (lun__dtype_is_double(t))
            return LUN_F64;
        narrow = true;
    }
    return narrow ? LUN_F32 : LUN_F64;
}

lun_status lun__complex_compute(lun_engine *e, lun_op op, lun_array *const *all, int count,
                                lun_array **out)
{
    lun__calc c = {.e = e};
    lun__pair in[MOST] = {{NULL, NULL}};
    int64_t k_whole = 0;
    for (int k = 0; k < count; k++)
        if (lun__array_logical(all[k]) && !lun__array_is_complex(all[k]))
            return lun__logical_refuse(e, all, count);
    const lun__form form = lun__form_of(op);
    if (form == LUN__FORM_NONE)
        return refuse(e, op, all, count);
    const int first = op == LUN_OP_WHERE;
    const lun_dtype part = computed_in(all, first, count);
    bool complex = false;
    for (int k = first; k < count; k++)
        complex = complex || lun__array_is_complex(all[k]);
    for (int k = 0; k < count; k++) {
        lun__z z = lun__complex_array_parts(&c, all[k]);
        in[k] = pair(k >= first && complex ? lun__complex_array_cast(&c, z, part) : z);
    }
    if (c.s != LUN_OK)
        return lun__calc_end(&c, NULL, out);
    const lun__maker m = maker(&c);
    if (form == LUN__FORM_REAL)
        return lun__calc_end(&c, array(lun__form_real(&m, op, in)), out);
    const bool products = op == LUN_OP_POW && is_whole(all[1], &k_whole);
    lun__z z = arrays(lun__form_complex(&m, op, in, products ? &k_whole : NULL));
    if (!complex)
        return lun__calc_end(&c, z.re, out);
    z = lun__complex_array_cast(&c, z, part);
    return lun__calc_end(&c, lun__complex_array_made(&c, z), out);
}
