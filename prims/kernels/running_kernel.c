/* running_kernel.c - the kernel of a function that goes along segments with values of its own: for
 * each segment a loop over its elements, which puts what the function gives. */
#include "kernels/running_kernel.h"

#include "graph/function_ref.h"
#include "plan/lowering.h"

/* The loop that is being emitted. */
typedef struct loop {
    lun_lowerer *l;
    lun_node *n;
    lun_node *const *in;
    int values, elements; /* of the function */
    int first, array;     /* operands: the first of the first values, of the elements */
    int32_t index, from,
        to; /* the segment; the numbers of its first element and of the one behind */
    lun_ir_ins captured;
    int32_t value[LUN_MAX_OUTPUTS]; /* VARs */
} loop;

int64_t lun__running_kernel_segments(const lun_node *n)
{
    const int64_t all = n->more[n->count - 1]->n;
    if (n->op & LUN_RUNNING_LISTED)
        return n->more[0]->n;
    return all / n->step + (all % n->step != 0);
}

/* ---- elements -------------------------------------------------------------------------------- */

static int32_t read(const loop *p, lun_ir_kind kind, lun_ir_role role, int operand, int32_t at)
{
    lun_node *n = p->in[operand];
    int slot = lun__lower_source(p->l, (lun_slot_source){.node = n}, role);
    return slot < 0 ? -1
                    : lun__lower_add(p->l,
                                     (lun_ir_ins){.kind = (uint8_t)kind,
                                                  .dtype = n->dtype,
                                                  .a = at,
                                                  .b = -1,
                                                  .c = -1,
                                                  .imm = slot},
                                     0);
}

static int32_t as(const loop *p, int32_t v, lun_dtype from, lun_dtype t)
{
    return from == t ? v
                     : lun__lower_add(p->l,
                                      (lun_ir_ins){.kind = LUN_IR_CAST,
                                                   .dtype = (uint8_t)t,
                                                   .from = (uint8_t)from,
                                                   .a = v,
                                                   .b = -1,
                                                   .c = -1},
                                      0);
}

/* Element number `at` of the k-th array, as t. */
static int32_t element(const loop *p, int k, int32_t at, lun_dtype t)
{
    lun_dtype own = (lun_dtype)p->in[p->array + k]->dtype;
    return as(p, read(p, LUN_IR_GATHER, LUN_SLOT_ARRAY, p->array + k, at), own, t);
}

