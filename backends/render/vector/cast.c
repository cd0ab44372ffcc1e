/* cast.c - conversions of GNU vectors in the generated text, to another dtype and to lanes of
 * another width. gcc compiles some cases of __builtin_convertvector to a dozen instructions; where
 * one instruction does it, the text names it. Knows no IR. */
#include "render/vector/cast.h"

#include "render/text/element_text.h"
#include "render/text/floats.h"
#include "render/text/text.h"

/* The x86 instruction that converts whole vectors of one size of lanes to another. */
static const char *instruction(const lun_renderer *r, lun_dtype to, lun_dtype from)
{
    static const struct {
        lun_dtype to, from;
        int isa;
        const char *name;
    } table[] = {
        {LUN_I16, LUN_I8, LUN_ISA_AVX2, "vpmovsxbw"},
        {LUN_I16, LUN_U8, LUN_ISA_AVX2, "vpmovzxbw"},
        {LUN_I32, LUN_I8, LUN_ISA_AVX2, "vpmovsxbd"},
        {LUN_I32, LUN_U8, LUN_ISA_AVX2, "vpmovzxbd"},
        {LUN_I64, LUN_I8, LUN_ISA_AVX2, "vpmovsxbq"},
        {LUN_I64, LUN_U8, LUN_ISA_AVX2, "vpmovzxbq"},
        {LUN_I32, LUN_I16, LUN_ISA_AVX2, "vpmovsxwd"},
        {LUN_I32, LUN_U16, LUN_ISA_AVX2, "vpmovzxwd"},
        {LUN_I64, LUN_I16, LUN_ISA_AVX2, "vpmovsxwq"},
        {LUN_I64, LUN_U16, LUN_ISA_AVX2, "vpmovzxwq"},
        {LUN_I64, LUN_I32, LUN_ISA_AVX2, "vpmovsxdq"},
        {LUN_I64, LUN_U32, LUN_ISA_AVX2, "vpmovzxdq"},
        {LUN_I8, LUN_I16, LUN_ISA_AVX512, "vpmovwb"},
        {LUN_I8, LUN_I32, LUN_ISA_AVX512, "vpmovdb"},
        {LUN_I8, LUN_I64, LUN_ISA_AVX512, "vpmovqb"},
        {LUN_I16, LUN_I32, LUN_ISA_AVX512, "vpmovdw"},
        {LUN_I16, LUN_I64, LUN_ISA_AVX512, "vpmovqw"},
        {LUN_I32, LUN_I64, LUN_ISA_AVX512, "vpmovqd"},
        {LUN_F64, LUN_F32, LUN_ISA_AVX2, "vcvtps2pd"},
        {LUN_F64, LUN_I32, LUN_ISA_AVX2, "vcvtdq2pd"},
        {LUN_F64, LUN_U32, LUN_ISA_AVX512, "vcvtudq2pd"},
        {LUN_I64, LUN_F32, LUN_ISA_AVX512, "vcvttps2qq"},
        {LUN_U64, LUN_F32, LUN_ISA_AVX512, "vcvttps2uqq"},
        {LUN_F32, LUN_F16, LUN_ISA_AVX2, "vcvtph2ps"},
        {LUN_F16, LUN_F32, LUN_ISA_AVX2, "vcvtps2ph $$0,"}, /* to nearest, whatever the mode is */
    };
    int bytes = lun__dtype_get(to)->bytes, least = lun__dtype_get(from)->bytes, most = bytes;
    if (least > bytes) {
        most = least;
        least = bytes;
    }
    /* both sides must be registers; wide elements outside of a loop in narrow lanes take two */
    if (least * r->lanes > 32 || most * r->lanes > r->bytes)
        return NULL;
    bool ints = !lun__dtype_is_float(to) && !lun__dtype_is_float(from);
    if (ints)
        to = lun__element_signed(bytes);
    if (ints && lun__dtype_get(from)->bytes > bytes)
        from = lun__element_signed(lun__dtype_get(from)->bytes);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].to == to && table[i].from == from && (int)r->target->isa >= table[i].isa)
            return table[i].name;
    return NULL;
}

