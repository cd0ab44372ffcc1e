/* writer.c - appends instructions; see writer.h. */
#include "render/versions/writer.h"

#include "base/grow.h"

int32_t lun__writer_add(lun_writer *w, lun_ir_ins ins, int32_t from)
{
    lun_versions *o = w->out;
    int32_t i = -1;
    if (lun__grow(&o->from, o->ir.count, &w->room, sizeof *o->from))
        i = lun__ir_add(&o->ir, ins);
    w->failed |= i < 0;
    if (i >= 0)
        o->from[i] = from;
    return i < 0 ? 0 : i;
}

int32_t lun__writer_make(lun_writer *w, lun_ir_kind kind, lun_dtype dtype, int32_t a, int32_t b,
                         int64_t imm)
{
    return lun__writer_add(w,
                           (lun_ir_ins){.kind = (uint8_t)kind,
                                        .dtype = (uint8_t)dtype,
                                        .from = (uint8_t)dtype,
                                        .op = LUN_OP_COUNT,
                                        .a = a,
                                        .b = b,
                                        .c = -1,
                                        .imm = imm},
                           -1);
}

int32_t lun__writer_integer(lun_writer *w, int64_t x)
{
    return lun__writer_make(w, LUN_IR_CONST, LUN_I64, -1, -1, x);
}

int32_t lun__writer_op(lun_writer *w, lun_op op, int32_t a, int32_t b)
{
    const bool compares = lun__op_get(op)->rule == LUN_RULE_CMP, bools = op == LUN_OP_LAND;
    const int32_t i =
        lun__writer_make(w, LUN_IR_OP, compares || bools ? LUN_BOOL : LUN_I64, a, b, 0);
    if (!w->failed) {
        w->out->ir.ins[i].op = (int32_t)op;
        w->out->ir.ins[i].from = bools ? LUN_BOOL : LUN_I64;
    }
    return i;
}

int32_t lun__writer_copy(lun_writer *w, int32_t i)
{
    lun_ir_ins ins = w->ir->ins[i];
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(w->ir, &ins, in);
    if (n > 0)
        ins.a = w->map[ins.a];
    if (n > 1)
        ins.b = w->map[ins.b];
    if (n > 2)
        ins.c = w->map[ins.c];
    return w->map[i] = lun__writer_add(w, ins, i);
}

bool lun__writer_guards(const lun_writer *w, int32_t p, int32_t loop)
{
    const lun_counted *c = &w->loop[loop];
    if (p < 0 || w->ir->ins[p].kind != LUN_IR_IF || w->blocks.parent[loop] != p ||
        (w->blocks.other[p] >= 0 && w->blocks.other[p] < loop))
        return false;
    const lun_ir_ins *test = &w->ir->ins[w->ir->ins[p].a];
    return test->kind == LUN_IR_OP && test->op == LUN_OP_LE &&
           lun__dtype_is_index((lun_dtype)test->from) && test->a == c->first && test->b == c->last;
}

bool lun__writer_free(const lun_writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->ir->ins[i];
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
        return whole && of_whole && !lun__ir_may_fail(w->ir, ins) &&
               !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_HEAVY);
    default:
        return false;
    }
}

int32_t lun__writer_first(const lun_writer *w, int32_t v)
{
    int32_t i = 0;
    while (w->out->from[i] != v)
        i++;
    return i;
}
