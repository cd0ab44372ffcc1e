/* operation.c - GNU vectors in the generated text: operations of table/ops.def, vector math by pointer, division
 * by zero.  Knows no IR. */
#include <string.h>

#include "render/renderer.h"

/* ---- functions of the language ------------------------------------------------------------------- */

/* A built-in function of OpenCL C on its own vector type, by the bits. */
static void builtin(lun_crender *r, const char *helper, const char *name, int arity, lun_crep rep)
{
    const char *t = rep.t == LUN_F64 ? "double" : "float";
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_strbuf_printf(&text, "INLINE $v %s($v a%s%s)\n{\n    union { $v v; %s$W o; } x = {a}",
                      helper, arity > 1 ? ", $v b" : "", arity > 2 ? ", $v c" : "", t);
    lun_strbuf_printf(&text, "%s%s;\n    x.o = %s(x.o%s%s);\n    return x.v;\n}\n",
                      arity > 1 ? ", y = {b}" : "", arity > 2 ? ", z = {c}" : "", name,
                      arity > 1 ? ", y.o" : "", arity > 2 ? ", z.o" : "");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
}

/* ---- exact functions ----------------------------------------------------------------------------- */

/* The x86 instruction with its operands for asm, NULL if there is none. */
static const char *exact_instruction(const lun_crender *r, const char *name, bool f64)
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

