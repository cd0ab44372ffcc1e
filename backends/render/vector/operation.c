/* operation.c - GNU vectors in the generated text: operations of table/ops.def.  Knows no IR. */
#include "render/vector/operation.h"

#include "render/text/element_text.h"
#include "render/text/text.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* Lane by lane, with the function on single elements. */
static void lane_loop(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *text)
{
    static const char *const names[] = {"a", "b", "c"};
    const lun_op_row *row = lun__op_get(op);
    lun_dtype from = rep.mask ? LUN_BOOL : rep.t;
    lun_snippet one = lun__element_op(r, op, from);
    bool test = lun__dtype_is_bool(lun__element_result(op, from));
    lun__strbuf_printf(text, "    %s r;\n    LANES($W) r[l] = %s%s(", test ? "$m" : "$v",
                       test ? "-" : "", one.s);
    for (int k = 0; k < row->arity; k++) {
        bool truth = rep.mask || (row->rule == LUN_RULE_SELECT && k == 0);
        lun__strbuf_printf(text, "%s%s[l]%s", k ? ", " : "", names[k], truth ? " & 1" : "");
    }
    lun__strbuf_puts(text, ");\n    return r;\n");
}

/* Whether a target has instructions on vectors of so many bytes. */
static bool is_native(const lun_renderer *r, int total)
{
    return r->target->isa != LUN_ISA_BASE && total >= 16 &&
           total <= (r->target->isa == LUN_ISA_AVX512 ? 64 : 32);
}

/* The lesser or larger of two: compilers make a comparison and a choice of it, which takes six
 * times as long in a chain.  The instruction for floats gives b where one is NaN. */
static bool extreme(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *text)
{
    const char *name = lun__op_get(op)->name;
    int bytes = lun__vector_rep_bytes(rep);
    bool real = lun__dtype_is_plain_float(rep.t), avx512 = r->target->isa == LUN_ISA_AVX512;
    if ((op != LUN_OP_MIN && op != LUN_OP_MAX) || rep.mask || !is_native(r, bytes * r->lanes) ||
        (bytes == 8 && !real && !avx512))
        return false;
    lun_snippet code =
        real ? lun__text_name("v%sp%c", name, bytes == 4 ? 's' : 'd')
             : lun__text_name("vp%s%c%c", name, lun__dtype_is_signed(rep.t) ? 's' : 'u',
                              "bw d   q"[bytes - 1]);
    lun__strbuf_printf(text,
                       "    $v r;\n    __asm__(\"%s %%2, %%1, %%0\" : \"=v\"(r) : \"v\"(a), "
                       "\"v\"(b));\n",
                       code.s);
    if (real)
        lun__strbuf_printf(text, "    return %s(a != a, a, r);\n", lun__vector_select(r, rep).s);
    else
        lun__strbuf_puts(text, "    return r;\n");
    return true;
}

/* Shifts by a count for each lane: the instruction gives 0 for counts of the width and beyond,
 * which negative ones are, too.  Where counts may be negative (u64 ones are read as i64), one of
 * the two directions has lanes that are not 0. */
static bool shift(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *text)
{
    int bytes = lun__vector_rep_bytes(rep);
    bool both = lun__dtype_is_signed(rep.t) || lun__dtype_bits(rep.t) == 64;
    if ((op != LUN_OP_SHL && op != LUN_OP_SHR) || rep.mask || bytes < 4 ||
        !is_native(r, bytes * r->lanes))
        return false;
    char to = op == LUN_OP_SHL ? 'l' : 'r', back = to == 'l' ? 'r' : 'l';
    const char *format = "    __asm__(\"vps%clv%c %%2, %%1, %%0\" : \"=v\"(%c) : \"v\"(a), "
                         "\"v\"(b));\n";
    char lane = bytes == 4 ? 'd' : 'q';
    lun__strbuf_printf(text, "    $v r%s;\n", both ? ", s" : "");
    lun__strbuf_printf(text, format, to, lane, 'r');
    if (both) {
        lun__strbuf_puts(text, "    b = -b;\n");
        lun__strbuf_printf(text, format, back, lane, 's');
    }
    lun__strbuf_printf(text, "    return r%s;\n", both ? " | s" : "");
    return true;
}

lun_snippet lun__operation_vector(lun_renderer *r, lun_op op, lun_rep rep)
{
    static const char *const names[] = {"a", "b", "c"};
    const lun_op_row *row = lun__op_get(op);
    lun_snippet c = lun__text_name("lun_%s_%s", row->name, lun__vector_rep_name(rep).s);
    if (!lun__text_once(r, c.s))
        return c;
    bool test = lun__dtype_is_bool(lun__element_result(op, rep.mask ? LUN_BOOL : rep.t));
    lun_strbuf text = LUN_STRBUF_INIT, expression = LUN_STRBUF_INIT, made = LUN_STRBUF_INIT;
    bool by_instruction = shift(r, op, rep, &made) || extreme(r, op, rep, &made) ||
                          (op == LUN_OP_MOD && lun__remainder_vector(r, rep, &made));
    bool whole = by_instruction || lun__expression_vector(r, op, rep, &expression);
    /* a loop over lanes is expensive to compile: it is a function of its own */
    lun__strbuf_printf(&text, "%s %s %s(", whole ? "INLINE" : "static __attribute__((noinline))",
                       test ? "$m" : "$v", c.s);
    for (int k = 0; k < row->arity; k++)
        lun__strbuf_printf(&text, "%s%s %s", k ? ", " : "",
                           row->rule == LUN_RULE_SELECT && k == 0 ? "$m" : "$v", names[k]);
    lun__strbuf_puts(&text, ")\n{\n");
    if (by_instruction)
        lun__strbuf_puts(&text, lun__strbuf_text(&made));
    else if (whole)
        lun__strbuf_printf(&text, "    return %s;\n", lun__strbuf_text(&expression));
    else
        lane_loop(r, op, rep, &text);
    lun__strbuf_puts(&text, "}\n");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed || expression.failed || made.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
    lun__strbuf_free(&expression);
    lun__strbuf_free(&made);
    return c;
}

lun_snippet lun__operation_halves(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_halves_%s", lun__vector_rep_name(rep).s);
    if (!lun__text_once(r, c.s))
        return c;
    lun__vector_helper(r, rep,
                       is_native(r, 8 * r->lanes)
                           ? "INLINE $v lun_halves_$n($v a, $v b)\n{\n    $v r;\n"
                             "    __asm__(\"vpmuludq %2, %1, %0\" : \"=v\"(r) : \"v\"(a), "
                             "\"v\"(b));\n    return r;\n}\n"
                           : "INLINE $v lun_halves_$n($v a, $v b)\n{\n    return a * b;\n}\n");
    return c;
}
