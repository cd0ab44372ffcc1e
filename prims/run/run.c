/* run.c - does the steps of a plan in their order.
 * No algorithm of its own: plan/ decides what, launch.c and a backend how. */
#include "run/run.h"

#include "lunarray_bind.h"
#include "plan/steps.h"
#include "run/recipe.h"

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

static lun_status run_copy(lun_engine *e, lun_node *n)
{
    lun_storage *s;
    lun_status status = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &s);
    if (status != LUN_OK)
        return status;
    int size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    char *to = s->data;
    for (int k = 0; k < 2 && status == LUN_OK; k++) {
        const lun_node *in = n->in[k];
        if (in->kind == LUN_NODE_NUMBER)
            lun__cell_fill((lun_dtype)in->dtype, in->cell, to, in->n);
        else
            status = lun__storage_read(e, in->storage, in->offset, in->n, to);
        to += in->n * size;
    }
    if (status != LUN_OK) {
        lun__storage_release(e, s);
        return status;
    }
    e->stats.bytes_read += n->n * size;
    e->stats.bytes_written += n->n * size;
    lun__node_become_leaf(e, n, s, 0);
    return LUN_OK;
}

static lun_status run_launch(lun_engine *e, const lun_step *step)
{
    lun_kernel_entry *k = NULL;
    lun_status status = step->n > 0 ? lun__kernel_get(e, &step->lowered.ir, &k) : LUN_OK;
    return status == LUN_OK ? lun__run_lowered(e, &step->lowered, k, step->n) : status;
}

/* The first `count` steps. */
static lun_status run_steps(lun_engine *e, const lun_steps *s, int count)
{
    lun_status status = LUN_OK;
    for (int i = 0; status == LUN_OK && i < count; i++) {
        const lun_step *step = &s->at[i];
        status = lun__stopped(e);
        if (status != LUN_OK)
            break;
        if (step->kind == LUN_STEP_LAUNCH)
            status = run_launch(e, step);
        else if (step->kind == LUN_STEP_COPY)
            status = run_copy(e, step->node);
        else
            status = run_fill(e, step->node);
    }
    return status;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static lun_status run_roots(lun_engine *e, lun_node *const *roots, int count)
{
    lun_steps s;
    bool done;
    lun_status status = lun__recipe_run(e, roots, count, &done);
    if (status != LUN_OK || done)
        return status;
    status = lun__steps_make(e, roots, count, &s);
    if (status != LUN_OK)
        return status;
    lun_recipe *r = lun__recipe_learn(e, roots, count, &s);
    status = r ? lun__recipe_launch(e, r) : run_steps(e, &s, s.count);
    lun__steps_free(e, &s);
    return status;
}

static lun_status refuse(lun_engine *e)
{
    return lun__fail(
        e, LUN_EARG,
        "an evaluation is under way: a function of lun_on_progress cannot begin another");
}

lun_status lun__run(lun_engine *e, lun_node *const *roots, int count)
{
    bool done = true;
    for (int i = 0; i < count; i++)
        done &= roots[i]->kind == LUN_NODE_LEAF ||
                (roots[i]->kind == LUN_NODE_NUMBER && !roots[i]->rank);
    if (done)
        return LUN_OK;
    if (e->telling)
        return refuse(e);
    lun_host_begin(e);
    lun__progress_begin(e);
    lun_status status = run_roots(e, roots, count);
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

static lun_status run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                            bool *done)
{
    lun_steps s;
    lun_kernel_entry *k;
    lun_status status = lun__steps_make(e, &root, 1, &s);
    if (status != LUN_OK)
        return status;
    const lun_step *last = last_launch(&s, root);
    if (last) {
        status = run_steps(e, &s, s.count - 1);
        if (status == LUN_OK)
            status = lun__kernel_get(e, &last->lowered.ir, &k);
        if (status == LUN_OK)
            status = lun__run_part(e, &last->lowered, k, last->n, first, count, host);
        *done = status == LUN_OK;
    } else {
        status = run_steps(e, &s, s.count);
    }
    lun__steps_free(e, &s);
    return status;
}

lun_status lun__run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                          bool *done)
{
    *done = false;
    if (e->telling)
        return refuse(e);
    lun_host_begin(e);
    lun__progress_begin(e);
    lun_status status = run_range(e, root, first, count, host, done);
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}
