/* run.c - runs a kernel: its plan, its arguments, its slices one after the other, its results, and
 * joins those of chunks; see state.h.  Knows no text. */
#include <stdlib.h>
#include <string.h>

#include "gpu/guard.h"
#include "gpu/state.h"
#include "table/skeleton.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* The plan for indices first .. first+count-1, with the size of work-groups that the script asks
 * for, or that is fastest. */
static lun_status make_plan(lun_gpu *g, lun_kernel *k, const lun_launch *l, int64_t first,
                            int64_t count, lun_cl_plan *plan, int *trial)
{
    lun_cl_shape shape = k->shape;
    bool free_size = !shape.results && !shape.scan;
    *trial = -1;
    if (free_size && shape.form == LUN_CL_SCALAR) {
        lun_gpu_entry *entry = NULL;
        lun_status s = lun__gpu_entry(g, k, "lun_kernel", &entry);
        if (s != LUN_OK)
            return s;
        shape.group = lun__gpu_group(g, k, entry->most, count, trial);
    }
    if (free_size && l->workgroup > 0) {
        int64_t most = shape.form == LUN_CL_SCALAR ? k->tuning.most : INT32_MAX;
        *trial = -1;
        if (l->workgroup > most)
            return lun__gpu_fail(
                g, LUN_ELIMIT,
                "%s: a work-group of %d is too large: this kernel allows at most %lld there",
                g->device.name, l->workgroup, (long long)most);
        shape.group = l->workgroup;
    }
    if (l->line)
        lun__cl_plan_lines(&shape, l->n / l->line, l->line, g->device.units, plan);
    else
        lun__cl_plan_make(&shape, first, count, g->device.units, plan);
    return LUN_OK;
}

/* ---- one slice ------------------------------------------------------------------------------- */

/* What is given to the device at once: steps first .. end-1 of a plan; of a step that goes by
 * chunks, `chunks` of them from number head[4] of the plan on, 0: all. */
typedef struct slice {
    int first, end;
    int64_t chunks, count; /* count: indices, 0 for what does not go over them */
    int trial;
    bool fresh;           /* traps and results start here */
    bool guarded;         /* something in it runs for the first time: drivers compile then */
    const uint64_t *work; /* what work starts with, plan.work cells; NULL: plan.clear zeros */
} slice;

