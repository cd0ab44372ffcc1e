/* lanes.c - the number of lanes of a kernel: as many as a native vector has of the widest value in
 * lanes, not counting sums that are wider than their terms; and the widths of masks. Knows nothing
 * of text. */
#include "render/facts/passes.h"

#include "render/facts/uses.h"

/* True for a value in lanes whose only users are reductions in lanes (by `op`, LUN_OP_COUNT:
 * any; not for their indices). */
static bool is_only_reduced(const lun_renderer *r, int32_t v, lun_op op)
{
    bool reduced = false;
    uint64_t identity;
    if (!lun__renderer_varies(r, v))
        return false;
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *user = &r->ir->ins[i];
        int32_t in[LUN_IR_INPUTS];
        int n = lun__ir_inputs(r->ir, user, in);
        bool uses = false;
        for (int k = 0; k < n; k++)
            uses |= in[k] == v;
        if (user->kind == LUN_IR_REDUCE && user->a == v && !lun__ir_gives_index(user) &&
            lun__uses_identity(r, i, &identity) && (op == LUN_OP_COUNT || user->op == (int32_t)op))
            reduced = true;
        else if (uses)
            return false;
    }
    return reduced;
}

/* True for a CAST of a PLAIN float to a wider one for reductions in lanes only. */
static bool is_widened(const lun_renderer *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_dtype to = (lun_dtype)ins->dtype, from = (lun_dtype)ins->from;
    return ins->kind == LUN_IR_CAST && lun__dtype_is_double(to) &&
           lun__dtype_is_plain_float(from) && !lun__dtype_is_double(from) &&
           is_only_reduced(r, v, LUN_OP_COUNT);
}

/* The same for integers of at most 16 bits (or bools): the sum of a chunk of 16384
 * (ir/combine_order.h) fits 32 bits. */
static bool is_cast_up(const lun_renderer *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_dtype to = (lun_dtype)ins->dtype, from = (lun_dtype)ins->from;
    return ins->kind == LUN_IR_CAST && lun__dtype_is_integer(to) && lun__dtype_bits(to) == 64 &&
           !lun__dtype_is_float(from) && lun__dtype_bits(from) <= 16 &&
           is_only_reduced(r, v, LUN_OP_ADD);
}

/* True if the statements on a vector cost much more than splitting it. */
static bool is_expensive(const lun_renderer *r)
{
    enum { MANY = 24 };
    if (lun__uses_weight(r, LUN_FACT_BODY) >= MANY)
        return true;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (r->ir->ins[i].kind == LUN_IR_OP && lun__renderer_varies(r, i) &&
            (lun__op_get((lun_op)r->ir->ins[i].op)->flags & (LUN_OPF_VEC | LUN_OPF_HEAVY)))
            return true;
    return false;
}

/* If everything else is f32 or narrower, a sum in f64 would halve the lanes of all values: instead
 * the REDUCE takes f32 and splits each vector into two of f64. */
static void find_wide(lun_renderer *r)
{
    if (!r->dialect->wide_sums || r->masked || r->ir->scan >= 0 || !is_expensive(r))
        return;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (lun__uses_in_lanes(r, i) && lun__dtype_get((lun_dtype)r->ir->ins[i].dtype)->bytes > 4 &&
            !is_widened(r, i))
            return;
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        if (ins->kind != LUN_IR_REDUCE || !is_widened(r, ins->a))
            continue;
        r->flags[i] |= LUN_FACT_WIDE;
    }
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        if (r->flags[i] & LUN_FACT_WIDE)
            r->flags[ins->a] &= ~(uint32_t)(LUN_FACT_BODY | LUN_FACT_OPERAND);
    }
}

/* A sum of small integers has 64 bits, which would halve the lanes of f32 values or divide those of
 * its terms: within a chunk it has 32 bits instead. A sum of integers has the same bits in any
 * order. */
static bool find_narrow(lun_renderer *r)
{
    bool any = false;
    if (!r->dialect->narrow_sums || r->ir->scan >= 0)
        return false;
    for (int32_t i = 0; i < r->ir->count; i++)
        if (lun__uses_in_lanes(r, i) && lun__dtype_get((lun_dtype)r->ir->ins[i].dtype)->bytes > 4 &&
            !is_cast_up(r, i) && r->ir->ins[i].kind != LUN_IR_REDUCE)
            return false;
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        if (ins->kind != LUN_IR_REDUCE || ins->op != LUN_OP_ADD || !is_cast_up(r, ins->a))
            continue;
        r->flags[i] |= LUN_FACT_NARROW;
        any = true;
    }
    for (int32_t i = 0; i < r->ir->count; i++)
        if (r->flags[i] & LUN_FACT_NARROW)
            r->flags[r->ir->ins[i].a] &= ~(uint32_t)(LUN_FACT_BODY | LUN_FACT_OPERAND);
    return any;
}

static void find_lanes(lun_renderer *r)
{
    int widest = 1;
    find_wide(r);
    bool narrow = find_narrow(r);
    if (narrow)
        widest = 4;
    for (int32_t i = 0; i < r->ir->count; i++) {
        int bytes = lun__dtype_get((lun_dtype)r->ir->ins[i].dtype)->bytes;
        if (narrow && bytes > 4)
            bytes = 4;
        if (lun__uses_in_lanes(r, i) && bytes > widest)
            widest = bytes;
    }
    int in_loops = lun__exits_widest(r);
    if (in_loops)
        widest = in_loops;
    r->lanes = r->bytes / widest;
}

/* A mask has the lanes of its operands or, if it has none, of the widest value. */
static void find_masks(lun_renderer *r)
{
    int widest = r->bytes / r->lanes;
    for (int32_t i = 0; i < r->ir->count; i++) {
        const lun_ir_ins *ins = &r->ir->ins[i];
        if (!lun__dtype_is_bool((lun_dtype)ins->dtype))
            continue;
        int bytes = widest;
        lun_dtype from = (lun_dtype)ins->from;
        if (ins->kind == LUN_IR_CAST || ins->kind == LUN_IR_OP) {
            int32_t a =
                ins->kind == LUN_IR_OP && lun__op_get((lun_op)ins->op)->rule == LUN_RULE_SELECT
                    ? ins->b
                    : ins->a;
            bytes = lun__dtype_is_bool(from) ? r->mask[a] : lun__dtype_get(from)->bytes;
        } else if (ins->kind == LUN_IR_GET) {
            bytes = r->mask[ins->a];
        }
        r->mask[i] = (uint8_t)(bytes > widest ? widest : bytes);
    }
}

void lun__lanes_find(lun_renderer *r)
{
    find_lanes(r);
    find_masks(r);
}
