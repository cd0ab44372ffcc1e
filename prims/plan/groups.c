/* groups.c - walls and roots become groups: what is of one level, one length and one scan shares a
 * kernel as long as that does not get too large. Why there are walls is fuse.c's. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "plan/region.h"

/* Length of the index space in which a sink is computed. */
static int64_t space(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE ? n->in[0]->n : n->n;
}

/* Whether x's REDUCE or SCAN and what g has so far take their indices in the same way. */
static bool same_lines(const lun_group *g, const lun_fuse_info *x)
{
    const lun_node *n = x->node->kind == LUN_NODE_REDUCE ? x->node : x->scan;
    if (!n)
        return true;
    return n->step ? !g->whole && (!g->line || g->line == n->step) : !g->line;
}

static void take_lines(lun_group *g, const lun_fuse_info *x)
{
    const lun_node *n = x->node->kind == LUN_NODE_REDUCE ? x->node : x->scan;
    if (!n)
        return;
    g->line = n->step;
    g->whole = !n->step;
}

static bool begins(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE && lun__node_first(n);
}

/* A function without a first value, which may fail on what it is not asked for. */
static bool is_bare(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE && n->body && !lun__node_first(n);
}

/* Whether x may be a sink of g at all.  First values are combined with all results of a kernel. */
static bool suits(const lun_group *g, const lun_fuse_info *x)
{
    if ((g->begins && is_bare(x->node)) || (g->bare && begins(x->node)))
        return false;
    if (lun__node_in_blocks(x->node) || lun__node_in_blocks(g->sinks[0]))
        return false;
    return !g->step && !lun__node_is_step(x->node) && g->level == x->level &&
           g->n == space(x->node) && same_lines(g, x) && g->scan == x->scan &&
           g->needed == lun__node_needed(x->node) && g->sink_count < LUN_GROUP_SINKS;
}

static bool has_room(const lun_group *g, int ops, int leaves)
{
    return g->ops + ops <= LUN_GROUP_OPS && g->leaves + leaves <= LUN_GROUP_LEAVES + 4;
}

/* The number of the group that takes sink i, s->count if there is none yet; -1 without
 * memory.  Groups of one level follow one another; `from` is the first of i's.  Few are
 * tried, the last ones. */
static int find_group(lun_fuser *f, const lun_schedule *s, int from, int i)
{
    enum { TRIES = 64, CLOSE_TRIES = 4 };
    const lun_fuse_info *x = &f->at[i];
    int ops, leaves, k = s->count - from > TRIES ? s->count - TRIES : from;
    for (; k < s->count; k++) {
        const lun_group *g = &s->groups[k];
        if (!suits(g, x))
            continue;
        if (has_room(g, x->ops, x->leaves))
            break;
        if (k < s->count - CLOSE_TRIES)
            continue;
        if (!lun__fuse_region(f, i, k + 1, &ops, &leaves)) /* it may share much with the others */
            return -1;
        if (has_room(g, ops, leaves))
            break;
    }
    return k;
}

/* Makes sink i one of its group's. */
static bool place(lun_fuser *f, lun_schedule *s, int from, int i)
{
    const lun_fuse_info *x = &f->at[i];
    lun_node *in;
    int ops, leaves, k = find_group(f, s, from, i);
    if (k < 0 || !lun__fuse_region(f, i, k + 1, &ops, &leaves) ||
        !lun__grow(&s->groups, k, &s->room, sizeof *s->groups))
        return false;
    lun_group *g = &s->groups[k];
    if (k == s->count) {
        s->count++;
        *g = (lun_group){.n = space(x->node), .level = x->level, .scan = x->scan, .cut = ""};
        g->step = lun__node_is_step(x->node);
        g->users = x->users;
        g->needed = lun__node_needed(x->node);
    }
    if (!lun__grow(&g->sinks, g->sink_count, &g->sink_room, sizeof *g->sinks))
        return false;
    g->sinks[g->sink_count++] = x->node;
    g->ops += ops;
    g->leaves += leaves;
    if (x->cut[0])
        g->cut = x->cut;
    take_lines(g, x);
    g->kept += x->kept;
    g->begins |= begins(x->node);
    g->bare |= is_bare(x->node);
    for (int at = 0; at < f->region_count; at++) {
        f->at[f->region[at]].group = k + 1;
        for (int o = 0; (in = lun__node_operand(f->at[f->region[at]].node, o)); o++)
            if (lun__fuse_in_memory(&f->at[in->slot], x->level))
                f->at[in->slot].group = k + 1;
    }
    return true;
}

/* By level; in one, what is kept comes last: it is part of the others, and what may fail there is
 * said to fail where they use it. */
static inline int turn(const lun_fuse_info *x)
{
    return 2 * x->level + x->kept;
}

/* Sinks by turn: counting sort of their indices. */
bool lun__fuse_groups(lun_fuser *f, lun_schedule *s)
{
    int top = 0, sinks = 0;
    for (int i = 0; i < f->count; i++)
        if (f->at[i].wall || f->at[i].root) {
            sinks++;
            if (turn(&f->at[i]) > top)
                top = turn(&f->at[i]);
        }
    int *start = calloc((size_t)top + 2, sizeof *start);
    int *sorted = malloc(((size_t)sinks + 1) * sizeof *sorted);
    bool ok = start && sorted;
    for (int i = 0; ok && i < f->count; i++)
        if (f->at[i].wall || f->at[i].root)
            start[turn(&f->at[i]) + 1]++;
    for (int l = 0; ok && l <= top; l++)
        start[l + 1] += start[l];
    for (int i = 0; ok && i < f->count; i++)
        if (f->at[i].wall || f->at[i].root)
            sorted[start[turn(&f->at[i])]++] = i;
    int from = 0, level = 0;
    for (int i = 0; ok && i < sinks; i++) {
        const lun_fuse_info *x = &f->at[sorted[i]];
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
