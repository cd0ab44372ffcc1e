/* pairs_kernel.c - the kernels of a matrix of segments that are reduced in blocks: for each index a
 * loop over its segment, in the order that ir/combine_order.h states; for the host one that takes
 * several rows at once. The loop computes a segment's values from elements at offsets that
 * depend on the index and on the value's number, so all segments together are never in memory. 
 * Knows no array and no launch. */
#include "kernels/pairs_kernel.h"

#include <stdlib.h>

#include "graph/function_ref.h"
#include "ir/combine_order.h"
#include "plan/lowering.h"

/* The loop that is being emitted. */
typedef struct loop {
    int64_t extent[3];      /* rows, columns, segment */
    int rows;               /* that go through it together */
    int32_t zero, one;      /* values of the IR */
    int32_t number;         /* of the element of the segment, in the loop */
    int32_t captured;       /* the first argument that the combiner captures + 1, 0: none */
    int32_t arrays;         /* the same of slots */
    const lun_pairs *pairs; /* the host's kernel; NULL: an index for each element of the result */
    int row;                /* of that, which elements are read for */
    int lane_count;         /* elements of lanes that this round has read: slots and values */
    int lane_slot[LUN_PAIRS_HELD];
    int32_t lane_value[LUN_PAIRS_HELD];
    lun_node **held; /* INDEX VIEWs that slots read */
    int held_count;
} loop;

/* ---- elements -------------------------------------------------------------------------------- */

/* The offset of the first element of each segment: a stream of offsets, or one number. */
static int32_t first_place(lun_lowerer *l, const lun_layout *at)
{
    loop *p = l->loop;
    lun_layout segments = *at;
    lun_node *index = NULL, *offsets = NULL;
    segments.rank = 2;
    if (!segments.stride[0] && !segments.stride[1])
        return lun__lower_number(l, LUN_I64, (uint64_t)segments.offset);
    l->status = p->held_count < LUN_PAIRS_HELD
                    ? lun__node_index(l->e, segments.extent[0] * segments.extent[1], &index)
                    : lun__fail(l->e, LUN_EARG, "internal: too many operands of allpairs");
    if (l->status == LUN_OK)
        l->status = lun__view_node(l->e, index, &segments, &offsets);
    lun_slot_source from = {.node = index, .view = offsets};
    if (l->status == LUN_OK && offsets->kind != LUN_NODE_VIEW) { /* of one row: the index itself */
        from.view = NULL;
        lun__node_release(l->e, offsets);
        offsets = lun__node_retain(index);
    }
    if (l->status == LUN_OK)
        p->held[p->held_count++] = offsets;
    lun__node_release(l->e, index);
    int slot = l->status == LUN_OK ? lun__lower_source(l, from, LUN_SLOT_IN) : -1;
    if (slot < 0)
        return -1;
    return lun__lower_add(
        l,
        (lun_ir_ins){.kind = LUN_IR_LOAD, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1, .imm = slot},
        0);
}

bool lun__pairs_kernel_layout(const int64_t extent[3], const lun_slot_source *from, lun_layout *out)
{
    lun_layout own;
    lun__node_layout(from->view ? from->view : from->node, &own);
    own.offset += from->offset;
    if (!lun__layout_reshaped(&own, 3, extent, out))
        return false;
    for (int k = 0; k < 3; k++)
        out->stride[k] = extent[k] == 1 ? 0 : out->stride[k];
    return true;
}

static int32_t gather(lun_lowerer *l, int slot, int32_t place)
{
    return lun__lower_add(l,
                          (lun_ir_ins){.kind = LUN_IR_GATHER,
                                       .dtype = l->out->ir.slots[slot].dtype,
                                       .a = place,
                                       .b = -1,
                                       .c = -1,
                                       .imm = slot},
                          0);
}

