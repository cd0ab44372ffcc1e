/* known_integers.c - integers that are known while a function is compiled: constants, captured
 * integers, and sums, differences and products of them; those that are known before a launch.
 * Makes no values. */
#include "luafn/ssa/build.h"

enum { LF_TERMS = 16 }; /* operations within operations */

static bool is_sum(const lf_value *v)
{
    return v->kind == LF_ARITH && (v->sub == LF_ADD || v->sub == LF_SUB || v->sub == LF_MUL);
}

/* Calls itself for operands, LF_TERMS deep at most. */
static bool find(const lf_compile *c, lf_value *v, int depth, int64_t *out)
{
    int64_t a, b;
    v = luafn_graph_find(v);
    if (lf_is_whole(v)) {
        *out = v->as.i;
        return true;
    }
    if (v->kind == LF_SCALAR && v->type == LF_WI && !c->prechecked) {
        *out = c->source[v->as.i].capture.value.as.i;
        return true;
    }
    if (depth == LF_TERMS || !(v->kind == LF_NEG || is_sum(v)))
        return false;
    if (!find(c, v->arg[0], depth + 1, &a))
        return false;
    if (v->kind == LF_NEG) {
        *out = -a;
        return true;
    }
    if (!find(c, v->arg[1], depth + 1, &b))
        return false;
    *out = v->sub == LF_ADD ? a + b : v->sub == LF_SUB ? a - b : a * b;
    return true;
}

/* Pins the code to the present values of the captured integers in v. */
static void pin(lf_compile *c, lf_value *v)
{
    v = luafn_graph_find(v);
    if (v->kind == LF_SCALAR)
        c->source[v->as.i].capture.pinned = true;
    for (int k = 0; k < v->args; k++)
        pin(c, v->arg[k]);
}

bool luafn_known_integer(lf_compile *c, lf_value *v, int64_t *out)
{
    if (!find(c, v, 0, out))
        return false;
    pin(c, v);
    return true;
}

/* ---- known before a launch ------------------------------------------------------------------- */

typedef struct linear {
    lf_value *base;
    int64_t by, plus;
} linear;

/* A number that a launch has before it runs, and is no truth value. */
static bool is_base(const lf_compile *c, const lf_value *v)
{
    switch ((lf_kind)v->kind) {
    case LF_PARAM:
        return v->as.i >= LUN_FRONT_NUMBERS && v->as.i < c->params &&
               !lun__dtype_is_bool(c->param[v->as.i].dtype);
    case LF_SCALAR:
        return v->type != LF_BOOL;
    case LF_ELEMENT:
        return !lun__dtype_is_bool(c->source[v->as.i].capture.dtype);
    case LF_LENGTH:
        return !(lf_whose_is(c, v->arg[0]).param && lf_whose_is(c, v->arg[0]).number >= c->params);
    default:
        return false;
    }
}

static bool combine(const lf_value *v, linear a, linear b, linear *out)
{
    if (v->sub == LF_MUL) {
        const linear by = a.base ? b : a, of = a.base ? a : b;
        *out = (linear){of.base, of.by * by.plus, of.plus * by.plus};
        return !by.base;
    }
    const int64_t sign = v->sub == LF_ADD ? 1 : -1;
    *out = (linear){a.base ? a.base : b.base, a.by + sign * b.by, a.plus + sign * b.plus};
    return !(a.base && b.base);
}

/* Calls itself for operands, LF_TERMS deep at most. */
static bool find_linear(const lf_compile *c, lf_value *v, int depth, linear *out)
{
    linear a, b = {NULL, 0, 0};
    v = luafn_graph_find(v);
    *out = (linear){v, 1, 0};
    if (is_base(c, v))
        return true;
    *out = (linear){NULL, 0, v->as.i};
    if (lf_is_whole(v))
        return v->as.i >= INT32_MIN && v->as.i <= INT32_MAX;
    if (depth == LF_TERMS || !(v->kind == LF_NEG || is_sum(v)) ||
        !find_linear(c, v->arg[0], depth + 1, &a))
        return false;
    if (v->kind == LF_NEG)
        *out = (linear){a.base, -a.by, -a.plus};
    else if (!find_linear(c, v->arg[1], depth + 1, &b) || !combine(v, a, b, out))
        return false;
    return out->by > INT32_MIN && out->by <= INT32_MAX && out->plus > INT32_MIN &&
           out->plus <= INT32_MAX;
}

bool luafn_known_integer_in_launch(const lf_compile *c, lf_value *v, lf_value **base, int32_t *by,
                                   int32_t *plus)
{
    linear x;
    if (!find_linear(c, v, 0, &x))
        return false;
    *base = x.by ? x.base : NULL;
    *by = (int32_t)x.by;
    *plus = (int32_t)x.plus;
    return true;
}
