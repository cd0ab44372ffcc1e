/* sweep_step.c - steps that are sweeps (schedule/sweep.h) as one run of the backend; on a set one
 * run for each location, of its part and what that reads around it: elements beyond the part become
 * wrong from outside in, a reach for each stage, and none of them is kept.
 *
 * Every kernel is elementwise, except that the last one may combine elements, in the chunks of
 * ir/combine_order.h; so results do not depend on the order in which indices run, nor on those
 * that are computed twice. How a backend runs sweeps is its own. */
#include "steps/step_runners.h"

#include <stdlib.h>

#include "base/clock.h"
#include "launch/bind.h"
#include "launch/join_chunks.h"
#include "launch/launch.h"
#include "launch/launch_dist.h"
#include "launch/local.h"
#include "launch/profile.h"
#include "launch/run_event.h"
#include "placing/placing.h"

typedef struct sweeps {
    lun_engine *e;
    const lun_steps *s;
    int first, last;
    lun_sketch sketch;
    lun_sweep_array *arrays;
    lun_padding *pads;      /* by array */
    lun_storage **storages; /* the same; NULL: it is there before, or nothing needs it behind */
    lun_sweep_stage *stages;
    lun_kernel_entry **kernels; /* by stage */
    lun_binding *bindings;
    int opened;      /* bindings */
    uint64_t *cells; /* of the last stage, a row for each chunk; NULL: it has no results */
    int64_t bytes, written;
    double seconds;  /* of the backend */
    lun_spread *cut; /* how the locations of the set in use share the indices; NULL: one alone */
    lun_backend_slot *at; /* the location that runs, */
    lun_interval all;     /* and what it computes, else everything */
} sweeps;

static lun_status make_arrays(sweeps *x)
{
    const lun_sketch *k = &x->sketch;
    for (int a = 0; a < k->box.arrays; a++) {
        const lun_sketch_array *from = &k->array[a];
        lun_node *n = from->node;
        lun_sweep_array *to = &x->arrays[a];
        *to = (lun_sweep_array){
            .dtype = (lun_dtype)n->dtype, .stage = from->stage, .slot = from->slot};
        if (from->pad) {
            x->pads[a] = lun__sketch_padding(from);
            to->pad = &x->pads[a];
        }
        if (k->maker[a] < 0 || !lun__sweep_keeps(x->s, x->first + k->maker[a], x->last, n))
            continue;
        const lun_status s =
            lun__placement_result(x->e, (lun_dtype)n->dtype, n->n, x->cut, &x->storages[a]);
        if (s != LUN_OK)
            return s;
        to->to = x->cut ? NULL : x->storages[a]->data;
    }
    return LUN_OK;
}

/* Slot i is the array that the location has become current of. */
static lun_status bind_there(sweeps *x, lun_binding *to, int i, const lun_node *n)
{
    const lun_status s = lun__local_bind_array(x->e, to, i, n, x->at, x->all);
    if (s != LUN_OK)
        return s;
    to->at[i] = (char *)to->at[i] + x->all.lo * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    to->room[i] -= x->all.lo;
    return LUN_OK;
}

/* Slot i of a stage, which reads an array or has something else. */
static lun_status bind_slot(sweeps *x, int stage, int i, int read)
{
    lun_binding *to = &x->bindings[stage];
    const int64_t n = x->s->at[x->first + stage].n;
    to->at[i] = NULL;
    to->room[i] = to->origin[i] = 0;
    if (to->l->ir.slots[i].role == LUN_SLOT_OUT)
        return LUN_OK;
    if (read < 0)
        return lun__bind_slot(x->e, to, i, NULL, 0, n);
    const int a = x->sketch.read[read].array;
    const lun_sketch_array *from = &x->sketch.array[a];
    if (x->sketch.maker[a] >= 0 || from->stage != stage || from->slot != i)
        return LUN_OK; /* another slot stands for it */
    if (x->cut)
        return bind_there(x, to, i, from->node);
    if (!from->pad || to->l->slots[i].node != from->pad)
        return lun__bind_slot(x->e, to, i, NULL, 0, n);
    return lun__bind_part(x->e, to, i, from->node->storage, from->node->offset, NULL, n, false);
}