/* The element of this round's lanes, packed; rows share its value. */
static int32_t lane_element(lun_lowerer *l, int slot)
{
    loop *p = l->loop;
    for (int i = 0; i < p->lane_count; i++)
        if (p->lane_slot[i] == slot)
            return p->lane_value[i];
    int32_t index = lun__lower_add(
        l, (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1}, 0);
    int32_t size = lun__lower_constant(l, LUN_I64, LUN_BLOCK);
    int32_t block = lun__lower_integer(l, LUN_OP_MUL, LUN_I64, p->number, size);
    int32_t value = gather(l, slot, lun__lower_integer(l, LUN_OP_ADD, LUN_I64, index, block));
    if (p->lane_count < LUN_PAIRS_HELD) {
        p->lane_slot[p->lane_count] = slot;
        p->lane_value[p->lane_count++] = value;
    }
    return value;
}

/* An element for the host's kernel. */
static int32_t grouped_element(lun_lowerer *l, lun_slot_source from, const lun_layout *at)
{
    const loop *p = l->loop;
    const int lanes = p->pairs->lanes, rows = !lanes;
    const bool lane = at->stride[lanes] != 0;
    if (lane && at->stride[rows])
        l->status = lun__fail(l->e, LUN_EARG, "internal: an operand of allpairs that is a matrix");
    from.copy = lane ? LUN_PAIRS_LANE : LUN_PAIRS_ROW;
    int slot = l->status == LUN_OK ? lun__lower_source(l, from, LUN_SLOT_ARRAY) : -1;
    if (slot < 0)
        return -1;
    if (lane)
        return lane_element(l, slot);
    int64_t row = p->row < p->extent[rows] ? p->row : p->extent[rows] - 1;
    int32_t step = lun__lower_number(l, LUN_I64, (uint64_t)at->stride[2]);
    int32_t further = lun__lower_integer(l, LUN_OP_MUL, LUN_I64, p->number, step);
    int32_t first = lun__lower_number(l, LUN_I64, (uint64_t)(row * at->stride[rows]));
    return gather(l, slot, lun__lower_integer(l, LUN_OP_ADD, LUN_I64, first, further));
}

static int element(lun_lowerer *l, lun_slot_source from)
{
    const loop *p = l->loop;
    lun_layout at;
    if (!lun__pairs_kernel_layout(p->extent, &from, &at)) {
        l->status = lun__fail(l->e, LUN_EARG, "internal: an operand of allpairs has no strides");
        return -1;
    }
    if (p->pairs)
        return grouped_element(l, from, &at);
    int slot = lun__lower_source(l, (lun_slot_source){.node = from.node}, LUN_SLOT_ARRAY);
    int32_t first = slot < 0 ? -1 : first_place(l, &at);
    int32_t step = first < 0 ? -1 : lun__lower_number(l, LUN_I64, (uint64_t)at.stride[2]);
    if (step < 0)
        return -1;
    int32_t further = lun__lower_integer(l, LUN_OP_MUL, LUN_I64, p->number, step);
    return gather(l, slot, lun__lower_integer(l, LUN_OP_ADD, LUN_I64, first, further));
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
    int32_t params[LUN_MAX_OPERANDS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS], result = -1;
    int32_t arrays[LUN_FRONT_ARRAYS];
    const loop *p = l->loop;
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
    for (int k = 0; k < lun__ir_function_arrays(n->body); k++)
        arrays[k] = p->arrays - 1 + k;
    (void)lun__lower_inline(l, n->body, params, arrays, n->body->notes, n->where, &result);
    return result;
}

