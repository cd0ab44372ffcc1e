/* lower.c - a group of the graph becomes kernel IR; the last place that sees a node.
 *
 * Numbers become arguments, one for each use, so that their values never shape a kernel.  Arrays
 * become slots, one for each array however often it is used. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/function.h"
#include "graph/walk.h"
#include "ir/order.h"
#include "plan/plan.h"

typedef struct lowerer {
    lun_engine *e;
    const lun_schedule *s;
    const lun_group *g;
    int group;
    lun_lowered *out;
    uint64_t walk;
    int copy; /* of a visit */
    lun_status status;
    struct outputs *calls; /* of the CALLs emitted so far */
    int call_count, call_room;
} lowerer;

typedef struct outputs {
    const lun_node *call;
    int32_t value[LUN_MAX_OUTPUTS];
} outputs;

static int nomem(lowerer *l)
{
    if (l->status == LUN_OK)
        l->status = lun__nomem(l->e);
    return -1;
}

/* Where instruction i comes from, for errors. */
static bool note(lowerer *l, int i, uint32_t where, const char *text)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->where, i, &o->where_room, sizeof *o->where) ||
        !lun__grow(&o->notes, i, &o->note_room, sizeof *o->notes)) {
        nomem(l);
        return false;
    }
    o->where[i] = where;
    o->notes[i] = text;
    return true;
}

static int add(lowerer *l, lun_ir_ins ins, uint32_t where)
{
    lun_lowered *o = l->out;
    if (!note(l, o->ir.count, where, NULL))
        return -1;
    int v = lun__ir_add(&o->ir, ins);
    return v < 0 ? nomem(l) : v;
}

static bool same_source(const lun_slot_source *a, const lun_slot_source *b)
{
    return a->node == b->node && a->offset == b->offset && a->view == b->view && a->copy == b->copy;
}

static int add_source(lowerer *l, lun_slot_source from, lun_ir_role role)
{
    lun_lowered *o = l->out;
    const lun_node *n = from.node;
    for (int i = 0; i < o->ir.slot_count; i++)
        if (same_source(&o->slots[i], &from) && o->ir.slots[i].role == role)
            return i;
    if (!lun__grow(&o->slots, o->ir.slot_count, &o->slot_room, sizeof *o->slots))
        return nomem(l);
    o->slots[o->ir.slot_count] = from;
    int i = lun__ir_slot_add(&o->ir, (lun_dtype)n->dtype, role);
    return i < 0 ? nomem(l) : i;
}

static int add_slot(lowerer *l, lun_node *n, int64_t offset, lun_ir_role role)
{
    int copy = role == LUN_SLOT_IN ? l->copy : 0;
    return add_source(l, (lun_slot_source){n, offset, NULL, copy}, role);
}

/* Adds an argument: n's cell at launch, or `cell` if n is NULL.  Its number, -1 without memory. */
static int new_arg(lowerer *l, lun_node *n, lun_dtype t, uint64_t cell)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->args, o->ir.arg_count, &o->arg_room, sizeof *o->args))
        return nomem(l);
    o->args[o->ir.arg_count] = (lun_arg_source){n, cell};
    int i = lun__ir_arg_add(&o->ir, t);
    return i < 0 ? nomem(l) : i;
}

/* The numbers that n's combiner captures become arguments.  The first one's number + 1, 0: none. */
static int32_t add_captured(lowerer *l, const lun_node *n)
{
    int32_t first = l->out->ir.arg_count + 1;
    if (!n->body || !n->function->captured)
        return 0;
    for (int k = 0; k < n->function->captured; k++)
        if (new_arg(l, NULL, lun__ir_function_param(n->body, 2 + k), n->function->cells[k]) < 0)
            return 0;
    return first;
}

static int add_arg(lowerer *l, lun_node *n, lun_dtype t, uint64_t cell)
{
    int i = new_arg(l, n, t, cell);
    if (i < 0)
        return -1;
    return add(l, (lun_ir_ins){.kind = LUN_IR_ARG, .dtype = (uint8_t)t, .imm = i}, 0);
}

