/* eval.c - evaluates nodes, and elements of a node that are read before all of it is needed: by
 * what is remembered or by a plan. */
#include "eval/eval.h"

#include <stdlib.h>

#include "base/grow.h"
#include "eval/fast_path.h"
#include "eval/recipe.h"
#include "graph/backward_slice.h"
#include "graph/walk.h"
#include "launch/trap.h"
#include "lunarray_bind.h"
#include "schedule/steps.h"
#include "store/export.h"

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

static bool note(void *trait, lun_node *n, const lun_node *user)
{
    (void)user;
    n->is |= *(uint8_t *)trait;
    return true;
}

lun_status lun__eval_note(lun_engine *e, lun_node *const *roots, int count, uint8_t trait)
{
    const lun_visitor v = {LUN_WALK_MARK, enter, note, &trait};
    uint64_t walk = ++e->walk;
    for (int i = 0; i < count; i++)
        if (!lun__walk(walk, roots[i], &v))
            return lun__fail_nomem(e);
    return LUN_OK;
}

/* By a plan of its own.  *kept: whether it keeps arrays beside the roots. */
static lun_status run_planned(lun_engine *e, lun_node *const *roots, int count, bool keep,
                              bool *kept)
{
    lun_steps s;
    lun_status status = lun__steps_make(e, roots, count, keep ? LUN_STEPS_KEEP : 0, &s);
    *kept = false;
    if (status != LUN_OK)
        return status;
    for (int i = 0; i < s.count; i++)
        *kept |= s.at[i].kept > 0;
    lun_recipe *r = keep ? lun__recipe_learn(e, roots, count, &s) : NULL;
    status = lun__eval_note(e, roots, count, LUN_IS_COMPUTED);
    if (status == LUN_OK)
        status = r ? lun__recipe_launch(e, r) : lun__run_plan_steps(e, &s, s.count);
    lun__steps_free(e, &s);
    return status;
}

static bool are_done(lun_node *const *roots, int count)
{
    bool done = true;
    for (int i = 0; i < count; i++)
        done &= roots[i]->kind == LUN_NODE_LEAF ||
                (roots[i]->kind == LUN_NODE_NUMBER && !roots[i]->rank);
    return done;
}

static lun_status run_whole(lun_engine *e, lun_node *const *roots, int count);

/* Without a plan, where little is left to plan.  *done as of lun__recipe_run. */
static lun_status run_short(lun_engine *e, lun_node *const *roots, int count, bool *done)
{
    bool some = false, levels = false;
    *done = false;
    if (e->set_count)
        return LUN_OK;
    lun_status status = lun__stencil_levels_run(e, roots, count, run_whole, &levels);
    if (status == LUN_OK)
        status = lun__fast_products(e, roots, count, &some);
    some |= levels;
    *done = status == LUN_OK && are_done(roots, count);
    return *done || !some || status != LUN_OK ? status : lun__recipe_run(e, roots, count, done);
}

/* What is kept beside the roots is kept only where memory suffices. */
static lun_status run_whole(lun_engine *e, lun_node *const *roots, int count)
{
    bool done, kept = true;
    lun_status status = run_short(e, roots, count, &done);
    if (done)
        return status;
    if (status == LUN_OK)
        status = run_planned(e, roots, count, true, &kept);
    if (kept && lun__launch_short_of_memory(e, status)) {
        lun__fail_clear(e);
        status = run_planned(e, roots, count, false, &kept);
    }
    return status;
}

/* Nodes that are cones, evaluated. */
static lun_status run_parts(lun_engine *e, lun_node *const *cones, int count)
{
    bool done = are_done(cones, count);
    lun_status status = done ? LUN_OK : lun__recipe_run(e, cones, count, &done);
    return done || status != LUN_OK ? status : run_whole(e, cones, count);
}

/* Roots that are small parts of what waits: the elements alone that they hang on. */
static lun_status run_cones(lun_engine *e, lun_node *const *roots, int count, bool *done)
{
    lun_node *cones[LUN_FAST_ROOTS];
    lun_status status = lun__fast_cones(e, roots, count, cones, done);
    if (status != LUN_OK || !*done)
        return status;
    status = run_parts(e, cones, count);
    for (int i = 0; i < count; i++) {
        if (status == LUN_OK)
            lun__fast_give(e, roots[i], cones[i]);
        lun__node_release(e, cones[i]);
    }
    return status;
}

static lun_status run_bases(lun_engine *e, lun_node *const *roots, int count)
{
    bool done = false, kept;
    lun_status status = lun__recipe_run(e, roots, count, &done);
    if (!done && lun__launch_short_of_memory(e, status)) {
        lun__fail_clear(e);
        return run_planned(e, roots, count, false, &kept);
    }
    if (status == LUN_OK && !done)
        status = run_cones(e, roots, count, &done);
    return status != LUN_OK || done ? status : run_whole(e, roots, count);
}

static lun_status run_roots(lun_engine *e, lun_node *const *roots, int count)
{
    lun_node *few[LUN_FAST_ROOTS], *const *bases = lun__fast_bases(roots, count, few);
    lun_status status = run_bases(e, bases, count);
    for (int i = 0; status == LUN_OK && i < count; i++)
        lun__fast_take(e, roots[i], bases[i]);
    return status;
}

lun_status lun__eval(lun_engine *e, lun_node *const *roots, int count)
{
    if (are_done(roots, count))
        return LUN_OK;
    if (e->in_callback)
        return lun__progress_refuse(e);
    lun_status status = lun__divergent_operands_merge(e, roots, count);
    if (status != LUN_OK)
        return status;
    lun__exports_collect(e);
    lun_host_begin(e);
    lun__progress_begin(e);
    status = run_roots(e, roots, count);
    e->looks += status == LUN_OK;
    if (status == LUN_EBOUNDS)
        lun__index_error(e, roots, count, lun__eval_range);
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}

