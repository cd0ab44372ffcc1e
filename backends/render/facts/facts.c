/* facts.c - analysis of the IR before a line is written, in order: structure and divergence
 * (divergence.c), the sections that need an instruction, affine values, single elements or lanes,
 * strip-mined loops, numbers of lanes. Knows nothing of text. */
#include "render/facts/facts.h"

#include <stdlib.h>

#include "render/facts/counted.h"
#include "render/facts/passes.h"
#include "render/facts/uses.h"

/* ---- what is needed -------------------------------------------------------------------------- */

static void need(lun_renderer *r, int32_t i, unsigned section)
{
    if (i < 0 || (r->flags[i] & section))
        return;
    r->flags[i] |= (uint32_t)section;
    r->changed = true;
}

static void need_body(lun_renderer *r, int32_t i, int32_t v)
{
    (void)i;
    need(r, v, LUN_FACT_BODY);
}

static void need_operand(lun_renderer *r, int32_t i, int32_t v)
{
    (void)i;
    need(r, v, LUN_FACT_OPERAND);
}

/* A needed instruction needs the constructs around it; a needed construct needs its exits. */
static void spread_control(lun_renderer *r, int32_t i, unsigned section)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    if (ins->kind == LUN_IR_SET && (r->flags[ins->a] & section))
        need(r, i, section);
    if (ins->kind == LUN_IR_END || ins->kind == LUN_IR_ELSE)
        if (r->flags[r->origin[i]] & section)
            need(r, i, section);
    if (lun__divergence_leaves(ins->kind))
        for (int32_t p = r->parent[i]; p >= 0; p = p == r->origin[i] ? -1 : r->parent[p])
            if (r->ir->ins[p].kind != LUN_IR_IF && (r->flags[p] & section))
                need(r, i, section);
    if (r->flags[i] & section)
        need(r, r->parent[i], section);
}

static void spread(lun_renderer *r, unsigned section)
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
            if (r->flags[i] & LUN_FACT_STREAM) {
                need(r, r->ir->ins[i].b, section);
                need(r, r->origin[i], section);
            } else {
                lun__uses_inputs(r, i, section == LUN_FACT_BODY ? need_body : need_operand);
            }
        }
    } while (r->changed && r->masked);
}

/* A LOOP that may go on for ever does so whether or not anything uses what it computes, on every
 * backend alike: it is an effect, until it is stopped. */
static bool may_stay(const lun_renderer *r, int32_t i)
{
    lun_counted count;
    return r->ir->ins[i].kind == LUN_IR_LOOP && !lun__counted_find(r->ir, &r->blocks, i, &count) &&
           !lun__trip_count_few(r->ir, &r->blocks, i);
}

static void find_needs(lun_renderer *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        if ((lun__ir_row(ins->kind)->effects & LUN_EFFECT_WRITES) || lun__ir_may_fail(r->ir, ins) ||
            may_stay(r, i))
            need(r, i, LUN_FACT_BODY);
    }
    spread(r, LUN_FACT_BODY);
    if (r->ir->scan < 0)
        return;
    need(r, r->ir->ins[r->ir->scan].a, LUN_FACT_OPERAND);
    spread(r, LUN_FACT_OPERAND);
}

/* A CHECK guards what follows it: each section that computes something under it runs it too. One
 * behind the SCAN guards nothing of its operand, and may read its value, which is not there yet. */
static void find_checks(lun_renderer *r)
{
    if (r->ir->scan < 0 || !r->masked)
        return;
    for (int32_t i = 0; i < r->ir->scan; i++)
        if (r->ir->ins[i].kind == LUN_IR_CHECK)
            need(r, i, LUN_FACT_OPERAND);
    spread(r, LUN_FACT_OPERAND);
}

/* ---- special cases --------------------------------------------------------------------------- */

/* RANDOM of the index, or of the index plus a uniform value, at top level. */
static void find_streams(lun_renderer *r)
{
    const lun_ir *ir = r->ir;
    for (int32_t i = 0; i < ir->count; i++) {
        if (ir->ins[i].kind != LUN_IR_RANDOM || r->parent[i] >= 0)
            continue;
        if (!(r->flags[ir->ins[i].b] & LUN_FACT_HOISTED))
            continue;
        const lun_ir_ins *a = &ir->ins[ir->ins[i].a];
        if (a->kind == LUN_IR_INDEX) {
            r->flags[i] |= LUN_FACT_STREAM;
        } else if (a->kind == LUN_IR_OP && a->op == LUN_OP_ADD) {
            for (int k = 0; k < 2; k++) {
                int32_t x = k ? a->b : a->a, y = k ? a->a : a->b;
                if (ir->ins[x].kind != LUN_IR_INDEX || !(r->flags[y] & LUN_FACT_HOISTED))
                    continue;
                r->flags[i] |= LUN_FACT_STREAM;
                r->origin[i] = y;
            }
        }
    }
}

