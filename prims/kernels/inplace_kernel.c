/* inplace_kernel.c - the kernel of a C text that writes arrays; see inplace_kernel.h.  Knows no
 * launch. */
#include "kernels/inplace_kernel.h"

#include "plan/lowering.h"

/* The operand for parameter k: a value, or -1 - slot. */
static int32_t operand(lun_lowerer *l, const lun_ir_function *f, int k, const lun_taken *x)
{
    const lun_dtype t = (lun_dtype)f->param[k].dtype;
    int index;
    switch (x->how) {
    case LUN_TAKES_INDEX:
        index = lun__lower_add(
            l, (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1}, 0);
        return lun__lower_moved(l, index);
    case LUN_TAKES_NUMBER:
        return lun__lower_number(l, t, x->cell);
    case LUN_TAKES_ELEMENT:
        return lun__lower_load(l, x->node, 0, false);
    case LUN_TAKES_ARRAY:
        break;
    }
    const lun_ir_role role = f->param[k].written ? LUN_SLOT_TARGET : LUN_SLOT_ARRAY;
    return -1 - lun__lower_slot(l, x->node, 0, role);
}

/* What the call gives, 0: it is used, so that there is a call. */
static void check(lun_lowerer *l, int32_t call)
{
    const int32_t zero = lun__lower_constant(l, LUN_I64, 0);
    const int32_t well = lun__lower_integer(l, LUN_OP_EQ, LUN_BOOL, call, zero);
    const int at = lun__lower_add(
        l, (lun_ir_ins){.kind = LUN_IR_CHECK, .dtype = LUN_I64, .a = well, .b = call, .c = -1}, 0);
    if (l->status == LUN_OK)
        (void)lun__lower_note(l, at, 0, "a function of no result gives one");
}

static void store(lun_lowerer *l, const lun_ir_function *f, int32_t call, lun_node *like)
{
    lun_ir *ir = &l->out->ir;
    const int slot = lun__lower_source(l, (lun_slot_source){.node = like}, LUN_SLOT_OUT);
    if (l->status != LUN_OK)
        return;
    ir->slots[slot].dtype = f->result;
    (void)lun__lower_add(
        l,
        (lun_ir_ins){
            .kind = LUN_IR_STORE, .dtype = f->result, .a = call, .b = -1, .c = -1, .imm = slot},
        0);
}

lun_status lun__inplace_kernel_lower(lun_engine *e, const lun_ir_function *f,
                                     const lun_taken *taken, lun_node *like, lun_lowered *out)
{
    lun_lowerer l = lun__lower_ungrouped(e, out);
    int32_t operands[LUN_IR_INPUTS], call = -1;
    for (int k = 0; l.status == LUN_OK && k < f->params; k++)
        operands[k] = operand(&l, f, k, &taken[k]);
    if (l.status == LUN_OK)
        call = lun__lower_call(&l, f, operands, (lun_dtype)f->result, 0);
    if (l.status == LUN_OK && like)
        store(&l, f, call, like);
    else if (l.status == LUN_OK)
        check(&l, call);
    out->ops = 1;
    return lun__lower_end(&l);
}
