/* exact.c - functions on GNU vectors that are exact (floor, ceil, trunc, sqrt, fma), by an
 * instruction. Knows no IR. */
#include "render/vector/operation.h"

#include <string.h>

#include "render/text/text.h"

/* The x86 instruction with its operands for asm, NULL if there is none. */
static const char *exact_instruction(const lun_renderer *r, const char *name, bool f64)
{
    bool avx512 = r->target->isa == LUN_ISA_AVX512;
    if (r->target->isa == LUN_ISA_BASE)
        return NULL;
    if (!strcmp(name, "sqrt"))
        return f64 ? "vsqrtpd %1, %0" : "vsqrtps %1, %0";
    if (!strcmp(name, "fma"))
        return f64 ? "vfmadd213pd %3, %2, %0" : "vfmadd213ps %3, %2, %0";
    /* bit 3: no inexact exception; 1 down, 2 up, 3 towards zero */
    if (!strcmp(name, "floor"))
        return avx512 ? (f64 ? "vrndscalepd $$9, %1, %0" : "vrndscaleps $$9, %1, %0")
                      : (f64 ? "vroundpd $$9, %1, %0" : "vroundps $$9, %1, %0");
    if (!strcmp(name, "ceil"))
        return avx512 ? (f64 ? "vrndscalepd $$10, %1, %0" : "vrndscaleps $$10, %1, %0")
                      : (f64 ? "vroundpd $$10, %1, %0" : "vroundps $$10, %1, %0");
    return avx512 ? (f64 ? "vrndscalepd $$11, %1, %0" : "vrndscaleps $$11, %1, %0")
                  : (f64 ? "vroundpd $$11, %1, %0" : "vroundps $$11, %1, %0");
}

lun_snippet lun__exact_function(lun_renderer *r, const char *name, lun_rep rep)
{
    bool f64 = lun__dtype_is_double(rep.t), three = !strcmp(name, "fma");
    lun_snippet c = lun__text_name("lun_%s_of_%s", name, lun__vector_rep_name(rep).s);
    if (!lun__text_once(r, c.s))
        return c;
    if (r->dialect->vector_function) {
        r->dialect->vector_function(r, c.s, name, three ? 3 : 1, rep);
        return c;
    }
    const char *instruction = exact_instruction(r, name, f64);
    const char *reg = r->target->isa == LUN_ISA_AVX512 ? "v" : "x";
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE $v %s($v a%s)\n{\n", c.s, three ? ", $v b, $v c" : "");
    if (instruction && three)
        lun__strbuf_printf(&text,
                           "    __asm__(\"%s\" : \"=%s\"(a) : \"0\"(a), \"%s\"(b), \"%s\"(c));\n"
                           "    return a;\n}\n",
                           instruction, reg, reg, reg);
    else if (instruction)
        lun__strbuf_printf(
            &text, "    $v r;\n    __asm__(\"%s\" : \"=%s\"(r) : \"%sm\"(a));\n    return r;\n}\n",
            instruction, reg, reg);
    else {
        r->libs |= LUN_RENDER_LIBM;
        lun__strbuf_printf(&text,
                           "    $v r;\n    LANES($W) r[l] = __builtin_%s%s(a[l]%s);\n"
                           "    return r;\n}\n",
                           name, lun__dtype_get(rep.t)->suffix, three ? ", b[l], c[l]" : "");
    }
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}
