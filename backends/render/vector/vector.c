/* vector.c - GNU vectors in the generated text: their types and the small inline functions on them.
 * Each is written on first use.  Knows no IR. */
#include "render/vector/vector.h"

#include <string.h>

#include "render/text/element_text.h"
#include "render/text/text.h"

lun_rep lun__vector_rep(lun_dtype t, int mask_bytes)
{
    if (lun__dtype_is_bool(t) && mask_bytes) /* 0: in a text on single elements */
        return (lun_rep){lun__element_signed(mask_bytes), true};
    return (lun_rep){t, false};
}

int lun__vector_rep_bytes(lun_rep rep)
{
    return lun__dtype_get(rep.t)->bytes;
}

lun_snippet lun__vector_rep_name(lun_rep rep)
{
    if (rep.mask)
        return lun__text_name("b%d", 8 * lun__vector_rep_bytes(rep));
    return lun__text_name("%s", lun__dtype_get(rep.t)->name);
}

lun_snippet lun__vector_of(lun_renderer *r, lun_dtype t, int lanes)
{
    lun_snippet c = lun__text_name("%sx%d", lun__dtype_get(t)->name, lanes);
    if (lun__text_once(r, c.s))
        lun__strbuf_printf(&r->types, "typedef %s %s __attribute__((vector_size(%d)));\n",
                           lun__element_type(t).s, c.s, lanes * lun__dtype_get(t)->bytes);
    return c;
}

lun_snippet lun__vector_type(lun_renderer *r, lun_rep rep)
{
    return lun__vector_of(r, rep.t, r->lanes);
}

static void template(lun_renderer *r, lun_strbuf *out, lun_rep rep, const char *text)
{
    int bytes = lun__vector_rep_bytes(rep);
    for (; *text; text++) {
        size_t n = strcspn(text, "$");
        lun__strbuf_add(out, text, n);
        text += n;
        if (!*text)
            break;
        switch (*++text) {
        case 'v':
            lun__strbuf_puts(out, lun__vector_type(r, rep).s);
            break;
        case 'm':
            lun__strbuf_puts(out, lun__vector_of(r, lun__element_signed(bytes), r->lanes).s);
            break;
        case 'u':
            lun__strbuf_puts(out, lun__vector_of(r, lun__element_unsigned(bytes), r->lanes).s);
            break;
        case 't':
            lun__strbuf_puts(out, lun__element_type(rep.t).s);
            break;
        case 'n':
            lun__strbuf_puts(out, lun__vector_rep_name(rep).s);
            break;
        case 's':
            lun__strbuf_printf(out, "%d", 8 * bytes);
            break;
        case 'g':
            lun__strbuf_puts(out, lun__text_global(r).s);
            break;
        case 'W':
            lun__strbuf_printf(out, "%d", r->lanes);
            break;
        default:
            lun__strbuf_add(out, text, 1);
        }
    }
}

void lun__vector_helper(lun_renderer *r, lun_rep rep, const char *text)
{
    lun_strbuf made = LUN_STRBUF_INIT; /* types that it mentions come first */
    template(r, &made, rep, text);
    lun__strbuf_puts(&r->helpers, lun__strbuf_text(&made));
    if (made.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&made);
}

void lun__vector_shuffle(lun_renderer *r, lun_strbuf *out, lun_rep rep, const char *a,
                         const char *b, int (*at)(int lane, int lanes, int arg), int arg)
{
    lun_snippet m = lun__vector_of(r, lun__element_signed(lun__vector_rep_bytes(rep)), r->lanes);
    lun__strbuf_printf(out, "SHUFFLE(%s, %s, %s", m.s, a, b);
    for (int l = 0; l < r->lanes; l++)
        lun__strbuf_printf(out, ", %d", at(l, r->lanes, arg));
    lun__strbuf_puts(out, ")");
}

/* ---- small ones ------------------------------------------------------------------------------ */

lun_snippet lun__vector_select(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_select_%s", lun__vector_rep_name(rep).s);
    if (lun__text_once(r, c.s))
        lun__vector_helper(r, rep,
                           "INLINE $v lun_select_$n($m mask, $v a, $v b)\n{\n"
                           "    return ($v)((($m)a & mask) | (($m)b & ~mask));\n}\n");
    return c;
}

