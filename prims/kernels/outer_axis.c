/* outer_axis.c - whether reductions of segments go across, and the kernels that they take then; see
 * outer_axis.h.  How often each of them runs is steps/outer_axis_step.c's. */
#include "kernels/outer_axis.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ir/combine_order.h"
#include "plan/lowering.h"

bool lun__outer_axis_layout(const lun_outer_axis *a, const lun_slot_source *from, lun_layout *out,
                            int64_t *step)
{
    lun_layout own, all, segment = {.rank = 0};
    lun__node_layout(from->view ? from->view : from->node, &own);
    if (!lun__layout_reshaped(&own, a->of.rank, a->of.extent, &all))
        return false;
    for (int k = a->kept; k < all.rank; k++) {
        segment.extent[segment.rank] = all.extent[k];
        segment.stride[segment.rank++] = all.stride[k];
    }
    segment = lun__layout_simplified(&segment);
    if (segment.rank != 1)
        return false;
    *step = segment.stride[0];
    all.rank = a->kept;
    *out = all;
    return true;
}

/* ---- whether --------------------------------------------------------------------------------- */

bool lun__outer_axis_laned(const lun_node *n)
{
    uint64_t identity;
    return n->kind == LUN_NODE_REDUCE && n->op < LUN_OP_COUNT && !lun__node_first(n) &&
           n->folds != LUN_FOLDS_INDEX && lun__op_get((lun_op)n->op)->flags & LUN_OPF_COMM &&
           lun__op_identity((lun_op)n->op, (lun_dtype)n->acc, &identity);
}

/* Whether the sinks are reductions of the same axes; their extents and kept axes then. */
static bool same_axes(const lun_group *g, lun_outer_axis *a)
{
    int64_t shape[LUN_MAX_RANK], segments[LUN_MAX_RANK];
    for (int i = 0; i < g->sink_count; i++) {
        const lun_node *n = g->sinks[i];
        if (!lun__outer_axis_laned(n))
            return false;
        lun__node_shape(n->in[0], shape);
        lun__node_shape(n, segments);
        int kept = n->rank;
        while (kept && segments[kept - 1] == 1)
            kept--;
        if (n->rank != n->in[0]->rank || kept == 0)
            return false;
        /* a kept axis of one element may be counted as reduced: the segment is the same */
        int64_t segment = 1;
        for (int k = kept; k < n->rank; k++)
            segment *= shape[k];
        if (segment != g->segment)
            return false;
        if (i && (kept != a->kept || n->rank != a->of.rank ||
                  memcmp(shape, a->of.extent, (size_t)n->rank * sizeof *shape) != 0))
            return false;
        a->kept = kept;
        a->of = lun__layout_right(n->rank, shape);
        a->results[a->result_count++] = g->sinks[i];
    }
    return true;
}

/* Whether most bytes that a visit reads stand side by side from segment to segment. */
static bool stands_across(const lun_outer_axis *a, bool *possible)
{
    const lun_lowered *l = &a->accumulate[1];
    int64_t across = 0, along = 0, step;
    lun_layout kept;
    for (int i = 0; i < l->ir.slot_count - 2 * a->result_count; i++) {
        if (l->ir.slots[i].role != LUN_SLOT_IN)
            continue;
        if (!lun__outer_axis_layout(a, &l->slots[i], &kept, &step)) {
            *possible = false;
            return false;
        }
        int64_t size = lun__dtype_get((lun_dtype)l->ir.slots[i].dtype)->bytes;
        kept = lun__layout_simplified(&kept);
        if (kept.rank + 2 > LUN_LAYOUT_RANK) { /* chunks and lanes are axes of their own */
            *possible = false;
            return false;
        }
        int64_t inner = kept.stride[kept.rank - 1];
        if (step == 0 || inner == 0) /* few elements, repeated */
            continue;
        if (step == 1 || step == -1)
            along += size;
        else if (inner == 1 || inner == -1)
            across += size;
    }
    *possible = true;
    return across > along;
}

/* ---- the kernels ----------------------------------------------------------------------------- */

static int load(lun_ir *ir, lun_dtype t)
{
    int slot = lun__ir_slot_add(ir, t, LUN_SLOT_IN);
    return slot < 0 ? -1
                    : lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_LOAD,
                                                   .dtype = (uint8_t)t,
                                                   .a = -1,
                                                   .b = -1,
                                                   .c = -1,
                                                   .imm = slot});
}

static int store(lun_ir *ir, lun_dtype t, int value)
{
    int slot = value < 0 ? -1 : lun__ir_slot_add(ir, t, LUN_SLOT_OUT);
    return slot < 0 ? -1
                    : lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_STORE,
                                                   .dtype = (uint8_t)t,
                                                   .a = value,
                                                   .b = -1,
                                                   .c = -1,
                                                   .imm = slot});
}

static bool make_fold(const lun_outer_axis *a, lun_ir *ir)
{
    lun__ir_init(ir);
    for (int r = 0; r < a->result_count; r++) {
        const lun_node *n = a->results[r];
        lun_dtype t = (lun_dtype)n->acc;
        int x = load(ir, t), y = x < 0 ? -1 : load(ir, t);
        lun_ir_ins op = {.kind = LUN_IR_OP,
                         .dtype = n->acc,
                         .from = n->acc,
                         .op = n->op,
                         .a = x,
                         .b = y,
                         .c = -1};
        if (y < 0 || store(ir, t, lun__ir_add(ir, op)) < 0)
            return false;
    }
    return true;
}

