/* complex_compute.c - elementwise operations on complex numbers, of operations on their parts, each
 * of which is rounded.  What has no meaning for them is refused by name. */
#include "api/complex/complex_array.h"
#include "table/op.h"

enum { MOST = 3, POWERS = 64 };

/* Short names of operations within expressions. */
#define OP(name, a, b) lun__calc_op(c, LUN_OP_##name, a, b)
#define OF(name, a)    lun__calc_op(c, LUN_OP_##name, a, NULL)

/* ---- + - * / ^ ------------------------------------------------------------------------------- */

static lun__z sum(lun__calc *c, lun_op op, lun__z a, lun__z b)
{
    lun__z z = {lun__calc_op(c, op, a.re, b.re), NULL};
    if (a.im && b.im)
        z.im = lun__calc_op(c, op, a.im, b.im);
    else if (a.im)
        z.im = a.im;
    else
        z.im = op == LUN_OP_SUB ? OF(NEG, b.im) : b.im;
    return z;
}

lun__z lun__complex_compute_times(lun__calc *c, lun__z a, lun__z b)
{
    if (!a.im || !b.im)
        return (lun__z){OP(MUL, a.re, b.re), a.im   ? OP(MUL, a.im, b.re)
                                             : b.im ? OP(MUL, a.re, b.im)
                                                    : NULL};
    return (lun__z){OP(SUB, OP(MUL, a.re, b.re), OP(MUL, a.im, b.im)),
                    OP(ADD, OP(MUL, a.re, b.im), OP(MUL, a.im, b.re))};
}

/* Smith's quotient: with the part of greater modulus of the divisor, c or d, where `first` is true
 * or false. */
static lun__z quotient(lun__calc *c, lun__z a, lun__z b)
{
    if (!b.im)
        return (lun__z){OP(DIV, a.re, b.re), OP(DIV, a.im, b.re)};
    if (!a.im)
        a.im = lun__calc_real(c, 0);
    lun_array *first = OP(GE, OF(ABS, b.re), OF(ABS, b.im));
    lun_array *more = lun__calc_where(c, first, b.re, b.im);
    lun_array *less = lun__calc_where(c, first, b.im, b.re);
    lun_array *x = lun__calc_where(c, first, a.re, a.im);
    lun_array *y = lun__calc_where(c, first, a.im, a.re);
    lun_array *r = OP(DIV, less, more);
    lun_array *t = OP(ADD, more, OP(MUL, less, r));
    lun_array *re = OP(DIV, OP(ADD, x, OP(MUL, y, r)), t);
    lun_array *im = OP(SUB, y, OP(MUL, x, r)), *turned = OP(SUB, OP(MUL, x, r), y);
    return (lun__z){re, OP(DIV, lun__calc_where(c, first, im, turned), t)};
}

/* a^k by repeated squaring from the lowest bit. */
static lun__z whole_power(lun__calc *c, lun__z a, int64_t k)
{
    lun__z z = {NULL, NULL};
    for (uint64_t bits = (uint64_t)(k < 0 ? -k : k); bits; bits >>= 1) {
        if (bits & 1)
            z = z.re ? lun__complex_compute_times(c, z, a) : a;
        if (bits > 1)
            a = lun__complex_compute_times(c, a, a);
    }
    if (!z.re) { /* k is 0: 1, also of NaN */
        lun_array *one = lun__calc_real(c, 1);
        lun_array *any = OP(ADD, OP(EQ, a.re, a.re), OP(EQ, a.im, a.im));
        one = lun__calc_where(c, OP(GE, any, lun__calc_number(c, 0)), one, a.re);
        return (lun__z){one, NULL};
    }
    return k < 0 ? quotient(c, (lun__z){lun__calc_real(c, 1), NULL}, z) : z;
}

/* Whether b is one real whole number of that size, *k. */
static bool is_whole(const lun_array *b, int64_t *k)
{
    if (!lun_is_weak(b) || lun__array_is_complex(b))
        return false;
    const double x = lun__dtype_value_double(b->number);
    *k = x >= -POWERS && x <= POWERS ? (int64_t)x : 0;
    return x >= -POWERS && x <= POWERS && (double)*k == x;
}

