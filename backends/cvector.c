/* cvector.c - GNU vectors in the generated text: their types and the small inline functions on them.
 * Each is written on first use.  gcc turns some of __builtin_convertvector's cases into a dozen
 * instructions; where one instruction does it, it is named.  Knows no IR. */
#include <string.h>

#include "crender.h"

lun_crep lun_crep_of(lun_dtype t, int mask_bytes)
{
    if (t == LUN_BOOL)
        return (lun_crep){lun_csigned(mask_bytes), true};
    return (lun_crep){t, false};
}

int lun_crep_bytes(lun_crep rep)
{
    return lun_dtype_get(rep.t)->bytes;
}

lun_cname lun_crep_name(lun_crep rep)
{
    if (rep.mask)
        return lun_cname_of("b%d", 8 * lun_crep_bytes(rep));
    return lun_cname_of("%s", lun_dtype_get(rep.t)->name);
}

lun_cname lun_cvector(lun_crender *r, lun_dtype t, int lanes)
{
    lun_cname c = lun_cname_of("%sx%d", lun_dtype_get(t)->name, lanes);
    if (lun_cmake(r, c.s))
        lun_strbuf_printf(&r->types, "typedef %s %s __attribute__((vector_size(%d)));\n",
                          lun_ctype(t).s, c.s, lanes * lun_dtype_get(t)->bytes);
    return c;
}

lun_cname lun_cvtype(lun_crender *r, lun_crep rep)
{
    return lun_cvector(r, rep.t, r->lanes);
}

void lun_ctemplate(lun_crender *r, lun_strbuf *out, lun_crep rep, const char *text)
{
    int bytes = lun_crep_bytes(rep);
    for (; *text; text++) {
        size_t n = strcspn(text, "$");
        lun_strbuf_add(out, text, n);
        text += n;
        if (!*text)
            break;
        switch (*++text) {
        case 'v':
            lun_strbuf_puts(out, lun_cvtype(r, rep).s);
            break;
        case 'm':
            lun_strbuf_puts(out, lun_cvector(r, lun_csigned(bytes), r->lanes).s);
            break;
        case 'u':
            lun_strbuf_puts(out, lun_cvector(r, lun_cunsigned(bytes), r->lanes).s);
            break;
        case 't':
            lun_strbuf_puts(out, lun_ctype(rep.t).s);
            break;
        case 'n':
            lun_strbuf_puts(out, lun_crep_name(rep).s);
            break;
        case 's':
            lun_strbuf_printf(out, "%d", 8 * bytes);
            break;
        case 'g':
            lun_strbuf_puts(out, r->dialect->global);
            break;
        case 'W':
            lun_strbuf_printf(out, "%d", r->lanes);
            break;
        default:
            lun_strbuf_add(out, text, 1);
        }
    }
}

void lun_chelper(lun_crender *r, lun_crep rep, const char *text)
{
    lun_strbuf made = LUN_STRBUF_INIT; /* types that it mentions come first */
    lun_ctemplate(r, &made, rep, text);
    lun_strbuf_puts(&r->helpers, lun_strbuf_text(&made));
    if (made.failed)
        r->helpers.failed = true;
    lun_strbuf_free(&made);
}

void lun_cshuffle(lun_crender *r, lun_strbuf *out, lun_crep rep, const char *a, const char *b,
                  int (*at)(int lane, int lanes, int arg), int arg)
{
    lun_cname m = lun_cvector(r, lun_csigned(lun_crep_bytes(rep)), r->lanes);
    lun_strbuf_printf(out, "SHUFFLE(%s, %s, %s", m.s, a, b);
    for (int l = 0; l < r->lanes; l++)
        lun_strbuf_printf(out, ", %d", at(l, r->lanes, arg));
    lun_strbuf_puts(out, ")");
}

/* ---- small ones ---------------------------------------------------------------------------------- */

