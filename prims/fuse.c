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
    int cost;        /* of its region, in plain operations */
    int group;       /* the last one that computes or reads it, from 1; 0: none */
    int low, high;   /* levels of the sinks that compute it; low > high: none */
    bool wall, root;
    const char *cut;
} info;

typedef struct fuser {
    lun_engine *e;
    info *at; /* in order: operands before users */
    int count, room;
    uint64_t walk;
    int *region; /* count_region(): indices of the nodes it has counted */
    int region_count, region_room;
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

/* Whether a kernel of that level finds o's elements in memory. */
static bool in_memory(const info *o, int level)
{
    return lun_node_ready(o->node) || (o->wall && o->level < level);
}

/* Exact number of operations and leaves in the region of node i, without those that a group computes
 * and reads anyway (0: no group).  Stops beyond what a kernel can hold, so few are visited. */
static bool count_region(fuser *f, int i, int group, int *ops, int *leaves)
{
    uint64_t walk = ++f->e->walk;
    *ops = *leaves = f->region_count = 0;
    if (!grow(&f->region, 0, &f->region_room, sizeof *f->region))
        return false;
    f->region[f->region_count++] = i;
    for (int at = 0; at < f->region_count; at++) {
        lun_node *n = f->at[f->region[at]].node, *in;
        if (*ops > LUN_GROUP_OPS || *leaves > LUN_GROUP_LEAVES)
            break;
        *ops += n->kind != LUN_NODE_OUTPUT;
        for (int k = 0; (in = lun_node_operand(n, k)); k++) {
            const info *o = &f->at[in->slot];
            if (in->mark == walk || in->kind == LUN_NODE_NUMBER || (group && o->group == group))
                continue;
            in->mark = walk;
            if (in_memory(o, f->at[i].level)) {
                ++*leaves;
                continue;
            }
            if (!grow(&f->region, f->region_count, &f->region_room, sizeof *f->region))
                return false;
            f->region[f->region_count++] = in->slot;
        }
    }
    return true;
}

static int capped(int64_t x)
{
    return x > 1 << 20 ? 1 << 20 : (int)x;
}

static int weight(const lun_node *n)
{
    if (n->kind == LUN_NODE_OP) {
        uint8_t flags = lun_op_get((lun_op)n->op)->flags;
        return flags & LUN_OPF_HEAVY ? 10 : flags & LUN_OPF_TRAP0 ? 8 : 1;
    }
    if (n->kind == LUN_NODE_CALL)
        return 20;
    return n->kind == LUN_NODE_RANDOM || n->kind == LUN_NODE_SCAN ? 10 : 1;
}

/* Sums over operands; a region of two scans keeps the first.  An output is its function's work. */
static void measure(fuser *f, info *x)
{
    lun_node *in;
    int64_t ops = x->node->kind != LUN_NODE_OUTPUT, leaves = 0, cost = weight(x->node);
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
        cost += o->cost;
    }
    if (x->node->kind == LUN_NODE_SCAN)
        x->scan = x->node;
    x->ops = capped(ops);
    x->leaves = capped(leaves);
    x->cost = capped(cost);
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
        if (!count_region(f, x->node->slot, 0, &x->ops, &x->leaves))
            return false;
        if (x->ops <= LUN_GROUP_OPS && x->leaves <= LUN_GROUP_LEAVES)
            return true;
        if (x->node->kind == LUN_NODE_OUTPUT)
            return true; /* as large as its function, which has one result too many for memory */
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

/* ---- work that several kernels need ---------------------------------------------------------------- */

/* Storing and reading again costs about as much as this many plain operations. */
enum { DEAR = 10 };

/* Tells x's operands which levels compute them. */
static void spread(fuser *f, const info *x)
{
    lun_node *in;
    for (int k = 0; (in = lun_node_operand(x->node, k)); k++) {
        info *o = &f->at[in->slot];
        if (in_memory(o, x->low))
            continue;
        if (x->low < o->low)
            o->low = x->low;
        if (x->high > o->high)
            o->high = x->high;
    }
}

/* What is dear and would be computed by kernels of several levels is kept by the first of them.  What is
 * made of virtual arrays alone is not: those take no memory. */
static void wall_shared(fuser *f)
{
    static const char *const reason = "several kernels need it";
    for (int i = 0; i < f->count; i++) {
        f->at[i].low = INT32_MAX;
        f->at[i].high = -1;
    }
    for (int i = f->count - 1; i >= 0; i--) {
        info *x = &f->at[i];
        bool function = x->node->kind == LUN_NODE_CALL && x->node->body->outputs > 1;
        if (lun_node_ready(x->node))
            continue;
        if (!x->wall && !x->root && x->low < x->high && x->cost >= DEAR && !x->node->virt &&
            !function) {
            wall(x, reason);
            x->level = x->low;
        }
        if (x->wall || x->root)
            x->low = x->high = x->level;
        spread(f, x);
    }
    for (int i = 0; i < f->count; i++) { /* results of one function */
        info *x = &f->at[i];
        if (x->node->kind != LUN_NODE_OUTPUT || x->wall || x->root || x->node->virt)
            continue;
        const info *call = &f->at[x->node->in[0]->slot];
        if (call->low < call->high) {
            wall(x, reason);
            x->level = call->low;
        }
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

/* Length of the index space in which a sink is computed. */
static int64_t space(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE ? n->in[0]->n : n->n;
}

/* Whether x may be a sink of g at all. */
static bool suits(const lun_group *g, const info *x)
{
    return !g->copy && x->node->kind != LUN_NODE_CONCAT && g->level == x->level &&
           g->n == space(x->node) && g->scan == x->scan && g->sink_count < LUN_GROUP_SINKS;
}

static bool has_room(const lun_group *g, int ops, int leaves)
{
    return g->ops + ops <= LUN_GROUP_OPS && g->leaves + leaves <= LUN_GROUP_LEAVES + 4;
}

/* The number of the group that takes sink i, s->count if there is none yet; -1 without memory.  Groups
 * of one level follow one another; `from` is the first of i's.  Few are tried, the last ones. */
static int find_group(fuser *f, const lun_schedule *s, int from, int i)
{
    enum { TRIES = 64, CLOSE_TRIES = 4 };
    const info *x = &f->at[i];
    int ops, leaves, k = s->count - from > TRIES ? s->count - TRIES : from;
    for (; k < s->count; k++) {
        const lun_group *g = &s->groups[k];
        if (!suits(g, x))
            continue;
        if (has_room(g, x->ops, x->leaves))
            break;
        if (k < s->count - CLOSE_TRIES)
            continue;
        if (!count_region(f, i, k + 1, &ops, &leaves)) /* it may share much with the others */
            return -1;
        if (has_room(g, ops, leaves))
            break;
    }
    return k;
}

/* Makes sink i one of its group's. */
static bool place(fuser *f, lun_schedule *s, int from, int i)
{
    const info *x = &f->at[i];
    lun_node *in;
    int ops, leaves, k = find_group(f, s, from, i);
    if (k < 0 || !count_region(f, i, k + 1, &ops, &leaves) ||
        !grow(&s->groups, k, &s->room, sizeof *s->groups))
        return false;
    lun_group *g = &s->groups[k];
    if (k == s->count) {
        s->count++;
        *g = (lun_group){.n = space(x->node), .level = x->level, .scan = x->scan, .cut = ""};
        g->copy = x->node->kind == LUN_NODE_CONCAT;
    }
    if (!grow(&g->sinks, g->sink_count, &g->sink_room, sizeof *g->sinks))
        return false;
    g->sinks[g->sink_count++] = x->node;
    g->ops += ops;
    g->leaves += leaves;
    if (x->cut[0])
        g->cut = x->cut;
    for (int at = 0; at < f->region_count; at++) {
        f->at[f->region[at]].group = k + 1;
        for (int o = 0; (in = lun_node_operand(f->at[f->region[at]].node, o)); o++)
            if (in_memory(&f->at[in->slot], x->level))
                f->at[in->slot].group = k + 1;
    }
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
        ok = place(f, s, from, sorted[i]);
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
    ok = ok && analyse(&f);
    if (ok)
        wall_shared(&f);
    ok = ok && make_groups(&f, out);
    if (ok) {
        out->walk = ++e->walk;
        number(&f, out);
    }
    free(f.at);
    free(f.region);
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
