/* run_plan.c - does the steps of a plan in their order.
 * No algorithm of its own: plan/ decides what, launch.c and a backend how. */

#include <stdlib.h>

#include "eval/check_step.h"
#include "eval/eval.h"
#include "eval/fast_path.h"
#include "kernels/pairs_kernel.h"
#include "launch/launch_dist.h"
#include "launch/trap.h"
#include "lunarray_bind.h"
#include "placing/share.h"
#include "schedule/steps.h"
#include "schedule/tiles.h"
#include "sets/shared_steps.h"
#include "steps/algorithm_step.h"
#include "steps/outer_axis_step.h"
#include "steps/pairs_step.h"
#include "steps/product_step.h"
#include "steps/step_runners.h"

static lun_status run_fill(lun_engine *e, lun_node *n)
{
    lun_storage *to;
    lun_status status = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &to);
    if (status != LUN_OK)
        return status;
    lun__dtype_cell_fill((lun_dtype)n->dtype, n->cell, to->data, n->n);
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
        lun__dtype_cell_fill((lun_dtype)n->dtype, 0, to->data, n->n);
        lun__node_become_leaf(e, n, to, 0);
    }
    return s;
}

/* *done: of a reduction for what needs it nothing does.  On sets it is done as was told beforehand,
 * but on ranks, which all know. */
static lun_status leave_unneeded(lun_engine *e, const lun_step *step, bool *done)
{
    const lun_node *asked = step->lowered.needed;
    bool needed = true;
    if (!asked || (e->set_count && !lun__state_of_ranks(e)))
        return LUN_OK;
    const lun_status s = lun__launch_needed(e, asked, 0, asked->n, &needed);
    *done = s == LUN_OK && !needed;
    return *done ? leave_out(e, &step->lowered) : s;
}

static lun_status run_launch(lun_engine *e, const lun_step *step)
{
    lun_kernel_entry *k = NULL;
    bool done = false;
    lun_status status = leave_unneeded(e, step, &done);
    if (status != LUN_OK || done)
        return status;
    if (step->across || step->pairs) {
        lun_status s = step->across ? lun__outer_axis_step_run(e, step->across)
                                    : lun__pairs_step_run(e, step->pairs);
        e->stats.kept += s == LUN_OK ? step->kept : 0;
        return s;
    }
    if (step->n > 0)
        status = lun__kernel_of(e, &step->lowered, &k);
    if (status == LUN_OK)
        status = lun__launch_lowered(e, &step->lowered, k, step->n);
    if (status == LUN_OK)
        e->stats.kept += step->kept;
    return status;
}

/* Its chain. */
static lun_status run_chain(const lun_share *x)
{
    const int first = (int)(x->step - x->step->of->at), last = lun__chain_last(x->step->of, first);
    return (x->step->sweep ? lun__sweep_step_run : lun__chain_step_run)(x->e, x->step->of, first,
                                                                        last, x);
}

static lun_status bring(const lun_share *x)
{
    return lun__share_bring(x, 1);
}

/* A step on the set in use.  *done: false: the first location does it, which has what it reads. */
static lun_status run_on_set(lun_engine *e, const lun_step *step, bool *done)
{
    static lun_status (*const by[])(const lun_share *) = {
        [LUN_SHARE_CHAIN] = run_chain,
        [LUN_SHARE_LAUNCH] = lun__launch_shared,
        [LUN_SHARE_PAIRS] = lun__allpairs_run,
        [LUN_SHARE_ROWS] = lun__handed_run,
        [LUN_SHARE_STREAM] = lun__shared_algorithm,
        [LUN_SHARE_ORDER] = lun__shared_algorithm_order,
        [LUN_SHARE_CHOOSE] = lun__shared_algorithm_choose,
        [LUN_SHARE_PRODUCT] = lun__rows_product,
        [LUN_SHARE_ALONE] = bring};
    lun_share x;
    lun_status s = leave_unneeded(e, step, done);
    if (s != LUN_OK || *done)
        return s;
    s = lun__share_open(e, step, &lun__share_done, e, &x);
    if (s != LUN_OK)
        return s;
    *done = x.rule->kind != LUN_SHARE_ALONE;
    s = by[x.rule->kind](&x);
    e->stats.kept += s == LUN_OK && *done && !step->chain ? step->kept : 0;
    lun__share_close(&x);
    return s;
}

lun_status lun__run_plan_step(lun_engine *e, const lun_step *step)
{
    bool done = false;
    lun_check c;
    lun_status s = lun__check_step_open(e, step, step, &c);
    if (s == LUN_OK)
        s = run_on_set(e, step, &done);
    if (s == LUN_OK && !done)
        s = run_launch(e, step);
    return lun__check_step_close(&c, s);
}

