/* type_join.c - joins of types, and messages about wrong ones. */
#include "luafn/type/rules.h"

lf_type luafn_type_join(lf_type a, lf_type b)
{
    if (a == LF_NONE || a == b)
        return b;
    if (b == LF_NONE)
        return a;
    if (lf_is_number(a) && lf_is_number(b))
        return a > b ? a : b;
    if ((lf_is_complex(a) || lf_is_number(a)) && (lf_is_complex(b) || lf_is_number(b))) {
        const lf_type x = lf_part_of(a), y = lf_part_of(b);
        return lf_complex_of(x > y ? x : y);
    }
    if (a >= LF_BOOL && a <= LF_MAYBE && b >= LF_BOOL && b <= LF_MAYBE)
        return LF_MAYBE;
    return LF_MIX;
}

/* The register that holds an operand of the instruction that v comes from, or -1. */
static int register_of(const lf_value *v, int operand)
{
    uint32_t w = v->proto->code[v->pc];
    lf_opcode op = lf_op(w);
    if (op >= OP_ADD && op <= OP_SHR)
        return operand ? lf_c(w) : lf_b(w);
    if ((op >= OP_ADDI && op <= OP_SHRI) || op == OP_UNM || op == OP_BNOT || op == OP_NOT)
        return operand ? -1 : lf_b(w);
    switch (op) {
    case OP_SHLI:
        return operand ? lf_b(w) : -1;
    case OP_EQ:
    case OP_LT:
    case OP_LE:
        return operand ? lf_b(w) : lf_a(w);
    case OP_EQK:
    case OP_EQI:
    case OP_LTI:
    case OP_LEI:
    case OP_TEST:
        return operand ? -1 : lf_a(w);
    case OP_GTI:
    case OP_GEI:
        return operand ? lf_a(w) : -1;
    case OP_TESTSET:
        return lf_b(w);
    case OP_GETTABLE:
        return operand ? lf_c(w) : lf_b(w);
    case OP_FORPREP:
        return -1;
    default:
        return -1;
    }
}

void luafn_type_join_mistyped(lf_compile *c, const lf_value *v, int operand, const char *what)
{
    const lf_value *x = v->arg[operand];
    int reg = v->pc >= 0 ? register_of(v, operand) : -1;
    const char *name = reg >= 0 ? luafn_debug_local_name(v->proto, reg, v->pc) : NULL;
    const char *is, *hint;
    if (lf_is_complex((lf_type)x->type))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "%s on a complex number%s%s%s: take its re, im or abs()", what,
                         name ? " (local '" : "", name ? name : "", name ? "')" : "");
    switch ((lf_type)x->type) {
    case LF_BOOL:
        is = "a boolean";
        hint = "make it a number with 'b and 1 or 0'";
        break;
    case LF_NIL:
        is = "nil";
        hint = x->kind == LF_CONST && name ? "give it a value, or pass the argument"
                                           : "give it a value on every path";
        break;
    case LF_MAYBE:
        is = "a value that may be nil";
        hint = "give it a value on every path";
        break;
    case LF_OBJECT:
        is = "a value that is not a number";
        hint = "only numbers and booleans are supported";
        break;
    default:
        is = "a value that is a number on some paths only";
        hint = "give it a number on every path";
    }
    luafn_debug_fail(&c->unit, v->proto, v->pc, "%s on %s%s%s%s: %s", what, is,
                     name ? " (local '" : "", name ? name : "", name ? "')" : "", hint);
}
