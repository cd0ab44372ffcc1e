/* rules.c - the types of operations: Lua's rules, with numbers of fixed width and weak literals. */
#include "luafn/type/rules.h"

#include "luafn/graph/captured.h"

#include <stdio.h>

/* May a weak integer be computed in i32? */
static bool fits_i32(const lf_compile *c, const lf_value *v)
{
    if (v->kind == LF_CONST)
        return v->as.i >= INT32_MIN && v->as.i <= INT32_MAX;
    if (v->kind == LF_SCALAR)
        return c->source[v->as.i].capture.kind != LF_CAPTURE_INT64;
    return true;
}

lf_type luafn_rules_common(const lf_compile *c, const lf_value *a, const lf_value *b)
{
    lf_type x = (lf_type)a->type, y = (lf_type)b->type;
    if (x == LF_WI && y == LF_I32 && !fits_i32(c, a))
        return LF_I64;
    if (y == LF_WI && x == LF_I32 && !fits_i32(c, b))
        return LF_I64;
    return luafn_type_join(x, y);
}

static bool known(const lf_value *v)
{
    for (int k = 0; k < v->args; k++)
        if (v->arg[k]->type == LF_NONE)
            return false;
    return true;
}

static void need_numbers(lf_compile *c, const lf_value *v, const char *what)
{
    for (int k = 0; k < v->args; k++)
        if (!lf_is_number((lf_type)v->arg[k]->type))
            luafn_type_join_mistyped(c, v, k, what);
}

/* The wider of the operands' float types; weak if there is none. */
static lf_type float_of(const lf_value *v)
{
    lf_type t = LF_WF;
    for (int k = 0; k < v->args; k++)
        if (lf_is_float((lf_type)v->arg[k]->type))
            t = luafn_type_join(t, (lf_type)v->arg[k]->type);
    return t;
}

/* The type of a bitwise operation: floats with the value of an integer become Lua's integers. */
static lf_type type_bits(const lf_compile *c, const lf_value *v)
{
    for (int k = 0; k < v->args; k++)
        if (lf_is_float((lf_type)v->arg[k]->type))
            return LF_I64;
    return v->args < 2 ? (lf_type)v->arg[0]->type : luafn_rules_common(c, v->arg[0], v->arg[1]);
}

/* ---- operations ---- */

static lf_type type_arith(lf_compile *c, const lf_value *v)
{
    need_numbers(c, v, "arithmetic");
    switch ((lf_arith)v->sub) {
    case LF_DIV:
    case LF_POW:
        return float_of(v);
    case LF_BAND:
    case LF_BOR:
    case LF_BXOR:
    case LF_SHL:
    case LF_SHR:
        return type_bits(c, v);
    default:
        return luafn_rules_common(c, v->arg[0], v->arg[1]);
    }
}

static lf_type type_math(lf_compile *c, const lf_value *v)
{
    need_numbers(c, v, "math");
    switch ((lf_math)v->sub) {
    case LF_MATH_FLOOR:
    case LF_MATH_CEIL:
    case LF_MATH_MODF:
    case LF_MATH_TOINTEGER:
        return lf_is_int((lf_type)v->arg[0]->type) ? (lf_type)v->arg[0]->type : LF_I64;
    case LF_MATH_ULT:
        return LF_BOOL;
    case LF_MATH_MAX:
    case LF_MATH_MIN:
    case LF_MATH_FMOD:
        return v->args < 2 ? (lf_type)v->arg[0]->type : luafn_rules_common(c, v->arg[0], v->arg[1]);
    default:
        return float_of(v);
    }
}

lf_type luafn_rules_operand(const lf_compile *c, const lf_value *v)
{
    const lun_op_row *row = lun__op_get((lun_op)v->sub);
    lf_type t = LF_NONE;
    bool wide = false;
    for (int k = row->rule == LUN_RULE_SELECT; k < v->args; k++) {
        const lf_value *x = v->arg[k];
        if (x->type == LF_BOOL)
            continue;
        wide |= x->type == LF_WI && !fits_i32(c, x);
        t = luafn_type_join(t, (lf_type)x->type);
    }
    if (t == LF_NONE)
        t = LF_BOOL;
    if (t == LF_I32 && wide)
        t = LF_I64;
    switch ((lun_rule)row->rule) {
    case LUN_RULE_LOGIC:
        return LF_BOOL;
    case LUN_RULE_FLOAT:
        return lf_is_float(t) ? t : LF_WF;
    case LUN_RULE_ARITH:
    case LUN_RULE_PICK:
        return t == LF_BOOL ? LF_I64 : t;
    default:
        return t;
    }
}

