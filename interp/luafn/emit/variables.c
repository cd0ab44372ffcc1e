/* variables.c - decides which values need variables: a value can be used within its scope; phis,
 * and values used beyond their scopes, get a variable in a scope around both. */
#include "luafn/emit/variables.h"

typedef struct placer {
    lf_compile *c;
    lf_list *leaves; /* constants and arguments in use, in order of use */
    int order;
} placer;

static lf_access *access_of(placer *p, lf_value *v)
{
    if (v->access)
        return v->access;
    v->access = LF_NEW(&p->c->unit, lf_access, 1);
    v->access->ins = v->access->var = -1;
    v->access->variable = v->kind == LF_PHI;
    if (lf_is_leaf(v))
        luafn_arena_push(&p->c->unit, p->leaves, v);
    else
        v->access->home = lf_scope_of(v);
    return v->access;
}

/* The innermost scope around both. */
static lf_scope *around(lf_scope *a, lf_scope *b)
{
    while (a != b) {
        if (a->depth >= b->depth)
            a = a->parent;
        else
            b = b->parent;
    }
    return a;
}

static void use(placer *p, lf_value *v, lf_scope *at)
{
    lf_access *access = access_of(p, v);
    if (lf_is_leaf(v) || lf_within(at, lf_scope_of(v)))
        return;
    access->variable = true;
    access->home = around(access->home, at);
}

lf_value *luafn_variables_incoming(const lf_value *phi, const lf_block *from)
{
    return phi->arg[from->place[from->succ[0] == phi->block ? 0 : 1]];
}

/* Uses on an edge; the variables of its phis must be open here. */
static void use_edge(placer *p, const lf_item *edge)
{
    const lf_block *to = edge->block->succ[edge->way];
    for (int k = 0; k < to->phis.count; k++) {
        lf_value *phi = to->phis.at[k], *v = luafn_variables_incoming(phi, edge->block);
        lf_access *access = access_of(p, phi);
        access->home = around(access->home, edge->scope);
        if (v != phi)
            use(p, v, edge->scope);
    }
}

static void use_ops(placer *p, const lf_item *item)
{
    for (int k = 0; k < item->block->ops.count; k++) {
        const lf_value *v = item->block->ops.at[k];
        for (int j = 0; j < v->args; j++)
            if (v->arg[j])
                use(p, v->arg[j], item->scope);
    }
}

static void walk(placer *p, lf_scope *s)
{
    for (int i = 0; i < s->items.count; i++) {
        lf_item *item = lf_item_at(s, i);
        item->order = p->order++;
        if (item->kind == LF_OPS)
            use_ops(p, item);
        if (item->kind == LF_EDGE)
            use_edge(p, item);
        if (item->kind == LF_IF)
            use(p, item->cond, s);
        for (int k = 0; k < 2; k++)
            if (item->body[k])
                walk(p, item->body[k]);
    }
}

/* ---- where variables are declared ---- */

static void declare_at(placer *p, lf_item *before, lf_value *v)
{
    luafn_arena_push(&p->c->unit, &before->vars, v);
    if (v->access->init)
        return;
    v->access->zero = luafn_graph_constant(&p->c->graph, LF_IR_CONST, v->type, 0);
    access_of(p, v->access->zero);
}

/* The item of scope s that is item or has it inside. */
static lf_item *ancestor(lf_item *item, const lf_scope *s)
{
    while (item->scope != s)
        item = item->scope->owner;
    return item;
}

static lf_item *earlier(lf_item *a, lf_item *b)
{
    return !a || b->order < a->order ? b : a;
}

/* Is v defined before item, in its scope? */
static bool at_hand(const lf_value *v, const lf_item *item)
{
    if (lf_is_leaf(v))
        return true;
    return v->block->item->order < item->order && lf_within(item->scope, lf_scope_of(v));
}

/* A phi's variable is declared before everything that uses it. If that is one of its own edges, the
 * value there is the initial one; if the phi's block follows in the same scope, any operand that is
 * defined. */
static void declare_phi(placer *p, lf_value *phi)
{
    lf_access *access = phi->access;
    const lf_block *b = phi->block;
    lf_item *before = ancestor(b->item, access->home);
    for (int k = 0; k < b->preds.count; k++) {
        const lf_block *from = b->preds.at[k];
        lf_item *edge = from->edge_item[from->succ[0] == b ? 0 : 1];
        if (edge)
            before = earlier(before, ancestor(edge, access->home));
    }
    if (before->kind == LF_EDGE)
        access->init = luafn_variables_incoming(phi, before->block);
    else if (b->item->scope == access->home)
        for (int k = 0; k < phi->args && !access->init; k++)
            if (phi->arg[k] != phi && at_hand(phi->arg[k], before))
                access->init = phi->arg[k];
    declare_at(p, before, phi);
}

static void declare(placer *p)
{
    lf_graph *g = &p->c->graph;
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        for (int k = 0; k < b->phis.count; k++)
            if (((lf_value *)b->phis.at[k])->access)
                declare_phi(p, b->phis.at[k]);
        for (int k = 0; k < b->ops.count; k++) {
            lf_value *v = b->ops.at[k];
            if (!v->access || !v->access->variable)
                continue;
            declare_at(p, ancestor(b->item, v->access->home), v);
        }
    }
}

void luafn_variables_assign(lf_compile *c, lf_scope *root, lf_list *leaves)
{
    placer p = {.c = c, .leaves = leaves};
    lf_graph *g = &c->graph;
    walk(&p, root);
    for (int i = 0; i < g->results.count; i++)
        use(&p, g->results.at[i], root);
    declare(&p);
}