lun_cname lun_cvector_select(lun_crender *r, lun_crep rep)
{
    lun_cname c = lun_cname_of("lun_select_%s", lun_crep_name(rep).s);
    if (lun_cmake(r, c.s))
        lun_chelper(r, rep,
                    "INLINE $v lun_select_$n($m mask, $v a, $v b)\n{\n"
                    "    return ($v)((($m)a & mask) | (($m)b & ~mask));\n}\n");
    return c;
}

lun_cname lun_cvector_splat(lun_crender *r, lun_crep rep)
{
    lun_cname c = lun_cname_of("lun_splat_%s", lun_crep_name(rep).s);
    if (!lun_cmake(r, c.s))
        return c;
    if (rep.mask)
        lun_chelper(r, rep,
                    "INLINE $v lun_splat_$n(lun_u8 a)\n{\n    return ($v){} - ($t)(a != 0);\n}\n");
    else if (lun_dtype_is_float(rep.t)) /* by its bits: x + 0 is not x for every x */
        lun_chelper(
            r, rep,
            "INLINE $v lun_splat_$n($t a)\n{\n    lun_u$s bits;\n"
            "    __builtin_memcpy(&bits, &a, sizeof a);\n    return ($v)(($u){} + bits);\n}\n");
    else
        lun_chelper(r, rep, "INLINE $v lun_splat_$n($t a)\n{\n    return ($v){} + a;\n}\n");
    return c;
}

/* "0, 1, 2": the number of each lane. */
static void lane_numbers(lun_crender *r, lun_strbuf *out)
{
    for (int l = 0; l < r->lanes; l++)
        lun_strbuf_printf(out, "%s%d", l ? ", " : "", l);
}

