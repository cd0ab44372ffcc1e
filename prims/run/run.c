/* run.c - does the steps of a plan in their order.
 * No algorithm of its own: plan/ decides what, launch.c and a backend how. */
#include "run/run.h"

#include <stdlib.h>

#include "base/grow.h"
#include "graph/walk.h"
#include "lunarray_bind.h"
#include "plan/pieces.h"
#include "plan/placing.h"
#include "plan/steps.h"
#include "run/across.h"
#include "run/algorithm.h"
#include "run/chain.h"
#include "run/copy.h"
#include "run/handed.h"
#include "run/levels.h"
#include "run/merged.h"
#include "run/pairs.h"
#include "run/pieces.h"
#include "run/placed.h"
#include "run/product.h"
#include "run/reach.h"
#include "run/recipe.h"
#include "run/running.h"
#include "run/short.h"
#include "run/sweep.h"
#include "run/trap.h"

/* ---- steps ----------------------------------------------------------------------------------- */

static lun_status run_fill(lun_engine *e, lun_node *n)
{
    lun_storage *to;
    lun_status status = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &to);
    if (status != LUN_OK)
        return status;
    lun__cell_fill((lun_dtype)n->dtype, n->cell, to->data, n->n);
    lun__node_become_leaf(e, n, to, 0);
    return LUN_OK;
}

/* The results of a step that nothing uses: any elements. */
static lun_status leave_out(lun_engine *e, const lun_lowered *l)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < l->ir.result_count; r++) {
        lun_node *n = l->results[r];
        lun_storage *to;
        if (!n->rank) {
            lun__node_become_number(e, n, 0);
            continue;
        }
        s = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &to);
        if (s != LUN_OK)
            break;
        lun__cell_fill((lun_dtype)n->dtype, 0, to->data, n->n);
        lun__node_become_leaf(e, n, to, 0);
    }
    return s;
}

static lun_status run_launch(lun_engine *e, const lun_step *step)
{
    lun_kernel_entry *k = NULL;
    bool needed = true;
    if (step->lowered.needed && !e->set_count) { /* on sets it does what was told beforehand */
        lun_status s = lun__needed(e, step->lowered.needed, 0, step->lowered.needed->n, &needed);
        if (s != LUN_OK || !needed)
            return s == LUN_OK ? leave_out(e, &step->lowered) : s;
    }
    if (step->across || step->pairs) {
        lun_status s =
            step->across ? lun__across_run(e, step->across) : lun__pairs_run(e, step->pairs);
        e->stats.kept += s == LUN_OK ? step->kept : 0;
        return s;
    }
    lun_status status = step->n > 0 ? lun__run_kernel(e, &step->lowered, &k) : LUN_OK;
    if (status == LUN_OK)
        status = lun__run_lowered(e, &step->lowered, k, step->n);
    if (status == LUN_OK)
        e->stats.kept += step->kept;
    return status;
}

/* On places that have some rows each.  *done: false: they are not shared so. */
static lun_status run_handed(lun_engine *e, const lun_step *step, bool *done)
{
    lun_spread *rows;
    lun_status s = lun__handed_rows(e, step, &rows);
    *done = s == LUN_OK && rows;
    if (!*done)
        return s;
    s = lun__handed_run(e, step->across, rows);
    e->stats.kept += s == LUN_OK ? step->kept : 0;
    lun__spread_release(rows);
    return s;
}