static lun_status make_steps(lun_gpu *g, lun_kernel *k, const lun_cl_plan *plan, const slice *p,
                             lun_gpu_step *steps)
{
    lun_status s = LUN_OK;
    for (int i = p->first; s == LUN_OK && i < p->end; i++) {
        lun_gpu_step *step = &steps[i - p->first];
        lun_gpu_entry *entry;
        step->local = plan->step[i].local;
        step->global = plan->step[i].chunks && p->chunks ? (size_t)p->chunks * step->local
                                                         : plan->step[i].global;
        s = lun__gpu_entry(g, k, plan->step[i].kernel, &entry);
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
    for (int i = 0; i < k->shape.slots; i++)
        k->memory[n++] = l->slots ? ((const lun_buffer *)l->slots[i])->memory : g->work;
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
    return lun__gpu_check(
        g, g->driver->write(g->queue, to, 0, cells, count * (int64_t)sizeof *cells, wait));
}

static lun_status give(lun_gpu *g, lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan,
                       const slice *p)
{
    static const uint64_t zeros[2];
    lun_gpu_step steps[LUN_CL_STEPS];
    lun_gpu_batch *b;
    int cells = LUN_CL_HEAD + k->shape.slots + k->shape.args;
    lun_status s = make_steps(g, k, plan, p, steps);
    if (s == LUN_OK)
        s = lun__gpu_cells(g, &g->cells, &g->cell_room, cells);
    if (s == LUN_OK && p->fresh && plan->work)
        s = lun__gpu_cells(g, &g->work, &g->work_room, plan->work);
    if (s == LUN_OK && k->shape.stops)
        s = lun__gpu_stop_open(g);
    if (s == LUN_OK)
        s = lun__gpu_reserve(g, cells, &b);
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
    if (s == LUN_OK)
        s = lun__gpu_submit(g, b, steps, p->end - p->first, bind(g, k, l, plan));
    if (s != LUN_OK) /* the copy of the cells may be under way */
        lun__gpu_wait_safe(g);
    return s;
}

static lun_status run_slice(lun_gpu *g, lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan,
                            const slice *p)
{
    lun_guard guard;
    if (lun__stop_wanted(g->services))
        return lun__gpu_interrupted(g);
    if (p->guarded)
        lun__guard_enter(&guard, false);
    lun_status s = give(g, k, l, plan, p);
    if (p->guarded && s == LUN_OK)
        s = lun__gpu_wait(g, 0);
    if (p->guarded)
        lun__guard_leave(&guard);
    return s;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Kernels without an order among indices: each slice has a plan of its own. */
static lun_status run_elements(lun_gpu *g, lun_kernel *k, lun_gpu_packing *packing,
                               lun_cl_plan *plan)
{
    const lun_launch *l = &packing->launch;
    int64_t grain = lun__gpu_element_grain(k), start = lun__gpu_element_start(g);
    lun_status s = LUN_OK;
    for (int64_t done = 0, count = 0; s == LUN_OK && done < l->count;) {
        slice p = {.end = 1, .fresh = done == 0, .guarded = done == 0 && !k->ran};
        count = lun__gpu_slice(k, grain, start, l->count - done, count);
        s = lun__gpu_pack(g, packing, l->first + done, &count, grain);
        if (s == LUN_OK)
            s = make_plan(g, k, l, l->first + done, count, plan, &p.trial);
        p.count = count;
        p.guarded |= p.trial >= 0 || l->workgroup > 0;
        if (s == LUN_OK)
            s = run_slice(g, k, l, plan, &p);
        done += count;
        g->progress = done;
        if (s == LUN_OK && done < l->count)
            s = lun__gpu_adapt(g, k, p.fresh);
    }
    return s;
}

/* One step of a reduction or scan, by slices of its chunks. */
static lun_status run_step(lun_gpu *g, lun_kernel *k, lun_gpu_packing *packing, lun_cl_plan *plan,
                           int step, bool *fresh)
{
    const lun_launch *l = &packing->launch;
    int64_t chunks = plan->step[step].chunks, chunk = plan->head[2];
    int64_t grain = lun__gpu_chunk_grain(g, chunk);
    lun_status s = LUN_OK;
    for (int64_t done = 0, count = 0; s == LUN_OK && (done < chunks || !done);) {
        slice p = {.first = step, .end = step + 1, .trial = -1, .fresh = *fresh};
        p.guarded = !done && !k->ran;
        if (chunks) {
            count = lun__gpu_slice(k, grain, grain, (chunks - done) * chunk, count);
            count = count < l->count - done * chunk ? count : l->count - done * chunk;
            s = lun__gpu_pack(g, packing, l->first + done * chunk, &count, chunk);
            p.chunks = (count + chunk - 1) / chunk;
            p.count = p.chunks * chunk;
        }
        plan->head[4] = done;
        if (s == LUN_OK)
            s = run_slice(g, k, l, plan, &p);
        *fresh = false;
        if (!chunks)
            break;
        done += p.chunks;
        g->progress = done * chunk < l->count ? done * chunk : l->count;
        if (s == LUN_OK && done < chunks)
            s = lun__gpu_adapt(g, k, done == p.chunks);
    }
    return s;
}

/* Reductions and scans: one plan, in one batch if it is short. */
static lun_status run_ordered(lun_gpu *g, lun_kernel *k, lun_gpu_packing *packing,
                              lun_cl_plan *plan)
{
    const lun_launch *l = &packing->launch;
    slice whole = {.count = l->count, .fresh = true, .guarded = !k->ran};
    lun_status s = make_plan(g, k, l, l->first, l->count, plan, &whole.trial);
    bool fresh = true;
    whole.end = plan->steps;
    if (s != LUN_OK)
        return s;
    int64_t grain = lun__gpu_chunk_grain(g, plan->head[2]), packed = l->count;
    s = lun__gpu_pack(g, packing, l->first, &packed, plan->head[2]);
    if (s == LUN_OK && packed == l->count &&
        lun__gpu_slice(k, grain, grain, l->count, 0) >= l->count)
        return run_slice(g, k, l, plan, &whole);
    for (int i = 0; s == LUN_OK && i < plan->steps; i++)
        s = run_step(g, k, packing, plan, i, &fresh);
    return s;
}

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

/* Waits; a trap, or the `count` cells behind it go to `results`. */
static lun_status read_results(lun_gpu *g, const lun_kernel *k, int64_t count, lun_launch *l,
                               uint64_t *results)
{
    uint64_t few[2 + LUN_IR_SINKS], *work = few;
    int64_t bytes = (2 + count) * (int64_t)sizeof *work;
    lun_status s = lun__gpu_wait(g, 0);
    if (s != LUN_OK)
        return s;
    if (bytes > (int64_t)sizeof few)
        work = malloc((size_t)bytes);
    if (!work)
        return lun__gpu_fail(g, LUN_ENOMEM, "out of memory");
    s = lun__gpu_check(g, g->driver->read(g->queue, g->work, 0, work, bytes));
    if (s == LUN_OK)
        s = find_trap(k, work, l);
    if (s == LUN_OK && count)
        memcpy(results, work + 2, (size_t)count * sizeof *work);
    if (work != few)
        free(work);
    return s;
}

static lun_status launch(lun_gpu *g, lun_kernel *k, lun_launch *l)
{
    lun_cl_plan plan = {.steps = 0};
    lun_gpu_packing packing;
    bool first_run = !k->ran, ordered = k->shape.results || k->shape.scan;
    l->trap = -1;
    l->trap_value = 0;
    if (l->n <= 0 || l->count <= 0)
        return LUN_OK;
    lun_status s = lun__gpu_ready(g);
    if (s != LUN_OK)
        return s;
    g->services->stats->launches++;
    g->doing = lun__kernel_name(k->shape.scan, k->shape.results);
    g->progress = 0;
    g->goal = l->count;
    s = lun__gpu_pack_open(g, k, l, &packing);
    if (s == LUN_OK)
        s = (ordered ? run_ordered : run_elements)(g, k, &packing, &plan);
    lun__gpu_pack_close(g, &packing);
    if (s == LUN_OK && (first_run || k->shape.stops))
        s = lun__gpu_wait(g, 0);
    if (s == LUN_OK)
        s = plan.read ? read_results(g, k, plan.read - 2, l, l->partials)
                      : lun__gpu_check(g, g->driver->flush(g->queue));
    if (s == LUN_OK && first_run) {
        k->ran = true;
        lun__gpu_program_store(g, k);
    }
    return s;
}

lun_status lun__gpu_run(void *state, lun_kernel *k, lun_launch *l)
{
    lun_status s = launch(state, k, l);
    lun__gpu_program_unclaim(state, k); /* also after a failure: other processes may make it */
    return s;
}

/* ---- pairs of chunks ------------------------------------------------------------------------- */

/* By lun_pairs: the rows stand behind those that they become. */
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
        return lun__gpu_fail(g, LUN_ENOMEM, "out of memory");
    memcpy(work + plan.read, cells, (size_t)(plan.work - plan.read) * sizeof *work);
    slice p = {.end = plan.steps, .trial = -1, .fresh = true, .guarded = true, .work = work};
    lun_status s = lun__gpu_ready(g);
    if (s == LUN_OK)
        s = run_slice(g, k, &bare, &plan, &p);
    free(work);
    if (s == LUN_OK)
        s = read_results(g, k, plan.read - 2, l, cells);
    return s;
}

lun_status lun__gpu_combine(void *state, lun_kernel *k, lun_launch *l, uint64_t *cells,
                            int64_t pairs)
{
    lun_gpu *g = state;
    if (!k->joiner)
        return combine_on_device(g, k, l, cells, pairs);
    return lun__host_combine(g->services, lun__interp_exec(k->joiner), k->shape.results, l, cells,
                             pairs);
}
