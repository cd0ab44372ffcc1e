/* form.c - arithmetic, tests and choices of complex numbers, of operations on their parts. */
#include "complex/form.h"

/* Short names of operations within expressions. */
#define OP(name, a, b)    m->op(m->ctx, LUN_OP_##name, a, b, NULL)
#define OF(name, a)       m->op(m->ctx, LUN_OP_##name, a, NULL, NULL)
#define WHERE(when, a, b) m->op(m->ctx, LUN_OP_WHERE, when, a, b)
#define NUMBER(x)         m->number(m->ctx, x, false)

/* ---- + - * / ^ ------------------------------------------------------------------------------- */

static lun__pair sum(const lun__maker *m, lun_op op, lun__pair a, lun__pair b)
{
    lun__pair z = {m->op(m->ctx, op, a.re, b.re, NULL), NULL};
    if (a.im && b.im)
        z.im = m->op(m->ctx, op, a.im, b.im, NULL);
    else if (a.im)
        z.im = a.im;
    else
        z.im = op == LUN_OP_SUB ? OF(NEG, b.im) : b.im;
    return z;
}

lun__pair lun__form_times(const lun__maker *m, lun__pair a, lun__pair b)
{
    if (!a.im || !b.im)
        return (lun__pair){OP(MUL, a.re, b.re), a.im   ? OP(MUL, a.im, b.re)
                                                : b.im ? OP(MUL, a.re, b.im)
                                                       : NULL};
    return (lun__pair){OP(SUB, OP(MUL, a.re, b.re), OP(MUL, a.im, b.im)),
                       OP(ADD, OP(MUL, a.re, b.im), OP(MUL, a.im, b.re))};
}

/* Smith's quotient: with the part of greater modulus of the divisor, c or d, where `first` is true
 * or false. */
static lun__pair quotient(const lun__maker *m, lun__pair a, lun__pair b)
{
    if (!b.im)
        return (lun__pair){OP(DIV, a.re, b.re), OP(DIV, a.im, b.re)};
    if (!a.im)
        a.im = NUMBER(0);
    lun__real *first = OP(GE, OF(ABS, b.re), OF(ABS, b.im));
    lun__real *more = WHERE(first, b.re, b.im);
    lun__real *less = WHERE(first, b.im, b.re);
    lun__real *x = WHERE(first, a.re, a.im);
    lun__real *y = WHERE(first, a.im, a.re);
    lun__real *r = OP(DIV, less, more);
    lun__real *t = OP(ADD, more, OP(MUL, less, r));
    lun__real *re = OP(DIV, OP(ADD, x, OP(MUL, y, r)), t);
    lun__real *im = OP(SUB, y, OP(MUL, x, r)), *turned = OP(SUB, OP(MUL, x, r), y);
    return (lun__pair){re, OP(DIV, WHERE(first, im, turned), t)};
}

/* a^k by repeated squaring from the lowest bit. */
static lun__pair whole_power(const lun__maker *m, lun__pair a, int64_t k)
{
    lun__pair z = {NULL, NULL};
    for (uint64_t bits = (uint64_t)(k < 0 ? -k : k); bits; bits >>= 1) {
        if (bits & 1)
            z = z.re ? lun__form_times(m, z, a) : a;
        if (bits > 1)
            a = lun__form_times(m, a, a);
    }
    if (!z.re) { /* k is 0: 1, also of NaN */
        lun__real *one = NUMBER(1);
        lun__real *any = OP(ADD, OP(EQ, a.re, a.re), OP(EQ, a.im, a.im));
        one = WHERE(OP(GE, any, NUMBER(0)), one, a.re);
        return (lun__pair){one, NULL};
    }
    return k < 0 ? quotient(m, (lun__pair){NUMBER(1), NULL}, z) : z;
}

/* exp(w log z); 0^0 is 1, 0^w 0 where w has a positive real part, else NaN. */
static lun__pair power(const lun__maker *m, lun__pair z, lun__pair w)
{
    lun__real *zero = NUMBER(0), *one = NUMBER(1);
    lun__pair l = lun__function_form(m, LUN_OP_LOG, z);
    lun__pair p = lun__function_form(m, LUN_OP_EXP, lun__form_times(m, w, l));
    lun__real *none = OF(LNOT, lun__form_truth(m, z));
    lun__real *flat = OF(LNOT, lun__form_truth(m, w));
    lun__real *nan = OP(DIV, zero, zero);
    lun__real *re = WHERE(flat, one, nan), *im = WHERE(flat, zero, nan);
    lun__real *up = OP(GT, w.re, zero);
    re = WHERE(up, zero, re);
    im = WHERE(up, zero, im);
    return (lun__pair){WHERE(none, re, p.re), WHERE(none, im, p.im)};
}

/* ---- of one ---------------------------------------------------------------------------------- */

/* z / abs(z); 0, without a sign, of zeros. */
static lun__pair sign(const lun__maker *m, lun__pair z)
{
    lun__real *size = OP(HYPOT, z.re, z.im);
    lun__real *zero = NUMBER(0), *none = OP(EQ, size, zero);
    return (lun__pair){WHERE(none, zero, OP(DIV, z.re, size)),
                       WHERE(none, zero, OP(DIV, z.im, size))};
}

