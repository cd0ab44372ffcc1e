/* pairs.c - the kernel of a matrix of lines that are reduced in blocks: for each index a loop over
 * its line, in the order that ir/order.h states.  The loop computes a line's values from elements
 * at places that depend on the index and on the value's number, so all lines together are never in
 * memory.  Knows no array and no launch. */
#include "graph/function.h"
#include "ir/order.h"
#include "plan/lowering.h"

/* The loop that is being emitted. */
typedef struct loop {
    int64_t extent[3]; /* rows, columns, line */
    int32_t zero, one; /* values of the IR */
    int32_t number;    /* of the element of the line, in the loop */
    int32_t captured;  /* the first argument that the combiner captures + 1, 0: none */
    lun_node **held;   /* INDEX VIEWs that slots read */
    int held_count;
} loop;

/* ---- instructions ---------------------------------------------------------------------------- */

static int32_t constant(lun_lowerer *l, lun_dtype t, uint64_t bits)
{
    return lun__lower_add(l,
                          (lun_ir_ins){.kind = LUN_IR_CONST,
                                       .dtype = (uint8_t)t,
                                       .a = -1,
                                       .b = -1,
                                       .c = -1,
                                       .imm = (int64_t)bits},
                          0);
}

/* An operation on integers. */
static int32_t integer(lun_lowerer *l, lun_op op, lun_dtype t, int32_t a, int32_t b)
{
    return lun__lower_add(l,
                          (lun_ir_ins){.kind = LUN_IR_OP,
                                       .dtype = (uint8_t)t,
                                       .from = LUN_I64,
                                       .op = (int32_t)op,
                                       .a = a,
                                       .b = b,
                                       .c = -1},
                          0);
}

