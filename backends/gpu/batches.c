/* batches.c - batches that the device has not ended: how many, for how long, and waiting for them
 * with the stop flag looked at; see gpu_state.h.
 *
 * What was given to a device cannot be taken back: so only as much is given as takes a tenth of
 * a second, as far as that is known.  A stopped evaluation leaves the rest to run out; kernels that
 * ask whether they shall stop (stop.c) do so at once, and nothing new is given before they have.  A
 * kernel that neither asks nor ends cannot be stopped at all: then the state is lost.
 *
 * Invariant: batch[(oldest + i) % LUN_GPU_BATCHES], i < in_flight, are the batches submitted and
 * not retired, in the order in which the device runs them; the last of them has number `given`.
 * `ahead` is the sum of their `expected`. `stopped` and the stop flag are set only while
 * in_flight > 0: retiring the last batch clears both. A batch of a released kernel has kernel
 * NULL. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "gpu/gpu_state.h"

enum {
    AHEAD = 80000000, /* nanoseconds of work in flight from which no more is given to the device */
    SHORT = 5000000,  /* nanoseconds of a wait that need not be interruptible */
    PATIENCE = 5,     /* seconds that a stopped evaluation's kernels may take to end */
    COMPILING = 60    /* seconds that a driver may take to compile one */
};

static lun_gpu_batch *at(lun_gpu *g, int i)
{
    return &g->batch[(g->oldest + i) % LUN_GPU_BATCHES];
}

/* ---- the end of a batch ---------------------------------------------------------------------- */

/* The kernel's rate, by a batch that has ended. */
static void learn(lun_gpu *g, const lun_gpu_batch *b)
{
    int64_t ns = b->kernel && b->count > 0 ? g->driver->elapsed(g->queue, &b->marks) : 0;
    if (ns <= 0)
        return;
    b->kernel->rate = (double)ns / (double)b->count;
    if (b->trial >= 0)
        lun__gpu_tune_tried(g, b->kernel, b->trial, b->kernel->rate);
}

/* Removes the oldest batch, which has ended or is given up. */
static void retire(lun_gpu *g)
{
    lun_gpu_batch *b = at(g, 0);
    if (lun__gpu_state_may_release(g)) {
        if (!g->lost && !g->stopped)
            learn(g, b);
        g->driver->marks_free(g->queue, &b->marks);
    }
    b->marks = (lun_gpu_marks){NULL, NULL};
    b->kernel = NULL;
    g->ahead -= b->expected;
    g->oldest = (g->oldest + 1) % LUN_GPU_BATCHES;
    if (--g->in_flight)
        return;
    g->stopped = false;
    g->ahead = 0;
    lun__gpu_stop_set(g, false);
}

/* Retires the batches that have ended; the device's failure if one of them failed.  *stage: of the
 * oldest that has not. */
static lun_status retire_ended(lun_gpu *g, lun_gpu_stage *stage)
{
    while (g->in_flight) {
        lun_status s = lun__gpu_state_check(g, g->driver->poll(g->queue, &at(g, 0)->marks, stage));
        if (s != LUN_OK)
            return s;
        if (*stage != LUN_GPU_ENDED)
            break;
        retire(g);
    }
    return LUN_OK;
}

/* ---- waiting --------------------------------------------------------------------------------- */

