/* const.c - constants of IR. */
#include "luafn/lower/lowering_state.h"

lf_value *luafn_const_ir_const(lf_lowering *l, lun_dtype t, uint64_t bits)
{
    return luafn_graph_constant(l->g, LF_IR_CONST, t, bits);
}

lf_value *luafn_const_ir_int(lf_lowering *l, lun_dtype t, int64_t x)
{
    return luafn_const_ir_const(l, t,
                                lun__dtype_cell_from_value(t, (lun_value){LUN_I64, {.i = x}}));
}

lf_value *luafn_const_ir_real(lf_lowering *l, lun_dtype t, double x)
{
    return luafn_const_ir_const(l, t,
                                lun__dtype_cell_from_value(t, (lun_value){LUN_F64, {.d = x}}));
}

lf_value *luafn_const_ir_bool(lf_lowering *l, bool x)
{
    return luafn_const_ir_const(l, LUN_BOOL, x);
}

int64_t luafn_const_int(const lf_value *v)
{
    return lun__dtype_cell_to_value((lun_dtype)v->type, v->as.bits).as.i;
}

double luafn_const_real(const lf_value *v)
{
    return lun__dtype_cell_to_value((lun_dtype)v->type, v->as.bits).as.d;
}
