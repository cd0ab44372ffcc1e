/* vector_memory.c - loads and stores of GNU vectors in the generated text.  Knows no IR. */
#include "render/vector/vector_memory.h"

#include <string.h>

#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/cast.h"

/* "lun_load_f32"; with `own`, "lun_own_load_f32" in languages with several address spaces. */
static lun_snippet memory_name(const lun_renderer *r, const char *what, lun_rep rep, bool own)
{
    return lun__text_name("lun_%s%s_%s", own ? r->dialect->own : "", what,
                          lun__vector_rep_name(rep).s);
}

lun_snippet lun__vector_memory_load(lun_renderer *r, lun_rep rep, bool own)
{
    lun_snippet c = memory_name(r, "load", rep, own);
    const char *global = own ? "" : "$g";
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun__text_once(r, c.s))
        return c;
    if (rep.mask) { /* bytes of 0 and 1 become masks */
        lun_rep bytes = lun__vector_rep(LUN_U8, 0),
                wide = lun__vector_rep(lun__element_unsigned(lun__vector_rep_bytes(rep)), 0);
        lun_snippet load = lun__vector_memory_load(r, bytes, own),
                    cast = lun__cast_vector(r, wide, bytes);
        lun__strbuf_printf(&text,
                           "INLINE $v %s(%sconst lun_u8 *p, lun_i64 i)\n{\n"
                           "    return %s(%s(p, i)) != ($u){};\n}\n",
                           c.s, global, cast.s, load.s);
    } else {
        lun__strbuf_printf(&text,
                           "INLINE $v %s(%sconst $t *p, lun_i64 i)\n{\n"
                           "    typedef $v loose __attribute__((aligned(1), may_alias));\n"
                           "    return *(%sconst loose *)(p + i);\n}\n",
                           c.s, global, global);
    }
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

/* The builtin that stores a vector of that many bytes past the caches; "": there is none. */
static const char *streaming(const lun_renderer *r, int bytes)
{
#ifndef __x86_64__
    (void)r, (void)bytes;
    return "";
#else
    if (!r->dialect->streamed_stores)
        return "";
    if (bytes == 64 && r->target->isa == LUN_ISA_AVX512)
        return "movntps512";
    if (bytes == 32 && r->target->isa != LUN_ISA_BASE)
        return "movntps256";
    return bytes == 16 ? "movntps" : "";
#endif
}

lun_snippet lun__vector_memory_store(lun_renderer *r, lun_rep rep, bool own)
{
    lun_snippet c = memory_name(r, "store", rep, own);
    const char *global = own ? "" : "$g";
    const char *last = r->dialect->streamed_stores ? "int stream" : "lun_i64 left";
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun__text_once(r, c.s))
        return c;
    if (rep.mask) {
        lun_rep bytes = lun__vector_rep(LUN_U8, 0),
                wide = lun__vector_rep(lun__element_unsigned(lun__vector_rep_bytes(rep)), 0);
        lun_snippet store = lun__vector_memory_store(r, bytes, own),
                    cast = lun__cast_vector(r, bytes, wide);
        lun__strbuf_printf(&text,
                           "INLINE void %s(%slun_u8 *p, lun_i64 i, $v a, %s)\n{\n"
                           "    %s(p, i, %s(($u)a & 1), %s);\n}\n",
                           c.s, global, last, store.s, cast.s,
                           r->dialect->streamed_stores ? "stream" : "left");
    } else {
        int total = r->lanes * lun__vector_rep_bytes(rep);
        int pieces = total > r->bytes ? total / r->bytes : 1;
        const char *stream = streaming(r, total / pieces);
        lun__strbuf_printf(&text,
                           "INLINE void %s(%s$t *p, lun_i64 i, $v a, %s)\n{\n"
                           "    typedef $v loose __attribute__((aligned(1), may_alias));\n",
                           c.s, global, last);
        if (*stream)
            lun__strbuf_printf(
                &text,
                "    typedef float piece __attribute__((vector_size(%d), may_alias));\n"
                "    if (stream) {\n        const piece *const of = (const piece *)&a;\n"
                "        for (int k = 0; k < %d; k++)\n#ifdef __clang__\n"
                "            __builtin_nontemporal_store(of[k], (piece *)(p + i) + k);\n#else\n"
                "            __builtin_ia32_%s((float *)(p + i) + %d * k, of[k]);\n#endif\n"
                "        return;\n    }\n",
                total / pieces, pieces, stream, total / pieces / 4);
        if (!r->dialect->padded_stores && !own)
            lun__strbuf_puts(&text, "    if (__builtin_expect(left < $W, 0)) {\n"
                                    "        for (int l = 0; l < left; l++) p[i + l] = a[l];\n"
                                    "        return;\n    }\n");
        lun__strbuf_printf(&text, "    *(%sloose *)(p + i) = a;\n}\n", global);
    }
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}
