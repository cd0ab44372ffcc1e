/* team_call.c - helpers of methods of t: the numbers of threads, and arguments. */
#include "luafn/ssa/team_call.h"

const int64_t *luafn_team_call_known(const lf_builder *b, int what)
{
    return b->c->param[what].shape;
}

/* ---- numbers --------------------------------------------------------------------------------- */

lf_value *luafn_team_call_arith(lf_builder *b, lf_arith op, lf_value *x, lf_value *y)
{
    return luafn_builder_emit2(b, LF_ARITH, op, x, y);
}

lf_value *luafn_team_call_by(lf_builder *b, lf_arith op, lf_value *x, int64_t n)
{
    bool nothing = (op == LF_MUL || op == LF_IDIV) ? n == 1 : op == LF_ADD && n == 0;
    return nothing ? x : luafn_team_call_arith(b, op, x, luafn_graph_int(b->g, n));
}

int64_t luafn_team_call_threads(const lf_builder *b)
{
    return lun_team_product(luafn_team_call_known(b, LUN_TEAM_THREADS), 0);
}

/* The number of the thread in its team, of the team in the league, from 0. */
lf_value *luafn_team_call_thread(lf_builder *b)
{
    return luafn_team_call_threads(b) == 1 ? luafn_graph_int(b->g, 0)
                                           : b->c->param_value[LUN_FRONT_THREAD];
}

/* ---- arguments ------------------------------------------------------------------------------- */

lf_value *luafn_team_call_arg(const lf_team_call *c, int k)
{
    return k + 1 < c->args->count ? c->args->at[k + 1] : NULL;
}

void luafn_team_call_give(const lf_team_call *c, lf_value *v)
{
    luafn_arena_push(c->b->g->u, c->results, v);
}

/* Argument k, an integer that is known when the kernel is compiled, of low .. high. */
int64_t luafn_team_call_whole(const lf_team_call *c, int k, int64_t low, int64_t high,
                              const char *what)
{
    int64_t n = 0;
    lf_value *v = luafn_team_call_arg(c, k);
    if (!v || !luafn_known_integer(c->b->c, v, &n))
        luafn_builder_stop(c->b, "t:%s: %s is an integer that is known before the kernel runs",
                           c->name, what);
    if (n < low || n > high)
        luafn_builder_stop(c->b, "t:%s: %s is %lld, not %lld to %lld", c->name, what, (long long)n,
                           (long long)low, (long long)high);
    return n;
}

const lf_value *luafn_team_call_function(const lf_team_call *c, int k)
{
    const lf_value *v = luafn_team_call_arg(c, k);
    if (!v || (v->kind != LF_CLOSURE && v->kind != LF_FUNCTION))
        luafn_builder_stop(c->b, "t:%s: argument %d is a function", c->name, k + 1);
    return v;
}

lf_value *luafn_team_call_number(const lf_team_call *c, int k)
{
    lf_value *v = luafn_team_call_arg(c, k);
    if (!v)
        luafn_builder_stop(c->b, "t:%s: argument %d is missing", c->name, k + 1);
    luafn_builder_need_number(c->b, v, -1, c->name);
    return v;
}