static lun_snippet step(lun_renderer *r, lun_dtype to, lun_dtype from);

/* Integers cut to narrower ones, as a choice of parts: AVX2 has shuffles for that, no
 * conversion. */
static void take_low_parts(lun_renderer *r, lun_dtype to, lun_dtype from, lun_strbuf *text)
{
    int times = lun__dtype_get(from)->bytes / lun__dtype_get(to)->bytes;
    lun_snippet parts = lun__vector_of(r, to, r->lanes * times);
    lun__strbuf_printf(text, "    return RESIZE($v, (%s)a, (%s)a", parts.s, parts.s);
    for (int l = 0; l < r->lanes; l++)
        lun__strbuf_printf(text, ", %d", l * times);
    lun__strbuf_puts(text, ");\n");
}

/* 64-bit integers (or unsigned ones of 32) to f64 without an instruction for it: each half becomes
 * the low bits of a large float, and one addition rounds. */
static void f64_by_bits(lun_renderer *r, lun_dtype from, lun_strbuf *text)
{
    bool narrow = lun__dtype_get(from)->bytes == 4;
    lun_snippet wide =
        narrow ? lun__text_name("%s(a)", step(r, LUN_U64, from).s) : lun__text_name("a");
    lun__strbuf_printf(text,
                       "    const $u x = ($u)%s;\n    const $v lo = ($v)((x & 0xffffffff) | "
                       "0x4330000000000000);\n",
                       wide.s);
    if (narrow)
        lun__strbuf_puts(text, "    return lo - 0x1p52;\n");
    else if (lun__dtype_is_unsigned(from))
        lun__strbuf_puts(text, "    const $v hi = ($v)((x >> 32) ^ 0x4530000000000000) - "
                               "(0x1p84 + 0x1p52);\n    return hi + lo;\n");
    else
        lun__strbuf_puts(text, "    const $v hi = ($v)((x >> 32) ^ 0x4530000080000000) - "
                               "(0x1p84 + 0x1p63 + 0x1p52);\n    return hi + lo;\n");
}

/* Between a STORED float and a PLAIN one. */
static void stored_by_bits(lun_renderer *r, lun_dtype to, lun_dtype from, lun_strbuf *text)
{
    bool widens = lun__dtype_is_stored(from);
    lun_dtype wide = widens ? to : from;
    lun_dtype word = lun__element_unsigned(lun__dtype_get(wide)->bytes),
              half = lun__element_unsigned(lun__dtype_get(widens ? from : to)->bytes);
    lun_snippet words = lun__vector_of(r, word, r->lanes),
                floats = lun__vector_of(r, wide, r->lanes);
    lun_snippet sum =
        lun__text_name("((WORDS)((%s)(x) %%c (%s)((WORDS){} + (y))))", floats.s, floats.s);
    if (widens)
        lun__strbuf_printf(text, "    const %s u = %s(a);\n", words.s, step(r, word, half).s);
    else
        lun__strbuf_printf(text, "    const %s u = (%s)a;\n", words.s, words.s);
    lun__floats_put(text, to, from, words.s, sum.s);
    if (widens)
        lun__strbuf_puts(text, "    return ($v)r;\n");
    else
        lun__strbuf_printf(text, "    return %s(r);\n", step(r, half, word).s);
}

