/* remap_gathers.c - gathers from an array become gathers from what there is of it; see
 * remap_gathers.h.  Knows no array. */
#include "ir/remap_gathers.h"

#include "table/op.h"

int32_t lun__remap_constant(lun_ir *ir, lun_dtype t, uint64_t bits)
{
    return lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CONST,
                                        .dtype = (uint8_t)t,
                                        .a = -1,
                                        .b = -1,
                                        .c = -1,
                                        .imm = (int64_t)bits});
}

int32_t lun__remap_argument(lun_ir *ir, int arg)
{
    return lun__ir_add(
        ir, (lun_ir_ins){
                .kind = LUN_IR_ARG, .dtype = ir->args[arg], .a = -1, .b = -1, .c = -1, .imm = arg});
}

int32_t lun__remap_apply(lun_ir *ir, lun_op op, lun_dtype t, int32_t a, int32_t b)
{
    const lun_rule rule = (lun_rule)lun__op_get(op)->rule;
    if (a < 0 || (b < 0 && lun__op_get(op)->arity > 1))
        return -1;
    const bool tells = rule == LUN_RULE_CMP || rule == LUN_RULE_LOGIC || rule == LUN_RULE_TEST;
    return lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_OP,
                                        .dtype = (uint8_t)(tells ? LUN_BOOL : t),
                                        .from = (uint8_t)t,
                                        .op = (int32_t)op,
                                        .a = a,
                                        .b = b,
                                        .c = -1});
}

int32_t lun__remap_convert(lun_ir *ir, lun_dtype to, lun_dtype from, int32_t a)
{
    return a < 0 ? -1
                 : lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CAST,
                                                .dtype = (uint8_t)to,
                                                .from = (uint8_t)from,
                                                .a = a,
                                                .b = -1,
                                                .c = -1});
}

int32_t lun__remap_moved(const lun_ir *from, const lun_ir_ins *ins, const int32_t *map, lun_ir *to)
{
    lun_ir_ins x = *ins;
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(from, ins, in);
    if (n > 0)
        x.a = map[x.a];
    if (n > 1)
        x.b = map[x.b];
    if (n > 2)
        x.c = map[x.c];
    return lun__ir_add(to, x);
}

/* ---- the number of an element ---------------------------------------------------------------- */

/* How many bits of x, a u32, are set: of each two, four and eight, then of all. */
static int32_t bits_of(lun_ir *ir, int32_t x)
{
    const int32_t one = lun__remap_constant(ir, LUN_U32, 1),
                  two = lun__remap_constant(ir, LUN_U32, 2);
    const int32_t pairs = lun__remap_constant(ir, LUN_U32, 0x55555555),
                  fours = lun__remap_constant(ir, LUN_U32, 0x33333333);
    int32_t y = lun__remap_apply(ir, LUN_OP_SHR, LUN_U32, x, one);
    x = lun__remap_apply(ir, LUN_OP_SUB, LUN_U32, x,
                         lun__remap_apply(ir, LUN_OP_BAND, LUN_U32, y, pairs));
    y = lun__remap_apply(ir, LUN_OP_BAND, LUN_U32,
                         lun__remap_apply(ir, LUN_OP_SHR, LUN_U32, x, two), fours);
    x = lun__remap_apply(ir, LUN_OP_ADD, LUN_U32,
                         lun__remap_apply(ir, LUN_OP_BAND, LUN_U32, x, fours), y);
    y = lun__remap_apply(ir, LUN_OP_SHR, LUN_U32, x, lun__remap_constant(ir, LUN_U32, 4));
    x = lun__remap_apply(ir, LUN_OP_BAND, LUN_U32, lun__remap_apply(ir, LUN_OP_ADD, LUN_U32, x, y),
                         lun__remap_constant(ir, LUN_U32, 0x0f0f0f0f));
    x = lun__remap_apply(ir, LUN_OP_MUL, LUN_U32, x, lun__remap_constant(ir, LUN_U32, 0x01010101));
    return lun__remap_apply(ir, LUN_OP_SHR, LUN_U32, x, lun__remap_constant(ir, LUN_U32, 24));
}