/* An operation takes numbers and booleans; one of math only numbers. */
static lf_type type_apply(lf_compile *c, const lf_value *v)
{
    const lun_op_row *row = lun__op_get((lun_op)v->sub);
    char what[32];
    snprintf(what, sizeof what, v->as.i ? "math" : "lun.%s", row->name);
    for (int k = 0; k < v->args; k++) {
        lf_type t = (lf_type)v->arg[k]->type;
        const bool truth = row->rule == LUN_RULE_SELECT && k == 0 && lf_is_complex(t);
        if (!lf_is_number(t) && !truth && (t != LF_BOOL || v->as.i))
            luafn_type_join_mistyped(c, v, k, what);
    }
    lf_type t = luafn_rules_operand(c, v);
    if (row->rule == LUN_RULE_INT && t == LF_BOOL)
        luafn_type_join_mistyped(c, v, 0, what);
    if (row->rule == LUN_RULE_INT && lf_is_float(t))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "%s on a float: make it an integer with math.floor or //", what);
    bool truth = row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_TEST;
    return truth ? LF_BOOL : t;
}

static lf_type type_compare(lf_compile *c, const lf_value *v)
{
    if (v->sub != LF_EQ) {
        need_numbers(c, v, "comparison");
        return LF_BOOL;
    }
    for (int k = 0; k < 2; k++) {
        lf_type t = (lf_type)v->arg[k]->type, other = (lf_type)v->arg[1 - k]->type;
        if (t == LF_MIX || (t == LF_MAYBE && !lf_is_number(other)) ||
            (t == LF_OBJECT && other == LF_OBJECT))
            luafn_type_join_mistyped(c, v, k, "comparison");
    }
    return LF_BOOL;
}

static lf_type type_offset(lf_compile *c, const lf_value *v)
{
    need_numbers(c, v, "an offset");
    if (!lf_is_int((lf_type)v->arg[0]->type))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "an offset that is a float: make it an integer with math.floor or //");
    return LF_I64;
}

/* Integers if the initial value and the step are; floats as wide as the widest. */
static lf_type type_for(lf_compile *c, const lf_value *v)
{
    need_numbers(c, v, "'for'");
    bool integers = lf_is_int((lf_type)v->arg[0]->type) && lf_is_int((lf_type)v->arg[2]->type);
    return v->kind == LF_FOR_TEST ? LF_BOOL : integers ? LF_I64 : float_of(v);
}

/* Leaves if x is a float and the array's elements are integers. */
static void need_integers(lf_compile *c, const lf_value *v, const lf_value *array, lf_type x)
{
    lf_whose of = lf_whose_is(c, array);
    if (lf_is_int(luafn_graph_type_of(of.dtype)) && lf_is_float(x))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "a float is assigned to '%s', an array of %s: make it an integer with "
                         "math.floor or //",
                         luafn_captured_array_name(c, array), lun_dtype_name(of.stored));
}

/* Operand `value` of v as an element of the array: numbers, or truth values. */
static lf_type type_store(lf_compile *c, const lf_value *v, const lf_value *array, int value)
{
    lf_type t = luafn_graph_type_of(lf_whose_is(c, array).dtype), x = (lf_type)v->arg[value]->type;
    if (t == LF_BOOL && x != LF_BOOL)
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "'%s' is an array of bool: assign true or false",
                         luafn_captured_array_name(c, array));
    if (t != LF_BOOL && !lf_is_number(x))
        luafn_type_join_mistyped(c, v, value, "an assignment to an element");
    need_integers(c, v, array, x);
    return t;
}

/* The type of the operation on the element and the value; below 32 bits it is computed as i64, to
 * check that the result fits. */
