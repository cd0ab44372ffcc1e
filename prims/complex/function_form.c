/* function_form.c - functions of one complex number as expressions of real functions of its
 * parts in f64, each operation rounded: within 8 ULP of the modulus of the result.  Cuts and
 * special values are those of C99's Annex G.  A function turned by 90 degrees is the same
 * expression of the parts exchanged: sin z, -i sinh(iz), is sinh(y + ix) so. */
#include "complex/form.h"

#include <math.h>

#define OP(name, a, b)    m->op(m->ctx, LUN_OP_##name, a, b, NULL)
#define OF(name, a)       m->op(m->ctx, LUN_OP_##name, a, NULL, NULL)
#define BY(name, a, x)    m->op(m->ctx, LUN_OP_##name, a, NUMBER(x), NULL)
#define NUMBER(x)         m->number(m->ctx, x, true)
#define WHERE(when, a, b) m->op(m->ctx, LUN_OP_WHERE, when, a, b)
#define AND(a, b)         OP(LAND, a, b)
#define OR(a, b)          OP(LOR, a, b)
#define NOT(a)            OF(LNOT, a)
#define IS(a, x)          BY(EQ, a, x)
#define FINITE(a)         OF(ISFINITE, a)

typedef lun__real *X;

static const double half_pi = 0x1.921fb54442d18p+0, inverse_ln2 = 0x1.71547652b82fep+0,
                    inverse_ln10 = 0x1.bcb7b1526e50ep-2;
/* Beyond it exp is near its greatest value. */
static const double far_out = 709;

static lun__pair exchanged(lun__pair z)
{
    return (lun__pair){z.im, z.re};
}

/* ---- exp, sinh, cosh, tanh ------------------------------------------------------------------- */

/* f times g(x), where that is e^size over `by` and overflows before the product does. */
static lun__real *grown(const lun__maker *m, X size, double by, X value, X f)
{
    X half = OF(EXP, BY(MUL, size, 0.5));
    X far = OP(MUL, OP(MUL, BY(DIV, half, by), f), half);
    return WHERE(BY(GT, size, far_out), far, OP(MUL, value, f));
}

static lun__pair exponential(const lun__maker *m, lun__pair z, bool less_one)
{
    X x = z.re, y = z.im, e = OF(EXP, x), cosine = OF(COS, y), sine = OF(SIN, y);
    X re = grown(m, x, 1, e, cosine), im = grown(m, x, 1, e, sine);
    if (less_one) {
        X s = OF(SIN, BY(MUL, y, 0.5));
        X near = OP(SUB, OP(MUL, OF(EXPM1, x), cosine), OP(MUL, BY(MUL, s, 2), s));
        re = WHERE(BY(GT, x, far_out), re, near);
    }
    X real = IS(y, 0), open = NOT(FINITE(y)), bottom = IS(x, -INFINITY);
    re = WHERE(AND(open, bottom), NUMBER(less_one ? -1 : 0), re);
    im = WHERE(AND(open, bottom), NUMBER(0), im);
    re = WHERE(AND(open, IS(x, INFINITY)), x, re);
    re = WHERE(real, less_one ? BY(ADD, OF(EXPM1, x), 0) : e, re); /* 0 of -0 */
    return (lun__pair){re, WHERE(real, y, im)};
}

static lun__pair sinh_of(const lun__maker *m, lun__pair z)
{
    X x = z.re, y = z.im, size = OF(ABS, x), one = OP(COPYSIGN, NUMBER(1), x);
    X re = grown(m, size, 2, OF(SINH, x), OF(COS, y));
    re = WHERE(BY(GT, size, far_out), OP(MUL, re, one), re);
    X im = grown(m, size, 2, OF(COSH, x), OF(SIN, y));
    X kept = OR(IS(x, 0), AND(IS(size, INFINITY), NOT(FINITE(y))));
    X real = IS(y, 0);
    re = WHERE(real, OF(SINH, x), WHERE(kept, x, re));
    return (lun__pair){re, WHERE(real, y, im)};
}

static lun__pair cosh_of(const lun__maker *m, lun__pair z)
{
    X x = z.re, y = z.im, size = OF(ABS, x), one = OP(COPYSIGN, NUMBER(1), x);
    X re = grown(m, size, 2, OF(COSH, x), OF(COS, y));
    X im = grown(m, size, 2, OF(SINH, x), OF(SIN, y));
    im = WHERE(BY(GT, size, far_out), OP(MUL, im, one), im);
    X open = NOT(FINITE(y)), real = IS(y, 0);
    re = WHERE(AND(IS(size, INFINITY), open), size, re);
    re = WHERE(real, OF(COSH, x), re);
    im = WHERE(AND(IS(x, 0), open), x, im);
    return (lun__pair){re, WHERE(real, OP(MUL, y, one), im)};
}

