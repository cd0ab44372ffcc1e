/* directory.c - the cache's directory: where it is, whether it can be trusted, which files are
 * left over in it; see directory.h.  It must belong to this user and be writable by no other; where
 * that fails, every load is a miss.
 *
 * Invariant: c->fd is -1, or the directory, open and found trustworthy; c->refused: it never will
 * be.  The scratch directory is removed by the process `owner` alone, which holds its lock until
 * then; a child of fork makes its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "cache/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    STALE_SECONDS = 60 /* no writer takes that long; what is in use longer is locked */
};

lun_status lun__cache_open(const char *dir, int64_t size, void (*log)(void *ctx, const char *text),
                           void *log_ctx, lun_cache **out)
{
    lun_cache *c = calloc(1, sizeof *c);
    if (!c)
        return LUN_ENOMEM;
    c->fd = c->scratch_lock = -1;
    c->limit = size;
    c->log = log;
    c->log_ctx = log_ctx;
    if (dir && !(c->dir = strdup(dir))) {
        free(c);
        return LUN_ENOMEM;
    }
    *out = c;
    return LUN_OK;
}

void lun__cache_log_once(lun_cache *c, bool *logged, const char *what, const char *why)
{
    char line[512];
    if (*logged || !c->log)
        return;
    *logged = true;
    snprintf(line, sizeof line, "kernel cache %s: %s%s%s", c->path ? c->path : "", what,
             why ? ": " : "", why ? why : "");
    c->log(c->log_ctx, line);
}

/* ---- the directory --------------------------------------------------------------------------- */

static char *join(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 2;
    char *s = malloc(n);
    if (s)
        snprintf(s, n, "%s/%s", a, b);
    return s;
}

/* The path by configuration and environment; NULL: there is none. */
static char *find_path(const lun_cache *c)
{
    const char *s = c->dir;
    struct passwd pw, *found = NULL;
    char room[1024];
    if (!s)
        s = secure_getenv("LUNARRAY_CACHE_DIR");
    if (s)
        return *s ? strdup(s) : NULL;
    s = secure_getenv("XDG_CACHE_HOME");
    if (s && *s == '/')
        return join(s, "lunarray");
    s = secure_getenv("HOME");
    if ((!s || *s != '/') && getpwuid_r(geteuid(), &pw, room, sizeof room, &found) == 0 && found)
        s = found->pw_dir;
    return s && *s == '/' ? join(s, ".cache/lunarray") : NULL;
}

