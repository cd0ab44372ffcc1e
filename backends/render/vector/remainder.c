/* remainder.c - a % b of floats on GNU vectors, exactly.  Knows no IR.
 *
 * x = |a|, y = |b|, p bits in a significand.  Where x / y < 2^p, the rounded quotient cut to an
 * integer q is the true one or one more, for floats hold every integer up to 2^p.  x - q y is a
 * multiple of the last bit of y and at most y in size, so a float: an FMA gives it without
 * rounding; where it is negative y is added, which is exact for the same reason.  Larger quotients
 * are left to C's fmod, lane by lane. */
#include "render/vector/operation.h"

#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/vector.h"

/* lun_far_mod_<type>(a, b): lane by lane. */
static lun_snippet far_mod(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_far_mod_%s", lun__vector_rep_name(rep).s),
                one = lun__element_op(r, LUN_OP_MOD, rep.t);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text,
                       "static __attribute__((noinline, cold)) $v %s($v a, $v b)\n{\n    $v r;\n"
                       "    LANES($W) r[l] = %s(a[l], b[l]);\n    return r;\n}\n",
                       c.s, one.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

bool lun__remainder_vector(lun_renderer *r, lun_rep rep, lun_strbuf *text)
{
    int bytes = lun__vector_rep_bytes(rep);
    if (rep.mask || !lun__dtype_is_plain_float(rep.t) || r->target->isa == LUN_ISA_BASE ||
        r->dialect->vector_function || bytes * r->lanes < 16)
        return false;
    lun_snippet far = far_mod(r, rep), cut = lun__exact_function(r, "trunc", rep),
                fma = lun__exact_function(r, "fma", rep), any = lun__vector_any(r, bytes),
                select = lun__vector_select(r, rep);
    lun__strbuf_printf(text,
                       "    const $m sign = ($m)(($u){} + (lun_u$s)1 << ($s - 1));\n"
                       "    const $v x = ($v)(($m)a & ~sign), y = ($v)(($m)b & ~sign);\n"
                       "    const $v d = x / y, q = %s(d);\n"
                       "    const $m far = (d >= 0x1p%df) & (y != 0) & (x - x == 0);\n"
                       "    if (__builtin_expect(%s(far), 0)) return %s(a, b);\n"
                       "    $v r = %s(-q, y, x);\n"
                       "    r = %s(r < 0, r + y, r);\n"
                       "    r = %s(x < y, x, r); /* y may be infinite */\n"
                       "    r = ($v)(($m)r | (($m)a & sign));\n"
                       "    return %s((r != 0) & ((r < 0) ^ (b < 0)), r + b, r);\n",
                       cut.s, lun__dtype_precision(rep.t), any.s, far.s, fma.s, select.s, select.s,
                       select.s);
    return true;
}
