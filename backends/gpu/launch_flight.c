/* launch_flight.c - a launch from its start to its end: slice by slice, as the device takes them,
 * without waiting where the caller has other devices to serve; see gpu_state.h.
 *
 * Invariant: flight.kernel is not NULL from the start of a launch to its end or failure, and a
 * state has one launch at a time; as long, the packing is open and the claim to the program is
 * held. Steps before flight.step, and the first `done` indices or chunks of that step, are
 * submitted; `given` is set when all are. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_state.h"
#include "table/skeleton.h"

/* ---- the next slice -------------------------------------------------------------------------- */

/* The kernel's program is complete: the driver has compiled what it compiles in a first run.  What
 * other stages of a scan add is not waited for: other devices wait for the program. */
static void has_run(lun_gpu *g, lun_kernel *k)
{
    k->ran = true;
    lun__gpu_program_store(g, k);
}

/* Of a kernel without an order among indices: each slice has a plan of its own. */
static lun_status give_elements(lun_gpu *g, lun_gpu_flight *f)
{
    lun_kernel *k = f->kernel;
    const lun_launch *l = &f->packing.launch;
    const int64_t grain = lun__gpu_slice_element_grain(k);
    lun_gpu_slice p = {.end = 1, .fresh = f->fresh, .guarded = !k->ran};
    f->count =
        lun__gpu_slice(k, grain, lun__gpu_slice_element_start(g), l->count - f->done, f->count);
    lun_status s = lun__gpu_pack(g, &f->packing, l->first + f->done, &f->count, grain);
    if (s == LUN_OK)
        s = lun__gpu_run_plan(g, k, l, l->first + f->done, f->count, &f->plan, &p.trial);
    p.count = f->count;
    p.guarded |= p.trial >= 0 || l->workgroup > 0;
    if (s == LUN_OK)
        s = lun__gpu_run_give(g, k, l, &f->plan, &p);
    if (s == LUN_OK && !k->ran)
        has_run(g, k);
    f->done += f->count;
    g->progress = f->done;
    f->first = f->fresh;
    f->fresh = false;
    f->more = f->done < l->count;
    f->given = !f->more;
    return s;
}

/* One slice of the chunks of a step. */
static lun_status give_chunks(lun_gpu *g, lun_gpu_flight *f)
{
    lun_kernel *k = f->kernel;
    const lun_launch *l = &f->packing.launch;
    const int64_t chunks = f->plan.step[f->step].chunks, chunk = f->plan.head[2];
    const int64_t grain = lun__gpu_slice_chunk_grain(g, chunk);
    lun_gpu_slice p = {.first = f->step, .end = f->step + 1, .trial = -1, .fresh = f->fresh};
    lun_status s = LUN_OK;
    p.guarded = !f->done && !k->ran;
    p.work = f->fresh ? f->work : NULL;
    if (chunks) {
        f->count = lun__gpu_slice(k, grain, grain, (chunks - f->done) * chunk, f->count);
        const int64_t left = l->count - f->done * chunk;
        f->count = f->count < left ? f->count : left;
        s = lun__gpu_pack(g, &f->packing, l->first + f->done * chunk, &f->count, chunk);
        p.chunks = (f->count + chunk - 1) / chunk;
        p.count = p.chunks * chunk;
    }
    f->plan.head[4] = f->done;
    if (s == LUN_OK)
        s = lun__gpu_run_give(g, k, l, &f->plan, &p);
    f->fresh = false;
    f->first = !f->done;
    f->done += p.chunks;
    if (chunks)
        g->progress = f->done * chunk < l->count ? f->done * chunk : l->count;
    f->more = f->done < chunks;
    if (f->more)
        return s;
    f->step++;
    f->done = f->count = 0;
    f->given = f->step == f->plan.steps;
    return s;
}

/* What a stage begins with. */
static lun_status fill_work(lun_gpu *g, lun_gpu_flight *f)
{
    const int64_t chunks = f->plan.head[3] - (f->launch->stage == LUN_STAGE_CARRIED);
    f->work = calloc((size_t)f->plan.work, sizeof *f->work);
    if (!f->work)
        return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    memcpy(f->work + 2, f->launch->partials, (size_t)chunks * sizeof *f->work);
    return LUN_OK;
}

/* Of a reduction or scan: one plan, in one batch if it is short. */
static lun_status give_ordered(lun_gpu *g, lun_gpu_flight *f)
{
    lun_kernel *k = f->kernel;
    const lun_launch *l = &f->packing.launch;
    lun_gpu_slice whole = {.count = l->count, .fresh = true, .guarded = !k->ran};
    if (f->planned)
        return give_chunks(g, f);
    f->planned = true;
    lun_status s = lun__gpu_run_plan(g, k, l, l->first, l->count, &f->plan, &whole.trial);
    if (s == LUN_OK && l->stage > LUN_STAGE_TOTALS)
        s = fill_work(g, f);
    whole.end = f->plan.steps;
    whole.work = f->work;
    if (s != LUN_OK)
        return s;
    if (l->stage == LUN_STAGE_CARRIES)
        return give_chunks(g, f);
    const int64_t grain = lun__gpu_slice_chunk_grain(g, f->plan.head[2]);
    int64_t packed = l->count;
    s = lun__gpu_pack(g, &f->packing, l->first, &packed, f->plan.head[2]);
    if (s != LUN_OK || packed != l->count ||
        lun__gpu_slice(k, grain, grain, l->count, 0) < l->count)
        return s == LUN_OK ? give_chunks(g, f) : s;
    f->given = true;
    return lun__gpu_run_give(g, k, l, &f->plan, &whole);
}

