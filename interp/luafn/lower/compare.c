/* compare.c - comparisons, exact between integers and floats as in Lua: an integer that the
 * float cannot hold is never rounded. */
#include "luafn/lower/lowering_state.h"

#include <math.h>

#include "luafn/type/rules.h"

typedef enum relation { EQ, LT, LE, GT, GE } relation;

static const lun_op ops[] = {LUN_OP_EQ, LUN_OP_LT, LUN_OP_LE, LUN_OP_GT, LUN_OP_GE};

static lf_value *op(lf_lowering *l, relation r, lf_value *a, lf_value *b)
{
    return luafn_ir_value_op2(l, ops[r], a, b);
}

static relation mirror(relation r)
{
    static const relation other[] = {EQ, GT, GE, LT, LE};
    return other[r];
}

/* i against the constant c: against the integer next to it. */
static lf_value *against_float(lf_lowering *l, relation r, lf_value *i, double c)
{
    double edge = r == LT || r == GE ? ceil(c) : floor(c), top = ldexp(1, 63);
    if (c != c || (r == EQ && edge != c))
        return luafn_const_ir_bool(l, false);
    if (edge >= top)
        return luafn_const_ir_bool(l, r == LT || r == LE);
    if (edge < -top)
        return luafn_const_ir_bool(l, r == GT || r == GE);
    int64_t n = (int64_t)edge;
    if (!lun__dtype_value_fits((lun_dtype)i->type, (lun_value){.dtype = LUN_I64, .as.i = n}))
        return luafn_const_ir_bool(l, r != EQ && (n > 0 ? r == LT || r == LE : r == GT || r == GE));
    return op(l, r, i, luafn_const_ir_int(l, (lun_dtype)i->type, n));
}

/* The float of dtype t next to n, not above (or not below) it. */
static double neighbour(lun_dtype t, int64_t n, bool above)
{
    bool single = !lun__dtype_is_double(t);
    double x = single ? (double)(float)n : (double)n;
    bool too_high = x >= 9223372036854775808.0 || (int64_t)x > n,
         exact = !too_high && (int64_t)x == n;
    if (exact || too_high == above)
        return x;
    double to = above ? HUGE_VAL : -HUGE_VAL;
    return single ? (double)nextafterf((float)x, (float)to) : nextafter(x, to);
}

/* The constant n against f: against the float next to it. */
static lf_value *against_integer(lf_lowering *l, relation r, int64_t n, lf_value *f)
{
    lun_dtype t = (lun_dtype)f->type;
    double low = neighbour(t, n, false), high = neighbour(t, n, true);
    if (low == high)
        return op(l, r, luafn_const_ir_real(l, t, low), f);
    if (r == EQ)
        return luafn_const_ir_bool(l, false);
    if (r == LT || r == LE)
        return op(l, LE, luafn_const_ir_real(l, t, high), f);
    return op(l, GE, luafn_const_ir_real(l, t, low), f);
}

/* Does the float dtype hold every value of i? */
static bool holds(const lf_lowering *l, lun_dtype t, const lf_value *source, const lf_value *i)
{
    if (source->kind == LF_SCALAR) {
        lf_capture_kind kind = l->c->source[source->as.i].capture.kind;
        return kind == LF_CAPTURE_INT24 || (kind <= LF_CAPTURE_INT32 && lun__dtype_is_double(t));
    }
    return lun__dtype_precision(t) >= lun__dtype_precision((lun_dtype)i->type);
}

/* Any integer against any float, by rounding the float to the integer's side. A conversion
 * saturates and gives 0 for NaN, so both ends and NaN are tested separately; top is 2^31 or
 * 2^63. */
static lf_value *general(lf_lowering *l, relation r, lf_value *i, lf_value *f)
{
    lun_dtype t = (lun_dtype)f->type, n = (lun_dtype)i->type;
    double size = ldexp(1, lun__dtype_precision(n));
    lf_value *top = luafn_const_ir_real(l, t, size), *bottom = luafn_const_ir_real(l, t, -size);
    lf_value *up = luafn_ir_value_cast(l, n, luafn_ir_value_op1(l, LUN_OP_CEIL, f));
    lf_value *round = luafn_ir_value_op1(l, LUN_OP_FLOOR, f),
             *down = luafn_ir_value_cast(l, n, round);
    lf_value *number = op(l, EQ, f, f), *x;
    switch (r) {
    case LT:
        x = luafn_ir_value_op2(l, LUN_OP_LOR, op(l, LT, i, up), op(l, GE, f, top));
        return luafn_ir_value_op2(l, LUN_OP_LAND, x, number);
    case LE:
        return luafn_ir_value_op2(l, LUN_OP_LAND, op(l, LE, i, down), op(l, GE, f, bottom));
    case GT:
        x = luafn_ir_value_op2(l, LUN_OP_LOR, op(l, GT, i, down), op(l, LT, f, bottom));
        return luafn_ir_value_op2(l, LUN_OP_LAND, x, number);
    case GE:
        return luafn_ir_value_op2(l, LUN_OP_LAND, op(l, GE, i, up), op(l, LT, f, top));
    default:
        x = luafn_ir_value_op2(l, LUN_OP_LAND, op(l, EQ, round, f), op(l, EQ, i, down));
        x = luafn_ir_value_op2(l, LUN_OP_LAND, x, op(l, GE, f, bottom));
        return luafn_ir_value_op2(l, LUN_OP_LAND, x, op(l, LT, f, top));
    }
}