lun_cname lun_cvector_exact(lun_crender *r, const char *name, lun_crep rep)
{
    bool f64 = rep.t == LUN_F64, three = !strcmp(name, "fma");
    lun_cname c = lun_cname_of("lun_%s_of_%s", name, lun_crep_name(rep).s);
    if (!lun_cmake(r, c.s))
        return c;
    if (r->dialect->builtins) {
        builtin(r, c.s, name, three ? 3 : 1, rep);
        return c;
    }
    const char *instruction = exact_instruction(r, name, f64);
    const char *reg = r->target->isa == LUN_ISA_AVX512 ? "v" : "x";
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_strbuf_printf(&text, "INLINE $v %s($v a%s)\n{\n", c.s, three ? ", $v b, $v c" : "");
    if (instruction && three)
        lun_strbuf_printf(&text,
                          "    __asm__(\"%s\" : \"=%s\"(a) : \"0\"(a), \"%s\"(b), \"%s\"(c));\n"
                          "    return a;\n}\n",
                          instruction, reg, reg, reg);
    else if (instruction)
        lun_strbuf_printf(
            &text, "    $v r;\n    __asm__(\"%s\" : \"=%s\"(r) : \"%sm\"(a));\n    return r;\n}\n",
            instruction, reg, reg);
    else {
        r->libs |= LUN_CSTYLE_LIBM;
        lun_strbuf_printf(&text,
                          "    $v r;\n    LANES($W) r[l] = __builtin_%s%s(a[l]%s);\n"
                          "    return r;\n}\n",
                          name, f64 ? "" : "f", three ? ", b[l], c[l]" : "");
    }
    lun_chelper(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

/* ---- operations ---------------------------------------------------------------------------------- */

/* Lane by lane, with the function on single elements. */
static void lane_loop(lun_crender *r, lun_op op, lun_crep rep, lun_strbuf *text)
{
    static const char *const names[] = {"a", "b", "c"};
    const lun_op_row *row = lun_op_get(op);
    lun_dtype from = rep.mask ? LUN_BOOL : rep.t;
    lun_cname one = lun_cscalar_op(r, op, from);
    bool test = lun_cop_result(op, from) == LUN_BOOL;
    lun_strbuf_printf(text, "    %s r;\n    LANES($W) r[l] = %s%s(", test ? "$m" : "$v",
                      test ? "-" : "", one.s);
    for (int k = 0; k < row->arity; k++) {
        bool truth = rep.mask || (row->rule == LUN_RULE_SELECT && k == 0);
        lun_strbuf_printf(text, "%s%s[l]%s", k ? ", " : "", names[k], truth ? " & 1" : "");
    }
    lun_strbuf_puts(text, ");\n    return r;\n");
}

/* Shifts by a count for each lane: the instruction gives 0 for counts of the width and beyond, which
 * negative ones are, too.  Where counts may be negative (u64 ones are read as i64), one of the two
 * directions has lanes that are not 0. */
static bool shift(lun_crender *r, lun_op op, lun_crep rep, lun_strbuf *text)
{
    int bytes = lun_crep_bytes(rep), total = bytes * r->lanes;
    bool both = lun_dtype_get(rep.t)->kind == LUN_KIND_SIGNED || rep.t == LUN_U64;
    if ((op != LUN_OP_SHL && op != LUN_OP_SHR) || rep.mask || r->dialect->builtins || bytes < 4 ||
        r->target->isa == LUN_ISA_BASE || total < 16 ||
        total > (r->target->isa == LUN_ISA_AVX512 ? 64 : 32))
        return false;
    char to = op == LUN_OP_SHL ? 'l' : 'r', back = to == 'l' ? 'r' : 'l';
    const char *format = "    __asm__(\"vps%clv%c %%2, %%1, %%0\" : \"=v\"(%c) : \"v\"(a), "
                         "\"v\"(b));\n";
    char lane = bytes == 4 ? 'd' : 'q';
    lun_strbuf_printf(text, "    $v r%s;\n", both ? ", s" : "");
    lun_strbuf_printf(text, format, to, lane, 'r');
    if (both) {
        lun_strbuf_puts(text, "    b = -b;\n");
        lun_strbuf_printf(text, format, back, lane, 's');
    }
    lun_strbuf_printf(text, "    return r%s;\n", both ? " | s" : "");
    return true;
}

lun_cname lun_cvector_op(lun_crender *r, lun_op op, lun_crep rep)
{
    static const char *const names[] = {"a", "b", "c"};
    const lun_op_row *row = lun_op_get(op);
    lun_cname c = lun_cname_of("lun_%s_%s", row->name, lun_crep_name(rep).s);
    if (!lun_cmake(r, c.s))
        return c;
    if (r->dialect->builtins && (row->flags & LUN_OPF_VEC)) {
        if (!lun_clmath(r, c.s, op, rep))
            builtin(r, c.s, row->name, row->arity, rep);
        return c;
    }
    bool test = lun_cop_result(op, rep.mask ? LUN_BOOL : rep.t) == LUN_BOOL;
    lun_strbuf text = LUN_STRBUF_INIT, expression = LUN_STRBUF_INIT, shifted = LUN_STRBUF_INIT;
    bool by_instruction = shift(r, op, rep, &shifted);
    bool whole = by_instruction || lun_cexpr_vector(r, op, rep, &expression);
    /* a loop over lanes is expensive to compile, so it stands in the unit once */
    lun_strbuf_printf(&text, "%s %s %s(", whole ? "INLINE" : "static __attribute__((noinline))",
                      test ? "$m" : "$v", c.s);
    for (int k = 0; k < row->arity; k++)
        lun_strbuf_printf(&text, "%s%s %s", k ? ", " : "",
                          row->rule == LUN_RULE_SELECT && k == 0 ? "$m" : "$v", names[k]);
    lun_strbuf_puts(&text, ")\n{\n");
    if (by_instruction)
        lun_strbuf_puts(&text, lun_strbuf_text(&shifted));
    else if (whole)
        lun_strbuf_printf(&text, "    return %s;\n", lun_strbuf_text(&expression));
    else
        lane_loop(r, op, rep, &text);
    lun_strbuf_puts(&text, "}\n");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    if (text.failed || expression.failed || shifted.failed)
        r->helpers.failed = true;
    lun_strbuf_free(&text);
    lun_strbuf_free(&expression);
    lun_strbuf_free(&shifted);
    return c;
}

/* ---- vector math --------------------------------------------------------------------------------- */

bool lun_chas_math(const lun_crender *r, lun_op op, lun_dtype t)
{
    if (t != LUN_F32 && t != LUN_F64)
        return false;
    if (!(lun_op_get(op)->flags & LUN_OPF_VEC) || !r->target->math)
        return false;
    return r->target->math[lun_vecmath_index(op, t)] != NULL;
}

lun_cname lun_cmath_type(lun_crender *r, lun_dtype t, int arity)
{
    lun_cname c = lun_cname_of("lun_math%d_%s", arity, lun_dtype_get(t)->name);
    if (lun_cmake(r, c.s)) {
        lun_cname v = lun_cvector(r, t, r->bytes / lun_dtype_get(t)->bytes);
        lun_strbuf_printf(&r->types, "typedef %s (*%s)(%s%s%s);\n", v.s, c.s, v.s,
                          arity == 2 ? ", " : "", arity == 2 ? v.s : "");
    }
    return c;
}

/* "0, 1, ..., 0, 1, ...": the lanes of a narrow vector, repeated to fill a native one. */
static void repeated(lun_crender *r, lun_strbuf *out, int lanes)
{
    for (int l = 0; l < lanes; l++)
        lun_strbuf_printf(out, "%s%d", l ? ", " : "", l % r->lanes);
}

lun_cname lun_cvector_math(lun_crender *r, lun_dtype t, int arity)
{
    int native = r->bytes / lun_dtype_get(t)->bytes;
    lun_crep rep = {t, false};
    lun_cname c = lun_cname_of("lun_call_math%d_%s", arity, lun_dtype_get(t)->name);
    if (!lun_cmake(r, c.s))
        return c;
    lun_cname type = lun_cmath_type(r, t, arity), wide = lun_cvector(r, t, native);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_strbuf_printf(&text, "INLINE $v %s(%s f, $v a%s)\n{\n", c.s, type.s,
                      arity == 2 ? ", $v b" : "");
    if (native == r->lanes) {
        lun_strbuf_printf(&text, "    return f(a%s);\n}\n", arity == 2 ? ", b" : "");
    } else {
        lun_strbuf_puts(&text, "    $v r;\n");
        for (int k = 0; k < arity; k++) {
            const char *x = k ? "b" : "a";
            lun_strbuf_printf(&text, "    const %s wide_%s = RESIZE(%s, %s, %s, ", wide.s, x,
                              wide.s, x, x);
            repeated(r, &text, native);
            lun_strbuf_puts(&text, ");\n");
        }
        lun_strbuf_printf(&text, "    const %s y = f(wide_a%s);\n    r = RESIZE($v, y, y, ", wide.s,
                          arity == 2 ? ", wide_b" : "");
        repeated(r, &text, r->lanes);
        lun_strbuf_puts(&text, ");\n    return r;\n}\n");
    }
    lun_chelper(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

lun_cname lun_cscalar_math(lun_crender *r, lun_dtype t, int arity)
{
    int native = r->bytes / lun_dtype_get(t)->bytes;
    lun_cname c = lun_cname_of("lun_one_math%d_%s", arity, lun_dtype_get(t)->name);
    lun_cname type = lun_cmath_type(r, t, arity), v = lun_cvector(r, t, native), one = lun_ctype(t);
    if (!lun_cmake(r, c.s))
        return c;
    lun_strbuf *out = &r->helpers;
    lun_strbuf_printf(out, "INLINE %s %s(%s f, %s a%s%s)\n{\n    return f(", one.s, c.s, type.s,
                      one.s, arity == 2 ? ", " : "",
                      arity == 2 ? lun_cname_of("%s b", one.s).s : "");
    for (int k = 0; k < arity; k++) {
        lun_strbuf_printf(out, "%s(%s){", k ? ", " : "", v.s);
        for (int l = 0; l < native; l++)
            lun_strbuf_printf(out, "%s%s", l ? ", " : "", k ? "b" : "a");
        lun_strbuf_puts(out, "}");
    }
    lun_strbuf_puts(out, ")[0];\n}\n");
    return c;
}

/* ---- traps --------------------------------------------------------------------------------------- */

lun_cname lun_cvector_note(lun_crender *r, int bytes)
{
    lun_crep rep = lun_crep_of(LUN_BOOL, bytes);
    lun_cname c = lun_cname_of("lun_note_%s", lun_crep_name(rep).s);
    if (lun_cmake(r, c.s))
        lun_chelper(
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
