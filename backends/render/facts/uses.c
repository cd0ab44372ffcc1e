/* uses.c - questions about the facts and the IR: operands, traps, place in the control flow,
 * identity, number of statements. Knows nothing of text. */
#include "render/facts/uses.h"

int32_t lun__uses_child(const lun_renderer *r, int32_t outer, int32_t i)
{
    int32_t child = -1;
    for (int32_t p = r->parent[i]; p != outer; p = r->parent[p])
        child = p;
    return child;
}

void lun__uses_inputs(lun_renderer *r, int32_t i,
                      void (*visit)(lun_renderer *r, int32_t i, int32_t v))
{
    int32_t in[LUN_IR_INPUTS];
    int n = lun__ir_inputs(r->ir, &r->ir->ins[i], in);
    for (int k = 0; k < n; k++)
        visit(r, i, in[k]);
}

bool lun__uses_behind(const lun_renderer *r, int32_t i)
{
    int32_t var = r->ir->ins[i].a, loop = r->origin[var];
    if (!(r->flags[var] & LUN_FACT_TEMPORAL) || lun__renderer_varies(r, var) || i < loop)
        return false;
    return lun__uses_child(r, r->parent[var], i) != loop;
}

bool lun__uses_traps(const lun_renderer *r, int32_t i)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    return ins->kind == LUN_IR_OP && lun__ir_may_fail(r->ir, ins);
}

bool lun__uses_in_lanes(const lun_renderer *r, int32_t i)
{
    unsigned f = r->flags[i];
    if (!(f & (LUN_FACT_BODY | LUN_FACT_OPERAND)) || (f & LUN_FACT_LINEAR) ||
        !lun__ir_has_value(&r->ir->ins[i]))
        return false;
    return (f & (LUN_FACT_VARYING | LUN_FACT_AS_VECTOR | LUN_FACT_TEMPORAL)) != 0;
}

int lun__uses_weight(const lun_renderer *r, unsigned section)
{
    int n = 0;
    for (int32_t i = 0; i < r->ir->count; i++)
        if ((r->flags[i] & section) && !(r->flags[i] & LUN_FACT_HOISTED))
            n++;
    return n;
}

int lun__uses_sequences(const lun_renderer *r, unsigned section)
{
    int n = 0;
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        if ((r->flags[i] & section) && !(r->flags[i] & LUN_FACT_HOISTED) &&
            ins->kind == LUN_IR_OP && (lun__op_get((lun_op)ins->op)->flags & LUN_OPF_VEC))
            n++;
    }
    return n;
}

bool lun__uses_identity(const lun_renderer *r, int32_t v, uint64_t *identity)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    if (ins->op >= LUN_OP_COUNT || !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_COMM))
        return false;
    return lun__op_identity((lun_op)ins->op, (lun_dtype)ins->dtype, identity);
}
