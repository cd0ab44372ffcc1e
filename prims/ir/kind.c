/* kind.c - ir.def as a table, and what its rows say of one instruction. */
#include "ir/ir.h"

/* Columns that are sets. */
enum {
    IN = 1 << LUN_SLOT_IN,
    OUT = 1 << LUN_SLOT_OUT,
    UNIFORM = 1 << LUN_SLOT_UNIFORM,
    ARRAY = 1 << LUN_SLOT_ARRAY,
    TARGET = 1 << LUN_SLOT_TARGET,
    FROM = LUN_FIELD_FROM,
    OPERATION = LUN_FIELD_OPERATION,
    COMBINER = LUN_FIELD_COMBINER,
    INCLUSIVE = LUN_FIELD_INCLUSIVE,
    PLACES = LUN_FIELD_INDICES,
    ATOM = LUN_FIELD_ATOM,
    INDEX = LUN_EFFECT_INDEX,
    READS = LUN_EFFECT_READS,
    WRITES = LUN_EFFECT_WRITES,
    FAILS = LUN_EFFECT_FAILS,
    VARIABLE = LUN_EFFECT_VARIABLE,
    TEAMS = LUN_EFFECT_TEAMS
};

#define IS_VALUE(a) (LUN_HOLD_##a >= LUN_HOLD_BOOL)

const lun_ir_row lun__ir_rows[LUN_IR_KIND_COUNT] = {
#define LUN_IR(kind, text_, value_, a, b, c, imm_, slots_, fields_, effects_, cost_, varies_, \
               flow_)                                                                         \
    {.text = text_,                                                                           \
     .value = value_,                                                                         \
     .hold = {LUN_HOLD_##a, LUN_HOLD_##b, LUN_HOLD_##c},                                      \
     .imm = LUN_IMM_##imm_,                                                                   \
     .slots = slots_,                                                                         \
     .fields = fields_,                                                                       \
     .effects = effects_,                                                                     \
     .cost = cost_,                                                                           \
     .varies = LUN_VARIES_##varies_,                                                          \
     .flow = LUN_FLOW_##flow_,                                                                \
     .inputs = IS_VALUE(a) + IS_VALUE(b) + IS_VALUE(c)},
#include "ir/ir.def"
#undef LUN_IR
};

static int list_inputs(const lun_ir *ir, const lun_ir_ins *ins, int32_t *in)
{
    int n = 0;
    for (int k = 0; k < ins->c; k++)
        if (ir->operands[ins->b + k] >= 0)
            in[n++] = ir->operands[ins->b + k];
    return n;
}

int lun__ir_inputs(const lun_ir *ir, const lun_ir_ins *ins, int32_t in[LUN_IR_INPUTS])
{
    const lun_ir_row *row = lun__ir_row(ins->kind);
    in[0] = ins->a;
    in[1] = ins->b;
    in[2] = ins->c;
    if (row->fields & LUN_FIELD_OPERATION)
        return lun__op_get((lun_op)ins->op)->arity;
    if (row->hold[1] == LUN_HOLD_REPORT && ins->b < 0)
        return 1;
    return row->hold[1] == LUN_HOLD_LIST ? list_inputs(ir, ins, in) : row->inputs;
}

int64_t lun__ir_cost(const lun_ir *ir)
{
    int64_t cost = 1;
    for (int i = 0; i < ir->count; i++) {
        int own = lun__ir_row(ir->ins[i].kind)->cost;
        cost += own ? own : lun__op_cost((lun_op)ir->ins[i].op);
    }
    return cost;
}

bool lun__ir_may_fail(const lun_ir *ir, const lun_ir_ins *ins)
{
    const lun_ir_row *row = lun__ir_row(ins->kind);
    if (ins->kind == LUN_IR_CALL)
        return ir->functions[ins->imm]->fault_count > 0;
    if (!(row->effects & LUN_EFFECT_FAILS) || !(row->fields & LUN_FIELD_OPERATION))
        return (row->effects & LUN_EFFECT_FAILS) != 0;
    if (lun__dtype_is_float((lun_dtype)ins->from) ||
        !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_TRAP0))
        return false;
    return ir->ins[ins->b].kind != LUN_IR_CONST || ir->ins[ins->b].imm == 0;
}

bool lun__ir_has_barriers(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_BARRIER)
            return true;
    return false;
}

bool lun__ir_puts(const lun_ir *ir)
{
    for (int i = 0; i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_TARGET)
            return true;
    return false;
}

bool lun__ir_any_index(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (ins->kind == LUN_IR_INDEX || ins->kind == LUN_IR_RANDOM ||
            (ins->kind == LUN_IR_GATHER && ir->slots[ins->imm].role != LUN_SLOT_ARRAY))
            return false;
    }
    return ir->scan < 0 && !ir->result_count && !ir->threads && !lun__ir_puts(ir);
}

int64_t lun__ir_note(const lun_ir_ins *ins)
{
    int imm = lun__ir_row(ins->kind)->imm;
    return imm == LUN_IMM_NOTE ? ins->imm : imm == LUN_IMM_NOTE1 ? ins->imm - 1 : -1;
}

lun_dtype lun__ir_function_param(const lun_ir_function *f, int k)
{
    return (lun_dtype)(f->body ? f->body->args[k] : f->param[k].dtype);
}

int lun__ir_function_params(const lun_ir_function *f)
{
    return f->body ? f->body->arg_count : f->params;
}

int lun__ir_function_arrays(const lun_ir_function *f)
{
    return f->body ? f->body->slot_count : 0;
}

const lun_ir_function *lun__ir_combiner(const lun_ir *ir, const lun_ir_ins *ins)
{
    bool combines = lun__ir_row(ins->kind)->fields & LUN_FIELD_COMBINER;
    return combines && ins->op == LUN_OP_COUNT ? ir->functions[ins->c] : NULL;
}