/* The last step, if it is a kernel that computes root alone, index by index. */
static const lun_step *last_launch(const lun_steps *s, const lun_node *root)
{
    const lun_step *last = s->count ? &s->at[s->count - 1] : NULL;
    if (!last || last->kind != LUN_STEP_LAUNCH)
        return NULL;
    const lun_ir *ir = &last->lowered.ir;
    int outputs = 0;
    for (int i = 0; i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_OUT)
            outputs += last->lowered.slots[i].node == root ? 1 : 2;
    return ir->scan < 0 && ir->result_count == 0 && outputs == 1 ? last : NULL;
}

typedef struct collector {
    lun_engine *e;
    const lun_node *root;
    lun_node **at;
    int count, room;
} collector;

static bool enter_kept(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    const collector *c = ctx;
    (void)k, (void)in;
    return !lun__node_ready(user) && (user == c->root || !lun__keeps_peeked(c->e, user));
}

static bool collect(void *ctx, lun_node *n, const lun_node *user)
{
    collector *c = ctx;
    (void)user;
    if (n == c->root || !lun__keeps_peeked(c->e, n))
        return true;
    if (!lun__grow(&c->at, c->count, &c->room, sizeof *c->at))
        return false;
    c->at[c->count++] = n;
    return true;
}

/* Evaluates what a plan for root would keep, so that a part of root needs no more of it.  Only what
 * stops all work is a failure: the part may be had without. */
static lun_status run_kept(lun_engine *e, lun_node *root)
{
    collector c = {.e = e, .root = root};
    lun_status status = LUN_OK;
    if (!lun__walk(++e->walk, root, &(lun_visitor){LUN_WALK_MARK, enter_kept, collect, &c}))
        status = lun__fail_nomem(e);
    else if (c.count)
        status = run_roots(e, c.at, c.count);
    if (status == LUN_OK)
        e->stats.kept += c.count;
    free(c.at);
    if (status == LUN_OK || status == LUN_ECANCEL || lun__watch_stopped(e) != LUN_OK ||
        (status == LUN_ENOMEM && !lun__launch_short_of_memory(e, status)))
        return status;
    lun__fail_clear(e);
    return LUN_OK;
}

/* A part of root by what it hangs on alone.  *done: false: that is hardly less than all. */
static lun_status range_cone(lun_engine *e, lun_node *root, int64_t first, int64_t count,
                             void *host, bool *done)
{
    const lun_layout at = {.rank = 1, .offset = first, .extent = {count}, .stride = {1}};
    lun_node *part = NULL, *cone = NULL;
    lun_status status = lun__view_node(e, root, &at, &part);
    if (status == LUN_OK)
        status = lun__backward_slice(e, &part, 1, &cone, done);
    if (status == LUN_OK && *done) {
        status = run_parts(e, &cone, 1);
        if (status == LUN_OK && cone->kind == LUN_NODE_NUMBER)
            lun__dtype_cell_fill((lun_dtype)cone->dtype, cone->cell, host, count);
        else if (status == LUN_OK)
            status = lun__mirror_read(e, cone->storage, cone->offset, count, host);
        lun__node_release(e, cone);
    }
    *done = *done && status == LUN_OK;
    lun__node_release(e, part);
    return status;
}

/* A part of root, with the steps before it; the whole where it has no last kernel of its own. */
static lun_status range_planned(lun_engine *e, lun_node *root, int64_t first, int64_t count,
                                void *host, bool *done)
{
    lun_steps s;
    lun_kernel_entry *k;
    lun_status status = lun__steps_make(e, &root, 1, LUN_STEPS_PART, &s);
    if (status != LUN_OK)
        return status;
    if (s.count > 1)
        status = range_cone(e, root, first, count, host, done);
    if (status != LUN_OK || *done) {
        lun__steps_free(e, &s);
        return status;
    }
    const lun_step *last = last_launch(&s, root);
    const int current = e->current;
    lun_recipe *r = last && !e->set_count ? lun__recipe_learn(e, &root, 1, &s) : NULL;
    status = lun__eval_note(e, &root, 1, LUN_IS_PEEKED);
    if (status == LUN_OK && r) {
        status = lun__recipe_launch_part(e, r, first, count, host);
    } else if (status == LUN_OK && last) {
        status = lun__run_plan_steps(e, &s, s.count - 1);
        if (status == LUN_OK)
            status = lun__kernel_of(e, &last->lowered, &k);
        if (status == LUN_OK)
            status = lun__launch_part(e, &last->lowered, k, last->n, first, count, host);
        e->current = current;
    } else if (status == LUN_OK) {
        status = lun__run_plan_steps(e, &s, s.count);
    }
    *done = last && status == LUN_OK;
    lun__steps_free(e, &s);
    return status;
}

static lun_status run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                            bool *done)
{
    lun_status status = run_kept(e, root);
    if (status == LUN_OK && !e->set_count)
        status = lun__recipe_part(e, root, first, count, host, done);
    if (status == LUN_OK && !*done)
        status = range_planned(e, root, first, count, host, done);
    if (*done)
        root->is |= LUN_IS_PEEKED;
    return status;
}

lun_status lun__eval_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                           bool *done)
{
    *done = false;
    if (e->in_callback)
        return lun__progress_refuse(e);
    lun_status status = lun__divergent_operands_merge(e, &root, 1);
    if (status != LUN_OK)
        return status;
    lun_host_begin(e);
    lun__progress_begin(e);
    status = run_range(e, root, first, count, host, done);
    e->looks += status == LUN_OK;
    if (status == LUN_EBOUNDS)
        lun__index_error(e, &root, 1, lun__eval_range);
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}
