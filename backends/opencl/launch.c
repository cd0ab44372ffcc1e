/* launch.c - runs a kernel: its plan, its arguments, slices of its indices, its results; see state.h.
 * Knows no text. */
#include <string.h>

#include "opencl/guard.h"
#include "opencl/state.h"

enum {
    SLICE = 40000000, /* nanoseconds that a slice shall take */
    STEP = 1000000, /* that the first one of a loop should take, were it as fast as the last time */
    GRAIN = 16384,  /* indices that slices are multiples of */
    LOOP_GRAIN = 1024,
    GROWTH = 8,         /* of the slices of a run that feels its way */
    FIRST_OPS = 1 << 28 /* operations of the first slice of a kernel whose speed is not known */
};

/* ---- steps --------------------------------------------------------------------------------------- */

static lun_status find_entry(lun_opencl *o, lun_kernel *k, const char *name, cl_kernel *out)
{
    cl_int code;
    lun_cl_entry *e = k->entry;
    while (e->name && strcmp(e->name, name))
        e++;
    if (!e->name) {
        e->kernel = o->cl.clCreateKernel(k->program, name, &code);
        if (!e->kernel)
            return lun_opencl_failed(o, "clCreateKernel", code);
        e->name = name;
    }
    *out = e->kernel;
    return LUN_OK;
}

static lun_status bind(lun_opencl *o, const lun_kernel *k, const lun_launch *l, cl_kernel kernel,
                       bool work)
{
    int slots = k->shape.slots;
    cl_int code = o->cl.clSetKernelArg(kernel, 0, sizeof o->cells, &o->cells);
    for (int i = 0; code == CL_SUCCESS && i < slots; i++) {
        const lun_buffer *b = l->slots[i];
        code = o->cl.clSetKernelArg(kernel, (cl_uint)(i + 1), sizeof b->mem, &b->mem);
    }
    if (code == CL_SUCCESS && work)
        code = o->cl.clSetKernelArg(kernel, (cl_uint)(slots + 1), sizeof o->work, &o->work);
    return code == CL_SUCCESS ? LUN_OK : lun_opencl_failed(o, "clSetKernelArg", code);
}

/* A device that refuses one kernel but still answers is not lost. */
static lun_status refuse(lun_opencl *o, cl_int code)
{
    return o->cl.clFinish(o->queue) == CL_SUCCESS
               ? lun_opencl_failed(o, "clEnqueueNDRangeKernel", code)
               : lun_opencl_lost(o, "clEnqueueNDRangeKernel", code);
}

/* What is given to the device at once: steps first .. end-1; of a step that goes by chunks `chunks` of them
 * from number head[4] of the plan on, 0: all. */
typedef struct part {
    int first, end;
    int64_t chunks, count; /* count: indices, 0 for what does not go over them */
    int trial;
    bool fresh;   /* traps and results start here */
    bool guarded; /* something in it runs for the first time: drivers compile then */
} part;

static lun_status enqueue(lun_opencl *o, lun_kernel *k, const lun_launch *l,
                          const lun_cl_plan *plan, const part *p, lun_cl_flight *f)
{
    lun_status s = LUN_OK;
    for (int i = p->first; s == LUN_OK && i < p->end; i++) {
        cl_kernel kernel = NULL;
        cl_event *event = i == p->end - 1 ? &f->last : i == p->first ? &f->first : NULL;
        size_t local = plan->step[i].local, global = plan->step[i].global;
        if (plan->step[i].chunks && p->chunks)
            global = (size_t)p->chunks * local;
        s = find_entry(o, k, plan->step[i].kernel, &kernel);
        if (s == LUN_OK)
            s = bind(o, k, l, kernel, plan->work > 0);
        if (s != LUN_OK)
            break;
        cl_int code = o->cl.clEnqueueNDRangeKernel(o->queue, kernel, 1, NULL, &global, &local, 0,
                                                   NULL, event);
        if (code != CL_SUCCESS)
            s = refuse(o, code);
    }
    if (s != LUN_OK && f->first) {
        o->cl.clReleaseEvent(f->first);
        f->first = NULL;
    }
    return s;
}