/* The k-th result, v, for element or segment `at`. */
static void put(const loop *p, int k, int32_t v, int32_t at)
{
    lun_lowerer *l = p->l;
    lun_dtype t = lun__ir_function_param(p->n->body, k);
    int slot = lun__lower_source(l, (lun_slot_source){.node = p->n, .copy = k}, LUN_SLOT_TARGET);
    if (slot < 0)
        return;
    l->out->ir.slots[slot].dtype = (uint8_t)t;
    lun__lower_add(
        l,
        (lun_ir_ins){
            .kind = LUN_IR_PUT, .dtype = (uint8_t)t, .a = v, .b = at, .c = -1, .imm = slot},
        0);
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The segment's elements, from p->from to before p->to. */
static void emit_bounds(loop *p)
{
    lun_lowerer *l = p->l;
    p->index = lun__lower_flow(l, LUN_IR_INDEX, LUN_I64, -1, -1);
    if (p->n->op & LUN_RUNNING_LISTED) {
        p->from = read(p, LUN_IR_LOAD, LUN_SLOT_IN, 0, -1);
        int32_t count = read(p, LUN_IR_LOAD, LUN_SLOT_IN, 1, -1);
        p->to = lun__lower_integer(l, LUN_OP_ADD, LUN_I64, p->from, count);
        return;
    }
    int32_t segment = lun__lower_number(l, LUN_I64, (uint64_t)p->n->step);
    int32_t all = lun__lower_number(l, LUN_I64, (uint64_t)p->in[p->n->count - 1]->n);
    p->from = lun__lower_integer(l, LUN_OP_MUL, LUN_I64, p->index, segment);
    int32_t to = lun__lower_integer(l, LUN_OP_ADD, LUN_I64, p->from, segment);
    p->to = lun__lower_integer(l, LUN_OP_MIN, LUN_I64, to, all);
}

/* The values before the first element that the loop takes; its number. */
static int32_t emit_first(loop *p)
{
    lun_lowerer *l = p->l;
    const bool bare = p->n->op & LUN_RUNNING_BARE;
    for (int k = 0; k < p->values; k++) {
        lun_dtype t = lun__ir_function_param(p->n->body, k);
        int32_t v =
            bare ? element(p, k, p->from, t) : read(p, LUN_IR_LOAD, LUN_SLOT_IN, p->first + k, -1);
        p->value[k] = lun__lower_flow(l, LUN_IR_VAR, t, v, -1);
    }
    int32_t one = bare ? lun__lower_constant(l, LUN_I64, 1) : -1;
    return bare ? lun__lower_integer(l, LUN_OP_ADD, LUN_I64, p->from, one) : p->from;
}

/* The function on the values and the elements at `at`; what it gives in results[]. */
static void emit_call(const loop *p, int32_t at, int32_t *values, int32_t *results)
{
    int32_t params[LUN_MAX_OPERANDS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS];
    int32_t arrays[LUN_FRONT_ARRAYS];
    lun_lowerer *l = p->l;
    const lun_ir_function *f = p->n->body;
    const int own = p->values + p->elements;
    for (int k = 0; k < p->values; k++)
        params[k] = values[k] =
            lun__lower_flow(l, LUN_IR_GET, lun__ir_function_param(f, k), p->value[k], -1);
    for (int k = 0; k < p->elements; k++)
        params[p->values + k] = element(p, k, at, lun__ir_function_param(f, p->values + k));
    for (int k = own; k < lun__ir_function_params(f); k++)
        params[k] = lun__lower_add(l,
                                   (lun_ir_ins){.kind = LUN_IR_ARG,
                                                .dtype = (uint8_t)lun__ir_function_param(f, k),
                                                .a = -1,
                                                .b = -1,
                                                .c = -1,
                                                .imm = p->captured.captured - 1 + k - own},
                                   0);
    for (int k = 0; k < lun__ir_function_arrays(f); k++)
        arrays[k] = p->captured.arrays - 1 + k;
    if (l->status == LUN_OK)
        (void)lun__lower_inline(l, f, params, arrays, f->notes, p->n->where, results);
}

static void emit_round(const loop *p, int32_t number, int32_t at)
{
    lun_lowerer *l = p->l;
    int32_t values[LUN_MAX_OUTPUTS], results[LUN_MAX_OUTPUTS] = {0};
    emit_call(p, at, values, results);
    for (int k = 0; l->status == LUN_OK && k < p->values; k++)
        results[k] = as(p, results[k], (lun_dtype)l->out->ir.ins[results[k]].dtype,
                        lun__ir_function_param(p->n->body, k));
    for (int k = 0; !(p->n->op & LUN_RUNNING_ENDS) && k < p->values; k++)
        put(p, k, p->n->op & LUN_RUNNING_BEFORE ? values[k] : results[k], at);
    for (int k = 0; k < p->values; k++)
        lun__lower_flow(l, LUN_IR_SET, lun__ir_function_param(p->n->body, k), p->value[k],
                        results[k]);
    int32_t one = lun__lower_constant(l, LUN_I64, 1);
    int32_t next = lun__lower_integer(l, LUN_OP_ADD, LUN_I64, at, one);
    lun__lower_flow(l, LUN_IR_SET, LUN_I64, number, next);
}

static void emit(loop *p)
{
    lun_lowerer *l = p->l;
    emit_bounds(p);
    int32_t number = lun__lower_flow(l, LUN_IR_VAR, LUN_I64, emit_first(p), -1);
    lun__lower_flow(l, LUN_IR_LOOP, LUN_BOOL, -1, -1);
    int32_t at = lun__lower_flow(l, LUN_IR_GET, LUN_I64, number, -1);
    int32_t ends = lun__lower_integer(l, LUN_OP_GE, LUN_BOOL, at, p->to);
    lun__lower_flow(l, LUN_IR_IF, LUN_BOOL, ends, -1);
    lun__lower_flow(l, LUN_IR_BREAK, LUN_BOOL, -1, -1);
    lun__lower_flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
    emit_round(p, number, at);
    lun__lower_flow(l, LUN_IR_END, LUN_BOOL, -1, -1);
    for (int k = 0; p->n->op & LUN_RUNNING_ENDS && k < p->values; k++)
        put(p, k,
            lun__lower_flow(l, LUN_IR_GET, lun__ir_function_param(p->n->body, k), p->value[k], -1),
            p->index);
}

lun_status lun__running_kernel_lower(lun_engine *e, lun_node *n, lun_node *const *in,
                                     lun_lowered *out)
{
    lun_lowerer l = lun__lower_ungrouped(e, out);
    loop p = {.l = &l, .n = n, .in = in, .values = n->body->outputs, .elements = n->elements};
    p.first = n->op & LUN_RUNNING_LISTED ? 2 : 0;
    p.array = n->count - n->elements;
    lun__lower_captured(&l, n, p.values + p.elements, &p.captured);
    if (n->body->types)
        lun__strbuf_puts(&out->types, n->body->types);
    emit(&p);
    out->ops = 1;
    out->workgroup = n->workgroup;
    return lun__lower_end(&l);
}
