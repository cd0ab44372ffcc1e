/* few_threads.c - preloaded: a process has at most FEW_THREADS threads, as under RLIMIT_NPROC, but
 * those of other processes do not count. The kernel says how many there are: a thread that has
 * ended counts until it is gone. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int few_threads_refused; /* atomic */
int few_threads_refused;

/* Threads are the twentieth field; the second, a name, ends with the last parenthesis. */
static long threads_here(void)
{
    char text[1024];
    FILE *f = fopen("/proc/self/stat", "re");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *p = strrchr(text, ')');
    for (int field = 2; p && field < 20; field++)
        p = strchr(p + 1, ' ');
    return p ? strtol(p, NULL, 10) : 0;
}

static int refuses(void)
{
    const char *most = getenv("FEW_THREADS");
    if (!most || threads_here() < strtol(most, NULL, 10))
        return 0;
    __atomic_add_fetch(&few_threads_refused, 1, __ATOMIC_RELAXED);
    return 1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*f)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return refuses() ? EAGAIN : real(thread, attr, f, arg);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const[], char *const[]);
    *(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
    return refuses() ? EAGAIN : real(pid, path, actions, attr, argv, envp);
}

pid_t fork(void)
{
    pid_t (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    if (!refuses())
        return real();
    errno = EAGAIN;
    return -1;
}