/* An instruction of control flow, or on a variable of dtype t. */
static int32_t flow(lun_lowerer *l, lun_ir_kind kind, lun_dtype t, int32_t a, int32_t b)
{
    return lun__lower_add(
        l, (lun_ir_ins){.kind = (uint8_t)kind, .dtype = (uint8_t)t, .a = a, .b = b, .c = -1}, 0);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* The place of the first element of each line: a stream of places, or one number. */
static int32_t first_place(lun_lowerer *l, const lun_layout *at)
{
    loop *p = l->loop;
    lun_layout lines = *at;
    lun_node *index = NULL, *places = NULL;
    lines.rank = 2;
    if (!lines.stride[0] && !lines.stride[1])
        return lun__lower_number(l, LUN_I64, (uint64_t)lines.offset);
    l->status = p->held_count < LUN_PAIRS_PLACES
                    ? lun__node_index(l->e, lines.extent[0] * lines.extent[1], &index)
                    : lun__fail(l->e, LUN_EARG, "internal: too many operands of allpairs");
    if (l->status == LUN_OK)
        l->status = lun__node_view(l->e, index, &lines, &places);
    if (l->status == LUN_OK)
        p->held[p->held_count++] = places;
    lun_slot_source from = {.node = index, .view = places};
    if (l->status == LUN_OK && places->kind != LUN_NODE_VIEW) /* it is the index itself */
        from = (lun_slot_source){.node = places};
    lun__node_release(l->e, index);
    int slot = l->status == LUN_OK ? lun__lower_source(l, from, LUN_SLOT_IN) : -1;
    if (slot < 0)
        return -1;
    return lun__lower_add(
        l,
        (lun_ir_ins){.kind = LUN_IR_LOAD, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1, .imm = slot},
        0);
}

static int element(lun_lowerer *l, lun_slot_source from)
{
    loop *p = l->loop;
    lun_layout own, at;
    lun__node_layout(from.view ? from.view : from.node, &own);
    own.offset += from.offset;
    if (!lun__layout_reshaped(&own, 3, p->extent, &at)) {
        l->status = lun__fail(l->e, LUN_EARG, "internal: an operand of allpairs has no strides");
        return -1;
    }
    for (int k = 0; k < 3; k++)
        at.stride[k] = p->extent[k] == 1 ? 0 : at.stride[k];
    int slot = lun__lower_source(l, (lun_slot_source){.node = from.node}, LUN_SLOT_ARRAY);
    int32_t first = slot < 0 ? -1 : first_place(l, &at);
    int32_t step = first < 0 ? -1 : lun__lower_number(l, LUN_I64, (uint64_t)at.stride[2]);
    if (step < 0)
        return -1;
    int32_t further = integer(l, LUN_OP_MUL, LUN_I64, p->number, step);
    return lun__lower_add(l,
                          (lun_ir_ins){.kind = LUN_IR_GATHER,
                                       .dtype = from.node->dtype,
                                       .a = integer(l, LUN_OP_ADD, LUN_I64, first, further),
                                       .b = -1,
                                       .c = -1,
                                       .imm = slot},
                          0);
}

/* ---- combination ----------------------------------------------------------------------------- */

/* The values of the combiner's parameters, in params. */
static void parameters(lun_lowerer *l, const lun_node *n, int32_t a, int32_t b, int32_t *params)
{
    const loop *p = l->loop;
    params[0] = a;
    params[1] = b;
    for (int k = 2; k < lun__ir_function_params(n->body); k++)
        params[k] =
            lun__lower_add(l,
                           (lun_ir_ins){.kind = LUN_IR_ARG,
                                        .dtype = (uint8_t)lun__ir_function_param(n->body, k),
                                        .a = -1,
                                        .b = -1,
                                        .c = -1,
                                        .imm = p->captured - 1 + k - 2},
                           0);
}

static int32_t combine(lun_lowerer *l, const lun_node *n, int32_t a, int32_t b)
{
    int32_t params[LUN_MAX_OPERANDS + LUN_FRONT_SCALARS], result = -1;
    if (n->op < LUN_OP_COUNT)
        return lun__lower_add(l,
                              (lun_ir_ins){.kind = LUN_IR_OP,
                                           .dtype = n->acc,
                                           .from = n->acc,
                                           .op = n->op,
                                           .a = a,
                                           .b = b,
                                           .c = -1},
                              n->where);
    parameters(l, n, a, b, params);
    if (n->body->text)
        return lun__lower_call(l, n->body, params, (lun_dtype)n->acc, n->where);
    (void)lun__lower_inline(l, n->body, params, NULL, n->body->notes, n->where, &result);
    return result;
}

/* VAR total becomes its combination with value b; where `first` holds (-1: never), b. */
static void accumulate(lun_lowerer *l, const lun_node *n, int32_t total, int32_t b, int32_t first)
{
    const lun_dtype t = (lun_dtype)n->acc;
    if (first >= 0) {
        flow(l, LUN_IR_IF, LUN_BOOL, first, -1);
        flow(l, LUN_IR_SET, t, total, b);
        flow(l, LUN_IR_ELSE, LUN_BOOL, -1, -1);
    }
    int32_t so_far = flow(l, LUN_IR_GET, t, total, -1);
    int32_t both = l->status == LUN_OK ? combine(l, n, so_far, b) : -1;
    flow(l, LUN_IR_SET, t, total, both);
    if (first >= 0)
        flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Leaves the innermost loop where a >= b; else goes on with a as its variable. */
static void next_round(lun_lowerer *l, int32_t variable, int32_t a, int32_t b)
{
    flow(l, LUN_IR_SET, LUN_I64, variable, a);
    flow(l, LUN_IR_IF, LUN_BOOL, integer(l, LUN_OP_GE, LUN_BOOL, a, b), -1);
    flow(l, LUN_IR_BREAK, LUN_BOOL, -1, -1);
    flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
    flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
}

/* The values from number `from` to before `to`, combined: what VAR `block` holds then. */
static void emit_block(lun_lowerer *l, lun_node *n, int32_t block, int32_t from, int32_t to,
                       bool neutral)
{
    loop *p = l->loop;
    int32_t at = flow(l, LUN_IR_VAR, LUN_I64, from, -1);
    flow(l, LUN_IR_LOOP, LUN_BOOL, -1, -1);
    p->number = flow(l, LUN_IR_GET, LUN_I64, at, -1);
    int32_t first = neutral ? -1 : integer(l, LUN_OP_EQ, LUN_BOOL, p->number, from);
    if (l->status == LUN_OK)
        lun__lower_emit(l, n->in[0]);
    int32_t value = l->status == LUN_OK ? lun__lower_operand(l, n->in[0]) : -1;
    accumulate(l, n, block, value, first);
    next_round(l, at, integer(l, LUN_OP_ADD, LUN_I64, p->number, p->one), to);
}

/* The given first value, or the operation's identity; -1: there is neither. */
static int32_t initial(lun_lowerer *l, lun_node *n, int32_t identity)
{
    lun_node *first = lun__node_first(n);
    if (!first)
        return identity;
    l->element = NULL; /* one number, not an element of a line */
    lun__lower_emit(l, first);
    int32_t value = l->status == LUN_OK ? lun__lower_operand(l, first) : -1;
    l->element = element;
    return value;
}

/* What the line of each index gives. */
static int32_t emit_line(lun_lowerer *l, lun_node *n)
{
    loop *p = l->loop;
    const lun_dtype t = (lun_dtype)n->acc;
    uint64_t bits = 0;
    const bool neutral = n->op < LUN_OP_COUNT && lun__op_identity((lun_op)n->op, t, &bits);
    p->zero = constant(l, LUN_I64, 0);
    p->one = constant(l, LUN_I64, 1);
    p->captured = lun__lower_captured(l, n);
    int32_t line = lun__lower_number(l, LUN_I64, (uint64_t)p->extent[2]);
    int32_t size = constant(l, LUN_I64, LUN_ORDER_BLOCK), none = constant(l, t, bits);
    int32_t begin = initial(l, n, neutral ? none : -1);
    int32_t total = flow(l, LUN_IR_VAR, t, begin < 0 ? none : begin, -1);
    int32_t at = flow(l, LUN_IR_VAR, LUN_I64, p->zero, -1);
    flow(l, LUN_IR_LOOP, LUN_BOOL, -1, -1);
    int32_t from = flow(l, LUN_IR_GET, LUN_I64, at, -1);
    int32_t to = integer(l, LUN_OP_MIN, LUN_I64, integer(l, LUN_OP_ADD, LUN_I64, from, size), line);
    int32_t block = flow(l, LUN_IR_VAR, t, none, -1);
    emit_block(l, n, block, from, to, neutral);
    int32_t first = begin < 0 ? integer(l, LUN_OP_EQ, LUN_BOOL, from, p->zero) : -1;
    accumulate(l, n, total, flow(l, LUN_IR_GET, t, block, -1), first);
    next_round(l, at, to, line);
    return flow(l, LUN_IR_GET, t, total, -1);
}

lun_status lun__lower_pairs(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out,
                            lun_node *held[LUN_PAIRS_PLACES], int *count)
{
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    lun_node *n = l.g->sinks[0];
    loop p = {.extent = {n->shape[0], n->shape[1], n->step}, .held = held};
    l.loop = &p;
    l.element = element;
    out->workgroup = n->workgroup;
    int32_t value = emit_line(&l, n);
    if (l.status == LUN_OK && n->dtype != n->acc)
        value = lun__lower_add(&l,
                               (lun_ir_ins){.kind = LUN_IR_CAST,
                                            .dtype = n->dtype,
                                            .from = n->acc,
                                            .a = value,
                                            .b = -1,
                                            .c = -1},
                               0);
    int slot =
        l.status == LUN_OK ? lun__lower_source(&l, (lun_slot_source){.node = n}, LUN_SLOT_OUT) : -1;
    if (slot >= 0)
        lun__lower_add(
            &l,
            (lun_ir_ins){
                .kind = LUN_IR_STORE, .dtype = n->dtype, .a = value, .b = -1, .c = -1, .imm = slot},
            0);
    out->ops++;
    *count = p.held_count;
    return lun__lower_end(&l);
}
