/* vector_math.c - vector math in the generated text: calls of math/vecmath.h's functions by
 * pointer. Knows no IR. */
#include "render/vector/vector_math.h"

#include "render/text/element_text.h"
#include "render/text/text.h"

bool lun__vector_math_has(const lun_renderer *r, lun_op op, lun_dtype t)
{
    if (!lun__dtype_is_plain_float(t))
        return false;
    if (!(lun__op_get(op)->flags & LUN_OPF_VEC) || !r->target->math)
        return false;
    return r->target->math[lun__vecmath_index(op, t)] != NULL;
}

lun_snippet lun__vector_math_type(lun_renderer *r, lun_dtype t, int arity)
{
    lun_snippet c = lun__text_name("lun_math%d_%s", arity, lun__dtype_get(t)->name);
    if (lun__text_once(r, c.s)) {
        lun_snippet v = lun__vector_of(r, t, r->bytes / lun__dtype_get(t)->bytes);
        lun__strbuf_printf(&r->types, "typedef %s (*%s)(%s%s%s);\n", v.s, c.s, v.s,
                           arity == 2 ? ", " : "", arity == 2 ? v.s : "");
    }
    return c;
}

/* "0, 1, ..., 0, 1, ...": the lanes of a narrow vector, repeated to fill a native one. */
static void repeated(lun_renderer *r, lun_strbuf *out, int lanes)
{
    for (int l = 0; l < lanes; l++)
        lun__strbuf_printf(out, "%s%d", l ? ", " : "", l % r->lanes);
}

lun_snippet lun__vector_math_vector(lun_renderer *r, lun_dtype t, int arity)
{
    int native = r->bytes / lun__dtype_get(t)->bytes;
    lun_rep rep = {t, false};
    lun_snippet c = lun__text_name("lun_call_math%d_%s", arity, lun__dtype_get(t)->name);
    if (!lun__text_once(r, c.s))
        return c;
    lun_snippet type = lun__vector_math_type(r, t, arity), wide = lun__vector_of(r, t, native);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE $v %s(%s f, $v a%s)\n{\n", c.s, type.s,
                       arity == 2 ? ", $v b" : "");
    if (native == r->lanes) {
        lun__strbuf_printf(&text, "    return f(a%s);\n}\n", arity == 2 ? ", b" : "");
    } else {
        lun__strbuf_puts(&text, "    $v r;\n");
        for (int k = 0; k < arity; k++) {
            const char *x = k ? "b" : "a";
            lun__strbuf_printf(&text, "    const %s wide_%s = RESIZE(%s, %s, %s, ", wide.s, x,
                               wide.s, x, x);
            repeated(r, &text, native);
            lun__strbuf_puts(&text, ");\n");
        }
        lun__strbuf_printf(&text, "    const %s y = f(wide_a%s);\n    r = RESIZE($v, y, y, ",
                           wide.s, arity == 2 ? ", wide_b" : "");
        repeated(r, &text, r->lanes);
        lun__strbuf_puts(&text, ");\n    return r;\n}\n");
    }
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

lun_snippet lun__vector_math_single(lun_renderer *r, lun_dtype t, int arity)
{
    int native = r->bytes / lun__dtype_get(t)->bytes;
    lun_snippet c = lun__text_name("lun_one_math%d_%s", arity, lun__dtype_get(t)->name);
    lun_snippet type = lun__vector_math_type(r, t, arity), v = lun__vector_of(r, t, native),
                one = lun__element_type(t);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out, "INLINE %s %s(%s f, %s a%s%s)\n{\n    return f(", one.s, c.s, type.s,
                       one.s, arity == 2 ? ", " : "",
                       arity == 2 ? lun__text_name("%s b", one.s).s : "");
    for (int k = 0; k < arity; k++) {
        lun__strbuf_printf(out, "%s(%s){", k ? ", " : "", v.s);
        for (int l = 0; l < native; l++)
            lun__strbuf_printf(out, "%s%s", l ? ", " : "", k ? "b" : "a");
        lun__strbuf_puts(out, "}");
    }
    lun__strbuf_puts(out, ")[0];\n}\n");
    return c;
}
