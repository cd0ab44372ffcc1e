/* accumulate.c - kernels of reductions along axes: several elements of each line folded into
 * accumulators in memory, or whole short lines.  steps/outer_axis_step.c orders the visits. */
#include "base/grow.h"
#include "ir/order.h"
#include "plan/lowering.h"

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

/* The elements of each copy for sink k, in values[copy]. */
static void emit_copies(lun_lowerer *l, lun_node *n, int copies, int32_t *values)
{
    for (l->copy = 0; l->status == LUN_OK && l->copy < copies; l->copy++) {
        l->call_count = 0; /* the calls of another copy have other elements */
        l->walk = ++l->e->walk;
        lun__lower_emit(l, n->in[0]);
        if (l->status == LUN_OK)
            values[l->copy] = lun__lower_operand(l, n->in[0]);
    }
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

lun_status lun__lower_visit(lun_engine *e, const lun_schedule *s, int g, int copies,
                            lun_lowered *out)
{
    int32_t values[LUN_GROUP_SINKS][LUN_LOWER_COPIES];
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    l.apart = true;
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++)
        emit_copies(&l, l.g->sinks[i], copies, values[i]);
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++)
        emit_accumulation(&l, l.g->sinks[i], copies, values[i]);
    return lun__lower_end(&l);
}

/* The lanes of a line in values[], folded as ir/order.h says; lanes that it has no element for are
 * the identity and change nothing. */
static void emit_fold(lun_lowerer *l, lun_node *n, int lanes, int32_t *values)
{
    uint64_t identity = 0;
    lun__op_identity((lun_op)n->op, (lun_dtype)n->acc, &identity);
    lun_ir_ins op = {.kind = LUN_IR_OP, .dtype = n->acc, .from = n->acc, .op = n->op, .c = -1};
    lun_ir_ins none = {
        .kind = LUN_IR_CONST, .dtype = n->acc, .a = -1, .b = -1, .c = -1, .imm = (int64_t)identity};
    int start = lun__lower_add(l, none, 0), half = LUN_LANES / 2;
    for (int k = 0; start >= 0 && k < lanes; k++) {
        op.a = start;
        op.b = values[k];
        values[k] = lun__lower_add(l, op, n->where);
    }
    for (; l->status == LUN_OK && half > 0; half /= 2)
        for (int k = 0; k < half && k + half < lanes; k++) {
            op.a = values[k];
            op.b = values[k + half];
            values[k] = lun__lower_add(l, op, n->where);
        }
}

lun_status lun__lower_brief(lun_engine *e, const lun_schedule *s, int g, int copies,
                            lun_lowered *out)
{
    int32_t values[LUN_LOWER_COPIES];
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    l.apart = true;
    int32_t results[LUN_GROUP_SINKS];
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++) {
        lun_node *n = l.g->sinks[i];
        emit_copies(&l, n, copies, values);
        if (l.status == LUN_OK)
            emit_fold(&l, n, copies, values);
        lun_ir_ins cast = {.kind = LUN_IR_CAST,
                           .dtype = n->dtype,
                           .from = n->acc,
                           .a = values[0],
                           .b = -1,
                           .c = -1};
        results[i] = values[0];
        if (l.status == LUN_OK && n->dtype != n->acc)
            results[i] = lun__lower_add(&l, cast, 0);
    }
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++) {
        lun_node *n = l.g->sinks[i];
        int slot = lun__lower_source(&l, (lun_slot_source){.node = n, .copy = -1}, LUN_SLOT_OUT);
        if (slot >= 0)
            lun__lower_add(&l,
                           (lun_ir_ins){.kind = LUN_IR_STORE,
                                        .dtype = n->dtype,
                                        .a = results[i],
                                        .b = -1,
                                        .c = -1,
                                        .imm = slot},
                           0);
    }
    return lun__lower_end(&l);
}
