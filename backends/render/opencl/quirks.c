/* quirks.c - functions of drivers on vectors that miss the promised accuracy (4 ULP in f32, 2 in
 * f64), and what texts in the VECTOR form have instead: one table, a block for each driver and
 * version that was measured.  A replacement is right on every driver, so a text does not depend on
 * the driver's version.  All other functions of PoCL 3.1 stay below 2.3 ULP in f32 and 1.4 in f64.
 * Knows no IR. */
#include "render/opencl/quirks.h"

#include <string.h>

#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/operation.h"

/* sin, cos, tan in f32, computed in f64: n pi/2 is taken off x in two steps, and short polynomials
 * are enough for what is left.  The built-in ones on floats are off by 1e-4. */
static void trigonometry(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    const lun_rep wide = {LUN_F64, false};
    lun_snippet w = lun__vector_type(r, rep), pick = lun__vector_select(r, wide),
                any = lun__vector_any(r, 8), fma = lun__exact_function(r, "fma", wide);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(
        &text,
        "INLINE %s %s(%s a)\n{\n"
        "    const $v x = __builtin_convertvector(a, $v), magic = ($v){} + 0x1.8p52;\n"
        "    const $v t = %s(x, ($v){} + 0x1.45f306dc9c883p-1, magic), n = t - magic;\n"
        "    $v r = %s(-n, ($v){} + 0x1.921fb54442d18p+0, x);\n"
        "    r -= n * 0x1.1a62633145c07p-54;\n"
        "    const $v z = r * r;\n"
        "    const $v s = r + r * z * (-0x1.5555555555555p-3 + z * (0x1.1111111110ba5p-7 +\n"
        "        z * (-0x1.a01a019e80693p-13 + z * 0x1.71de379252004p-19)));\n"
        "    const $v c = 1.0 - 0.5 * z + z * z * (0x1.5555555555555p-5 + z *\n"
        "        (-0x1.6c16c16c16960p-10 + z * (0x1.a01a019f4d0edp-16 - z * "
        "0x1.27e4fa15bd814p-22)));\n"
        "    const $m q = ($m)t + %d, odd = -(q & 1);\n",
        w.s, helper, w.s, fma.s, fma.s, op == LUN_OP_COS);
    if (op == LUN_OP_TAN)
        lun__strbuf_printf(&text, "    $v y = %s(odd, -c, s) / %s(odd, s, c);\n", pick.s, pick.s);
    else
        lun__strbuf_printf(&text, "    $v y = ($v)(($m)%s(odd, c, s) ^ ((q & 2) << 62));\n",
                           pick.s);
    if (op != LUN_OP_COS)
        lun__strbuf_printf(&text, "    y = %s(x == 0, x, y);\n", pick.s);
    lun__strbuf_printf(&text,
                       "    const $m far = ~(($v)(($m)x & 0x7fffffffffffffff) <= 0x1p30);\n"
                       "    if (__builtin_expect(%s(far), 0)) {\n"
                       "        union { $v v; double$W o; } f = {x};\n        f.o = %s(f.o);\n"
                       "        y = %s(far, f.v, y);\n    }\n"
                       "    return __builtin_convertvector(y, %s);\n}\n",
                       any.s, lun__op_get(op)->name, pick.s, w.s);
    lun__vector_helper(r, wide, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
}

/* In halves: on 8 doubles the built-in one fails for exponents beyond 2^40 or so. */
static void power(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    (void)op;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text,
                       "INLINE $v %s($v a, $v b)\n{\n"
                       "    union { $v v; double$W o; } x = {a}, y = {b};\n"
                       "    x.o = (double$W)(pow(x.o.lo, y.o.lo), pow(x.o.hi, y.o.hi));\n"
                       "    return x.v;\n}\n",
                       helper);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
}

/* The built-in one gives 0 for the smallest numbers; log(1 + a) is a there. */
static void logarithm(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    (void)op;
    bool wide = lun__dtype_is_double(rep.t);
    lun_snippet pick = lun__vector_select(r, rep);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text,
                       "INLINE $v %s($v a)\n{\n"
                       "    union { $v v; %s$W o; } y = {a};\n    y.o = log1p(y.o);\n"
                       "    return %s(($v)(($m)a & %s) < %s, a, y.v);\n}\n",
                       helper, lun__dtype_get(rep.t)->ctype, pick.s,
                       wide ? "0x7fffffffffffffff" : "0x7fffffff", wide ? "0x1p-55" : "0x1p-26f");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
}

