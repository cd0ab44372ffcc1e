/* kit.h - shared by the C parts of the torture suite: sizes scaled by TORTURE, result lines,
 * children that may crash, a random number generator, scratch directories.  Knows nothing of
 * what is tested. */
#ifndef TORTURE_KIT_H
#define TORTURE_KIT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* TORTURE is a factor: 1 runs everything at full size. */
static inline double kit_factor(void)
{
    const char *s = getenv("TORTURE");
    double f = s ? atof(s) : 0.01;
    return f > 0 ? f : 0.01;
}

static inline long kit_count(long full, long least)
{
    long n = (long)((double)full * kit_factor());
    return n < least ? least : n;
}

/* A result line for run.sh: what was tested, and its figure or what went wrong. */
__attribute__((format(printf, 3, 4))) static inline void kit_report(bool good, const char *name,
                                                                    const char *format, ...)
{
    va_list list;
    printf("%s\t%s\t", good ? "ok" : "FAIL", name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
}

/* Runs f in a child; returns its exit status, or 1000 + the signal that ended it.  SIGALRM ends
 * a hung child. */
static inline int kit_child(int (*f)(void *), void *arg, unsigned seconds)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(seconds);
        _exit(f(arg));
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static inline uint64_t kit_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline long kit_below(uint64_t *state, long n)
{
    return (long)(kit_random(state) % (uint64_t)n);
}

static inline double kit_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void kit_sleep(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

/* Makes a new directory; `dir` becomes its path. */
static inline bool kit_directory(char dir[64])
{
    snprintf(dir, 64, "/tmp/lunarray-torture-XXXXXX");
    return mkdtemp(dir) != NULL;
}

static inline void kit_remove(const char *dir)
{
    char command[640];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s' 2>/dev/null; rm -rf '%s'", dir, dir);
    if (system(command))
        fprintf(stderr, "cannot remove %s\n", dir);
}

#endif