lun_snippet lun__vector_splat(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_splat_%s", lun__vector_rep_name(rep).s);
    if (!lun__text_once(r, c.s))
        return c;
    if (rep.mask)
        lun__vector_helper(
            r, rep, "INLINE $v lun_splat_$n(lun_u8 a)\n{\n    return ($v){} - ($t)(a != 0);\n}\n");
    else if (lun__dtype_is_float(rep.t)) /* by its bits: x + 0 is not x for every x */
        lun__vector_helper(
            r, rep,
            "INLINE $v lun_splat_$n($t a)\n{\n    lun_u$s bits;\n"
            "    __builtin_memcpy(&bits, &a, sizeof a);\n    return ($v)(($u){} + bits);\n}\n");
    else
        lun__vector_helper(r, rep, "INLINE $v lun_splat_$n($t a)\n{\n    return ($v){} + a;\n}\n");
    return c;
}

/* "0, 1, 2": the number of each lane. */
static void lane_numbers(lun_renderer *r, lun_strbuf *out)
{
    for (int l = 0; l < r->lanes; l++)
        lun__strbuf_printf(out, "%s%d", l ? ", " : "", l);
}

lun_snippet lun__vector_live(lun_renderer *r, int bytes)
{
    lun_rep rep = lun__vector_rep(LUN_BOOL, bytes);
    lun_snippet c = lun__text_name("lun_live_%s", lun__vector_rep_name(rep).s);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_puts(&text,
                     "INLINE $m lun_live_$n(lun_i64 left)\n{\n    const $t n = ($t)(left < 0 ? 0 : "
                     "left < $W ? left : $W);\n    return ($m){");
    lane_numbers(r, &text);
    lun__strbuf_puts(&text, "} < ($m){} + n;\n}\n");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

lun_snippet lun__vector_any(lun_renderer *r, int bytes)
{
    lun_rep rep = lun__vector_rep(LUN_BOOL, bytes);
    lun_snippet c = lun__text_name("lun_any_%s", lun__vector_rep_name(rep).s);
    int total = bytes * r->lanes;
    bool wide = r->target->isa != LUN_ISA_BASE;
    if (!lun__text_once(r, c.s))
        return c;
    if (r->dialect->any) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun__text_put(r, &text, "INLINE int lun_any_$n($m a)\n{\n%s}\n", r->dialect->any);
        lun__vector_helper(r, rep, lun__strbuf_text(&text));
        lun__strbuf_free(&text);
    } else if (total <= 8) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun__strbuf_printf(
            &text, "INLINE int lun_any_$n($m a)\n{\n    return (lun_u%d)a != 0;\n}\n", 8 * total);
        lun__vector_helper(r, rep, lun__strbuf_text(&text));
        lun__strbuf_free(&text);
    } else if (wide && total == 64) {
        lun__vector_helper(
            r, rep,
            "INLINE int lun_any_$n($m a)\n{\n    lun_u64 k;\n"
            "    __asm__(\"vptestmb %1, %1, %0\" : \"=k\"(k) : \"v\"(a));\n    return k != "
            "0;\n}\n");
    } else if (wide) {
        lun__vector_helper(
            r, rep,
            "INLINE int lun_any_$n($m a)\n{\n    int k;\n"
            "    __asm__(\"vptest %1, %1\" : \"=@ccnz\"(k) : \"x\"(a));\n    return k;\n}\n");
    } else {
        lun__vector_helper(
            r, rep,
            "INLINE int lun_any_$n($m a)\n{\n    lun_u64 w[sizeof a / 8], k = 0;\n"
            "    __builtin_memcpy(w, &a, sizeof a);\n"
            "    for (unsigned l = 0; l < sizeof a / 8; l++) k |= w[l];\n    return k != 0;\n}\n");
    }
    return c;
}

lun_snippet lun__vector_note(lun_renderer *r, int bytes)
{
    lun_rep rep = lun__vector_rep(LUN_BOOL, bytes);
    lun_snippet c = lun__text_name("lun_note_%s", lun__vector_rep_name(rep).s);
    if (lun__text_once(r, c.s))
        lun__vector_helper(
            r, rep,
            "static __attribute__((noinline, cold)) int lun_note_$n(const $m *bad, lun_i64 i, "
            "struct frame *f,\n                                                 lun_i64 where, "
            "const lun_i64 *value)\n{\n"
            "    for (int l = 0; l < $W; l++) {\n        if (!(*bad)[l] || i + l >= f->n) "
            "continue;\n"
            "        if (f->trap < 0) {\n            f->trap = where;\n"
            "            f->trap_value = value ? value[l] : 0;\n        }\n"
            "        return 1;\n    }\n    return 0;\n}\n");
    return c;
}
