/* facts.c - analysis of the IR before a line is written: the sections that need an instruction,
 * uniform and varying values, divergent control flow, values that are hoisted. Knows nothing of
 * text. */
#include "render/facts/facts.h"

#include <stdlib.h>

#include "render/facts/affine.h"
#include "render/facts/exits.h"
#include "render/facts/lanes.h"
#include "render/facts/uses.h"

/* ---- structure ------------------------------------------------------------------------------- */

static bool opens(int kind)
{
    return kind == LUN_IR_IF || kind == LUN_IR_LOOP || kind == LUN_IR_BLOCK;
}

static bool leaves(int kind)
{
    return kind == LUN_IR_BREAK || kind == LUN_IR_CONTINUE;
}

/* The imm-th LOOP or BLOCK around instruction i. */
static int32_t target_of(const lun_crender *r, int32_t i)
{
    int64_t k = r->ir->ins[i].imm;
    int32_t p = r->parent[i];
    for (; p >= 0; p = r->parent[p])
        if (r->ir->ins[p].kind != LUN_IR_IF && k-- == 0)
            break;
    return p;
}

static void find_structure(lun_crender *r)
{
    const lun_ir *ir = r->ir;
    int32_t at = -1;
    for (int32_t i = 0; i < ir->count; i++) {
        int kind = ir->ins[i].kind;
        r->origin[i] = -1;
        r->parent[i] = at;
        if (kind == LUN_IR_ELSE || kind == LUN_IR_END) {
            r->origin[i] = at;
            r->parent[i] = r->parent[at];
            if (kind == LUN_IR_END)
                at = r->parent[at];
        }
        if (opens(kind))
            at = i;
        r->masked |= opens(kind) || kind == LUN_IR_CHECK || kind == LUN_IR_SET;
        if (!leaves(kind))
            continue;
        r->origin[i] = target_of(r, i);
        if (kind == LUN_IR_CONTINUE)
            r->flags[r->origin[i]] |= LUN_CF_CONTINUED;
        for (int32_t p = r->parent[i]; p >= 0 && p != r->origin[i]; p = r->parent[p])
            r->flags[p] |= LUN_CF_LEFT;
    }
}

/* For each VAR the one LOOP beside it that contains all SETs of it, but for SETs in its own
 * block. */
static void find_setters(lun_crender *r)
{
    enum { NONE = -1, SEVERAL = -2 };
    const lun_ir *ir = r->ir;
    for (int32_t i = 0; i < ir->count; i++) {
        if (ir->ins[i].kind != LUN_IR_SET)
            continue;
        int32_t var = ir->ins[i].a, loop = lun__uses_child(r, r->parent[var], i);
        if (loop < 0)
            continue;
        bool fits = ir->ins[loop].kind == LUN_IR_LOOP && !(r->flags[loop] & LUN_CF_CONTINUED) &&
                    (r->origin[var] == NONE || r->origin[var] == loop);
        r->origin[var] = fits ? loop : SEVERAL;
    }
}

/* ---- what differs between indices ------------------------------------------------------------ */

/* True if control flow between `outer` (excluded) and i is divergent. */
static bool parted(const lun_crender *r, int32_t i, int32_t outer)
{
    for (int32_t p = r->parent[i]; p >= 0 && p != outer; p = r->parent[p])
        if (lun__varies(r, p))
            return true;
    return false;
}

static bool vary(lun_crender *r, int32_t i)
{
    if (lun__varies(r, i))
        return false;
    r->flags[i] |= LUN_CF_VARYING;
    return true;
}

static void inherit(lun_crender *r, int32_t i, int32_t v)
{
    if (lun__varies(r, v))
        r->flags[i] |= LUN_CF_VARYING;
}

/* A SET of a uniform value: the variable varies if control flow has diverged since the VAR. A LOOP
 * with a divergent exit is the exception: inside it the variable stays uniform for the active
 * lanes, behind it varies (TEMPORAL). */
