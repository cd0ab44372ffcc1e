/* control_tree.c - blocks and dominators to nested control flow. */
#include "luafn/emit/control_tree.h"

#include <stdlib.h>

/* Beyond LF_FLAT levels a branch is written as a jump out; beyond LF_DEEPEST it is refused. */
enum { LF_FLAT = 60, LF_DEEPEST = 200 };

/* The children of a block in the tree. */
typedef struct lf_kids {
    lf_list inside, outside; /* merge points, by order: in the loop, or behind the loop it begins */
    bool merge;              /* reached by jumps, not by falling through */
} lf_kids;

typedef struct work {
    lf_block *block;
    lf_scope *scope;
} work;

typedef struct maker {
    lf_compile *c;
    lf_graph *g;
    lf_kids *kids; /* by order */
    work *stack;
    int depth;
} maker;

/* ---- which block hangs where ---- */

static int by_order(const void *a, const void *b)
{
    const lf_block *const *x = a, *const *y = b;
    return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static void hang_blocks(maker *m)
{
    lf_graph *g = m->g;
    for (int i = 1; i < g->order.count; i++) {
        lf_block *b = g->order.at[i], *parent = b->idom;
        lf_kids *own = &m->kids[i];
        const lf_loop *left = NULL;
        int forward = 0;
        for (int k = 0; k < b->preds.count; k++)
            forward += ((const lf_block *)b->preds.at[k])->order < i;
        for (const lf_loop *l = parent->in; l; l = l->parent)
            if (!luafn_cfg_in_loop(b, l))
                left = l;
        if (left)
            parent = left->header;
        own->merge = forward > 1 || left;
        if (b == g->exit || !own->merge)
            continue;
        lf_kids *up = &m->kids[parent->order];
        luafn_arena_push(&m->c->unit, left ? &up->outside : &up->inside, b);
    }
    for (int i = 0; i < g->order.count; i++) {
        lf_kids *k = &m->kids[i];
        if (k->inside.count)
            qsort(k->inside.at, (size_t)k->inside.count, sizeof(void *), by_order);
        if (k->outside.count)
            qsort(k->outside.at, (size_t)k->outside.count, sizeof(void *), by_order);
    }
    if (g->exit == g->entry)
        return;
    /* the exit is last, whichever block dominates it */
    m->kids[g->exit->order].merge = true;
    luafn_arena_push(&m->c->unit, &m->kids[0].outside, g->exit);
}

/* Where each edge stands among those to its block, which may be as many as there are returns. */
static void number_edges(const lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        const lf_block *b = g->order.at[i];
        for (int k = b->preds.count - 1; k >= 0; k--) {
            lf_block *from = b->preds.at[k];
            from->place[from->succ[0] == b ? 0 : 1] = k;
        }
    }
}

/* ---- the tree ---- */

static lf_scope *new_scope(maker *m, lf_item *owner)
{
    lf_scope *s = LF_NEW(&m->c->unit, lf_scope, 1);
    s->owner = owner;
    s->parent = owner ? owner->scope : NULL;
    s->depth = owner ? owner->scope->depth + 1 : 0;
    if (s->depth > LF_DEEPEST)
        luafn_debug_fail(&m->c->unit, m->g->proto, -1,
                         "control flow nested more than %d levels deep: split the function",
                         LF_DEEPEST);
    return s;
}

static lf_item *append(maker *m, lf_scope *s, lf_item_kind kind, lf_block *b)
{
    lf_item *item = LF_NEW(&m->c->unit, lf_item, 1);
    item->kind = kind;
    item->block = b;
    item->scope = s;
    if (kind == LF_IF || kind == LF_LOOP || kind == LF_GROUP)
        item->body[0] = new_scope(m, item);
    if (kind == LF_IF)
        item->body[1] = new_scope(m, item);
    luafn_arena_push(&m->c->unit, &s->items, item);
    return item;
}

/* Does any value flow into phis on this edge? */
static bool carries(const lf_block *from, const lf_block *to)
{
    const int i = from->place[from->succ[0] == to ? 0 : 1];
    for (int k = 0; k < to->phis.count; k++) {
        const lf_value *phi = to->phis.at[k];
        if (phi->arg[i] != phi)
            return true;
    }
    return false;
}

static void later(maker *m, lf_block *b, lf_scope *s)
{
    m->stack[m->depth++] = (work){b, s};
}

static void follow(maker *m, lf_block *b, int way, lf_scope *s)
{
    lf_block *to = b->succ[way];
    if (carries(b, to)) {
        b->edge_item[way] = append(m, s, LF_EDGE, b);
        b->edge_item[way]->way = way;
    }
    if (to->order <= b->order)
        append(m, s, LF_CONTINUE, to);
    else if (m->kids[to->order].merge)
        append(m, s, LF_BREAK, to);
    else
        later(m, to, s);
}

/* Groups for the merge points, the last one outermost; each is followed by its block. */
static lf_scope *open_groups(maker *m, const lf_list *blocks, lf_scope *s)
{
    for (int i = blocks->count - 1; i >= 0; i--) {
        lf_item *group = append(m, s, LF_GROUP, blocks->at[i]);
        later(m, blocks->at[i], s);
        s = group->body[0];
    }
    return s;
}

static void grow(maker *m, lf_block *b, lf_scope *s)
{
    const lf_kids *kids = &m->kids[b->order];
    s = open_groups(m, &kids->outside, s);
    if (luafn_cfg_is_header(b))
        s = append(m, s, LF_LOOP, b)->body[0];
    b->item = append(m, s, LF_OPS, b);
    s = open_groups(m, &kids->inside, s);
    if (b->end == LF_JUMP)
        follow(m, b, 0, s);
    if (b->end != LF_BRANCH)
        return;
    lf_item *branch = append(m, s, LF_IF, b);
    branch->cond = b->cond;
    if (s->depth < LF_FLAT) {
        follow(m, b, 0, branch->body[0]);
        follow(m, b, 1, branch->body[1]);
        return;
    }
    /* one branch ends in a jump: the other one can continue in this list */
    const lf_block *no = b->succ[1];
    int first = no->order <= b->order || m->kids[no->order].merge ? 1 : 0;
    branch->flip = first == 1;
    follow(m, b, first, branch->body[0]);
    follow(m, b, 1 - first, s);
}

lf_scope *luafn_control_tree(lf_compile *c)
{
    lf_graph *g = &c->graph;
    maker m = {.c = c, .g = g};
    m.kids = LF_NEW(&c->unit, lf_kids, g->order.count);
    m.stack = LF_NEW(&c->unit, work, 2 * g->order.count + 2);
    luafn_cfg_loops(g);
    number_edges(g);
    hang_blocks(&m);
    lf_scope *root = new_scope(&m, NULL);
    later(&m, g->entry, root);
    while (m.depth) {
        work w = m.stack[--m.depth];
        grow(&m, w.block, w.scope);
    }
    return root;
}
