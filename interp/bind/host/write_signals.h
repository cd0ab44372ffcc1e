/* write_signals.h - writing files without SIGXFSZ and SIGPIPE: a write beyond the process's limit
 * (ulimit -f) fails with EFBIG instead, to a pipe without a reader with EPIPE. Only the thread's
 * mask is changed, and restored; handlers stay as they are. prims/base/write_bytes.c, behind the
 * engine's interface, does the same. Knows no Lua. */
#ifndef LUN_INTERP_WRITE_SIGNALS_H
#define LUN_INTERP_WRITE_SIGNALS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

typedef struct lun__held_signal {
    sigset_t held; /* those that were not blocked before */
    sigset_t before;
} lun__held_signal;

static inline void lun__write_signals_hold(lun__held_signal *h)
{
    static const int signals[] = {SIGXFSZ, SIGPIPE};
    sigemptyset(&h->held);
    pthread_sigmask(SIG_SETMASK, NULL, &h->before);
    for (int i = 0; i < 2; i++)
        if (!sigismember(&h->before, signals[i]))
            sigaddset(&h->held, signals[i]);
    pthread_sigmask(SIG_BLOCK, &h->held, NULL);
}

/* Keeps errno. A signal that arrived meanwhile is dropped. */
static inline void lun__write_signals_let_go(const lun__held_signal *h)
{
    int error = errno, came;
    do
        came = sigtimedwait(&h->held, NULL, &(struct timespec){0});
    while (came > 0 || errno == EINTR);
    pthread_sigmask(SIG_SETMASK, &h->before, NULL);
    errno = error;
}

#endif
