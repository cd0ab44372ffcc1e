/* builtin.c - calls of functions of the math library and of the operations of table/ops.def. */
#include "luafn/ssa/build.h"

#include <stdio.h>

typedef struct call {
    lf_builder *b;
    const lf_list *args;
    lf_list *results;
} call;

static lf_value *arg(const call *c, int k)
{
    return k < c->args->count ? c->args->at[k] : NULL;
}

static void give(const call *c, lf_value *v)
{
    luafn_arena_push(&c->b->c->unit, c->results, v);
}

/* There must be `count` arguments, of which none can be an object. */
static void need_arguments(const call *c, bool math, const char *name, int count)
{
    char what[32] = "math";
    int given = c->args->count;
    if (given < count)
        luafn_builder_stop(c->b, "%s.%s with %d argument%s: %d expected", math ? "math" : "lun",
                           name, given, given == 1 ? "" : "s", count);
    if (!math)
        snprintf(what, sizeof what, "lun.%s", name);
    for (int k = 0; k < given; k++)
        luafn_builder_need_number(c->b, arg(c, k), -1, what);
}

/* ---- operations ---- */

static void apply(const call *c, lun_op op, bool strict)
{
    lf_value *v = luafn_builder_new_op(c->b, LF_APPLY, op, lun__op_get(op)->arity);
    for (int k = 0; k < v->args; k++)
        v->arg[k] = arg(c, k);
    v->as.i = strict;
    give(c, v);
}

/* Is operand k of an operation a truth value? */
static bool is_truth(const lun_op_row *row, int k)
{
    return row->rule == LUN_RULE_LOGIC || (row->rule == LUN_RULE_SELECT && k == 0);
}

/* lun.land(x, 1) is refused for numbers in Lua; elements of arrays are true unless they are 0. */
static void need_truths(const call *c, const lun_op_row *row)
{
    for (int k = 0; k < row->arity; k++) {
        const lf_value *x = arg(c, k);
        bool number =
            (x->kind == LF_CONST || x->kind == LF_SCALAR) && lf_is_number((lf_type)x->type);
        if (number && is_truth(row, k))
            luafn_builder_stop(c->b, "lun.%s on a number: make it a boolean with x ~= 0",
                               row->name);
    }
}

static void row_call(const call *c, lun_op op, bool strict)
{
    const lun_op_row *row = lun__op_get(op);
    need_arguments(c, strict, row->name, row->arity);
    if (!strict)
        need_truths(c, row);
    apply(c, op, strict);
}

/* ---- functions of math that are no operations ---- */

static void math_call(const call *c, lf_math f)
{
    static const struct {
        const char *name;
        int arguments;
    } rows[] = {
#define LF_MATH_ROW(id, name, arguments, most) {name, arguments},
        LF_MATHS(LF_MATH_ROW)
#undef LF_MATH_ROW
    };
    lf_builder *b = c->b;
    need_arguments(c, true, rows[f].name, rows[f].arguments);
    lf_value *x = arg(c, 0), *y = arg(c, 1);
    switch (f) {
    case LF_MATH_MAX:
    case LF_MATH_MIN:
        for (int k = 1; k < c->args->count; k++)
            x = luafn_builder_emit2(b, LF_MATH, f, x, arg(c, k));
        give(c, y ? x : luafn_builder_emit1(b, LF_MATH, f, x));
        return;
    case LF_MATH_MODF:
        give(c, luafn_builder_emit1(b, LF_MATH, LF_MATH_MODF, x));
        give(c, luafn_builder_emit1(b, LF_MATH, LF_MATH_FRACTION, x));
        return;
    case LF_MATH_ATAN:
    case LF_MATH_LOG: {
        bool two = y && !lf_is_const(y, LF_NIL);
        if (two && f == LF_MATH_LOG)
            give(c, luafn_builder_emit2(b, LF_MATH, LF_MATH_LOG_BASE, x, y));
        else
            apply(c, f == LF_MATH_LOG ? LUN_OP_LOG : two ? LUN_OP_ATAN2 : LUN_OP_ATAN, true);
        return;
    }
    default:
        give(c, rows[f].arguments == 2 ? luafn_builder_emit2(b, LF_MATH, f, x, y)
                                       : luafn_builder_emit1(b, LF_MATH, f, x));
    }
}

void luafn_builtin(lf_builder *b, const lf_value *f, const lf_list *args, lf_list *results)
{
    const call c = {b, args, results};
    if (f->kind == LF_BUILTIN)
        math_call(&c, (lf_math)f->sub);
    else
        row_call(&c, (lun_op)f->sub, f->as.i && b->c->source[f->as.i].capture.strict);
}
