/* rows.c - matrix products on the places of a set: each multiplies some rows of the first operand
 * by the second one, or some of several matrices, in memory of its own.  An element depends on its
 * row and its column alone, so it has the bits of one place.  Who has which rows is
 * placing/rows.c's. */
#include "base/clock.h"
#include "launch/launch.h"
#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "launch/run_event.h"
#include "placing/placing.h"
#include "plan/matmul_plan.h"
#include "sets/shared_steps.h"
#include "steps/product_step.h"
#include "store/fetch.h"

/* Operand i, which is current at a place. */
static lun_status load(lun_multiplying *w, const lun_backend_slot *at, const lun_node *n, int i)
{
    const lun_node *in = n->in[i];
    lun_matrix *m = i ? &w->p.b : &w->p.a;
    if (in->kind == LUN_NODE_NUMBER)
        return lun__product_step_load(w, in, m, &w->number[i]);
    const lun_piece *x = lun__current_find(lun__placing_array(in)->storage->placed, at);
    m->batch.offset -= x->lo;
    m->data = x->data ? x->data : (const void *)x->buffer;
    return LUN_OK;
}

/* The rows of the product that a place makes. */
static void cut_rows(lun_product *p, lun_interval rows)
{
    if (p->count > 1) {
        lun__matmul_plan_cut(p, rows.lo / p->rows, (rows.hi - rows.lo) / p->rows);
        return;
    }
    p->a.batch.offset += rows.lo * p->a.row;
    p->rows = rows.hi - rows.lo;
}

/* Products of all places. */
typedef struct products {
    const lun_share *share;
    lun_storage *to;
} products;

static lun_status begin(const products *x, lun_multiplying *w, lun_backend_slot *at,
                        lun_interval rows)
{
    const lun_node *n = x->share->step->node;
    const lun_work work = {.kind = LUN_WORK_PRODUCT, .is.product = &w->p};
    const int64_t columns = w->p.columns;
    lun_piece *c;
    lun_status s = load(w, at, n, 0);
    if (s == LUN_OK)
        s = load(w, at, n, 1);
    cut_rows(&w->p, rows);
    if (s == LUN_OK)
        s = lun__fetch_result(w->e, x->to, at, rows.lo * columns, rows.hi * columns, &c);
    if (s != LUN_OK)
        return s;
    w->p.c = c->data ? c->data : (void *)c->buffer;
    s = lun__product_step_scratch(w, &w->p);
    if (s != LUN_OK)
        return s;
    if (!at->can.parts) /* it has what it needs of the others, and is busy now */
        lun__set_advance(w->e);
    s = w->at->backend->begin(w->at->state, &work, &w->at->last);
    w->e->stats.products += s == LUN_OK;
    return s == LUN_ECANCEL && lun__watch_stopped(w->e) == LUN_ELIMIT ? LUN_ELIMIT : s;
}

static lun_status multiply_at(void *ctx, int k)
{
    const products *x = ctx;
    lun_backend_slot *at = lun__set_at(x->share->e, k);
    const lun_interval rows = lun__spread_part(x->share->cut, k);
    lun_multiplying w = {.e = x->share->e,
                         .at = lun__state_computes_at(at),
                         .p = lun__matmul_plan_of(x->share->step->node)};
    if (rows.lo >= rows.hi)
        return LUN_OK;
    lun_status s = lun__share_bring_at(x->share, k);
    if (s == LUN_OK)
        s = begin(x, &w, at, rows);
    lun__product_step_close(&w);
    return s;
}

lun_status lun__rows_product(const lun_share *x)
{
    lun_engine *e = x->e;
    lun_node *n = x->step->node;
    const lun_stats before = e->stats;
    const double start = lun__clock_now();
    const int current = e->current;
    lun_spread *spread = lun__placing_of_rows(x->cut, lun__matmul_plan_of(n).columns);
    products all = {.share = x};
    lun_run_event *watched = lun__run_event_product(e, start, NULL, n);
    lun_status s = spread ? lun__placement_result(e, (lun_dtype)n->dtype, n->n, spread, &all.to)
                          : lun__fail_nomem(e);
    lun__spread_release(spread);
    if (s == LUN_OK)
        s = lun__launch_dist_each(e, x->cut->places, true, multiply_at, &all);
    s = lun__fetch_settled(e, s); /* some multiply until then */
    if (s == LUN_ECANCEL && lun__watch_stopped(e) == LUN_ELIMIT)
        s = LUN_ELIMIT;
    e->current = current;
    const double end = lun__clock_now();
    lun__run_event_end(e, watched, end);
    if (s != LUN_OK) {
        if (all.to)
            lun__storage_release(e, all.to);
        return s;
    }
    e->stats.run_time += end - start;
    e->stats.bytes_read += lun__product_step_reads(n);
    e->stats.bytes_written += n->n * lun__dtype_get(all.to->dtype)->bytes;
    if (e->profiling)
        lun__profile_product(e, &before, e->stats.run_time - before.run_time, n);
    lun__node_become_leaf(e, n, all.to, 0);
    return LUN_OK;
}