static bool judge_set(lun_crender *r, int32_t i)
{
    int32_t var = r->ir->ins[i].a, loop = r->origin[var];
    bool inside = loop >= 0 && lun__uses_child(r, r->parent[var], i) == loop;
    if (!inside)
        return parted(r, i, r->parent[var]) && vary(r, var);
    if (parted(r, i, loop))
        return vary(r, var);
    if (!lun__varies(r, loop) || (r->flags[var] & LUN_CF_TEMPORAL))
        return false;
    r->flags[var] |= LUN_CF_TEMPORAL;
    return true;
}

/* Marks what instruction i makes varying; true if something was not marked before. */
static bool judge(lun_crender *r, int32_t i)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    bool changed = false, before = lun__varies(r, i);
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_INDEX:
    case LUN_IR_LOAD:
    case LUN_IR_RANDOM:
    case LUN_IR_CALL:
    case LUN_IR_SCAN:
        return vary(r, i);
    case LUN_IR_SET:
        if (lun__uses_behind(r, i))
            return false;
        return lun__varies(r, ins->b) ? vary(r, ins->a) : judge_set(r, i);
    case LUN_IR_GET:
        if (lun__uses_behind(r, i))
            return vary(r, i);
        inherit(r, i, ins->a);
        return lun__varies(r, i) != before;
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
        if (!parted(r, i, r->origin[i]))
            return false;
        for (int32_t p = r->parent[i];; p = r->parent[p]) {
            if (r->ir->ins[p].kind != LUN_IR_IF)
                changed |= vary(r, p);
            if (p == r->origin[i])
                return changed;
        }
    default:
        lun__uses_inputs(r, i, inherit);
        return lun__varies(r, i) != before;
    }
}

static void find_varying(lun_crender *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < r->ir->count; i++)
            changed |= judge(r, i);
    }
}

/* A value is hoisted if it depends on arguments and uniform slots alone, and may be computed even
 * where control flow would not reach it. */
static void find_hoisted(lun_crender *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        int32_t in[3];
        int n = lun_ir_inputs(ins, in);
        bool hoist = !lun__varies(r, i), top = r->parent[i] < 0 && !r->masked;
        for (int k = 0; k < n; k++)
            hoist = hoist && (r->flags[in[k]] & LUN_CF_HOISTED);
        switch ((lun_ir_kind)ins->kind) {
        case LUN_IR_ARG:
        case LUN_IR_CONST:
        case LUN_IR_CAST:
            break;
        case LUN_IR_LOADU:
            hoist = hoist && (top || r->ir->slots[ins->imm].role == LUN_SLOT_UNIFORM);
            break;
        case LUN_IR_OP:
            hoist = hoist && (top || !(lun_op_get((lun_op)ins->op)->flags & LUN_OPF_TRAP0));
            break;
        case LUN_IR_GATHER:
            hoist = hoist && top;
            break;
        default:
            hoist = false;
        }
        if (hoist)
            r->flags[i] |= LUN_CF_HOISTED;
    }
}

/* ---- what is needed -------------------------------------------------------------------------- */

static void need(lun_crender *r, int32_t i, unsigned section)
{
    if (i < 0 || (r->flags[i] & section))
        return;
    r->flags[i] |= (uint32_t)section;
    r->changed = true;
}

static void need_body(lun_crender *r, int32_t i, int32_t v)
{
    (void)i;
    need(r, v, LUN_CF_BODY);
}

static void need_operand(lun_crender *r, int32_t i, int32_t v)
{
    (void)i;
    need(r, v, LUN_CF_OPERAND);
}

