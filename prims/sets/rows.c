/* rows.c - matrix products on the places of a set: each multiplies some rows of the first operand
 * by the second one, or some of several matrices, in memory of its own.  An element depends on its
 * row and its column alone, so it has the bits of one place.  Who has which rows is
 * placing/rows.c's. */
#include "base/clock.h"
#include "launch/launch.h"
#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "placing/placing.h"
#include "plan/matmul_plan.h"
#include "sets/shared_steps.h"
#include "steps/product_step.h"
#include "store/fetch.h"

/* A place's part. */
typedef struct part {
    lun_engine *e;
    lun_backend_slot *at, *b; /* the place, and what computes there */
    lun_product p;
    lun_storage *number[2], *scratch;
} part;

/* An operand that is a NUMBER: one element. */
static lun_status load_number(part *w, const lun_node *n, lun_matrix *m, lun_storage **number)
{
    lun_buffer *buffer = NULL;
    lun_status s = lun__storage_new(w->e, m->dtype, 1, number);
    if (s != LUN_OK)
        return s;
    lun__dtype_cell_fill(m->dtype, n->cell, (*number)->data, 1);
    if (w->b->backend->buffer_new)
        s = lun__mirror_buffer(w->e, *number, w->b, &buffer);
    m->data = buffer ? (const void *)buffer : (*number)->data;
    return s;
}

/* Operand i, of which rows of the result need some elements. */
static lun_status load(part *w, const lun_node *n, int i, lun_interval rows)
{
    const lun_node *in = n->in[i], *leaf = in->kind == LUN_NODE_VIEW ? in->in[0] : in;
    const lun_interval need = lun__placing_rows_need(n, i, rows);
    lun_matrix *m = i ? &w->p.b : &w->p.a;
    lun_piece *x;
    if (in->kind == LUN_NODE_NUMBER)
        return load_number(w, in, m, &w->number[i]);
    lun_storage *of = leaf->storage;
    const lun_status s =
        lun__fetch_ensure(w->e, of, w->at, leaf->offset + need.lo, leaf->offset + need.hi, &x);
    if (s != LUN_OK)
        return s;
    m->batch.offset -= x->lo;
    m->data = x->data ? x->data : (const void *)x->buffer;
    return LUN_OK;
}

/* Both operands, which are current at the place. */
static lun_status load_both(part *w, const lun_node *n, lun_interval rows)
{
    lun_status s = load(w, n, 0, rows);
    if (s == LUN_OK)
        s = load(w, n, 1, rows);
    if (w->p.count > 1) {
        lun__matmul_plan_cut(&w->p, rows.lo / w->p.rows, (rows.hi - rows.lo) / w->p.rows);
        return s;
    }
    w->p.a.batch.offset += rows.lo * w->p.a.row;
    w->p.rows = rows.hi - rows.lo;
    return s;
}

static lun_status multiply(part *w, const lun_node *n, lun_interval rows, lun_storage *to)
{
    const int64_t columns = w->p.columns;
    lun_piece *c;
    lun_status s = load_both(w, n, rows);
    if (s == LUN_OK)
        s = lun__fetch_result(w->e, to, w->at, rows.lo * columns, rows.hi * columns, &c);
    if (s != LUN_OK)
        return s;
    w->p.c = c->data ? c->data : (void *)c->buffer;
    int64_t room;
    const lun_work work = {.kind = LUN_WORK_PRODUCT, .is.product = &w->p};
    (void)w->b->backend->takes(w->b->state, &work, &room);
    s = room > 0 ? lun__storage_new(w->e, LUN_U8, room, &w->scratch) : LUN_OK;
    if (s != LUN_OK)
        return s;
    w->p.scratch = w->scratch ? w->scratch->data : NULL;
    if (!w->at->can.parts) /* it has what it needs of the others, and is busy now */
        lun__set_advance(w->e);
    s = w->b->backend->begin(w->b->state, &work, &w->b->last);
    w->e->stats.products += s == LUN_OK;
    return s == LUN_ECANCEL && lun__watch_stopped(w->e) == LUN_ELIMIT ? LUN_ELIMIT : s;
}

/* Products of all places. */
typedef struct products {
    const lun_share *share;
    lun_storage *to;
} products;

static lun_status multiply_at(void *ctx, int k)
{
    const products *x = ctx;
    const lun_node *n = x->share->step->node;
    const lun_interval rows = lun__spread_part(x->share->cut, k);
    part w = {.e = x->share->e, .at = lun__set_at(x->share->e, k), .p = lun__matmul_plan_of(n)};
    if (rows.lo >= rows.hi)
        return LUN_OK;
    w.b = lun__state_computes_at(w.at);
    lun_status s = lun__share_bring_at(x->share, k);
    if (s == LUN_OK)
        s = multiply(&w, n, rows, x->to);
    lun_storage *beside[] = {w.number[0], w.number[1], w.scratch};
    for (int i = 0; i < 3; i++)
        if (beside[i])
            lun__storage_release(w.e, beside[i]);
    return s;
}

/* All rows, and how the result is distributed then. */
static lun_status multiply_all(const lun_share *x, lun_storage *to)
{
    lun_engine *e = x->e;
    products all = {x, to};
    lun_spread *spread = lun__placing_of_rows(x->cut, lun__matmul_plan_of(x->step->node).columns);
    lun_status s = spread ? lun__placement_decide(e, to, spread) : lun__fail_nomem(e);
    lun__spread_release(spread);
    return s == LUN_OK ? lun__launch_dist_each(e, x->cut->places, true, multiply_at, &all) : s;
}

lun_status lun__rows_product(const lun_share *x)
{
    lun_engine *e = x->e;
    lun_node *n = x->step->node;
    const lun_stats before = e->stats;
    const double start = lun__clock_now();
    const int current = e->current;
    lun_storage *to = NULL;
    lun_status s = lun__storage_empty(e, (lun_dtype)n->dtype, n->n, &to);
    if (s == LUN_OK)
        s = multiply_all(x, to);
    s = lun__fetch_settled(e, s); /* some multiply until then */
    if (s == LUN_ECANCEL && lun__watch_stopped(e) == LUN_ELIMIT)
        s = LUN_ELIMIT;
    e->current = current;
    if (s != LUN_OK) {
        if (to)
            lun__storage_release(e, to);
        return s;
    }
    e->stats.run_time += lun__clock_now() - start;
    e->stats.bytes_read += lun__product_step_reads(n);
    e->stats.bytes_written += n->n * lun__dtype_get(to->dtype)->bytes;
    if (e->profiling)
        lun__profile_product(e, &before, e->stats.run_time - before.run_time, n);
    lun__node_become_leaf(e, n, to, 0);
    return LUN_OK;
}