/* lun_step_f64_f32(a): one conversion as C defines it, without any care for its range. */
static lun_snippet step(lun_renderer *r, lun_dtype to, lun_dtype from)
{
    lun_rep rep = {to, false};
    lun_snippet c =
        lun__text_name("lun_step_%s_%s", lun__dtype_get(to)->name, lun__dtype_get(from)->name);
    if (!lun__text_once(r, c.s))
        return c;
    const char *name = instruction(r, to, from);
    lun_snippet v = lun__vector_of(r, from, r->lanes);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE $v %s(%s a)\n{\n", c.s, v.s);
    if (name)
        lun__strbuf_printf(
            &text,
            "#ifndef __clang__\n    $v r;\n    __asm__(\"%s %%1, %%0\" : \"=v\"(r) : "
            "\"%s\"(a));\n    return r;\n#else\n",
            name, lun__dtype_get(from)->bytes > lun__dtype_get(to)->bytes ? "v" : "vm");
    bool beyond_i32 =
        lun__dtype_is_integer(from) && lun__dtype_precision(from) > 31; /* u32, i64, u64 */
    bool by_bits = r->target->isa != LUN_ISA_AVX512 && r->dialect->f64_by_bits && beyond_i32 &&
                   lun__dtype_is_float(to) && lun__dtype_get(to)->bytes == 8;
    bool stored = lun__dtype_is_stored(to) || lun__dtype_is_stored(from);
    bool low_parts = r->target->isa == LUN_ISA_AVX2 && !lun__dtype_is_float(to) &&
                     !lun__dtype_is_float(from) &&
                     lun__dtype_get(from)->bytes > lun__dtype_get(to)->bytes;
    if (stored)
        stored_by_bits(r, to, from, &text);
    else if (by_bits)
        f64_by_bits(r, from, &text);
    else if (low_parts)
        take_low_parts(r, to, from, &text);
    else
        lun__strbuf_puts(&text, "    return __builtin_convertvector(a, $v);\n");
    lun__strbuf_puts(&text, name ? "#endif\n}\n" : "}\n");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

/* Integers narrower than 32 bits are cast to and from floats by way of i32. */
static lun_snippet widen_or_step(lun_renderer *r, lun_dtype to, lun_dtype from, const char *a)
{
    bool narrow = lun__dtype_is_float(to) && lun__dtype_get(from)->bytes < 4;
    if (narrow) {
        lun_snippet first = step(r, LUN_I32, from), second = step(r, to, LUN_I32);
        return lun__text_name("%s(%s(%s))", second.s, first.s, a);
    }
    bool same = !lun__dtype_is_float(to) && !lun__dtype_is_float(from) &&
                lun__dtype_get(to)->bytes == lun__dtype_get(from)->bytes;
    if (same)
        return lun__text_name("(%s)%s", lun__vector_of(r, to, r->lanes).s, a);
    return lun__text_name("%s(%s)", step(r, to, from).s, a);
}

/* Float to integer: truncated by way of an integer that is large enough, then cut to the range. */
static void saturate(lun_renderer *r, lun_dtype to, lun_rep from, lun_strbuf *text)
{
    const lun_dtype_row *d = lun__dtype_get(to);
    bool is_signed = d->kind == LUN_KIND_SIGNED;
    int bits = 8 * d->bytes;
    lun_dtype by = d->bytes < 4 ? LUN_I32 : to;
    lun_snippet t = lun__element_type(from.t), select = lun__vector_select(r, from),
                splat = lun__vector_splat(r, from), convert = step(r, by, from.t),
                cut = by == to ? lun__text_name("r") : widen_or_step(r, to, by, "r");
    lun_rep to_rep = {to, false}, by_rep = {by, false};
    if (d->bytes < 4) { /* both ends are floats of either width */
        const char *low = is_signed ? d->bytes == 1 ? "-0x80" : "-0x8000" : "0";
        const char *high = is_signed       ? d->bytes == 1 ? "0x7f" : "0x7fff"
                           : d->bytes == 1 ? "0xff"
                                           : "0xffff";
        lun__strbuf_printf(text, "    a = %s(a == a, a, ($v){});\n", select.s);
        lun__strbuf_printf(text, "    a = %s(a > %s((%s)%s), %s((%s)%s), a);\n", select.s, splat.s,
                           t.s, high, splat.s, t.s, high);
        lun__strbuf_printf(text, "    a = %s(a < %s((%s)%s), %s((%s)%s), a);\n", select.s, splat.s,
                           t.s, low, splat.s, t.s, low);
        lun__strbuf_printf(text, "    const %s r = %s(a);\n    return %s;\n",
                           lun__vector_type(r, by_rep).s, convert.s, cut.s);
        return;
    }
    /* masks of the source's lanes become masks of the target's */
    lun_rep from_mask = lun__vector_rep(LUN_BOOL, lun__vector_rep_bytes(from)),
            to_mask = lun__vector_rep(LUN_BOOL, d->bytes);
    lun_snippet mask = lun__cast_vector(r, to_mask, from_mask),
                pick = lun__vector_select(r, to_rep);
    lun_snippet v = lun__vector_type(r, to_rep),
                u = lun__element_type(lun__element_unsigned(d->bytes)), i = lun__element_type(to);
    lun__strbuf_printf(text, "    %s r = %s(a);\n", v.s, convert.s);
    lun__strbuf_printf(text, "    r = %s(%s(a >= %s((%s)0x1p%df)), (%s){} + (%s)((%s)-1%s), r);\n",
                       pick.s, mask.s, splat.s, t.s, is_signed ? bits - 1 : bits, v.s, i.s, u.s,
                       is_signed ? " >> 1" : "");
    if (is_signed)
        lun__strbuf_printf(text,
                           "    r = %s(%s(a < %s(-(%s)0x1p%df)), (%s){} + (%s)((%s)1 << %d), r);\n"
                           "    return %s(%s(a == a), r, (%s){});\n",
                           pick.s, mask.s, splat.s, t.s, bits - 1, v.s, i.s, u.s, bits - 1, pick.s,
                           mask.s, v.s);
    else
        lun__strbuf_printf(text, "    return %s(%s(a > ($v){}), r, (%s){});\n", pick.s, mask.s,
                           v.s);
}

lun_snippet lun__cast_vector(lun_renderer *r, lun_rep to, lun_rep from)
{
    lun_snippet c =
        lun__text_name("lun_%s_from_%s", lun__vector_rep_name(to).s, lun__vector_rep_name(from).s);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE %s %s($v a)\n{\n", lun__vector_type(r, to).s, c.s);
    bool to_int = !lun__dtype_is_float(to.t), from_float = lun__dtype_is_float(from.t);
    if (lun__dtype_is_stored(to.t) || lun__dtype_is_stored(from.t)) {
        lun__strbuf_printf(&text, "    return %s(a);\n", step(r, to.t, from.t).s);
    } else if (to.mask && from.mask) {
        lun__strbuf_printf(&text, "    return %s;\n", widen_or_step(r, to.t, from.t, "a").s);
    } else if (to.mask) {
        lun_rep own = lun__vector_rep(LUN_BOOL, lun__vector_rep_bytes(from));
        lun_snippet cast = lun__vector_rep_bytes(own) == lun__vector_rep_bytes(to)
                               ? lun__text_name("%s", "")
                               : lun__cast_vector(r, to, own);
        lun__strbuf_printf(&text, "    return %s(a != ($v){});\n", cast.s);
    } else if (from.mask && !to_int) { /* the bits of 1, or none */
        lun_rep own = lun__vector_rep(LUN_BOOL, lun__vector_rep_bytes(to));
        lun__strbuf_printf(&text, "    return (%s)(%s & %s);\n", lun__vector_type(r, to).s,
                           own.t == from.t ? "a" : widen_or_step(r, own.t, from.t, "a").s,
                           lun__dtype_get(to.t)->bytes == 4 ? "0x3f800000" : "0x3ff0000000000000");
    } else if (from.mask) {
        lun_rep ints = lun__vector_rep(lun__element_signed(lun__vector_rep_bytes(from)), 0);
        lun__strbuf_printf(&text, "    return %s;\n", widen_or_step(r, to.t, ints.t, "(a & 1)").s);
    } else if (to_int && from_float) {
        saturate(r, to.t, from, &text);
    } else {
        lun__strbuf_printf(&text, "    return %s;\n", widen_or_step(r, to.t, from.t, "a").s);
    }
    lun__strbuf_puts(&text, "}\n");
    lun__vector_helper(r, from, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}
