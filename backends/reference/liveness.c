/* liveness.c - what of a kernel must run, how long its values live, what can go straight to memory;
 * see program.h. Reads IR; knows neither registers nor steps. */
#include <stdlib.h>
#include <string.h>

#include "reference/program.h"

void lun__flow_free(lun_flow *flow)
{
    free(flow->needed);
    free(flow->last);
    memset(flow, 0, sizeof *flow);
}

/* All arrays in two blocks, so that there are two failures to look at. */
static bool allocate(lun_flow *flow, size_t n)
{
    uint8_t *bytes = calloc(n, 6);
    int32_t *numbers = malloc(n * 8 * sizeof *numbers);
    flow->needed = bytes;
    flow->last = numbers;
    if (!bytes || !numbers)
        return false;
    flow->alias = bytes + n;
    flow->forward = bytes + 2 * n;
    flow->continued = bytes + 3 * n;
    flow->sunk = bytes + 4 * n;
    memset(numbers, -1, n * 8 * sizeof *numbers);
    flow->end = numbers + n;
    flow->other = numbers + 2 * n;
    flow->target = numbers + 3 * n;
    flow->depth = numbers + 4 * n;
    flow->store = numbers + 5 * n;
    flow->outer = numbers + 6 * n;
    flow->inside = numbers + 7 * n;
    return true;
}

/* ---- the shape of control flow --------------------------------------------------------------- */

/* The imm-th LOOP or BLOCK around, counted from the inside. */
static int32_t find_target(const lun_ir *ir, const int32_t *open, int depth, int64_t imm)
{
    for (int d = depth - 1; d >= 0; d--)
        if (ir->ins[open[d]].kind != LUN_IR_IF && imm-- == 0)
            return open[d];
    return -1;
}

/* Fills end, other, target, depth, continued, outer, inside. False without memory. */
static bool find_shape(const lun_ir *ir, lun_flow *f)
{
    int32_t *open = malloc(((size_t)ir->count + 1) * sizeof *open), loop = -1;
    int depth = 0;
    if (!open)
        return false;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if (ins->kind == LUN_IR_END && depth > 0) {
            int32_t start = open[--depth];
            f->end[start] = i;
            if (start == loop)
                loop = f->outer[start];
        }
        f->depth[i] = depth;
        f->inside[i] = loop;
        switch ((lun_ir_kind)ins->kind) {
        case LUN_IR_LOOP:
            f->outer[i] = loop;
            loop = i;
            open[depth++] = i;
            break;
        case LUN_IR_IF:
        case LUN_IR_BLOCK:
            open[depth++] = i;
            break;
        case LUN_IR_ELSE:
            if (depth > 0)
                f->other[open[depth - 1]] = i;
            break;
        case LUN_IR_BREAK:
        case LUN_IR_CONTINUE:
            f->target[i] = find_target(ir, open, depth, ins->imm);
            if (ins->kind == LUN_IR_CONTINUE && f->target[i] >= 0)
                f->continued[f->target[i]] = 1;
            break;
        default:
            break;
        }
        f->control |= depth > 0 || ins->kind == LUN_IR_VAR;
    }
    free(open);
    return true;
}

/* ---- what must run --------------------------------------------------------------------------- */

static bool may_trap(const lun_ir_ins *ins)
{
    return ins->kind == LUN_IR_OP && !lun_dtype_is_float((lun_dtype)ins->from) &&
           (lun_op_get((lun_op)ins->op)->flags & LUN_OPF_TRAP0);
}

/* Instructions that are needed whether or not their value is used. */
static bool is_root(const lun_ir *ir, int i, lun_program_part part, int32_t output)
{
    const lun_ir_ins *ins = &ir->ins[i];
    if (part == LUN_PART_TOTAL)
        return ins->kind == LUN_IR_SCAN;
    if (part == LUN_PART_FUNCTION && i == output)
        return true;
    return ins->kind == LUN_IR_STORE || ins->kind == LUN_IR_REDUCE || ins->kind == LUN_IR_SCAN ||
           ins->kind == LUN_IR_CHECK || may_trap(ins);
}

/* Inputs as a step reads them: a SCAN's initial value comes as the carry. */
static int inputs_of(const lun_ir *ir, const lun_ir_ins *ins, int32_t in[LUN_IR_INPUTS])
{
    int n = lun_ir_inputs(ir, ins, in);
    return ins->kind == LUN_IR_SCAN ? 1 : n;
}

/* With control flow or variables everything stays: what leads where is not followed here. */
static void find_needed(const lun_ir *ir, lun_program_part part, int32_t output, lun_flow *f)
{
    for (int i = ir->count - 1; i >= 0; i--) {
        const lun_ir_ins *ins = &ir->ins[i];
        int32_t in[LUN_IR_INPUTS];
        bool dropped = part == LUN_PART_TOTAL &&
                       (i > ir->scan || ins->kind == LUN_IR_STORE || ins->kind == LUN_IR_REDUCE);
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
static int32_t extended(const lun_flow *f, int32_t value, int32_t at)
{
    int32_t until = at;
    for (int32_t loop = f->inside[at]; loop >= 0 && value < loop; loop = f->outer[loop])
        until = f->end[loop];
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
        f->copy_loads |= f->depth[i] > 0;
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
        int kind = ir->ins[i].kind;
        bool computed = kind == LUN_IR_OP || kind == LUN_IR_CAST || kind == LUN_IR_INDEX ||
                        kind == LUN_IR_GATHER || kind == LUN_IR_RANDOM || kind == LUN_IR_SCAN;
        f->forward[i] =
            f->needed[i] && computed && f->store[i] >= 0 && i >= loads_end && f->depth[i] == 0;
        /* two STOREs into one slot: the later one counts */
        for (int s = 0; f->forward[i] && s < ir->count; s++)
            if (ir->ins[s].kind == LUN_IR_STORE && s != f->store[i] &&
                ir->ins[s].imm == ir->ins[f->store[i]].imm)
                f->forward[i] = 0;
    }
}

lun_status lun__flow_find(const lun_ir *ir, lun_program_part part, int32_t output, lun_flow *f)
{
    memset(f, 0, sizeof *f);
    if (!allocate(f, (size_t)ir->count + 1) || !find_shape(ir, f)) {
        lun__flow_free(f);
        return LUN_ENOMEM;
    }
    find_needed(ir, part, output, f);
    for (int i = 0; i < ir->count; i++) {
        int32_t in[LUN_IR_INPUTS];
        if (!f->needed[i])
            continue;
        use(f, i, i);
        for (int k = inputs_of(ir, &ir->ins[i], in) - 1; k >= 0; k--)
            use(f, in[k], extended(f, in[k], i));
    }
    if (part == LUN_PART_FUNCTION)
        use(f, output, ir->count);
    find_stores(ir, part, f); /* makes some values live longer */
    find_aliases(ir, f);
    return LUN_OK;
}