/* A needed instruction needs the constructs around it; a needed construct needs its exits. */
static void spread_control(lun_crender *r, int32_t i, unsigned section)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    if (ins->kind == LUN_IR_SET && (r->flags[ins->a] & section))
        need(r, i, section);
    if (ins->kind == LUN_IR_END || ins->kind == LUN_IR_ELSE)
        if (r->flags[r->origin[i]] & section)
            need(r, i, section);
    if (leaves(ins->kind))
        for (int32_t p = r->parent[i]; p >= 0; p = p == r->origin[i] ? -1 : r->parent[p])
            if (r->ir->ins[p].kind != LUN_IR_IF && (r->flags[p] & section))
                need(r, i, section);
    if (r->flags[i] & section)
        need(r, r->parent[i], section);
}

static void spread(lun_crender *r, unsigned section)
{
    do {
        r->changed = false;
        for (int32_t i = r->ir->count - 1; i >= 0; i--) {
            if (r->masked)
                spread_control(r, i, section);
            if (!(r->flags[i] & section))
                continue;
            if (r->ir->ins[i].kind == LUN_IR_SCAN)
                continue; /* the section reads its value */
            if (r->flags[i] & LUN_CF_STREAM) {
                need(r, r->ir->ins[i].b, section);
                need(r, r->origin[i], section);
            } else {
                lun__uses_inputs(r, i, section == LUN_CF_BODY ? need_body : need_operand);
            }
        }
    } while (r->changed && r->masked);
}

static void find_needs(lun_crender *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        int kind = r->ir->ins[i].kind;
        if (kind == LUN_IR_STORE || kind == LUN_IR_REDUCE || kind == LUN_IR_CHECK ||
            lun__uses_traps(r, i))
            need(r, i, LUN_CF_BODY);
    }
    spread(r, LUN_CF_BODY);
    if (r->ir->scan < 0)
        return;
    need(r, r->ir->ins[r->ir->scan].a, LUN_CF_OPERAND);
    spread(r, LUN_CF_OPERAND);
}

/* A CHECK guards what follows it: each section that computes something under it runs it too. */
static void find_checks(lun_crender *r)
{
    if (r->ir->scan < 0 || !r->masked)
        return;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (r->ir->ins[i].kind == LUN_IR_CHECK)
            need(r, i, LUN_CF_OPERAND);
    spread(r, LUN_CF_OPERAND);
}

/* ---- special cases --------------------------------------------------------------------------- */

/* RANDOM of the index, or of the index plus a uniform value, at top level. */
static void find_streams(lun_crender *r)
{
    const lun_ir *ir = r->ir;
    for (int32_t i = 0; i < ir->count; i++) {
        if (ir->ins[i].kind != LUN_IR_RANDOM || r->parent[i] >= 0)
            continue;
        if (!(r->flags[ir->ins[i].b] & LUN_CF_HOISTED))
            continue;
        const lun_ir_ins *a = &ir->ins[ir->ins[i].a];
        if (a->kind == LUN_IR_INDEX) {
            r->flags[i] |= LUN_CF_STREAM;
        } else if (a->kind == LUN_IR_OP && a->op == LUN_OP_ADD) {
            for (int k = 0; k < 2; k++) {
                int32_t x = k ? a->b : a->a, y = k ? a->a : a->b;
                if (ir->ins[x].kind != LUN_IR_INDEX || !(r->flags[y] & LUN_CF_HOISTED))
                    continue;
                r->flags[i] |= LUN_CF_STREAM;
                r->origin[i] = y;
            }
        }
    }
}

/* A SET may write all lanes if control flow has not diverged since the VAR, or if the lanes that
 * have left the LOOP never read the variable again: it belongs to the block around the loop, and
 * all its GETs are inside the loop. */
