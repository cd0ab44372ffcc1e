/* named_operation.c - the operations of table/ops.def, called by name. */
#include "luafn/lower/lowering_state.h"
#include "luafn/type/rules.h"

/* Powers are products where the engine's graph makes them products (graph/simplify.c): the same
 * bits. */
static lf_value *power(lf_lowering *l, lf_value *x, lf_value *y)
{
    double n = lf_ir_is_const(y) ? luafn_const_real(y) : 0.0;
    if (n == 1)
        return x;
    if (n != 2 && n != 3)
        return luafn_ir_value_op2(l, LUN_OP_POW, x, y);
    lf_value *square = luafn_ir_value_op2(l, LUN_OP_MUL, x, x);
    return n == 2 ? square : luafn_ir_value_op2(l, LUN_OP_MUL, square, x);
}

lf_value *luafn_named_operation(lf_lowering *l, const lf_value *v)
{
    lun_op op = (lun_op)v->sub;
    const lun_op_row *row = lun__op_get(op);
    lun_dtype t = luafn_lowering_dtype(l->c, luafn_rules_operand(l->c, v));
    lf_value *x[3];
    for (int k = 0; k < v->args; k++) {
        bool condition = row->rule == LUN_RULE_SELECT && k == 0;
        x[k] = luafn_ir_operand_as(l, v->arg[k], condition ? LUN_BOOL : t);
    }
    if (op == LUN_OP_POW)
        return power(l, x[0], x[1]);
    if ((row->flags & LUN_OPF_TRAP0) && !lun__dtype_is_float(t))
        return luafn_lowering_divide(l, op, x[0], x[1]);
    if (row->arity == 1)
        return luafn_ir_value_op1(l, op, x[0]);
    if (row->arity == 2)
        return luafn_ir_value_op2(l, op, x[0], x[1]);
    return luafn_ir_value_op3(l, op, x[0], x[1], x[2]);
}