/* exp(w log z); 0^0 is 1, 0^w 0 where w has a positive real part, else NaN. */
static lun__z power(lun__calc *c, lun__z z, lun__z w)
{
    lun_array *zero = lun__calc_real(c, 0), *one = lun__calc_real(c, 1);
    lun__z l = lun__complex_functions_apply(c, LUN_OP_LOG, z);
    lun__z p = lun__complex_functions_apply(c, LUN_OP_EXP, lun__complex_compute_times(c, w, l));
    lun_array *none = OF(LNOT, lun__complex_compute_truth(c, z));
    lun_array *flat = OF(LNOT, lun__complex_compute_truth(c, w));
    lun_array *nan = OP(DIV, zero, zero);
    lun_array *re = lun__calc_where(c, flat, one, nan), *im = lun__calc_where(c, flat, zero, nan);
    lun_array *up = OP(GT, w.re, zero);
    re = lun__calc_where(c, up, zero, re);
    im = lun__calc_where(c, up, zero, im);
    return (lun__z){lun__calc_where(c, none, re, p.re), lun__calc_where(c, none, im, p.im)};
}

/* ---- of one ---------------------------------------------------------------------------------- */

/* z / abs(z); 0 of 0. */
static lun__z sign(lun__calc *c, lun__z z)
{
    lun_array *size = OP(HYPOT, z.re, z.im);
    lun_array *none = OP(EQ, size, lun__calc_real(c, 0));
    return (lun__z){lun__calc_where(c, none, z.re, OP(DIV, z.re, size)),
                    lun__calc_where(c, none, z.im, OP(DIV, z.im, size))};
}

lun_array *lun__complex_compute_truth(lun__calc *c, lun__z z)
{
    lun_array *zero = lun__calc_real(c, 0), *re = OP(NE, z.re, zero);
    return z.im ? OP(LOR, re, OP(NE, z.im, zero)) : re;
}

/* What both parts, or one of them, are. */
static lun_array *test(lun__calc *c, lun_op op, lun__z z)
{
    lun_array *re = lun__calc_op(c, op, z.re, NULL), *im = lun__calc_op(c, op, z.im, NULL);
    return op == LUN_OP_ISFINITE ? OP(LAND, re, im) : OP(LOR, re, im);
}

/* Whether elements are equal, or differ. */
static lun_array *compared(lun__calc *c, lun_op op, lun__z a, lun__z b)
{
    lun_array *zero = lun__calc_real(c, 0);
    lun_array *re = lun__calc_op(c, op, a.re, b.re);
    lun_array *im = lun__calc_op(c, op, a.im ? a.im : zero, b.im ? b.im : zero);
    return op == LUN_OP_EQ ? OP(LAND, re, im) : OP(LOR, re, im);
}

/* ---- the operations -------------------------------------------------------------------------- */

static bool has_order(lun_op op)
{
    return op == LUN_OP_LT || op == LUN_OP_LE || op == LUN_OP_GT || op == LUN_OP_GE ||
           lun__op_get(op)->rule == LUN_RULE_PICK;
}

static lun_status refuse(lun_engine *e, lun_op op, lun_array *const *all, int count)
{
    int about = 0;
    while (about + 1 < count && !lun__array_is_complex(all[about]))
        about++;
    lun_status s =
        has_order(op)
            ? lun__fail(e, LUN_EDTYPE,
                        "complex numbers have no order: take abs(), real() or "
                        "imag()")
            : lun__fail(e, LUN_EDTYPE, "not for complex numbers: take abs(), real() or imag()");
    e->error_operand = about + 1;
    return s;
}

