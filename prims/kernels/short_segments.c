/* short_segments.c - the kernels of reductions of short segments; see short_segments.h.
 *
 * A group is by segment, its sinks reductions of the segments, or by index, an element for each
 * segment.  What it reads is a slot's element at the index (copy -1), element c of the index's
 * segment (copy c), or what the kernel has computed before: then there is no slot.
 *
 * The order is that of ir/combine_order.h: each of the first `segment` lanes combines the identity
 * with one element, lanes without one change nothing, and lanes are folded in halves. */
#include "kernels/short_segments.h"

#include "ir/combine_order.h"
#include "kernels/outer_axis.h"
#include "plan/lowering.h"

enum {
    MOST = LUN_LANES - 1, /* elements of a segment */
    SLOTS = 84,
    GROUPS = 8, /* in one kernel */
    ROWS = 4,   /* of segments for each of their elements: binding slots pays from there on */
    /* On a device, where strided slots are packed by launches of their own, and on sets: */
    APART_MOST = 32,
    APART_LEAST = 1 << 15 /* elements in all */
};

bool lun__short_segments_wanted(lun_engine *e, int64_t n, int64_t segment)
{
    const bool apart = e->set_count || e->backends[e->current]->backend->buffer_new;
    if (apart && (segment > APART_MOST || n < APART_LEAST))
        return false;
    return segment >= 2 && segment <= MOST && n / segment >= ROWS * segment;
}

/* The lanes of a segment in values[], folded into the first. */
static void fold_lanes(lun_lowerer *l, const lun_node *n, int lanes, int32_t *values)
{
    uint64_t identity = 0;
    lun__op_identity((lun_op)n->op, (lun_dtype)n->acc, &identity);
    lun_ir_ins op = {.kind = LUN_IR_OP, .dtype = n->acc, .from = n->acc, .op = n->op, .c = -1};
    const int start = lun__lower_constant(l, (lun_dtype)n->acc, identity);
    for (int k = 0; start >= 0 && k < lanes; k++) {
        op.a = start;
        op.b = values[k];
        values[k] = lun__lower_add(l, op, n->where);
    }
    for (int half = LUN_LANES / 2; l->status == LUN_OK && half > 0; half /= 2)
        for (int k = 0; k < half && k + half < lanes; k++) {
            op.a = values[k];
            op.b = values[k + half];
            values[k] = lun__lower_add(l, op, n->where);
        }
}

/* A result that the kernel has computed. */
typedef struct result {
    const lun_node *node;
    int32_t value;
    bool stored; /* it is asked for, or what another kernel reads */
} result;

typedef struct unrolled {
    result at[SLOTS];
    int count;
    lun_layout slot[SLOTS]; /* by slot: where its elements are, if strides say it */
    bool full;              /* the slots of all copies are more than a kernel has */
} unrolled;

static const result *find_result(const unrolled *u, const lun_node *n)
{
    for (int i = 0; i < u->count; i++)
        if (u->at[i].node == n)
            return &u->at[i];
    return NULL;
}

/* Whether a source has at each index what an array of so many elements has there. */
static bool is_at_index(const lun_lowerer *l, const lun_slot_source *from, int64_t n)
{
    lun_layout at;
    if (!from->view)
        return !from->offset && l->copy < 0;
    lun__node_layout(from->view, &at);
    if (l->copy >= 0 && !lun__layout_every(&at, l->out->unrolled, l->copy, &at))
        return false;
    return lun__layout_count(&at) == n && !at.offset && lun__layout_is_dense(&at);
}

/* Where copy l->copy of a source is; false: no strides say it, or it is beyond an array's ends. */
static bool layout_of(const lun_lowerer *l, const lun_slot_source *from, lun_layout *out)
{
    if (from->node->kind == LUN_NODE_PAD)
        return false;
    lun__node_layout(from->view ? from->view : from->node, out);
    if (l->copy < 0)
        *out = lun__layout_simplified(out);
    else if (!lun__layout_every(out, l->out->unrolled, l->copy, out))
        return false;
    out->offset += from->offset;
    return true;
}