/* Whether n is a sink of an earlier group: it is read, not computed again. */
static bool stored_before(const lowerer *l, const lun_node *n)
{
    return n->mark == l->s->walk && n->slot >= 0 && n->slot < l->group;
}

static bool from_memory(const lowerer *l, const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF || stored_before(l, n);
}

static int load(lowerer *l, lun_node *n, int64_t offset, bool uniform)
{
    if (n->kind != LUN_NODE_LEAF && n->rank == 0)
        return add_arg(l, n, (lun_dtype)n->dtype, 0);
    int s = add_slot(l, n, offset, uniform ? LUN_SLOT_UNIFORM : LUN_SLOT_IN);
    if (s < 0)
        return -1;
    return add(
        l, (lun_ir_ins){.kind = uniform ? LUN_IR_LOADU : LUN_IR_LOAD, .dtype = n->dtype, .imm = s},
        0);
}

/* The value of operand n, which is emitted already, over the index space of the group. */
static int operand(lowerer *l, lun_node *n)
{
    if (n->kind == LUN_NODE_NUMBER)
        return add_arg(l, n, (lun_dtype)n->dtype, 0);
    if (n->rank == 0 && from_memory(l, n))
        return load(l, n, 0, true);
    return n->value;
}

/* ---- one node -------------------------------------------------------------------------------- */

static int load_slot(lowerer *l, const lun_node *n, int slot)
{
    if (slot < 0)
        return -1;
    return add(l, (lun_ir_ins){.kind = LUN_IR_LOAD, .dtype = n->dtype, .imm = slot}, 0);
}

/* Elements that stand side by side are read where they stand. */
static int emit_view(lowerer *l, lun_node *n)
{
    lun_layout at;
    lun_node *base = n->in[0];
    lun__node_layout(n, &at);
    if (lun__layout_is_dense(&at) && base->kind != LUN_NODE_INDEX)
        return load(l, base, at.offset, n->n == 1 && l->g->n != 1);
    return load_slot(l, n, add_source(l, (lun_slot_source){base, 0, n, l->copy}, LUN_SLOT_IN));
}

/* Where lines are taken each alone, a kernel's own index counts within one. */
static int emit_index(lowerer *l, lun_node *n)
{
    if (l->g->line)
        return load_slot(l, n, add_slot(l, n, 0, LUN_SLOT_IN));
    return add(l, (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = n->dtype, .a = -1, .b = -1, .c = -1},
               0);
}

static int emit_c_call(lowerer *l, lun_node *n, uint32_t where)
{
    lun_ir *ir = &l->out->ir;
    int32_t operands[LUN_MAX_PARAMS];
    for (int k = 0; k < n->count; k++) {
        if (n->body->param[k].pointer) {
            int s = add_slot(l, n->more[k], 0, LUN_SLOT_ARRAY);
            operands[k] = -1 - s;
        } else {
            operands[k] = operand(l, n->more[k]);
        }
    }
    int first = ir->operand_count;
    for (int k = 0; k < n->count; k++)
        if (lun__ir_operand_add(ir, operands[k]) < 0)
            return nomem(l);
    int f = lun__ir_function_add(ir, (lun_ir_function *)(uintptr_t)n->body);
    if (f < 0)
        return nomem(l);
    return add(
        l,
        (lun_ir_ins){.kind = LUN_IR_CALL, .dtype = n->dtype, .b = first, .c = n->count, .imm = f},
        where);
}