/* A SET may write all lanes if control flow has not diverged since the VAR, or if the lanes that
 * have left the LOOP never read the variable again: it belongs to the block around the loop, and
 * all its GETs are inside the loop. */
static bool is_unmasked(const lun_renderer *r, int32_t set)
{
    const lun_ir *ir = r->ir;
    int32_t var = ir->ins[set].a, loop = -1;
    for (int32_t p = r->parent[set]; p != r->parent[var]; p = r->parent[p]) {
        if (p < 0)
            return false;
        if (loop >= 0 && ir->ins[p].kind == LUN_IR_LOOP)
            return false;
        if (!lun__renderer_varies(r, p))
            continue;
        if (loop >= 0 || ir->ins[p].kind != LUN_IR_LOOP || (r->flags[p] & LUN_FACT_CONTINUED))
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
static void note_form(lun_renderer *r, int32_t i, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    bool scalar;
    if (lun__renderer_varies(r, v))
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
        scalar = !lun__renderer_varies(r, ins->a) && !lun__uses_behind(r, i);
        break;
    case LUN_IR_RANDOM:
        scalar = v == ins->b;
        break;
    default:
        scalar = !lun__renderer_varies(r, i);
    }
    r->flags[v] |= scalar ? LUN_FACT_AS_SCALAR : LUN_FACT_AS_VECTOR;
}

static void find_forms(lun_renderer *r)
{
    const unsigned any = LUN_FACT_BODY | LUN_FACT_OPERAND;
    for (int32_t i = 0; i < r->ir->count; i++) {
        if (!(r->flags[i] & any) || (r->flags[i] & (LUN_FACT_HOISTED | LUN_FACT_LINEAR)))
            continue;
        if (r->flags[i] & LUN_FACT_STREAM) {
            r->flags[r->ir->ins[i].b] |= LUN_FACT_AS_SCALAR;
            if (r->origin[i] >= 0)
                r->flags[r->origin[i]] |= LUN_FACT_AS_SCALAR;
        } else {
            lun__uses_inputs(r, i, note_form);
        }
        if (r->ir->ins[i].kind == LUN_IR_SET && is_unmasked(r, i))
            r->flags[i] |= LUN_FACT_UNMASKED;
    }
    /* the SCAN takes its operand in lanes */
    if (r->ir->scan >= 0 && !lun__renderer_varies(r, r->ir->ins[r->ir->scan].a))
        r->flags[r->ir->ins[r->ir->scan].a] |= LUN_FACT_AS_VECTOR;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static bool allocate(lun_renderer *r)
{
    size_t n = (size_t)r->ir->count + 1;
    r->blocks = (lun_ir_structure){0};
    r->flags = calloc(n, sizeof *r->flags);
    r->mask = calloc(n, sizeof *r->mask);
    r->origin = malloc(n * sizeof *r->origin);
    r->first_var = malloc(n * sizeof *r->first_var);
    return r->flags && r->mask && r->origin && r->first_var;
}

lun_status lun__facts_single(lun_renderer *r)
{
    lun_status s = allocate(r) ? lun__divergence_structure(r) : LUN_ENOMEM;
    if (s != LUN_OK)
        return s;
    for (int32_t i = 0; i < r->ir->count; i++)
        r->flags[i] |= LUN_FACT_BODY;
    return LUN_OK;
}

lun_status lun__facts_element(lun_renderer *r)
{
    lun_status s = allocate(r) ? lun__divergence_structure(r) : LUN_ENOMEM;
    if (s != LUN_OK)
        return s;
    find_needs(r);
    find_checks(r);
    return LUN_OK;
}

lun_status lun__facts_find(lun_renderer *r)
{
    lun_status s = allocate(r) ? lun__divergence_structure(r) : LUN_ENOMEM;
    if (s != LUN_OK)
        return s;
    lun__divergence_find(r);
    find_streams(r);
    find_needs(r);
    find_checks(r);
    lun__affine_find(r);
    find_forms(r);
    lun__exits_find(r);
    lun__lanes_find(r);
    return LUN_OK;
}
