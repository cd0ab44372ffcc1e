/* bits.c - mask registers of AVX-512, a bit for each lane: small inline functions on them in the
 * generated text. A comparison under a mask is one instruction there, and so is counting in the
 * lanes of a mask. Knows no IR. */
#include "render/vector/bits.h"

#include "render/text/text.h"

bool lun__bits_usable(const lun_renderer *r)
{
    return r->target->isa == LUN_ISA_AVX512 && (r->lanes == 8 || r->lanes == 16);
}

/* "d" or "q": lanes of a full mask, in names of instructions. */
static char lane(const lun_renderer *r)
{
    return r->lanes == 16 ? 'd' : 'q';
}

/* "w" or "b": as many bits as lanes, in names of instructions. */
static char width(const lun_renderer *r)
{
    return r->lanes == 16 ? 'w' : 'b';
}

lun_snippet lun__bits_type(const lun_renderer *r)
{
    return lun__text_name("lun_u%d", r->lanes);
}

lun_snippet lun__bits_set(lun_renderer *r)
{
    lun_snippet c = lun__text_name("%s", "union lun_bits"), bits = lun__bits_type(r);
    if (lun__text_once(r, c.s))
        lun__strbuf_printf(&r->types, "union lun_bits { %s part[%d]; lun_u%d all; };\n", bits.s,
                           r->parts, r->parts * r->lanes);
    return c;
}

/* A helper on the lanes of a full mask; the format takes the type of its bits, then the letter. */
static lun_snippet helper(lun_renderer *r, const char *name, const char *format, char letter)
{
    lun_snippet c = lun__text_name("lun_bits_%s", name);
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun__text_once(r, c.s))
        return c;
    lun__strbuf_printf(&text, format, lun__bits_type(r).s, letter);
    lun__vector_helper(r, lun__vector_rep(LUN_BOOL, r->bytes / r->lanes), lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
    return c;
}

lun_snippet lun__bits_of_mask(lun_renderer *r)
{
    return helper(
        r, "of_mask",
        "INLINE %s lun_bits_of_mask($m a)\n{\n    lun_u$W k;\n"
        "    __asm__(\"vpmov%c2m %%1, %%0\" : \"=Yk\"(k) : \"v\"(a));\n    return k;\n}\n",
        lane(r));
}

lun_snippet lun__bits_to_mask(lun_renderer *r)
{
    return helper(
        r, "to_mask",
        "INLINE $m lun_bits_to_mask(%s k)\n{\n    $m a;\n"
        "    __asm__(\"vpmovm2%c %%1, %%0\" : \"=v\"(a) : \"Yk\"(k));\n    return a;\n}\n",
        lane(r));
}

lun_snippet lun__bits_keep(lun_renderer *r)
{ /* by an instruction: the compiler would collect several masks in a vector first */
    return helper(r, "keep",
                  "INLINE void lun_bits_keep(%s *to, lun_u$W k)\n{\n"
                  "    __asm__(\"kmov%c %%1, %%0\" : \"=m\"(*to) : \"Yk\"(k));\n}\n",
                  width(r));
}

lun_snippet lun__bits_count(lun_renderer *r)
{
    return helper(r, "count",
                  "INLINE $m lun_bits_count($m q, %s k, int n)\n{\n"
                  "    const $m by = ($m){} + n;\n"
                  "    __asm__(\"vpsub%c %%1, %%0, %%0%%{%%2%%}\" : \"+v\"(q) : \"v\"(by), "
                  "\"Yk\"(k));\n    return q;\n}\n",
                  lane(r));
}

lun_snippet lun__bits_while_mask(lun_renderer *r, bool negated)
{
    return helper(r, negated ? "unless_mask" : "while_mask",
                  negated ? "INLINE %s lun_bits_unless_mask(lun_u$W k, $m a)\n{\n"
                            "    __asm__(\"vptestnm%c %%1, %%1, %%0%%{%%0%%}\" : \"+Yk\"(k) : "
                            "\"v\"(a));\n    return k;\n}\n"
                          : "INLINE %s lun_bits_while_mask(lun_u$W k, $m a)\n{\n"
                            "    __asm__(\"vptestm%c %%1, %%1, %%0%%{%%0%%}\" : \"+Yk\"(k) : "
                            "\"v\"(a));\n    return k;\n}\n",
                  lane(r));
}

/* Predicates of the comparing instructions for floats and for integers; [1]: negated. */
static const struct {
    lun_op op;
    int flt[2], integer[2];
} predicates[] = {
    {LUN_OP_LT, {17, 21}, {1, 5}}, {LUN_OP_LE, {18, 22}, {2, 6}}, {LUN_OP_GT, {30, 26}, {6, 2}},
    {LUN_OP_GE, {29, 25}, {5, 1}}, {LUN_OP_EQ, {0, 4}, {0, 4}},   {LUN_OP_NE, {4, 0}, {4, 0}},
};

lun_snippet lun__bits_while(lun_renderer *r, lun_op op, lun_dtype t, bool negated)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    const char *word = negated ? "unless" : "while";
    lun_snippet c = lun__text_name("lun_bits_%s_%s_%s", word, lun__op_get(op)->name, d->name);
    lun_rep rep = {t, false};
    lun_strbuf text = LUN_STRBUF_INIT;
    size_t i = 0;
    while (i < sizeof predicates / sizeof *predicates && predicates[i].op != op)
        i++;
    if (i == sizeof predicates / sizeof *predicates || d->bytes != r->bytes / r->lanes)
        return lun__text_name("%s", "");
    if (!lun__text_once(r, c.s))
        return c;
    bool flt = lun__dtype_is_float(t);
    lun_snippet what = flt ? lun__text_name("vcmpp%c", d->bytes == 4 ? 's' : 'd')
                           : lun__text_name("vpcmp%s%c", d->kind == LUN_KIND_UNSIGNED ? "u" : "",
                                            d->bytes == 4 ? 'd' : 'q');
    lun__strbuf_printf(&text,
                       "INLINE %s %s(lun_u$W k, $v a, $v b)\n{\n"
                       "    __asm__(\"%s $$%d, %%2, %%1, %%0%%{%%0%%}\" : \"+Yk\"(k) : \"v\"(a), "
                       "\"v\"(b));\n    return k;\n}\n",
                       lun__bits_type(r).s, c.s, what.s,
                       flt ? predicates[i].flt[negated] : predicates[i].integer[negated]);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
    return c;
}
