/* progress.c - reports to a host how far a long evaluation is. Backends tick while they work, on
 * the thread inside of the engine; what comes too early or too often is dropped here.
 *
 * Invariant: in_callback is true while the host's function runs, which may start no evaluation
 * then. progress_called: it was called in this evaluation, so that lun__progress_end calls it a
 * last time, with NULL. */
#include "base/clock.h"
#include "engine/state.h"

#define FIRST 0.5 /* seconds */
#define PACE  0.1

static void tick(void *ctx, const char *what, int64_t done, int64_t total)
{
    lun_engine *e = ctx;
    double now = lun__clock_now();
    if (now - e->began < FIRST || now - e->progress_at < PACE)
        return;
    e->progress_at = now;
    e->progress_called = true;
    lun_progress p = {.size = sizeof p,
                      .what = what,
                      .seconds = now - e->began,
                      .done = done < total ? done : total,
                      .total = total};
    e->in_callback = true;
    e->progress(e->progress_ctx, &p);
    e->in_callback = false;
}

void lun_on_progress(lun_engine *e, void (*call)(void *ctx, const lun_progress *p), void *ctx)
{
    LUN_NEED_OR(e, );
    e->progress = call;
    e->progress_ctx = ctx;
    e->services.tick = call ? tick : NULL;
    e->services.tick_ctx = e;
}

void lun__progress_begin(lun_engine *e)
{
    if (e->progress)
        e->began = lun__clock_now();
}

void lun__progress_end(lun_engine *e)
{
    if (e->progress_called && e->progress)
        e->progress(e->progress_ctx, NULL);
    e->progress_called = false;
}

lun_status lun__progress_refuse(lun_engine *e)
{
    return lun__fail(
        e, LUN_EARG,
        "an evaluation is running: a callback of lun_on_progress cannot start another");
}
