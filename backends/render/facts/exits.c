/* exits.c - loops with a divergent exit that may be strip-mined: iterations run in strips, and the
 * exit test "is any lane active" runs once for each strip. Such a loop holds nothing that an
 * iteration without active lanes could do harm with: no memory access, no trap, no heavy operation.
 *
 * A variable that is uniform inside such a loop and varying behind it (temporal divergence) needs
 * no branch: it is copied to the active lanes wherever it is set. If it is an induction variable,
 * which each iteration changes by the same integer, the iterations of each lane are counted
 * instead, in lanes as narrow as the loop's other values: a 64-bit counter does not halve the lanes
 * of a loop on 32-bit elements. Knows nothing of text. */
#include "render/facts/passes.h"

#include "render/facts/uses.h"

enum {
    STRIP = 4,       /* iterations of a strip, at most */
    STRIP_WORK = 160 /* statements of a strip, at most: those after the last exit are wasted */
};

/* IF, BREAK, END directly in the loop that the BREAK ends. */
static bool is_exit(const lun_renderer *r, int32_t leave, int32_t loop)
{
    int32_t p = r->parent[leave];
    return lun__renderer_ins(r, leave)->kind == LUN_IR_BREAK && r->origin[leave] == loop &&
           p == leave - 1 && r->parent[p] == loop && lun__renderer_ins(r, p)->kind == LUN_IR_IF &&
           lun__renderer_ins(r, leave + 1)->kind == LUN_IR_END;
}

/* True if instruction i, inside the loop, may run without active lanes: it is cheap and has no
 * effect but on variables. Producers put no ARG inside loops: one there keeps the plain form. */
static bool is_harmless(const lun_renderer *r, int32_t i, int32_t loop)
{
    const lun_ir_ins *ins = lun__renderer_ins(r, i);
    const lun_ir_row *row = lun__ir_row(ins->kind);
    const unsigned costly = LUN_EFFECT_INDEX | LUN_EFFECT_READS | LUN_EFFECT_WRITES;
    if (row->flow == LUN_FLOW_LEAVE)
        return is_exit(r, i, loop);
    if (lun__ir_may_fail(r->ir, ins))
        return false;
    if (row->fields & LUN_FIELD_OPERATION)
        return !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_HEAVY);
    return row->cost == 1 && row->flow != LUN_FLOW_OPEN && !(row->effects & costly) &&
           !(row->fields & LUN_FIELD_COMBINER) && row->imm != LUN_IMM_ARG;
}

static bool can_strip(const lun_renderer *r, int32_t loop)
{
    if (lun__renderer_ins(r, loop)->kind != LUN_IR_LOOP || !lun__renderer_varies(r, loop) ||
        (r->flags[loop] & LUN_FACT_CONTINUED))
        return false;
    int32_t end = r->blocks.end[loop];
    for (int32_t i = loop + 1; i < end; i++)
        if (!is_harmless(r, i, loop))
            return false;
    return lun__exits_strip(r, loop) > 1;
}

int lun__exits_strip(const lun_renderer *r, int32_t loop)
{
    int32_t end = r->blocks.end[loop];
    int n = 1, strip = STRIP;
    for (int32_t i = loop + 1; i < end; i++)
        n += !(r->flags[i] & LUN_FACT_HOISTED);
    while (strip > 1 && strip * n > STRIP_WORK)
        strip /= 2;
    return strip;
}

/* ---- counted variables ----------------------------------------------------------------------- */

static bool is_get(const lun_renderer *r, int32_t v, int32_t var, int32_t set)
{
    return lun__renderer_ins(r, v)->kind == LUN_IR_GET && lun__renderer_ins(r, v)->a == var &&
           v < set && lun__ir_structure_is_inside(&r->blocks, v, r->origin[var]);
}