lun_status lun__steps_run(lun_engine *e, lun_steps *s, int count)
{
    lun_status status = LUN_OK;
    for (int i = 0; status == LUN_OK && i < count; i++) {
        const lun_step *step = &s->at[i];
        status = lun__stopped(e);
        if (status != LUN_OK)
            break;
        if (e->set_count && lun__placing_divides(step)) {
            status = lun__run_shared(e, &step->lowered, step->n);
            e->stats.kept += status == LUN_OK ? step->kept : 0;
            if (status == LUN_OK)
                lun__steps_done(e, s, i);
            continue;
        }
        if (e->set_count && lun__placing_pairs(step)) {
            status = lun__pairs_shared(e, step->pairs);
            e->stats.kept += status == LUN_OK ? step->kept : 0;
            if (status == LUN_OK)
                lun__steps_done(e, s, i);
            continue;
        }
        if (e->set_count && (lun__placing_streams(step) || lun__placing_multiplies(e, step))) {
            status = (step->kind == LUN_STEP_PRODUCT ? lun__product_shared
                                                     : lun__algorithm_shared)(e, step->node);
            if (status == LUN_OK)
                lun__steps_done(e, s, i);
            continue;
        }
        if (e->set_count && step->across) {
            bool done;
            status = run_handed(e, step, &done);
            if (done && status == LUN_OK)
                lun__steps_done(e, s, i);
            if (done)
                continue;
        }
        if (e->set_count && status == LUN_OK)
            status = lun__placed_gather(e, step);
        if (status != LUN_OK)
            break;
        if (step->chain || step->sweep) {
            int last = lun__chain_last(s, i);
            status = step->sweep               ? lun__sweep_run(e, s, i, last)
                     : lun__pieces_begin(s, i) ? lun__pieces_run(e, s, i, last)
                                               : lun__chain_run(e, s, i, last);
            i = last;
        } else if (step->kind == LUN_STEP_LAUNCH)
            status = run_launch(e, step);
        else if (step->kind == LUN_STEP_COPY)
            status = lun__run_copy(e, step->node);
        else if (step->kind == LUN_STEP_PRODUCT)
            status = lun__run_product(e, step->node);
        else if (step->kind == LUN_STEP_ALGORITHM)
            status = lun__run_algorithms(e, s, i, count);
        else if (step->kind == LUN_STEP_RUNNING)
            status = lun__run_running(e, step->node);
        else
            status = run_fill(e, step->node);
        if (status == LUN_OK)
            lun__steps_done(e, s, i);
    }
    return status;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

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

lun_status lun__steps_note(lun_engine *e, lun_node *const *roots, int count, uint8_t trait)
{
    const lun_visitor v = {LUN_WALK_MARK, enter, note, &trait};
    uint64_t walk = ++e->walk;
    for (int i = 0; i < count; i++)
        if (!lun__walk(walk, roots[i], &v))
            return lun__nomem(e);
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
    lun_recipe *r = keep && !e->set_count ? lun__recipe_learn(e, roots, count, &s) : NULL;
    status = lun__steps_note(e, roots, count, LUN_IS_COMPUTED);
    if (status == LUN_OK)
        status = r ? lun__recipe_launch(e, r) : lun__steps_run(e, &s, s.count);
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

static lun_status run_bases(lun_engine *e, lun_node *const *roots, int count);

/* Without a plan, where that is known or little is left to plan.  *done as of lun__recipe_run. */
static lun_status run_short(lun_engine *e, lun_node *const *roots, int count, bool *done)
{
    bool some = false, levels = false;
    *done = false;
    if (e->set_count) /* plans of one step are remembered for one place */
        return LUN_OK;
    lun_status status = lun__recipe_run(e, roots, count, done);
    if (*done)
        return status;
    if (status == LUN_OK)
        status = lun__levels_run(e, roots, count, run_bases, &levels);
    if (status == LUN_OK)
        status = lun__short_products(e, roots, count, &some);
    some |= levels;
    *done = status == LUN_OK && are_done(roots, count);
    return *done || !some || status != LUN_OK ? status : lun__recipe_run(e, roots, count, done);
}

/* What is kept beside the roots is kept only where memory suffices. */
static lun_status run_bases(lun_engine *e, lun_node *const *roots, int count)
{
    bool done, kept = true;
    lun_status status = run_short(e, roots, count, &done);
    if (done)
        return status;
    if (status == LUN_OK)
        status = run_planned(e, roots, count, true, &kept);
    if (kept && lun__short_of_memory(e, status)) {
        lun__clear(e);
        status = run_planned(e, roots, count, false, &kept);
    }
    return status;
}

static lun_status run_roots(lun_engine *e, lun_node *const *roots, int count)
{
    lun_node *few[LUN_SHORT_ROOTS], *const *bases = lun__short_bases(roots, count, few);
    lun_status status = run_bases(e, bases, count);
    for (int i = 0; status == LUN_OK && i < count; i++)
        lun__short_take(e, roots[i], bases[i]);
    return status;
}

lun_status lun__refuse_telling(lun_engine *e)
{
    return lun__fail(
        e, LUN_EARG,
        "an evaluation is running: a callback of lun_on_progress cannot start another");
}

lun_status lun__run(lun_engine *e, lun_node *const *roots, int count)
{
    if (are_done(roots, count))
        return LUN_OK;
    if (e->telling)
        return lun__refuse_telling(e);
    lun_status status = lun__merge_operands(e, roots, count);
    if (status != LUN_OK)
        return status;
    lun_host_begin(e);
    lun__progress_begin(e);
    status = run_roots(e, roots, count);
    e->looks += status == LUN_OK;
    if (status == LUN_EBOUNDS)
        lun__tell_index(e, roots, count, lun__run_range);
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
        status = lun__nomem(e);
    else if (c.count)
        status = run_roots(e, c.at, c.count);
    if (status == LUN_OK)
        e->stats.kept += c.count;
    free(c.at);
    if (status == LUN_OK || status == LUN_ECANCEL || lun__stopped(e) != LUN_OK ||
        (status == LUN_ENOMEM && !lun__short_of_memory(e, status)))
        return status;
    lun__clear(e);
    return LUN_OK;
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
    const lun_step *last = last_launch(&s, root);
    lun_recipe *r = last && !e->set_count ? lun__recipe_learn(e, &root, 1, &s) : NULL;
    status = lun__steps_note(e, &root, 1, LUN_IS_PEEKED);
    if (status == LUN_OK && r) {
        status = lun__recipe_launch_part(e, r, first, count, host);
    } else if (status == LUN_OK && last) {
        status = lun__steps_run(e, &s, s.count - 1);
        if (status == LUN_OK)
            status = lun__run_kernel(e, &last->lowered, &k);
        if (status == LUN_OK)
            status = lun__run_part(e, &last->lowered, k, last->n, first, count, host);
    } else if (status == LUN_OK) {
        status = lun__steps_run(e, &s, s.count);
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

lun_status lun__run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                          bool *done)
{
    *done = false;
    if (e->telling)
        return lun__refuse_telling(e);
    lun_status status = lun__merge_operands(e, &root, 1);
    if (status != LUN_OK)
        return status;
    lun_host_begin(e);
    lun__progress_begin(e);
    status = run_range(e, root, first, count, host, done);
    e->looks += status == LUN_OK;
    if (status == LUN_EBOUNDS)
        lun__tell_index(e, &root, 1, lun__run_range);
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}
