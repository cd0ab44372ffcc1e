/* fuse.c - cuts the graph into groups, each of which becomes one kernel.
 *
 * Nodes are visited operands first.  A node that must be in memory before its consumer starts is a
 * `wall`; every cut has a reason that explain shows.  Walls and roots are the sinks; a sink's level is
 * one above the highest wall below it, and sinks of one level and one length share a kernel.
 * Knows no IR and no backend.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

typedef struct info {
    lun_node *node;
    lun_node *scan; /* the SCAN in its region, or NULL */
    int level;
    int ops, leaves; /* of its region, at most */
    bool wall, root, done;
    const char *cut;
} info;

typedef struct fuser {
    lun_engine *e;
    info *at; /* in order: operands before users */
    int count, room;
    uint64_t walk;
    int *stack; /* exact(): indices */
    int stack_room;
} fuser;

/* ---- the order ------------------------------------------------------------------------------------- */

typedef struct frame {
    lun_node *node;
    int next;
} frame;

static bool grow(void *array, int count, int *room, size_t bytes)
{
    void **p = array;
    if (count < *room)
        return true;
    if (*room > INT32_MAX / 4)
        return false;
    int more = *room ? 2 * *room : 64;
    void *q = realloc(*p, (size_t)more * bytes);
    if (!q)
        return false;
    *p = q;
    *room = more;
    return true;
}

/* Appends root and what it is made of. node->slot becomes the index of its info. */
static bool order(fuser *f, lun_node *root)
{
    frame *stack = NULL;
    int depth = 0, room = 0;
    bool ok = true;
    if (root->mark == f->walk)
        return true;
    root->mark = f->walk;
    ok = grow(&stack, depth, &room, sizeof *stack);
    if (ok)
        stack[depth++] = (frame){root, 0};
    while (ok && depth) {
        frame *top = &stack[depth - 1];
        lun_node *in = lun_node_ready(top->node) ? NULL : lun_node_operand(top->node, top->next);
        if (!in) {
            ok = grow(&f->at, f->count, &f->room, sizeof *f->at);
            if (!ok)
                break;
            top->node->slot = f->count;
            f->at[f->count++] = (info){.node = top->node, .cut = ""};
            depth--;
            continue;
        }
        top->next++;
        if (in->mark == f->walk)
            continue;
        in->mark = f->walk;
        ok = grow(&stack, depth, &room, sizeof *stack);
        if (ok)
            stack[depth++] = (frame){in, 0};
    }
    free(stack);
    return ok;
}

/* ---- walls ----------------------------------------------------------------------------------------------- */

static void wall(info *in, const char *reason)
{
    if (in->wall || lun_node_ready(in->node))
        return;
    in->wall = true;
    in->cut = reason;
}

/* What user needs of operand k before it can start. */
static void wall_by_use(const info *user, int k, info *in)
{
    lun_node *u = user->node, *n = in->node;
    if (n->kind == LUN_NODE_REDUCE)
        wall(in, "a reduction ends");
    else if (u->kind == LUN_NODE_CONCAT)
        wall(in, "a concatenation copies it");
    else if (u->kind == LUN_NODE_SLICE)
        wall(in, "a part of it is taken");
    else if (u->kind == LUN_NODE_CALL && k >= u->elements && n->rank > 0)
        wall(in, "a function indexes it");
    else if (u->kind == LUN_NODE_SCAN && k == 1)
        wall(in, "a scan starts with it");
    else if (u->kind != LUN_NODE_REDUCE && n->n != u->n)
        wall(in, "it is broadcast");
    else if (n->kind == LUN_NODE_CONCAT)
        wall(in, "a concatenation copies it");
}

/* Exact number of operations and leaves in the region of node i: few are visited, for this is asked
 * only when the estimate of a region with shared parts is too high. */
