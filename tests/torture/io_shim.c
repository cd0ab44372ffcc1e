/* io_shim.c - preloaded: the IO_FAIL_AT-th call that writes to a file or makes one fails with
 * IO_ERRNO, and so do all after it if IO_FAIL_ON is set.  Calls on pipes, sockets and terminals
 * never fail. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long count;

static int failing(void)
{
    const char *at = getenv("IO_FAIL_AT"), *number = getenv("IO_ERRNO");
    long n = at ? atol(at) : 0, now = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (n == 0 || now < n || (now > n && !getenv("IO_FAIL_ON")))
        return 0;
    errno = number ? atoi(number) : ENOSPC;
    return 1;
}

#define NEXT(name) (*(void **)(&real) = dlsym(RTLD_NEXT, name))

ssize_t write(int fd, const void *bytes, size_t n)
{
    ssize_t (*real)(int, const void *, size_t);
    struct stat st;
    NEXT("write");
    if (fd > 2 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && failing())
        return -1;
    return real(fd, bytes, n);
}

int fsync(int fd)
{
    int (*real)(int);
    NEXT("fsync");
    return failing() ? -1 : real(fd);
}

int close(int fd)
{
    int (*real)(int);
    struct stat st;
    NEXT("close");
    int bad = fd > 2 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
              (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && failing();
    int kept = errno, result = real(fd);
    errno = bad ? kept : errno;
    return bad ? -1 : result;
}

int mkdir(const char *path, mode_t mode)
{
    int (*real)(const char *, mode_t);
    NEXT("mkdir");
    return failing() ? -1 : real(path, mode);
}

char *mkdtemp(char *pattern)
{
    char *(*real)(char *);
    NEXT("mkdtemp");
    return failing() ? NULL : real(pattern);
}

int mkostemp(char *pattern, int flags)
{
    int (*real)(char *, int);
    NEXT("mkostemp");
    return failing() ? -1 : real(pattern, flags);
}

int renameat(int a, const char *from, int b, const char *to)
{
    int (*real)(int, const char *, int, const char *);
    NEXT("renameat");
    return failing() ? -1 : real(a, from, b, to);
}

int memfd_create(const char *name, unsigned flags)
{
    int (*real)(const char *, unsigned);
    NEXT("memfd_create");
    return failing() ? -1 : real(name, flags);
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & O_CREAT ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, mode_t);
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    NEXT("open");
    return flags & O_CREAT && failing() ? -1 : real(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    int (*real)(int, const char *, int, mode_t);
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    NEXT("openat");
    return flags & O_CREAT && failing() ? -1 : real(at, path, flags, mode);
}
