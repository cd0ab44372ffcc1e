/* divergence.c - structure and divergence: the construct around each instruction, the targets of
 * exits; varying values, divergent control flow, hoisted values. Knows nothing of text. */
#include "render/facts/passes.h"

#include "render/facts/uses.h"

/* ---- structure ------------------------------------------------------------------------------- */

bool lun__divergence_leaves(int kind)
{
    return lun__ir_row(kind)->flow == LUN_FLOW_LEAVE;
}

lun_status lun__divergence_structure(lun_renderer *r)
{
    const lun_ir *ir = r->ir;
    lun_status s = lun__ir_structure_find(ir, &r->blocks, NULL);
    if (s != LUN_OK)
        return s;
    r->parent = r->blocks.parent;
    r->masked |= r->blocks.blocks;
    for (int32_t i = 0; i < ir->count; i++) {
        int kind = ir->ins[i].kind;
        r->origin[i] = r->blocks.target[i];
        r->first_var[i] = i;
        r->masked |= kind == LUN_IR_CHECK || kind == LUN_IR_SET;
        if (r->blocks.continued[i])
            r->flags[i] |= LUN_FACT_CONTINUED;
        if (lun__divergence_leaves(kind))
            for (int32_t p = r->parent[i]; p != r->origin[i]; p = r->parent[p])
                r->flags[p] |= LUN_FACT_LEFT;
    }
    return LUN_OK;
}

/* ---- divergence ------------------------------------------------------------------------------ */

/* For each VAR the one LOOP beside it that contains all SETs of it, but for SETs in its own
 * block. */
static void find_setters(lun_renderer *r)
{
    enum { NONE = -1, SEVERAL = -2 };
    const lun_ir *ir = r->ir;
    for (int32_t i = 0; i < ir->count; i++) {
        if (ir->ins[i].kind != LUN_IR_SET)
            continue;
        int32_t var = ir->ins[i].a, loop = lun__uses_child(r, r->parent[var], i);
        if (loop < 0)
            continue;
        bool fits = ir->ins[loop].kind == LUN_IR_LOOP && !(r->flags[loop] & LUN_FACT_CONTINUED) &&
                    (r->origin[var] == NONE || r->origin[var] == loop);
        r->origin[var] = fits ? loop : SEVERAL;
    }
    for (int32_t i = ir->count - 1; i >= 0; i--)
        if (ir->ins[i].kind == LUN_IR_VAR && r->origin[i] >= 0)
            r->first_var[r->origin[i]] = i;
}

/* True if control flow between `outer` (excluded) and i is divergent. */
static bool diverged(const lun_renderer *r, int32_t i, int32_t outer)
{
    for (int32_t p = r->parent[i]; p >= 0 && p != outer; p = r->parent[p])
        if (lun__renderer_varies(r, p))
            return true;
    return false;
}

static bool vary(lun_renderer *r, int32_t i)
{
    if (lun__renderer_varies(r, i))
        return false;
    r->flags[i] |= LUN_FACT_VARYING;
    return true;
}

static void inherit(lun_renderer *r, int32_t i, int32_t v)
{
    if (lun__renderer_varies(r, v))
        r->flags[i] |= LUN_FACT_VARYING;
}

/* A SET of a uniform value: the variable varies if control flow has diverged since the VAR. A LOOP
 * with a divergent exit is the exception: inside it the variable stays uniform for the active
 * lanes, behind it varies (TEMPORAL). */
static bool mark_set(lun_renderer *r, int32_t i)
{
    int32_t var = r->ir->ins[i].a, loop = r->origin[var];
    bool inside = loop >= 0 && lun__uses_child(r, r->parent[var], i) == loop;
    if (!inside)
        return diverged(r, i, r->parent[var]) && vary(r, var);
    if (diverged(r, i, loop))
        return vary(r, var);
    if (!lun__renderer_varies(r, loop) || (r->flags[var] & LUN_FACT_TEMPORAL))
        return false;
    r->flags[var] |= LUN_FACT_TEMPORAL;
    return true;
}

/* Marks what instruction i makes varying; true if something was not marked before. */
static bool mark(lun_renderer *r, int32_t i)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    bool changed = false, before = lun__renderer_varies(r, i);
    if (lun__ir_row(ins->kind)->varies == LUN_VARIES_ALWAYS)
        return vary(r, i);
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_SET:
        if (lun__uses_behind(r, i))
            return false;
        return lun__renderer_varies(r, ins->b) ? vary(r, ins->a) : mark_set(r, i);
    case LUN_IR_GET:
        if (lun__uses_behind(r, i))
            return vary(r, i);
        inherit(r, i, ins->a);
        return lun__renderer_varies(r, i) != before;
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
        if (!diverged(r, i, r->origin[i]))
            return false;
        for (int32_t p = r->parent[i];; p = r->parent[p]) {
            if (r->ir->ins[p].kind != LUN_IR_IF)
                changed |= vary(r, p);
            if (p == r->origin[i])
                return changed;
        }
    default:
        lun__uses_inputs(r, i, inherit);
        return lun__renderer_varies(r, i) != before;
    }
}

static void find_varying(lun_renderer *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < r->ir->count; i++)
            changed |= mark(r, i);
    }
}

/* Gives a value, which hangs on no variable. */
static bool is_pure(const lun_ir_ins *ins)
{
    return lun__ir_has_value(ins) && !(lun__ir_row(ins->kind)->effects & LUN_EFFECT_VARIABLE);
}

/* The same, and may be computed where control flow would not reach it. */
static bool is_harmless(const lun_renderer *r, const lun_ir_ins *ins)
{
    const lun_ir_row *row = lun__ir_row(ins->kind);
    if (row->fields & LUN_FIELD_OPERATION)
        return !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_TRAP0);
    if (row->imm == LUN_IMM_SLOT && r->ir->slots[ins->imm].role == LUN_SLOT_UNIFORM)
        return true;
    return is_pure(ins) && !(row->effects & (LUN_EFFECT_READS | LUN_EFFECT_FAILS));
}

/* A value is hoisted if it depends on arguments and uniform slots alone, and may be computed even
 * where control flow would not reach it. */
static void find_hoisted(lun_renderer *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        int32_t in[LUN_IR_INPUTS];
        int n = lun__ir_inputs(r->ir, ins, in);
        bool top = r->parent[i] < 0 && !r->masked;
        bool hoist = !lun__renderer_varies(r, i) && (top ? is_pure(ins) : is_harmless(r, ins));
        for (int k = 0; k < n; k++)
            hoist = hoist && (r->flags[in[k]] & LUN_FACT_HOISTED);
        if (hoist)
            r->flags[i] |= LUN_FACT_HOISTED;
    }
}

void lun__divergence_find(lun_renderer *r)
{
    find_setters(r);
    find_varying(r);
    find_hoisted(r);
}