/* A function in IR form is copied into the kernel. */
static int emit_ir_call(lowerer *l, lun_node *n)
{
    lun_ir *ir = &l->out->ir;
    int32_t *params = malloc(((size_t)n->count + 1) * 2 * sizeof *params);
    if (!params || !lun__grow(&l->calls, l->call_count, &l->call_room, sizeof *l->calls)) {
        free(params);
        return nomem(l);
    }
    int32_t *arrays = params + n->count + 1;
    outputs *o = &l->calls[l->call_count++];
    o->call = n;
    for (int k = 0, p = 0, a = 0; k < n->count; k++) {
        if (k >= n->elements && n->more[k]->rank > 0)
            arrays[a++] = add_slot(l, n->more[k], 0, LUN_SLOT_ARRAY);
        else
            params[p++] = operand(l, n->more[k]);
    }
    if (n->body->types && !strstr(lun__strbuf_text(&l->out->types), n->body->types))
        lun__strbuf_printf(&l->out->types, "%s%s", l->out->types.length ? "\n" : "",
                           n->body->types);
    int from = ir->count;
    lun_status s = lun__ir_inline(ir, n->body, params, arrays, o->value);
    free(params);
    if (s != LUN_OK)
        return nomem(l);
    for (; from < ir->count; from++) {
        const lun_ir_ins *ins = &ir->ins[from];
        int64_t number = lun__ir_note(ins);
        bool known = n->notes && number >= 0 && number < n->body->note_count;
        if (!note(l, from, n->where, known ? n->notes[number] : NULL))
            return -1;
    }
    return o->value[0];
}

static int emit_output(const lowerer *l, const lun_node *n)
{
    const outputs *o = l->calls;
    while (o->call != n->in[0])
        o++;
    return o->value[n->op];
}

/* where: the place that it is written at, for this use. */
static int emit_node(lowerer *l, lun_node *n, uint32_t where)
{
    int32_t v[3] = {-1, -1, -1};
    lun_node *in;
    lun_ir_ins ins = {.dtype = n->dtype, .a = -1, .b = -1, .c = -1};
    l->out->ops += !lun__node_is(n, LUN_IS_SOURCE) && lun__node_works(n);
    if (n->kind == LUN_NODE_VIEW)
        return emit_view(l, n);
    if (n->kind == LUN_NODE_INDEX)
        return emit_index(l, n);
    if (n->kind == LUN_NODE_OUTPUT)
        return emit_output(l, n);
    if (n->kind == LUN_NODE_CALL)
        return n->body->text ? emit_c_call(l, n, where) : emit_ir_call(l, n);
    for (int k = 0; (in = lun__node_operand(n, k)); k++)
        v[k] = operand(l, in);
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
                return nomem(l);
            ins.c = f;
            ins.captured = add_captured(l, n);
        }
        break;
    case LUN_NODE_RESHAPE:
    case LUN_NODE_PLACE:
        return v[0];
    default:
        l->status =
            lun__fail(l->e, LUN_EARG, "internal: a node of kind %d cannot be lowered", n->kind);
        return -1;
    }
    return add(l, ins, where);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* True if nothing below n is to be visited: it is read, or computed without operands. */
static bool is_end(const lowerer *l, const lun_node *n)
{
    return n->kind == LUN_NODE_NUMBER || from_memory(l, n);
}

/* Whether user reads operand k through a slot of its own instead of as a value. */
static bool indexed(const lun_node *user, int k, const lun_node *in)
{
    if (user->kind == LUN_NODE_VIEW)
        return true;
    return user->kind == LUN_NODE_CALL && k >= user->elements && in->rank > 0;
}

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    return !is_end(ctx, user) && !indexed(user, k, in);
}

static bool emit_visited(void *ctx, lun_node *n, const lun_node *user)
{
    lowerer *l = ctx;
    bool read = from_memory(l, n);
    if (!read && n->workgroup > l->out->workgroup)
        l->out->workgroup = n->workgroup;
    if (n->kind == LUN_NODE_NUMBER || (n->rank == 0 && read))
        return true;
    if (read)
        n->value = load(l, n, 0, n->n == 1 && l->g->n != 1);
    else
        n->value = emit_node(l, n, user && user->kind == LUN_NODE_PLACE ? user->where : n->where);
    return l->status == LUN_OK;
}

static void emit(lowerer *l, lun_node *root)
{
    const lun_visitor v = {LUN_WALK_LOWERED, enter, emit_visited, l};
    if (!lun__walk(l->walk, root, &v))
        nomem(l);
}

