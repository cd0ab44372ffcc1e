/* math_library.c - functions of the math library that are no operations (luafn/capture/builtin.h),
 * as Lua 5.4 defines them on integers and floats. */
#include "luafn/lower/lowering_state.h"

#include <math.h>

static lf_value *op1(lf_lowering *l, lun_op o, lf_value *a)
{
    return luafn_ir_value_op1(l, o, a);
}

static lf_value *op2(lf_lowering *l, lun_op o, lf_value *a, lf_value *b)
{
    return luafn_ir_value_op2(l, o, a, b);
}

/* Lua keeps the first operand unless the second one is really greater (less): NaN is not. */
static lf_value *extreme(lf_lowering *l, const lf_value *v, lun_dtype t)
{
    bool max = v->sub == LF_MATH_MAX;
    lf_value *a = luafn_ir_operand_as(l, v->arg[0], t);
    if (v->args == 1)
        return a;
    lf_value *b = luafn_ir_operand_as(l, v->arg[1], t);
    if (!lun__dtype_is_float(t))
        return op2(l, max ? LUN_OP_MAX : LUN_OP_MIN, a, b);
    return luafn_ir_value_where(l, op2(l, LUN_OP_LT, max ? a : b, max ? b : a), b, a);
}

/* C's fmod: the remainder has the sign of a. */
static lf_value *remainder_of(lf_lowering *l, const lf_value *v, lun_dtype t)
{
    lf_value *a = luafn_ir_operand_as(l, v->arg[0], t), *b = luafn_ir_operand_as(l, v->arg[1], t);
    if (lun__dtype_is_float(t)) {
        lf_value *r = op2(l, LUN_OP_MOD, op1(l, LUN_OP_ABS, a), op1(l, LUN_OP_ABS, b));
        return op2(l, LUN_OP_COPYSIGN, r, a);
    }
    lf_value *zero = luafn_const_ir_int(l, t, 0), *r = op2(l, LUN_OP_MOD, a, b);
    if (r->kind == LF_IR_OP && r->sub == LUN_OP_MOD && !r->note &&
        (!lf_ir_is_const(b) || luafn_const_int(b) == 0))
        r->note = luafn_lowering_note(l, -1, "bad argument #2 to 'fmod' (zero)");
    lf_value *apart = op2(l, LUN_OP_LT, op2(l, LUN_OP_BXOR, a, b), zero);
    lf_value *wrong = op2(l, LUN_OP_LAND, apart, op2(l, LUN_OP_NE, r, zero));
    return luafn_ir_value_where(l, wrong, op2(l, LUN_OP_SUB, r, b), r);
}

/* The logarithm to any base; Lua has exact ways for 2 and 10. */
static lf_value *logarithm(lf_lowering *l, lf_value *x, lf_value *base)
{
    lun_dtype t = (lun_dtype)x->type;
    lf_value *two = op2(l, LUN_OP_EQ, base, luafn_const_ir_real(l, t, 2.0));
    lf_value *ten = op2(l, LUN_OP_EQ, base, luafn_const_ir_real(l, t, 10.0));
    if (lf_ir_is_const(two) && two->as.bits)
        return op1(l, LUN_OP_LOG2, x);
    if (lf_ir_is_const(ten) && ten->as.bits)
        return op1(l, LUN_OP_LOG10, x);
    lf_value *other = op2(l, LUN_OP_DIV, op1(l, LUN_OP_LOG, x), op1(l, LUN_OP_LOG, base));
    if (lf_ir_is_const(two))
        return other;
    return luafn_ir_value_where(l, two, op1(l, LUN_OP_LOG2, x),
                                luafn_ir_value_where(l, ten, op1(l, LUN_OP_LOG10, x), other));
}

static lf_value *to_integer(lf_lowering *l, const lf_value *v, lun_dtype t)
{
    if (lf_is_int((lf_type)v->arg[0]->type))
        return luafn_ir_operand_as(l, v->arg[0], t);
    lf_value *x = luafn_ir_operand_low(l, v->arg[0]), *whole = op1(l, LUN_OP_FLOOR, x);
    lun_dtype f = (lun_dtype)x->type;
    lf_value *low = op2(l, LUN_OP_GE, x, luafn_const_ir_real(l, f, -ldexp(1, 63)));
    lf_value *high = op2(l, LUN_OP_LT, x, luafn_const_ir_real(l, f, ldexp(1, 63)));
    lf_value *ok = op2(l, LUN_OP_LAND, op2(l, LUN_OP_EQ, x, whole), op2(l, LUN_OP_LAND, low, high));
    luafn_ir_value_check(
        l, ok, NULL,
        luafn_lowering_note(l, -1,
                            "math.tointeger of a number that is not an integer gives nil: "
                            "use math.floor"));
    return luafn_ir_value_cast(l, t, whole);
}

/* The fraction of x; 0 for an infinity. */
static lf_value *fraction(lf_lowering *l, const lf_value *v, lun_dtype t)
{
    if (lf_is_int((lf_type)v->arg[0]->type))
        return luafn_const_ir_real(l, t, 0.0);
    lf_value *x = luafn_ir_operand_as(l, v->arg[0], t), *whole = op1(l, LUN_OP_TRUNC, x);
    return luafn_ir_value_where(l, op2(l, LUN_OP_EQ, x, whole), luafn_const_ir_real(l, t, 0.0),
                                op2(l, LUN_OP_SUB, x, whole));
}

lf_value *luafn_math_library_lower(lf_lowering *l, const lf_value *v)
{
    lun_dtype t = luafn_lowering_dtype(l->c, (lf_type)v->type);
    switch ((lf_math)v->sub) {
    case LF_MATH_FLOOR:
        return luafn_ir_operand_round(l, v, LUN_OP_FLOOR, t);
    case LF_MATH_CEIL:
        return luafn_ir_operand_round(l, v, LUN_OP_CEIL, t);
    case LF_MATH_MODF:
        return luafn_ir_operand_round(l, v, LUN_OP_TRUNC, t);
    case LF_MATH_FRACTION:
        return fraction(l, v, t);
    case LF_MATH_TOINTEGER:
        return to_integer(l, v, t);
    case LF_MATH_MAX:
    case LF_MATH_MIN:
        return extreme(l, v, t);
    case LF_MATH_FMOD:
        return remainder_of(l, v, t);
    case LF_MATH_ULT:
        return op2(l, LUN_OP_LT,
                   luafn_ir_value_cast(l, LUN_U64, luafn_ir_operand_as(l, v->arg[0], LUN_I64)),
                   luafn_ir_value_cast(l, LUN_U64, luafn_ir_operand_as(l, v->arg[1], LUN_I64)));
    default:
        return logarithm(l, luafn_ir_operand_as(l, v->arg[0], t),
                         luafn_ir_operand_as(l, v->arg[1], t));
    }
}
