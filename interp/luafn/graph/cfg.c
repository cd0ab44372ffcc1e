/* cfg.c - order, dominators and clean-up of a graph's blocks. */
#include "luafn/graph/graph.h"

typedef struct step {
    lf_block *block;
    int left;
} step;

static int succs(const lf_block *b)
{
    return b->end == LF_BRANCH ? 2 : b->end == LF_JUMP ? 1 : 0;
}

/* Depth first, the first successor last, so that it follows its block directly where it can. */
void luafn_cfg_order(lf_graph *g)
{
    step *stack = LF_NEW(g->u, step, g->blocks.count + 1);
    lf_block **done = LF_NEW(g->u, lf_block *, g->blocks.count);
    int depth = 0, n = 0;
    for (int i = 0; i < g->blocks.count; i++)
        ((lf_block *)g->blocks.at[i])->order = -1;
    stack[depth++] = (step){g->entry, succs(g->entry)};
    g->entry->order = 0;
    while (depth) {
        step *s = &stack[depth - 1];
        if (!s->left) {
            done[n++] = s->block;
            depth--;
            continue;
        }
        lf_block *to = s->block->succ[--s->left];
        if (to->order >= 0)
            continue;
        to->order = 0;
        stack[depth++] = (step){to, succs(to)};
    }
    g->order.count = 0;
    for (int i = n - 1; i >= 0; i--) {
        done[i]->order = g->order.count;
        luafn_arena_push(g->u, &g->order, done[i]);
    }
}

/* Numbers the dominator tree so that the blocks that a block dominates have the numbers from its
 * own on. */
static void number_tree(lf_graph *g)
{
    int n = g->order.count;
    int *next = LF_NEW(g->u, int, n);
    for (int i = 0; i < n; i++)
        ((lf_block *)g->order.at[i])->size = 1;
    for (int i = n - 1; i > 0; i--) {
        lf_block *b = g->order.at[i];
        b->idom->size += b->size;
    }
    g->entry->below = 0;
    next[0] = 1;
    for (int i = 1; i < n; i++) {
        lf_block *b = g->order.at[i];
        b->below = next[b->idom->order];
        next[b->idom->order] += b->size;
        next[i] = b->below + 1;
    }
}

/* The nearest common ancestor in the dominator tree. */
static lf_block *common(lf_block *a, lf_block *b)
{
    if (a->deep < b->deep) {
        lf_block *t = a;
        a = b;
        b = t;
    }
    while (a->deep > b->deep)
        a = a->leap->deep >= b->deep ? a->leap : a->idom;
    while (a != b) {
        bool far = a->leap != b->leap;
        a = far ? a->leap : a->idom;
        b = far ? b->leap : b->idom;
    }
    return a;
}

/* Loops have one entry, so that back edges change nothing: one pass in order is enough. A leap goes
 * up the tree as far as makes common() logarithmic (Myers, An Applicative Random-access Stack,
 * 1983). */
void luafn_cfg_dominators(lf_graph *g)
{
    g->entry->idom = g->entry->leap = g->entry;
    g->entry->deep = 0;
    for (int i = 1; i < g->order.count; i++) {
        lf_block *b = g->order.at[i], *idom = NULL;
        for (int k = 0; k < b->preds.count; k++) {
            lf_block *p = b->preds.at[k];
            if (p->order < i)
                idom = idom ? common(idom, p) : p;
        }
        const lf_block *far = idom->leap;
        b->idom = idom;
        b->deep = idom->deep + 1;
        b->leap = idom->deep - far->deep == far->deep - far->leap->deep ? far->leap : idom;
    }
    number_tree(g);
}

bool luafn_cfg_dominates(const lf_block *a, const lf_block *b)
{
    return a->below <= b->below && b->below < a->below + a->size;
}

bool luafn_cfg_is_header(const lf_block *b)
{
    for (int k = 0; k < b->preds.count; k++)
        if (((const lf_block *)b->preds.at[k])->order >= b->order)
            return true;
    return false;
}

