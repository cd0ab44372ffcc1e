/* gpu_run.c - a kernel's plan, its arguments, a slice of it given to the device, its results, and
 * joins those of chunks; see gpu_state.h. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_state.h"
#include "gpu/signal_guard.h"
#include "table/skeleton.h"

/* ---- the plan -------------------------------------------------------------------------------- */

lun_status lun__gpu_run_plan(lun_gpu *g, lun_kernel *k, const lun_launch *l, int64_t first,
                             int64_t count, lun_cl_plan *plan, int *trial)
{
    lun_cl_shape shape = k->shape;
    bool free_size = !shape.results && !shape.scan && !shape.team;
    *trial = -1;
    if (free_size && shape.form == LUN_CL_SCALAR) {
        lun_gpu_entry *entry = NULL;
        lun_status s = lun__gpu_program_entry(g, k, "lun_kernel", &entry);
        if (s != LUN_OK)
            return s;
        shape.group = lun__gpu_tune_group(g, k, entry->most, count, trial);
    }
    if (free_size && l->workgroup > 0) {
        int64_t most = shape.form == LUN_CL_SCALAR ? k->tuning.most : INT32_MAX;
        *trial = -1;
        const bool fits = l->workgroup <= most;
        if (!fits && !l->chunk)
            return lun__gpu_state_fail(
                g, LUN_ELIMIT,
                "%s: a work-group of %d is too large: this kernel allows at most %lld there",
                g->device.name, l->workgroup, (long long)most);
        shape.group = fits ? l->workgroup : (int)most;
    }
    if (l->stage)
        lun__cl_plan_stage(&shape, l->stage, count, plan);
    else if (l->segment)
        lun__cl_plan_segments(&shape, l->n / l->segment, l->segment, g->device.units, plan);
    else
        lun__cl_plan_make(&shape, first, count, g->device.units, plan);
    return LUN_OK;
}

/* ---- one slice ------------------------------------------------------------------------------- */

/* Bytes beside a work-group, whole cells for each memory. */
static size_t room_of(const lun_kernel *k, const lun_launch *l)
{
    size_t bytes = 0;
    for (int i = 0; i < k->rooms; i++)
        bytes += ((size_t)l->args[k->room[i].arg] * (size_t)k->room[i].bytes + 7) / 8 * 8;
    return bytes;
}

static lun_status make_steps(lun_gpu *g, lun_kernel *k, const lun_launch *l,
                             const lun_cl_plan *plan, const lun_gpu_slice *p, lun_gpu_step *steps)
{
    lun_status s = LUN_OK;
    for (int i = p->first; s == LUN_OK && i < p->end; i++) {
        lun_gpu_step *step = &steps[i - p->first];
        lun_gpu_entry *entry;
        step->local = plan->step[i].local;
        step->room = room_of(k, l);
        step->global = plan->step[i].chunks && p->chunks ? (size_t)p->chunks * step->local
                                                         : plan->step[i].global;
        s = lun__gpu_program_entry(g, k, plan->step[i].kernel, &entry);
        if (s == LUN_OK)
            step->kernel = entry->kernel;
    }
    return s;
}

/* The memories that are the kernel's arguments: their number. */
static int bind(const lun_gpu *g, const lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan)
{
    int n = 0;
    k->memory[n++] = g->cells;
    for (int i = 0; i < k->shape.slots; i++) {
        const lun_buffer *slot = l->slots ? l->slots[i] : NULL;
        k->memory[n++] = slot ? slot->memory : g->work;
    }
    if (plan->work > 0)
        k->memory[n++] = g->work;
    if (k->shape.stops)
        k->memory[n++] = g->stop_memory;
    return n;
}

static void fill(const lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan, uint64_t *cells)
{
    for (int i = 0; i < LUN_CL_HEAD; i++)
        *cells++ = (uint64_t)plan->head[i];
    for (int i = 0; i < k->shape.slots; i++)
        *cells++ = l->origin ? (uint64_t)l->origin[i] : 0;
    if (k->shape.args)
        memcpy(cells, l->args, (size_t)k->shape.args * sizeof *cells);
}

/* Copies cells; without `wait` they must not change before the device has ended this. */
static lun_status write_cells(lun_gpu *g, void *to, const uint64_t *cells, int64_t count, bool wait)
{
    return lun__gpu_state_check(
        g, g->driver->write(g->queue, to, 0, cells, count * (int64_t)sizeof *cells, wait));
}

