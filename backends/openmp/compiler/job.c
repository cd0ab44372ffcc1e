/* job.c - one run of the compiler; see job.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* st_mtim, O_NOFOLLOW */
#endif
#include "openmp/compiler/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "openmp/compiler/spawn.h"

enum { MOST = 256 << 20 }; /* bytes of an object */

int64_t lun__job_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void lun__job_init(lun_job *j)
{
    *j = (lun_job){.pipe = -1};
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *file_name(const char *directory, unsigned serial, const char *suffix)
{
    size_t room = strlen(directory) + 32;
    char *s = malloc(room);
    if (s)
        snprintf(s, room, "%s/k%u%s", directory, serial, suffix);
    return s;
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool well = fd >= 0 && lun__write_bytes(fd, text, strlen(text));
    int error = errno;
    if (fd >= 0 && close(fd) && well)
        return false;
    errno = error;
    return well;
}

/* The whole file, at most `most` bytes; NULL: there is none. */
static char *read_file(const char *path, size_t most, size_t *length)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    char *bytes = NULL;
    size_t got = 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (size_t)st.st_size <= most)
        bytes = malloc((size_t)st.st_size);
    while (bytes && got < (size_t)st.st_size) {
        ssize_t n = read(fd, bytes + got, (size_t)st.st_size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    *length = got;
    return bytes;
}

char *lun__job_output(const lun_job *j, size_t *length)
{
    return read_file(j->output, MOST, length);
}

double lun__job_seconds(const lun_job *j)
{
    struct stat from, to;
    if (stat(j->source, &from) == 0 && stat(j->output, &to) == 0)
        return (double)(to.st_mtim.tv_sec - from.st_mtim.tv_sec) +
               1e-9 * (double)(to.st_mtim.tv_nsec - from.st_mtim.tv_nsec);
    return 1e-9 * (double)(lun__job_now() - j->started);
}

/* ---- the process ----------------------------------------------------------------------------- */

int lun__job_start(lun_job *j, const lun_compiler *c, const char *text, unsigned needs,
                   const char *scratch, unsigned serial, bool polite, const int *kept,
                   int kept_count)
{
    char *words[LUN_COMPILER_WORDS];
    lun__job_init(j);
    j->busy = true;
    j->owner = getpid();
    j->started = lun__job_now();
    j->source = file_name(scratch, serial, ".c");
    j->output = file_name(scratch, serial, ".so");
    int error = j->source && j->output ? 0 : ENOMEM;
    if (!error && !write_file(j->source, text))
        error = errno ? errno : EIO;
    if (!error) {
        lun__compiler_command(c, needs, j->source, j->output, words);
        error = lun__spawn_start(c->path, words, scratch, kept, kept_count, &j->pid, &j->pipe);
    }
    if (error) {
        j->pid = 0;
        lun__job_clear(j);
    } else if (polite) {
        lun__spawn_yield(j->pid);
    }
    return error;
}

lun_job_state lun__job_look(lun_job *j, int64_t timeout_ms, char how[64])
{
    if (j->owner != getpid())
        return LUN_JOB_FOREIGN;
    lun__spawn_listen(&j->pipe, &j->words);
    lun_spawn_state s = lun__spawn_look(j->pid, how);
    if (s == LUN_SPAWN_RUNNING) {
        if (lun__job_now() - j->started < timeout_ms * 1000000)
            return LUN_JOB_RUNNING;
        lun__spawn_end(j->pid);
        snprintf(how, 64, "stopped after %lld ms", (long long)timeout_ms);
    }
    j->pid = 0;
    lun__spawn_listen(&j->pipe, &j->words);
    return s == LUN_SPAWN_RUNNING  ? LUN_JOB_LATE
           : s == LUN_SPAWN_FAILED ? LUN_JOB_FAILED
           : s == LUN_SPAWN_DONE   ? LUN_JOB_DONE
                                   : LUN_JOB_UNKNOWN;
}

void lun__job_wait(const lun_job *j, int ms)
{
    lun__spawn_pause(j->pipe, ms);
}

void lun__job_clear(lun_job *j)
{
    bool ours = j->owner == getpid();
    if (ours && j->pid > 0)
        lun__spawn_end(j->pid);
    if (ours && j->source)
        unlink(j->source);
    if (ours && j->output)
        unlink(j->output);
    if (j->pipe >= 0)
        close(j->pipe);
    free(j->source);
    free(j->output);
    lun__strbuf_free(&j->words);
    lun__job_init(j);
}