/* Step *at, or the steps that are run with it as one; *at: the last of them then. */
static lun_status run_steps(lun_engine *e, lun_steps *s, int *at, int count)
{
    const lun_step *step = &s->at[*at];
    const int first = *at;
    if (step->chain || step->sweep) {
        *at = lun__chain_last(s, first);
        return step->sweep                  ? lun__sweep_step_run(e, s, first, *at, NULL)
               : lun__tiles_begin(s, first) ? lun__tiles_step_run(e, s, first, *at)
                                            : lun__chain_step_run(e, s, first, *at, NULL);
    }
    switch (step->kind) {
    case LUN_STEP_LAUNCH:
        return run_launch(e, step);
    case LUN_STEP_COPY:
        return lun__copy_step_run(e, step->node);
    case LUN_STEP_PRODUCT:
        return lun__product_step_run(e, step->node);
    case LUN_STEP_ALGORITHM:
        return lun__algorithm_step_run(e, s, first, count);
    case LUN_STEP_RUNNING:
        return lun__running_step_run(e, step->node);
    case LUN_STEP_FILL:
        return run_fill(e, step->node);
    }
    return LUN_OK;
}

/* A Scalar that a step has left in memory becomes a NUMBER: as such kernels of later steps take
 * it. */
static lun_status settle(lun_engine *e, const lun_step *step)
{
    lun_node *n = step->node;
    uint64_t cell = 0;
    if (!n || n->rank || n->kind != LUN_NODE_LEAF)
        return LUN_OK;
    lun_status s = lun__mirror_read(e, n->storage, n->offset, 1, &cell);
    if (s == LUN_OK)
        lun__node_become_number(e, n, cell);
    return s;
}

lun_status lun__run_plan_steps(lun_engine *e, lun_steps *s, int count)
{
    lun_status status = LUN_OK;
    const int current = e->current; /* a step may run elsewhere, see launch/kernels.h */
    for (int i = 0; status == LUN_OK && i < count; i++) {
        const lun_step *step = &s->at[i];
        bool done = false;
        lun_check c;
        status = lun__check_step_open(e, step, &s->at[lun__chain_last(s, i)], &c);
        for (int k = i, n = 1; c.open && status == LUN_OK && n < LUN_BESIDE; n++)
            if ((k = lun__algorithm_step_beside(s, i, k, count)) < count)
                status = lun__check_step_beside(&c, &s->at[k]);
        if (status == LUN_OK)
            status = lun__watch_stopped(e);
        if (status == LUN_OK && e->set_count)
            status = run_on_set(e, step, &done);
        if (done)
            i = lun__chain_last(s, i);
        if (status == LUN_OK && !done)
            status = run_steps(e, s, &i, count);
        if (status == LUN_OK)
            status = settle(e, &s->at[i]);
        status = lun__check_step_close(&c, status);
        if (status == LUN_OK)
            lun__steps_done(e, s, i);
        e->current = current;
    }
    return status;
}

/* ---- compiled in advance --------------------------------------------------------------------- */

static lun_status prepare(lun_engine *e, lun_node *const *roots, int count)
{
    lun_steps s;
    lun_node *few[LUN_FAST_ROOTS], *const *bases = lun__fast_bases(roots, count, few);
    lun_node *cones[LUN_FAST_ROOTS];
    bool less;
    lun_status status = lun__fast_cones(e, bases, count, cones, &less);
    if (status == LUN_OK)
        status = lun__steps_make(e, less ? cones : bases, count, LUN_STEPS_KEEP, &s);
    const bool made = status == LUN_OK;
    const int current = e->current;
    for (int i = 0; made && status == LUN_OK && i < s.count; i++) {
        lun_kernel_entry *k;
        lun_kernel_facts facts;
        const lun_step *step = &s.at[i];
        if (step->kind == LUN_STEP_RUNNING)
            status = lun__running_step_prepare(e, step->node);
        if (step->kind != LUN_STEP_LAUNCH || step->n == 0)
            continue;
        const lun_lowered *l = step->pairs ? &step->pairs->kernel : &step->lowered;
        status = lun__kernel_of(e, l, &k);
        if (status == LUN_OK)
            status = k->at->backend->prepare(k->at->state, k->kernel, &facts);
        if (status == LUN_EBUILD)
            status = lun__trap_refusal(e, l);
        if (status == LUN_ECANCEL && lun__watch_stopped(e) == LUN_ELIMIT)
            status = LUN_ELIMIT;
        e->current = current;
    }
    if (made)
        lun__steps_free(e, &s);
    for (int i = 0; less && i < count; i++)
        lun__node_release(e, cones[i]);
    return status;
}

lun_status lun__run_plan_prepare(lun_engine *e, lun_node *const *roots, int count)
{
    if (e->in_callback)
        return lun__progress_refuse(e);
    lun_host_begin(e);
    lun__progress_begin(e);
    lun_status status = prepare(e, roots, count);
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}
