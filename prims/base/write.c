/* write.c - bytes into a file, all of them or an error: what the cache and the compiler's texts are
 * written with.  Knows nothing of either. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sigtimedwait */
#endif
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"

/* A file that would grow beyond the process's limit (ulimit -f) raises SIGXFSZ in the thread that
 * writes, which ends the process unless it is held back; then the write fails with EFBIG. */
static void hold(sigset_t *signal, sigset_t *before)
{
    sigemptyset(signal);
    sigaddset(signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, signal, before);
}

static void let_go(const sigset_t *signal, const sigset_t *before)
{
    int error = errno;
    if (!sigismember(before, SIGXFSZ))
        while (sigtimedwait(signal, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

bool lun__write_all(int fd, const void *from, size_t n)
{
    const char *p = from;
    sigset_t signal, before;
    ssize_t put = 0;
    hold(&signal, &before);
    while (n) {
        put = write(fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break;
        p += put;
        n -= (size_t)put;
    }
    let_go(&signal, &before);
    return n == 0;
}
