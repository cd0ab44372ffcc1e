/* signal_guard.c - saves and restores signal handlers; see signal_guard.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sa_flags, pthread_sigmask */
#endif
#include "gpu/signal_guard.h"

#include <pthread.h>
#include <string.h>

/* Handlers belong to the process, and so does what drivers set up when they are first asked. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void lun__guard_enter(lun_guard *g, bool block)
{
    /* what a fault of this very thread raises must not be blocked */
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t most;
    sigfillset(&most);
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&most, synchronous[i]);
    pthread_mutex_lock(&one_at_a_time);
    g->blocked = block && !pthread_sigmask(SIG_BLOCK, &most, &g->mask);
    for (int s = 1; s < LUN_GUARD_SIGNALS; s++)
        if (sigaction(s, NULL, &g->before[s]))
            memset(&g->before[s], 0, sizeof g->before[s]);
}

enum { RESTORER = 0x04000000 }; /* a flag of the C library's own, set by any call of sigaction */

static bool same(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_sigaction == b->sa_sigaction && ((a->sa_flags ^ b->sa_flags) & ~RESTORER) == 0 &&
           !memcmp(&a->sa_mask, &b->sa_mask, sizeof a->sa_mask);
}

void lun__guard_leave(const lun_guard *g)
{
    struct sigaction now;
    for (int s = 1; s < LUN_GUARD_SIGNALS; s++)
        if (!sigaction(s, NULL, &now) && !same(&now, &g->before[s]))
            sigaction(s, &g->before[s], NULL);
    if (g->blocked)
        pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
    pthread_mutex_unlock(&one_at_a_time);
}