/* Operations of which the result is complex; re NULL: it is none of these. */
static lun__z complex_result(lun__calc *c, lun_op op, lun_array *const *all, const lun__z *in)
{
    int64_t k;
    lun__z z = in[0];
    switch (op) {
    case LUN_OP_ADD:
    case LUN_OP_SUB:
        return sum(c, op, in[0], in[1]);
    case LUN_OP_MUL:
        return lun__complex_compute_times(c, in[0], in[1]);
    case LUN_OP_DIV:
        return quotient(c, in[0], in[1]);
    case LUN_OP_POW:
        return lun__array_is_complex(all[0]) && is_whole(all[1], &k) ? whole_power(c, in[0], k)
                                                                     : power(c, in[0], in[1]);
    case LUN_OP_NEG:
    case LUN_OP_ROUND:
        return (lun__z){lun__calc_op(c, op, z.re, NULL), lun__calc_op(c, op, z.im, NULL)};
    case LUN_OP_SIGN:
        return sign(c, z);
    case LUN_OP_WHERE: {
        lun_array *zero = lun__calc_real(c, 0), *when = all[0];
        if (in[0].im)
            when = lun__complex_compute_truth(c, in[0]);
        if (!in[1].im && !in[2].im)
            return (lun__z){lun__calc_where(c, when, in[1].re, in[2].re), NULL};
        return (lun__z){
            lun__calc_where(c, when, in[1].re, in[2].re),
            lun__calc_where(c, when, in[1].im ? in[1].im : zero, in[2].im ? in[2].im : zero)};
    }
    default:
        if (lun__complex_functions_have(op))
            return lun__complex_functions_apply(c, op, z);
        return (lun__z){NULL, NULL};
    }
}

/* Operations of which the result is real; NULL: it is none of these. */
static lun_array *real_result(lun__calc *c, lun_op op, const lun__z *in)
{
    lun_array *truth = NULL;
    switch (op) {
    case LUN_OP_ABS:
        return OP(HYPOT, in[0].re, in[0].im);
    case LUN_OP_EQ:
    case LUN_OP_NE:
        return compared(c, op, in[0], in[1]);
    case LUN_OP_ISNAN:
    case LUN_OP_ISINF:
    case LUN_OP_ISFINITE:
        return test(c, op, in[0]);
    case LUN_OP_LAND:
    case LUN_OP_LOR:
        truth = lun__complex_compute_truth(c, in[0]);
        return lun__calc_op(c, op, truth, lun__complex_compute_truth(c, in[1]));
    case LUN_OP_LNOT:
        return OF(LNOT, lun__complex_compute_truth(c, in[0]));
    default:
        return NULL;
    }
}

/* Whether complex numbers have the operation. */
static bool is_known(lun_op op)
{
    static const bool known[LUN_OP_COUNT] = {
        [LUN_OP_ADD] = true,   [LUN_OP_SUB] = true,   [LUN_OP_MUL] = true,
        [LUN_OP_DIV] = true,   [LUN_OP_POW] = true,   [LUN_OP_NEG] = true,
        [LUN_OP_ROUND] = true, [LUN_OP_SIGN] = true,  [LUN_OP_WHERE] = true,
        [LUN_OP_ABS] = true,   [LUN_OP_EQ] = true,    [LUN_OP_NE] = true,
        [LUN_OP_ISNAN] = true, [LUN_OP_ISINF] = true, [LUN_OP_ISFINITE] = true,
        [LUN_OP_LAND] = true,  [LUN_OP_LOR] = true,   [LUN_OP_LNOT] = true,
    };
    return known[op] || lun__complex_functions_have(op);
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
    lun__z in[MOST] = {{NULL, NULL}};
    for (int k = 0; k < count; k++)
        if (lun__array_logical(all[k]) && !lun__array_is_complex(all[k]))
            return lun__logical_refuse(e, all, count);
    if (!is_known(op))
        return refuse(e, op, all, count);
    const int first = op == LUN_OP_WHERE;
    const lun_dtype part = computed_in(all, first, count);
    bool complex = false;
    for (int k = first; k < count; k++)
        complex = complex || lun__array_is_complex(all[k]);
    for (int k = 0; k < count; k++) {
        in[k] = lun__complex_array_parts(&c, all[k]);
        if (k >= first && complex)
            in[k] = lun__complex_array_cast(&c, in[k], part);
    }
    lun_array *made = c.s == LUN_OK ? real_result(&c, op, in) : NULL;
    if (c.s != LUN_OK || made)
        return lun__calc_end(&c, made, out);
    lun__z z = complex_result(&c, op, all, in);
    if (!complex)
        return lun__calc_end(&c, z.re, out);
    z = lun__complex_array_cast(&c, z, part);
    return lun__calc_end(&c, lun__complex_array_made(&c, z), out);
}