static bool exact(fuser *f, int i, int *ops, int *leaves)
{
    int depth = 0;
    uint64_t walk = ++f->e->walk;
    *ops = *leaves = 0;
    if (!grow(&f->stack, depth, &f->stack_room, sizeof *f->stack))
        return false;
    f->stack[depth++] = i;
    while (depth && *ops <= LUN_GROUP_OPS && *leaves <= LUN_GROUP_LEAVES) {
        lun_node *n = f->at[f->stack[--depth]].node, *in;
        ++*ops;
        for (int k = 0; (in = lun_node_operand(n, k)); k++) {
            if (in->mark == walk || in->kind == LUN_NODE_NUMBER)
                continue;
            in->mark = walk;
            if (lun_node_ready(in) || f->at[in->slot].wall)
                ++*leaves;
            else {
                if (!grow(&f->stack, depth, &f->stack_room, sizeof *f->stack))
                    return false;
                f->stack[depth++] = in->slot;
            }
        }
    }
    return true;
}

static int capped(int64_t x)
{
    return x > 1 << 20 ? 1 << 20 : (int)x;
}

/* Sums over operands; a region of two scans keeps the first. */
static void measure(fuser *f, info *x)
{
    lun_node *in;
    int64_t ops = 1, leaves = 0;
    x->level = 0;
    x->scan = NULL;
    for (int k = 0; (in = lun_node_operand(x->node, k)); k++) {
        info *o = &f->at[in->slot];
        if (in->kind == LUN_NODE_NUMBER)
            continue;
        if (in->kind == LUN_NODE_LEAF) {
            leaves++;
            continue;
        }
        int level = o->wall ? o->level + 1 : o->level;
        if (level > x->level)
            x->level = level;
        if (o->wall) {
            leaves++;
            continue;
        }
        if (o->scan && !x->scan)
            x->scan = o->scan;
        ops += o->ops;
        leaves += o->leaves;
    }
    if (x->node->kind == LUN_NODE_SCAN)
        x->scan = x->node;
    x->ops = capped(ops);
    x->leaves = capped(leaves);
}

/* Cuts where one kernel cannot hold two scans, or a reduction after a scan. */
static void wall_by_scan(fuser *f, info *x)
{
    lun_node *in, *scan = NULL;
    for (int k = 0; (in = lun_node_operand(x->node, k)); k++) {
        info *o = &f->at[in->slot];
        if (lun_node_ready(in) || o->wall || !o->scan)
            continue;
        if (x->node->kind == LUN_NODE_SCAN)
            wall(o, "one kernel holds one scan");
        else if (x->node->kind == LUN_NODE_REDUCE)
            wall(o, "a reduction follows a scan");
        else if (scan && scan != o->scan)
            wall(o, "one kernel holds one scan");
        else
            scan = o->scan;
    }
}

/* Puts the largest operands into memory until the region fits one kernel. */
static bool wall_by_size(fuser *f, info *x)
{
    while (x->ops > LUN_GROUP_OPS || x->leaves > LUN_GROUP_LEAVES) {
        if (!exact(f, x->node->slot, &x->ops, &x->leaves))
            return false;
        if (x->ops <= LUN_GROUP_OPS && x->leaves <= LUN_GROUP_LEAVES)
            return true;
        info *largest = NULL;
        lun_node *in;
        for (int k = 0; (in = lun_node_operand(x->node, k)); k++) {
            info *o = &f->at[in->slot];
            if (lun_node_ready(in) || o->wall || in->source)
                continue;
            if (!largest || o->ops + 10 * o->leaves > largest->ops + 10 * largest->leaves)
                largest = o;
        }
        if (!largest)
            return true; /* one operation alone: nothing left to cut */
        wall(largest, x->ops > LUN_GROUP_OPS ? "too many operations for one kernel"
                                             : "too many arrays for one kernel");
        measure(f, x);
    }
    return true;
}