lun__real *lun__form_truth(const lun__maker *m, lun__pair z)
{
    lun__real *zero = NUMBER(0), *re = OP(NE, z.re, zero);
    return z.im ? OP(LOR, re, OP(NE, z.im, zero)) : re;
}

/* What both parts, or one of them, are. */
static lun__real *test(const lun__maker *m, lun_op op, lun__pair z)
{
    lun__real *re = m->op(m->ctx, op, z.re, NULL, NULL), *im = m->op(m->ctx, op, z.im, NULL, NULL);
    return op == LUN_OP_ISFINITE ? OP(LAND, re, im) : OP(LOR, re, im);
}

/* Whether elements are equal, or differ. */
static lun__real *compared(const lun__maker *m, lun_op op, lun__pair a, lun__pair b)
{
    lun__real *zero = NUMBER(0);
    lun__real *re = m->op(m->ctx, op, a.re, b.re, NULL);
    lun__real *im = m->op(m->ctx, op, a.im ? a.im : zero, b.im ? b.im : zero, NULL);
    return op == LUN_OP_EQ ? OP(LAND, re, im) : OP(LOR, re, im);
}

/* ---- the operations -------------------------------------------------------------------------- */

lun__form lun__form_of(lun_op op)
{
    static const uint8_t forms[LUN_OP_COUNT] = {
        [LUN_OP_ADD] = LUN__FORM_COMPLEX,   [LUN_OP_SUB] = LUN__FORM_COMPLEX,
        [LUN_OP_MUL] = LUN__FORM_COMPLEX,   [LUN_OP_DIV] = LUN__FORM_COMPLEX,
        [LUN_OP_POW] = LUN__FORM_COMPLEX,   [LUN_OP_NEG] = LUN__FORM_COMPLEX,
        [LUN_OP_ROUND] = LUN__FORM_COMPLEX, [LUN_OP_SIGN] = LUN__FORM_COMPLEX,
        [LUN_OP_WHERE] = LUN__FORM_COMPLEX, [LUN_OP_ABS] = LUN__FORM_REAL,
        [LUN_OP_EQ] = LUN__FORM_REAL,       [LUN_OP_NE] = LUN__FORM_REAL,
        [LUN_OP_ISNAN] = LUN__FORM_REAL,    [LUN_OP_ISINF] = LUN__FORM_REAL,
        [LUN_OP_ISFINITE] = LUN__FORM_REAL, [LUN_OP_LAND] = LUN__FORM_REAL,
        [LUN_OP_LOR] = LUN__FORM_REAL,      [LUN_OP_LNOT] = LUN__FORM_REAL,
    };
    return lun__function_form_is(op) ? LUN__FORM_COMPLEX : (lun__form)forms[op];
}

bool lun__form_needs_order(lun_op op)
{
    return op == LUN_OP_LT || op == LUN_OP_LE || op == LUN_OP_GT || op == LUN_OP_GE ||
           lun__op_get(op)->rule == LUN_RULE_PICK;
}

/* Where in[0], in[1], else in[2]. */
static lun__pair chosen(const lun__maker *m, const lun__pair *in)
{
    lun__real *zero = NUMBER(0), *when = in[0].im ? lun__form_truth(m, in[0]) : in[0].re;
    if (!in[1].im && !in[2].im)
        return (lun__pair){WHERE(when, in[1].re, in[2].re), NULL};
    return (lun__pair){WHERE(when, in[1].re, in[2].re),
                       WHERE(when, in[1].im ? in[1].im : zero, in[2].im ? in[2].im : zero)};
}

lun__pair lun__form_complex(const lun__maker *m, lun_op op, const lun__pair *in,
                            const int64_t *whole)
{
    const lun__pair z = in[0];
    switch (op) {
    case LUN_OP_ADD:
    case LUN_OP_SUB:
        return sum(m, op, in[0], in[1]);
    case LUN_OP_MUL:
        return lun__form_times(m, in[0], in[1]);
    case LUN_OP_DIV:
        return quotient(m, in[0], in[1]);
    case LUN_OP_POW:
        return whole && in[0].im ? whole_power(m, in[0], *whole) : power(m, in[0], in[1]);
    case LUN_OP_NEG:
    case LUN_OP_ROUND:
        return (lun__pair){m->op(m->ctx, op, z.re, NULL, NULL),
                           m->op(m->ctx, op, z.im, NULL, NULL)};
    case LUN_OP_SIGN:
        return sign(m, z);
    case LUN_OP_WHERE:
        return chosen(m, in);
    default:
        return lun__function_form(m, op, z);
    }
}

lun__real *lun__form_real(const lun__maker *m, lun_op op, const lun__pair *in)
{
    lun__real *truth = NULL;
    switch (op) {
    case LUN_OP_ABS:
        return OP(HYPOT, in[0].re, in[0].im);
    case LUN_OP_EQ:
    case LUN_OP_NE:
        return compared(m, op, in[0], in[1]);
    case LUN_OP_LAND:
    case LUN_OP_LOR:
        truth = lun__form_truth(m, in[0]);
        return m->op(m->ctx, op, truth, lun__form_truth(m, in[1]), NULL);
    case LUN_OP_LNOT:
        return OF(LNOT, lun__form_truth(m, in[0]));
    default:
        return test(m, op, in[0]);
    }
}

lun__real *lun__form_angle(const lun__maker *m, lun__pair z)
{
    return OP(ATAN2, z.im ? z.im : NUMBER(0), z.re);
}
