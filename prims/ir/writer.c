/* writer.c - appends instructions; see writer.h. */
#include "ir/writer.h"

#include "base/grow.h"

int32_t lun__ir_write_as(lun_ir_writer *w, lun_ir_ins ins, int32_t from)
{
    int32_t i = -1;
    if (lun__grow(w->from, w->to->count, &w->room, sizeof **w->from))
        i = lun__ir_add(w->to, ins);
    w->failed |= i < 0;
    if (i >= 0)
        (*w->from)[i] = from;
    return i < 0 ? 0 : i;
}

int32_t lun__ir_write(lun_ir_writer *w, lun_ir_kind kind, lun_dtype dtype, int32_t a, int32_t b,
                      int64_t imm)
{
    return lun__ir_write_as(w,
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

int32_t lun__ir_write_integer(lun_ir_writer *w, int64_t x)
{
    return lun__ir_write(w, LUN_IR_CONST, LUN_I64, -1, -1, x);
}

int32_t lun__ir_write_op(lun_ir_writer *w, lun_op op, int32_t a, int32_t b)
{
    const bool compares = lun__op_get(op)->rule == LUN_RULE_CMP, bools = op == LUN_OP_LAND;
    const int32_t i = lun__ir_write(w, LUN_IR_OP, compares || bools ? LUN_BOOL : LUN_I64, a, b, 0);
    if (!w->failed) {
        w->to->ins[i].op = (int32_t)op;
        w->to->ins[i].from = bools ? LUN_BOOL : LUN_I64;
    }
    return i;
}

/* A call's operands and its function; arrays are the same. */
static void copy_list(lun_ir_writer *w, lun_ir_ins *ins)
{
    const int first = w->to->operand_count;
    for (int k = 0; k < ins->c; k++) {
        const int32_t o = w->ir->operands[ins->b + k];
        w->failed |= lun__ir_operand_add(w->to, o < 0 ? o : w->map[o]) < 0;
    }
    const int number = lun__ir_function_add(w->to, w->ir->functions[ins->imm]);
    w->failed |= number < 0;
    ins->b = first;
    ins->imm = number;
}

int32_t lun__ir_write_copy(lun_ir_writer *w, int32_t i)
{
    lun_ir_ins ins = w->ir->ins[i];
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(w->ir, &ins, in);
    if (ins.kind == LUN_IR_CALL) {
        copy_list(w, &ins);
        return w->map[i] = lun__ir_write_as(w, ins, i);
    }
    if (n > 0)
        ins.a = w->map[ins.a];
    if (n > 1)
        ins.b = w->map[ins.b];
    if (n > 2)
        ins.c = w->map[ins.c];
    return w->map[i] = lun__ir_write_as(w, ins, i);
}