/* The plan for indices first .. first+count-1, with the size of work-groups that the script wants, or that
 * is fastest. */
static lun_status make_plan(lun_opencl *o, lun_kernel *k, const lun_launch *l, int64_t first,
                            int64_t count, lun_cl_plan *plan, int *trial)
{
    lun_cl_shape shape = k->shape;
    bool free_size = !shape.results && !shape.scan;
    *trial = -1;
    if (free_size && shape.form == LUN_CL_SCALAR) {
        cl_kernel kernel = NULL;
        lun_status s = find_entry(o, k, "lun_kernel", &kernel);
        if (s != LUN_OK)
            return s;
        shape.group = lun_opencl_group(o, k, kernel, count, trial);
    }
    if (free_size && l->workgroup > 0) {
        int64_t most = shape.form == LUN_CL_SCALAR ? k->tuning.most : INT32_MAX;
        *trial = -1;
        if (l->workgroup > most)
            return lun_opencl_fail(o, LUN_ELIMIT,
                                   "%s: a work-group of %d: this kernel has at most %lld there",
                                   o->device.name, l->workgroup, (long long)most);
        shape.group = l->workgroup;
    }
    lun__cl_plan_make(&shape, first, count, o->device.units, plan);
    return LUN_OK;
}

/* ---- a slice ------------------------------------------------------------------------------------- */

static void fill(const lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan, uint64_t *cells)
{
    for (int i = 0; i < LUN_CL_HEAD; i++)
        *cells++ = (uint64_t)plan->head[i];
    for (int i = 0; i < k->shape.slots; i++)
        *cells++ = l->origin ? (uint64_t)l->origin[i] : 0;
    if (k->shape.args)
        memcpy(cells, l->args, (size_t)k->shape.args * sizeof *cells);
}

static lun_status write_cells(lun_opencl *o, cl_mem to, const uint64_t *cells, int64_t count)
{
    cl_int code = o->cl.clEnqueueWriteBuffer(o->queue, to, CL_FALSE, 0,
                                             (size_t)count * sizeof *cells, cells, 0, NULL, NULL);
    return code == CL_SUCCESS ? LUN_OK : lun_opencl_lost(o, "clEnqueueWriteBuffer", code);
}

/* Gives a part to the device. */
static lun_status give(lun_opencl *o, lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan,
                       const part *p)
{
    static const uint64_t zeros[16];
    lun_cl_flight *f;
    int cells = LUN_CL_HEAD + k->shape.slots + k->shape.args;
    int64_t clear = plan->clear < 16 ? plan->clear : 16;
    lun_status s = lun_opencl_cells(o, &o->cells, &o->cell_room, cells);
    if (s == LUN_OK && p->fresh && plan->work)
        s = lun_opencl_cells(o, &o->work, &o->work_room, plan->work);
    if (s == LUN_OK)
        s = lun_opencl_board(o, cells, &f);
    if (s != LUN_OK)
        return s;
    fill(k, l, plan, f->cells);
    s = write_cells(o, o->cells, f->cells, cells);
    if (s == LUN_OK && p->fresh && clear)
        s = write_cells(o, o->work, zeros, clear);
    if (s == LUN_OK)
        s = enqueue(o, k, l, plan, p, f);
    if (s == LUN_OK) {
        f->kernel = k;
        f->count = p->count;
        f->trial = p->trial;
        lun_opencl_depart(o, f);
        return LUN_OK;
    }
    /* the copy of the cells may be under way: they must not change before it has ended */
    lun_opencl_settle(o);
    return s;
}

