/* closure.c - local functions and the variables that they share with the function around them. */
#include "luafn/ssa/build.h"

void luafn_closure(lf_builder *b, uint32_t w)
{
    lf_compile *c = b->c;
    lf_graph *g = b->g;
    lf_closure *k = LF_NEW(&c->unit, lf_closure, 1);
    k->proto = b->f->proto->p[lf_bx(w)];
    k->frame = b->f;
    k->name = luafn_debug_local_name(b->f->proto, lf_a(w), b->pc + 1);
    k->var = LF_NEW(&c->unit, int, k->proto->upvals);
    for (int i = 0; i < k->proto->upvals; i++) {
        const lf_upval *u = &k->proto->upval[i];
        lf_value *ignored = NULL;
        int var = u->in_stack     ? b->f->base + u->index
                  : b->f->closure ? luafn_builder_upvalue_var(b, b->f, u->index, &ignored)
                                  : -1;
        if (var < 0)
            continue;
        k->var[k->vars++] = var;
        if (luafn_flow_assigns(k->proto, i))
            luafn_arena_push(&c->unit, &g->var[var].writers, k);
    }
    k->alive = luafn_graph_vars(g, b->f, 1, -1);
    g->var[k->alive].closure = k;
    luafn_graph_write(g, k->alive, g->now, luafn_graph_bool(g, true));
    luafn_arena_push(&c->unit, &g->closures, k);
    lf_value *v = luafn_graph_value(g, LF_CLOSURE, 0);
    v->type = LF_OBJECT;
    v->as.closure = k;
    luafn_builder_set(b, lf_a(w), v);
}

void luafn_closure_close(lf_builder *b, int reg)
{
    lf_graph *g = b->g;
    for (int i = 0; i < g->closures.count; i++) {
        const lf_closure *k = g->closures.at[i];
        for (int j = 0; j < k->vars; j++) {
            const lf_var *v = &g->var[k->var[j]];
            if (v->frame != b->f || v->reg < reg)
                continue;
            luafn_graph_write(g, k->alive, g->now, luafn_graph_bool(g, false));
            break;
        }
    }
}