bool luafn_cfg_in_loop(const lf_block *b, const lf_loop *loop)
{
    for (const lf_loop *l = b->in; l; l = l->parent)
        if (l == loop)
            return true;
    return false;
}

/* Headers come in order, so that inner loops overwrite outer ones. */
void luafn_cfg_loops(lf_graph *g)
{
    int n = g->order.count;
    lf_block **stack = LF_NEW(g->u, lf_block *, n + 1);
    for (int i = 0; i < n; i++)
        ((lf_block *)g->order.at[i])->in = NULL;
    for (int i = 0; i < n; i++) {
        lf_block *h = g->order.at[i];
        int depth = 0;
        if (!luafn_cfg_is_header(h))
            continue;
        lf_loop *loop = LF_NEW(g->u, lf_loop, 1);
        loop->header = h;
        loop->parent = h->in;
        h->in = loop;
        for (int k = 0; k < h->preds.count; k++) {
            lf_block *latch = h->preds.at[k];
            if (latch->order < h->order || latch->in == loop)
                continue;
            latch->in = loop;
            stack[depth++] = latch;
            while (depth) {
                const lf_block *b = stack[--depth];
                for (int j = 0; j < b->preds.count; j++) {
                    lf_block *p = b->preds.at[j];
                    if (p->in == loop)
                        continue;
                    p->in = loop;
                    stack[depth++] = p;
                }
            }
        }
    }
}

void luafn_cfg_drop_pred(lf_block *b, int index)
{
    b->preds.count--;
    for (int i = index; i < b->preds.count; i++)
        b->preds.at[i] = b->preds.at[i + 1];
    for (int k = 0; k < b->phis.count; k++) {
        lf_value *phi = b->phis.at[k];
        phi->args--;
        for (int i = index; i < phi->args; i++)
            phi->arg[i] = phi->arg[i + 1];
    }
}

void luafn_cfg_replace_pred(lf_block *b, lf_block *old, lf_block *new)
{
    for (int i = 0; i < b->preds.count; i++)
        if (b->preds.at[i] == old)
            b->preds.at[i] = new;
}

/* Predecessor `from` of b, with its operands of phis, becomes number `to`. */
static void keep_pred(lf_block *b, int to, int from)
{
    b->preds.at[to] = b->preds.at[from];
    for (int i = 0; to < from && i < b->phis.count; i++) {
        lf_value *phi = b->phis.at[i];
        phi->arg[to] = phi->arg[from];
    }
}

static void cut_preds(lf_block *b, int count)
{
    if (count < b->preds.count)
        for (int i = 0; i < b->phis.count; i++)
            ((lf_value *)b->phis.at[i])->args = count;
    b->preds.count = count;
}

/* Drops edges from unreachable blocks, and those that were redirected. */
static void drop_edges(lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        if (b->end == LF_BRANCH && b->succ[0] == b->succ[1])
            b->end = LF_JUMP;
        int kept = 0;
        for (int k = 0; k < b->preds.count; k++) {
            lf_block *p = b->preds.at[k];
            bool here =
                p->order >= 0 && (p->succ[0] == b || (p->end == LF_BRANCH && p->succ[1] == b));
            if (!here || p->seen == b)
                continue;
            p->seen = b;
            keep_pred(b, kept++, k);
        }
        cut_preds(b, kept);
        for (int k = 0; k < kept; k++)
            ((lf_block *)b->preds.at[k])->seen = NULL;
    }
}

/* Replaces phis that can only have one value; forgets those replaced before. */
static bool drop_phis(lf_graph *g, lf_block *b)
{
    bool changed = false;
    int kept = 0;
    for (int k = 0; k < b->phis.count; k++) {
        lf_value *phi = b->phis.at[k], *only = NULL;
        bool several = false;
        for (int i = 0; i < phi->args && !phi->instead; i++) {
            lf_value *x = luafn_graph_find(phi->arg[i]);
            if (x == phi || x == only)
                continue;
            if (only)
                several = true;
            only = x;
        }
        if (several) {
            b->phis.at[kept++] = phi;
            continue;
        }
        if (!phi->instead)
            phi->instead = only ? only : luafn_graph_nil(g);
        changed = true;
    }
    b->phis.count = kept;
    return changed;
}

