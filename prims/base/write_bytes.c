/* write_bytes.c - bytes into a file, all of them or an error: what the cache and the compiler's
 * texts are written with, and elements. */
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

/* From byte `at` of the file on, or where it stands: at < 0. */
static bool write_bytes(int fd, int64_t at, const char *p, size_t n)
{
    const size_t most = (size_t)1 << 30;
    sigset_t signal, before;
    ssize_t put = 0;
    hold(&signal, &before);
    while (n) {
        const size_t some = n < most ? n : most;
        put = at < 0 ? write(fd, p, some) : pwrite(fd, p, some, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break;
        p += put;
        at += at < 0 ? 0 : put;
        n -= (size_t)put;
    }
    let_go(&signal, &before);
    if (n && !put)
        errno = EIO;
    return n == 0;
}

bool lun__write_bytes(int fd, const void *from, size_t n)
{
    return write_bytes(fd, -1, from, n);
}

int lun__write_bytes_at(int fd, int64_t at, const void *from, int64_t n)
{
    return write_bytes(fd, at, from, (size_t)n) ? 0 : errno;
}