/* Is v a float, or a rounded one, of which an integer is made only where one is needed? */
static bool is_float(const lf_value *v)
{
    return lf_is_float((lf_type)v->type) || luafn_ir_operand_is_rounded(v);
}

static lun_dtype float_dtype(const lf_lowering *l, const lf_value *v)
{
    return luafn_ir_operand_is_rounded(v) ? (lun_dtype)v->low->type
                                          : luafn_lowering_dtype(l->c, (lf_type)v->type);
}

/* Such a v as a float of dtype t. The sign of 0 may stay: it does not compare. */
static lf_value *float_of(lf_lowering *l, lf_value *v, lun_dtype t)
{
    return luafn_ir_operand_is_rounded(v) ? luafn_ir_value_cast(l, t, v->low)
                                          : luafn_ir_operand_as(l, v, t);
}

/* The whole number f against the constant c, which f's dtype may not hold. */
static lf_value *against_real(lf_lowering *l, relation r, lf_value *f, double c)
{
    lun_dtype t = (lun_dtype)f->type;
    float near = (float)c;
    if (lun__dtype_is_double(t) || c != c || (double)near == c)
        return op(l, r, f, luafn_const_ir_real(l, t, c));
    if (r == EQ)
        return luafn_const_ir_bool(l, false);
    bool less = r == LT || r == LE, above = (double)near > c;
    if (less == above) /* the float on the other side of c */
        near = nextafterf(near, above ? -HUGE_VALF : HUGE_VALF);
    return op(l, less ? LE : GE, f, luafn_const_ir_real(l, t, (double)near));
}

/* Two floats, of which at least one is rounded. */
static lf_value *of_rounded(lf_lowering *l, relation r, lf_value *a, lf_value *b)
{
    if (lf_is_const(b, LF_WF))
        return against_real(l, r, a->low, b->as.n);
    if (lf_is_const(a, LF_WF))
        return against_real(l, mirror(r), b->low, a->as.n);
    lun_dtype t = float_dtype(l, a), u = float_dtype(l, b);
    if (lun__dtype_bits(u) > lun__dtype_bits(t))
        t = u;
    return op(l, r, float_of(l, a, t), float_of(l, b, t));
}

/* Integer a against float b. */
static lf_value *mixed(lf_lowering *l, relation r, lf_value *a, lf_value *b)
{
    lun_dtype t = float_dtype(l, b);
    if (lf_is_const(b, LF_WF))
        return against_float(l, r, luafn_ir_operand_low(l, a), b->as.n);
    if (lf_is_const(a, LF_WI))
        return against_integer(l, r, a->as.i, float_of(l, b, t));
    lf_value *i = luafn_ir_operand_low(l, a), *f = float_of(l, b, t);
    if (holds(l, t, a, i))
        return op(l, r, luafn_ir_value_cast(l, t, i), f);
    return general(l, r, i, f);
}

/* Booleans, nil: only equality. */
static lf_value *equal(lf_lowering *l, lf_value *a, lf_value *b)
{
    lf_type x = (lf_type)a->type, y = (lf_type)b->type;
    bool alike = x == y || (x >= LF_BOOL && x <= LF_MAYBE && y >= LF_BOOL && y <= LF_MAYBE);
    if (!alike)
        return luafn_const_ir_bool(l, false);
    if (x == LF_NIL)
        return luafn_const_ir_bool(l, true);
    return op(l, EQ, luafn_ir_operand_as(l, a, LUN_BOOL), luafn_ir_operand_as(l, b, LUN_BOOL));
}

lf_value *luafn_lower_compare(lf_lowering *l, const lf_value *v)
{
    lf_value *a = v->arg[0], *b = v->arg[1];
    lf_type x = (lf_type)a->type, y = (lf_type)b->type;
    relation r = v->sub == LF_EQ ? EQ : v->sub == LF_LT ? LT : LE;
    if (!lf_is_number(x) || !lf_is_number(y))
        return equal(l, a, b);
    if (is_float(b) && !is_float(a))
        return mixed(l, r, a, b);
    if (is_float(a) && !is_float(b))
        return mixed(l, mirror(r), b, a);
    if (luafn_ir_operand_is_rounded(a) || luafn_ir_operand_is_rounded(b))
        return of_rounded(l, r, a, b);
    lun_dtype t = luafn_lowering_dtype(l->c, luafn_rules_common(l->c, a, b));
    return op(l, r, luafn_ir_operand_as(l, a, t), luafn_ir_operand_as(l, b, t));
}