static lun_status fly(lun_opencl *o, lun_kernel *k, const lun_launch *l, const lun_cl_plan *plan,
                      const part *p)
{
    lun_guard g;
    if (lun_stop_wanted(o->services))
        return lun_opencl_fail(o, LUN_ECANCEL, "interrupted");
    if (p->guarded)
        lun_guard_enter(&g, false);
    lun_status s = give(o, k, l, plan, p);
    if (p->guarded && s == LUN_OK)
        s = lun_opencl_wait(o, 0);
    if (p->guarded)
        lun_guard_leave(&g);
    return s;
}

/* How many of `left` indices make the next slice, in whole grains, after one of `last` (0: the first).  How
 * long a loop runs depends on what it is given: there every run feels its way, from `start` on. */
static int64_t slice_of(const lun_kernel *k, int64_t grain, int64_t start, int64_t left,
                        int64_t last)
{
    double most = k->rate > 0 ? SLICE / k->rate : 0;
    if (k->loops && !last)
        most = k->rate > 0 && STEP / k->rate > (double)start ? STEP / k->rate : (double)start;
    else if (k->loops)
        most = most > 0 && most < GROWTH * (double)last ? most : GROWTH * (double)last;
    else if (most <= 0)
        most = (double)FIRST_OPS / (double)(k->shape.cost < 1 ? 1 : k->shape.cost);
    if (most < (double)grain)
        return left < grain ? left : grain;
    if ((double)left <= most * 1.5)
        return left;
    return (int64_t)most / grain * grain;
}

/* A slice's speed decides the size of the next one, or of the one after that. */
static lun_status feel(lun_opencl *o, const lun_kernel *k, bool first)
{
    return k->loops || k->rate <= 0 ? lun_opencl_wait(o, first || k->rate <= 0 ? 0 : 1) : LUN_OK;
}

/* ---- a run --------------------------------------------------------------------------------------- */