static lun__pair tanh_of(const lun__maker *m, lun__pair z)
{
    X x = z.re, y = z.im, size = OF(ABS, x), t = OF(TAN, y), s = OF(SINH, x);
    X b = BY(ADD, OP(MUL, t, t), 1), s2 = OP(MUL, s, s);
    X r = OF(SQRT, BY(ADD, s2, 1)), d = BY(ADD, OP(MUL, b, s2), 1);
    X re = OP(DIV, OP(MUL, OP(MUL, b, r), s), d), im = OP(DIV, t, d);
    X far = BY(GT, size, 22), open = NOT(FINITE(y));
    X small = OP(MUL, OP(MUL, BY(MUL, OF(SIN, y), 4), OF(COS, y)), OF(EXP, BY(MUL, size, -2)));
    small = WHERE(IS(size, INFINITY), OP(COPYSIGN, NUMBER(0), y), small);
    X whole = OP(COPYSIGN, NUMBER(1), x);
    whole = WHERE(AND(open, FINITE(x)), OP(SUB, y, y), whole);
    re = WHERE(far, whole, re);
    im = WHERE(far, small, im);
    re = WHERE(IS(x, 0), x, re);
    return (lun__pair){re, WHERE(IS(y, 0), y, im)};
}

/* ---- log, sqrt ------------------------------------------------------------------------------- */

/* The logarithm of the modulus of x + iy, whose square less 1 is `above`; scaled where parts are
 * near the least or the greatest number. */
static lun__real *log_modulus(const lun__maker *m, X x, X y, X above)
{
    const double ln2 = 0x1.62e42fefa39efp-1;
    X wide = OF(ABS, x), high = OF(ABS, y);
    X large = OR(BY(GT, wide, 0x1p1020), BY(GT, high, 0x1p1020));
    X small = AND(BY(LT, wide, 0x1p-1000), BY(LT, high, 0x1p-1000));
    X scale = WHERE(large, NUMBER(0x1p-4), WHERE(small, NUMBER(0x1p108), NUMBER(1)));
    X back = WHERE(large, NUMBER(4 * ln2), WHERE(small, NUMBER(-108 * ln2), NUMBER(0)));
    X h = OP(HYPOT, OP(MUL, x, scale), OP(MUL, y, scale));
    X near = AND(NOT(OR(large, small)), AND(BY(GE, h, 0.5), BY(LE, h, 2)));
    return WHERE(near, BY(DIV, OF(LOG1P, above), 2), OP(ADD, OF(LOG, h), back));
}

static lun__pair log_of(const lun__maker *m, lun__pair z)
{
    X x = OF(ABS, z.re), y = OF(ABS, z.im), first = OP(GE, x, y);
    X high = WHERE(first, x, y), low = WHERE(first, y, x);
    X above = OP(MUL, BY(SUB, high, 1), BY(ADD, high, 1));
    above = OP(ADD, above, OP(MUL, low, low));
    return (lun__pair){log_modulus(m, x, y, above), OP(ATAN2, z.im, z.re)};
}

static lun__pair log_to_base(const lun__maker *m, lun__pair z, double by)
{
    z = log_of(m, z);
    return (lun__pair){BY(MUL, z.re, by), BY(MUL, z.im, by)};
}

static lun__pair log1p_of(const lun__maker *m, lun__pair z)
{
    X up = BY(ADD, z.re, 1), above = OP(MUL, z.re, BY(ADD, z.re, 2));
    above = OP(ADD, above, OP(MUL, z.im, z.im));
    return (lun__pair){log_modulus(m, up, z.im, above), OP(ATAN2, z.im, up)};
}

