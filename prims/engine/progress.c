/* progress.c - reports to a host how far a long evaluation is. Backends tick while they work, on
 * the thread inside of the engine; what comes too early or too often is dropped here.
 *
 * Invariant: in_callback is true while the host's function runs, which may start no evaluation
 * then. progress_called: it was called in this evaluation, so that lun__progress_end calls it a
 * last time, with NULL. While `works` is positive, evaluations are a part of the host's work, which
 * alone reports. */
#include "base/clock.h"
#include "engine/state.h"
#include "lunarray_bind.h"

#define FIRST      0.5 /* seconds */
#define FIRST_WORK 1.0 /* of work of the host's */
#define PACE       0.1

static void report(lun_engine *e, double first, lun_progress p)
{
    double now = lun__clock_now();
    if (now - e->began < first || now - e->progress_at < PACE)
        return;
    e->progress_at = now;
    e->progress_called = true;
    p.size = sizeof p;
    p.seconds = now - e->began;
    p.done = p.done < p.total ? p.done : p.total;
    e->in_callback = true;
    e->progress(e->progress_ctx, &p);
    e->in_callback = false;
}

static void tick(void *ctx, const char *what, int64_t done, int64_t total)
{
    lun_engine *e = ctx;
    if (!e->works)
        report(e, FIRST, (lun_progress){.what = what, .done = done, .total = total});
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
    if (e->progress && !e->works)
        e->began = lun__clock_now();
}

void lun__progress_end(lun_engine *e)
{
    if (e->works)
        return;
    if (e->progress_called && e->progress)
        e->progress(e->progress_ctx, NULL);
    e->progress_called = false;
}

void lun_host_work(lun_engine *e, bool begins)
{
    LUN_NEED_OR(e, );
    if (begins) {
        lun__progress_begin(e);
        e->works++;
    } else if (e->works > 0) {
        e->works--;
        lun__progress_end(e);
    }
}

void lun_host_progress(lun_engine *e, const char *what, const char *unit, int64_t done,
                       int64_t total)
{
    LUN_NEED_OR(e, );
    if (e->progress && e->works == 1 && !e->in_callback)
        report(e, FIRST_WORK,
               (lun_progress){.what = what, .unit = unit, .done = done, .total = total});
}

lun_status lun__progress_refuse(lun_engine *e)
{
    return lun__fail(
        e, LUN_EARG,
        "an evaluation is running: a callback of lun_on_progress cannot start another");
}
