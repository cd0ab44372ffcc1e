/* hoist.c - moves loop-invariant operations before their loop, and copies values that are used
 * only behind a loop at its exit, not in every iteration. */
#include "luafn/improve/improve.h"

#include "luafn/lower/lowering.h"

enum { LF_SPECULATE = 4 }; /* cost of what may run before a loop that would not have reached it */

/* The block before a loop: where its header is entered from. */
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
    return !v->block || !luafn_in_loop(v->block, loop);
}

/* Does b run in every iteration that is completed? */
static bool every_iteration(const lf_block *b, const lf_loop *loop)
{
    const lf_block *h = loop->header;
    for (int k = 0; k < h->preds.count; k++) {
        const lf_block *latch = h->preds.at[k];
        if (latch->order >= h->order && !luafn_dominates(b, latch))
            return false;
    }
    return true;
}

/* The outermost place to which v can go, or NULL if it must stay. A check in the header runs
 * whenever the loop does, and can go before it. */
static lf_block *hoisted(const lf_value *v)
{
    lf_block *to = NULL;
    bool check = v->kind == LF_IR_CHECK;
    int cost = check ? 0 : luafn_cost(v);
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
                luafn_push(g->u, &to->ops, v);
            } else {
                b->ops.at[kept++] = v;
            }
        }
        b->ops.count = kept;
    }
}

/* ---- values used behind a loop ---- */

/* The one block to which all ways out of the loop lead, reached from nowhere else; NULL if there is
 * none. */
static lf_block *only_exit(const lf_graph *g, const lf_loop *loop)
{
    lf_block *exit = NULL;
    for (int i = loop->header->order; i < g->order.count; i++) {
        const lf_block *b = g->order.at[i];
        if (!luafn_in_loop(b, loop))
            continue;
        for (int k = 0; k < (b->end == LF_BRANCH ? 2 : b->end == LF_JUMP); k++) {
            lf_block *to = b->succ[k];
            if (luafn_in_loop(to, loop) || to == exit)
                continue;
            if (exit)
                return NULL;
            exit = to;
        }
    }
    for (int k = 0; exit && k < exit->preds.count; k++)
        if (!luafn_in_loop(exit->preds.at[k], loop))
            return NULL;
    return exit;
}

/* The phi of v behind the loop; low is scratch: the phi made for this loop. */
static lf_value *behind(lf_graph *g, lf_value *v, lf_block *exit)
{
    if (v->low)
        return v->low;
    lf_value *phi = luafn_value(g, LF_PHI, exit->preds.count);
    phi->type = v->type;
    phi->block = exit;
    for (int k = 0; k < phi->args; k++)
        phi->arg[k] = v;
    luafn_push(g->u, &exit->phis, phi);
    return v->low = phi;
}

static void redirect(lf_graph *g, lf_value **use, const lf_block *at, const lf_loop *loop,
                     lf_block *exit)
{
    lf_value *v = *use;
    if (!v || !v->block || v->kind == LF_PHI || luafn_in_loop(at, loop))
        return;
    if (luafn_in_loop(v->block, loop))
        *use = behind(g, v, exit);
}

static void redirect_block(lf_graph *g, lf_block *b, const lf_loop *loop, lf_block *exit)
{
    for (int k = 0; k < b->phis.count; k++) {
        lf_value *phi = b->phis.at[k];
        for (int j = 0; j < phi->args; j++)
            redirect(g, &phi->arg[j], b->preds.at[j], loop, exit);
    }
    for (int k = 0; k < b->ops.count; k++) {
        lf_value *v = b->ops.at[k];
        for (int j = 0; j < v->args; j++)
            redirect(g, &v->arg[j], b, loop, exit);
    }
    if (b->end == LF_BRANCH)
        redirect(g, &b->cond, b, loop, exit);
}

static void forget(lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        const lf_block *b = g->order.at[i];
        for (int k = 0; k < b->ops.count; k++)
            ((lf_value *)b->ops.at[k])->low = NULL;
    }
}

/* A value made in a loop and used behind it gets a phi there: it is copied when the loop is
 * left, not in every iteration. A phi of the loop needs none: its variable keeps the last value. */
static void copy_on_exit(lf_graph *g)
{
    for (int i = g->order.count - 1; i >= 0; i--) {
        const lf_block *h = g->order.at[i];
        if (!h->in || h->in->header != h)
            continue;
        lf_block *exit = only_exit(g, h->in);
        if (!exit)
            continue;
        forget(g);
        for (int k = exit->order; k < g->order.count; k++)
            redirect_block(g, g->order.at[k], h->in, exit);
        for (int k = 0; k < g->results.count; k++)
            redirect(g, (lf_value **)&g->results.at[k], g->exit, h->in, exit);
    }
}

void luafn_hoist(lf_compile *c)
{
    lf_graph *g = &c->graph;
    luafn_loops(g);
    hoist(g);
    copy_on_exit(g);
}
