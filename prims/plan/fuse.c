/* fuse.c - cuts the graph into groups, each of which becomes one kernel.
 *
 * Nodes are visited operands first.  A node that must be in memory before its consumer starts is a
 * `wall`; every cut has a reason that explain shows.  The region of a node is what one kernel would
 * compute for it, down to what is in memory.  Walls and roots are the sinks; a sink's level is one
 * above the highest wall in its region.  Sinks of one level, one length and one scan share a kernel
 * as long as that does not exceed the limits of a group. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/walk.h"
#include "plan/plan.h"

typedef struct fuse_info {
    lun_node *node;
    lun_node *scan; /* the SCAN in its region, or NULL */
    int level;
    int ops, leaves;       /* of its region, at most */
    int cost;              /* of its region, in plain operations */
    int users;             /* how often others name it as an operand */
    int group;             /* the last one that computes or reads it, from 1; 0: none */
    int until;             /* the last one that reads it */
    int low, high;         /* levels of the sinks that compute it; low > high: none */
    bool wall, root, kept; /* kept: beside results; it is a root as well then */
    const char *cut;
} fuse_info;

typedef struct fuser {
    lun_engine *e;
    fuse_info *at; /* in order: operands before users; node->slot is the index */
    int count, room;
    uint64_t walk;
    int *region; /* of the last measure_region: the nodes it has counted */
    int region_count, region_room;
} fuser;

/* Whether a kernel of that level finds o's elements in memory. */
static bool in_memory(const fuse_info *o, int level)
{
    return lun__node_ready(o->node) || (o->wall && o->level < level);
}

/* ---- the order ------------------------------------------------------------------------------- */

/* The walk does not go below nodes that are ready. */
static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

/* node->slot becomes the index of its info. */
static bool append(void *ctx, lun_node *n, const lun_node *user)
{
    (void)user;
    fuser *f = ctx;
    if (!lun__grow(&f->at, f->count, &f->room, sizeof *f->at))
        return false;
    n->slot = f->count;
    f->at[f->count++] = (fuse_info){.node = n, .cut = ""};
    return true;
}

