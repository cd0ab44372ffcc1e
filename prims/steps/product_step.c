/* product_step.c - the step of a plan that multiplies matrices: operands where they stand, scratch
 * and the result from the engine's memory, the arithmetic a backend's. */
#include "steps/product_step.h"

#include "base/clock.h"
#include "launch/profile.h"
#include "launch/run_event.h"
#include "plan/matmul_plan.h"

/* The one in use, or the native one. */
static lun_status find_backend(lun_multiplying *w)
{
    const lun_work work = {.kind = LUN_WORK_PRODUCT, .is.product = &w->p};
    int64_t scratch;
    return lun__backend_for(w->e, &work, &w->at, &scratch);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Where the backend finds the elements of s. */
static lun_status address(const lun_multiplying *w, lun_storage *s, const void **out)
{
    lun_buffer *buffer = NULL;
    lun_status status = w->at->backend->buffer_new ? lun__mirror_buffer(w->e, s, w->at, &buffer)
                                                   : lun__mirror_host(w->e, s, false);
    *out = buffer ? (const void *)buffer : s->data;
    return status;
}

lun_status lun__product_step_load(lun_multiplying *w, const lun_node *n, lun_matrix *m,
                                  lun_storage **number)
{
    const lun_node *leaf = n->kind == LUN_NODE_VIEW ? n->in[0] : n;
    if (n->kind != LUN_NODE_NUMBER)
        return address(w, leaf->storage, &m->data);
    lun_status s = lun__storage_new(w->e, m->dtype, 1, number);
    if (s != LUN_OK)
        return s;
    lun__dtype_cell_fill(m->dtype, n->cell, (*number)->data, 1);
    return address(w, *number, &m->data);
}

lun_status lun__product_step_scratch(lun_multiplying *w, const lun_product *other)
{
    const lun_work work = {.kind = LUN_WORK_PRODUCT, .is.product = &w->p};
    const lun_work next = {.kind = LUN_WORK_PRODUCT, .is.product = other};
    int64_t room, more;
    (void)w->at->backend->takes(w->at->state, &work, &room);
    (void)w->at->backend->takes(w->at->state, &next, &more);
    room = more > room ? more : room;
    lun_status s = room ? lun__storage_new(w->e, LUN_U8, room, &w->scratch) : LUN_OK;
    w->p.scratch = w->scratch ? w->scratch->data : NULL;
    return s;
}

/* Memory for `count` elements of the result. */
static lun_status make_result(lun_multiplying *w, int64_t count)
{
    return w->at->backend->buffer_new ? lun__mirror_result(w->e, w->p.dtype, count, &w->to)
                                      : lun__storage_new(w->e, w->p.dtype, count, &w->to);
}

lun_status lun__product_step_open(lun_engine *e, const lun_node *n, int64_t pitch, lun_storage *to,
                                  lun_multiplying *w)
{
    const void *c = NULL;
    *w = (lun_multiplying){.e = e, .n = n, .p = lun__matmul_plan_of(n), .to = to};
    w->p.pitch = pitch;
    lun_status s = find_backend(w);
    if (s == LUN_OK)
        s = lun__product_step_load(w, n->in[0], &w->p.a, &w->number[0]);
    if (s == LUN_OK)
        s = lun__product_step_load(w, n->in[1], &w->p.b, &w->number[1]);
    if (s == LUN_OK && !pitch)
        s = make_result(w, n->n);
    if (s == LUN_OK && w->to)
        s = address(w, w->to, &c);
    w->p.c = (void *)(uintptr_t)c;
    return s == LUN_OK ? lun__product_step_scratch(w, &w->p) : s;
}

lun_status lun__product_step_open_parts(lun_engine *e, const lun_node *n, int64_t rows,
                                        lun_multiplying *w)
{
    *w = (lun_multiplying){.e = e, .n = n, .p = lun__matmul_plan_of(n)};
    lun_status s = find_backend(w);
    if (s == LUN_OK)
        s = lun__product_step_load(w, n->in[1], &w->p.b, &w->number[1]);
    if (s == LUN_OK)
        s = make_result(w, n->n);
    lun_product last = w->p;
    last.rows = w->p.rows % rows ? w->p.rows % rows : rows;
    w->p.rows = rows;
    return s == LUN_OK ? lun__product_step_scratch(w, &last) : s;
}

void lun__product_step_close(lun_multiplying *w)
{
    lun_storage *beside[] = {w->number[0], w->number[1], w->scratch, w->p.pitch ? NULL : w->to};
    for (int i = 0; i < 4; i++)
        if (beside[i])
            lun__storage_release(w->e, beside[i]);
}

static lun_status multiply(lun_multiplying *w)
{
    double start = lun__clock_now();
    const lun_work work = {.kind = LUN_WORK_PRODUCT, .is.product = &w->p};
    lun_run_event *watched = lun__run_event_product(w->e, start, w->at, w->n);
    lun_status s = lun__state_backend_do(w->at, &work);
    const double end = lun__clock_now();
    w->e->stats.run_time += end - start;
    lun__run_event_end(w->e, watched, end);
    return s == LUN_ECANCEL && lun__watch_stopped(w->e) == LUN_ELIMIT ? LUN_ELIMIT : s;
}

lun_status lun__product_step_part(lun_multiplying *w, int64_t first, int64_t count, const void *a)
{
    const int64_t size = lun__dtype_get(w->p.dtype)->bytes;
    w->p.rows = count;
    w->p.a.data = a;
    w->p.c = (char *)w->to->data + first * w->p.columns * size;
    return multiply(w);
}

void lun__product_step_take(lun_multiplying *w, lun_node *n)
{
    lun__node_become_leaf(w->e, n, w->to, 0);
    w->to = NULL;
}

static int64_t bytes_of(const lun_node *n)
{
    return n->kind == LUN_NODE_NUMBER ? 0 : n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

int64_t lun__product_step_reads(const lun_node *n)
{
    return bytes_of(n->in[0]) + bytes_of(n->in[1]);
}

lun_status lun__product_step_run(lun_engine *e, lun_node *n)
{
    lun_multiplying w;
    const lun_stats before = e->stats;
    lun_status s = lun__product_step_open(e, n, 0, NULL, &w);
    if (s == LUN_OK)
        s = multiply(&w);
    if (s == LUN_OK) {
        e->stats.products++;
        e->stats.bytes_read += lun__product_step_reads(n);
        e->stats.bytes_written += bytes_of(n);
        if (e->profiling)
            lun__profile_product(e, &before, e->stats.run_time - before.run_time, n);
        lun__product_step_take(&w, n);
    }
    lun__product_step_close(&w);
    return s;
}
