/* scalar_statement.c - statements that make one element: uniform values, and all values of a kernel
 * or function on single elements. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/lane_barrier.h"
#include "render/body/lanes/value_text.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/operation.h"

/* Division by zero: records the trap. Under control flow it also returns, for a loop might not end
 * with a wrong value. */
static void trap_single(lun_section *s, int32_t v, lun_snippet divisor)
{
    lun__text_line(s, "if (%s == 0) {", divisor.s);
    if (s->form == LUN_SECTION_FUNCTION)
        lun__text_line(s,
                       "    if (f->trap < 0) f->trap = %" PRId32 ", f->trap_value = %" PRId32 ";",
                       s->where, v);
    else
        lun__text_line(s, "    if (f->trap < 0) f->trap = %" PRId32 ";",
                       lun__renderer_number(s->r, v));
    s->depth++;
    if (s->r->barriers)
        lun__lane_barrier_leave(s, v);
    else if (s->form == LUN_SECTION_FUNCTION)
        lun__text_line(s, "return 0;");
    else if (s->r->masked)
        lun__text_line(s, "return;");
    s->depth--;
    lun__text_line(s, "}");
}

static void scalar_op(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_renderer *r = s->r;
    int32_t in[LUN_IR_INPUTS];
    int n = lun__ir_inputs(r->ir, ins, in);
    if (lun__uses_traps(r, v))
        trap_single(s, v, lun__value_single(s, in[1]));
    lun_strbuf args = LUN_STRBUF_INIT;
    for (int k = 0; k < n; k++)
        lun__strbuf_printf(&args, "%s%s", k ? ", " : "", lun__value_single(s, in[k]).s);
    lun__text_line(s, "%s = %s(%s);", lun__value_declare(s, v).s,
                   lun__element_op(r, (lun_op)ins->op, (lun_dtype)ins->from).s,
                   lun__strbuf_text(&args));
    lun__strbuf_free(&args);
}

/* The address of a slot's elements. */
static lun_snippet array_of(lun_section *s, int64_t slot)
{
    if (s->form != LUN_SECTION_FUNCTION)
        return lun__value_array(s, slot);
    if (!s->r->dialect->frame_slots)
        return lun__text_name("f->p%" PRId64, s->arrays + slot);
    return lun__text_name("((const %s *)f->slots[%" PRId64 "])",
                          lun__element_type((lun_dtype)s->r->ir->slots[slot].dtype).s,
                          s->arrays + slot);
}

void lun__scalar_statement(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_renderer *r = s->r;
    lun_dtype t = (lun_dtype)ins->dtype;
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_ARG:
        if (s->form != LUN_SECTION_FUNCTION || ins->imm >= 2)
            lun__text_line(s, "%s = %s(f->args[%" PRId64 "]);", lun__value_declare(s, v).s,
                           lun__element_uncell(r, t).s,
                           s->form == LUN_SECTION_FUNCTION ? s->captured + ins->imm - 2 : ins->imm);
        break;
    case LUN_IR_CONST:
        lun__text_line(s, "%s = %s;", lun__value_declare(s, v).s,
                       lun__element_const(r, t, (uint64_t)ins->imm).s);
        break;
    case LUN_IR_LOADU:
        lun__text_line(s, "%s = %s[0]%s;", lun__value_declare(s, v).s,
                       lun__value_array(s, ins->imm).s, lun__element_truth(t));
        break;
    case LUN_IR_GATHER:
        lun__text_line(s, "%s = %s[%s]%s;", lun__value_declare(s, v).s, array_of(s, ins->imm).s,
                       lun__value_element_index(s, ins->imm, ins->a).s, lun__element_truth(t));
        break;
    case LUN_IR_CAST:
        lun__text_line(s, "%s = %s(%s);", lun__value_declare(s, v).s,
                       lun__element_cast(r, t, (lun_dtype)ins->from).s,
                       lun__value_single(s, ins->a).s);
        break;
    case LUN_IR_OP:
        scalar_op(s, v);
        break;
    default:
        lun__strbuf_printf(&r->problem, "instruction %" PRId32 " has no form on single elements",
                           v);
    }
    if (s->need != LUN_FACT_HOISTED)
        return;
    if (r->flags[v] & LUN_FACT_AS_SCALAR) {
        lun__strbuf_printf(&r->fields, "    %s s%" PRId32 ";\n", lun__element_type(t).s, v);
        lun__text_line(s, "u->s%" PRId32 " = s%" PRId32 ";", v, v);
    }
    if (r->flags[v] & LUN_FACT_AS_VECTOR) {
        lun_rep rep = lun__value_rep(r, v);
        lun__strbuf_printf(&r->fields, "    %s v%" PRId32 ";\n", lun__vector_type(r, rep).s, v);
        lun__text_line(s, "u->v%" PRId32 " = %s(s%" PRId32 ");", v, lun__vector_splat(r, rep).s, v);
    }
}
