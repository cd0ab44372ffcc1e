/* lowering.c - the builder of a kernel's IR: instructions, slots, arguments, and where their values
 * come from at a launch. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/function_ref.h"
#include "plan/lowering.h"

int lun__lower_nomem(lun_lowerer *l)
{
    if (l->status == LUN_OK)
        l->status = lun__fail_nomem(l->e);
    return -1;
}

bool lun__lower_note(lun_lowerer *l, int i, uint32_t where, const char *text)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->where, i, &o->where_room, sizeof *o->where) ||
        !lun__grow(&o->notes, i, &o->note_room, sizeof *o->notes)) {
        lun__lower_nomem(l);
        return false;
    }
    o->where[i] = where;
    o->notes[i] = text;
    return true;
}

int lun__lower_add(lun_lowerer *l, lun_ir_ins ins, uint32_t where)
{
    lun_lowered *o = l->out;
    if (!lun__lower_note(l, o->ir.count, where, NULL))
        return -1;
    int v = lun__ir_add(&o->ir, ins);
    return v < 0 ? lun__lower_nomem(l) : v;
}

int32_t lun__lower_constant(lun_lowerer *l, lun_dtype t, uint64_t bits)
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

int32_t lun__lower_integer(lun_lowerer *l, lun_op op, lun_dtype t, int32_t a, int32_t b)
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

int32_t lun__lower_flow(lun_lowerer *l, lun_ir_kind kind, lun_dtype t, int32_t a, int32_t b)
{
    return lun__lower_add(
        l, (lun_ir_ins){.kind = (uint8_t)kind, .dtype = (uint8_t)t, .a = a, .b = b, .c = -1}, 0);
}

static bool same_source(const lun_slot_source *a, const lun_slot_source *b)
{
    return a->node == b->node && a->offset == b->offset && a->view == b->view && a->copy == b->copy;
}

static int new_slot(lun_lowerer *l, lun_slot_source from, lun_ir_role role)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->slots, o->ir.slot_count, &o->slot_room, sizeof *o->slots))
        return lun__lower_nomem(l);
    o->slots[o->ir.slot_count] = from;
    int i = lun__ir_slot_add(&o->ir, (lun_dtype)from.node->dtype, role);
    return i < 0 ? lun__lower_nomem(l) : i;
}

int lun__lower_source(lun_lowerer *l, lun_slot_source from, lun_ir_role role)
{
    const lun_lowered *o = l->out;
    for (int i = 0; i < o->ir.slot_count; i++)
        if (same_source(&o->slots[i], &from) && o->ir.slots[i].role == role)
            return i;
    return new_slot(l, from, role);
}

int lun__lower_slot(lun_lowerer *l, lun_node *n, int64_t offset, lun_ir_role role)
{
    int copy = role == LUN_SLOT_IN ? l->copy : 0;
    return lun__lower_source(l, (lun_slot_source){n, offset, NULL, copy}, role);
}

/* Adds an argument: n's cell at launch, or `cell` if n is NULL.  Its number, -1 without memory. */
static int new_arg(lun_lowerer *l, lun_node *n, lun_dtype t, uint64_t cell)
{
    lun_lowered *o = l->out;
    if (!lun__grow(&o->args, o->ir.arg_count, &o->arg_room, sizeof *o->args))
        return lun__lower_nomem(l);
    o->args[o->ir.arg_count] = (lun_arg_source){n, cell};
    int i = lun__ir_arg_add(&o->ir, t);
    return i < 0 ? lun__lower_nomem(l) : i;
}

void lun__lower_captured(lun_lowerer *l, const lun_node *n, int first, lun_ir_ins *ins)
{
    const lun_function *f = n->body ? n->function : NULL;
    if (!f)
        return;
    if (f->captured)
        ins->captured = l->out->ir.arg_count + 1;
    for (int k = 0; k < f->captured; k++)
        new_arg(l, NULL, lun__ir_function_param(n->body, first + k), f->cells[k]);
    if (f->array_count)
        ins->arrays = l->out->ir.slot_count + 1;
    for (int k = 0; k < f->array_count; k++)
        new_slot(l, (lun_slot_source){.node = f->arrays[k]}, LUN_SLOT_ARRAY);
}

static int add_arg(lun_lowerer *l, lun_node *n, lun_dtype t, uint64_t cell)
{
    int i = new_arg(l, n, t, cell);
    if (i < 0)
        return -1;
    return lun__lower_add(l, (lun_ir_ins){.kind = LUN_IR_ARG, .dtype = (uint8_t)t, .imm = i}, 0);
}

int lun__lower_number(lun_lowerer *l, lun_dtype t, uint64_t cell)
{
    return add_arg(l, NULL, t, cell);
}

