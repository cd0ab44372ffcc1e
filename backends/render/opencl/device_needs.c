/* device_needs.c - what a kernel needs of a device: f64, atomic operations on 64 bits, the buffer
 * `work`, a report of traps, the word that stops it, the kernel lun_pairs.  Knows no text. */
#include "render/opencl/device_needs.h"

#include "render/facts/passes.h"
#include "render/facts/uses.h"

static bool body_has_f64(const lun_ir *ir)
{
    bool found = false;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        bool from = ins->kind == LUN_IR_OP || ins->kind == LUN_IR_CAST;
        found |= lun__ir_has_value(ins) && lun__dtype_is_double((lun_dtype)ins->dtype);
        found |= ins->kind == LUN_IR_REDUCE && lun__dtype_is_double((lun_dtype)ins->dtype);
        found |= from && lun__dtype_is_double((lun_dtype)ins->from);
    }
    for (int i = 0; i < ir->slot_count; i++)
        found |= lun__dtype_is_double((lun_dtype)ir->slots[i].dtype);
    return found;
}

bool lun__cl_needs_f64(const lun_ir *ir)
{
    bool found = body_has_f64(ir);
    for (int i = 0; i < ir->function_count; i++)
        found |= ir->functions[i]->body && body_has_f64(ir->functions[i]->body);
    return found;
}

static bool body_computes(const lun_ir *ir, bool wide)
{
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        const bool from = ins->kind == LUN_IR_OP || ins->kind == LUN_IR_CAST;
        const lun_dtype t[2] = {(lun_dtype)ins->dtype, from ? (lun_dtype)ins->from : LUN_BOOL};
        if (!from && ins->kind != LUN_IR_REDUCE && ins->kind != LUN_IR_SCAN &&
            ins->kind != LUN_IR_CALL)
            continue;
        for (int k = 0; k < 2; k++)
            if (lun__dtype_is_float(t[k]) && lun__dtype_is_double(t[k]) == wide)
                return true;
    }
    return false;
}

bool lun__cl_needs_arithmetic(const lun_ir *ir, bool wide)
{
    bool found = body_computes(ir, wide);
    for (int i = 0; i < ir->function_count; i++)
        found |= ir->functions[i]->body && body_computes(ir->functions[i]->body, wide);
    return found;
}

static bool body_traps(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++)
        if (lun__ir_may_fail(ir, &ir->ins[i]))
            return true;
    return false;
}

bool lun__cl_needs_report(const lun_ir *ir)
{
    bool traps = body_traps(ir);
    for (int i = 0; i < ir->function_count; i++)
        traps |= ir->functions[i]->fault_count > 0 ||
                 (ir->functions[i]->body && body_traps(ir->functions[i]->body));
    return traps;
}

static bool body_loops(const lun_ir *ir)
{
    lun_ir_structure blocks;
    bool asks = false;
    if (lun__ir_structure_find(ir, &blocks, NULL) != LUN_OK)
        return false; /* it cannot be rendered either */
    for (int32_t i = 0; i < ir->count; i++)
        asks |= ir->ins[i].kind == LUN_IR_LOOP && !lun__trip_count_few(ir, &blocks, i);
    lun__ir_structure_free(&blocks);
    return asks;
}

bool lun__cl_needs_stop(const lun_ir *ir)
{
    bool loops = body_loops(ir);
    for (int i = 0; i < ir->function_count; i++)
        loops |= ir->functions[i]->asks ||
                 (ir->functions[i]->body && body_loops(ir->functions[i]->body));
    return loops;
}

bool lun__cl_needs_work(const lun_ir *ir)
{
    return ir->result_count || ir->scan >= 0 || lun__cl_needs_report(ir);
}

static const lun_ir_ins *wide_atomic_of(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if ((ins->kind == LUN_IR_ATOMIC || ins->kind == LUN_IR_SWAP) &&
            lun__dtype_bits((lun_dtype)ins->dtype) == 64)
            return ins;
    }
    return NULL;
}

const lun_ir_ins *lun__cl_needs_wide_atomic(const lun_ir *ir)
{
    const lun_ir_ins *found = wide_atomic_of(ir);
    for (int i = 0; !found && i < ir->function_count; i++)
        if (ir->functions[i]->body)
            found = wide_atomic_of(ir->functions[i]->body);
    return found;
}

static bool body_has_math(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (ins->kind == LUN_IR_OP && (lun__op_get((lun_op)ins->op)->flags & LUN_OPF_VEC))
            return true;
    }
    return false;
}

bool lun__cl_needs_pairs(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_REDUCE && lun__ir_combiner(ir, &ir->ins[i]))
            return true;
    return false;
}

bool lun__cl_needs_device_math(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++) {
        const lun_ir_function *f = lun__ir_combiner(ir, &ir->ins[i]);
        if (ir->ins[i].kind == LUN_IR_REDUCE && f && f->body && body_has_math(f->body))
            return true;
    }
    return false;
}

bool lun__cl_needs_arrays(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_REDUCE && ir->ins[i].arrays)
            return true;
    return false;
}