static lun__pair sqrt_of(const lun__maker *m, lun__pair z)
{
    X x = OF(ABS, z.re), y = OF(ABS, z.im);
    X large = OR(BY(GT, x, 0x1p1020), BY(GT, y, 0x1p1020));
    X small = AND(BY(LT, x, 0x1p-1000), BY(LT, y, 0x1p-1000));
    X scale = WHERE(large, NUMBER(0x1p-4), WHERE(small, NUMBER(0x1p108), NUMBER(1)));
    X back = WHERE(large, NUMBER(4), WHERE(small, NUMBER(0x1p-54), NUMBER(1)));
    x = OP(MUL, x, scale);
    y = OP(MUL, y, scale);
    X t = OF(SQRT, BY(MUL, OP(ADD, x, OP(HYPOT, x, y)), 0.5));
    X other = OP(DIV, y, BY(MUL, t, 2));
    t = OP(MUL, t, back);
    other = WHERE(IS(t, 0), y, OP(MUL, other, back));
    X right = NOT(BY(LT, z.re, 0));
    X re = WHERE(right, t, other), im = OP(COPYSIGN, WHERE(right, other, t), z.im);
    X beyond = IS(OF(ABS, z.im), INFINITY);
    return (lun__pair){WHERE(beyond, NUMBER(INFINITY), re), WHERE(beyond, z.im, im)};
}

/* ---- inverse functions ----------------------------------------------------------------------- */

/* Whether a part is not finite; *beyond: one is infinite. */
static lun__real *special(const lun__maker *m, lun__pair z, X *beyond)
{
    *beyond = OR(OF(ISINF, z.re), OF(ISINF, z.im));
    return NOT(AND(FINITE(z.re), FINITE(z.im)));
}

/* Infinity, or NaN where nothing is infinite. */
static lun__real *unbounded(const lun__maker *m, X beyond)
{
    return WHERE(beyond, NUMBER(INFINITY), NUMBER(NAN));
}

/* The imaginary part of a's conjugate times b; the real one. */
static lun__real *cross(const lun__maker *m, lun__pair a, lun__pair b)
{
    return OP(SUB, OP(MUL, a.re, b.im), OP(MUL, a.im, b.re));
}

static lun__real *inner(const lun__maker *m, lun__pair a, lun__pair b)
{
    return OP(ADD, OP(MUL, a.re, b.re), OP(MUL, a.im, b.im));
}

/* The square roots of 1 - z and 1 + z. */
static void roots(const lun__maker *m, lun__pair z, lun__pair *p, lun__pair *q)
{
    *p = sqrt_of(m, (lun__pair){OP(SUB, NUMBER(1), z.re), OF(NEG, z.im)});
    *q = sqrt_of(m, (lun__pair){BY(ADD, z.re, 1), z.im});
}

static lun__pair asin_of(const lun__maker *m, lun__pair z)
{
    lun__pair p, q;
    X beyond, open = special(m, z, &beyond);
    roots(m, z, &p, &q);
    X down = OP(SUB, OP(MUL, p.re, q.re), OP(MUL, p.im, q.im));
    X re = OP(ATAN2, z.re, down), im = OF(ASINH, cross(m, p, q));
    X far = OP(ATAN2, z.re, OF(ABS, z.im));
    re = WHERE(open, WHERE(IS(z.re, 0), z.re, far), re);
    return (lun__pair){re, WHERE(open, OP(COPYSIGN, unbounded(m, beyond), z.im), im)};
}

static lun__pair acos_of(const lun__maker *m, lun__pair z)
{
    lun__pair p, q;
    X beyond, open = special(m, z, &beyond);
    roots(m, z, &p, &q);
    X re = BY(MUL, OP(ATAN2, p.re, q.re), 2), im = OF(ASINH, cross(m, q, p));
    X far = WHERE(IS(z.re, 0), NUMBER(half_pi), OP(ATAN2, OF(ABS, z.im), z.re));
    im = WHERE(open, OP(COPYSIGN, unbounded(m, beyond), OF(NEG, z.im)), im);
    return (lun__pair){WHERE(open, far, re), im};
}

static lun__pair acosh_of(const lun__maker *m, lun__pair z)
{
    X beyond, open = special(m, z, &beyond);
    const lun__pair p = sqrt_of(m, (lun__pair){BY(SUB, z.re, 1), z.im});
    const lun__pair q = sqrt_of(m, (lun__pair){BY(ADD, z.re, 1), z.im});
    X re = OF(ASINH, inner(m, p, q)), im = BY(MUL, OP(ATAN2, p.im, q.re), 2);
    X far = OP(ATAN2, z.im, z.re);
    far = WHERE(IS(z.re, 0), OP(COPYSIGN, NUMBER(half_pi), z.im), far);
    return (lun__pair){WHERE(open, unbounded(m, beyond), re), WHERE(open, far, im)};
}