/* How many elements before `element` are marked. */
static int32_t rank_of(lun_ir *ir, int slot, int32_t element)
{
    const int32_t at =
        lun__remap_apply(ir, LUN_OP_SHR, LUN_I64, element, lun__remap_constant(ir, LUN_I64, 5));
    const lun_ir_ins gather = {
        .kind = LUN_IR_GATHER, .dtype = LUN_U64, .a = at, .b = -1, .c = -1, .imm = slot};
    const int32_t word = at < 0 ? -1 : lun__ir_add(ir, gather);
    const int32_t behind = lun__remap_convert(
        ir, LUN_U32, LUN_I64,
        lun__remap_apply(ir, LUN_OP_BAND, LUN_I64, element, lun__remap_constant(ir, LUN_I64, 31)));
    const int32_t one = lun__remap_constant(ir, LUN_U32, 1);
    const int32_t lower = lun__remap_apply(
        ir, LUN_OP_SUB, LUN_U32, lun__remap_apply(ir, LUN_OP_SHL, LUN_U32, one, behind), one);
    const int32_t bits = lun__remap_apply(ir, LUN_OP_BAND, LUN_U32,
                                          lun__remap_convert(ir, LUN_U32, LUN_U64, word), lower);
    const int32_t before =
        lun__remap_apply(ir, LUN_OP_SHR, LUN_U64, word, lun__remap_constant(ir, LUN_U64, 32));
    return lun__remap_apply(ir, LUN_OP_ADD, LUN_I64,
                            lun__remap_convert(ir, LUN_I64, LUN_U64, before),
                            lun__remap_convert(ir, LUN_I64, LUN_U32, bits_of(ir, bits)));
}

/* ---- the body -------------------------------------------------------------------------------- */

/* The index in a box of the next one of its gathers. */
static int32_t index_in_box(lun_ir *ir, const lun_ir_fetched *x, int *next)
{
    int32_t element = lun__remap_argument(ir, x->added + x->params + (*next)++);
    for (int k = 0; element >= 0 && k < x->params; k++)
        element = lun__remap_apply(ir, LUN_OP_ADD, LUN_I64, element,
                                   lun__remap_apply(ir, LUN_OP_MUL, LUN_I64,
                                                    lun__remap_argument(ir, x->param[k]),
                                                    lun__remap_argument(ir, x->added + k)));
    return element;
}

/* The number of element `element` among those at hand. */
static int32_t index_among(lun_ir *ir, const lun_ir_fetched *x, int32_t element, int *next)
{
    switch (x->how) {
    case LUN_HAS_RANGE:
        return lun__remap_apply(ir, LUN_OP_SUB, LUN_I64, element,
                                lun__remap_argument(ir, x->added));
    case LUN_HAS_BOX:
        return index_in_box(ir, x, next);
    default:
        return rank_of(ir, x->added, element);
    }
}

static void count_gathers(const lun_ir *from, lun_ir_fetched *of)
{
    for (int k = 0; k < from->slot_count; k++)
        of[k].gathers = 0;
    for (int i = 0; i < from->count; i++)
        if (from->ins[i].kind == LUN_IR_GATHER)
            of[from->ins[i].imm].gathers++;
}

static bool add_homes(const lun_ir *from, lun_ir_fetched *of, lun_ir *to)
{
    bool well = lun__ir_copy_outside(from, to);
    count_gathers(from, of);
    for (int k = 0; well && k < from->slot_count; k++) {
        const int box = of[k].params + of[k].gathers;
        of[k].added = to->arg_count;
        if (of[k].how == LUN_HAS_BITMAP)
            of[k].added = lun__ir_slot_add(to, LUN_U64, LUN_SLOT_ARRAY);
        else if (of[k].how != LUN_HAS_ALL)
            for (int n = of[k].how == LUN_HAS_BOX ? box : 1; well && n > 0; n--)
                well = lun__ir_arg_add(to, LUN_I64) >= 0;
        well &= of[k].added >= 0;
    }
    return well;
}

lun_status lun__remap_fetch(const lun_ir *from, lun_ir_fetched *of, lun_ir *to, int32_t *map)
{
    int next[LUN_FRONT_ARRAYS] = {0};
    bool well = from->slot_count <= LUN_FRONT_ARRAYS && add_homes(from, of, to);
    for (int i = 0; well && i < from->count; i++) {
        const lun_ir_ins *ins = &from->ins[i];
        map[i] = lun__remap_moved(from, ins, map, to);
        const lun_ir_fetched *x = ins->kind == LUN_IR_GATHER ? &of[ins->imm] : NULL;
        if (map[i] >= 0 && x && x->how != LUN_HAS_ALL) {
            lun_ir_ins gather = to->ins[--to->count];
            gather.a = index_among(to, x, gather.a, &next[ins->imm]);
            map[i] = gather.a < 0 ? -1 : lun__ir_add(to, gather);
        }
        well = map[i] >= 0;
    }
    return well ? LUN_OK : LUN_ENOMEM;
}
