/* cvecop.c - GNU vectors in the generated text: operations of ops.def, vector math by pointer, division
 * by zero, random bits.  Knows no IR. */
#include <string.h>

#include "crender.h"

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
    lun_strbuf text = LUN_STRBUF_INIT, expression = LUN_STRBUF_INIT;
    bool whole = lun_cexpr_vector(r, op, rep, &expression);
    /* a loop over lanes is expensive to compile, so it stands in the unit once */
    lun_strbuf_printf(&text, "%s %s %s(", whole ? "INLINE" : "static __attribute__((noinline))",
                      test ? "$m" : "$v", c.s);
    for (int k = 0; k < row->arity; k++)
        lun_strbuf_printf(&text, "%s%s %s", k ? ", " : "",
                          row->rule == LUN_RULE_SELECT && k == 0 ? "$m" : "$v", names[k]);
    lun_strbuf_puts(&text, ")\n{\n");
    if (whole)
        lun_strbuf_printf(&text, "    return %s;\n", lun_strbuf_text(&expression));
    else
        lane_loop(r, op, rep, &text);
    lun_strbuf_puts(&text, "}\n");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    if (text.failed || expression.failed)
        r->helpers.failed = true;
    lun_strbuf_free(&text);
    lun_strbuf_free(&expression);
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

/* ---- random bits --------------------------------------------------------------------------------- */

/* Philox4x32-10 on vectors of 64-bit lanes, one block a lane.  Words stand in the low halves; products
 * look at the low halves alone, so what is in the high ones never matters. */
static void philox(lun_crender *r)
{
    if (!lun_cmake(r, "lun_philox"))
        return;
    int lanes = r->bytes / 8;
    lun_cname v = lun_cvector(r, LUN_U64, lanes), m = lun_cvector(r, LUN_I64, lanes);
    lun_strbuf *out = &r->helpers;
    const char *multiply =
        r->target->isa == LUN_ISA_AVX512 ? "vpmuludq %2, %1, %0\" : \"=v\"(r) : \"v\"(a), \"v"
        : r->target->isa == LUN_ISA_AVX2 ? "vpmuludq %2, %1, %0\" : \"=x\"(r) : \"x\"(a), \"x"
                                         : NULL;
    lun_strbuf_printf(out, "INLINE %s lun_multiply_low(%s a, %s b)\n{\n", v.s, v.s, v.s);
    if (multiply)
        lun_strbuf_printf(out, "    %s r;\n    __asm__(\"%s\"(b));\n    return r;\n}\n", v.s,
                          multiply);
    else
        lun_strbuf_puts(out, "    return (a & 0xffffffffu) * (b & 0xffffffffu);\n}\n");
    lun_strbuf_printf(out, "INLINE %s lun_xor(%s a, %s b, lun_u64 key)\n{\n", v.s, v.s, v.s);
    if (r->target->isa == LUN_ISA_AVX512) /* in one instruction */
        lun_strbuf_printf(
            out,
            "    const %s c = (%s){} + key;\n    __asm__(\"vpternlogq $0x96, %%2, %%1, %%0\" : "
            "\"+v\"(a) : \"v\"(b), \"v\"(c));\n    return a;\n}\n",
            v.s, v.s);
    else
        lun_strbuf_puts(out, "    return a ^ b ^ key;\n}\n");
    /* high halves into low ones: a shuffle, for multiplications and shifts wait for one another */
    lun_cname words = lun_cvector(r, LUN_U32, 2 * lanes),
              index = lun_cvector(r, LUN_I32, 2 * lanes);
    lun_strbuf_printf(out, "INLINE %s lun_high(%s a)\n{\n    return (%s)SHUFFLE(%s, (%s)a, (%s)a",
                      v.s, v.s, v.s, index.s, words.s, words.s);
    for (int l = 0; l < 2 * lanes; l++)
        lun_strbuf_printf(out, ", %d", l | 1);
    lun_strbuf_puts(out,
                    ");\n}\n"
                    "/* The ten pairs of keys. */\n"
                    "INLINE void lun_philox_keys(lun_u64 *keys, lun_u64 key)\n{\n"
                    "    for (int k = 0; k < 10; k++) {\n"
                    "        keys[2 * k] = (lun_u32)((lun_u32)key + k * 0x9e3779b9u);\n"
                    "        keys[2 * k + 1] = (lun_u32)((lun_u32)(key >> 32) + k * 0xbb67ae85u);\n"
                    "    }\n}\n");
    lun_strbuf_printf(
        out,
        "INLINE void lun_philox(lun_u64 *out, lun_u64 block, const lun_u64 *keys)\n{\n"
        "    const %s m0 = (%s){} + 0xd2511f53u, m1 = (%s){} + 0xcd9e8d57u,\n"
        "        low = (%s){} + 0xffffffffu;\n    %s c0 = {",
        v.s, v.s, v.s, v.s, v.s);
    for (int l = 0; l < lanes; l++)
        lun_strbuf_printf(out, "%s%d", l ? ", " : "", l);
    lun_strbuf_printf(
        out,
        "}, c1, c2 = {}, c3 = {};\n    c0 += block;\n    c1 = c0 >> 32;\n"
        "    for (int round = 0; round < 20; round += 2) {\n"
        "        const %s p0 = lun_multiply_low(c0, m0), p1 = lun_multiply_low(c2, m1);\n"
        "        c0 = lun_xor(lun_high(p1), c1, keys[round]);\n"
        "        c2 = lun_xor(lun_high(p0), c3, keys[round + 1]);\n"
        "        c1 = p1;\n        c3 = p0;\n    }\n"
        "    const %s a = (c0 & low) | (c1 << 32), b = (c2 & low) | (c3 << 32);\n",
        v.s, v.s);
    for (int half = 0; half < 2; half++) { /* a0 b0 a1 b1 ... */
        lun_strbuf_printf(out, "    *(%s *)(out + %d) = SHUFFLE(%s, a, b", v.s, half * lanes, m.s);
        for (int l = 0; l < lanes; l++)
            lun_strbuf_printf(out, ", %d", half * lanes / 2 + l / 2 + (l & 1 ? lanes : 0));
        lun_strbuf_puts(out, ");\n");
    }
    lun_strbuf_puts(out, "}\n");
}

