/* running_step.c - a function run along segments: its kernel launched over the segments, its
 * results given to their nodes.  What the kernel does is kernels/running_kernel.c's. */
#include "steps/step_runners.h"

#include "base/clock.h"
#include "kernels/running_kernel.h"
#include "launch/bind.h"
#include "launch/launch.h"
#include "launch/profile.h"

enum { OPERANDS = 2 + LUN_MAX_OUTPUTS + LUN_MAX_OPERANDS };

typedef struct work {
    lun_engine *e;
    lun_node *n;
    lun_node *in[OPERANDS];          /* LEAFs; references */
    lun_node *node[LUN_MAX_OUTPUTS]; /* of the results; references */
    lun_storage *to[LUN_MAX_OUTPUTS];
    lun_lowered l;
} work;

/* A NUMBER as elements in memory, a LEAF as it is. */
static lun_status operand(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_storage *s;
    if (n->kind == LUN_NODE_LEAF) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    lun_status status = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &s);
    if (status != LUN_OK)
        return status;
    lun__dtype_cell_fill((lun_dtype)n->dtype, n->cell, s->data, n->n);
    status = lun__node_leaf(e, s, 0, 1, &n->n, out);
    lun__storage_release(e, s);
    return status;
}

static lun_status begin(work *w)
{
    lun_node *n = w->n;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < n->count; k++)
        s = operand(w->e, n->more[k], &w->in[k]);
    for (int k = 0; s == LUN_OK && k < n->body->outputs; k++) {
        if (k)
            s = lun__fold_node_result(w->e, n, k,
                                      &w->node[k]); /* there is one already if it is asked */
        else
            w->node[k] = lun__node_retain(n);
        if (s == LUN_OK)
            s = lun__mirror_result(w->e, (lun_dtype)w->node[k]->dtype, n->n, &w->to[k]);
    }
    return s;
}

static lun_status launch(work *w, lun_kernel_entry *k, int64_t segments)
{
    lun_binding to;
    lun_status s = lun__bind_open(w->e, &w->l, &to);
    for (int i = 0; s == LUN_OK && i < w->l.ir.slot_count; i++) {
        if (w->l.ir.slots[i].role == LUN_SLOT_TARGET)
            s = lun__bind_part(w->e, &to, i, w->to[w->l.slots[i].copy], 0, NULL, w->n->n, true);
        else
            s = lun__bind_slot(w->e, &to, i, NULL, 0, segments);
    }
    if (s == LUN_OK)
        s = lun__launch_run(w->e, &to, k, segments, 0, segments, NULL);
    lun__bind_close(&to);
    return s;
}

static lun_status compute(work *w)
{
    const lun_stats before = w->e->stats;
    const double start = lun__clock_now();
    const int64_t segments = lun__running_kernel_segments(w->n);
    lun_kernel_entry *k;
    if (!segments || !w->n->n)
        return LUN_OK;
    lun_status s = lun__running_kernel_lower(w->e, w->n, w->in, &w->l);
    if (s != LUN_OK)
        return s;
    s = lun__kernel_of(w->e, &w->l, &k);
    if (s == LUN_OK)
        s = launch(w, k, segments);
    if (s == LUN_OK && w->e->profiling)
        lun__profile_after(w->e, &before, lun__clock_now() - start, &w->l, k, segments);
    lun__lowered_free(&w->l);
    return s;
}

/* All results become LEAFs, the first, which the others are of, last. */
static void give(work *w)
{
    for (int k = w->n->body->outputs - 1; k >= 0; k--) {
        lun__node_become_leaf(w->e, w->node[k], w->to[k], 0);
        w->to[k] = NULL;
    }
}

lun_status lun__running_step_run(lun_engine *e, lun_node *n)
{
    if (lun__node_ready(n)) /* a RESULT, made with its RUNNING */
        return LUN_OK;
    work w = {.e = e, .n = (lun_node *)(uintptr_t)lun__node_first_result(n)};
    const int operands = w.n->count, results = w.n->body->outputs;
    lun_backend_slot *b;
    lun_status s = lun__backend(e, &b);
    if (s == LUN_OK)
        s = begin(&w);
    if (s == LUN_OK)
        s = compute(&w);
    if (s == LUN_OK)
        give(&w);
    for (int k = 0; k < operands; k++)
        lun__node_release(e, w.in[k]);
    for (int k = 0; k < results; k++) {
        if (w.to[k])
            lun__storage_release(e, w.to[k]);
        lun__node_release(e, w.node[k]);
    }
    return s;
}

lun_status lun__running_step_prepare(lun_engine *e, lun_node *n)
{
    lun_node *first = (lun_node *)(uintptr_t)lun__node_first_result(n);
    lun_lowered l;
    lun_kernel_entry *k;
    lun_kernel_facts facts;
    lun_status s = lun__running_kernel_lower(e, first, first->more, &l);
    if (s != LUN_OK)
        return s;
    s = lun__kernel_of(e, &l, &k);
    if (s == LUN_OK)
        s = k->at->backend->prepare(k->at->state, k->kernel, &facts);
    lun__lowered_free(&l);
    return s == LUN_ECANCEL && lun__watch_stopped(e) == LUN_ELIMIT ? LUN_ELIMIT : s;
}
