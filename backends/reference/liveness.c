/* liveness.c - what of a kernel must run, how long its values live, what can go straight to memory;
 * see write_program.h. */
#include <stdlib.h>
#include <string.h>

#include "reference/write_program.h"

void lun__liveness_free(lun_flow *flow)
{
    lun__ir_structure_free(&flow->blocks);
    free(flow->needed);
    free(flow->last);
    memset(flow, 0, sizeof *flow);
}

/* All arrays in two blocks, so that there are two failures to look at. */
static bool allocate(lun_flow *flow, size_t n)
{
    uint8_t *bytes = calloc(n, 4);
    int32_t *numbers = malloc(n * 2 * sizeof *numbers);
    flow->needed = bytes;
    flow->last = numbers;
    if (!bytes || !numbers)
        return false;
    flow->alias = bytes + n;
    flow->forward = bytes + 2 * n;
    flow->sunk = bytes + 3 * n;
    memset(numbers, -1, n * 2 * sizeof *numbers);
    flow->store = numbers + n;
    return true;
}

static bool has_effect(const lun_ir_ins *ins, unsigned effect)
{
    return lun__ir_row(ins->kind)->effects & effect;
}

/* ---- what must run --------------------------------------------------------------------------- */

/* Instructions that are needed whether or not their value is used. */
static bool is_root(const lun_ir *ir, int i, lun_program_part part, int32_t output)
{
    const lun_ir_ins *ins = &ir->ins[i];
    if (part == LUN_PART_TOTAL)
        return ins->kind == LUN_IR_SCAN;
    if (part == LUN_PART_FUNCTION && i == output)
        return true;
    return ins->kind == LUN_IR_SCAN || has_effect(ins, LUN_EFFECT_WRITES) ||
           lun__ir_may_fail(ir, ins);
}

/* Inputs as a step reads them: a SCAN's initial value comes as the carry. */
static int inputs_of(const lun_ir *ir, const lun_ir_ins *ins, int32_t in[LUN_IR_INPUTS])
{
    int n = lun__ir_inputs(ir, ins, in);
    return ins->kind == LUN_IR_SCAN ? 1 : n;
}

/* With control flow or variables everything stays: what leads where is not followed here. */
static void find_needed(const lun_ir *ir, lun_program_part part, int32_t output, lun_flow *f)
{
    for (int i = ir->count - 1; i >= 0; i--) {
        const lun_ir_ins *ins = &ir->ins[i];
        int32_t in[LUN_IR_INPUTS];
        bool dropped =
            part == LUN_PART_TOTAL && (i > ir->scan || has_effect(ins, LUN_EFFECT_WRITES));
        if (dropped)
            continue;
        if (f->control || is_root(ir, i, part, output))
            f->needed[i] = 1;
        if (!f->needed[i])
            continue;
        for (int k = inputs_of(ir, ins, in) - 1; k >= 0; k--)
            f->needed[in[k]] = 1;
    }
}

/* ---- how long values live -------------------------------------------------------------------- */

/* A use at `at` of what was made before a LOOP lasts to the END of that LOOP. */
static int32_t extended(const lun_ir *ir, const lun_flow *f, int32_t value, int32_t at)
{
    int32_t until = at;
    for (int32_t p = f->blocks.parent[at]; p >= 0 && value < p; p = f->blocks.parent[p])
        if (ir->ins[p].kind == LUN_IR_LOOP)
            until = f->blocks.end[p];
    return until;
}

static void use(lun_flow *f, int32_t value, int32_t until)
{
    if (until > f->last[value])
        f->last[value] = until;
}

/* A GET may read the variable in place if nothing is SET while its value lives. */
static void find_aliases(const lun_ir *ir, lun_flow *f)
{
    for (int g = 0; g < ir->count; g++) {
        int32_t var = ir->ins[g].a;
        if (!f->needed[g] || ir->ins[g].kind != LUN_IR_GET)
            continue;
        f->alias[g] = 1;
        for (int s = g + 1; s < f->last[g] && s < ir->count; s++)
            if (ir->ins[s].kind == LUN_IR_SET && ir->ins[s].a == var)
                f->alias[g] = 0;
        if (f->alias[g])
            use(f, var, f->last[g]);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* True for a value that a step computes block by block, in a operand of its own. */
static bool is_computed(const lun_ir_ins *ins)
{
    const lun_ir_row *row = lun__ir_row(ins->kind);
    return row->value && row->varies != LUN_VARIES_NEVER && ins->kind != LUN_IR_LOAD &&
           !(row->effects & LUN_EFFECT_VARIABLE);
}

/* IN and OUT slots may be the same memory, and LOADs are read where they are used. So nothing is
 * written before the last use of a LOAD, but by the step that makes that use: it reads element i
 * before it writes element i. */
static void find_stores(const lun_ir *ir, lun_program_part part, lun_flow *f)
{
    int32_t loads_end = -1;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (!f->needed[i])
            continue;
        if (ins->kind == LUN_IR_LOAD && f->last[i] > loads_end)
            loads_end = f->last[i];
        if (ins->kind != LUN_IR_STORE)
            continue;
        f->store[ins->a] = f->store[ins->a] == -1 ? i : -2;
        f->copy_loads |= f->blocks.parent[i] >= 0;
    }
    if (part != LUN_PART_BODY || f->copy_loads)
        return;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (!f->needed[i] || ins->kind != LUN_IR_STORE)
            continue;
        if (i < loads_end) {
            f->sunk[i] = 1;
            use(f, ins->a, ir->count);
        }
    }
    for (int i = 0; i < ir->count; i++) {
        f->forward[i] = f->needed[i] && is_computed(&ir->ins[i]) && f->store[i] >= 0 &&
                        i >= loads_end && f->blocks.parent[i] < 0;
        /* two STOREs into one slot: the later one counts */
        for (int s = 0; f->forward[i] && s < ir->count; s++)
            if (ir->ins[s].kind == LUN_IR_STORE && s != f->store[i] &&
                ir->ins[s].imm == ir->ins[f->store[i]].imm)
                f->forward[i] = 0;
    }
}

lun_status lun__liveness_find(const lun_ir *ir, lun_program_part part, int32_t output, lun_flow *f)
{
    memset(f, 0, sizeof *f);
    lun_status s = lun__ir_structure_find(ir, &f->blocks, NULL);
    if (s == LUN_OK && !allocate(f, (size_t)ir->count + 1))
        s = LUN_ENOMEM;
    if (s != LUN_OK) {
        lun__liveness_free(f);
        return s;
    }
    f->control = f->blocks.blocks || ir->threads; /* indices of nobody take no part */
    for (int i = 0; i < ir->count; i++)
        f->control |= has_effect(&ir->ins[i], LUN_EFFECT_VARIABLE);
    find_needed(ir, part, output, f);
    for (int i = 0; i < ir->count; i++) {
        int32_t in[LUN_IR_INPUTS];
        if (!f->needed[i])
            continue;
        use(f, i, i);
        for (int k = inputs_of(ir, &ir->ins[i], in) - 1; k >= 0; k--)
            use(f, in[k], extended(ir, f, in[k], i));
    }
    if (part == LUN_PART_FUNCTION)
        use(f, output, ir->count);
    find_stores(ir, part, f); /* makes some values live longer */
    find_aliases(ir, f);
    return LUN_OK;
}