int lun__lower_moved(lun_lowerer *l, int i)
{
    lun_lowered *o = l->out;
    if (!l->e->set_count)
        return i;
    if (!o->base)
        o->base = new_arg(l, NULL, LUN_I64, 0) + 1;
    const int first = lun__lower_add(
        l, (lun_ir_ins){.kind = LUN_IR_ARG, .dtype = LUN_I64, .imm = o->base - 1}, 0);
    return lun__lower_integer(l, LUN_OP_ADD, LUN_I64, i, first);
}

int lun__lower_call(lun_lowerer *l, const lun_ir_function *f, const int32_t *operands, lun_dtype t,
                    uint32_t where)
{
    lun_ir *ir = &l->out->ir;
    int first = ir->operand_count;
    for (int k = 0; k < f->params; k++)
        if (lun__ir_operand_add(ir, operands[k]) < 0)
            return lun__lower_nomem(l);
    int number = lun__ir_function_add(ir, (lun_ir_function *)(uintptr_t)f);
    if (number < 0)
        return lun__lower_nomem(l);
    return lun__lower_add(
        l,
        (lun_ir_ins){
            .kind = LUN_IR_CALL, .dtype = (uint8_t)t, .b = first, .c = f->params, .imm = number},
        where);
}

bool lun__lower_inline(lun_lowerer *l, const lun_ir_function *f, const int32_t *params,
                       const int32_t *arrays, const char *const *notes, uint32_t where,
                       int32_t *results)
{
    lun_ir *ir = &l->out->ir;
    int from = ir->count;
    if (lun__ir_inline(ir, f, params, arrays, results) != LUN_OK) {
        lun__lower_nomem(l);
        return false;
    }
    for (; from < ir->count; from++) {
        int64_t number = lun__ir_note(&ir->ins[from]);
        bool known = notes && number >= 0 && number < f->note_count;
        if (!lun__lower_note(l, from, where, known ? notes[number] : NULL))
            return false;
    }
    return true;
}

/* Whether n is a sink of an earlier group: it is read, not computed again. */
static bool stored_before(const lun_lowerer *l, const lun_node *n)
{
    return n->mark == l->s->walk && n->slot >= 0 && n->slot < l->group;
}

bool lun__lower_reads(const lun_lowerer *l, const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF || stored_before(l, n);
}

int lun__lower_load(lun_lowerer *l, lun_node *n, int64_t offset, bool uniform)
{
    if (n->kind != LUN_NODE_LEAF && n->rank == 0)
        return add_arg(l, n, (lun_dtype)n->dtype, 0);
    if (l->element && !uniform)
        return l->element(l, (lun_slot_source){.node = n, .offset = offset});
    int s = lun__lower_slot(l, n, offset, uniform ? LUN_SLOT_UNIFORM : LUN_SLOT_IN);
    if (s < 0)
        return -1;
    return lun__lower_add(
        l, (lun_ir_ins){.kind = uniform ? LUN_IR_LOADU : LUN_IR_LOAD, .dtype = n->dtype, .imm = s},
        0);
}

int lun__lower_operand(lun_lowerer *l, lun_node *n)
{
    if (n->kind == LUN_NODE_NUMBER)
        return add_arg(l, n, (lun_dtype)n->dtype, 0);
    if (n->rank == 0 && lun__lower_reads(l, n))
        return lun__lower_load(l, n, 0, true);
    return n->value;
}

lun_status lun__lower_end(lun_lowerer *l)
{
#ifdef LUN_DEBUG
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status verified = l->status == LUN_OK ? lun__ir_verify(&l->out->ir, &why) : LUN_OK;
    if (verified == LUN_ENOMEM)
        lun__lower_nomem(l);
    else if (verified != LUN_OK)
        l->status = lun__fail(l->e, LUN_EARG, "internal: bad IR: %s", lun__strbuf_text(&why));
    lun__strbuf_free(&why);
#endif
    free(l->calls);
    if (l->status != LUN_OK)
        lun__lowered_free(l->out);
    return l->status;
}

lun_lowerer lun__lower_ungrouped(lun_engine *e, lun_lowered *out)
{
    memset(out, 0, sizeof *out);
    lun__ir_init(&out->ir);
    return (lun_lowerer){.e = e, .out = out, .walk = ++e->walk};
}

lun_lowerer lun__lower_begin(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out)
{
    lun_lowerer l = lun__lower_ungrouped(e, out);
    l.s = s;
    l.g = &s->groups[g];
    l.group = g;
    return l;
}

bool lun__lowered_layout(const lun_lowered *l, int i, lun_layout *out)
{
    const lun_slot_source *from = &l->slots[i];
    lun__node_layout(from->view ? from->view : from->node, out);
    if (l->unrolled && from->copy >= 0 && !lun__layout_every(out, l->unrolled, from->copy, out))
        return false;
    out->offset += from->offset;
    return true;
}

void lun__lowered_free(lun_lowered *l)
{
    lun__ir_free(&l->ir);
    free(l->slots);
    free(l->args);
    free(l->results);
    free(l->where);
    free(l->notes);
    free(l->text);
    lun__strbuf_free(&l->types);
    memset(l, 0, sizeof *l);
}
