/* hoist.c - moves loop-invariant operations before their loop, and copies values that are used
 * only behind a loop at its exit, not in every iteration. */
#include "luafn/improve/improve.h"

#include "luafn/lower/lowering_state.h"

enum {
    LF_SPECULATE = 4
}; /* the most cost of operations moved before a loop that may not have run them */

/* The block before a loop: the predecessor of its header from outside. */
static lf_block *before(const lf_loop *loop)
{
    lf_block *entry = NULL;
    for (int k = 0; k < loop->header->preds.count; k++) {
        lf_block *p = loop->header->preds.at[k];
        if (p->order >= loop->header->order)
            continue;
        if (entry)
            return NULL;
        entry = p;
    }
    return entry;
}

static bool outside(const lf_value *v, const lf_loop *loop)
{
    return !v->block || !luafn_cfg_in_loop(v->block, loop);
}

/* Does b run in every iteration that is completed? */
static bool every_iteration(const lf_block *b, const lf_loop *loop)
{
    const lf_block *h = loop->header;
    for (int k = 0; k < h->preds.count; k++) {
        const lf_block *latch = h->preds.at[k];
        if (latch->order >= h->order && !luafn_cfg_dominates(b, latch))
            return false;
    }
    return true;
}

/* The outermost block to which v can move, or NULL if it must stay. A check in the header runs
 * whenever the loop does, and can move before it. */
static lf_block *hoisted(const lf_value *v)
{
    lf_block *to = NULL;
    bool check = v->kind == LF_IR_CHECK;
    int cost = check ? 0 : luafn_branches_cost(v);
    if (cost >= LF_NEVER)
        return NULL;
    for (const lf_loop *loop = v->block->in; loop; loop = loop->parent) {
        lf_block *entry = before(loop);
        for (int k = 0; k < v->args; k++)
            if (v->arg[k] && !outside(v->arg[k], loop))
                return to;
        if (check && (!entry || entry->end != LF_JUMP || (to ? to : v->block) != loop->header))
            return to;
        if (!entry || (cost > LF_SPECULATE && !every_iteration(v->block, loop)))
            return to;
        to = entry;
    }
    return to;
}

static void hoist(lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        int kept = 0;
        for (int k = 0; k < b->ops.count; k++) {
            lf_value *v = b->ops.at[k];
            lf_block *to = b->in ? hoisted(v) : NULL;
            if (to) {
                v->block = to;
                luafn_arena_push(g->u, &to->ops, v);
            } else {
                b->ops.at[kept++] = v;
            }
        }
        b->ops.count = kept;
    }
}

/* ---- values used behind a loop ---- */

/* Finds the exits of all loops: the one block to which all exits of a loop lead, without other
 * predecessors; NULL if there is none. */
static void find_exits(const lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        const lf_block *b = g->order.at[i];
        for (int k = 0; k < (b->end == LF_BRANCH ? 2 : b->end == LF_JUMP); k++) {
            lf_block *to = b->succ[k];
            for (lf_loop *l = b->in; l && !luafn_cfg_in_loop(to, l); l = l->parent) {
                l->exits += l->exit != to;
                l->exit = to;
            }
        }
    }
    for (int i = 0; i < g->order.count; i++) {
        const lf_block *h = g->order.at[i];
        lf_loop *l = h->in;
        if (!l || l->header != h)
            continue;
        for (int k = 0; l->exit && k < l->exit->preds.count; k++)
            if (l->exits > 1 || !luafn_cfg_in_loop(l->exit->preds.at[k], l))
                l->exit = NULL;
    }
}

/* Notes a use, by block b at the end of `at`, of a value of a loop behind it: with the innermost of
 * the loops that have an exit before b. (The header of a loop around them comes before both.) */
static void note_use(lf_graph *g, lf_value **use, const lf_block *at, const lf_block *b)
{
    const lf_value *v = *use;
    if (!v || !v->block || v->kind == LF_PHI)
        return;
    for (lf_loop *l = v->block->in; l && !luafn_cfg_in_loop(at, l); l = l->parent)
        if (l->exit && l->exit->order <= b->order) {
            luafn_arena_push(g->u, &l->uses, use);
            return;
        }
}

static void note_uses(lf_graph *g, lf_block *b)
{
    for (int k = 0; k < b->phis.count; k++) {
        lf_value *phi = b->phis.at[k];
        for (int j = 0; j < phi->args; j++)
            note_use(g, &phi->arg[j], b->preds.at[j], b);
    }
    for (int k = 0; k < b->ops.count; k++) {
        lf_value *v = b->ops.at[k];
        for (int j = 0; j < v->args; j++)
            note_use(g, &v->arg[j], b, b);
    }
    if (b->end == LF_BRANCH)
        note_use(g, &b->cond, b, b);
}

/* The phi of v behind the loop; low is scratch: the phi made for this loop. */
static lf_value *behind(lf_graph *g, lf_value *v, lf_block *exit)
{
    if (v->low)
        return v->low;
    lf_value *phi = luafn_graph_value(g, LF_PHI, exit->preds.count);
    phi->type = v->type;
    phi->block = exit;
    for (int k = 0; k < phi->args; k++)
        phi->arg[k] = v;
    luafn_arena_push(g->u, &exit->phis, phi);
    return v->low = phi;
}

/* A value made in a loop and used behind it gets a phi there: it is copied when the loop is
 * left, not in every iteration. A phi of the loop needs none: its variable keeps the last value. */
static void copy_on_exit(lf_graph *g)
{
    find_exits(g);
    for (int i = 0; i < g->order.count; i++)
        note_uses(g, g->order.at[i]);
    for (int k = 0; k < g->results.count; k++)
        note_use(g, (lf_value **)&g->results.at[k], g->exit, g->exit);
    for (int i = g->order.count - 1; i >= 0; i--) {
        const lf_block *h = g->order.at[i];
        lf_loop *loop = h->in;
        if (!loop || loop->header != h)
            continue;
        for (int k = 0; k < loop->uses.count; k++)
            (*(lf_value **)loop->uses.at[k])->low = NULL;
        for (int k = 0; k < loop->uses.count; k++) {
            lf_value **use = loop->uses.at[k];
            *use = behind(g, *use, loop->exit);
        }
    }
}

void luafn_hoist(lf_compile *c)
{
    lf_graph *g = &c->graph;
    luafn_cfg_loops(g);
    hoist(g);
    copy_on_exit(g);
}
