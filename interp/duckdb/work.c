/* work.c - see work.h.
 *
 * Invariant: `done` is set under the lock, once, as the last thing that the thread does; `entered`
 * is what the engine's account has of w->bytes. */
#include "duckdb/work.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { LOOK = 20 }; /* milliseconds between two looks at the engine */

typedef struct shared {
    lun__duckdb_work *work;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
} shared;

static void *run(void *of)
{
    shared *s = of;
    s->work->run(s->work->ctx);
    pthread_mutex_lock(&s->lock);
    s->done = true;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Starts the thread, which takes no signals. */
static bool start(pthread_t *out, shared *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(out, NULL, run, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static lun_status enter(lun_engine *e, const lun__duckdb_work *w, int64_t *entered)
{
    char text[96];
    const int64_t bytes = __atomic_load_n(&w->bytes, __ATOMIC_RELAXED);
    if (bytes <= *entered)
        return LUN_OK;
    if (!lun_memory_take(e, bytes - *entered)) {
        snprintf(text, sizeof text, "memory limit reached: the columns alone take %lld bytes",
                 (long long)bytes);
        return lun_fail(e, LUN_ELIMIT, text);
    }
    *entered = bytes;
    return LUN_OK;
}

/* Waits until the thread has ended. */
static lun_status wait_for(lun_engine *e, shared *s)
{
    lun_status status = LUN_OK;
    int64_t entered = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->done) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += LOOK * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&s->ended, &s->lock, &until);
        if (s->done)
            break;
        pthread_mutex_unlock(&s->lock);
        if (status == LUN_OK)
            status = lun_host_check(e);
        if (status == LUN_OK)
            status = enter(e, s->work, &entered);
        if (status != LUN_OK) {
            __atomic_store_n(&s->work->stop, true, __ATOMIC_RELAXED);
            s->work->library->interrupt(s->work->connection);
        }
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    lun_memory_give(e, entered);
    return status;
}

lun_status lun__duckdb_work_run(lun_engine *e, lun__duckdb_work *w)
{
    shared s = {.work = w, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_t clock;
    pthread_t thread;
    lun_status status;
    w->stop = false;
    w->bytes = 0;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&s.ended, &clock);
    pthread_condattr_destroy(&clock);
    if (start(&thread, &s)) {
        status = wait_for(e, &s);
        pthread_join(thread, NULL);
    } else {
        w->run(w->ctx);
        status = lun_host_check(e);
    }
    pthread_cond_destroy(&s.ended);
    pthread_mutex_destroy(&s.lock);
    return status;
}
