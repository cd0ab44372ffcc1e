/* lower_group.c - a group of the graph becomes kernel IR; the last stage that sees a node.
 *
 * Numbers become arguments, one for each use, so that their values never shape a kernel.  Arrays
 * become slots, one for each array however often it is used. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/function_ref.h"
#include "graph/walk.h"
#include "plan/lowering.h"

/* ---- one node -------------------------------------------------------------------------------- */

static int load_slot(lun_lowerer *l, const lun_node *n, int slot)
{
    if (slot < 0)
        return -1;
    return lun__lower_add(l, (lun_ir_ins){.kind = LUN_IR_LOAD, .dtype = n->dtype, .imm = slot}, 0);
}

/* Elements that stand side by side are read where they stand, and one that a segment has all along
 * once for the segment. */
static int emit_view(lun_lowerer *l, lun_node *n)
{
    lun_layout at;
    lun_node *base = n->in[0];
    int64_t step, along;
    if (l->element)
        return l->element(l, (lun_slot_source){.node = base, .view = n});
    lun__node_layout(n, &at);
    if (l->out->rows && !lun__node_made(base) && base->rank &&
        lun__layout_segments(&at, l->out->segment, &step, &along) && along == 0) {
        lun_ir_ins ins = {.kind = LUN_IR_LOADU, .dtype = n->dtype};
        ins.imm = lun__lower_source(l, (lun_slot_source){base, 0, n, l->copy}, LUN_SLOT_UNIFORM);
        return ins.imm < 0 ? -1 : lun__lower_add(l, ins, 0);
    }
    if (lun__layout_is_dense(&at) && !lun__node_made(base))
        return lun__lower_load(l, base, at.offset, n->n == 1 && l->g->n != 1);
    return load_slot(l, n,
                     lun__lower_source(l, (lun_slot_source){base, 0, n, l->copy}, LUN_SLOT_IN));
}

/* Where segments are taken each alone, a kernel's own index counts within one. */
static int emit_index(lun_lowerer *l, lun_node *n)
{
    if (l->out->segment || l->other_index)
        return load_slot(l, n, lun__lower_slot(l, n, 0, LUN_SLOT_IN));
    return lun__lower_moved(
        l, lun__lower_add(
               l, (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = n->dtype, .a = -1, .b = -1, .c = -1},
               0));
}

static int emit_c_call(lun_lowerer *l, lun_node *n, uint32_t where)
{
    int32_t operands[LUN_IR_INPUTS];
    for (int k = 0; k < n->count; k++) {
        if (n->body->param[k].pointer) {
            int s = lun__lower_slot(l, n->more[k], 0, LUN_SLOT_ARRAY);
            operands[k] = -1 - s;
        } else {
            operands[k] = lun__lower_operand(l, n->more[k]);
        }
    }
    return lun__lower_call(l, n->body, operands, (lun_dtype)n->dtype, where);
}

/* A function in IR form is copied into the kernel. */
static int emit_ir_call(lun_lowerer *l, lun_node *n, uint32_t where)
{
    int32_t *params = malloc(((size_t)n->count + 1) * 2 * sizeof *params);
    if (!params || !lun__grow(&l->calls, l->call_count, &l->call_room, sizeof *l->calls)) {
        free(params);
        return lun__lower_nomem(l);
    }
    int32_t *arrays = params + n->count + 1;
    lun_outputs *o = &l->calls[l->call_count++];
    o->call = n;
    for (int k = 0, p = 0, a = 0; k < n->count; k++) {
        if (k >= n->elements && n->more[k]->rank > 0)
            arrays[a++] = lun__lower_slot(l, n->more[k], 0, LUN_SLOT_ARRAY);
        else
            params[p++] = lun__lower_operand(l, n->more[k]);
    }
    if (n->body->types && !strstr(lun__strbuf_text(&l->out->types), n->body->types))
        lun__strbuf_printf(&l->out->types, "%s%s", l->out->types.length ? "\n" : "",
                           n->body->types);
    bool ok = lun__lower_inline(l, n->body, params, arrays, n->notes, where, o->value);
    free(params);
    return ok ? o->value[0] : -1;
}

static int emit_output(const lun_lowerer *l, const lun_node *n)
{
    const lun_outputs *o = l->calls;
    while (o->call != n->in[0])
        o++;
    return o->value[n->op];
}