static void polynomial(lun_strbuf *out, const char *p, const char *const *c, int terms)
{
    lun__strbuf_printf(out, "    $v %s = ($v){} + %s;\n", p, c[terms - 1]);
    for (int k = terms - 2; k >= 0; k--)
        lun__strbuf_printf(out, "    %s = lun_fma_of_f64(%s, z, ($v){} + %s);\n", p, p, c[k]);
}

/* As math/f64.h does it: a remainder in two parts, the quotient corrected once. */
static void tangent(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    (void)op;
    static const char *const sines[] = {"-0x1.5555555555555p-3",  "0x1.1111111110ba5p-7",
                                        "-0x1.a01a019e80693p-13", "0x1.71de379252004p-19",
                                        "-0x1.ae60069e53ef1p-26", "0x1.5e098556d302ep-33"};
    static const char *const cosines[] = {"0x1.5555555555555p-5",  "-0x1.6c16c16c16960p-10",
                                          "0x1.a01a019f4d0edp-16", "-0x1.27e4fa15bd814p-22",
                                          "0x1.1eeb66b683028p-29", "-0x1.907c0e63adbb6p-37"};
    lun_snippet pick = lun__vector_select(r, rep), any = lun__vector_any(r, 8);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__exact_function(r, "fma", rep);
    lun__strbuf_printf(
        &text,
        "INLINE $v %s($v x)\n{\n"
        "    const $v magic = ($v){} + 0x1.8p52, low_pi = ($v){} + 0x1.1a62633145c07p-54;\n"
        "    const $v t = lun_fma_of_f64(x, ($v){} + 0x1.45f306dc9c883p-1, magic), n = t - magic;\n"
        "    const $v r0 = lun_fma_of_f64(-n, ($v){} + 0x1.921fb54442d18p+0, x), p = n * low_pi;\n"
        "    const $v h = r0 - p, back = r0 - h, p_low = lun_fma_of_f64(n, low_pi, -p);\n"
        "    const $v l = lun_fma_of_f64(n, ($v){} + 0x1.f1976b7ed8fbcp-110,\n"
        "        (r0 - (h + back)) + (back - p) - p_low), z = h * h;\n",
        helper);
    polynomial(&text, "ps", sines, sizeof sines / sizeof *sines);
    polynomial(&text, "pc", cosines, sizeof cosines / sizeof *cosines);
    lun__strbuf_printf(
        &text,
        "    const $v rs = lun_fma_of_f64(h * z, ps, l * (1.0 - 0.5 * z)), s = h + rs;\n"
        "    const $v s_low = (h - s) + rs, hz = 0.5 * z, w = 1.0 - hz;\n"
        "    const $v rc = (1.0 - w) - hz - 0.5 * lun_fma_of_f64(h, h, -z) +\n"
        "        lun_fma_of_f64(z * z, pc, -h * l), c = w + rc, c_low = (w - c) + rc;\n"
        "    const $m odd = -(($m)t & 1), far = ~(($v)(($m)x & 0x7fffffffffffffff) <= 0x1p30);\n"
        "    const $v a = %s(odd, -c, s), a_low = %s(odd, -c_low, s_low);\n"
        "    const $v b = %s(odd, s, c), b_low = %s(odd, s_low, c_low);\n"
        "    const $v inverse = 1.0 / b, q = a * inverse;\n"
        "    $v r = q + inverse * (lun_fma_of_f64(-q, b, a) + a_low - q * b_low);\n"
        "    r = %s(x == 0, x, r);\n"
        "    if (__builtin_expect(%s(far), 0)) {\n"
        "        union { $v v; double$W o; } y = {x};\n        y.o = tan(y.o);\n"
        "        r = %s(far, y.v, r);\n    }\n    return r;\n}\n",
        pick.s, pick.s, pick.s, pick.s, pick.s, any.s, pick.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
}

/* exp, sinh and cosh in f64 near their largest results: the built-in ones give inf or NaN for what
 * is still finite. A power less, then times e or e^2 / 2, in two parts. */
static void largest(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    bool exp = op == LUN_OP_EXP;
    lun_snippet pick = lun__vector_select(r, rep), any = lun__vector_any(r, 8);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(
        &text,
        "INLINE $v %s($v a)\n{\n    union { $v v; double$W o; } y = {a}, t;\n    y.o = %s(y.o);\n"
        "    const $v x = %s;\n    const $m far = x > 709.0;\n    if (%s(far)) {\n"
        "        t.v = x - %s;\n        t.o = exp(t.o);\n        t.v = %s;\n"
        "        y.v = %s(far, %s, y.v);\n    }\n    return y.v;\n}\n",
        helper, lun__op_get(op)->name, exp ? "a" : "($v)(($m)a & 0x7fffffffffffffff)", any.s,
        exp ? "1.0" : "2.0",
        exp ? "t.v * 0x1.5bf0a8b145769p+1 + t.v * 0x1.4d57ee2b1013ap-53"
            : "t.v * 0x1.d8e64b8d4ddadp+1 + t.v * 0x1.9867477440d6dp-52",
        pick.s, op == LUN_OP_SINH ? "($v)(($m)t.v | (($m)a & ~0x7fffffffffffffff))" : "t.v");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
}

/* tanh in f32, which is 1 from 9.02 on: the built-in one stops one unit below. */
static void unit(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    (void)op;
    lun_snippet pick = lun__vector_select(r, rep);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text,
                       "INLINE $v %s($v a)\n{\n    union { $v v; float$W o; } y = {a};\n"
                       "    y.o = tanh(y.o);\n"
                       "    const $m far = ($v)(($m)a & 0x7fffffff) > 9.1f;\n"
                       "    return %s(far, ($v)(($m)a & ~0x7fffffff | 0x3f800000), y.v);\n}\n",
                       helper, pick.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
}

/* The same on single elements: bodies over a. */
static const struct {
    const char *name;
    lun_dtype t;
    const char *body;
} singles[] = {
    {"exp", LUN_F64,
     "const double t = exp(a - 1.0);\n    return a > 709.0 ? t * 0x1.5bf0a8b145769p+1 + t * "
     "0x1.4d57ee2b1013ap-53 : exp(a);"},
    {"sinh", LUN_F64,
     "const double x = fabs(a), t = exp(x - 2.0);\n    return x > 709.0 ? copysign(t * "
     "0x1.d8e64b8d4ddadp+1 + t * 0x1.9867477440d6dp-52, a) : sinh(a);"},
    {"cosh", LUN_F64,
     "const double x = fabs(a), t = exp(x - 2.0);\n    return x > 709.0 ? t * "
     "0x1.d8e64b8d4ddadp+1 + t * 0x1.9867477440d6dp-52 : cosh(a);"},
    {"tanh", LUN_F32, "return fabs(a) > 9.1f ? copysign(1.0f, a) : tanh(a);"},
};

const char *lun__cl_quirks_body(const char *name, lun_dtype t)
{
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        if (singles[i].t == t && !strcmp(singles[i].name, name))
            return singles[i].body;
    return NULL;
}

void lun__cl_quirks_single(lun_renderer *r, const char *name, size_t n, lun_dtype t,
                           lun_strbuf *out)
{
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        if (singles[i].t != t || strlen(singles[i].name) != n || memcmp(singles[i].name, name, n))
            continue;
        lun_snippet c = lun__text_name("lun_single_%s", singles[i].name);
        lun_snippet type = lun__element_type(t);
        if (lun__text_once(r, c.s))
            lun__strbuf_printf(&r->helpers, "INLINE %s %s(%s a)\n{\n    %s\n}\n", type.s, c.s,
                               type.s, singles[i].body);
        lun__strbuf_puts(out, c.s);
        return;
    }
    lun__strbuf_add(out, name, n);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    lun_op op;
    lun_dtype t;
    int lanes; /* 0: any number */
    bool fp64; /* the replacement computes in f64: only where the device has it */
    void (*write)(lun_renderer *r, const char *helper, lun_op op, lun_rep rep);
} quirks[] = {
    /* PoCL 3.1 */
    {LUN_OP_SIN, LUN_F32, 0, true, trigonometry}, /* off by 1e-4 */
    {LUN_OP_COS, LUN_F32, 0, true, trigonometry},
    {LUN_OP_TAN, LUN_F32, 0, true, trigonometry},
    {LUN_OP_TAN, LUN_F64, 0, false, tangent},     /* more than 2 ULP */
    {LUN_OP_POW, LUN_F64, 8, false, power},       /* wrong for exponents beyond 2^40 or so */
    {LUN_OP_LOG1P, LUN_F32, 0, false, logarithm}, /* 0 for the smallest numbers */
    {LUN_OP_LOG1P, LUN_F64, 0, false, logarithm},
    {LUN_OP_EXP, LUN_F64, 0, false, largest},  /* inf below the largest number */
    {LUN_OP_SINH, LUN_F64, 0, false, largest}, /* NaN there */
    {LUN_OP_COSH, LUN_F64, 0, false, largest},
    {LUN_OP_TANH, LUN_F32, 0, false, unit},
};

bool lun__cl_quirks_write(lun_renderer *r, const char *helper, lun_op op, lun_rep rep)
{
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++)
        if (quirks[i].op == op && quirks[i].t == rep.t && (!quirks[i].fp64 || r->fp64) &&
            (!quirks[i].lanes || quirks[i].lanes == r->lanes)) {
            quirks[i].write(r, helper, op, rep);
            return true;
        }
    return false;
}
