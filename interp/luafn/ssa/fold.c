/* fold.c - Lua's arithmetic on constants, as the VM does it. */
#include <math.h>

#include "luafn/ssa/graph.h"

static bool number_of(const lf_value *v, double *out)
{
    if (lf_is_const(v, LF_WI))
        *out = (double)v->as.i;
    else if (lf_is_const(v, LF_WF))
        *out = v->as.n;
    else
        return false;
    return true;
}

static int64_t shift_left(int64_t a, int64_t n)
{
    if (n <= -64 || n >= 64)
        return 0;
    return (int64_t)(n >= 0 ? (uint64_t)a << n : (uint64_t)a >> -n);
}

static lf_value *fold_integers(lf_graph *g, lf_arith op, int64_t a, int64_t b)
{
    switch (op) {
    case LF_ADD:
        return luafn_int(g, a + b);
    case LF_SUB:
        return luafn_int(g, a - b);
    case LF_MUL:
        return luafn_int(g, a * b);
    case LF_IDIV:
        if (b == 0)
            return NULL;
        if (b == -1)
            return luafn_int(g, -a);
        return luafn_int(g, a / b - (a % b != 0 && (a ^ b) < 0));
    case LF_MOD:
        if (b == 0)
            return NULL;
        if (b == -1)
            return luafn_int(g, 0);
        return luafn_int(g, a % b + (a % b != 0 && (a ^ b) < 0 ? b : 0));
    case LF_BAND:
        return luafn_int(g, a & b);
    case LF_BOR:
        return luafn_int(g, a | b);
    case LF_BXOR:
        return luafn_int(g, a ^ b);
    case LF_SHL:
        return luafn_int(g, shift_left(a, b));
    case LF_SHR:
        return luafn_int(g, b == INT64_MIN ? 0 : shift_left(a, -b));
    default:
        return NULL;
    }
}

static lf_value *fold_floats(lf_graph *g, lf_arith op, double a, double b)
{
    double r;
    switch (op) {
    case LF_ADD:
        return luafn_float(g, a + b);
    case LF_SUB:
        return luafn_float(g, a - b);
    case LF_MUL:
        return luafn_float(g, a * b);
    case LF_DIV:
        return luafn_float(g, a / b);
    case LF_IDIV:
        return luafn_float(g, floor(a / b));
    case LF_POW:
        return luafn_float(g, b == 2 ? a * a : pow(a, b));
    case LF_MOD:
        r = fmod(a, b);
        if (r > 0 ? b < 0 : r < 0 && b > 0)
            r += b;
        return luafn_float(g, r);
    default:
        return NULL;
    }
}

lf_value *luafn_fold_arith(lf_graph *g, lf_arith op, const lf_value *a, const lf_value *b)
{
    double x, y;
    if (lf_is_const(a, LF_WI) && lf_is_const(b, LF_WI) && op != LF_DIV && op != LF_POW)
        return fold_integers(g, op, a->as.i, b->as.i);
    if (!number_of(a, &x) || !number_of(b, &y))
        return NULL;
    return fold_floats(g, op, x, y);
}
