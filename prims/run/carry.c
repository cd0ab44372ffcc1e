/* carry.c - the kernel that tells what a scan has come to; see carry.h.  Knows no place. */
#include "run/carry.h"

static int out_slot(const lun_ir *ir)
{
    int slot = 0;
    while (ir->slots[slot].role != LUN_SLOT_OUT)
        slot++;
    return slot;
}

/* Without what is done with the value. */
static lun_status make(lun_engine *e, lun_ir *ir, int scan)
{
    const int slot = out_slot(ir);
    ir->ins[scan].inclusive = 0;
    ir->count = scan + 1;
    ir->slots[slot].dtype = ir->ins[scan].dtype;
    const int store = lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_STORE,
                                                   .dtype = ir->ins[scan].dtype,
                                                   .a = scan,
                                                   .b = -1,
                                                   .c = -1,
                                                   .imm = slot});
    return store < 0 ? lun__nomem(e) : LUN_OK;
}

lun_status lun__carry_open(lun_engine *e, const lun_lowered *l, lun_lowered *out)
{
    *out = *l;
    lun_status s = lun__ir_copy_plain(&l->ir, &out->ir) ? LUN_OK : lun__nomem(e);
    for (int k = 0; s == LUN_OK && k < l->ir.function_count; k++)
        if (lun__ir_function_add(&out->ir, l->ir.functions[k]) < 0)
            s = lun__nomem(e);
    for (int k = 0; s == LUN_OK && k < l->ir.operand_count; k++)
        if (lun__ir_operand_add(&out->ir, l->ir.operands[k]) < 0)
            s = lun__nomem(e);
    if (s == LUN_OK)
        s = make(e, &out->ir, l->ir.scan);
    if (s != LUN_OK)
        lun__carry_close(out);
    return s;
}

void lun__carry_close(lun_lowered *carry)
{
    lun__ir_free(&carry->ir);
}
