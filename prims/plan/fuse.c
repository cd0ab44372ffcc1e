/* fuse.c - cuts the graph into groups, each of which becomes one kernel.
 *
 * Nodes are visited operands first.  A node that must be in memory before its consumer starts is a
 * `wall`; every cut has a reason that explain shows.  Walls and roots are the sinks; a sink's level
 * is one above the highest wall below it, and sinks of one level and one length share a kernel.
 * Knows no backend, and of IR only how many results a function has.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/walk.h"
#include "plan/region.h"

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
    lun_fuser *f = ctx;
    if (!lun__grow(&f->at, f->count, &f->room, sizeof *f->at))
        return false;
    n->slot = f->count;
    f->at[f->count++] = (lun_fuse_info){.node = n, .cut = ""};
    return true;
}

/* Appends root and all nodes below it. */
static bool order(lun_fuser *f, lun_node *root)
{
    const lun_visitor v = {LUN_WALK_MARK, enter, append, f};
    return lun__walk(f->walk, root, &v);
}

/* ---- walls ----------------------------------------------------------------------------------- */

static void wall(lun_fuse_info *in, const char *reason)
{
    if (in->wall || lun__node_ready(in->node))
        return;
    in->wall = true;
    in->cut = reason;
}

/* Cuts at operand k where user needs it in memory. */
static void wall_by_use(const lun_fuse_info *user, int k, lun_fuse_info *in)
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
static void measure(lun_fuser *f, lun_fuse_info *x)
{
    lun_node *in;
    int64_t ops = lun__node_works(x->node), leaves = 0, cost = weight(x->node);
    x->level = 0;
    x->scan = NULL;
    for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
        lun_fuse_info *o = &f->at[in->slot];
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
static void wall_by_scan(lun_fuser *f, lun_fuse_info *x)
{
    lun_node *in, *scan = NULL;
    for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
        lun_fuse_info *o = &f->at[in->slot];
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
static bool wall_by_size(lun_fuser *f, lun_fuse_info *x)
{
    if (lun__node_is_step(x->node)) /* no kernel */
        return true;
    while (x->ops > LUN_GROUP_OPS || x->leaves > LUN_GROUP_LEAVES) {
        if (!lun__fuse_region(f, x->node->slot, 0, &x->ops, &x->leaves))
            return false;
        if (x->ops <= LUN_GROUP_OPS && x->leaves <= LUN_GROUP_LEAVES)
            return true;
        if (x->node->kind == LUN_NODE_OUTPUT)
            return true; /* as large as its function, which has one result too many for memory */
        lun_fuse_info *largest = NULL;
        lun_node *in;
        for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
            lun_fuse_info *o = &f->at[in->slot];
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

static bool analyse(lun_fuser *f)
{
    for (int i = 0; i < f->count; i++) {
        lun_fuse_info *x = &f->at[i];
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
static void spread(lun_fuser *f, const lun_fuse_info *x)
{
    lun_node *in;
    if (lun__node_in_blocks(x->node))
        return;
    for (int k = 0; (in = lun__node_operand(x->node, k)); k++) {
        lun_fuse_info *o = &f->at[in->slot];
        if (lun__fuse_in_memory(o, x->low))
            continue;
        if (x->low < o->low)
            o->low = x->low;
        if (x->high > o->high)
            o->high = x->high;
    }
}

/* A region of at least SHARE_COST that kernels of several levels would compute is stored by the
 * first of them.  Regions of virtual arrays alone are computed again: those take no memory. */
static void wall_shared(lun_fuser *f)
{
    static const char *const reason = "several kernels need it";
    for (int i = 0; i < f->count; i++) {
        f->at[i].low = INT32_MAX;
        f->at[i].high = -1;
    }
    for (int i = f->count - 1; i >= 0; i--) {
        lun_fuse_info *x = &f->at[i];
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
        lun_fuse_info *x = &f->at[i];
        if (x->node->kind != LUN_NODE_OUTPUT || x->wall || x->root ||
            lun__node_is(x->node, LUN_IS_VIRTUAL))
            continue;
        const lun_fuse_info *call = &f->at[x->node->in[0]->slot];
        if (call->low < call->high) {
            wall(x, reason);
            x->level = call->low;
        }
    }
}

/* What lun__keeps says becomes a root. */
static void root_kept(lun_fuser *f)
{
    for (int i = 0; i < f->count; i++) {
        lun_fuse_info *x = &f->at[i];
        if (!x->wall && !x->root && lun__keeps(f->e, x->node))
            x->kept = x->root = true;
    }
}

/* Sets node->slot to a sink's group, to -1 for every other node; see lun_schedule. */
static void number(lun_fuser *f, lun_schedule *s)
{
    for (int i = 0; i < f->count; i++) {
        f->at[i].node->mark = s->walk;
        f->at[i].node->slot = -1;
    }
    for (int g = 0; g < s->count; g++)
        for (int k = 0; k < s->groups[g].sink_count; k++)
            s->groups[g].sinks[k]->slot = g;
}

lun_status lun__fuse(lun_engine *e, lun_node *const *roots, int count, bool keep, lun_schedule *out)
{
    lun_fuser f = {.e = e, .walk = ++e->walk};
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
    ok = ok && lun__fuse_groups(&f, out);
    if (ok) {
        out->walk = ++e->walk;
        number(&f, out);
    }
    free(f.at);
    free(f.region);
    if (ok)
        return LUN_OK;
    lun__schedule_free(out);
    return lun__nomem(e);
}

void lun__schedule_free(lun_schedule *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->groups[i].sinks);
    free(s->groups);
    memset(s, 0, sizeof *s);
}
