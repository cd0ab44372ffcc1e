/* watch.c - stretches of work, their time limit and their cancellation; see watch.h. Without memory
 * or a thread for it the limit still holds, but only between kernels.
 *
 * Invariant: w->deadline and w->ends change under w->lock; the thread of w touches nothing else of
 * the engine but the flag, which it changes from NONE to LIMIT alone.  In a child process of the
 * one that made w there is no such thread: w is neither locked nor joined there, only freed.
 * e->deadline is 0 outside of stretches; lun_host_end of the outermost one ends it. */
#include "engine/watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "engine/state.h"
#include "lunarray_bind.h"

/* Seconds, some thirty years: a limit beyond it, infinity among them, is none. */
#define LONGEST 1e9

struct lun_watch {
    pthread_t thread;
    pid_t process; /* a child has no such thread after fork */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    double deadline; /* 0: nothing to watch */
    bool ends;
    volatile int *flag;
};

static void *sleep_until_limit(void *self)
{
    lun_watch *w = self;
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        if (w->deadline <= 0) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        if (lun__clock_now() >= w->deadline) {
            int none = LUN_STOP_NONE;
            __atomic_compare_exchange_n(w->flag, &none, LUN_STOP_LIMIT, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
            w->deadline = 0;
            continue;
        }
        lun__thread_wait(&w->changed, &w->lock, w->deadline);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static lun_watch *watch_open(volatile int *flag)
{
    lun_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->flag = flag;
    w->process = getpid();
    pthread_mutex_init(&w->lock, NULL);
    lun__thread_condition(&w->changed);
    if (lun__thread_start(&w->thread, sleep_until_limit, w))
        return w;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

void lun__watch_close(lun_watch *w)
{
    if (!w)
        return;
    if (w->process ==
        getpid()) { /* else there is nothing to end, and a lock may be taken for ever */
        pthread_mutex_lock(&w->lock);
        w->ends = true;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
        pthread_cond_destroy(&w->changed);
        pthread_mutex_destroy(&w->lock);
    }
    free(w);
}

static void watch_until(lun_engine *e, double deadline)
{
    if (e->watch && e->watch->process != getpid()) {
        lun__watch_close(e->watch);
        e->watch = NULL;
    }
    if (!e->watch && deadline > 0)
        e->watch = watch_open(&e->cancel);
    if (!e->watch)
        return;
    pthread_mutex_lock(&e->watch->lock);
    e->watch->deadline = deadline;
    if (deadline > 0)
        pthread_cond_signal(&e->watch->changed);
    pthread_mutex_unlock(&e->watch->lock);
}

void lun__watch_take(lun_engine *e, double deadline, double seconds)
{
    int limit = LUN_STOP_LIMIT;
    e->deadline = deadline;
    if (deadline > 0)
        e->config.time_limit = seconds;
    watch_until(e, deadline);
    if (deadline <= 0)
        __atomic_compare_exchange_n(&e->cancel, &limit, LUN_STOP_NONE, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

void lun_host_begin(lun_engine *e)
{
    LUN_NEED_OR(e, );
    if (e->stretch++ > 0)
        return;
    __atomic_store_n(&e->cancel, LUN_STOP_NONE, __ATOMIC_RELAXED);
    if (e->config.time_limit > 0 && e->config.time_limit <= LONGEST) {
        e->deadline = lun__clock_now() + e->config.time_limit;
        watch_until(e, e->deadline);
    }
}

void lun_host_end(lun_engine *e)
{
    LUN_NEED_OR(e, );
    if (e->stretch == 0)
        return;
    if (--e->stretch > 0 || e->deadline <= 0)
        return;
    e->deadline = 0;
    watch_until(e, 0);
}

void lun_cancel(lun_engine *e)
{
    if (!e)
        return;
    __atomic_store_n(&e->cancel, LUN_STOP_CANCEL, __ATOMIC_RELAXED);
    void (*stop)(void *) = __atomic_load_n(&e->host_stop, __ATOMIC_ACQUIRE);
    if (stop)
        stop(e->host);
}

lun_status lun__watch_stopped(lun_engine *e)
{
    char text[LUN_NUMBER_TEXT];
    int why = __atomic_load_n(&e->cancel, __ATOMIC_RELAXED);
    if (why == LUN_STOP_NONE && e->deadline > 0 && lun__clock_now() > e->deadline)
        why = LUN_STOP_LIMIT;
    if (why == LUN_STOP_CANCEL)
        return lun__fail(e, LUN_ECANCEL, "interrupted");
    if (why == LUN_STOP_LIMIT)
        return lun__fail(e, LUN_ELIMIT, "time limit reached: %s seconds",
                         lun__strbuf_number(e->config.time_limit, text));
    return LUN_OK;
}

lun_status lun_host_check(lun_engine *e)
{
    LUN_NEED(e, true);
    return lun__watch_stopped(e);
}
