/* thread.c - threads of the library's own; see thread.h. */
#include "base/thread.h"

#include <signal.h>
#include <time.h>

bool lun__thread_start(pthread_t *out, void *(*run)(void *ctx), void *ctx)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(out, NULL, run, ctx) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

void lun__thread_condition(pthread_cond_t *out)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(out, &clock);
    pthread_condattr_destroy(&clock);
}

void lun__thread_wait(pthread_cond_t *c, pthread_mutex_t *lock, double until)
{
    const struct timespec t = {.tv_sec = (time_t)until,
                               .tv_nsec = (long)((until - (double)(time_t)until) * 1e9)};
    pthread_cond_timedwait(c, lock, &t);
}