static bool analyse(fuser *f)
{
    for (int i = 0; i < f->count; i++) {
        info *x = &f->at[i];
        lun_node *in;
        if (lun_node_ready(x->node))
            continue;
        for (int k = 0; (in = lun_node_operand(x->node, k)); k++)
            wall_by_use(x, k, &f->at[in->slot]);
        wall_by_scan(f, x);
        measure(f, x);
        if (!wall_by_size(f, x))
            return false;
    }
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

static bool fits(const lun_group *g, const info *x, int64_t n)
{
    return !g->copy && x->node->kind != LUN_NODE_CONCAT && g->level == x->level && g->n == n &&
           g->scan == x->scan && g->sink_count < LUN_GROUP_SINKS &&
           g->ops + x->ops <= LUN_GROUP_OPS && g->leaves + x->leaves <= LUN_GROUP_LEAVES + 4;
}

/* Length of the index space in which a sink is computed. */
static int64_t space(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE ? n->in[0]->n : n->n;
}

/* Groups of one level follow one another in s; `from` is the first of x's level. */
static bool place(lun_schedule *s, int from, const info *x)
{
    lun_group *g = NULL;
    for (int i = from; i < s->count && !g; i++)
        if (fits(&s->groups[i], x, space(x->node)))
            g = &s->groups[i];
    if (!g) {
        if (!grow(&s->groups, s->count, &s->room, sizeof *s->groups))
            return false;
        g = &s->groups[s->count++];
        *g = (lun_group){.n = space(x->node), .level = x->level, .scan = x->scan, .cut = ""};
        g->copy = x->node->kind == LUN_NODE_CONCAT;
    }
    if (!grow(&g->sinks, g->sink_count, &g->sink_room, sizeof *g->sinks))
        return false;
    g->sinks[g->sink_count++] = x->node;
    g->ops += x->ops;
    g->leaves += x->leaves;
    if (x->cut[0])
        g->cut = x->cut;
    return true;
}

/* Sinks by level: counting sort of their indices. */
static bool make_groups(fuser *f, lun_schedule *s)
{
    int top = 0, sinks = 0;
    for (int i = 0; i < f->count; i++)
        if (f->at[i].wall || f->at[i].root) {
            sinks++;
            if (f->at[i].level > top)
                top = f->at[i].level;
        }
    int *start = calloc((size_t)top + 2, sizeof *start);
    int *sorted = malloc(((size_t)sinks + 1) * sizeof *sorted);
    bool ok = start && sorted;
    for (int i = 0; ok && i < f->count; i++)
        if (f->at[i].wall || f->at[i].root)
            start[f->at[i].level + 1]++;
    for (int l = 0; ok && l <= top; l++)
        start[l + 1] += start[l];
    for (int i = 0; ok && i < f->count; i++)
        if (f->at[i].wall || f->at[i].root)
            sorted[start[f->at[i].level]++] = i;
    int from = 0, level = 0;
    for (int i = 0; ok && i < sinks; i++) {
        const info *x = &f->at[sorted[i]];
        if (x->level != level) {
            from = s->count;
            level = x->level;
        }
        ok = place(s, from, x);
    }
    free(start);
    free(sorted);
    return ok;
}

/* From now on node->slot of a sink is its group, of every other node -1. */
static void number(fuser *f, lun_schedule *s)
{
    for (int i = 0; i < f->count; i++) {
        f->at[i].node->mark = s->walk;
        f->at[i].node->slot = -1;
    }
    for (int g = 0; g < s->count; g++)
        for (int k = 0; k < s->groups[g].sink_count; k++)
            s->groups[g].sinks[k]->slot = g;
}

lun_status lun_fuse(lun_engine *e, lun_node *const *roots, int count, lun_schedule *out)
{
    fuser f = {.e = e, .walk = ++e->walk};
    memset(out, 0, sizeof *out);
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        if (!lun_node_ready(roots[i]))
            ok = order(&f, roots[i]);
    if (ok)
        for (int i = 0; i < count; i++)
            if (!lun_node_ready(roots[i]))
                f.at[roots[i]->slot].root = true;
    ok = ok && analyse(&f) && make_groups(&f, out);
    if (ok) {
        out->walk = ++e->walk;
        number(&f, out);
    }
    free(f.at);
    free(f.stack);
    if (ok)
        return LUN_OK;
    lun_schedule_free(out);
    return lun__nomem(e);
}

void lun_schedule_free(lun_schedule *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->groups[i].sinks);
    free(s->groups);
    memset(s, 0, sizeof *s);
}