/* VAR total becomes its combination with value b; where `first` holds (-1: never), b. */
static void accumulate(lun_lowerer *l, const lun_node *n, int32_t total, int32_t b, int32_t first)
{
    const lun_dtype t = (lun_dtype)n->acc;
    if (first >= 0) {
        lun__lower_flow(l, LUN_IR_IF, LUN_BOOL, first, -1);
        lun__lower_flow(l, LUN_IR_SET, t, total, b);
        lun__lower_flow(l, LUN_IR_ELSE, LUN_BOOL, -1, -1);
    }
    int32_t so_far = lun__lower_flow(l, LUN_IR_GET, t, total, -1);
    int32_t both = l->status == LUN_OK ? combine(l, n, so_far, b) : -1;
    lun__lower_flow(l, LUN_IR_SET, t, total, both);
    if (first >= 0)
        lun__lower_flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Leaves the innermost loop where a >= b; else goes on with a as its variable. */
static void next_round(lun_lowerer *l, int32_t variable, int32_t a, int32_t b)
{
    lun__lower_flow(l, LUN_IR_SET, LUN_I64, variable, a);
    lun__lower_flow(l, LUN_IR_IF, LUN_BOOL, lun__lower_integer(l, LUN_OP_GE, LUN_BOOL, a, b), -1);
    lun__lower_flow(l, LUN_IR_BREAK, LUN_BOOL, -1, -1);
    lun__lower_flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
    lun__lower_flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
}

/* The value of the segment's element, for one row. */
static int32_t emit_value(lun_lowerer *l, lun_node *n, int row)
{
    loop *p = l->loop;
    p->row = row;
    l->call_count = 0; /* the calls of another row have other elements */
    l->walk = ++l->e->walk;
    if (l->status == LUN_OK)
        lun__lower_group_emit(l, n->in[0]);
    return l->status == LUN_OK ? lun__lower_operand(l, n->in[0]) : -1;
}

/* The values from number `from` to before `to`, combined: what the VARs `block`, one for each row,
 * hold then. */
static void emit_block(lun_lowerer *l, lun_node *n, const int32_t *block, int32_t from, int32_t to,
                       bool neutral)
{
    loop *p = l->loop;
    int32_t at = lun__lower_flow(l, LUN_IR_VAR, LUN_I64, from, -1);
    lun__lower_flow(l, LUN_IR_LOOP, LUN_BOOL, -1, -1);
    p->number = lun__lower_flow(l, LUN_IR_GET, LUN_I64, at, -1);
    p->lane_count = 0;
    int32_t first = neutral ? -1 : lun__lower_integer(l, LUN_OP_EQ, LUN_BOOL, p->number, from);
    for (int r = 0; l->status == LUN_OK && r < p->rows; r++)
        accumulate(l, n, block[r], emit_value(l, n, r), first);
    next_round(l, at, lun__lower_integer(l, LUN_OP_ADD, LUN_I64, p->number, p->one), to);
}

/* The given first value, or the operation's identity; -1: there is neither. */
static int32_t initial(lun_lowerer *l, lun_node *n, int32_t identity)
{
    lun_node *first = lun__node_first(n);
    if (!first)
        return identity;
    l->element = NULL; /* one number, not an element of a segment */
    lun__lower_group_emit(l, first);
    int32_t value = l->status == LUN_OK ? lun__lower_operand(l, first) : -1;
    l->element = element;
    return value;
}

/* What the segments give, in results[]. */
static void emit_segments(lun_lowerer *l, lun_node *n, int32_t *results)
{
    loop *p = l->loop;
    const lun_dtype t = (lun_dtype)n->acc;
    int32_t total[LUN_PAIRS_ROWS], block[LUN_PAIRS_ROWS];
    uint64_t bits = 0;
    const bool neutral = n->op < LUN_OP_COUNT && lun__op_identity((lun_op)n->op, t, &bits);
    p->zero = lun__lower_constant(l, LUN_I64, 0);
    p->one = lun__lower_constant(l, LUN_I64, 1);
    lun_ir_ins captured = {.captured = 0};
    lun__lower_captured(l, n, 2, &captured);
    p->captured = captured.captured;
    p->arrays = captured.arrays;
    int32_t segment = lun__lower_number(l, LUN_I64, (uint64_t)p->extent[2]);
    int32_t size = lun__lower_constant(l, LUN_I64, LUN_ORDER_BLOCK),
            none = lun__lower_constant(l, t, bits);
    int32_t begin = initial(l, n, neutral ? none : -1);
    for (int r = 0; r < p->rows; r++)
        total[r] = lun__lower_flow(l, LUN_IR_VAR, t, begin < 0 ? none : begin, -1);
    int32_t at = lun__lower_flow(l, LUN_IR_VAR, LUN_I64, p->zero, -1);
    lun__lower_flow(l, LUN_IR_LOOP, LUN_BOOL, -1, -1);
    int32_t from = lun__lower_flow(l, LUN_IR_GET, LUN_I64, at, -1);
    int32_t to = lun__lower_integer(
        l, LUN_OP_MIN, LUN_I64, lun__lower_integer(l, LUN_OP_ADD, LUN_I64, from, size), segment);
    for (int r = 0; r < p->rows; r++)
        block[r] = lun__lower_flow(l, LUN_IR_VAR, t, none, -1);
    emit_block(l, n, block, from, to, neutral);
    int32_t first = begin < 0 ? lun__lower_integer(l, LUN_OP_EQ, LUN_BOOL, from, p->zero) : -1;
    for (int r = 0; r < p->rows; r++)
        accumulate(l, n, total[r], lun__lower_flow(l, LUN_IR_GET, t, block[r], -1), first);
    next_round(l, at, to, segment);
    for (int r = 0; r < p->rows; r++)
        results[r] = lun__lower_flow(l, LUN_IR_GET, t, total[r], -1);
}

/* Stores them as elements of n. */
static void emit_stores(lun_lowerer *l, lun_node *n, int32_t *results, int rows)
{
    for (int r = 0; l->status == LUN_OK && r < rows; r++) {
        lun_ir_ins cast = {.kind = LUN_IR_CAST,
                           .dtype = n->dtype,
                           .from = n->acc,
                           .a = results[r],
                           .b = -1,
                           .c = -1};
        int32_t value = n->dtype == n->acc ? results[r] : lun__lower_add(l, cast, 0);
        lun_slot_source to = {.node = n, .copy = r};
        int slot = value < 0 ? -1 : lun__lower_source(l, to, LUN_SLOT_OUT);
        lun_ir_ins store = {
            .kind = LUN_IR_STORE, .dtype = n->dtype, .a = value, .b = -1, .c = -1, .imm = slot};
        if (slot >= 0)
            lun__lower_add(l, store, 0);
    }
}

static lun_status lower(lun_engine *e, const lun_schedule *s, int g, loop *p, lun_lowered *out)
{
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    lun_node *n = l.g->sinks[0];
    int32_t results[LUN_PAIRS_ROWS];
    p->extent[0] = n->shape[0];
    p->extent[1] = n->shape[1];
    p->extent[2] = n->step;
    p->rows = p->pairs ? LUN_PAIRS_ROWS : 1;
    l.loop = p;
    l.element = element;
    out->workgroup = n->workgroup;
    emit_segments(&l, n, results);
    emit_stores(&l, n, results, p->rows);
    out->ops = out->ops / p->rows + 1;
    return lun__lower_end(&l);
}

lun_status lun__pairs_kernel_lower(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out,
                                   lun_node *held[LUN_PAIRS_HELD], int *count)
{
    loop p = {.held = held};
    lun_status status = lower(e, s, g, &p, out);
    *count = p.held_count;
    return status;
}

lun_status lun__pairs_kernel_make(lun_engine *e, const lun_schedule *s, int g, lun_pairs **out)
{
    lun_node *n = s->groups[g].sinks[0];
    lun_pairs *made = calloc(1, sizeof *made);
    if (!made)
        return lun__fail_nomem(e);
    made->result = n;
    made->extent[0] = n->shape[0];
    made->extent[1] = n->shape[1];
    made->extent[2] = n->step;
    made->lanes = n->shape[1] >= LUN_BLOCK || n->shape[1] >= n->shape[0];
    loop p = {.pairs = made};
    lun_status status = lower(e, s, g, &p, &made->kernel);
    if (status == LUN_OK)
        *out = made;
    else
        lun__pairs_kernel_free(made);
    return status;
}

lun_interval lun__pairs_kernel_rows(const lun_pairs *p, lun_interval rows)
{
    const int64_t most = p->extent[0], least = most < LUN_PAIRS_ROWS ? most : LUN_PAIRS_ROWS;
    if (p->lanes == 0 || rows.hi - rows.lo >= least)
        return rows;
    const int64_t hi = rows.hi < least ? least : rows.hi;
    return (lun_interval){hi - least, hi};
}

int64_t lun__pairs_kernel_reads(const lun_pairs *p)
{
    const lun_lowered *l = &p->kernel;
    int64_t bytes = 0;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role != LUN_SLOT_OUT)
            bytes += l->slots[i].node->n * lun__dtype_get((lun_dtype)l->ir.slots[i].dtype)->bytes;
    return bytes;
}

void lun__pairs_kernel_free(lun_pairs *p)
{
    if (p)
        lun__lowered_free(&p->kernel);
    free(p);
}
