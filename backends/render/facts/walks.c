/* walks.c - finds loops that walk along arrays; see passes.h.  Knows nothing of text. */
#include "render/facts/passes.h"

static bool is_constant(const lun_ir *ir, int32_t v)
{
    return ir->ins[v].kind == LUN_IR_CONST;
}

/* Whether v is an addition to x, or a subtraction from it, of a constant. */
static bool is_shifted(const lun_ir *ir, int32_t v, int32_t x)
{
    const lun_ir_ins *ins = &ir->ins[v];
    if (ins->kind != LUN_IR_OP || (ins->op != LUN_OP_ADD && ins->op != LUN_OP_SUB))
        return false;
    return (ins->a == x && is_constant(ir, ins->b)) ||
           (ins->op == LUN_OP_ADD && ins->b == x && is_constant(ir, ins->a));
}

/* Whether `get`, in the LOOP, reads a counter that each iteration sets to the next integer. */
static bool counts(const lun_renderer *r, int32_t loop, int32_t get)
{
    const lun_ir *ir = r->ir;
    int sets = 0;
    for (int32_t i = loop; i < r->blocks.end[loop]; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (ins->kind != LUN_IR_SET || ins->a != ir->ins[get].a)
            continue;
        const lun_ir_ins *next = &ir->ins[ins->b];
        if (!is_shifted(ir, ins->b, get) || next->op != LUN_OP_ADD)
            return false;
        sets += ir->ins[next->a == get ? next->b : next->a].imm == 1;
    }
    return sets == 1;
}

/* Whether an array is indexed by the counter plus a constant, which differs between lanes. */
static bool indexes(const lun_renderer *r, int32_t loop, int32_t get)
{
    const lun_ir *ir = r->ir;
    for (int32_t i = get; i < r->blocks.end[loop]; i++) {
        int32_t at = ir->ins[i].kind == LUN_IR_GATHER ? ir->ins[i].a : -1;
        if (at >= 0 && lun__renderer_varies(r, at) && !(r->flags[at] & LUN_FACT_AFFINE) &&
            (at == get || is_shifted(ir, at, get)))
            return true;
    }
    return false;
}

static bool walks(const lun_renderer *r, int32_t loop)
{
    const lun_ir *ir = r->ir;
    bool found = false;
    for (int32_t i = loop; i < r->blocks.end[loop]; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (ins->kind == LUN_IR_OP && (lun__op_get((lun_op)ins->op)->flags & LUN_OPF_HEAVY))
            return false; /* vectors of these are worth waiting for */
        bool get = ins->kind == LUN_IR_GET && r->blocks.parent[i] == loop;
        found |= get && counts(r, loop, i) && indexes(r, loop, i);
    }
    return found;
}

bool lun__walks_along(const lun_renderer *r)
{
    const lun_ir *ir = r->ir;
    bool found = false;
    if (lun__ir_puts(ir))
        return true;
    if (ir->result_count || ir->scan >= 0)
        return false;
    for (int32_t v = 0; v < ir->count; v++) {
        int kind = ir->ins[v].kind;
        if (kind == LUN_IR_CALL || kind == LUN_IR_RANDOM)
            return false;
        found |= kind == LUN_IR_LOOP && lun__renderer_varies(r, v) && walks(r, v);
    }
    return found;
}
