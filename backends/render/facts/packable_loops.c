/* packable_loops.c - finds loops whose rounds are lanes; see passes.h.  Knows nothing of
 * text.
 *
 * Such a loop counts, has no control flow inside, and does with floats of one dtype what vectors do
 * in an instruction.  An element that it puts is read by no other round: all indices in that slot
 * are one value. */
#include "render/facts/passes.h"

#include "render/facts/counted.h"

typedef struct packing {
    lun_renderer *r;
    lun_counted count;
    int32_t loop, test; /* test: the condition that ends the loop */
    int dtype;          /* of its floats; -1: none yet */
} packing;

static bool is_affine(const packing *p, int32_t v)
{
    return v > p->loop && (p->r->flags[v] & LUN_FACT_AFFINE);
}

/* The same in all rounds. */
static bool is_same(const packing *p, int32_t v)
{
    return v < p->loop || !(p->r->flags[v] & (LUN_FACT_AFFINE | LUN_FACT_VARYING));
}

/* Floats of one dtype, such that an element in memory is a lane. */
static bool takes(packing *p, int dtype)
{
    const lun_dtype t = (lun_dtype)dtype;
    if (!lun__dtype_is_float(t) || !lun__dtype_is_closed(t) || (p->dtype >= 0 && p->dtype != dtype))
        return false;
    p->dtype = dtype;
    return true;
}

/* An operation on floats of which one differs, or on integers. */
static bool take_op(packing *p, int32_t i)
{
    static const lun_op lanes[] = {LUN_OP_ADD, LUN_OP_SUB, LUN_OP_MUL,
                                   LUN_OP_DIV, LUN_OP_NEG, LUN_OP_FMA};
    const lun_ir_ins *ins = &p->r->ir->ins[i];
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(p->r->ir, ins, in);
    bool same = true, known = false;
    for (int k = 0; k < n; k++)
        same &= is_same(p, in[k]);
    if (same)
        return !lun__ir_may_fail(p->r->ir, ins);
    if (lun__dtype_is_index((lun_dtype)ins->from)) {
        const bool add = ins->op == LUN_OP_ADD;
        p->r->flags[i] |= LUN_FACT_AFFINE;
        return (is_affine(p, ins->a) && is_same(p, ins->b) && (add || ins->op == LUN_OP_SUB)) ||
               (add && is_same(p, ins->a) && is_affine(p, ins->b));
    }
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++)
        known |= ins->op == (int32_t)lanes[k];
    p->r->flags[i] |= LUN_FACT_VARYING;
    return known && ins->dtype == ins->from && takes(p, ins->from);
}

/* Whether the loop reads and puts elements of the slot into which i puts at one index alone. */
static bool is_apart(const packing *p, int32_t i)
{
    const lun_ir *ir = p->r->ir;
    for (int32_t k = p->loop; k < p->r->blocks.end[p->loop]; k++) {
        const lun_ir_ins *ins = &ir->ins[k];
        if (lun__ir_row(ins->kind)->imm == LUN_IMM_SLOT && ins->imm == ir->ins[i].imm &&
            (ins->kind == LUN_IR_GATHER ? ins->a : ins->b) != ir->ins[i].b)
            return false;
    }
    return true;
}

static bool take(packing *p, int32_t i)
{
    const lun_ir_ins *ins = &p->r->ir->ins[i];
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_ARG:
    case LUN_IR_CONST:
        return true;
    case LUN_IR_GET:
        p->r->flags[i] |= ins->a == p->count.var ? LUN_FACT_AFFINE : 0;
        return true;
    case LUN_IR_OP:
        return take_op(p, i);
    case LUN_IR_GATHER:
        if (is_same(p, ins->a))
            return true;
        p->r->flags[i] |= LUN_FACT_VARYING;
        return is_affine(p, ins->a) && takes(p, ins->dtype);
    case LUN_IR_PUT:
        return is_affine(p, ins->b) && !is_affine(p, ins->a) && is_apart(p, i) &&
               takes(p, p->r->ir->slots[ins->imm].dtype);
    default:
        return false;
    }
}

void lun__packable_loop_forget(lun_renderer *r, int32_t loop)
{
    r->flags[loop] &= ~(uint32_t)LUN_FACT_PACKED;
    for (int32_t i = loop + 1; i < r->blocks.end[loop]; i++)
        r->flags[i] &= ~(uint32_t)(LUN_FACT_AFFINE | LUN_FACT_VARYING);
}

/* Lanes that the loop can have, 0: it is not packed. */
static int pack(lun_renderer *r, int32_t loop)
{
    packing p = {.r = r, .loop = loop, .dtype = -1};
    bool well = lun__counted_find(r->ir, &r->blocks, loop, &p.count) && !p.count.carries;
    p.test = well ? r->ir->ins[p.count.leave].a : -1;
    for (int32_t i = loop + 1; well && i < p.count.leave; i++)
        well = !(r->flags[i] & LUN_FACT_BODY) || i == p.test || take(&p, i);
    int lanes = well && p.dtype >= 0 ? r->bytes / lun__dtype_get((lun_dtype)p.dtype)->bytes : 0;
    const int64_t rounds = lanes ? lun__counted_rounds(r->ir, p.count.first, p.count.last) : 0;
    while (rounds && lanes && rounds % lanes)
        lanes /= 2;
    if (lanes < 2) {
        lun__packable_loop_forget(r, loop);
        return 0;
    }
    r->flags[loop] |= LUN_FACT_PACKED;
    return lanes;
}

void lun__packable_loop_find(lun_renderer *r)
{
    for (int32_t i = 0; i < r->ir->count; i++) {
        if (r->ir->ins[i].kind != LUN_IR_LOOP || !(r->flags[i] & LUN_FACT_BODY))
            continue;
        const int lanes = pack(r, i);
        if (lanes && (r->lanes == 1 || lanes < r->lanes))
            r->lanes = lanes;
    }
}
