/* probe.c - the child process that asks first; see probe.h.
 *
 * The child is forked, not spawned: a library has no program of its own to start.  It runs nothing of
 * the host but the loader and the drivers, with default signal handling, outside the terminal's
 * process group, and ends by _exit, so that none of the host's exit handlers runs.  Should another
 * thread of the host hold the loader's lock at the fork, the child hangs and is ended. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2 */
#endif
#include "opencl/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "opencl/api.h"

enum { LIMIT_SECONDS = 15, MOST_PLATFORMS = 64, MOST_DEVICES = 64 };

/* How long drivers may take: some wake a whole device up. */
static int limit_seconds(void)
{
    const char *s = getenv("LUNARRAY_OPENCL_TIMEOUT");
    int n = s ? atoi(s) : 0;
    return n > 0 && n < 3600 ? n : LIMIT_SECONDS;
}

/* The child's own signals and output: nothing of the host's may run or be written. */
static void detach(int seconds)
{
    struct rlimit none = {0, 0};
    sigset_t empty;
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &none);
    alarm((unsigned)seconds + 5); /* should the parent be gone */
    int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && nowhere >= 0; fd++)
        dup2(nowhere, fd);
}

static void ask(void)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_device_id devices[MOST_DEVICES];
    cl_uint count = 0, found;
    __typeof__(&clGetPlatformIDs) get_platforms;
    __typeof__(&clGetDeviceIDs) get_devices;
    void *library = dlopen(LUN_CL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "clGetPlatformIDs") : NULL;
    if (!address)
        return; /* the parent finds the same, and says it */
    memcpy(&get_platforms, &address, sizeof address);
    address = dlsym(library, "clGetDeviceIDs");
    if (!address || get_platforms(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return;
    memcpy(&get_devices, &address, sizeof address);
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
        get_devices(platforms[i], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &found);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for the child's word: 1 it came, 0 the child has ended without one, -1 the time is over. */
static int hear(int fd, int seconds)
{
    int64_t end = now_ms() + (int64_t)seconds * 1000;
    for (;;) {
        int64_t left = end - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        char word;
        if (left <= 0)
            return -1;
        if (poll(&p, 1, (int)left) <= 0)
            continue;
        ssize_t n = read(fd, &word, 1);
        if (n < 0 && errno == EINTR)
            continue;
        return n == 1;
    }
}

bool lun_cl_probe(lun_strbuf *why)
{
    int ends[2], status = 0, seconds = limit_seconds();
    if (lun_cl_is_loaded() || pipe2(ends, O_CLOEXEC))
        return true;
    pid_t child = fork();
    if (child == 0) {
        detach(seconds);
        ask();
        ssize_t put = write(ends[1], "y", 1);
        _exit(put == 1 ? 0 : 1);
    }
    close(ends[1]);
    int word = child < 0 ? 1 : hear(ends[0], seconds);
    close(ends[0]);
    if (child < 0)
        return true; /* no process to be had: then it is asked here */
    if (word <= 0)
        kill(child, SIGKILL);
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (word > 0)
        return true;
    if (word < 0)
        lun_strbuf_printf(
            why, "an OpenCL driver did not answer within %d seconds (LUNARRAY_OPENCL_TIMEOUT)",
            seconds);
    else if (ended == child && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        lun_strbuf_printf(why, "an OpenCL driver crashes when it is asked for its devices (%s)",
                          strsignal(WTERMSIG(status)));
    else
        lun_strbuf_puts(why, "an OpenCL driver ends the process when it is asked for its devices");
    lun_strbuf_puts(why, ": see the files in /etc/OpenCL/vendors");
    return false;
}