/* A result of REDUCE n.  Its number, -1 without memory. */
static int add_result(lowerer *l, lun_node *n, lun_dtype t)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->results, o->ir.result_count, &o->result_room, sizeof *o->results))
        return nomem(l);
    o->results[o->ir.result_count] = n;
    int r = lun__ir_result_add(&o->ir, t);
    return r < 0 ? nomem(l) : r;
}

static void emit_reduce(lowerer *l, lun_node *n)
{
    lun_lowered *o = l->out;
    if (n->workgroup > o->workgroup)
        o->workgroup = n->workgroup;
    emit(l, n->in[0]);
    if (l->status != LUN_OK)
        return;
    lun_ir_ins ins = {.kind = LUN_IR_REDUCE, .dtype = n->acc, .op = n->op, .b = -1, .c = -1};
    ins.a = operand(l, n->in[0]);
    if (n->op == LUN_OP_COUNT) {
        ins.c = lun__ir_function_add(&o->ir, (lun_ir_function *)(uintptr_t)n->body);
        if (ins.c < 0)
            nomem(l);
        ins.captured = add_captured(l, n);
    }
    ins.imm = add_result(l, n, (lun_dtype)n->acc);
    if (n->places)
        add_result(l, n, LUN_I64);
    ins.places = n->places;
    o->ops++;
    if (l->status == LUN_OK)
        add(l, ins, n->where);
}

static void emit_store(lowerer *l, lun_node *n)
{
    emit(l, n);
    if (l->status != LUN_OK)
        return;
    int s = add_slot(l, n, 0, LUN_SLOT_OUT);
    if (s >= 0)
        add(l,
            (lun_ir_ins){.kind = LUN_IR_STORE,
                         .dtype = n->dtype,
                         .a = operand(l, n),
                         .b = -1,
                         .c = -1,
                         .imm = s},
            0);
}

/* Ends a lowering; the IR is right. */
static lun_status finished(lowerer *l)
{
#ifdef LUN_DEBUG
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status verified = l->status == LUN_OK ? lun__ir_verify(&l->out->ir, &why) : LUN_OK;
    if (verified == LUN_ENOMEM)
        nomem(l);
    else if (verified != LUN_OK)
        l->status = lun__fail(l->e, LUN_EARG, "internal: bad IR: %s", lun__strbuf_text(&why));
    lun__strbuf_free(&why);
#endif
    free(l->calls);
    if (l->status != LUN_OK)
        lun__lowered_free(l->out);
    return l->status;
}

static lowerer begun(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out)
{
    memset(out, 0, sizeof *out);
    lun__ir_init(&out->ir);
    return (lowerer){.e = e, .s = s, .g = &s->groups[g], .group = g, .out = out, .walk = ++e->walk};
}

lun_status lun__lower(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out)
{
    lowerer l = begun(e, s, g, out);
    out->line = l.g->line;
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++) {
        lun_node *n = l.g->sinks[i];
        if (n->kind == LUN_NODE_REDUCE)
            emit_reduce(&l, n);
        else
            emit_store(&l, n);
    }
    return finished(&l);
}

/* ---- visits ---------------------------------------------------------------------------------- */

/* A slot for accumulators of sink n. */
static int accumulators(lowerer *l, lun_node *n, lun_ir_role role)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->slots, o->ir.slot_count, &o->slot_room, sizeof *o->slots))
        return nomem(l);
    o->slots[o->ir.slot_count] = (lun_slot_source){.node = n, .copy = -1};
    int i = lun__ir_slot_add(&o->ir, (lun_dtype)n->acc, role);
    return i < 0 ? nomem(l) : i;
}

/* The elements of each copy for sink k, in values[copy]. */
static void emit_copies(lowerer *l, lun_node *n, int copies, int32_t *values)
{
    for (l->copy = 0; l->status == LUN_OK && l->copy < copies; l->copy++) {
        l->call_count = 0; /* the calls of another copy have other elements */
        l->walk = ++l->e->walk;
        emit(l, n->in[0]);
        if (l->status == LUN_OK)
            values[l->copy] = operand(l, n->in[0]);
    }
}

