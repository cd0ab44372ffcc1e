/* cache.c - compiled kernels on disk; see backend.h for what backends see, cache.h for the rest.
 *
 * An entry is a file named by the hash of its key: header, key, bytes.  It is read whole and checked
 * before any of it is believed, written beside its place and renamed.  Nothing is locked: the last
 * writer wins, and all writers of a key write the same.  The directory must belong to this user and be
 * writable by nobody else; where that fails, every load is a miss. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "cache.h"

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
    FORMAT = 1,
    NAME = 33,
    STALE_SECONDS = 60, /* no writer takes that long; a scratch directory is locked while in use */
    ENTRY_LIMIT = 256 << 20
};

static const char magic[8] = "LUNKERN";

typedef struct header {
    char magic[8];
    uint32_t format, header_bytes;
    uint64_t key_bytes, payload_bytes;
    XXH128_canonical_t payload_hash;
} header;

struct lun_cache {
    char *dir; /* as given; NULL: by the environment */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    int fd; /* of the directory, -1 while it is not open */
    char *path;
    bool refused, swept, told_store, told_damage;
    unsigned serial;
    char *scratch;
    int scratch_lock; /* its descriptor: locked as long as somebody uses it, whatever ends him */
    pid_t owner;      /* who made the scratch directory */
};

lun_status lun_cache_open(const char *dir, void (*log)(void *ctx, const char *text), void *log_ctx,
                          lun_cache **out)
{
    lun_cache *c = calloc(1, sizeof *c);
    if (!c)
        return LUN_ENOMEM;
    c->fd = c->scratch_lock = -1;
    c->log = log;
    c->log_ctx = log_ctx;
    if (dir && !(c->dir = strdup(dir))) {
        free(c);
        return LUN_ENOMEM;
    }
    *out = c;
    return LUN_OK;
}

static void tell(lun_cache *c, bool *told, const char *what, const char *why)
{
    char line[512];
    if (*told || !c->log)
        return;
    *told = true;
    snprintf(line, sizeof line, "kernel cache %s: %s%s%s", c->path ? c->path : "", what,
             why ? ": " : "", why ? why : "");
    c->log(c->log_ctx, line);
}

/* ---- the directory --------------------------------------------------------------------------------- */

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
        return "others may write to it";
    return NULL;
}

/* Opens the directory, made if `create`; false: there is none (yet), or none that can be used. */
static bool open_directory(lun_cache *c, bool create)
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
        tell(c, &c->told_store, "not used", why);
    }
    return false;
}

/* ---- entries --------------------------------------------------------------------------------------- */

static void name_of(const char *key, size_t length, char name[NAME])
{
    XXH128_canonical_t h;
    XXH128_canonicalFromHash(&h, XXH3_128bits(key, length));
    for (size_t i = 0; i < sizeof h.digest; i++)
        snprintf(name + 2 * i, 3, "%02x", h.digest[i]);
}

static XXH128_canonical_t hash_of(const void *bytes, size_t length)
{
    XXH128_canonical_t h;
    XXH128_canonicalFromHash(&h, XXH3_128bits(bytes, length));
    return h;
}