/* Phis of one block with the same operands are one phi: a numeric for keeps its index twice. */
static bool join_phis(lf_block *b)
{
    bool changed = false;
    for (int i = 0; i < b->phis.count; i++)
        for (int j = 0; j < i; j++) {
            lf_value *x = b->phis.at[i], *y = b->phis.at[j];
            bool same = !x->instead && !y->instead && x->type == y->type;
            for (int k = 0; same && k < x->args; k++)
                same = luafn_graph_find(x->arg[k]) == luafn_graph_find(y->arg[k]);
            if (!same)
                continue;
            x->instead = y;
            changed = true;
        }
    return changed;
}

static void resolve(lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        for (int k = 0; k < b->phis.count + b->ops.count; k++) {
            lf_value *v = k < b->phis.count ? b->phis.at[k] : b->ops.at[k - b->phis.count];
            for (int j = 0; j < v->args; j++)
                if (v->arg[j])
                    v->arg[j] = luafn_graph_find(v->arg[j]);
        }
        if (b->end == LF_BRANCH)
            b->cond = luafn_graph_find(b->cond);
    }
    for (int i = 0; i < g->results.count; i++)
        g->results.at[i] = luafn_graph_find(g->results.at[i]);
}

/* Merges a block into its only predecessor. */
static void join_blocks(lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        while (b->order >= 0 && b->end == LF_JUMP) {
            lf_block *s = b->succ[0];
            if (s == b || s->preds.count != 1 || s->phis.count)
                break;
            for (int k = 0; k < s->ops.count; k++) {
                lf_value *v = s->ops.at[k];
                v->block = b;
                luafn_arena_push(g->u, &b->ops, v);
            }
            b->end = s->end;
            b->cond = s->cond;
            for (int k = 0; k < 2; k++) {
                b->succ[k] = s->succ[k];
                if (s->succ[k])
                    luafn_cfg_replace_pred(s->succ[k], s, b);
            }
            s->order = -1;
            if (g->exit == s)
                g->exit = b;
        }
    }
}

void luafn_cfg_simplify(lf_graph *g)
{
    luafn_cfg_order(g);
    drop_edges(g);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < g->order.count; i++)
            changed |= drop_phis(g, g->order.at[i]);
        for (int i = 0; i < g->order.count; i++)
            changed |= join_phis(g->order.at[i]);
    }
    resolve(g);
    join_blocks(g);
    luafn_cfg_order(g);
}

static void mark(lf_graph *g, lf_list *work, lf_value *v)
{
    if (v->mark)
        return;
    v->mark = true;
    luafn_arena_push(g->u, work, v);
}

static void keep_marked(lf_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        lf_value *v = list->at[i];
        if (v->mark)
            list->at[kept++] = v;
    }
    list->count = kept;
}

void luafn_cfg_sweep(lf_graph *g, bool (*effect)(const lf_value *v))
{
    lf_list work = {0};
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        for (int k = 0; k < b->phis.count; k++)
            ((lf_value *)b->phis.at[k])->mark = false;
        for (int k = 0; k < b->ops.count; k++)
            ((lf_value *)b->ops.at[k])->mark = false;
    }
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        if (b->end == LF_BRANCH)
            mark(g, &work, b->cond);
        for (int k = 0; k < b->ops.count; k++)
            if (effect(b->ops.at[k]))
                mark(g, &work, b->ops.at[k]);
    }
    for (int i = 0; i < g->results.count; i++)
        mark(g, &work, g->results.at[i]);
    while (work.count) {
        const lf_value *v = work.at[--work.count];
        for (int k = 0; k < v->args; k++)
            if (v->arg[k])
                mark(g, &work, v->arg[k]);
    }
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        keep_marked(&b->phis);
        keep_marked(&b->ops);
    }
}
