/* hold.h - writing files without SIGXFSZ: what grows beyond the process's limit (ulimit -f) fails
 * with EFBIG instead. The mask of the thread alone is changed, and put back; handlers stay as they
 * are. prims/base/write.c, which is not seen here, does the same for itself. Knows no Lua. */
#ifndef LUN_INTERP_HOLD_H
#define LUN_INTERP_HOLD_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

typedef struct lun__held_signal {
    sigset_t signal, before;
} lun__held_signal;

static inline void lun__hold_signal(lun__held_signal *h)
{
    sigemptyset(&h->signal);
    sigaddset(&h->signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &h->signal, &h->before);
}

/* Keeps errno. A signal that has come meanwhile is forgotten. */
static inline void lun__let_signal_go(const lun__held_signal *h)
{
    int error = errno;
    if (!sigismember(&h->before, SIGXFSZ))
        while (sigtimedwait(&h->signal, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &h->before, NULL);
    errno = error;
}

#endif
