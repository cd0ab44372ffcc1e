/* vector.c - GNU vectors in the generated text: their types and the small inline functions on them.
 * Each is written on first use.  Knows no IR. */
#include <string.h>

#include "render/renderer.h"

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