static bool is_same(const lun_layout *a, const lun_layout *b)
{
    bool same = a->rank == b->rank && a->offset == b->offset;
    for (int k = 0; same && k < a->rank; k++)
        same = a->extent[k] == b->extent[k] && a->stride[k] == b->stride[k];
    return same;
}

/* A slot for what copy l->copy of a source has at each index: one that has the same elements, or
 * another. */
static int slot_for(lun_lowerer *l, const lun_slot_source *from)
{
    unrolled *u = l->loop;
    const lun_lowered *o = l->out;
    lun_layout at;
    const bool known = layout_of(l, from, &at);
    for (int i = 0; known && i < o->ir.slot_count && i < SLOTS; i++)
        if (o->slots[i].node == from->node && o->ir.slots[i].role == LUN_SLOT_IN &&
            is_same(&u->slot[i], &at))
            return i;
    const int slot = lun__lower_source(l, *from, LUN_SLOT_IN);
    if (slot >= 0 && slot < SLOTS)
        u->slot[slot] = known ? at : (lun_layout){.rank = -1};
    return slot;
}

/* Whether all segments have the same element there. */
static bool is_one(const lun_layout *at)
{
    bool one = true;
    for (int k = 0; k < at->rank; k++)
        one = one && !at->stride[k];
    return one;
}

static int element_of(lun_lowerer *l, lun_slot_source from)
{
    const result *r = find_result(l->loop, from.node);
    lun_layout at;
    if (r && is_at_index(l, &from, from.node->n))
        return r->value;
    from.copy = l->copy;
    const bool one = layout_of(l, &from, &at) && is_one(&at);
    if (one && from.node->kind == LUN_NODE_INDEX)
        return lun__lower_constant(l, LUN_I64, (uint64_t)at.offset);
    if (one)
        from = (lun_slot_source){.node = from.node, .offset = at.offset};
    const int slot = one ? lun__lower_source(l, from, LUN_SLOT_UNIFORM) : slot_for(l, &from);
    return slot < 0 ? -1
                    : lun__lower_add(l,
                                     (lun_ir_ins){.kind = one ? LUN_IR_LOADU : LUN_IR_LOAD,
                                                  .dtype = from.node->dtype,
                                                  .imm = slot},
                                     0);
}

/* The element of the result for each segment; -1: it failed, or the kernel is full. */
static int32_t emit_reduction(lun_lowerer *l, lun_node *n, int lanes)
{
    int32_t values[MOST];
    const int ops = l->out->ops;
    unrolled *u = l->loop;
    for (int c = 0; l->status == LUN_OK && c < lanes; c++) {
        const int before = l->out->ir.slot_count;
        values[c] = lun__outer_axis_copy(l, n, c);
        const int each = l->out->ir.slot_count - before;
        u->full |= c == 1 && before + each * (lanes - 1) > SLOTS;
        if (u->full)
            return -1;
    }
    l->out->ops = ops + (l->out->ops - ops) / lanes; /* in the graph */
    if (l->status == LUN_OK)
        fold_lanes(l, n, lanes, values);
    l->out->ops++;
    if (l->status != LUN_OK || n->dtype == n->acc)
        return l->status == LUN_OK ? values[0] : -1;
    return lun__lower_add(l,
                          (lun_ir_ins){.kind = LUN_IR_CAST,
                                       .dtype = n->dtype,
                                       .from = n->acc,
                                       .a = values[0],
                                       .b = -1,
                                       .c = -1},
                          0);
}

/* The element at each index. */
static int32_t emit_element(lun_lowerer *l, lun_node *n)
{
    l->copy = -1;
    l->call_count = 0;
    l->walk = ++l->e->walk;
    lun__lower_group_emit(l, n);
    return l->status == LUN_OK ? lun__lower_operand(l, n) : -1;
}

