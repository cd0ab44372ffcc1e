/* version_writer.c - what is known of instructions; see version_writer.h. */
#include "render/versions/version_writer.h"

bool lun__version_writer_guards(const lun_writer *w, int32_t p, int32_t loop)
{
    const lun_counted *c = &w->loop[loop];
    if (p < 0 || w->to.ir->ins[p].kind != LUN_IR_IF || w->blocks.parent[loop] != p ||
        (w->blocks.other[p] >= 0 && w->blocks.other[p] < loop))
        return false;
    const lun_ir_ins *test = &w->to.ir->ins[w->to.ir->ins[p].a];
    return test->kind == LUN_IR_OP && test->op == LUN_OP_LE &&
           lun__dtype_is_index((lun_dtype)test->from) && test->a == c->first && test->b == c->last;
}

bool lun__version_writer_free(const lun_writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->to.ir->ins[i];
    const bool whole = !lun__dtype_is_float((lun_dtype)ins->dtype);
    const bool of_whole = !lun__dtype_is_float((lun_dtype)ins->from);
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_ARG:
    case LUN_IR_CONST:
    case LUN_IR_INDEX:
        return true;
    case LUN_IR_CAST:
        return whole && of_whole;
    case LUN_IR_OP:
        return whole && of_whole && !lun__ir_may_fail(w->to.ir, ins) &&
               !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_HEAVY);
    default:
        return false;
    }
}

int32_t lun__version_writer_first(const lun_writer *w, int32_t v)
{
    int32_t i = 0;
    while (w->out->from[i] != v)
        i++;
    return i;
}