static bool make_finish(const lun_outer_axis *a, lun_ir *ir)
{
    lun__ir_init(ir);
    for (int r = 0; r < a->result_count; r++) {
        const lun_node *n = a->results[r];
        int x = load(ir, (lun_dtype)n->acc);
        if (x >= 0 && n->dtype != n->acc)
            x = lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CAST,
                                             .dtype = n->dtype,
                                             .from = n->acc,
                                             .a = x,
                                             .b = -1,
                                             .c = -1});
        if (store(ir, (lun_dtype)n->dtype, x) < 0)
            return false;
    }
    return true;
}

void lun__outer_axis_free(lun_outer_axis *a)
{
    if (!a)
        return;
    lun__lowered_free(&a->accumulate[0]);
    lun__lowered_free(&a->accumulate[1]);
    lun__lowered_free(&a->fold);
    lun__lowered_free(&a->finish);
    free(a);
}

/* The lists of a lowered group that name nodes stay empty: nothing there fails or is explained. */
static lun_status make_kernels(lun_engine *e, const lun_schedule *s, int g, lun_outer_axis *a)
{
    lun_status status = lun__outer_axis_accumulate(e, s, g, LUN_OUTER_AXIS_ROWS, &a->accumulate[0]);
    if (status == LUN_OK && (!make_fold(a, &a->fold.ir) || !make_finish(a, &a->finish.ir)))
        status = lun__fail_nomem(e);
    return status;
}

lun_status lun__outer_axis_make(lun_engine *e, const lun_schedule *s, int g, lun_outer_axis **out)
{
    const lun_group *group = &s->groups[g];
    bool possible = true;
    *out = NULL;
    if (!group->segment || group->scan ||
        (group->n < LUN_OUTER_AXIS_LEAST && !lun__state_of_ranks(e))) /* rows stay at their rank */
        return LUN_OK;
    lun_outer_axis *a = calloc(1, sizeof *a);
    if (!a)
        return lun__fail_nomem(e);
    lun_status status = LUN_OK;
    bool wanted = same_axes(group, a);
    if (wanted)
        status = lun__outer_axis_accumulate(e, s, g, 1, &a->accumulate[1]);
    if (status == LUN_OK && wanted)
        wanted = stands_across(a, &possible);
    if (status == LUN_OK && wanted && possible)
        status = make_kernels(e, s, g, a);
    if (status == LUN_OK && wanted && possible)
        *out = a;
    else
        lun__outer_axis_free(a);
    return status;
}

/* ---- accumulate ------------------------------------------------------------------------------ */

/* A slot for accumulators of sink n. */
static int accumulators(lun_lowerer *l, lun_node *n, lun_ir_role role)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->slots, o->ir.slot_count, &o->slot_room, sizeof *o->slots))
        return lun__lower_nomem(l);
    o->slots[o->ir.slot_count] = (lun_slot_source){.node = n, .copy = -1};
    int i = lun__ir_slot_add(&o->ir, (lun_dtype)n->acc, role);
    return i < 0 ? lun__lower_nomem(l) : i;
}

int32_t lun__outer_axis_copy(lun_lowerer *l, const lun_node *n, int copy)
{
    l->copy = copy;
    l->call_count = 0; /* the calls of another copy have other elements */
    l->walk = ++l->e->walk;
    lun__lower_group_emit(l, n->in[0]);
    return l->status == LUN_OK ? lun__lower_operand(l, n->in[0]) : -1;
}

static void emit_accumulation(lun_lowerer *l, lun_node *n, int copies, const int32_t *values)
{
    int slot = accumulators(l, n, LUN_SLOT_IN);
    lun_ir_ins acc = {.kind = LUN_IR_LOAD, .dtype = n->acc, .a = -1, .b = -1, .c = -1, .imm = slot};
    lun_ir_ins op = {.kind = LUN_IR_OP, .dtype = n->acc, .from = n->acc, .op = n->op, .c = -1};
    int x = slot < 0 ? -1 : lun__lower_add(l, acc, 0);
    for (int c = 0; x >= 0 && c < copies; c++) {
        op.a = x;
        op.b = values[c];
        x = lun__lower_add(l, op, n->where);
    }
    slot = x < 0 ? -1 : accumulators(l, n, LUN_SLOT_OUT);
    if (slot >= 0)
        lun__lower_add(
            l,
            (lun_ir_ins){
                .kind = LUN_IR_STORE, .dtype = n->acc, .a = x, .b = -1, .c = -1, .imm = slot},
            0);
}

lun_status lun__outer_axis_accumulate(lun_engine *e, const lun_schedule *s, int g, int copies,
                                      lun_lowered *out)
{
    int32_t values[LUN_GROUP_SINKS][LUN_LOWER_COPIES];
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    l.other_index = true;
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++)
        for (int c = 0; l.status == LUN_OK && c < copies; c++)
            values[i][c] = lun__outer_axis_copy(&l, l.g->sinks[i], c);
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++)
        emit_accumulation(&l, l.g->sinks[i], copies, values[i]);
    return lun__lower_end(&l);
}
