/* private_memory.c - private arrays (memory of one thread), by how their elements are numbered; see
 * loop_versions.h. */
#include "render/versions/loop_versions.h"

enum { OWN_BYTES = 16384 }; /* of one private array */

static bool is_op(const lun_ir *ir, int32_t v, lun_op op)
{
    const lun_ir_ins *ins = &ir->ins[v];
    return ins->kind == LUN_IR_OP && ins->op == (int32_t)op &&
           lun__dtype_is_index((lun_dtype)ins->from);
}

/* Whether v is where the part of this index begins: (index - first index) * own. */
static bool begins_own(const lun_ir *ir, int32_t v, int64_t own)
{
    if (own == 1 && is_op(ir, v, LUN_OP_SUB))
        return ir->ins[ir->ins[v].a].kind == LUN_IR_INDEX &&
               ir->ins[ir->ins[v].b].kind == LUN_IR_ARG &&
               ir->ins[ir->ins[v].b].imm == LUN_FRONT_BASE;
    if (!is_op(ir, v, LUN_OP_MUL))
        return false;
    const int32_t a = ir->ins[v].a, b = ir->ins[v].b;
    const bool swapped = ir->ins[a].kind == LUN_IR_CONST;
    const int32_t c = swapped ? a : b, x = swapped ? b : a;
    return ir->ins[c].kind == LUN_IR_CONST && ir->ins[c].imm == own && begins_own(ir, x, 1);
}

/* The number of an element within that part, where instruction i reads or puts it; else -1. */
int32_t lun__private_memory_within(const lun_ir *ir, int32_t i)
{
    const lun_ir_ins *ins = &ir->ins[i];
    const int64_t own = ir->slots[ins->imm].own;
    const int32_t at = ins->kind == LUN_IR_GATHER ? ins->a : ins->b;
    if (!is_op(ir, at, LUN_OP_ADD))
        return -1;
    if (begins_own(ir, ir->ins[at].b, own))
        return ir->ins[at].a;
    return begins_own(ir, ir->ins[at].a, own) ? ir->ins[at].b : -1;
}

void lun__private_memory_find(const lun_ir *ir, uint8_t *own)
{
    for (int k = 0; k < ir->slot_count; k++)
        own[k] =
            ir->slots[k].own > 0 &&
            ir->slots[k].own * lun__dtype_get((lun_dtype)ir->slots[k].dtype)->bytes <= OWN_BYTES;
    for (int32_t i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (lun__ir_row(ins->kind)->imm != LUN_IMM_SLOT || !own[ins->imm])
            continue;
        own[ins->imm] = (ins->kind == LUN_IR_GATHER || ins->kind == LUN_IR_PUT) &&
                        lun__private_memory_within(ir, i) >= 0;
    }
}