/* ---- from the start to the end --------------------------------------------------------------- */

static bool is_ordered(const lun_kernel *k)
{
    return k->shape.results || k->shape.scan;
}

/* After a failure there is none. */
static lun_status begin(lun_gpu *g, lun_kernel *k, lun_launch *l)
{
    lun_gpu_flight *f = &g->flight;
    l->trap = -1;
    l->trap_value = 0;
    *f = (lun_gpu_flight){.kernel = NULL};
    if (l->n <= 0 || l->count <= 0) {
        lun__gpu_program_unclaim(g, k);
        return LUN_OK;
    }
    lun_status s = lun__gpu_state_ready(g);
    if (s != LUN_OK)
        return s;
    lun__backend_count(&g->services->stats->launches);
    g->doing = lun__skeleton_kernel_name(k->shape.scan, k->shape.results);
    g->progress = 0;
    g->goal = l->count;
    *f = (lun_gpu_flight){.kernel = k, .launch = l, .fresh = true};
    if (l->stage == LUN_STAGE_CARRIES) { /* which reads no elements */
        f->packing.launch = *l;
        return LUN_OK;
    }
    return lun__gpu_pack_open(g, k, l, &f->packing);
}

/* Gives the device what is left of it: without `wait` as much as it takes now. */
static lun_status go_on(lun_gpu *g, bool wait)
{
    lun_gpu_flight *f = &g->flight;
    lun_status s = LUN_OK;
    while (s == LUN_OK && !f->given) {
        bool room = true;
        const int ahead = f->more ? lun__gpu_slice_ahead(f->kernel, f->first) : LUN_GPU_BATCHES;
        s = wait ? f->more ? lun__gpu_batch_wait(g, ahead) : LUN_OK
                 : lun__gpu_batch_room(g, ahead, &room);
        if (s != LUN_OK || !room)
            break;
        s = (is_ordered(f->kernel) ? give_ordered : give_elements)(g, f);
    }
    return s;
}

/* Waits for a first run, which the driver compiles; elements have waited for their first slice. */
static lun_status end_first(lun_gpu *g, const lun_gpu_flight *f)
{
    if (f->kernel->ran || !f->given)
        return LUN_OK;
    const lun_status s = lun__gpu_batch_wait(g, 0);
    if (s == LUN_OK)
        has_run(g, f->kernel);
    return s;
}

/* What was given sets out. */
static lun_status flush(lun_gpu *g)
{
    if (g->flushed == g->given)
        return LUN_OK;
    g->flushed = g->given;
    return lun__gpu_state_check(g, g->driver->flush(g->queue));
}

/* Its results, when all of it was given. */
static lun_status land(lun_gpu *g, const lun_gpu_flight *f)
{
    lun_launch *l = f->launch;
    lun_status s = f->kernel->shape.stops ? lun__gpu_batch_wait(g, 0) : LUN_OK;
    if (s != LUN_OK)
        return s;
    if (!f->plan.read)
        return flush(g);
    return lun__gpu_run_results(g, f->kernel, f->plan.read - 2, l, l->partials);
}

/* Whatever became of it; also after a failure other processes may make the program. */
static lun_status leave(lun_gpu *g, lun_status s)
{
    lun_gpu_flight *f = &g->flight;
    if (!f->kernel)
        return s;
    lun__gpu_pack_close(g, &f->packing);
    free(f->work);
    f->work = NULL;
    lun__gpu_program_unclaim(g, f->kernel);
    f->kernel = NULL;
    return s;
}

lun_status lun__gpu_flight_launch(lun_gpu *g, lun_kernel *k, lun_launch *l, lun_work_mark *mark)
{
    lun_status s = begin(g, k, l);
    if (s != LUN_OK || !g->flight.kernel)
        return leave(g, s);
    s = go_on(g, is_ordered(k) && !k->ran);
    if (s == LUN_OK)
        s = end_first(g, &g->flight);
    if (s == LUN_OK)
        s = flush(g);
    *mark = g->flight.mark = ++g->marked;
    return s == LUN_OK ? s : leave(g, s);
}

lun_status lun__gpu_flight_advance(lun_gpu *g, bool *given)
{
    lun_status s = LUN_OK;
    *given = true;
    if (!g->flight.kernel)
        return LUN_OK;
    if (lun__backend_stop_requested(g->services))
        s = lun__gpu_batch_interrupted(g);
    if (s == LUN_OK)
        s = go_on(g, false);
    if (s == LUN_OK)
        s = flush(g);
    *given = g->flight.given;
    /* one device's results are not waited for while another runs a kernel that may have no end:
     * drivers have threads in common, and only who looks here can stop it */
    if (s == LUN_OK && *given && g->flight.kernel->loops)
        s = lun__gpu_batch_room(g, 0, given);
    return s == LUN_OK ? s : leave(g, s);
}

lun_status lun__gpu_flight_collect(lun_gpu *g)
{
    if (!g->flight.kernel)
        return LUN_OK;
    lun_status s = go_on(g, true);
    if (s == LUN_OK)
        s = end_first(g, &g->flight);
    return leave(g, s == LUN_OK ? land(g, &g->flight) : s);
}