int32_t lun__exits_step(const lun_renderer *r, int32_t var, bool *down)
{
    int32_t loop = r->origin[var], end = r->blocks.end[loop], set = -1, step = -1;
    for (int32_t i = loop + 1; i < end; i++) {
        if (lun__renderer_ins(r, i)->kind != LUN_IR_SET || lun__renderer_ins(r, i)->a != var)
            continue;
        if (set >= 0 || r->parent[i] != loop)
            return -1;
        set = i;
    }
    if (set < 0)
        return -1;
    const lun_ir_ins *x = lun__renderer_ins(r, lun__renderer_ins(r, set)->b);
    *down = x->op == LUN_OP_SUB;
    if (x->kind != LUN_IR_OP || (x->op != LUN_OP_ADD && !*down))
        return -1;
    if (is_get(r, x->a, var, set))
        step = x->b;
    else if (!*down && is_get(r, x->b, var, set))
        step = x->a;
    return step >= 0 && (r->flags[step] & LUN_FACT_HOISTED) ? step : -1;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* True if instruction i, outside of loops, may work on vectors of twice the native size. */
static bool may_be_wide(const lun_renderer *r, int32_t i)
{
    const lun_ir_ins *ins = lun__renderer_ins(r, i);
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_INDEX:
    case LUN_IR_LOAD:
    case LUN_IR_VAR:
    case LUN_IR_GET:
    case LUN_IR_SET:
    case LUN_IR_STORE:
        return true;
    case LUN_IR_CAST:
        return !lun__dtype_is_bool((lun_dtype)ins->dtype) &&
               !lun__dtype_is_bool((lun_dtype)ins->from);
    case LUN_IR_OP:
        return ins->op == LUN_OP_ADD || ins->op == LUN_OP_SUB || ins->op == LUN_OP_MUL;
    default:
        return false;
    }
}

static int width(uint8_t t)
{
    return lun__dtype_get((lun_dtype)t)->bytes;
}

/* Bytes of the widest value in lanes that an instruction reads or makes. */
static int deals_with(const lun_renderer *r, int32_t i)
{
    const lun_ir_ins *ins = lun__renderer_ins(r, i);
    int32_t in[LUN_IR_INPUTS];
    int bytes = lun__uses_in_lanes(r, i) ? width(ins->dtype) : 1,
        n = lun__ir_inputs(r->ir, ins, in);
    if (!(r->flags[i] & (LUN_FACT_BODY | LUN_FACT_OPERAND)))
        return 1;
    for (int k = 0; k < n; k++)
        if (lun__uses_in_lanes(r, in[k]) && width(lun__renderer_ins(r, in[k])->dtype) > bytes)
            bytes = width(lun__renderer_ins(r, in[k])->dtype);
    return bytes;
}

static bool in_loop(const lun_renderer *r, int32_t i)
{
    for (int32_t p = r->parent[i]; p >= 0; p = r->parent[p])
        if (lun__renderer_ins(r, p)->kind == LUN_IR_LOOP)
            return true;
    return false;
}

/* True for a GET or SET of an induction variable inside its loop: it moves a single element. */
static bool is_induction_access(const lun_renderer *r, int32_t i)
{
    int kind = lun__renderer_ins(r, i)->kind;
    return (kind == LUN_IR_SET || kind == LUN_IR_GET) &&
           (r->flags[lun__renderer_ins(r, i)->a] & LUN_FACT_INDUCTION) && !lun__uses_behind(r, i);
}

int lun__exits_widest(const lun_renderer *r)
{
    int widest = 1;
    bool any = false;
    for (int32_t i = 0; i < r->ir->count; i++) {
        any |= (r->flags[i] & LUN_FACT_STRIPPED) != 0;
        if (in_loop(r, i) && !is_induction_access(r, i) && deals_with(r, i) > widest)
            widest = deals_with(r, i);
    }
    if (!any || widest != 4)
        return 0;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (!in_loop(r, i) && deals_with(r, i) > widest && lun__renderer_varies(r, i) &&
            !may_be_wide(r, i))
            return 0;
    return widest;
}

void lun__exits_find(lun_renderer *r)
{
    bool down;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (can_strip(r, i))
            r->flags[i] |= LUN_FACT_STRIPPED;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (lun__renderer_ins(r, i)->kind == LUN_IR_VAR && (r->flags[i] & LUN_FACT_TEMPORAL) &&
            !lun__renderer_varies(r, i) && (r->flags[r->origin[i]] & LUN_FACT_STRIPPED) &&
            lun__dtype_is_integer((lun_dtype)lun__renderer_ins(r, i)->dtype) &&
            lun__exits_step(r, i, &down) >= 0)
            r->flags[i] |= LUN_FACT_INDUCTION;
}