static bool is_unmasked(const lun_crender *r, int32_t set)
{
    const lun_ir *ir = r->ir;
    int32_t var = ir->ins[set].a, loop = -1;
    for (int32_t p = r->parent[set]; p != r->parent[var]; p = r->parent[p]) {
        if (p < 0)
            return false;
        if (loop >= 0 && ir->ins[p].kind == LUN_IR_LOOP)
            return false;
        if (!lun__varies(r, p))
            continue;
        if (loop >= 0 || ir->ins[p].kind != LUN_IR_LOOP || (r->flags[p] & LUN_CF_CONTINUED))
            return false;
        loop = p;
    }
    if (loop < 0)
        return true;
    for (int32_t i = var; i < ir->count; i++) {
        if (ir->ins[i].kind != LUN_IR_GET || ir->ins[i].a != var)
            continue;
        int32_t p = r->parent[i];
        while (p >= 0 && p != loop)
            p = r->parent[p];
        if (p < 0)
            return false;
    }
    return true;
}

/* Whether instruction i reads the uniform value v as a single element or in lanes. */
static void want(lun_crender *r, int32_t i, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    bool scalar;
    if (lun__varies(r, v))
        return;
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_STORE:
    case LUN_IR_REDUCE:
    case LUN_IR_CHECK:
        scalar = false;
        break;
    case LUN_IR_CALL:
    case LUN_IR_SCAN:
        scalar = true;
        break;
    case LUN_IR_SET:
        scalar = !lun__varies(r, ins->a) && !lun__uses_behind(r, i);
        break;
    case LUN_IR_RANDOM:
        scalar = v == ins->b;
        break;
    default:
        scalar = !lun__varies(r, i);
    }
    r->flags[v] |= scalar ? LUN_CF_AS_SCALAR : LUN_CF_AS_VECTOR;
}

static void find_wants(lun_crender *r)
{
    const unsigned any = LUN_CF_BODY | LUN_CF_OPERAND;
    for (int32_t i = 0; i < r->ir->count; i++) {
        if (!(r->flags[i] & any) || (r->flags[i] & (LUN_CF_HOISTED | LUN_CF_LINEAR)))
            continue;
        if (r->flags[i] & LUN_CF_STREAM) {
            r->flags[r->ir->ins[i].b] |= LUN_CF_AS_SCALAR;
            if (r->origin[i] >= 0)
                r->flags[r->origin[i]] |= LUN_CF_AS_SCALAR;
        } else {
            lun__uses_inputs(r, i, want);
        }
        if (r->ir->ins[i].kind == LUN_IR_SET && is_unmasked(r, i))
            r->flags[i] |= LUN_CF_UNMASKED;
    }
    /* the SCAN takes its operand in lanes */
    if (r->ir->scan >= 0 && !lun__varies(r, r->ir->ins[r->ir->scan].a))
        r->flags[r->ir->ins[r->ir->scan].a] |= LUN_CF_AS_VECTOR;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static bool allocate(lun_crender *r)
{
    size_t n = (size_t)r->ir->count + 1;
    r->flags = calloc(n, sizeof *r->flags);
    r->mask = calloc(n, sizeof *r->mask);
    r->parent = malloc(n * sizeof *r->parent);
    r->origin = malloc(n * sizeof *r->origin);
    return r->flags && r->mask && r->parent && r->origin;
}

lun_status lun__facts_single(lun_crender *r)
{
    if (!allocate(r))
        return LUN_ENOMEM;
    find_structure(r);
    for (int32_t i = 0; i < r->ir->count; i++)
        r->flags[i] |= LUN_CF_BODY;
    return LUN_OK;
}

lun_status lun__facts_element(lun_crender *r)
{
    if (!allocate(r))
        return LUN_ENOMEM;
    find_structure(r);
    find_needs(r);
    find_checks(r);
    return LUN_OK;
}

lun_status lun__facts_find(lun_crender *r)
{
    if (!allocate(r))
        return LUN_ENOMEM;
    find_structure(r);
    find_setters(r);
    find_varying(r);
    find_hoisted(r);
    find_streams(r);
    find_needs(r);
    find_checks(r);
    lun__affine_find(r);
    find_wants(r);
    lun__exits_find(r);
    lun__lanes_find(r);
    return LUN_OK;
}