lun_cname lun_cvector_live(lun_crender *r, int bytes)
{
    lun_crep rep = lun_crep_of(LUN_BOOL, bytes);
    lun_cname c = lun_cname_of("lun_live_%s", lun_crep_name(rep).s);
    if (!lun_cmake(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_strbuf_puts(&text,
                    "INLINE $m lun_live_$n(lun_i64 left)\n{\n    const $t n = ($t)(left < 0 ? 0 : "
                    "left < $W ? left : $W);\n    return ($m){");
    lane_numbers(r, &text);
    lun_strbuf_puts(&text, "} < ($m){} + n;\n}\n");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

lun_cname lun_cvector_any(lun_crender *r, int bytes)
{
    lun_crep rep = lun_crep_of(LUN_BOOL, bytes);
    lun_cname c = lun_cname_of("lun_any_%s", lun_crep_name(rep).s);
    int total = bytes * r->lanes;
    bool wide = r->target->isa != LUN_ISA_BASE;
    if (!lun_cmake(r, c.s))
        return c;
    if (r->dialect->any) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun_strbuf_printf(&text, "INLINE int lun_any_$n($m a)\n{\n%s}\n", r->dialect->any);
        lun_chelper(r, rep, lun_strbuf_text(&text));
        lun_strbuf_free(&text);
    } else if (total <= 8) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun_strbuf_printf(&text, "INLINE int lun_any_$n($m a)\n{\n    return (lun_u%d)a != 0;\n}\n",
                          8 * total);
        lun_chelper(r, rep, lun_strbuf_text(&text));
        lun_strbuf_free(&text);
    } else if (wide && total == 64) {
        lun_chelper(r, rep,
                    "INLINE int lun_any_$n($m a)\n{\n    lun_u64 k;\n"
                    "    __asm__(\"vptestmb %1, %1, %0\" : \"=k\"(k) : \"v\"(a));\n    return k != "
                    "0;\n}\n");
    } else if (wide) {
        lun_chelper(
            r, rep,
            "INLINE int lun_any_$n($m a)\n{\n    int k;\n"
            "    __asm__(\"vptest %1, %1\" : \"=@ccnz\"(k) : \"x\"(a));\n    return k;\n}\n");
    } else {
        lun_chelper(
            r, rep,
            "INLINE int lun_any_$n($m a)\n{\n    lun_u64 w[sizeof a / 8], k = 0;\n"
            "    __builtin_memcpy(w, &a, sizeof a);\n"
            "    for (unsigned l = 0; l < sizeof a / 8; l++) k |= w[l];\n    return k != 0;\n}\n");
    }
    return c;
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* "lun_load_f32"; where memory of slots is of another kind, "lun_own_load_f32" too. */
static lun_cname memory_name(const lun_crender *r, const char *what, lun_crep rep, bool own)
{
    return lun_cname_of("lun_%s%s_%s", own ? r->dialect->own : "", what, lun_crep_name(rep).s);
}

/* The template with $g as nothing. */
static void own_helper(lun_crender *r, lun_crep rep, const char *text)
{
    lun_cdialect plain = *r->dialect;
    const lun_cdialect *before = r->dialect;
    plain.global = "";
    r->dialect = &plain;
    lun_chelper(r, rep, text);
    r->dialect = before;
}

lun_cname lun_cvector_load(lun_crender *r, lun_crep rep, bool own)
{
    lun_cname c = memory_name(r, "load", rep, own);
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun_cmake(r, c.s))
        return c;
    if (rep.mask) { /* bytes of 0 and 1 become masks */
        lun_crep bytes = lun_crep_of(LUN_U8, 0),
                 wide = lun_crep_of(lun_cunsigned(lun_crep_bytes(rep)), 0);
        lun_cname load = lun_cvector_load(r, bytes, own), cast = lun_cvector_cast(r, wide, bytes);
        lun_strbuf_printf(&text,
                          "INLINE $v %s($gconst lun_u8 *p, lun_i64 i)\n{\n"
                          "    return %s(%s(p, i)) != ($u){};\n}\n",
                          c.s, cast.s, load.s);
    } else {
        lun_strbuf_printf(&text,
                          "INLINE $v %s($gconst $t *p, lun_i64 i)\n{\n"
                          "    typedef $v loose __attribute__((aligned(1), may_alias));\n"
                          "    return *($gconst loose *)(p + i);\n}\n",
                          c.s);
    }
    (own ? own_helper : lun_chelper)(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

/* A store that goes past the caches, for a vector of that many bytes; "" where there is none. */
static const char *streaming(const lun_crender *r, int bytes)
{
#ifndef __x86_64__
    (void)r, (void)bytes;
    return "";
#else
    if (!r->dialect->streams)
        return "";
    if (bytes == 64 && r->target->isa == LUN_ISA_AVX512)
        return "movntps512";
    if (bytes == 32 && r->target->isa != LUN_ISA_BASE)
        return "movntps256";
    return bytes == 16 ? "movntps" : "";
#endif
}

lun_cname lun_cvector_store(lun_crender *r, lun_crep rep, bool own)
{
    lun_cname c = memory_name(r, "store", rep, own);
    const char *last = r->dialect->streams ? "int stream" : "lun_i64 left";
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun_cmake(r, c.s))
        return c;
    if (rep.mask) {
        lun_crep bytes = lun_crep_of(LUN_U8, 0),
                 wide = lun_crep_of(lun_cunsigned(lun_crep_bytes(rep)), 0);
        lun_cname store = lun_cvector_store(r, bytes, own), cast = lun_cvector_cast(r, bytes, wide);
        lun_strbuf_printf(&text,
                          "INLINE void %s($glun_u8 *p, lun_i64 i, $v a, %s)\n{\n"
                          "    %s(p, i, %s(($u)a & 1), %s);\n}\n",
                          c.s, last, store.s, cast.s, r->dialect->streams ? "stream" : "left");
    } else {
        int total = r->lanes * lun_crep_bytes(rep);
        int pieces = total > r->bytes ? total / r->bytes : 1;
        const char *stream = streaming(r, total / pieces);
        lun_strbuf_printf(&text,
                          "INLINE void %s($g$t *p, lun_i64 i, $v a, %s)\n{\n"
                          "    typedef $v loose __attribute__((aligned(1), may_alias));\n",
                          c.s, last);
        if (*stream)
            lun_strbuf_printf(
                &text,
                "    typedef float piece __attribute__((vector_size(%d), may_alias));\n"
                "    if (stream) {\n        const piece *const of = (const piece *)&a;\n"
                "        for (int k = 0; k < %d; k++)\n#ifdef __clang__\n"
                "            __builtin_nontemporal_store(of[k], (piece *)(p + i) + k);\n#else\n"
                "            __builtin_ia32_%s((float *)(p + i) + %d * k, of[k]);\n#endif\n"
                "        return;\n    }\n",
                total / pieces, pieces, stream, total / pieces / 4);
        if (!r->dialect->streams && !own)
            lun_strbuf_puts(&text, "    if (__builtin_expect(left < $W, 0)) {\n"
                                   "        for (int l = 0; l < left; l++) p[i + l] = a[l];\n"
                                   "        return;\n    }\n");
        lun_strbuf_puts(&text, "    *($gloose *)(p + i) = a;\n}\n");
    }
    (own ? own_helper : lun_chelper)(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

/* ---- casts --------------------------------------------------------------------------------------- */

/* The x86 instruction that converts whole vectors of one size of lanes to another. */
static const char *instruction(const lun_crender *r, lun_dtype to, lun_dtype from)
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
    };
    int bytes = lun_dtype_get(to)->bytes, least = lun_dtype_get(from)->bytes, most = bytes;
    if (least > bytes) {
        most = least;
        least = bytes;
    }
    /* both sides must be registers; wide elements outside of a loop in narrow lanes take two */
    if (least * r->lanes > 32 || most * r->lanes > r->bytes)
        return NULL;
    bool ints = !lun_dtype_is_float(to) && !lun_dtype_is_float(from);
    if (ints)
        to = lun_csigned(bytes);
    if (ints && lun_dtype_get(from)->bytes > bytes)
        from = lun_csigned(lun_dtype_get(from)->bytes);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].to == to && table[i].from == from && (int)r->target->isa >= table[i].isa)
            return table[i].name;
    return NULL;
}