static void emit_accumulation(lowerer *l, lun_node *n, int copies, const int32_t *values)
{
    int slot = accumulators(l, n, LUN_SLOT_IN);
    lun_ir_ins acc = {.kind = LUN_IR_LOAD, .dtype = n->acc, .a = -1, .b = -1, .c = -1, .imm = slot};
    lun_ir_ins op = {.kind = LUN_IR_OP, .dtype = n->acc, .from = n->acc, .op = n->op, .c = -1};
    int x = slot < 0 ? -1 : add(l, acc, 0);
    for (int c = 0; x >= 0 && c < copies; c++) {
        op.a = x;
        op.b = values[c];
        x = add(l, op, n->where);
    }
    slot = x < 0 ? -1 : accumulators(l, n, LUN_SLOT_OUT);
    if (slot >= 0)
        add(l,
            (lun_ir_ins){
                .kind = LUN_IR_STORE, .dtype = n->acc, .a = x, .b = -1, .c = -1, .imm = slot},
            0);
}

lun_status lun__lower_visit(lun_engine *e, const lun_schedule *s, int g, int copies,
                            lun_lowered *out)
{
    int32_t values[LUN_GROUP_SINKS][LUN_LOWER_COPIES];
    lowerer l = begun(e, s, g, out);
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++)
        emit_copies(&l, l.g->sinks[i], copies, values[i]);
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++)
        emit_accumulation(&l, l.g->sinks[i], copies, values[i]);
    return finished(&l);
}

/* The lanes of a line in values[], folded as ir/order.h says; lanes that it has no element for are
 * the identity and change nothing. */
static void emit_fold(lowerer *l, lun_node *n, int lanes, int32_t *values)
{
    uint64_t identity = 0;
    lun__op_identity((lun_op)n->op, (lun_dtype)n->acc, &identity);
    lun_ir_ins op = {.kind = LUN_IR_OP, .dtype = n->acc, .from = n->acc, .op = n->op, .c = -1};
    lun_ir_ins none = {
        .kind = LUN_IR_CONST, .dtype = n->acc, .a = -1, .b = -1, .c = -1, .imm = (int64_t)identity};
    int start = add(l, none, 0), half = LUN_LANES / 2;
    for (int k = 0; start >= 0 && k < lanes; k++) {
        op.a = start;
        op.b = values[k];
        values[k] = add(l, op, n->where);
    }
    for (; l->status == LUN_OK && half > 0; half /= 2)
        for (int k = 0; k < half && k + half < lanes; k++) {
            op.a = values[k];
            op.b = values[k + half];
            values[k] = add(l, op, n->where);
        }
}

lun_status lun__lower_brief(lun_engine *e, const lun_schedule *s, int g, int copies,
                            lun_lowered *out)
{
    int32_t values[LUN_LOWER_COPIES];
    lowerer l = begun(e, s, g, out);
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
            results[i] = add(&l, cast, 0);
    }
    for (int i = 0; l.status == LUN_OK && i < l.g->sink_count; i++) {
        lun_node *n = l.g->sinks[i];
        int slot = add_source(&l, (lun_slot_source){.node = n, .copy = -1}, LUN_SLOT_OUT);
        if (slot >= 0)
            add(&l,
                (lun_ir_ins){.kind = LUN_IR_STORE,
                             .dtype = n->dtype,
                             .a = results[i],
                             .b = -1,
                             .c = -1,
                             .imm = slot},
                0);
    }
    return finished(&l);
}

void lun__lowered_free(lun_lowered *l)
{
    lun__ir_free(&l->ir);
    free(l->slots);
    free(l->args);
    free(l->results);
    free(l->where);
    free(l->notes);
    lun__strbuf_free(&l->types);
    memset(l, 0, sizeof *l);
}