static bool read_all(int fd, char *to, size_t n)
{
    while (n) {
        ssize_t got = read(fd, to, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t n)
{
    const char *p = from;
    while (n) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* Why the bytes of a file are no entry for this key, NULL if they are. */
static const char *damage(const char *file, size_t size, const char *key, size_t key_length)
{
    header h;
    if (size < sizeof h)
        return "too short";
    memcpy(&h, file, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || h.format != FORMAT || h.header_bytes != sizeof h)
        return "not an entry";
    size_t left = size - sizeof h;
    if (h.key_bytes > left || h.payload_bytes != left - h.key_bytes)
        return "sizes do not match";
    if (h.key_bytes != key_length || memcmp(file + sizeof h, key, key_length))
        return "another key";
    XXH128_canonical_t hash = hash_of(file + sizeof h + key_length, (size_t)h.payload_bytes);
    return memcmp(&hash, &h.payload_hash, sizeof hash) ? "its bytes have changed" : NULL;
}

/* Why a file is none of ours, NULL if it may be.  It has no name any more if it has been replaced. */
static const char *foreign(const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "not a file";
    if (st->st_uid != geteuid() || (st->st_mode & (S_IWGRP | S_IWOTH)) || st->st_nlink > 1)
        return "others may write to it";
    return st->st_size > ENTRY_LIMIT ? "too large" : NULL;
}

/* Takes the payload out of an open entry; NULL with the reason in *why, or without one if it may be whole
 * but cannot be had now. */
static void *take(int fd, const char *key, size_t key_length, size_t *length, const char **why)
{
    struct stat st;
    if (fstat(fd, &st))
        return NULL;
    if ((*why = foreign(&st)))
        return NULL;
    size_t size = (size_t)st.st_size;
    char *file = malloc(size + 1);
    if (!file)
        return NULL;
    *why = read_all(fd, file, size) ? damage(file, size, key, key_length) : "it cannot be read";
    if (*why) {
        free(file);
        return NULL;
    }
    *length = size - sizeof(header) - key_length;
    memmove(file, file + sizeof(header) + key_length, *length);
    return file;
}

bool lun_cache_load(lun_cache *c, const char *key, size_t key_length, void **bytes, size_t *length)
{
    char name[NAME];
    const char *why = NULL;
    if (!open_directory(c, false))
        return false;
    name_of(key, key_length, name);
    int fd = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        if (errno != ELOOP && errno != ENXIO && errno != EACCES)
            return false; /* none there, or none to be had now: no memory, no descriptor */
        why = strerror(errno);
    } else {
        void *payload = take(fd, key, key_length, length, &why);
        close(fd);
        if (payload)
            *bytes = payload;
        if (!why)
            return payload != NULL;
    }
    tell(c, &c->told_damage, "an entry is damaged and is made anew", why);
    if (unlinkat(c->fd, name, 0) && errno == EISDIR)
        unlinkat(c->fd, name, AT_REMOVEDIR);
    return false;
}

/* ---- storing --------------------------------------------------------------------------------------- */

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

/* Removes a scratch directory: our own, or one that nobody uses any more. */
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

/* Removes what writers and compilers that were killed have left behind. */
static void sweep(lun_cache *c)
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
             scratch = !strncmp(e->d_name, "scratch-", 8);
        if (!temporary && !scratch)
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

/* Writes an entry under a name of its own; false with errno. */
static bool write_entry(lun_cache *c, const char *name, const char *key, size_t key_length,
                        const void *bytes, size_t length)
{
    header h = {.format = FORMAT,
                .header_bytes = sizeof h,
                .key_bytes = key_length,
                .payload_bytes = length,
                .payload_hash = hash_of(bytes, length)};
    memcpy(h.magic, magic, sizeof magic);
    int fd = openat(c->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool well = write_all(fd, &h, sizeof h) && write_all(fd, key, key_length) &&
                write_all(fd, bytes, length) && fsync(fd) == 0;
    int error = errno;
    if (close(fd) && well) {
        well = false;
        error = errno;
    }
    errno = error;
    return well;
}

void lun_cache_store(lun_cache *c, const char *key, size_t key_length, const void *bytes,
                     size_t length)
{
    char name[NAME], temporary[96];
    struct timespec t;
    if (!open_directory(c, true))
        return;
    sweep(c);
    name_of(key, key_length, name);
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(temporary, sizeof temporary, ".tmp-%ld-%u-%ld-%p", (long)getpid(), c->serial++,
             (long)t.tv_nsec, (void *)c);
    if (write_entry(c, temporary, key, key_length, bytes, length) &&
        renameat(c->fd, temporary, c->fd, name) == 0)
        return;
    tell(c, &c->told_store, "an entry cannot be written", strerror(errno));
    unlinkat(c->fd, temporary, 0);
}

/* ---- scratch --------------------------------------------------------------------------------------- */

static char *make_scratch(const char *parent, const char *pattern)
{
    char *s = join(parent, pattern);
    if (s && mkdtemp(s))
        return s;
    free(s);
    return NULL;
}

const char *lun_cache_scratch(lun_cache *c)
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
    if (open_directory(c, true))
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

/* ---- for people ----------------------------------------------------------------------------------- */

void lun_cache_survey(lun_cache *c, bool clear, lun_cache_state *out)
{
    struct stat st;
    *out = (lun_cache_state){0};
    if (!open_directory(c, false) && (c->refused || access(c->path, F_OK) == 0)) {
        out->reason = c->path ? "its directory belongs to another user, or others may write to it"
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
        bool entry = strspn(e->d_name, "0123456789abcdef") == NAME - 1 && !e->d_name[NAME - 1];
        if (!entry || fstatat(c->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
            (clear && unlinkat(c->fd, e->d_name, 0)))
            continue;
        out->entries++;
        out->bytes += st.st_size;
    }
    closedir(d);
}

/* ---- the lock -------------------------------------------------------------------------------------- */

int lun_cache_lock(lun_cache *c, int wait_ms)
{
    if (!open_directory(c, true))
        return -1;
    int fd = openat(c->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    for (int waited = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); waited += 5) {
        if (waited >= wait_ms || (errno != EWOULDBLOCK && errno != EINTR)) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return fd;
}

void lun_cache_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

void lun_cache_close(lun_cache *c)
{
    if (!c)
        return;
    if (c->scratch_lock >= 0)
        close(c->scratch_lock);
    if (c->scratch && c->owner == getpid())
        remove_scratch(AT_FDCWD, c->scratch, true);
    if (c->fd >= 0)
        close(c->fd);
    free(c->scratch);
    free(c->path);
    free(c->dir);
    free(c);
}