static lun_cname step(lun_crender *r, lun_dtype to, lun_dtype from);

/* Integers cut to narrower ones, as a choice of parts: AVX2 has shuffles for that, no conversion. */
static void take_low_parts(lun_crender *r, lun_dtype to, lun_dtype from, lun_strbuf *text)
{
    int times = lun_dtype_get(from)->bytes / lun_dtype_get(to)->bytes;
    lun_cname parts = lun_cvector(r, to, r->lanes * times);
    lun_strbuf_printf(text, "    return RESIZE($v, (%s)a, (%s)a", parts.s, parts.s);
    for (int l = 0; l < r->lanes; l++)
        lun_strbuf_printf(text, ", %d", l * times);
    lun_strbuf_puts(text, ");\n");
}

/* 64-bit integers (or unsigned ones of 32) to f64 without an instruction for it: each half becomes the
 * low bits of a large float, and one addition rounds. */
static void f64_by_bits(lun_crender *r, lun_dtype from, lun_strbuf *text)
{
    lun_cname wide =
        from == LUN_U32 ? lun_cname_of("%s(a)", step(r, LUN_U64, LUN_U32).s) : lun_cname_of("a");
    lun_strbuf_printf(text,
                      "    const $u x = ($u)%s;\n    const $v lo = ($v)((x & 0xffffffff) | "
                      "0x4330000000000000);\n",
                      wide.s);
    if (from == LUN_U32)
        lun_strbuf_puts(text, "    return lo - 0x1p52;\n");
    else if (from == LUN_U64)
        lun_strbuf_puts(text, "    const $v hi = ($v)((x >> 32) ^ 0x4530000000000000) - "
                              "(0x1p84 + 0x1p52);\n    return hi + lo;\n");
    else
        lun_strbuf_puts(text, "    const $v hi = ($v)((x >> 32) ^ 0x4530000080000000) - "
                              "(0x1p84 + 0x1p63 + 0x1p52);\n    return hi + lo;\n");
}

