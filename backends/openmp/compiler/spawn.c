/* spawn.c - a program as a child process; see spawn.h.  posix_spawn, for fork copies the page
 * tables of the host: with gigabytes of arrays that takes longer than a compilation. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2 */
#endif
#include "openmp/compiler/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { POLITE = 10 }; /* nice value: the host's own threads go first */

static bool can_run(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *lun__spawn_find(const char *name)
{
    char path[PATH_MAX];
    const char *dirs = getenv("PATH");
    if (!*name)
        return NULL;
    if (strchr(name, '/'))
        return can_run(name) ? strdup(name) : NULL;
    if (!dirs)
        dirs = "/usr/local/bin:/usr/bin:/bin";
    while (*dirs) {
        size_t n = strcspn(dirs, ":");
        int used = snprintf(path, sizeof path, "%.*s/%s", (int)n, dirs, name);
        if (n > 0 && *dirs == '/' && used > 0 && (size_t)used < sizeof path && can_run(path))
            return strdup(path);
        dirs += n + (dirs[n] == ':');
    }
    return NULL;
}

/* The environment with two variables of our own; *own is to be freed.  NULL without memory. */
static char **environment(const char *temporary, char **own)
{
    size_t n = 0, kept = 0;
    char **all = __atomic_load_n(&environ, __ATOMIC_ACQUIRE); /* once: topology.c exchanges it */
    while (all && all[n])
        n++;
    size_t bytes = strlen(temporary) + sizeof "TMPDIR=";
    char **env = malloc((n + 3) * sizeof *env);
    *own = malloc(bytes);
    if (!env || !*own) {
        free(env);
        free(*own);
        *own = NULL;
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (strncmp(all[i], "TMPDIR=", 7) && strncmp(all[i], "LC_ALL=", 7))
            env[kept++] = all[i];
    snprintf(*own, bytes, "TMPDIR=%s", temporary);
    static char english[] = "LC_ALL=C";
    env[kept++] = *own;
    env[kept++] = english;
    env[kept] = NULL;
    return env;
}

static int set_up(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *files, int nothing,
                  int words, const int *kept, int kept_count)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    static const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP, SIGQUIT, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&usual, signals[i]);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &usual);
    if (!error)
        error = posix_spawn_file_actions_adddup2(files, nothing, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(files, words, 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(files, words, 2);
    for (int i = 0; i < kept_count && !error; i++) /* to itself: it stays open */
        error = posix_spawn_file_actions_adddup2(files, kept[i], kept[i]);
    return error;
}

int lun__spawn_start(const char *path, char *const *argv, const char *temporary, const int *kept,
                     int kept_count, pid_t *pid, int *pipe)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    int ends[2], input[2]; /* nothing is written to the input: there may be no /dev/null */
    char *own;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return errno;
    if (pipe2(input, O_CLOEXEC)) {
        int refused = errno;
        close(ends[0]);
        close(ends[1]);
        return refused;
    }
    close(input[1]);
    char **env = environment(temporary, &own);
    int error = env ? posix_spawnattr_init(&attributes) : ENOMEM;
    if (!error) {
        error = posix_spawn_file_actions_init(&files);
        if (!error) {
            /* the program's end may block: only ours must not */
            fcntl(ends[1], F_SETFL, 0);
            error = set_up(&attributes, &files, input[0], ends[1], kept, kept_count);
            if (!error)
                error = posix_spawn(pid, path, &files, &attributes, argv, env);
            posix_spawn_file_actions_destroy(&files);
        }
        posix_spawnattr_destroy(&attributes);
    }
    free(env);
    free(own);
    close(ends[1]);
    close(input[0]);
    if (error) {
        close(ends[0]);
        return error;
    }
    *pipe = ends[0];
    return 0;
}

void lun__spawn_yield(pid_t pid)
{
    (void)setpriority(PRIO_PGRP, (id_t)pid, POLITE);
}

void lun__spawn_listen(int *pipe, lun_strbuf *words)
{
    char room[4096];
    while (*pipe >= 0) {
        ssize_t n = read(*pipe, room, sizeof room);
        if (n > 0) {
            size_t left = LUN_SPAWN_WORDS - words->length;
            lun__strbuf_add(words, room, (size_t)n < left ? (size_t)n : left);
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(*pipe);
            *pipe = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

lun_spawn_state lun__spawn_look(pid_t pid, char how[64])
{
    int status;
    pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return LUN_SPAWN_RUNNING;
    snprintf(how, 64, "its exit status is unknown");
    if (got < 0)
        return LUN_SPAWN_UNKNOWN;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return LUN_SPAWN_DONE;
    if (WIFEXITED(status))
        snprintf(how, 64, "exit status %d", WEXITSTATUS(status));
    else
        snprintf(how, 64, "killed by signal %d", WTERMSIG(status));
    return LUN_SPAWN_FAILED;
}

void lun__spawn_end(pid_t pid)
{
    int status;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
}

void lun__spawn_pause(int pipe, int ms)
{
    struct pollfd p = {.fd = pipe, .events = POLLIN};
    struct timespec t = {.tv_nsec = 500 * 1000};
    if (pipe >= 0)
        poll(&p, 1, ms);
    else
        nanosleep(&t, NULL);
}