static lun_status give(lun_gpu *g, lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan,
                       const lun_gpu_slice *p)
{
    static const uint64_t zeros[2];
    lun_gpu_step steps[LUN_CL_STEPS];
    lun_gpu_batch *b;
    int cells = LUN_CL_HEAD + k->shape.slots + k->shape.args;
    lun_status s = make_steps(g, k, l, plan, p, steps);
    if (s == LUN_OK)
        s = lun__gpu_buffer_cells(g, &g->cells, &g->cell_room, cells);
    if (s == LUN_OK && p->fresh && plan->work)
        s = lun__gpu_buffer_cells(g, &g->work, &g->work_room, plan->work);
    if (s == LUN_OK && k->shape.stops)
        s = lun__gpu_stop_open(g);
    if (s == LUN_OK)
        s = lun__gpu_batch_reserve(g, cells, &b);
    if (s != LUN_OK)
        return s;
    b->kernel = k;
    b->count = p->count;
    b->trial = p->trial;
    fill(k, l, plan, b->cells);
    s = write_cells(g, g->cells, b->cells, cells, false);
    if (s == LUN_OK && p->work)
        s = write_cells(g, g->work, p->work, plan->work, true);
    else if (s == LUN_OK && p->fresh && plan->clear)
        s = write_cells(g, g->work, zeros, plan->clear, false);
    for (int i = 0; s == LUN_OK && l->slots && i < k->shape.slots; i++)
        s = l->slots[i] ? lun__gpu_overlap_use(g, l->slots[i]) : LUN_OK;
    if (s == LUN_OK)
        s = lun__gpu_batch_submit(g, b, steps, p->end - p->first, bind(g, k, l, plan));
    if (s != LUN_OK) /* the copy of the cells may be under way */
        lun__gpu_batch_wait_safe(g);
    return s;
}

lun_status lun__gpu_run_give(lun_gpu *g, lun_kernel *k, const lun_launch *l,
                             const lun_cl_plan *plan, const lun_gpu_slice *p)
{
    lun_guard guard;
    lun_gpu_entry *entry;
    bool guarded = p->guarded;
    lun_status s = LUN_OK;
    if (lun__backend_stop_requested(g->services))
        return lun__gpu_batch_interrupted(g);
    for (int i = p->first; s == LUN_OK && i < p->end; i++) {
        s = lun__gpu_program_entry(g, k, plan->step[i].kernel, &entry);
        guarded |= s == LUN_OK && !entry->ran;
    }
    if (s != LUN_OK)
        return s;
    if (guarded)
        lun__guard_enter(&guard, false);
    s = give(g, k, l, plan, p);
    if (guarded && s == LUN_OK)
        s = lun__gpu_batch_wait(g, 0);
    if (guarded)
        lun__guard_leave(&guard);
    for (int i = p->first; guarded && s == LUN_OK && i < p->end; i++)
        if (lun__gpu_program_entry(g, k, plan->step[i].kernel, &entry) == LUN_OK)
            entry->ran = true;
    return s;
}

/* ---- results --------------------------------------------------------------------------------- */

/* What the first two cells of work say. */
static lun_status find_trap(const lun_kernel *k, const uint64_t *work, lun_launch *l)
{
    if (!work[0])
        return LUN_OK;
    int trap = (int)(work[0] - 1);
    l->trap = trap;
    l->trap_value = (int64_t)work[1];
    return lun__ir_trap_status(trap < k->kind_count ? k->kinds[trap] : LUN_IR_KIND_COUNT);
}

lun_status lun__gpu_run_results(lun_gpu *g, const lun_kernel *k, int64_t count, lun_launch *l,
                                uint64_t *results)
{
    uint64_t few[2 + LUN_IR_SINKS], *work = few;
    int64_t bytes = (2 + count) * (int64_t)sizeof *work;
    lun_status s = lun__gpu_batch_wait(g, 0);
    if (s != LUN_OK)
        return s;
    if (bytes > (int64_t)sizeof few)
        work = malloc((size_t)bytes);
    if (!work)
        return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    s = lun__gpu_state_check(g, g->driver->read(g->queue, g->work, 0, work, bytes));
    if (s == LUN_OK)
        s = find_trap(k, work, l);
    if (s == LUN_OK && count)
        memcpy(results, work + 2, (size_t)count * sizeof *work);
    if (work != few)
        free(work);
    return s;
}

/* ---- pairs of chunks ------------------------------------------------------------------------- */

/* By lun_pairs: the rows to combine are behind the rows of results. */
static lun_status combine_on_device(lun_gpu *g, lun_kernel *k, lun_launch *l, uint64_t *cells,
                                    int64_t pairs)
{
    lun_launch bare = {.args = l->args}; /* a function may index arrays; no other slot is read */
    lun_cl_plan plan;
    if (k->shape.arrays) {
        bare.slots = l->slots;
        bare.origin = l->origin;
    }
    lun__cl_plan_pairs(&k->shape, pairs, &plan);
    uint64_t *work = calloc((size_t)plan.work, sizeof *work);
    if (!work)
        return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    memcpy(work + plan.read, cells, (size_t)(plan.work - plan.read) * sizeof *work);
    lun_gpu_slice p = {
        .end = plan.steps, .trial = -1, .fresh = true, .guarded = true, .work = work};
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = lun__gpu_run_give(g, k, &bare, &plan, &p);
    free(work);
    if (s == LUN_OK)
        s = lun__gpu_run_results(g, k, plan.read - 2, l, cells);
    return s;
}

lun_status lun__gpu_run_combine(lun_gpu *g, const lun_work_run *w)
{
    lun_kernel *k = w->kernel;
    if (!k->joiner)
        return combine_on_device(g, k, w->launch, w->cells, w->pairs);
    return lun__host_run_combine(g->services, lun__interpreter_exec(k->joiner), k->shape.results,
                                 w->launch, w->cells, w->pairs);
}