/* lun_step_f64_f32(a): one conversion as C defines it, without any care for its range. */
static lun_cname step(lun_crender *r, lun_dtype to, lun_dtype from)
{
    lun_crep rep = {to, false};
    lun_cname c =
        lun_cname_of("lun_step_%s_%s", lun_dtype_get(to)->name, lun_dtype_get(from)->name);
    if (!lun_cmake(r, c.s))
        return c;
    const char *name = instruction(r, to, from);
    lun_cname v = lun_cvector(r, from, r->lanes);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_strbuf_printf(&text, "INLINE $v %s(%s a)\n{\n", c.s, v.s);
    if (name)
        lun_strbuf_printf(&text,
                          "#ifndef __clang__\n    $v r;\n    __asm__(\"%s %%1, %%0\" : \"=v\"(r) : "
                          "\"%s\"(a));\n    return r;\n#else\n",
                          name, lun_dtype_get(from)->bytes > lun_dtype_get(to)->bytes ? "v" : "vm");
    bool by_bits = r->target->isa != LUN_ISA_AVX512 && r->dialect->streams && to == LUN_F64 &&
                   (from == LUN_I64 || from == LUN_U64 || from == LUN_U32);
    bool low_parts = r->target->isa == LUN_ISA_AVX2 && !lun_dtype_is_float(to) &&
                     !lun_dtype_is_float(from) &&
                     lun_dtype_get(from)->bytes > lun_dtype_get(to)->bytes;
    if (by_bits)
        f64_by_bits(r, from, &text);
    else if (low_parts)
        take_low_parts(r, to, from, &text);
    else
        lun_strbuf_puts(&text, "    return __builtin_convertvector(a, $v);\n");
    lun_strbuf_puts(&text, name ? "#endif\n}\n" : "}\n");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

/* Integers narrower than 32 bits meet floats by way of i32. */
static lun_cname widen_or_step(lun_crender *r, lun_dtype to, lun_dtype from, const char *a)
{
    bool narrow = lun_dtype_is_float(to) && lun_dtype_get(from)->bytes < 4;
    if (narrow) {
        lun_cname first = step(r, LUN_I32, from), second = step(r, to, LUN_I32);
        return lun_cname_of("%s(%s(%s))", second.s, first.s, a);
    }
    bool same = !lun_dtype_is_float(to) && !lun_dtype_is_float(from) &&
                lun_dtype_get(to)->bytes == lun_dtype_get(from)->bytes;
    if (same)
        return lun_cname_of("(%s)%s", lun_cvector(r, to, r->lanes).s, a);
    return lun_cname_of("%s(%s)", step(r, to, from).s, a);
}

/* Float to integer: truncated by way of an integer that is large enough, then cut to the range. */
static void saturate(lun_crender *r, lun_dtype to, lun_crep from, lun_strbuf *text)
{
    const lun_dtype_row *d = lun_dtype_get(to);
    bool is_signed = d->kind == LUN_KIND_SIGNED;
    int bits = 8 * d->bytes;
    lun_dtype by = d->bytes < 4 ? LUN_I32 : to;
    lun_cname t = lun_ctype(from.t), select = lun_cvector_select(r, from),
              splat = lun_cvector_splat(r, from), convert = step(r, by, from.t),
              cut = by == to ? lun_cname_of("r") : widen_or_step(r, to, by, "r");
    lun_crep to_rep = {to, false}, by_rep = {by, false};
    if (d->bytes < 4) { /* both ends are floats of either width */
        const char *low = is_signed ? d->bytes == 1 ? "-0x80" : "-0x8000" : "0";
        const char *high = is_signed       ? d->bytes == 1 ? "0x7f" : "0x7fff"
                           : d->bytes == 1 ? "0xff"
                                           : "0xffff";
        lun_strbuf_printf(text, "    a = %s(a == a, a, ($v){});\n", select.s);
        lun_strbuf_printf(text, "    a = %s(a > %s((%s)%s), %s((%s)%s), a);\n", select.s, splat.s,
                          t.s, high, splat.s, t.s, high);
        lun_strbuf_printf(text, "    a = %s(a < %s((%s)%s), %s((%s)%s), a);\n", select.s, splat.s,
                          t.s, low, splat.s, t.s, low);
        lun_strbuf_printf(text, "    const %s r = %s(a);\n    return %s;\n",
                          lun_cvtype(r, by_rep).s, convert.s, cut.s);
        return;
    }
    /* masks of the source's lanes become masks of the target's */
    lun_crep from_mask = lun_crep_of(LUN_BOOL, lun_crep_bytes(from)),
             to_mask = lun_crep_of(LUN_BOOL, d->bytes);
    lun_cname mask = lun_cvector_cast(r, to_mask, from_mask), pick = lun_cvector_select(r, to_rep);
    lun_cname v = lun_cvtype(r, to_rep), u = lun_ctype(lun_cunsigned(d->bytes)), i = lun_ctype(to);
    lun_strbuf_printf(text, "    %s r = %s(a);\n", v.s, convert.s);
    lun_strbuf_printf(text, "    r = %s(%s(a >= %s((%s)0x1p%df)), (%s){} + (%s)((%s)-1%s), r);\n",
                      pick.s, mask.s, splat.s, t.s, is_signed ? bits - 1 : bits, v.s, i.s, u.s,
                      is_signed ? " >> 1" : "");
    if (is_signed)
        lun_strbuf_printf(text,
                          "    r = %s(%s(a < %s(-(%s)0x1p%df)), (%s){} + (%s)((%s)1 << %d), r);\n"
                          "    return %s(%s(a == a), r, (%s){});\n",
                          pick.s, mask.s, splat.s, t.s, bits - 1, v.s, i.s, u.s, bits - 1, pick.s,
                          mask.s, v.s);
    else
        lun_strbuf_printf(text, "    return %s(%s(a > ($v){}), r, (%s){});\n", pick.s, mask.s, v.s);
}

lun_cname lun_cvector_cast(lun_crender *r, lun_crep to, lun_crep from)
{
    lun_cname c = lun_cname_of("lun_%s_from_%s", lun_crep_name(to).s, lun_crep_name(from).s);
    if (!lun_cmake(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_strbuf_printf(&text, "INLINE %s %s($v a)\n{\n", lun_cvtype(r, to).s, c.s);
    bool to_int = !lun_dtype_is_float(to.t), from_float = lun_dtype_is_float(from.t);
    if (to.mask && from.mask) {
        lun_strbuf_printf(&text, "    return %s;\n", widen_or_step(r, to.t, from.t, "a").s);
    } else if (to.mask) {
        lun_crep own = lun_crep_of(LUN_BOOL, lun_crep_bytes(from));
        lun_cname cast = lun_crep_bytes(own) == lun_crep_bytes(to) ? lun_cname_of("%s", "")
                                                                   : lun_cvector_cast(r, to, own);
        lun_strbuf_printf(&text, "    return %s(a != ($v){});\n", cast.s);
    } else if (from.mask && !to_int) { /* the bits of 1, or none */
        lun_crep own = lun_crep_of(LUN_BOOL, lun_crep_bytes(to));
        lun_strbuf_printf(&text, "    return (%s)(%s & %s);\n", lun_cvtype(r, to).s,
                          own.t == from.t ? "a" : widen_or_step(r, own.t, from.t, "a").s,
                          to.t == LUN_F32 ? "0x3f800000" : "0x3ff0000000000000");
    } else if (from.mask) {
        lun_crep ints = lun_crep_of(lun_csigned(lun_crep_bytes(from)), 0);
        lun_strbuf_printf(&text, "    return %s;\n", widen_or_step(r, to.t, ints.t, "(a & 1)").s);
    } else if (to_int && from_float) {
        saturate(r, to.t, from, &text);
    } else {
        lun_strbuf_printf(&text, "    return %s;\n", widen_or_step(r, to.t, from.t, "a").s);
    }
    lun_strbuf_puts(&text, "}\n");
    lun_chelper(r, from, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}