static lun_status fetch(lun_opencl *o, const lun_kernel *k, int64_t count, lun_launch *l)
{
    uint64_t few[2 + 64];
    lun_status s = lun_opencl_wait(o, 0);
    if (s != LUN_OK)
        return s;
    if (count > (int64_t)(sizeof few / sizeof *few))
        return lun_opencl_fail(o, LUN_ELIMIT, "a kernel has %d results: evaluate fewer at once",
                               k->shape.results);
    cl_int code = o->cl.clEnqueueReadBuffer(o->queue, o->work, CL_TRUE, 0,
                                            (size_t)count * sizeof *few, few, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return lun_opencl_lost(o, "clEnqueueReadBuffer", code);
    if (few[0]) {
        int trap = (int)(few[0] - 1);
        l->trap = trap;
        l->trap_value = (int64_t)few[1];
        return trap < k->kind_count && k->kinds[trap] == LUN_IR_CHECK ? LUN_EBOUNDS : LUN_EZERO;
    }
    if (k->shape.results)
        memcpy(l->results, few + 2, (size_t)k->shape.results * sizeof *few);
    return LUN_OK;
}

/* Elements for themselves: any indices make a run of their own. */
static lun_status fly_elements(lun_opencl *o, lun_kernel *k, const lun_launch *l, lun_cl_plan *plan)
{
    int64_t grain = k->loops ? LOOP_GRAIN : GRAIN;
    int64_t start = LOOP_GRAIN * (o->device.type & CL_DEVICE_TYPE_CPU ? o->device.units : 256);
    lun_status s = LUN_OK;
    for (int64_t done = 0, count = 0; s == LUN_OK && done < l->count;) {
        part p = {.end = 1, .fresh = done == 0, .guarded = done == 0 && !k->ran};
        count = slice_of(k, grain, start, l->count - done, count);
        s = make_plan(o, k, l, l->first + done, count, plan, &p.trial);
        p.count = count;
        p.guarded |= p.trial >= 0 || l->workgroup > 0;
        if (s == LUN_OK)
            s = fly(o, k, l, plan, &p);
        done += count;
        o->progress = done;
        if (s == LUN_OK && done < l->count)
            s = feel(o, k, p.fresh);
    }
    return s;
}

/* The least that keeps the device busy, in whole chunks. */
static int64_t least_of(const lun_opencl *o, const lun_cl_plan *plan)
{
    int64_t groups = (int64_t)o->device.units * (o->device.type & CL_DEVICE_TYPE_CPU ? 1 : 8);
    return plan->head[2] * (groups < 1 ? 1 : groups);
}

/* One step of what needs an order, by slices of its chunks. */
static lun_status fly_step(lun_opencl *o, lun_kernel *k, const lun_launch *l, lun_cl_plan *plan,
                           int step, bool *fresh)
{
    int64_t chunks = plan->step[step].chunks, chunk = plan->head[2], grain = least_of(o, plan);
    lun_status s = LUN_OK;
    for (int64_t done = 0, count = 0; s == LUN_OK && (done < chunks || !done);) {
        part p = {.first = step, .end = step + 1, .trial = -1, .fresh = *fresh};
        p.guarded = !done && !k->ran;
        if (chunks) {
            count = slice_of(k, grain, grain, (chunks - done) * chunk, count);
            p.chunks = (count + chunk - 1) / chunk;
            p.count = p.chunks * chunk;
        }
        plan->head[4] = done;
        s = fly(o, k, l, plan, &p);
        *fresh = false;
        if (!chunks)
            break;
        done += p.chunks;
        o->progress = done * chunk < l->count ? done * chunk : l->count;
        if (s == LUN_OK && done < chunks)
            s = feel(o, k, done == p.chunks);
    }
    return s;
}

static bool is_long(const lun_kernel *k, const lun_launch *l, int64_t least)
{
    return slice_of(k, least, least, l->count, 0) < l->count;
}

/* Reductions and scans: one plan, at once if it is short. */
static lun_status fly_ordered(lun_opencl *o, lun_kernel *k, const lun_launch *l, lun_cl_plan *plan)
{
    part whole = {.count = l->count, .fresh = true, .guarded = !k->ran};
    lun_status s = make_plan(o, k, l, l->first, l->count, plan, &whole.trial);
    bool fresh = true;
    whole.end = plan->steps;
    if (s != LUN_OK || !is_long(k, l, least_of(o, plan)))
        return s == LUN_OK ? fly(o, k, l, plan, &whole) : s;
    for (int i = 0; s == LUN_OK && i < plan->steps; i++)
        s = fly_step(o, k, l, plan, i, &fresh);
    return s;
}

static lun_status launch(lun_opencl *o, lun_kernel *k, lun_launch *l)
{
    lun_cl_plan plan = {.steps = 0};
    bool first_run = !k->ran, ordered = k->shape.results || k->shape.scan;
    l->trap = -1;
    l->trap_value = 0;
    if (l->n <= 0 || l->count <= 0)
        return LUN_OK;
    lun_status s = lun_opencl_ready(o);
    if (s != LUN_OK)
        return s;
    o->services->stats->launches++;
    o->doing = k->shape.scan ? "scan" : k->shape.results ? "reduce" : "map";
    o->progress = 0;
    o->goal = l->count;
    s = (ordered ? fly_ordered : fly_elements)(o, k, l, &plan);
    if (s == LUN_OK && first_run)
        s = lun_opencl_wait(o, 0);
    if (s == LUN_OK && plan.read)
        s = fetch(o, k, plan.read, l);
    else if (s == LUN_OK) {
        cl_int code = o->cl.clFlush(o->queue);
        s = code == CL_SUCCESS ? LUN_OK : lun_opencl_lost(o, "clFlush", code);
    }
    if (s == LUN_OK && first_run) {
        k->ran = true;
        lun_opencl_program_store(o, k);
    }
    return s;
}

lun_status lun_opencl_run(void *state, lun_kernel *k, lun_launch *l)
{
    lun_status s = launch(state, k, l);
    lun_opencl_program_unclaim(state, k); /* however that ended: others may want to make it */
    return s;
}
