/* ir.c - kernel IR: building and inlining. */
#include "ir/ir.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

void lun__ir_init(lun_ir *ir)
{
    memset(ir, 0, sizeof *ir);
    ir->scan = -1;
}

void lun__ir_free(lun_ir *ir)
{
    free(ir->ins);
    free(ir->slots);
    free(ir->args);
    free(ir->operands);
    free(ir->functions);
    free(ir->results);
    lun__ir_init(ir);
}

int64_t lun__ir_bytes(const lun_ir *ir)
{
    return (int64_t)((size_t)ir->ins_room * sizeof *ir->ins +
                     (size_t)ir->slot_room * sizeof *ir->slots +
                     (size_t)ir->arg_room * sizeof *ir->args +
                     (size_t)ir->operand_room * sizeof *ir->operands +
                     (size_t)ir->function_room * sizeof(void *) +
                     (size_t)ir->result_room * sizeof *ir->results);
}

int lun__ir_add(lun_ir *ir, lun_ir_ins ins)
{
    if (!lun__grow(&ir->ins, ir->count, &ir->ins_room, sizeof *ir->ins))
        return -1;
    if (ins.kind == LUN_IR_SCAN)
        ir->scan = ir->count;
    ir->ins[ir->count] = ins;
    return ir->count++;
}

int lun__ir_slot_add(lun_ir *ir, lun_dtype dtype, lun_ir_role role)
{
    if (!lun__grow(&ir->slots, ir->slot_count, &ir->slot_room, sizeof *ir->slots))
        return -1;
    ir->slots[ir->slot_count] = (lun_ir_slot){.dtype = (uint8_t)dtype, .role = (uint8_t)role};
    return ir->slot_count++;
}

int lun__ir_arg_add(lun_ir *ir, lun_dtype dtype)
{
    if (!lun__grow(&ir->args, ir->arg_count, &ir->arg_room, sizeof *ir->args))
        return -1;
    ir->args[ir->arg_count] = (uint8_t)dtype;
    return ir->arg_count++;
}

int lun__ir_operand_add(lun_ir *ir, int32_t operand)
{
    if (!lun__grow(&ir->operands, ir->operand_count, &ir->operand_room, sizeof *ir->operands))
        return -1;
    ir->operands[ir->operand_count] = operand;
    return ir->operand_count++;
}

int lun__ir_function_add(lun_ir *ir, lun_ir_function *f)
{
    for (int i = 0; i < ir->function_count; i++)
        if (ir->functions[i] == f)
            return i;
    if (!lun__grow(&ir->functions, ir->function_count, &ir->function_room, sizeof *ir->functions))
        return -1;
    ir->functions[ir->function_count] = f;
    return ir->function_count++;
}

int lun__ir_result_add(lun_ir *ir, lun_dtype dtype)
{
    if (!lun__grow(&ir->results, ir->result_count, &ir->result_room, sizeof *ir->results))
        return -1;
    ir->results[ir->result_count] = (uint8_t)dtype;
    return ir->result_count++;
}

bool lun__ir_copy_outside(const lun_ir *from, lun_ir *to)
{
    bool well = true;
    lun__ir_init(to);
    for (int i = 0; well && i < from->slot_count; i++) {
        well = lun__ir_slot_add(to, (lun_dtype)from->slots[i].dtype,
                                (lun_ir_role)from->slots[i].role) >= 0;
        if (well) {
            to->slots[i].own = from->slots[i].own;
            to->slots[i].shared = from->slots[i].shared;
            to->slots[i].settled = from->slots[i].settled;
        }
    }
    for (int i = 0; i < from->arg_count; i++)
        well = well && lun__ir_arg_add(to, (lun_dtype)from->args[i]) >= 0;
    return well;
}

bool lun__ir_copy_plain(const lun_ir *from, lun_ir *to)
{
    bool well = lun__ir_copy_outside(from, to);
    to->threads = from->threads;
    for (int i = 0; i < from->count; i++)
        well = well && lun__ir_add(to, from->ins[i]) >= 0;
    for (int i = 0; i < from->result_count; i++)
        well = well && lun__ir_result_add(to, (lun_dtype)from->results[i]) >= 0;
    return well;
}

/* ---- inlining -------------------------------------------------------------------------------- */

lun_status lun__ir_inline(lun_ir *ir, const lun_ir_function *f, const int32_t *params,
                          const int32_t *arrays, int32_t *result)
{
    const lun_ir *body = f->body;
    int32_t *map = malloc(((size_t)body->count + 1) * sizeof *map);
    lun_status s = map ? LUN_OK : LUN_ENOMEM;
    for (int i = 0; s == LUN_OK && i < body->count; i++) {
        lun_ir_ins ins = body->ins[i];
        if (ins.kind == LUN_IR_ARG) {
            map[i] = params[ins.imm];
            continue;
        }
        int32_t in[LUN_IR_INPUTS];
        int n = lun__ir_inputs(body, &ins, in);
        if (n > 0)
            ins.a = map[ins.a];
        if (n > 1)
            ins.b = map[ins.b];
        if (n > 2)
            ins.c = map[ins.c];
        if (lun__ir_row(ins.kind)->imm == LUN_IMM_SLOT)
            ins.imm = arrays[ins.imm];
        map[i] = lun__ir_add(ir, ins);
        if (map[i] < 0)
            s = LUN_ENOMEM;
    }
    for (int k = 0; s == LUN_OK && k < f->outputs; k++)
        result[k] = map[f->output[k]];
    free(map);
    return s;
}
