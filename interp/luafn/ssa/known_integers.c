/* known_integers.c - integers that are known while a function is compiled: constants, captured
 * integers, and sums, differences and products of them.  Makes no values. */
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
