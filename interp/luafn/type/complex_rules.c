/* complex_rules.c - the types of operations on complex numbers: what is complex, what is real, and
 * what there is not. */
#include "complex/form.h"
#include "luafn/type/rules.h"

lun_op luafn_complex_rules_arith(const lf_value *v)
{
    switch ((lf_arith)v->sub) {
    case LF_ADD:
        return LUN_OP_ADD;
    case LF_SUB:
        return LUN_OP_SUB;
    case LF_MUL:
        return LUN_OP_MUL;
    case LF_DIV:
        return LUN_OP_DIV;
    case LF_POW:
        return LUN_OP_POW;
    default:
        return LUN_OP_COUNT;
    }
}

/* Complex numbers beside real ones: the widest parts. Booleans have no place there. */
static lf_type joined(lf_compile *c, const lf_value *v, int first, const char *what)
{
    lf_type t = LF_NONE;
    for (int k = first; k < v->args; k++) {
        const lf_type x = (lf_type)v->arg[k]->type;
        if (!lf_is_number(x) && !lf_is_complex(x))
            luafn_type_join_mistyped(c, v, k, what);
        t = luafn_type_join(t, x);
    }
    return t;
}

/* Of given parts: f32 beside weak numbers, else f64; weak if both are. */
static lf_type of_parts(lf_compile *c, const lf_value *v)
{
    lf_type part = LF_WF;
    for (int k = 0; k < 2; k++) {
        const lf_type x = (lf_type)v->arg[k]->type;
        if (!lf_is_number(x))
            luafn_type_join_mistyped(c, v, k, "lun.complex");
        const lf_type y = x == LF_WI ? LF_WF : lf_is_int(x) ? LF_F64 : x;
        part = y > part ? y : part;
    }
    return lf_complex_of(part);
}

static lf_type of_form(lf_compile *c, const lf_value *v)
{
    const lf_type t = (lf_type)v->arg[0]->type;
    if (!lf_is_number(t) && !lf_is_complex(t))
        luafn_type_join_mistyped(c, v, 0, v->as.s ? v->as.s : "a part");
    switch ((lf_form)v->sub) {
    case LF_FORM_REAL:
        return lf_is_complex(t) ? lf_part_of(t) : t;
    case LF_FORM_IMAG:
        return lf_is_complex(t) || t == LF_WI ? lf_part_of(t) : t;
    case LF_FORM_ANGLE:
        return lf_part_of(t);
    default:
        return t;
    }
}

static lf_type of_operation(lf_compile *c, const lf_value *v)
{
    const lun_op op = (lun_op)v->sub;
    const lun_op_row *row = lun__op_get(op);
    const lun__form form = lun__form_of(op);
    if (v->as.i)
        luafn_debug_fail(&c->unit, v->proto, v->pc, "math.%s of a complex number: lun.%s takes one",
                         row->name, row->name);
    if (form == LUN__FORM_NONE && lun__form_needs_order(op))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "lun.%s: complex numbers have no order: take abs(), re or im", row->name);
    if (form == LUN__FORM_NONE)
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "lun.%s is not for complex numbers: take abs(), re or im", row->name);
    if (row->rule == LUN_RULE_LOGIC || row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_TEST)
        return LF_BOOL;
    const lf_type t = joined(c, v, op == LUN_OP_WHERE, row->name);
    return form == LUN__FORM_REAL ? lf_part_of(t) : t;
}

lf_type luafn_complex_rules(lf_compile *c, const lf_value *v)
{
    switch ((lf_kind)v->kind) {
    case LF_COMPLEX:
        return of_parts(c, v);
    case LF_FORM:
        return of_form(c, v);
    case LF_ARITH:
        if (luafn_complex_rules_arith(v) == LUN_OP_COUNT)
            luafn_debug_fail(&c->unit, v->proto, v->pc, "complex numbers have + - * / ^ alone");
        return joined(c, v, 0, "arithmetic");
    case LF_NEG:
        return (lf_type)v->arg[0]->type;
    case LF_APPLY:
        return of_operation(c, v);
    case LF_NOT:
    case LF_TRUTH:
        return LF_BOOL;
    case LF_COMPARE:
        if (v->sub != LF_EQ)
            luafn_debug_fail(&c->unit, v->proto, v->pc,
                             "complex numbers have no order: take abs(), re or im");
        return LF_BOOL;
    default:
        for (int k = 0; k < v->args; k++)
            if (lf_is_complex((lf_type)v->arg[k]->type))
                luafn_type_join_mistyped(c, v, k,
                                         v->kind == LF_BNOT    ? "arithmetic"
                                         : v->kind == LF_MATH  ? "math"
                                         : v->kind == LF_STORE ? "an assignment to an element"
                                         : v->kind == LF_LOAD || v->kind == LF_PART ||
                                                 v->kind == LF_FLAT_INDEX
                                             ? "indexing"
                                         : v->kind >= LF_FOR_TEST ? "'for'"
                                                                  : "an assignment");
        return LF_NONE;
    }
}

void luafn_complex_rules_check(lf_compile *c, const lf_value *v)
{
    if (v->kind == LF_FORM && v->as.s && !lf_is_complex((lf_type)v->arg[0]->type))
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "'%.60s' of a number: only complex numbers have it", v->as.s);
}
