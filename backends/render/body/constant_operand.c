/* constant_operand.c - operations on vectors that are one instruction because of a constant: shifts
 * by it, and products of integers of 64 bits whose high halves are 0 (a mask, a constant or a
 * shift says so), as of two words in Philox's rounds. */
#include <inttypes.h>

#include "render/body/lanes/value_text.h"
#include "render/body/statement.h"
#include "render/text/text.h"
#include "render/vector/operation.h"

static bool is_constant(const lun_renderer *r, int32_t v)
{
    return r->ir->ins[v].kind == LUN_IR_CONST;
}

/* The count of a shift to the right (negative: to the left) that is in the instruction; 0: none. */
static int64_t count_of(const lun_renderer *r, const lun_ir_ins *ins, int bits)
{
    if ((ins->op != LUN_OP_SHR && ins->op != LUN_OP_SHL) || !is_constant(r, ins->b))
        return 0;
    const int64_t count = r->ir->ins[ins->b].imm;
    if (bits < 32 || count >= bits || count <= -bits)
        return 0;
    return ins->op == LUN_OP_SHR ? count : -count;
}

static void emit_shift(lun_section *s, int32_t v, lun_rep rep, int64_t count)
{
    const bool right = count > 0;
    const char *to = right ? "right" : "left";
    lun_snippet f = lun__text_name("lun_%s_%s", to, lun__vector_rep_name(rep).s);
    lun_strbuf text = LUN_STRBUF_INIT;
    if (lun__text_once(s->r, f.s)) {
        lun__strbuf_printf(&text,
                           "INLINE $v lun_%s_$n($v a, int k)\n{\n    return ($v)(($u)a %s k);\n}\n",
                           to, right ? ">>" : "<<");
        lun__vector_helper(s->r, rep, lun__strbuf_text(&text));
    }
    s->r->helpers.failed |= text.failed;
    lun__strbuf_free(&text);
    lun__text_line(s, "%s = %s(%s, %" PRId64 ");", lun__value_declare(s, v).s, f.s,
                   lun__value_vector(s, s->r->ir->ins[v].a, rep).s, right ? count : -count);
}

/* Whether the high half of each lane is 0 by the instruction that makes the value. */
static bool is_half(const lun_renderer *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    if (is_constant(r, v))
        return (uint64_t)ins->imm <= UINT32_MAX;
    if (ins->kind != LUN_IR_OP)
        return false;
    if (ins->op == LUN_OP_BAND)
        return (is_constant(r, ins->a) && is_half(r, ins->a)) ||
               (is_constant(r, ins->b) && is_half(r, ins->b));
    return count_of(r, ins, 64) >= 32;
}

bool lun__constant_operand(lun_section *s, int32_t v, lun_rep rep)
{
    const lun_ir_ins *ins = &s->r->ir->ins[v];
    const int bytes = lun__vector_rep_bytes(rep);
    if (rep.mask || !lun__dtype_is_integer(rep.t) || bytes < 4)
        return false;
    const int64_t count = count_of(s->r, ins, 8 * bytes);
    if (count) {
        emit_shift(s, v, rep, count);
        return true;
    }
    if (ins->op != LUN_OP_MUL || bytes != 8 || !is_half(s->r, ins->a) || !is_half(s->r, ins->b))
        return false;
    lun__text_line(s, "%s = %s(%s, %s);", lun__value_declare(s, v).s,
                   lun__operation_halves(s->r, rep).s, lun__value_vector(s, ins->a, rep).s,
                   lun__value_vector(s, ins->b, rep).s);
    return true;
}
