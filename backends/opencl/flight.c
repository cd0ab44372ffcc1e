/* flight.c - launches that the device may still be busy with: how many, for how long, and waiting for
 * them so that a wish to stop is heard; see state.h.
 *
 * What has been given to a device cannot be taken back, so only as much is given as takes a tenth of a
 * second, as far as that is known.  Whoever stops an evaluation leaves that rest to run out.  A kernel that does
 * not end by itself cannot be stopped at all: then the state is dead. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "opencl/state.h"

enum {
    AHEAD = 80000000, /* nanoseconds of work from which nothing more is given to the device */
    SHORT = 5000000,  /* a wait that need not be interruptible */
    PATIENCE = 5      /* seconds that a stopped evaluation's kernels may take to end */
};

static lun_cl_flight *at(lun_opencl *o, int i)
{
    return &o->flight[(o->oldest + i) % LUN_CL_FLIGHTS];
}

/* ---- the end of a flight ------------------------------------------------------------------------- */

/* What an index of the kernel took, from when its first step started. */
static void learn(lun_opencl *o, const lun_cl_flight *f)
{
    cl_ulong start = 0, end = 0;
    if (!f->kernel || f->count <= 0)
        return;
    if (o->cl.clGetEventProfilingInfo(f->first ? f->first : f->last, CL_PROFILING_COMMAND_START,
                                      sizeof start, &start, NULL) != CL_SUCCESS ||
        o->cl.clGetEventProfilingInfo(f->last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS ||
        end <= start)
        return;
    f->kernel->rate = (double)(end - start) / (double)f->count;
    if (f->trial >= 0)
        lun_opencl_tried(o, f->kernel, f->trial, f->kernel->rate);
}

/* Ends the oldest flight. */
static void arrive(lun_opencl *o)
{
    lun_cl_flight *f = at(o, 0);
    if (lun_opencl_may_release(o)) {
        if (!o->dead)
            learn(o, f);
        if (f->first)
            o->cl.clReleaseEvent(f->first);
        o->cl.clReleaseEvent(f->last);
    }
    f->first = f->last = NULL;
    f->kernel = NULL;
    o->ahead -= f->expected;
    o->oldest = (o->oldest + 1) % LUN_CL_FLIGHTS;
    if (--o->flying == 0)
        o->abandoned = o->ahead = 0;
}

/* Ends the flights that are over; the device's failure if one of them failed. */
static lun_status look(lun_opencl *o)
{
    while (o->flying) {
        cl_int status = CL_QUEUED;
        cl_int code = o->cl.clGetEventInfo(at(o, 0)->last, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                           sizeof status, &status, NULL);
        if (code != CL_SUCCESS)
            return lun_opencl_lost(o, "clGetEventInfo", code);
        if (status < 0) {
            lun_opencl_die(o, "a kernel on it failed");
            return lun_opencl_lost(o, "a kernel on the device", status);
        }
        if (status != CL_COMPLETE)
            break;
        arrive(o);
    }
    return LUN_OK;
}

/* ---- waiting ------------------------------------------------------------------------------------- */

static lun_status interrupted(lun_opencl *o)
{
    if (!o->abandoned)
        o->abandoned = lun_opencl_now();
    return lun_opencl_fail(o, LUN_ECANCEL, "interrupted");
}

static void pause_after(int64_t waited)
{
    if (waited < 100000) {
        sched_yield();
        return;
    }
    int64_t ns = waited / 16 < 20000 ? 20000 : waited / 16 > 1000000 ? 1000000 : waited / 16;
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* True if all that is in flight is known to end soon. */
static bool ends_soon(lun_opencl *o)
{
    for (int i = 0; i < o->flying; i++)
        if (!at(o, i)->sure)
            return false;
    return o->ahead < SHORT;
}

lun_status lun_opencl_wait(lun_opencl *o, int left)
{
    int64_t start = 0;
    if (o->flying <= left)
        return LUN_OK;
    cl_int code = o->cl.clFlush(o->queue);
    if (code != CL_SUCCESS)
        return lun_opencl_lost(o, "clFlush", code);
    if (ends_soon(o) && !o->abandoned) {
        code = o->cl.clWaitForEvents(1, &at(o, o->flying - 1 - left)->last);
        if (code != CL_SUCCESS)
            return lun_opencl_lost(o, "clWaitForEvents", code);
    }
    for (;;) {
        lun_status s = look(o);
        if (s != LUN_OK || o->flying <= left)
            return s;
        int64_t now = lun_opencl_now();
        start = start ? start : now;
        if (lun_stop_wanted(o->services))
            return interrupted(o);
        if (o->services->tick && o->doing)
            o->services->tick(o->services->tick_ctx, o->doing, o->progress, o->goal);
        if (o->abandoned && now - start > (int64_t)PATIENCE * 1000000000) {
            o->stuck = true;
            lun_opencl_die(o, "a kernel on it that was interrupted does not end");
            return lun_opencl_ready(o);
        }
        pause_after(now - start);
    }
}

/* ---- the start of a flight ----------------------------------------------------------------------- */

lun_status lun_opencl_board(lun_opencl *o, int cells, lun_cl_flight **out)
{
    lun_status s = look(o);
    while (s == LUN_OK && o->flying && (o->flying == LUN_CL_FLIGHTS || o->ahead > AHEAD))
        s = lun_opencl_wait(o, o->flying - 1);
    if (s != LUN_OK)
        return s;
    lun_cl_flight *f = at(o, o->flying);
    if (cells > f->cell_room) {
        uint64_t *room = realloc(f->cells, (size_t)cells * sizeof *room);
        if (!room)
            return lun_opencl_fail(o, LUN_ENOMEM, "out of memory");
        f->cells = room;
        f->cell_room = cells;
    }
    *out = f;
    return LUN_OK;
}

void lun_opencl_depart(lun_opencl *o, lun_cl_flight *f)
{
    const lun_kernel *k = f->kernel;
    f->expected = (int64_t)(k->rate * (double)f->count);
    f->sure = k->rate > 0 && !k->loops;
    o->ahead += f->expected;
    o->flying++;
}

void lun_opencl_forget(lun_opencl *o, const lun_kernel *k)
{
    for (int i = 0; i < o->flying; i++)
        if (at(o, i)->kernel == k)
            at(o, i)->kernel = NULL;
}

void lun_opencl_settle(lun_opencl *o)
{
    if (!lun_opencl_may_release(o))
        return;
    /* a driver that fails once need not fail twice */
    if (o->cl.clFinish(o->queue) != CL_SUCCESS && o->cl.clFinish(o->queue) != CL_SUCCESS)
        o->stuck = true;
}

void lun_opencl_land(lun_opencl *o)
{
    int64_t start = lun_opencl_now();
    while (o->flying && lun_opencl_may_release(o) && look(o) == LUN_OK && o->flying) {
        if (lun_opencl_now() - start > (int64_t)PATIENCE * 1000000000)
            o->stuck = true;
        pause_after(lun_opencl_now() - start);
    }
    if (o->flying)
        lun_opencl_settle(o);
    while (o->flying)
        arrive(o);
    for (int i = 0; i < LUN_CL_FLIGHTS; i++) {
        if (!o->stuck) /* else the device may still read it */
            free(o->flight[i].cells);
        o->flight[i].cells = NULL;
    }
}