static lun_status bind_stage(sweeps *x, int stage, const int *slots)
{
    const lun_lowered *l = &x->s->at[x->first + stage].lowered;
    const int64_t n = x->all.hi - x->all.lo;
    lun_kernel_entry *k;
    lun_status s = lun__bind_open(x->e, l, &x->bindings[x->opened++]);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        s = bind_slot(x, stage, i, slots[i]);
    if (s == LUN_OK)
        s = lun__kernel_of(x->e, l, &k);
    if (s != LUN_OK)
        return s;
    x->kernels[stage] = k;
    lun__launch_run_fill(&x->bindings[stage], n, 0, n, l->ir.result_count ? x->cells : NULL);
    x->stages[stage] =
        (lun_sweep_stage){.kernel = k->kernel, .launch = &x->bindings[stage].run, .slots = slots};
    return LUN_OK;
}

static lun_status bind_stages(sweeps *x)
{
    const int *slots = x->sketch.slots;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < x->sketch.box.stages; k++) {
        s = bind_stage(x, k, slots);
        slots += x->s->at[x->first + k].lowered.ir.slot_count;
    }
    return s;
}

static void close_stages(sweeps *x)
{
    while (x->opened > 0)
        lun__bind_close(&x->bindings[--x->opened]);
}

static lun_status make_cells(sweeps *x)
{
    const lun_step *last = &x->s->at[x->last];
    const size_t count = (size_t)last->lowered.ir.result_count;
    if (!count)
        return LUN_OK;
    x->cells = calloc((size_t)lun__join_rows(&last->lowered, last->n), count * sizeof *x->cells);
    return x->cells ? LUN_OK : lun__fail_nomem(x->e);
}

static lun_status make_stages(sweeps *x)
{
    const size_t arrays = (size_t)x->sketch.box.arrays, stages = (size_t)x->sketch.box.stages;
    x->arrays = calloc(arrays, sizeof *x->arrays);
    x->pads = calloc(arrays, sizeof *x->pads);
    x->storages = calloc(arrays, sizeof *x->storages);
    x->stages = calloc(stages, sizeof *x->stages);
    x->kernels = calloc(stages, sizeof *x->kernels);
    x->bindings = calloc(stages, sizeof *x->bindings);
    if (!x->arrays || !x->pads || !x->storages || !x->stages || !x->kernels || !x->bindings)
        return lun__fail_nomem(x->e);
    lun_status s = make_arrays(x);
    if (s == LUN_OK)
        s = make_cells(x);
    for (int at = x->first; at <= x->last; at++)
        for (int i = 0; i < x->s->at[at].lowered.ir.slot_count; i++) {
            const int64_t bytes = lun__sweep_moves(x->s, at, i);
            x->bytes += bytes;
            x->written += x->s->at[at].lowered.ir.slots[i].role == LUN_SLOT_OUT ? bytes : 0;
        }
    return s;
}

static lun_status run_stages(sweeps *x)
{
    lun_engine *e = x->e;
    const lun_backend_slot *b = e->backends[e->current];
    const int64_t cache_bytes = b->can.cache_bytes;
    lun_sweep run = {.box = x->sketch.box,
                     .stages = x->stages,
                     .arrays = x->arrays,
                     .near = cache_bytes > 0 ? cache_bytes : LUN_SWEEP_CACHE,
                     .bytes = x->cut ? x->bytes / x->cut->places : x->bytes};
    const int64_t slice = x->s->at[x->first].n / run.box.extent[0];
    run.box.extent[0] = (x->all.hi - x->all.lo) / slice;
    const double start = lun__clock_now();
    lun_run_event *watched =
        lun__run_event_together(e, start, b, x->s, x->first, x->last, run.bytes);
    const lun_status s =
        lun__state_backend_do(b, &(lun_work){.kind = LUN_WORK_SWEEP, .is.sweep = &run});
    const double end = lun__clock_now();
    x->seconds += end - start;
    lun__run_event_end(e, watched, end);
    return s == LUN_OK
               ? s
               : lun__launch_run_failed(e, &x->bindings[run.failed], s, x->all.hi - x->all.lo);
}