/* where: the source line that it is written at, for this use. */
static int emit_node(lun_lowerer *l, lun_node *n, uint32_t where)
{
    int32_t v[3] = {-1, -1, -1};
    lun_node *in;
    lun_ir_ins ins = {.dtype = n->dtype, .a = -1, .b = -1, .c = -1};
    l->out->ops += !lun__node_is(n, LUN_IS_SOURCE) && lun__node_works(n);
    if (n->kind == LUN_NODE_VIEW)
        return emit_view(l, n);
    if (n->kind == LUN_NODE_INDEX)
        return emit_index(l, n);
    if (n->kind == LUN_NODE_PAD)
        return load_slot(l, n, lun__lower_slot(l, n, 0, LUN_SLOT_IN));
    if (n->kind == LUN_NODE_OUTPUT)
        return emit_output(l, n);
    if (n->kind == LUN_NODE_CALL)
        return n->body->text ? emit_c_call(l, n, where) : emit_ir_call(l, n, where);
    for (int k = 0; (in = lun__node_operand(n, k)); k++)
        v[k] = lun__lower_operand(l, in);
    ins.a = v[0];
    ins.b = v[1];
    ins.c = v[2];
    switch ((lun_node_kind)n->kind) {
    case LUN_NODE_RANDOM:
        ins.kind = LUN_IR_RANDOM;
        ins.a = v[1];
        ins.b = v[0];
        break;
    case LUN_NODE_OP: {
        const lun_op_row *row = lun__op_get((lun_op)n->op);
        ins.kind = LUN_IR_OP;
        ins.op = n->op;
        ins.from = row->rule == LUN_RULE_SELECT ? n->dtype : n->in[0]->dtype;
        break;
    }
    case LUN_NODE_CAST:
        ins.kind = LUN_IR_CAST;
        ins.from = n->in[0]->dtype;
        break;
    case LUN_NODE_SCAN:
        ins.kind = LUN_IR_SCAN;
        ins.op = n->op;
        ins.inclusive = n->inclusive;
        if (n->op == LUN_OP_COUNT) {
            int f = lun__ir_function_add(&l->out->ir, (lun_ir_function *)(uintptr_t)n->body);
            if (f < 0)
                return lun__lower_nomem(l);
            ins.c = f;
            lun__lower_captured(l, n, 2, &ins);
        }
        break;
    case LUN_NODE_RESHAPE:
    case LUN_NODE_SOURCE_LINE:
        return v[0];
    default:
        l->status =
            lun__fail(l->e, LUN_EARG, "internal: a node of kind %d cannot be lowered", n->kind);
        return -1;
    }
    return lun__lower_add(l, ins, where);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* True if nothing below n is to be visited: it is read, or computed without operands. */
static bool is_end(const lun_lowerer *l, const lun_node *n)
{
    return n->kind == LUN_NODE_NUMBER || lun__lower_reads(l, n);
}

/* Whether user reads operand k through a slot of its own instead of as a value. */
static bool indexed(const lun_node *user, int k, const lun_node *in)
{
    if (user->kind == LUN_NODE_VIEW || user->kind == LUN_NODE_PAD)
        return true;
    return user->kind == LUN_NODE_CALL && k >= user->elements && in->rank > 0;
}

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    return !is_end(ctx, user) && !indexed(user, k, in);
}

static bool emit_visited(void *ctx, lun_node *n, const lun_node *user)
{
    lun_lowerer *l = ctx;
    bool read = lun__lower_reads(l, n);
    if (!read && n->workgroup > l->out->workgroup)
        l->out->workgroup = n->workgroup;
    if (n->kind == LUN_NODE_NUMBER || (n->rank == 0 && read))
        return true;
    if (read)
        n->value = lun__lower_load(l, n, 0, n->n == 1 && l->g->n != 1);
    else
        n->value =
            emit_node(l, n, user && user->kind == LUN_NODE_SOURCE_LINE ? user->where : n->where);
    return l->status == LUN_OK;
}

void lun__lower_group_emit(lun_lowerer *l, lun_node *root)
{
    const lun_visitor v = {LUN_WALK_LOWERED, enter, emit_visited, l};
    if (!lun__walk(l->walk, root, &v))
        lun__lower_nomem(l);
}

/* A result of REDUCE n.  Its number, -1 without memory. */
static int add_result(lun_lowerer *l, lun_node *n, lun_dtype t)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->results, o->ir.result_count, &o->result_room, sizeof *o->results))
        return lun__lower_nomem(l);
    o->results[o->ir.result_count] = n;
    int r = lun__ir_result_add(&o->ir, t);
    return r < 0 ? lun__lower_nomem(l) : r;
}

static void emit_reduce(lun_lowerer *l, lun_node *n)
{
    lun_lowered *o = l->out;
    if (n->workgroup > o->workgroup)
        o->workgroup = n->workgroup;
    lun__lower_group_emit(l, n->in[0]);
    if (l->status != LUN_OK)
        return;
    lun_ir_ins ins = {.kind = LUN_IR_REDUCE, .dtype = n->acc, .op = n->op, .b = -1, .c = -1};
    ins.a = lun__lower_operand(l, n->in[0]);
    if (n->op == LUN_OP_COUNT) {
        ins.c = lun__ir_function_add(&o->ir, (lun_ir_function *)(uintptr_t)n->body);
        if (ins.c < 0)
            lun__lower_nomem(l);
        lun__lower_captured(l, n, 2, &ins);
    }
    ins.imm = add_result(l, n, (lun_dtype)n->acc);
    ins.with_index = n->folds == LUN_FOLDS_INDEX;
    if (ins.with_index)
        add_result(l, n, LUN_I64);
    o->ops++;
    if (l->status == LUN_OK)
        lun__lower_add(l, ins, n->where);
}

static void emit_store(lun_lowerer *l, lun_node *n)
{
    lun__lower_group_emit(l, n);
    if (l->status != LUN_OK)
        return;
    int s = lun__lower_slot(l, n, 0, LUN_SLOT_OUT);
    if (s >= 0)
        lun__lower_add(l,
                       (lun_ir_ins){.kind = LUN_IR_STORE,
                                    .dtype = n->dtype,
                                    .a = lun__lower_operand(l, n),
                                    .b = -1,
                                    .c = -1,
                                    .imm = s},
                       0);
}

static lun_status lower_sinks(lun_lowerer *l)
{
    l->out->needed = l->g->needed;
    for (int i = 0; l->status == LUN_OK && i < l->g->sink_count; i++) {
        lun_node *n = l->g->sinks[i];
        if (n->kind == LUN_NODE_REDUCE)
            emit_reduce(l, n);
        else
            emit_store(l, n);
    }
    return lun__lower_end(l);
}

lun_status lun__lower_group(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out)
{
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    out->segment = l.g->segment;
    return lower_sinks(&l);
}

lun_status lun__lower_group_rows(lun_engine *e, const lun_schedule *s, int g, int64_t segment,
                                 lun_lowered *out)
{
    lun_lowerer l = lun__lower_begin(e, s, g, out);
    out->segment = segment;
    out->rows = true;
    return lower_sinks(&l);
}