lun_cname lun_crandom_stream(lun_crender *r, lun_dtype t)
{
    int per_block = t == LUN_U64 ? 2 : 4, lanes = r->bytes / 8;
    lun_cname c = lun_cname_of("lun_random_%s", lun_dtype_get(t)->name), type = lun_ctype(t);
    if (!lun_cmake(r, c.s))
        return c;
    philox(r);
    lun_strbuf_printf(
        &r->helpers,
        "/* Elements first .. first + 63; returns where they begin in buffer. */\n"
        "INLINE const %s *%s(lun_u64 *buffer, lun_u64 first, const lun_u64 *keys)\n{\n"
        "    const lun_u64 block = first / %d, skip = first %% %d;\n"
        "    for (lun_u64 k = 0; k < %d + (skip != 0); k += %d)\n"
        "        lun_philox(buffer + 2 * k, block + k, keys);\n"
        "    return (const %s *)buffer + skip;\n}\n",
        type.s, c.s, per_block, per_block, 64 / per_block, lanes, type.s);
    return c;
}

lun_cname lun_crandom_one(lun_crender *r, lun_dtype t)
{
    int per_block = t == LUN_U64 ? 2 : 4;
    lun_cname c = lun_cname_of("lun_random_one_%s", lun_dtype_get(t)->name), type = lun_ctype(t);
    if (!lun_cmake(r, c.s))
        return c;
    philox(r);
    lun_strbuf_printf(&r->helpers,
                      "static %s %s(lun_u64 element, lun_u64 key)\n{\n"
                      "    lun_u64 buffer[%d] __attribute__((aligned(64))), keys[20];\n"
                      "    lun_philox_keys(keys, key);\n"
                      "    lun_philox(buffer, element / %d, keys);\n"
                      "    return ((const %s *)buffer)[element %% %d];\n}\n",
                      type.s, c.s, 2 * r->bytes / 8, per_block, type.s, per_block);
    return c;
}
