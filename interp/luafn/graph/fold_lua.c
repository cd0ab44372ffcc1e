/* fold_lua.c - Lua's arithmetic on constants, as the VM does it. */
#include <math.h>

#include "luafn/graph/graph.h"

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

/* False: an error of Lua, or no integer. */
static bool fold_integers(lf_arith op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case LF_ADD:
        *out = a + b;
        break;
    case LF_SUB:
        *out = a - b;
        break;
    case LF_MUL:
        *out = a * b;
        break;
    case LF_IDIV:
        if (b == 0)
            return false;
        *out = b == -1 ? -a : a / b - (a % b != 0 && (a ^ b) < 0);
        break;
    case LF_MOD:
        if (b == 0)
            return false;
        *out = b == -1 ? 0 : a % b + (a % b != 0 && (a ^ b) < 0 ? b : 0);
        break;
    case LF_BAND:
        *out = a & b;
        break;
    case LF_BOR:
        *out = a | b;
        break;
    case LF_BXOR:
        *out = a ^ b;
        break;
    case LF_SHL:
        *out = shift_left(a, b);
        break;
    case LF_SHR:
        *out = b == INT64_MIN ? 0 : shift_left(a, -b);
        break;
    default:
        return false;
    }
    return true;
}

static lf_value *fold_floats(lf_graph *g, lf_arith op, double a, double b)
{
    double r;
    switch (op) {
    case LF_ADD:
        return luafn_graph_float(g, a + b);
    case LF_SUB:
        return luafn_graph_float(g, a - b);
    case LF_MUL:
        return luafn_graph_float(g, a * b);
    case LF_DIV:
        return luafn_graph_float(g, a / b);
    case LF_IDIV:
        return luafn_graph_float(g, floor(a / b));
    case LF_POW:
        return luafn_graph_float(g, b == 2 ? a * a : pow(a, b));
    case LF_MOD:
        r = fmod(a, b);
        if (r > 0 ? b < 0 : r < 0 && b > 0)
            r += b;
        return luafn_graph_float(g, r);
    default:
        return NULL;
    }
}

lf_value *luafn_fold_lua(lf_graph *g, lf_arith op, const lf_value *a, const lf_value *b)
{
    double x, y;
    int64_t i;
    if (lf_is_whole(a) && lf_is_whole(b) && op != LF_DIV && op != LF_POW)
        return fold_integers(op, a->as.i, b->as.i, &i)
                   ? luafn_graph_whole(g, a->type > b->type ? a->type : b->type, i)
                   : NULL;
    if (!number_of(a, &x) || !number_of(b, &y))
        return NULL;
    return fold_floats(g, op, x, y);
}
