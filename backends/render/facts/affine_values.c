/* affine_values.c - affine values: the index plus a uniform value. Finds them, the checks of their
 * range that compare single elements, and which of them no statement reads in lanes. Knows nothing
 * of text. */
#include "render/facts/passes.h"

#include "render/facts/uses.h"

/* An affine value is consecutive from lane to lane: a gather at it is a load. */
static void find_affine(lun_renderer *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        bool index = ins->kind == LUN_IR_OP && lun__dtype_is_index((lun_dtype)ins->dtype);
        bool add = index && ins->op == LUN_OP_ADD, sub = index && ins->op == LUN_OP_SUB;
        bool affine = ins->kind == LUN_IR_INDEX;
        if (add || sub)
            affine = (r->flags[ins->a] & LUN_FACT_AFFINE) && !lun__renderer_varies(r, ins->b);
        if (add && !affine)
            affine = (r->flags[ins->b] & LUN_FACT_AFFINE) && !lun__renderer_varies(r, ins->a);
        if (!affine || !r->dialect->affine)
            continue;
        r->flags[i] |= LUN_FACT_AFFINE;
        if (add || sub)
            r->flags[lun__renderer_varies(r, ins->a) ? ins->b : ins->a] |= LUN_FACT_AS_SCALAR;
    }
}

/* The bounds of a CHECK of an affine value: low <= value <= high, both uniform; then two
 * comparisons of single elements decide for all lanes. */
bool lun__affine_range(const lun_renderer *r, int32_t check, int32_t *value, int32_t *low,
                       int32_t *high)
{
    const lun_ir_ins *ins = &r->ir->ins[check], *both = &r->ir->ins[ins->a];
    if (both->kind != LUN_IR_OP || both->op != LUN_OP_LAND)
        return false;
    bool swapped = r->ir->ins[both->a].op == LUN_OP_GE; /* the second check of an index has it so */
    const lun_ir_ins *below = &r->ir->ins[swapped ? both->b : both->a];
    const lun_ir_ins *above = &r->ir->ins[swapped ? both->a : both->b];
    if (below->kind != LUN_IR_OP || below->op != LUN_OP_LE || above->kind != LUN_IR_OP ||
        above->op != LUN_OP_GE || below->a != above->a || ins->b != below->a ||
        !lun__dtype_is_index((lun_dtype)below->from) || !(r->flags[below->a] & LUN_FACT_AFFINE) ||
        lun__renderer_varies(r, below->b) || lun__renderer_varies(r, above->b))
        return false;
    *value = below->a;
    *high = below->b;
    *low = above->b;
    return true;
}

static void find_ranges(lun_renderer *r)
{
    int32_t value, low, high;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (r->ir->ins[i].kind == LUN_IR_CHECK && lun__affine_range(r, i, &value, &low, &high)) {
            r->flags[low] |= LUN_FACT_AS_SCALAR;
            r->flags[high] |= LUN_FACT_AS_SCALAR;
        }
}

/* ---- what lanes never hold ------------------------------------------------------------------- */

static bool is_range(const lun_renderer *r, int32_t i)
{
    int32_t value, low, high;
    return r->ir->ins[i].kind == LUN_IR_CHECK && lun__affine_range(r, i, &value, &low, &high);
}

static bool is_linear(const lun_renderer *r, int32_t v)
{
    return (r->flags[v] & LUN_FACT_LINEAR) != 0;
}

/* Instruction i reads v: LINEAR ends if i reads lanes. */
static void use(lun_renderer *r, int32_t i, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[i];
    bool place = ins->kind == LUN_IR_GATHER && ins->a == v;
    if (!is_linear(r, v) || is_linear(r, i) || place || is_range(r, i))
        return;
    r->flags[v] &= ~(uint32_t)LUN_FACT_LINEAR;
    r->changed = true;
}

/* LINEAR: affine values and the conditions of checks of their range, unless some instruction reads
 * their lanes. */
static void find_linear(lun_renderer *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        if (r->flags[i] & LUN_FACT_AFFINE)
            r->flags[i] |= LUN_FACT_LINEAR;
        if (!is_range(r, i))
            continue;
        const lun_ir_ins *both = &r->ir->ins[r->ir->ins[i].a];
        r->flags[r->ir->ins[i].a] |= LUN_FACT_LINEAR;
        r->flags[both->a] |= LUN_FACT_LINEAR;
        r->flags[both->b] |= LUN_FACT_LINEAR;
    }
    do {
        r->changed = false;
        for (int32_t i = 0; i < r->ir->count; i++)
            lun__uses_inputs(r, i, use);
    } while (r->changed);
}

void lun__affine_find(lun_renderer *r)
{
    find_affine(r);
    find_ranges(r);
    find_linear(r);
}
