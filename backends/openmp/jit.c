/* jit.c - units of text to machine code; see jit.h.  Knows the compiler's command line and what is kept
 * on disk under which key; not how processes (spawn.c) and shared objects (loader.c) work. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* st_mtim */
#endif
#include "jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cstyle.h"
#include "loader.h"
#include "spawn.h"

enum {
    TIMEOUT_MS = 30000,
    CLOSE_MS = 300,
    POLL_NS = 200 * 1000, /* between two looks at the compiler */
    GIVE_UP = 3,          /* failures in a row after which ordinary kernels stay interpreted */
    QUOTE = 2048          /* bytes of the compiler's words in an error */
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void lun_jit_init(lun_jit_compiler *c, const lun_services *services, lun_isa isa)
{
    *c = (lun_jit_compiler){.services = services, .isa = isa, .timeout_ms = TIMEOUT_MS};
    c->last = &c->first;
    c->job.pipe = -1;
}

void lun_unit_free(lun_unit *u)
{
    free(u->source);
    lun_strbuf_free(&u->message);
    lun_loader_close(u->object);
    u->object = NULL;
}

/* ---- the compiler -------------------------------------------------------------------------------- */

static bool find_compiler(lun_jit_compiler *c)
{
    static const char *const others[] = {"gcc", "clang"};
    struct stat st;
    if (c->looked)
        return c->path != NULL;
    c->looked = true;
    const char *name = c->services->compiler ? c->services->compiler : "cc";
    c->path = lun_spawn_find(name);
    for (int i = 0; i < 2 && !c->path && !strcmp(name, "cc"); i++)
        c->path = lun_spawn_find(others[i]);
    if (c->path && stat(c->path, &st)) {
        free(c->path);
        c->path = NULL;
    }
    if (!c->path)
        return false;
    c->size = (long long)st.st_size;
    c->seconds = (long long)st.st_mtim.tv_sec;
    c->nanoseconds = (long long)st.st_mtim.tv_nsec;
    return true;
}

/* The part of the command line that decides what comes out; NULL at the end. */
static const char *const common_flags[] = {"-std=gnu11",
                                           "-fno-math-errno",
                                           "-fno-trapping-math",
                                           "-ffp-contract=off",
                                           "-fwrapv",
                                           "-fno-strict-aliasing",
                                           "-fvisibility=hidden",
                                           "-fno-stack-protector",
                                           "-fno-asynchronous-unwind-tables",
                                           "-fdiagnostics-color=never",
                                           "-w",
                                           "-pipe",
                                           "-fPIC",
                                           "-shared",
                                           "-nostdlib",
                                           NULL};

static const char *const *isa_flags(lun_isa isa)
{
    static const char *const none[] = {NULL};
#ifdef __x86_64__
    static const char *const base[] = {"-march=x86-64", NULL},
                             *const avx2[] = {"-march=x86-64-v3", NULL},
                             *const avx512[] = {"-march=x86-64-v4", "-mprefer-vector-width=512",
                                                NULL};
    return isa == LUN_ISA_AVX512 ? avx512
           : isa == LUN_ISA_AVX2 ? avx2
           : isa == LUN_ISA_BASE ? base
                                 : none;
#else
    (void)isa;
    return none;
#endif
}

static const char *const *level_flags(unsigned needs)
{
    static const char *const all[] = {"-O3", NULL}, *const usual[] = {"-O2", NULL};
    return needs & LUN_CSTYLE_LOOPS ? all : usual;
}

static const char *const *library_flags(unsigned needs)
{
    static const char *const none[] = {NULL}, *const m[] = {"-lm", NULL};
    return needs & LUN_CSTYLE_LIBM ? m : none;
}

/* Whatever decides how a unit's machine code looks. */
static void make_key(const lun_jit_compiler *c, const lun_unit *u, lun_strbuf *key)
{
    lun_strbuf_printf(
        key,
        "lunarray openmp\nabi %d\nmath %d\nisa %d\ncompiler %s\nsize %lld\ntime %lld.%09lld\n"
        "flags",
        (int)LUN_CSTYLE_ABI, u->math, (int)c->isa, c->path ? c->path : "", c->size, c->seconds,
        c->nanoseconds);
    const char *const *lists[] = {common_flags, level_flags(u->needs), isa_flags(c->isa),
                                  library_flags(u->needs)};
    for (int k = 0; k < 4; k++)
        for (const char *const *p = lists[k]; *p; p++)
            lun_strbuf_printf(key, " %s", *p);
    lun_strbuf_puts(key, "\n\n");
    lun_strbuf_puts(key, u->source);
}

/* ---- how a unit ends ----------------------------------------------------------------------------- */

/* Text cut to `most` bytes at the end of a line. */
static void quote(lun_strbuf *out, const char *text, size_t most)
{
    size_t n = strlen(text);
    if (n > most) {
        n = most;
        while (n > 0 && text[n - 1] != '\n')
            n--;
        if (n == 0)
            n = most;
        lun_strbuf_add(out, text, n);
        lun_strbuf_puts(out, "... (more)");
        return;
    }
    while (n > 0 && text[n - 1] == '\n')
        n--;
    lun_strbuf_add(out, text, n);
}

/* The line that says most: the first with an error in it, else the first. */
static const char *telling_line(const char *words)
{
    const char *p = strstr(words, "error");
    while (p && p > words && p[-1] != '\n')
        p--;
    return p ? p : words;
}

static void fail(lun_jit_compiler *c, lun_unit *u, const char *what, const char *words)
{
    c->failures++;
    if (!c->told && c->services->log && !(u && u->wanted)) {
        lun_strbuf line = LUN_STRBUF_INIT;
        c->told = true;
        lun_strbuf_printf(&line, "kernels stay interpreted: %s: %s%s",
                          c->path ? c->path : c->services->compiler, what,
                          words && *words ? ": " : "");
        if (words) {
            const char *said = telling_line(words);
            lun_strbuf_add(&line, said, strcspn(said, "\n"));
        }
        c->services->log(c->services->log_ctx, lun_strbuf_text(&line));
        lun_strbuf_free(&line);
    }
    if (!u)
        return;
    u->state = LUN_UNIT_FAILED;
    lun_strbuf_clear(&u->message);
    lun_strbuf_printf(&u->message, "%s: %s", c->path ? c->path : c->services->compiler, what);
    if (words && *words) {
        lun_strbuf_puts(&u->message, "\n");
        quote(&u->message, words, QUOTE);
    }
}

/* Loads what was compiled; the reason in why if that fails. */
static bool load(lun_jit_compiler *c, lun_unit *u, const void *bytes, size_t length,
                 lun_strbuf *why)
{
    void *object = lun_loader_open(bytes, length, lun_cache_scratch(c->services->cache), why);
    if (!object)
        return false;
    void *kernel = lun_loader_find(object, "lun_kernel"),
         *total = lun_loader_find(object, "lun_total"),
         *combine = lun_loader_find(object, "lun_combine");
    if (!kernel || (u->scans && !total) || ((u->scans || u->reduces) && !combine)) {
        lun_strbuf_puts(why, "what it made is no kernel");
        lun_loader_close(object);
        return false;
    }
    memcpy(&u->kernel, &kernel, sizeof kernel);
    memcpy(&u->total, &total, sizeof total);
    memcpy(&u->combine, &combine, sizeof combine);
    u->object = object;
    u->state = LUN_UNIT_READY;
    free(u->source);
    u->source = NULL;
    return true;
}

bool lun_jit_look(lun_jit_compiler *c, lun_unit *u)
{
    lun_strbuf key = LUN_STRBUF_INIT, why = LUN_STRBUF_INIT;
    void *bytes;
    size_t length;
    if (u->state != LUN_UNIT_NEW)
        return u->state == LUN_UNIT_READY;
    u->state = LUN_UNIT_MISSED;
    find_compiler(c); /* without one, what an earlier one made is of no use: the key names it */
    make_key(c, u, &key);
    if (!key.failed && lun_cache_load(c->services->cache, key.text, key.length, &bytes, &length)) {
        if (load(c, u, bytes, length, &why))
            c->services->stats->cache_hits++;
        free(bytes);
    }
    lun_strbuf_free(&key);
    lun_strbuf_free(&why);
    return u->state == LUN_UNIT_READY;
}

/* ---- a compiler run ------------------------------------------------------------------------------ */

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
    size_t n = strlen(text);
    while (fd >= 0 && n) {
        ssize_t put = write(fd, text, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break;
        text += put;
        n -= (size_t)put;
    }
    return fd >= 0 && close(fd) == 0 && n == 0;
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

static void clean_job(lun_jit_compiler *c)
{
    lun_jit_job *j = &c->job;
    if (j->source)
        unlink(j->source);
    if (j->output)
        unlink(j->output);
    if (j->pipe >= 0)
        close(j->pipe);
    free(j->source);
    free(j->output);
    lun_strbuf_free(&j->key);
    lun_strbuf_free(&j->words);
    *j = (lun_jit_job){.pipe = -1};
    c->busy = false;
}

static int spawn_compiler(lun_jit_compiler *c, lun_jit_job *j, unsigned needs, const char *scratch)
{
    char *argv[64];
    int n = 0;
    const char *const *lists[] = {common_flags, level_flags(needs), isa_flags(c->isa)};
    const char *const *libraries = library_flags(needs);
    argv[n++] = c->path;
    for (int k = 0; k < 3; k++)
        for (const char *const *p = lists[k]; *p; p++)
            argv[n++] = (char *)(uintptr_t)*p;
    argv[n++] = (char *)(uintptr_t) "-o";
    argv[n++] = j->output;
    argv[n++] = j->source;
    for (; *libraries; libraries++)
        argv[n++] = (char *)(uintptr_t)*libraries;
    argv[n] = NULL;
    return lun_spawn_start(c->path, argv, scratch, &j->pid, &j->pipe);
}

/* Starts the compiler on a unit; on failure the unit has FAILED.  What nobody waits for must not slow down
 * what runs meanwhile: that compiler gives way. */
static void start(lun_jit_compiler *c, lun_unit *u, bool waited_for)
{
    lun_jit_job *j = &c->job;
    if (!find_compiler(c)) {
        c->failures = GIVE_UP;
        fail(c, u, "no such compiler (set LUNARRAY_CC)", NULL);
        return;
    }
    const char *scratch = lun_cache_scratch(c->services->cache);
    if (!scratch) {
        fail(c, u, "no directory for temporary files (set TMPDIR)", NULL);
        return;
    }
    j->unit = u;
    j->owner = getpid();
    j->started = now_ns();
    j->source = file_name(scratch, c->serial, ".c");
    j->output = file_name(scratch, c->serial++, ".so");
    make_key(c, u, &j->key);
    c->busy = true;
    int error = j->source && j->output && !j->key.failed ? 0 : ENOMEM;
    if (!error && !write_file(j->source, u->source))
        error = errno ? errno : EIO;
    if (!error)
        error = spawn_compiler(c, j, u->needs, scratch);
    if (error) {
        fail(c, u, strerror(error), NULL);
        clean_job(c);
        return;
    }
    if (!waited_for)
        lun_spawn_yield(j->pid);
    u->state = LUN_UNIT_RUNNING;
    c->services->stats->compiles++;
}

/* The compiler has ended, well or with an unknown status: its output decides. */
static void harvest(lun_jit_compiler *c, bool known)
{
    lun_jit_job *j = &c->job;
    lun_strbuf why = LUN_STRBUF_INIT;
    size_t length;
    char *bytes = read_file(j->output, (size_t)256 << 20, &length);
    if (!bytes || !lun_loader_check(bytes, length)) {
        fail(c, j->unit,
             known ? "it ended well but made no shared object" : "it made no shared object",
             lun_strbuf_text(&j->words));
    } else {
        c->failures = 0;
        if (!j->unit || load(c, j->unit, bytes, length, &why))
            lun_cache_store(c->services->cache, j->key.text, j->key.length, bytes, length);
        else
            fail(c, j->unit, lun_strbuf_text(&why), NULL);
    }
    free(bytes);
    lun_strbuf_free(&why);
}

/* Seconds that the compiler took. Its end may be noticed late, so the files that it read and wrote say. */
static double time_spent(const lun_jit_job *j)
{
    struct stat from, to;
    if (stat(j->source, &from) == 0 && stat(j->output, &to) == 0)
        return (double)(to.st_mtim.tv_sec - from.st_mtim.tv_sec) +
               1e-9 * (double)(to.st_mtim.tv_nsec - from.st_mtim.tv_nsec);
    return 1e-9 * (double)(now_ns() - j->started);
}

/* Looks after the compiler that runs. */
static void look_after(lun_jit_compiler *c)
{
    lun_jit_job *j = &c->job;
    char how[64];
    if (j->owner != getpid()) { /* a child of fork: the compiler belongs to the parent */
        free(j->source);
        free(j->output);
        j->source = j->output = NULL;
        if (j->unit)
            j->unit->state = LUN_UNIT_MISSED;
        clean_job(c);
        return;
    }
    lun_spawn_listen(&j->pipe, &j->words);
    lun_spawn_state s = lun_spawn_look(j->pid, how);
    if (s == LUN_SPAWN_RUNNING) {
        if (now_ns() - j->started < c->timeout_ms * 1000000)
            return;
        lun_spawn_end(j->pid);
        lun_spawn_listen(&j->pipe, &j->words);
        snprintf(how, sizeof how, "stopped after %lld ms", (long long)c->timeout_ms);
        c->failures = GIVE_UP;
        fail(c, j->unit, how, lun_strbuf_text(&j->words));
    } else {
        lun_spawn_listen(&j->pipe, &j->words);
        if (s == LUN_SPAWN_FAILED)
            fail(c, j->unit, how, lun_strbuf_text(&j->words));
        else
            harvest(c, s == LUN_SPAWN_DONE);
    }
    c->services->stats->compile_time += time_spent(j);
    clean_job(c);
}

/* ---- the queue ----------------------------------------------------------------------------------- */

void lun_jit_queue(lun_jit_compiler *c, lun_unit *u)
{
    if (u->state != LUN_UNIT_NEW && u->state != LUN_UNIT_MISSED)
        return;
    if (c->failures >= GIVE_UP && !u->wanted) {
        u->state = LUN_UNIT_FAILED;
        return;
    }
    u->state = LUN_UNIT_QUEUED;
    u->next = NULL;
    *c->last = u;
    c->last = &u->next;
}

static void unqueue(lun_jit_compiler *c, lun_unit *u)
{
    lun_unit **p = &c->first;
    while (*p && *p != u)
        p = &(*p)->next;
    if (*p)
        *p = u->next;
    c->last = &c->first;
    while (*c->last)
        c->last = &(*c->last)->next;
}

/* Starts the next unit; those that cannot be started have FAILED. */
static void start_next(lun_jit_compiler *c, bool waited_for)
{
    while (!c->busy && c->first) {
        lun_unit *u = c->first;
        unqueue(c, u);
        if (c->failures >= GIVE_UP && !u->wanted)
            u->state = LUN_UNIT_FAILED;
        else
            start(c, u, waited_for);
    }
}

void lun_jit_poll(lun_jit_compiler *c)
{
    if (!c->busy && !c->first)
        return;
    if (c->busy) {
        int64_t t = now_ns();
        if (t - c->polled < POLL_NS)
            return;
        c->polled = t;
        look_after(c);
    }
    start_next(c, false);
}

lun_status lun_jit_wait(lun_jit_compiler *c, lun_unit *u)
{
    const volatile int *cancel = c->services->cancel;
    if (u->state == LUN_UNIT_NEW || u->state == LUN_UNIT_MISSED)
        lun_jit_queue(c, u);
    if (u->state == LUN_UNIT_QUEUED && c->first != u) { /* before those nobody waits for */
        unqueue(c, u);
        u->next = c->first;
        c->first = u;
        if (c->last == &c->first)
            c->last = &u->next;
    }
    while (u->state != LUN_UNIT_READY && u->state != LUN_UNIT_FAILED) {
        if (cancel && *cancel)
            return LUN_ECANCEL;
        if (c->services->tick)
            c->services->tick(c->services->tick_ctx, "compile", 0, 0);
        if (c->busy) {
            lun_spawn_pause(c->job.pipe, 20);
            look_after(c);
        }
        if (u->state == LUN_UNIT_MISSED)
            lun_jit_queue(c, u);
        start_next(c, true);
    }
    return u->state == LUN_UNIT_READY ? LUN_OK : LUN_EBUILD;
}

void lun_jit_forget(lun_jit_compiler *c, lun_unit *u)
{
    if (u->state == LUN_UNIT_QUEUED)
        unqueue(c, u);
    if (c->busy && c->job.unit == u)
        c->job.unit = NULL;
}

void lun_jit_finish(lun_jit_compiler *c)
{
    const volatile int *cancel = c->services->cancel;
    int64_t start_time = now_ns(), patience = cancel && *cancel ? 0 : (int64_t)CLOSE_MS * 1000000;
    c->first = NULL;
    c->last = &c->first;
    while (c->busy && now_ns() - start_time < patience) {
        look_after(c);
        if (c->busy)
            lun_spawn_pause(c->job.pipe, 10);
    }
    if (c->busy) {
        lun_spawn_end(c->job.pid);
        clean_job(c);
    }
    free(c->path);
    c->path = NULL;
}
