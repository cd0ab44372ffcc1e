/* for.c - numeric for. An integer loop knows its last index before it starts, so that it cannot
 * overflow; a float limit of an integer loop is clipped as Lua 5.4 does it. */
#include "luafn/lower/lowering_state.h"

#include <math.h>

#include "luafn/type/rules.h"

static lf_value *op(lf_lowering *l, lun_op o, lf_value *a, lf_value *b)
{
    return luafn_ir_value_op2(l, o, a, b);
}

static lf_value *integer(lf_lowering *l, int64_t x)
{
    return luafn_const_ir_int(l, LUN_I64, x);
}

static lf_value *positive(lf_lowering *l, lf_value *step)
{
    lun_dtype t = (lun_dtype)step->type;
    return op(l, LUN_OP_GT, step, luafn_const_ir_const(l, t, 0));
}

static bool of_integers(const lf_value *v)
{
    return lf_is_int((lf_type)v->arg[0]->type) && lf_is_int((lf_type)v->arg[2]->type);
}

/* The limit of an integer loop, and (*valid) whether the loop may run at all, NULL: yes. A limit
 * out of range is clipped if the loop goes towards it; NaN is less than everything. */
static lf_value *limit_of(lf_lowering *l, const lf_value *v, lf_value *up, lf_value **valid)
{
    lf_value *limit = v->arg[1];
    *valid = NULL;
    if (lf_is_int((lf_type)limit->type) && !luafn_ir_operand_is_rounded(limit))
        return luafn_ir_operand_as(l, limit, LUN_I64);
    lf_value *f = luafn_ir_operand_low(l, limit);
    lun_dtype t = (lun_dtype)f->type;
    lf_value *high = op(l, LUN_OP_GE, f, luafn_const_ir_real(l, t, ldexp(1, 63)));
    lf_value *number = op(l, LUN_OP_EQ, f, f);
    lf_value *down = luafn_ir_value_cast(l, LUN_I64, luafn_ir_value_op1(l, LUN_OP_FLOOR, f));
    lf_value *ceil = luafn_ir_value_cast(l, LUN_I64, luafn_ir_value_op1(l, LUN_OP_CEIL, f));
    lf_value *not_low = op(l, LUN_OP_GE, f, luafn_const_ir_real(l, t, -ldexp(1, 63)));
    *valid = luafn_ir_value_where(l, up, not_low, luafn_ir_value_op1(l, LUN_OP_LNOT, high));
    return luafn_ir_value_where(l, up, down,
                                luafn_ir_value_where(l, number, ceil, integer(l, INT64_MIN)));
}

static lf_value *test_integers(lf_lowering *l, const lf_value *v, lf_value *step)
{
    lf_value *first = luafn_ir_operand_as(l, v->arg[0], LUN_I64), *up = positive(l, step), *valid;
    lf_value *limit = limit_of(l, v, up, &valid);
    lf_value *runs =
        luafn_ir_value_where(l, up, op(l, LUN_OP_LE, first, limit), op(l, LUN_OP_GE, first, limit));
    return valid ? op(l, LUN_OP_LAND, runs, valid) : runs;
}

/* Runs at all? Lua skips a loop of floats if the limit is passed at the start, so NaN runs once. */
static lf_value *test(lf_lowering *l, const lf_value *v)
{
    lf_type wide = LF_WF;
    for (int k = 0; k < 3; k++)
        if (lf_is_float((lf_type)v->arg[k]->type))
            wide = luafn_type_join(wide, (lf_type)v->arg[k]->type);
    lun_dtype t = of_integers(v) ? LUN_I64 : luafn_lowering_dtype(l->c, wide);
    lf_value *step = luafn_ir_operand_as(l, v->arg[2], t);
    luafn_ir_value_check(l, op(l, LUN_OP_NE, step, luafn_const_ir_const(l, t, 0)), NULL,
                         luafn_lowering_note(l, -1, "'for' step is zero"));
    if (lf_is_long((uint8_t)t))
        return test_integers(l, v, step);
    lf_value *first = luafn_ir_operand_as(l, v->arg[0], t),
             *limit = luafn_ir_operand_as(l, v->arg[1], t);
    lf_value *behind = luafn_ir_value_where(l, positive(l, step), op(l, LUN_OP_LT, limit, first),
                                            op(l, LUN_OP_LT, first, limit));
    return luafn_ir_value_op1(l, LUN_OP_LNOT, behind);
}

