/* run.c - does what a schedule says, in its order; copies, and parts of a result.
 * No algorithm of its own: plan/fuse.c decides what, launch.c and a backend how. */
#include "run/run.h"
#include "lunarray_bind.h"
#include "run/recipe.h"

/* A NUMBER over many indices becomes elements in memory. */
static lun_status write_out(lun_engine *e, lun_node *n)
{
    lun_storage *to;
    lun_status status = lun_storage_new(e, (lun_dtype)n->dtype, n->n, &to);
    if (status != LUN_OK)
        return status;
    lun_cell_fill((lun_dtype)n->dtype, n->cell, to->data, n->n);
    lun_node_become_leaf(e, n, to, 0);
    return LUN_OK;
}

/* What a function indexes must be in memory. */
static lun_status write_out_indexed(lun_engine *e, const lun_lowered *l)
{
    lun_status status = LUN_OK;
    for (int i = 0; status == LUN_OK && i < l->ir.slot_count; i++)
        if (l->slots[i].node->kind == LUN_NODE_NUMBER)
            status = write_out(e, l->slots[i].node);
    return status;
}

static lun_status run_kernel(lun_engine *e, const lun_schedule *s, int g, lun_node *const *roots,
                             int count)
{
    lun_lowered l;
    lun_kernel_entry *k = NULL;
    int64_t n = s->groups[g].n;
    lun_status status = lun_lower(e, s, g, &l);
    if (status != LUN_OK)
        return status;
    status = write_out_indexed(e, &l);
    if (status == LUN_OK && n > 0)
        status = lun_kernel_get(e, &l.ir, &k);
    if (status == LUN_OK && n > 0 && s->count == 1 && lun_recipe_learn(e, roots, count, &l, k))
        return lun_run_lowered(e, &e->learned->lowered, k, n);
    if (status == LUN_OK)
        status = lun_run_lowered(e, &l, k, n);
    lun_lowered_free(&l);
    return status;
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

static lun_status run_copy(lun_engine *e, lun_node *n)
{
    lun_storage *s;
    lun_status status = lun_storage_new(e, (lun_dtype)n->dtype, n->n, &s);
    if (status != LUN_OK)
        return status;
    int size = lun_dtype_get((lun_dtype)n->dtype)->bytes;
    char *to = s->data;
    for (int k = 0; k < 2 && status == LUN_OK; k++) {
        const lun_node *in = n->in[k];
        if (in->kind == LUN_NODE_NUMBER)
            lun_cell_fill((lun_dtype)in->dtype, in->cell, to, in->n);
        else
            status = lun_storage_read(e, in->storage, in->offset, in->n, to);
        to += in->n * size;
    }
    if (status != LUN_OK) {
        lun_storage_release(e, s);
        return status;
    }
    e->stats.bytes_read += n->n * size;
    e->stats.bytes_written += n->n * size;
    lun_node_become_leaf(e, n, s, 0);
    return LUN_OK;
}

/* ---- a schedule -------------------------------------------------------------------------------------------- */

static lun_status run_schedule(lun_engine *e, const lun_schedule *s, int groups,
                               lun_node *const *roots, int count)
{
    lun_status status = LUN_OK;
    for (int g = 0; status == LUN_OK && g < groups; g++) {
        status = lun__stopped(e);
        if (status != LUN_OK)
            break;
        if (s->groups[g].copy)
            status = run_copy(e, s->groups[g].sinks[0]);
        else
            status = run_kernel(e, s, g, roots, count);
    }
    return status;
}

/* The sinks of a schedule must live until it has run, though their users become leaves before. */
static void hold(const lun_schedule *s)
{
    for (int g = 0; g < s->count; g++)
        for (int k = 0; k < s->groups[g].sink_count; k++)
            lun_node_retain(s->groups[g].sinks[k]);
}

static void let_go(lun_engine *e, const lun_schedule *s)
{
    for (int g = 0; g < s->count; g++)
        for (int k = 0; k < s->groups[g].sink_count; k++)
            lun_node_release(e, s->groups[g].sinks[k]);
}

static lun_status run_roots(lun_engine *e, lun_node *const *roots, int count)
{
    lun_schedule s;
    bool done;
    lun_status status = lun_recipe_run(e, roots, count, &done);
    if (status != LUN_OK || done)
        return status;
    status = lun_fuse(e, roots, count, &s);
    if (status != LUN_OK)
        return status;
    hold(&s);
    status = run_schedule(e, &s, s.count, roots, count);
    let_go(e, &s);
    lun_schedule_free(&s);
    /* what is a NUMBER over many indices is written out last: it needs no kernel */
    for (int i = 0; status == LUN_OK && i < count; i++)
        if (roots[i]->kind == LUN_NODE_NUMBER && roots[i]->rank)
            status = write_out(e, roots[i]);
    return status;
}

static lun_status refuse(lun_engine *e)
{
    return lun__fail(
        e, LUN_EARG,
        "an evaluation is under way: a function of lun_on_progress cannot begin another");
}

lun_status lun_run(lun_engine *e, lun_node *const *roots, int count)
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

static lun_status run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                            bool *done)
{
    lun_schedule s;
    lun_lowered l;
    lun_kernel_entry *k;
    *done = false;
    lun_status status = lun_fuse(e, &root, 1, &s);
    if (status != LUN_OK)
        return status;
    hold(&s);
    int last = s.count - 1;
    bool part = s.count > 0 && !s.groups[last].copy && !s.groups[last].scan &&
                s.groups[last].sink_count == 1 && root->kind != LUN_NODE_REDUCE &&
                s.groups[last].sinks[0] == root;
    if (part)
        status = run_schedule(e, &s, last, &root, 0);
    if (part && status == LUN_OK) {
        status = lun_lower(e, &s, last, &l);
        if (status == LUN_OK) {
            status = write_out_indexed(e, &l);
            if (status == LUN_OK)
                status = lun_kernel_get(e, &l.ir, &k);
            if (status == LUN_OK)
                status = lun_run_part(e, &l, k, s.groups[last].n, first, count, host);
            *done = status == LUN_OK;
            lun_lowered_free(&l);
        }
    }
    let_go(e, &s);
    lun_schedule_free(&s);
    return status;
}

lun_status lun_run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
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