/* Makes the directory and what leads to it.  What exists stays as it is. */
static void make_path(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

/* Why an open directory cannot be trusted, NULL if it can. */
static const char *distrust(int fd)
{
    struct stat st;
    if (fstat(fd, &st))
        return strerror(errno);
    if (!S_ISDIR(st.st_mode))
        return "not a directory";
    if (st.st_uid != geteuid())
        return "it belongs to another user";
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return "other users can write to it";
    return NULL;
}

/* Opens the directory, made if `create`; false: there is none (yet), or none that can be used. */
bool lun__cache_directory(lun_cache *c, bool create)
{
    if (c->fd >= 0)
        return true;
    if (c->refused)
        return false;
    if (!c->path && !(c->path = find_path(c))) {
        c->refused = true;
        return false;
    }
    if (create)
        make_path(c->path);
    int fd = open(c->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *why = fd < 0 ? strerror(errno) : distrust(fd);
    if (fd >= 0 && !why) {
        c->fd = fd;
        return true;
    }
    if (fd >= 0)
        close(fd);
    if (create) {
        c->refused = true;
        lun__cache_log_once(c, &c->logged_store, "not used", why);
    }
    return false;
}

bool lun__cache_renewed(lun_cache *c)
{
    struct stat st;
    if (fstat(c->fd, &st) == 0 && st.st_nlink > 0)
        return true;
    close(c->fd);
    c->fd = -1;
    return lun__cache_directory(c, true);
}

void lun__cache_name(const char *key, size_t length, char name[LUN_CACHE_NAME])
{
    XXH128_canonical_t h;
    XXH128_canonicalFromHash(&h, XXH3_128bits(key, length));
    for (size_t i = 0; i < sizeof h.digest; i++)
        snprintf(name + 2 * i, 3, "%02x", h.digest[i]);
}

/* ---- what is left behind --------------------------------------------------------------------- */

static void remove_files(int fd)
{
    DIR *d = fdopendir(fd);
    struct dirent *e;
    if (!d) {
        close(fd);
        return;
    }
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            unlinkat(fd, e->d_name, 0);
    closedir(d);
}

/* Removes a scratch directory: our own, or one whose lock is free. */
static void remove_scratch(int at, const char *name, bool ours)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!ours && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(fd);
        return;
    }
    remove_files(fd);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* Removes the files that killed writers and compilers left. */
void lun__cache_sweep(lun_cache *c)
{
    int fd = c->swept ? -1 : openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    struct stat st;
    c->swept = true;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((e = readdir(d))) {
        bool temporary = !strncmp(e->d_name, ".tmp-", 5),
             scratch = !strncmp(e->d_name, "scratch-", 8),
             claim = !strncmp(e->d_name, LUN_CACHE_CLAIM, sizeof LUN_CACHE_CLAIM - 1);
        if (!temporary && !scratch && !claim)
            continue;
        if (fstatat(c->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            time(NULL) - st.st_mtime < STALE_SECONDS)
            continue;
        if (scratch)
            remove_scratch(c->fd, e->d_name, false);
        else
            unlinkat(c->fd, e->d_name, 0);
    }
    closedir(d);
}

/* ---- scratch --------------------------------------------------------------------------------- */

static char *make_scratch(const char *parent, const char *pattern)
{
    char *s = join(parent, pattern);
    if (s && mkdtemp(s))
        return s;
    free(s);
    return NULL;
}

const char *lun__cache_scratch(lun_cache *c)
{
    struct stat st;
    if (c->scratch && c->owner == getpid() && lstat(c->scratch, &st) == 0 && S_ISDIR(st.st_mode))
        return c->scratch;
    free(c->scratch);
    c->scratch = NULL;
    if (c->scratch_lock >= 0)
        close(c->scratch_lock);
    c->scratch_lock = -1;
    c->owner = getpid();
    if (lun__cache_directory(c, true))
        c->scratch = make_scratch(c->path, "scratch-XXXXXX");
    const char *t = secure_getenv("TMPDIR");
    if (!c->scratch && t && *t == '/')
        c->scratch = make_scratch(t, "lunarray-XXXXXX");
    if (!c->scratch)
        c->scratch = make_scratch("/tmp", "lunarray-XXXXXX");
    if (c->scratch)
        c->scratch_lock = open(c->scratch, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->scratch_lock >= 0)
        flock(c->scratch_lock, LOCK_EX | LOCK_NB);
    return c->scratch;
}

/* ---- for people ------------------------------------------------------------------------------ */

void lun__cache_survey(lun_cache *c, bool clear, lun_cache_state *out)
{
    struct stat st;
    *out = (lun_cache_state){.limit = c->limit};
    if (!lun__cache_directory(c, false) && (c->refused || access(c->path, F_OK) == 0)) {
        out->reason = c->path
                          ? "its directory belongs to another user, or other users can write to it"
                          : "LUNARRAY_CACHE_DIR is empty, or there is no home directory";
        return;
    }
    out->directory = c->path;
    int fd = c->fd < 0 ? -1 : openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));) {
        if (!lun__cache_evict_is_entry(c, e->d_name, &st) ||
            (clear && unlinkat(c->fd, e->d_name, 0)))
            continue;
        out->entries++;
        out->bytes += st.st_size;
    }
    closedir(d);
    if (clear)
        unlinkat(c->fd, "size", 0);
}

void lun__cache_close(lun_cache *c)
{
    if (!c)
        return;
    if (c->scratch_lock >= 0)
        close(c->scratch_lock);
    if (c->scratch && c->owner == getpid())
        remove_scratch(AT_FDCWD, c->scratch, true);
    if (c->fd >= 0 && c->added)
        lun__cache_evict_make_room(c, 0);
    if (c->fd >= 0)
        close(c->fd);
    free(c->scratch);
    free(c->path);
    free(c->dir);
    free(c);
}