static lf_type type_combine(lf_compile *c, const lf_value *v)
{
    const lf_put *p = c->puts.at[v->as.i];
    const lf_capture *s = &c->source[p->source].capture;
    lf_value element = {.kind = LF_LOAD, .type = (uint8_t)luafn_graph_type_of(s->dtype)}, both = *v;
    lf_value *arg[2] = {p->behind ? v->arg[0] : &element, p->behind ? &element : v->arg[0]};
    both.arg = arg;
    both.args = 2;
    lf_type t = p->kind == LF_MATH ? type_math(c, &both) : type_arith(c, &both);
    need_integers(c, v, &(lf_value){.kind = LF_ARRAY, .as.i = p->source}, t);
    return t == LF_I32 && lun__dtype_bits(s->stored) < 32 ? LF_I64 : t;
}

static lf_type type_index(lf_compile *c, const lf_value *v)
{
    if (!lf_is_number((lf_type)v->arg[1]->type))
        luafn_type_join_mistyped(c, v, 1, "indexing");
    if (!lf_is_int((lf_type)v->arg[1]->type))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "indexing with a float: make it an integer with math.floor or //");
    const lf_open *open = lf_open_of(c, v->arg[0]);
    if (open && v->kind == LF_LOAD)
        return open->type;
    return v->kind == LF_FLAT_INDEX ? LF_I64
           : v->kind == LF_PART     ? LF_OBJECT
                                    : luafn_graph_type_of(lf_whose_is(c, v->arg[0]).dtype);
}

/* An operation whose first operand is a truth value, also a complex one. */
static bool is_choice(const lf_value *v)
{
    return v->kind == LF_APPLY && lun__op_get((lun_op)v->sub)->rule == LUN_RULE_SELECT;
}

/* Whether an operand is complex, or the result always is. */
static bool of_complex(const lf_value *v)
{
    if (v->kind == LF_COMPLEX || v->kind == LF_FORM)
        return true;
    for (int k = is_choice(v); k < v->args; k++)
        if (lf_is_complex((lf_type)v->arg[k]->type))
            return true;
    return false;
}

lf_type luafn_rules_op(lf_compile *c, const lf_value *v)
{
    if (!known(v))
        return LF_NONE;
    if (of_complex(v))
        return luafn_complex_rules(c, v);
    switch ((lf_kind)v->kind) {
    case LF_ARITH:
        return type_arith(c, v);
    case LF_NEG:
        need_numbers(c, v, "arithmetic");
        return (lf_type)v->arg[0]->type;
    case LF_BNOT:
        need_numbers(c, v, "arithmetic");
        return type_bits(c, v);
    case LF_NOT:
    case LF_TRUTH:
        if (v->arg[0]->type == LF_MIX)
            luafn_type_join_mistyped(c, v, 0, "a condition");
        return LF_BOOL;
    case LF_COMPARE:
        return type_compare(c, v);
    case LF_LOAD:
    case LF_PART:
    case LF_FLAT_INDEX:
        return type_index(c, v);
    case LF_LENGTH:
        return LF_I64;
    case LF_CELL:
        return luafn_graph_type_of(
            c->source[((const lf_cell *)c->cells.at[v->as.i])->is.source].capture.dtype);
    case LF_STORE:
        return type_store(c, v, &(lf_value){.kind = LF_ARRAY, .as.i = v->as.i}, 0);
    case LF_WRITE:
        type_index(c, v);
        return lf_open_of(c, v->arg[0]) ? luafn_team_memory_open(c, v)
                                        : type_store(c, v, v->arg[0], 2);
    case LF_CHANGE:
        type_index(c, v);
        for (int k = 2; k < v->args; k++)
            type_store(c, v, v->arg[0], k);
        return luafn_graph_type_of(lf_whose_is(c, v->arg[0]).dtype);
    case LF_IDENTITY:
        return luafn_team_memory_identity(c, v);
    case LF_COMBINE:
        return type_combine(c, v);
    case LF_MATH:
        return type_math(c, v);
    case LF_APPLY:
        return type_apply(c, v);
    case LF_WITHIN:
        return type_offset(c, v);
    case LF_FOR_TEST:
    case LF_FOR_FIRST:
    case LF_FOR_LAST:
    case LF_FOR_STEP:
        return type_for(c, v);
    case LF_FOR_NEXT:
        return luafn_type_join((lf_type)v->arg[0]->type, (lf_type)v->arg[1]->type);
    case LF_AS:
        return (lf_type)v->as.i;
    case LF_FOR_MORE:
        return LF_BOOL;
    default:
        return (lf_type)v->type;
    }
}
