/* ir_operand.c - values as operands: lowered, and converted to the dtype needed.
 *
 * math.floor, math.ceil and math.modf give an integer where that can hold the result, and the float
 * otherwise. Their results are lowered to that float, which is right for all uses as a float; where
 * an integer is needed, it is converted and checked. */
#include "luafn/lower/lowering_state.h"

#include <math.h>

bool luafn_ir_operand_is_rounded(const lf_value *v)
{
    return lf_is_int((lf_type)v->type) && v->low && lun__dtype_is_float((lun_dtype)v->low->type);
}

static lf_value *leaf(lf_lowering *l, const lf_value *v)
{
    lf_compile *c = l->c;
    lun_dtype t = luafn_lowering_dtype(c, (lf_type)v->type), own = t;
    int number = (int)v->as.i;
    switch ((lf_kind)v->kind) {
    case LF_CONST:
        if (lf_is_float((lf_type)v->type))
            return luafn_const_ir_real(l, t, v->as.n);
        return luafn_const_ir_int(l, t, v->as.i);
    case LF_PARAM:
        if (!c->param[number].weak)
            own = c->param[number].dtype;
        break;
    case LF_ELEMENT:
        own = c->source[number].capture.dtype;
        number = luafn_lowering_input(c, LF_FROM_SCALAR, number, own, false);
        return luafn_ir_value_cast(l, t, luafn_ir_value_arg(l, number, own));
    default:
        break;
    }
    number = luafn_lowering_input(c, v->kind == LF_PARAM ? LF_FROM_PARAM : LF_FROM_SOURCE, number,
                                  own, false);
    return luafn_ir_value_cast(l, t, luafn_ir_value_arg(l, number, own));
}

lf_value *luafn_ir_operand_low(lf_lowering *l, lf_value *v)
{
    if (!v->low && v->kind < LF_PHI)
        return leaf(l, v); /* its conversion belongs in this block */
    if (!v->low) /* an object, in damaged code: the types of other code refuse it before */
        luafn_debug_fail(&l->c->unit, v->proto, v->pc,
                         "a value that is a number on some paths only: give it a number on every "
                         "path");
    return v->low;
}

/* ---- conversions ---- */

/* A rounded v as a float of dtype t. */
static lf_value *rounded_as(lf_lowering *l, const lf_value *v, lun_dtype t)
{
    lf_value *zero =
        luafn_const_ir_real(l, (lun_dtype)v->low->type, 0.0); /* the integer 0 has no sign */
    return luafn_ir_value_cast(l, t, luafn_ir_value_op2(l, LUN_OP_ADD, v->low, zero));
}

/* A float, or a rounded v, as an integer of dtype t; the launch fails if there is none. */
static lf_value *whole_number(lf_lowering *l, lf_value *v, lun_dtype t)
{
    const lf_value *from = l->from;
    lf_value *x = luafn_ir_operand_low(l, v);
    lun_dtype f = (lun_dtype)x->type;
    double size = ldexp(1, lun__dtype_precision(t));
    lf_value *low = luafn_ir_value_op2(l, LUN_OP_GE, x, luafn_const_ir_real(l, f, -size));
    lf_value *high = luafn_ir_value_op2(l, LUN_OP_LT, x, luafn_const_ir_real(l, f, size));
    lf_value *ok = luafn_ir_value_op2(l, LUN_OP_LAND, low, high);
    if (luafn_ir_operand_is_rounded(v))
        l->from = v;
    else
        ok = luafn_ir_value_op2(
            l, LUN_OP_LAND,
            luafn_ir_value_op2(l, LUN_OP_EQ, x, luafn_ir_value_op1(l, LUN_OP_FLOOR, x)), ok);
    luafn_ir_value_check(l, ok, x,
                         luafn_lowering_note(l, -1, "number %%g has no integer representation"));
    l->from = from;
    return luafn_ir_value_cast(l, t, x);
}

lf_value *luafn_ir_operand_as(lf_lowering *l, lf_value *v, lun_dtype t)
{
    bool whole = lun__dtype_is_integer(t);
    if (v->kind == LF_CONST && v->type == LF_NIL)
        return luafn_const_ir_const(l, t, 0);
    if (v->kind == LF_CONST && lf_is_float((lf_type)v->type))
        return whole ? whole_number(l, v, t) : luafn_const_ir_real(l, t, v->as.n);
    if (v->kind == LF_CONST && v->type == LF_WI)
        return luafn_const_ir_int(l, t, v->as.i);
    if (whole && (lf_is_float((lf_type)v->type) || luafn_ir_operand_is_rounded(v)))
        return whole_number(l, v, t);
    if (luafn_ir_operand_is_rounded(v))
        return rounded_as(l, v, t);
    return luafn_ir_value_cast(l, t, luafn_ir_operand_low(l, v));
}

lf_value *luafn_ir_operand_round(lf_lowering *l, const lf_value *v, lun_op o, lun_dtype t)
{
    lf_value *x = v->arg[0];
    if (luafn_ir_operand_is_rounded(x))
        return x->low;
    if (lf_is_int((lf_type)x->type))
        return luafn_ir_operand_as(l, x, t);
    return luafn_ir_value_op1(l, o, luafn_ir_operand_low(l, x));
}