/* Counts what has run since `before`. */
static void count(const sweeps *x, const lun_stats *before)
{
    lun_engine *e = x->e;
    e->stats.run_time += x->seconds;
    e->stats.bytes_read += x->bytes - x->written;
    e->stats.bytes_written += x->written;
    if (e->profiling)
        lun__profile_together(e, before, x->seconds, x->s, x->first, x->kernels,
                              x->sketch.box.stages);
    for (int k = x->first; k <= x->last; k++)
        e->stats.kept += x->s->at[k].kept;
}

/* ---- locations ------------------------------------------------------------------------------- */

/* Memory for what the location computes, of which its part alone becomes current. */
static lun_status open_arrays(sweeps *x, lun_interval part)
{
    const int64_t slice = x->s->at[x->first].n / x->sketch.box.extent[0];
    lun_status s = LUN_OK;
    for (int a = 0; s == LUN_OK && a < x->sketch.box.arrays; a++) {
        lun_padding *p = &x->pads[a];
        lun_piece *piece;
        if (x->arrays[a].pad) {
            p->extent[0] -= p->inner[0];
            p->inner[0] = (x->all.hi - x->all.lo) / slice;
            p->extent[0] += p->inner[0];
        }
        if (!x->storages[a])
            continue;
        s = lun__fetch_room(x->e, x->storages[a], x->at, x->all.lo, x->all.hi, &piece);
        if (s == LUN_OK && !lun__intervals_add(&piece->fresh, part.lo, part.hi))
            s = lun__fail_nomem(x->e);
        x->arrays[a].to = s == LUN_OK ? piece->data : NULL;
    }
    return s;
}

/* The part of location k, which has what the stages read. */
static lun_status run_at(void *ctx, int k)
{
    sweeps *x = ctx;
    x->at = lun__set_at(x->e, k);
    x->all = lun__placing_widened(x->cut, k, x->s->at[x->first].halo);
    if (x->all.lo >= x->all.hi)
        return LUN_OK;
    lun_status s = open_arrays(x, lun__spread_part(x->cut, k));
    if (s == LUN_OK)
        s = bind_stages(x);
    if (s == LUN_OK)
        s = run_stages(x);
    close_stages(x);
    return s;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The cells of chunks become the results. */
static lun_status join_cells(sweeps *x)
{
    const lun_step *last = &x->s->at[x->last];
    const int stage = x->last - x->first;
    return lun__join_partials(x->e, x->bindings[stage].b, &last->lowered, x->kernels[stage]->kernel,
                              &x->bindings[stage].run, lun__join_rows(&last->lowered, last->n));
}

/* The results go to their nodes, but for those that only the sweeps needed. */
static void keep_results(sweeps *x)
{
    for (int a = 0; a < x->sketch.box.arrays; a++)
        if (x->storages[a]) {
            lun__node_become_leaf(x->e, x->sketch.array[a].node, x->storages[a], 0);
            x->storages[a] = NULL;
        }
    if (x->cells)
        lun__join_take(x->e, &x->s->at[x->last].lowered, x->cells);
}

static void free_sweeps(sweeps *x)
{
    close_stages(x);
    for (int a = 0; x->storages && a < x->sketch.box.arrays; a++)
        if (x->storages[a])
            lun__storage_release(x->e, x->storages[a]);
    free(x->arrays);
    free(x->pads);
    free(x->storages);
    free(x->stages);
    free(x->kernels);
    free(x->bindings);
    free(x->cells);
    lun__sketch_free(&x->sketch);
}

lun_status lun__sweep_step_run(lun_engine *e, const lun_steps *s, int first, int last,
                               const lun_share *share)
{
    sweeps x = {.e = e, .s = s, .first = first, .last = last, .all = {0, s->at[first].n}};
    x.cut = share ? share->cut : NULL;
    lun_status status = lun__sketch(e, s, first, last + 1, &x.sketch);
    e->kernels_held++;
    if (status == LUN_OK)
        status = make_stages(&x);
    if (status == LUN_OK && !x.cut)
        status = bind_stages(&x);
    const lun_stats before = e->stats;
    if (status == LUN_OK)
        status = x.cut ? lun__launch_dist_chain(e, s, first, last, run_at, &x) : run_stages(&x);
    if (status == LUN_OK && x.cells)
        status = join_cells(&x);
    e->kernels_held--;
    if (status == LUN_OK)
        count(&x, &before);
    if (status == LUN_OK)
        keep_results(&x);
    free_sweeps(&x);
    return status;
}