static void emit_result(lun_lowerer *l, const result *r)
{
    if (!r->stored)
        return;
    const int slot = lun__lower_slot(l, (lun_node *)(uintptr_t)r->node, 0, LUN_SLOT_OUT);
    if (slot >= 0)
        lun__lower_add(l,
                       (lun_ir_ins){.kind = LUN_IR_STORE,
                                    .dtype = r->node->dtype,
                                    .a = r->value,
                                    .b = -1,
                                    .c = -1,
                                    .imm = slot},
                       0);
}

/* last: the last group that the kernel holds. */
static void emit_group(lun_lowerer *l, int g, int last, unrolled *u)
{
    l->g = &l->s->groups[g];
    l->group = g;
    for (int i = 0; l->status == LUN_OK && !u->full && i < l->g->sink_count && u->count < SLOTS;
         i++) {
        lun_node *n = l->g->sinks[i];
        const bool reduces = n->kind == LUN_NODE_REDUCE;
        u->at[u->count] = (result){.node = n,
                                   .value = reduces ? emit_reduction(l, n, (int)l->out->unrolled)
                                                    : emit_element(l, n),
                                   .stored = l->g->gives || l->g->until > last};
        u->count++;
    }
}

/* Whether strides say where each slot has its elements, and none reads what the kernel computes. */
static bool has_sources(const lun_lowered *l, const unrolled *u)
{
    bool all = l->ir.slot_count <= SLOTS;
    for (int i = 0; all && i < l->ir.slot_count; i++) {
        const lun_slot_source *from = &l->slots[i];
        lun_layout at;
        if (l->ir.slots[i].role == LUN_SLOT_OUT)
            continue;
        all = !find_result(u, from->node->kind == LUN_NODE_PAD ? from->node->in[0] : from->node);
        if (l->ir.slots[i].role == LUN_SLOT_IN)
            all = all && lun__lowered_layout(l, i, &at);
    }
    return all;
}

/* ---- which groups ---------------------------------------------------------------------------- */

/* Whether its sinks are reductions of such segments, or have an element for each. */
static bool goes_with(const lun_group *g, int64_t n, int64_t segment)
{
    if (g->scan || g->step || g->sink_count > LUN_GROUP_SINKS / 2)
        return false;
    if (!g->segment)
        return g->n == n / segment && !g->whole && g->ops <= LUN_GROUP_OPS / 4;
    bool all = g->n == n && g->segment == segment && segment * g->ops <= LUN_GROUP_OPS;
    for (int i = 0; all && i < g->sink_count; i++)
        all = lun__outer_axis_laned(g->sinks[i]);
    return all;
}

static lun_status lower(lun_engine *e, const lun_schedule *s, int g, int count, lun_lowered *out,
                        bool *fits)
{
    unrolled u = {.count = 0};
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    l.other_index = true;
    l.element = element_of;
    l.loop = &u;
    out->unrolled = s->groups[g].segment;
    for (int i = 0; l.status == LUN_OK && !u.full && i < count; i++)
        emit_group(&l, g + i, g + count - 1, &u);
    for (int i = 0; l.status == LUN_OK && !u.full && i < u.count; i++)
        emit_result(&l, &u.at[i]);
    const lun_status status = lun__lower_end(&l);
    *fits = status == LUN_OK && !u.full && u.count < SLOTS && has_sources(out, &u);
    if (status == LUN_OK && !*fits)
        lun__lowered_free(out);
    return status;
}

lun_status lun__short_segments_lower(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out,
                                     int *count)
{
    const lun_group *first = &s->groups[g];
    bool fits = first->segment && lun__short_segments_wanted(e, first->n, first->segment);
    int most = 0;
    while (fits && most < GROUPS && g + most < s->count &&
           goes_with(&s->groups[g + most], first->n, first->segment))
        most++;
    lun_status status = LUN_OK;
    for (fits = false; status == LUN_OK && !fits && most; most -= !fits)
        status = lower(e, s, g, most, out, &fits);
    *count = fits ? most : 0;
    return status;
}