/* The real part of 1/z, of parts that are large. */
static lun__real *reciprocal_real(const lun__maker *m, X x, X y)
{
    X first = OP(GE, OF(ABS, x), OF(ABS, y));
    X r = WHERE(first, OP(DIV, y, x), OP(DIV, x, y));
    X wide = OP(ADD, x, OP(MUL, y, r)), high = OP(ADD, OP(MUL, x, r), y);
    return WHERE(first, OP(DIV, NUMBER(1), wide), OP(DIV, r, high));
}

static lun__pair atanh_of(const lun__maker *m, lun__pair z)
{
    X x = z.re, y = z.im, size = OF(ABS, x), y2 = OP(MUL, y, y);
    X left = OP(SUB, NUMBER(1), size), d = OP(ADD, OP(MUL, left, left), y2);
    X re = BY(DIV, OF(LOG1P, OP(DIV, BY(MUL, size, 4), d)), 4);
    X right = OP(MUL, OP(SUB, NUMBER(1), x), BY(ADD, x, 1));
    X im = BY(DIV, OP(ATAN2, BY(MUL, y, 2), OP(SUB, right, y2)), 2);
    X far = OR(BY(GT, size, 0x1p500), BY(GT, OF(ABS, y), 0x1p500));
    X beyond = OR(OF(ISINF, x), OF(ISINF, y));
    X less = WHERE(beyond, NUMBER(0), OF(ABS, reciprocal_real(m, x, y)));
    re = OP(COPYSIGN, WHERE(far, less, re), x);
    X turn = WHERE(OF(ISNAN, y), y, OP(COPYSIGN, NUMBER(half_pi), y));
    return (lun__pair){WHERE(IS(x, 0), x, re), WHERE(far, turn, im)};
}

/* ---- by operation ---------------------------------------------------------------------------- */

bool lun__function_form_is(lun_op op)
{
    static const bool has[LUN_OP_COUNT] = {
        [LUN_OP_SQRT] = true,  [LUN_OP_EXP] = true,   [LUN_OP_EXPM1] = true, [LUN_OP_LOG] = true,
        [LUN_OP_LOG1P] = true, [LUN_OP_LOG2] = true,  [LUN_OP_LOG10] = true, [LUN_OP_SIN] = true,
        [LUN_OP_COS] = true,   [LUN_OP_TAN] = true,   [LUN_OP_ASIN] = true,  [LUN_OP_ACOS] = true,
        [LUN_OP_ATAN] = true,  [LUN_OP_SINH] = true,  [LUN_OP_COSH] = true,  [LUN_OP_TANH] = true,
        [LUN_OP_ASINH] = true, [LUN_OP_ACOSH] = true, [LUN_OP_ATANH] = true,
    };
    return has[op];
}

static lun__pair arc_function(const lun__maker *m, lun_op op, lun__pair z)
{
    switch (op) {
    case LUN_OP_ASIN:
        return asin_of(m, z);
    case LUN_OP_ACOS:
        return acos_of(m, z);
    case LUN_OP_ATAN:
        return exchanged(atanh_of(m, exchanged(z)));
    case LUN_OP_ASINH:
        return exchanged(asin_of(m, exchanged(z)));
    case LUN_OP_ACOSH:
        return acosh_of(m, z);
    default:
        return atanh_of(m, z);
    }
}

lun__pair lun__function_form(const lun__maker *m, lun_op op, lun__pair z)
{
    lun__pair made;
    z.re = m->widen(m->ctx, z.re);
    z.im = m->widen(m->ctx, z.im ? z.im : NUMBER(0));
    switch (op) {
    case LUN_OP_SQRT:
        return sqrt_of(m, z);
    case LUN_OP_EXP:
    case LUN_OP_EXPM1:
        return exponential(m, z, op == LUN_OP_EXPM1);
    case LUN_OP_LOG:
        return log_of(m, z);
    case LUN_OP_LOG1P:
        return log1p_of(m, z);
    case LUN_OP_LOG2:
        return log_to_base(m, z, inverse_ln2);
    case LUN_OP_LOG10:
        return log_to_base(m, z, inverse_ln10);
    case LUN_OP_SIN:
        return exchanged(sinh_of(m, exchanged(z)));
    case LUN_OP_COS:
        made = cosh_of(m, exchanged(z));
        return (lun__pair){made.re, OF(NEG, made.im)};
    case LUN_OP_TAN:
        return exchanged(tanh_of(m, exchanged(z)));
    case LUN_OP_SINH:
        return sinh_of(m, z);
    case LUN_OP_COSH:
        return cosh_of(m, z);
    case LUN_OP_TANH:
        return tanh_of(m, z);
    default:
        return arc_function(m, op, z);
    }
}
