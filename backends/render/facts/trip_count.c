/* trip_count.c - how many rounds a loop has, where constants say so: those that a counter takes
 * from a constant by constant steps up to the constant that it is left at, as `for k = 1, 8` does.
 * Knows nothing of text. */
#include "render/facts/passes.h"

enum { FEW = 256 }; /* rounds of a loop and all around it that end soon, together */

static bool constant(const lun_ir *ir, int32_t v, int64_t *value)
{
    *value = ir->ins[v].imm;
    return ir->ins[v].kind == LUN_IR_CONST && lun__dtype_is_integer((lun_dtype)ir->ins[v].dtype);
}

/* The variable that value v was read from directly in the loop, before instruction `at`; -1. */
static int32_t read_in(const lun_ir *ir, const lun_ir_structure *b, int32_t v, int32_t loop,
                       int32_t at)
{
    bool is = ir->ins[v].kind == LUN_IR_GET && b->parent[v] == loop && v < at;
    return is ? ir->ins[v].a : -1;
}

/* The only SET of a variable; -1: there are several, or none. */
static int32_t only_set(const lun_ir *ir, int32_t var)
{
    int32_t set = -1;
    for (int32_t i = var; i < ir->count; i++) {
        if (ir->ins[i].kind != LUN_IR_SET || ir->ins[i].a != var)
            continue;
        if (set >= 0)
            return -1;
        set = i;
    }
    return set;
}

/* Rounds until value v, read from a counter, is `last`; 0: unknown. */
static int64_t count(const lun_ir *ir, const lun_ir_structure *b, int32_t loop, int32_t v,
                     int64_t last)
{
    int64_t first, step;
    int32_t var = ir->ins[v].a, set = only_set(ir, var);
    if (b->parent[var] != b->parent[loop] || !constant(ir, ir->ins[var].a, &first) || set < v ||
        b->parent[set] != loop)
        return 0;
    const lun_ir_ins *next = &ir->ins[ir->ins[set].b];
    if (next->kind != LUN_IR_OP || next->op != LUN_OP_ADD || !constant(ir, next->b, &step) ||
        read_in(ir, b, next->a, loop, set) != var || step == 0)
        return 0;
    if (first < -FEW || first > FEW || last < first - FEW * FEW || last > first + FEW * FEW ||
        step < -FEW || step > FEW)
        return 0;
    return (last - first) % step || (last - first) / step < 0 ? 0 : (last - first) / step + 1;
}

/* Rounds of a LOOP, if an exit directly in it says so; else 0. */
static int64_t rounds(const lun_ir *ir, const lun_ir_structure *b, int32_t loop)
{
    int64_t last, found = 0;
    for (int32_t i = loop + 1; i < b->end[loop] && !found && !b->continued[loop]; i++) {
        int32_t p = b->parent[i];
        if (ir->ins[i].kind != LUN_IR_BREAK || b->target[i] != loop || b->parent[p] != loop ||
            ir->ins[p].kind != LUN_IR_IF || (b->other[p] >= 0 && b->other[p] < i))
            continue;
        const lun_ir_ins *test = &ir->ins[ir->ins[p].a];
        if (test->kind != LUN_IR_OP || test->op != LUN_OP_EQ)
            continue;
        int32_t left = read_in(ir, b, test->a, loop, p), right = read_in(ir, b, test->b, loop, p);
        if (left >= 0 && constant(ir, test->b, &last))
            found = count(ir, b, loop, test->a, last);
        else if (right >= 0 && constant(ir, test->a, &last))
            found = count(ir, b, loop, test->b, last);
    }
    return found;
}

bool lun__trip_count_few(const lun_ir *ir, const lun_ir_structure *blocks, int32_t loop)
{
    int64_t all = rounds(ir, blocks, loop);
    if (!all)
        return false;
    for (int32_t p = blocks->parent[loop]; p >= 0 && all <= FEW; p = blocks->parent[p]) {
        int64_t more = ir->ins[p].kind == LUN_IR_LOOP ? rounds(ir, blocks, p) : 0;
        all *= more ? more : 1;
    }
    return all <= FEW;
}