lun_status lun__gpu_batch_interrupted(lun_gpu *g)
{
    if (g->in_flight) {
        g->stopped = true;
        lun__gpu_stop_set(g, true);
    }
    return lun__gpu_state_fail(g, LUN_ECANCEL, "interrupted");
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

/* How long the oldest batch is in a stage. */
typedef struct watch {
    int oldest;
    lun_gpu_stage stage;
    int64_t since;
} watch;

/* True if it takes longer than so many seconds. */
static bool too_long(const lun_gpu *g, watch *w, lun_gpu_stage stage, int64_t limit)
{
    int64_t now = lun__gpu_state_now();
    if (!w->since || w->oldest != g->oldest || w->stage != stage)
        *w = (watch){g->oldest, stage, now};
    return now - w->since > limit * 1000000000;
}

/* True if all that is in flight is known to end soon. */
static bool ends_soon(lun_gpu *g)
{
    for (int i = 0; i < g->in_flight; i++)
        if (!at(g, i)->sure)
            return false;
    return g->ahead < SHORT;
}

lun_status lun__gpu_batch_wait(lun_gpu *g, int left)
{
    int64_t start = 0;
    watch patience = {0};
    if (g->in_flight <= left)
        return LUN_OK;
    lun_status s = lun__gpu_state_check(g, g->driver->flush(g->queue));
    if (s == LUN_OK && ends_soon(g) && !g->stopped) {
        const lun_gpu_batch *last = at(g, g->in_flight - 1 - left);
        s = lun__gpu_state_check(g, g->driver->wait(g->queue, &last->marks));
    }
    if (s != LUN_OK)
        return s;
    for (;;) {
        lun_gpu_stage stage = LUN_GPU_ENDED;
        s = retire_ended(g, &stage);
        if (s != LUN_OK || g->in_flight <= left)
            return s;
        int64_t now = lun__gpu_state_now();
        start = start ? start : now;
        if (lun__backend_stop_requested(g->services))
            return lun__gpu_batch_interrupted(g);
        if (g->services->tick && g->doing)
            g->services->tick(g->services->tick_ctx, g->doing, g->progress, g->goal);
        /* where it does not run yet, a compiler does */
        int64_t limit = stage == LUN_GPU_GIVEN ? COMPILING : PATIENCE;
        if (g->stopped && too_long(g, &patience, stage, limit)) {
            g->stuck = true;
            lun__gpu_state_set_lost(g, "an interrupted kernel on it does not end");
            return lun__gpu_state_ready(g);
        }
        pause_after(now - start);
    }
}

void lun__gpu_batch_wait_safe(lun_gpu *g)
{
    if (!lun__gpu_state_may_release(g))
        return;
    /* a driver that fails once need not fail twice */
    if (g->driver->finish(g->queue) != LUN_GPU_OK && g->driver->finish(g->queue) != LUN_GPU_OK)
        g->stuck = true;
}

/* Whether more in flight would be too much. */
static bool is_full(const lun_gpu *g)
{
    return g->in_flight == LUN_GPU_BATCHES || g->ahead > AHEAD;
}

/* ---- the start of a batch -------------------------------------------------------------------- */

lun_status lun__gpu_batch_room(lun_gpu *g, int left, bool *room)
{
    lun_gpu_stage stage;
    const lun_status s = retire_ended(g, &stage);
    *room = g->in_flight <= left && !(g->in_flight && (g->stopped || is_full(g)));
    return s;
}

lun_status lun__gpu_batch_reserve(lun_gpu *g, int cells, lun_gpu_batch **out)
{
    lun_gpu_stage stage;
    lun_status s = retire_ended(g, &stage);
    while (s == LUN_OK && g->in_flight && (g->stopped || is_full(g)))
        s = lun__gpu_batch_wait(g, g->in_flight - 1);
    if (s != LUN_OK)
        return s;
    lun_gpu_batch *b = at(g, g->in_flight);
    if (cells > b->cell_room) {
        uint64_t *room = realloc(b->cells, (size_t)cells * sizeof *room);
        if (!room)
            return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
        b->cells = room;
        b->cell_room = cells;
    }
    *out = b;
    return LUN_OK;
}

lun_status lun__gpu_batch_submit(lun_gpu *g, lun_gpu_batch *b, const lun_gpu_step *steps, int count,
                                 int memories)
{
    const lun_kernel *k = b->kernel;
    const lun_gpu_after after = {g->awaited, g->awaited_count};
    lun_status s = lun__gpu_state_check(
        g, g->driver->enqueue(g->queue, steps, count, k->memory, memories, after, &b->marks));
    if (s != LUN_OK)
        return s;
    lun__gpu_overlap_free(g);
    g->given++;
    b->expected = (int64_t)(k->rate * (double)b->count);
    b->sure = k->rate > 0 && !k->loops;
    g->ahead += b->expected;
    g->in_flight++;
    return LUN_OK;
}

void lun__gpu_batch_forget(lun_gpu *g, const lun_kernel *k)
{
    for (int i = 0; i < g->in_flight; i++)
        if (at(g, i)->kernel == k)
            at(g, i)->kernel = NULL;
}

/* ---- all batches ----------------------------------------------------------------------------- */

void lun__gpu_batch_drain(lun_gpu *g)
{
    int64_t start = lun__gpu_state_now();
    lun_gpu_stage stage = LUN_GPU_ENDED;
    watch patience = {0};
    lun__gpu_stop_set(g, g->in_flight > 0); /* no result of theirs is wanted any more */
    while (g->in_flight && lun__gpu_state_may_release(g) && retire_ended(g, &stage) == LUN_OK &&
           g->in_flight) {
        if (too_long(g, &patience, stage, PATIENCE))
            g->stuck = true;
        pause_after(lun__gpu_state_now() - start);
    }
    if (g->in_flight)
        lun__gpu_batch_wait_safe(g);
    while (g->in_flight)
        retire(g);
    for (int i = 0; i < LUN_GPU_BATCHES; i++) {
        if (!g->stuck) /* else the device may still read it */
            free(g->batch[i].cells);
        g->batch[i].cells = NULL;
    }
}