/* The last index: limit minus the remainder of the distance divided by the step. The distance is
 * positive, but may exceed i64: it is unsigned. */
static lf_value *last_integer(lf_lowering *l, const lf_value *v)
{
    lf_value *first = luafn_ir_operand_as(l, v->arg[0], LUN_I64),
             *step = luafn_ir_operand_as(l, v->arg[2], LUN_I64);
    lf_value *up = positive(l, step), *ignored, *limit = limit_of(l, v, up, &ignored);
    bool constant = lf_ir_is_const(step);
    int64_t s = constant ? luafn_const_int(step) : 0;
    if (constant && (s == 1 || s == -1))
        return limit;
    lf_value *way = luafn_ir_value_where(l, up, op(l, LUN_OP_SUB, limit, first),
                                         op(l, LUN_OP_SUB, first, limit));
    lf_value *width = luafn_ir_value_where(l, up, step, op(l, LUN_OP_SUB, integer(l, 0), step));
    if (!constant) /* the check of FOR_TEST reports a step of 0; it must not divide as well */
        width =
            luafn_ir_value_where(l, op(l, LUN_OP_EQ, step, integer(l, 0)), integer(l, 1), width);
    if (constant && s == 0)
        width = integer(l, 1);
    lf_value *left;
    int64_t n = constant ? luafn_const_int(width) : 0;
    if (n > 0 && (n & (n - 1)) == 0)
        left = op(l, LUN_OP_BAND, way, integer(l, n - 1));
    else
        left = luafn_ir_value_cast(l, LUN_I64,
                                   op(l, LUN_OP_MOD, luafn_ir_value_cast(l, LUN_U64, way),
                                      luafn_ir_value_cast(l, LUN_U64, width)));
    return luafn_ir_value_where(l, up, op(l, LUN_OP_SUB, limit, left),
                                op(l, LUN_OP_ADD, limit, left));
}

static lf_value *more(lf_lowering *l, const lf_value *v)
{
    lf_value *index = luafn_ir_operand_low(l, v->arg[0]),
             *next = luafn_ir_operand_low(l, v->arg[1]);
    lun_dtype t = (lun_dtype)next->type;
    lf_value *last = luafn_ir_operand_as(l, v->arg[2], t),
             *step = luafn_ir_operand_as(l, v->arg[3], t);
    if (!lun__dtype_is_float(t))
        return op(l, LUN_OP_NE, index, last);
    return luafn_ir_value_where(l, positive(l, step), op(l, LUN_OP_LE, next, last),
                                op(l, LUN_OP_LE, last, next));
}

lf_value *luafn_lower_for(lf_lowering *l, const lf_value *v)
{
    lun_dtype t = luafn_lowering_dtype(l->c, (lf_type)v->type);
    switch ((lf_kind)v->kind) {
    case LF_FOR_TEST:
        return test(l, v);
    case LF_FOR_FIRST:
        return luafn_ir_operand_as(l, v->arg[0], t);
    case LF_FOR_LAST:
        return of_integers(v) ? last_integer(l, v) : luafn_ir_operand_as(l, v->arg[1], t);
    case LF_FOR_STEP:
        return luafn_ir_operand_as(l, v->arg[2], t);
    case LF_FOR_NEXT:
        return op(l, LUN_OP_ADD, luafn_ir_operand_as(l, v->arg[0], t),
                  luafn_ir_operand_as(l, v->arg[1], t));
    default:
        return more(l, v);
    }
}
