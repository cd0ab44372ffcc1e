/* counted.c - finds loops that count, and their rounds; see counted.h.  Knows nothing of text. */
#include "render/facts/counted.h"

enum {
    STEPS = 16, /* constants that are added one after the other, most */
    FEW = 256   /* rounds of loops together */
};

static bool is_op(const lun_ir *ir, int32_t v, lun_op op)
{
    const lun_ir_ins *ins = &ir->ins[v];
    return ins->kind == LUN_IR_OP && ins->op == (int32_t)op &&
           lun__dtype_is_index((lun_dtype)ins->from);
}

static bool is_constant(const lun_ir *ir, int32_t v, int64_t *value)
{
    *value = ir->ins[v].imm;
    return ir->ins[v].kind == LUN_IR_CONST && lun__dtype_is_index((lun_dtype)ir->ins[v].dtype);
}

/* Whether v reads the variable, in the loop itself. */
static bool reads(const lun_ir *ir, const lun_ir_structure *b, int32_t v, int32_t var, int32_t loop)
{
    return ir->ins[v].kind == LUN_IR_GET && ir->ins[v].a == var && b->parent[v] == loop;
}

/* Whether SET `only` is the only one of the variable, and all that reads it inside of the loop. */
static bool is_own(const lun_ir *ir, const lun_ir_structure *b, int32_t var, int32_t loop,
                   int32_t only)
{
    for (int32_t i = var + 1; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        if ((ins->kind == LUN_IR_SET && ins->a == var && i != only) ||
            (ins->kind == LUN_IR_GET && ins->a == var && !lun__ir_structure_is_inside(b, i, loop)))
            return false;
    }
    return true;
}

/* The IF that leaves the loop at its end, behind which, as within, are only SETs; -1: none. */
static int32_t leaving(const lun_ir *ir, const lun_ir_structure *b, int32_t loop)
{
    int32_t end = b->end[loop] - 1;
    while (end > loop && ir->ins[end].kind == LUN_IR_SET)
        end--;
    const int32_t leave = ir->ins[end].kind == LUN_IR_END ? b->target[end] : -1;
    if (leave <= loop || ir->ins[leave].kind != LUN_IR_IF || b->other[leave] >= 0 ||
        ir->ins[end - 1].kind != LUN_IR_BREAK || b->target[end - 1] != loop)
        return -1;
    for (int32_t i = leave + 1; i < end - 1; i++)
        if (ir->ins[i].kind != LUN_IR_SET)
            return -1;
    return leave;
}

/* Whether SET i, at the end of the loop, is that of a counter with which out->leave leaves. */
static bool is_counter(const lun_ir *ir, const lun_ir_structure *b, int32_t loop, int32_t i,
                       lun_counted *out)
{
    const lun_ir_ins *set = &ir->ins[i];
    int64_t one;
    if (!lun__dtype_is_index((lun_dtype)ir->ins[set->a].dtype) ||
        b->parent[set->a] != b->parent[loop] || !is_op(ir, set->b, LUN_OP_ADD) ||
        !is_op(ir, ir->ins[out->leave].a, LUN_OP_EQ))
        return false;
    const lun_ir_ins *next = &ir->ins[set->b], *test = &ir->ins[ir->ins[out->leave].a];
    const bool swapped = reads(ir, b, test->b, set->a, loop);
    out->var = set->a;
    out->first = ir->ins[set->a].a;
    out->last = swapped ? test->a : test->b;
    return is_constant(ir, next->b, &one) && one == 1 && reads(ir, b, next->a, set->a, loop) &&
           (swapped || reads(ir, b, test->a, set->a, loop)) && out->last < loop &&
           is_own(ir, b, set->a, loop, i);
}

bool lun__counted_find(const lun_ir *ir, const lun_ir_structure *b, int32_t loop, lun_counted *out)
{
    *out = (lun_counted){.leave = -1, .var = -1};
    if (ir->ins[loop].kind != LUN_IR_LOOP || b->continued[loop])
        return false;
    /* if i == last then leave end; i = i + 1 */
    out->leave = leaving(ir, b, loop);
    if (out->leave < 0)
        return false;
    out->carries = b->end[loop] - out->leave != 4;
    for (int32_t i = b->end[out->leave] + 1; i < b->end[loop]; i++)
        if (is_counter(ir, b, loop, i, out))
            return true;
    out->var = -1;
    return false;
}

/* v as another value, -1: none, plus *shift. */
static int32_t base_of(const lun_ir *ir, int32_t v, int64_t *shift)
{
    int64_t c;
    *shift = 0;
    for (int k = 0; k < STEPS; k++) {
        const lun_ir_ins *ins = &ir->ins[v];
        if (is_constant(ir, v, &c))
            return __builtin_add_overflow(*shift, c, shift) ? v : -1;
        if (!is_op(ir, v, LUN_OP_ADD) && !is_op(ir, v, LUN_OP_SUB))
            return v;
        const bool first = is_op(ir, v, LUN_OP_ADD) && is_constant(ir, ins->a, &c);
        if (!first && !is_constant(ir, ins->b, &c))
            return v;
        if (c < -(INT64_C(1) << 31) || c > INT64_C(1) << 31)
            return v;
        *shift += is_op(ir, v, LUN_OP_SUB) ? -c : c;
        v = first ? ins->b : ins->a;
    }
    return v;
}

int64_t lun__counted_rounds(const lun_ir *ir, int32_t first, int32_t last)
{
    int64_t low, high, rounds;
    if (base_of(ir, first, &low) != base_of(ir, last, &high) ||
        __builtin_sub_overflow(high, low, &rounds) || rounds < 0 || rounds == INT64_MAX)
        return 0;
    return rounds + 1;
}

/* Rounds of loop p and all around it up to `loop`, FEW + 1: more than that, or unknown. */
static int64_t rounds_within(const lun_ir *ir, const lun_ir_structure *b, int32_t p, int32_t loop)
{
    int64_t all = 1;
    for (; p >= loop; p = b->parent[p]) {
        lun_counted c;
        if (ir->ins[p].kind != LUN_IR_LOOP)
            continue;
        if (!lun__counted_find(ir, b, p, &c))
            return FEW + 1;
        const int64_t rounds = lun__counted_rounds(ir, c.first, c.last);
        if (rounds < 1 || rounds > FEW || all * rounds > FEW)
            return FEW + 1;
        all *= rounds;
    }
    return all;
}

int lun__counted_unrolled(const lun_ir *ir, const lun_ir_structure *b, int32_t loop)
{
    lun_counted c;
    for (int32_t i = loop; i < b->end[loop]; i++)
        if (ir->ins[i].kind == LUN_IR_CHECK ||
            (ir->ins[i].kind == LUN_IR_LOOP && rounds_within(ir, b, i, loop) > FEW))
            return 0;
    return lun__counted_find(ir, b, loop, &c) && !c.carries
               ? (int)lun__counted_rounds(ir, c.first, c.last)
               : 0;
}