/* Appends root and all nodes below it. */
static bool order(fuser *f, lun_node *root)
{
    const lun_visitor v = {LUN_WALK_MARK, enter, append, f};
    return lun__walk(f->walk, root, &v);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Exact number of operations and leaves in the region of node i, without those that a group
 * computes and reads anyway (0: no group).  Stops beyond what a kernel can hold, so few are
 * visited.  False: out of memory. */
static bool measure_region(fuser *f, int i, int group, int *ops, int *leaves)
{
    uint64_t walk = ++f->e->walk;
    *ops = *leaves = f->region_count = 0;
    if (!lun__grow(&f->region, 0, &f->region_room, sizeof *f->region))
        return false;
    f->region[f->region_count++] = i;
    for (int at = 0; at < f->region_count; at++) {
        lun_node *n = f->at[f->region[at]].node, *in;
        if (*ops > LUN_GROUP_OPS || *leaves > LUN_GROUP_LEAVES)
            break;
        *ops += lun__node_works(n);
        for (int k = 0; (in = lun__node_operand(n, k)); k++) {
            const fuse_info *o = &f->at[in->slot];
            bool stays = in_memory(o, f->at[i].level);
            if (in->kind == LUN_NODE_NUMBER || (group && o->group == group))
                continue;
            if (in->mark == walk && n->kind == LUN_NODE_VIEW && in->kind == LUN_NODE_PAD)
                ++*leaves; /* as below */
            if (in->mark == walk && !(stays && n->kind == LUN_NODE_VIEW))
                continue;
            in->mark = walk;
            if (stays) { /* every VIEW reads it through a slot of its own */
                ++*leaves;
                continue;
            }
            if (!lun__grow(&f->region, f->region_count, &f->region_room, sizeof *f->region))
                return false;
            f->region[f->region_count++] = in->slot;
        }
    }
    return true;
}

/* ---- walls ----------------------------------------------------------------------------------- */

static void wall(fuse_info *in, const char *reason)
{
    if (in->wall || lun__node_ready(in->node))
        return;
    in->wall = true;
    in->cut = reason;
}

/* Cuts at operand k where user needs it in memory. */
static void wall_by_use(const fuse_info *user, int k, fuse_info *in)
{
    lun_node *u = user->node, *n = in->node;
    if (n->kind == LUN_NODE_REDUCE)
        wall(in, lun__node_in_blocks(n) ? "allpairs ends" : "a reduction ends");
    else if (n->kind == LUN_NODE_MATMUL)
        wall(in, "a matrix product ends");
    else if (lun__node_first_result(n)->kind == LUN_NODE_RUNNING)
        wall(in, "a function's run along elements ends");
    else if (u->kind == LUN_NODE_RUNNING)
        wall(in, "a function runs along its elements");
    else if (n->kind == LUN_NODE_ALGORITHM || n->kind == LUN_NODE_RESULT)
        wall(in, "an algorithm ends");
    else if (u->kind == LUN_NODE_ALGORITHM)
        wall(in, "an algorithm takes it");
    else if (lun__node_is(u, LUN_IS_WHOLE))
        wall(in, "allpairs takes it");
    else if (lun__node_is_step(u)) {
        bool stands = n->kind == LUN_NODE_VIEW && !lun__node_made(n->in[0]);
        if (!stands)
            wall(in, u->kind == LUN_NODE_CONCAT ? "a concatenation copies it"
                                                : "a matrix product takes it");
    } else if (u->kind == LUN_NODE_PAD)
        wall(in, "elements beyond its ends are read");
    else if (u->kind == LUN_NODE_VIEW && !lun__node_made(n))
        wall(in, u->n > n->n   ? "it is broadcast"
                 : u->n < n->n ? "a part of it is taken"
                               : "it is read in another order");
    else if (u->kind == LUN_NODE_CALL && k >= u->elements && n->rank > 0)
        wall(in, "a function indexes it");
    else if (u->kind == LUN_NODE_SCAN && k == 1)
        wall(in, "a scan starts with it");
    else if (u->kind == LUN_NODE_REDUCE && k == 1)
        wall(in, lun__node_needed(u) ? "it says whether a reduction is needed"
                                     : "a reduction starts with it");
    else if (u->kind != LUN_NODE_REDUCE && u->kind != LUN_NODE_VIEW && n->n != u->n)
        wall(in, "it is broadcast");
    else if (n->kind == LUN_NODE_CONCAT)
        wall(in, "a concatenation copies it");
}

static int capped(int64_t x)
{
    return x > 1 << 20 ? 1 << 20 : (int)x;
}

static int weight(const lun_node *n)
{
    if (n->kind == LUN_NODE_OP)
        return lun__op_cost((lun_op)n->op);
    if (n->kind == LUN_NODE_CALL)
        return 20;
    return n->kind == LUN_NODE_RANDOM || n->kind == LUN_NODE_SCAN ? 10 : 1;
}

/* Sums over operands; a region of two scans keeps the first.  An output is its function's work. */
static void measure(fuser *f, fuse_info *x)
{
    lun_node *in;
    int64_t ops = lun__node_works(x->node), leaves = 0, cost = weight(x->node);
    x->level = 0;
    x->scan = NULL;
    for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
        fuse_info *o = &f->at[in->slot];
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
static void wall_by_scan(fuser *f, fuse_info *x)
{
    lun_node *in, *scan = NULL;
    for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
        fuse_info *o = &f->at[in->slot];
        if (lun__node_ready(in) || o->wall || !o->scan)
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
static bool wall_by_size(fuser *f, fuse_info *x)
{
    if (lun__node_is_step(x->node)) /* no kernel */
        return true;
    while (x->ops > LUN_GROUP_OPS || x->leaves > LUN_GROUP_LEAVES) {
        if (!measure_region(f, x->node->slot, 0, &x->ops, &x->leaves))
            return false;
        if (x->ops <= LUN_GROUP_OPS && x->leaves <= LUN_GROUP_LEAVES)
            return true;
        if (x->node->kind == LUN_NODE_OUTPUT)
            return true; /* as large as its function, which has one result too many for memory */
        fuse_info *largest = NULL;
        lun_node *in;
        for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
            fuse_info *o = &f->at[in->slot];
            if (lun__node_ready(in) || o->wall || lun__node_is(in, LUN_IS_SOURCE))
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
        fuse_info *x = &f->at[i];
        lun_node *in;
        if (lun__node_ready(x->node))
            continue;
        for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
            f->at[in->slot].users++;
            wall_by_use(x, k, &f->at[in->slot]);
        }
        wall_by_scan(f, x);
        measure(f, x);
        if (!wall_by_size(f, x))
            return false;
    }
    return true;
}

/* ---- work that several kernels need ---------------------------------------------------------- */

/* Storing and reading again costs about as much as this many plain operations. */
enum { SHARE_COST = 10 };

/* Extends the levels that compute x's operands by those that compute x.  What is reduced in blocks
 * is never stored: it has many times as many elements as the result. */
static void spread(fuser *f, const fuse_info *x)
{
    lun_node *in;
    if (lun__node_in_blocks(x->node))
        return;
    for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
        fuse_info *o = &f->at[in->slot];
        if (in_memory(o, x->low))
            continue;
        if (x->low < o->low)
            o->low = x->low;
        if (x->high > o->high)
            o->high = x->high;
    }
}

/* A region of at least SHARE_COST that kernels of several levels would compute is stored by the
 * first of them.  Regions of virtual arrays alone are computed again: those take no memory. */
static void wall_shared(fuser *f)
{
    static const char *const reason = "several kernels need it";
    for (int i = 0; i < f->count; i++) {
        f->at[i].low = INT32_MAX;
        f->at[i].high = -1;
    }
    for (int i = f->count - 1; i >= 0; i--) {
        fuse_info *x = &f->at[i];
        bool function = x->node->kind == LUN_NODE_CALL && x->node->body->outputs > 1;
        if (lun__node_ready(x->node))
            continue;
        if (!x->wall && !x->root && x->low < x->high && x->cost >= SHARE_COST &&
            !lun__node_is(x->node, LUN_IS_VIRTUAL) && !function) {
            wall(x, reason);
            x->level = x->low;
        }
        if (x->wall || x->root)
            x->low = x->high = x->level;
        spread(f, x);
    }
    for (int i = 0; i < f->count; i++) { /* results of one function */
        fuse_info *x = &f->at[i];
        if (x->node->kind != LUN_NODE_OUTPUT || x->wall || x->root ||
            lun__node_is(x->node, LUN_IS_VIRTUAL))
            continue;
        const fuse_info *call = &f->at[x->node->in[0]->slot];
        if (call->low < call->high) {
            wall(x, reason);
            x->level = call->low;
        }
    }
}

/* What lun__keeps says becomes a root. */
static void root_kept(fuser *f)
{
    for (int i = 0; i < f->count; i++) {
        fuse_info *x = &f->at[i];
        if (!x->wall && !x->root && lun__keeps(f->e, x->node))
            x->kept = x->root = true;
    }
}

/* Sets node->slot to a sink's group, to -1 for every other node; see lun_schedule. */
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

/* ---- groups ---------------------------------------------------------------------------------- */

/* Length of the index space in which a sink is computed. */
static int64_t space(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE ? n->in[0]->n : n->n;
}

/* Whether x's REDUCE or SCAN and what g has so far take their indices in the same way. */
static bool same_segments(const lun_group *g, const fuse_info *x)
{
    const lun_node *n = x->node->kind == LUN_NODE_REDUCE ? x->node : x->scan;
    if (!n)
        return true;
    return n->step ? !g->whole && (!g->segment || g->segment == n->step) : !g->segment;
}

static void take_segments(lun_group *g, const fuse_info *x)
{
    const lun_node *n = x->node->kind == LUN_NODE_REDUCE ? x->node : x->scan;
    if (!n)
        return;
    g->segment = n->step;
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
static bool suits(const lun_group *g, const fuse_info *x)
{
    if ((g->begins && is_bare(x->node)) || (g->bare && begins(x->node)))
        return false;
    if (lun__node_in_blocks(x->node) || lun__node_in_blocks(g->sinks[0]))
        return false;
    return !g->step && !lun__node_is_step(x->node) && g->level == x->level &&
           g->n == space(x->node) && same_segments(g, x) && g->scan == x->scan &&
           g->needed == lun__node_needed(x->node) && g->sink_count < LUN_GROUP_SINKS;
}

static bool has_room(const lun_group *g, int ops, int leaves)
{
    return g->ops + ops <= LUN_GROUP_OPS && g->leaves + leaves <= LUN_GROUP_LEAVES + 4;
}

/* The number of the group that takes sink i, s->count if there is none yet; -1 without
 * memory.  Groups of one level follow one another; `from` is the first of i's.  Few are
 * tried, the last ones. */
static int find_group(fuser *f, const lun_schedule *s, int from, int i)
{
    enum { TRIES = 64, CLOSE_TRIES = 4 };
    const fuse_info *x = &f->at[i];
    int ops, leaves, k = s->count - from > TRIES ? s->count - TRIES : from;
    for (; k < s->count; k++) {
        const lun_group *g = &s->groups[k];
        if (!suits(g, x))
            continue;
        if (has_room(g, x->ops, x->leaves))
            break;
        if (k < s->count - CLOSE_TRIES)
            continue;
        if (!measure_region(f, i, k + 1, &ops, &leaves)) /* it may share much with the others */
            return -1;
        if (has_room(g, ops, leaves))
            break;
    }
    return k;
}

/* Makes sink i one of its group's. */
static bool put_in_group(fuser *f, lun_schedule *s, int from, int i)
{
    const fuse_info *x = &f->at[i];
    lun_node *in;
    int ops, leaves, k = find_group(f, s, from, i);
    if (k < 0 || !measure_region(f, i, k + 1, &ops, &leaves) ||
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
    take_segments(g, x);
    g->kept += x->kept;
    g->begins |= begins(x->node);
    g->bare |= is_bare(x->node);
    for (int at = 0; at < f->region_count; at++) {
        f->at[f->region[at]].group = k + 1;
        for (int o = 0; (in = lun__node_operand(f->at[f->region[at]].node, o)); o++)
            if (in_memory(&f->at[in->slot], x->level)) {
                f->at[in->slot].group = k + 1;
                if (f->at[in->slot].until < k)
                    f->at[in->slot].until = k;
            }
    }
    return true;
}

/* By level; in one, what is kept comes last: it is part of the others, and what may fail there is
 * said to fail where they use it. */
static inline int turn(const fuse_info *x)
{
    return 2 * x->level + x->kept;
}

/* Sinks by turn: counting sort of their indices. */
/* Makes groups of the walls and roots, level by level.  False: out of memory. */
static bool make_groups(fuser *f, lun_schedule *s)
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
        const fuse_info *x = &f->at[sorted[i]];
        if (x->level != level) {
            from = s->count;
            level = x->level;
        }
        ok = put_in_group(f, s, from, sorted[i]);
    }
    free(start);
    free(sorted);
    return ok;
}

/* What becomes of the sinks of each group; node->slot is still that of the infos. */
static void find_readers(fuser *f, lun_schedule *s)
{
    for (int g = 0; g < s->count; g++) {
        const lun_node *needed = s->groups[g].needed;
        if (needed && !lun__node_ready(needed) && f->at[needed->slot].until < g)
            f->at[needed->slot].until = g;
    }
    for (int g = 0; g < s->count; g++)
        for (int k = 0; k < s->groups[g].sink_count; k++) {
            const fuse_info *x = &f->at[s->groups[g].sinks[k]->slot];
            s->groups[g].gives |= x->root;
            if (s->groups[g].until < x->until)
                s->groups[g].until = x->until;
        }
}

/* ---- the cut --------------------------------------------------------------------------------- */

lun_status lun__fuse(lun_engine *e, lun_node *const *roots, int count, bool keep, lun_schedule *out)
{
    fuser f = {.e = e, .walk = ++e->walk};
    memset(out, 0, sizeof *out);
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        if (!lun__node_ready(roots[i]))
            ok = order(&f, roots[i]);
    if (ok)
        for (int i = 0; i < count; i++)
            if (!lun__node_ready(roots[i]))
                f.at[roots[i]->slot].root = true;
    ok = ok && analyse(&f);
    if (ok && keep)
        root_kept(&f);
    if (ok)
        wall_shared(&f);
    ok = ok && make_groups(&f, out);
    if (ok) {
        find_readers(&f, out);
        out->walk = ++e->walk;
        number(&f, out);
    }
    free(f.at);
    free(f.region);
    if (ok)
        return LUN_OK;
    lun__fuse_free(out);
    return lun__fail_nomem(e);
}

void lun__fuse_free(lun_schedule *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->groups[i].sinks);
    free(s->groups);
    memset(s, 0, sizeof *s);
}
