/* vector_math.c - calls of the sequences from the generated text, which quotes them; see
 * math/sequence.h. They are functions on native vectors. Knows no IR. */
#include "render/vector/vector_math.h"

#include "render/text/element_text.h"
#include "render/text/text.h"

/* "0, 1, ..., 0, 1, ...": the lanes of a narrow vector, repeated to fill a native one. */
static void repeated(lun_renderer *r, lun_strbuf *out, int lanes)
{
    for (int l = 0; l < lanes; l++)
        lun__strbuf_printf(out, "%s%d", l ? ", " : "", l % r->lanes);
}

lun_snippet lun__vector_math(lun_renderer *r, lun_op op, lun_dtype t)
{
    int native = r->bytes / lun__dtype_get(t)->bytes, arity = lun__op_get(op)->arity;
    const char *name = lun__element_sequence(r, op, t);
    lun_rep rep = {t, false};
    if (native == r->lanes)
        return lun__text_name("lun_seq_%s", name);
    lun_snippet c = lun__text_name("lun_lanes_%s", name);
    if (!lun__text_once(r, c.s))
        return c;
    lun_snippet wide = lun__vector_of(r, t, native);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE $v %s($v a%s)\n{\n    $v r;\n", c.s,
                       arity == 2 ? ", $v b" : "");
    for (int k = 0; k < arity; k++) {
        const char *x = k ? "b" : "a";
        lun__strbuf_printf(&text, "    const %s wide_%s = RESIZE(%s, %s, %s, ", wide.s, x, wide.s,
                           x, x);
        repeated(r, &text, native);
        lun__strbuf_puts(&text, ");\n");
    }
    lun__strbuf_printf(&text, "    const %s y = lun_seq_%s(wide_a%s);\n    r = RESIZE($v, y, y, ",
                       wide.s, name, arity == 2 ? ", wide_b" : "");
    repeated(r, &text, r->lanes);
    lun__strbuf_puts(&text, ");\n    return r;\n}\n");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
    return c;
}
