/* evict.c - how much the directory of compiled kernels holds: beyond the cache's limit the entries
 * that were not used for longest go; see directory.h.
 *
 * A file, `size`, has the sum of the entries' bytes: 20 digits, filled with blanks on the left, and
 * a newline.  So a store adds one number and looks at no other file.
 *
 * Invariant: the sum changes under a lock (flock) of its file; where another process has that, the
 * number is kept in c->added for the next store, or for lun__cache_close.  The sum is never too
 * small but for what killed processes kept so, and counting makes it right: that is done beyond the
 * limit, which leaves room for an eighth of it, and where there is no sum.
 *
 * Entries in use may go: they are read whole into memory before they are loaded, no process has one
 * mapped, and a process that is reading one reads on in what has no name any more. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_NOFOLLOW, UTIME_OMIT */
#endif
#include "cache/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"

enum {
    ROOM = 8,       /* the part of the limit that is free afterwards: 1 / ROOM */
    FRESH = 60,     /* seconds for which a use counts as the last one */
    DIGITS = 20 + 1 /* of the sum, with a newline */
};

void lun__cache_evict_used(int fd, const struct stat *st)
{
    const struct timespec now[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    if (time(NULL) - st->st_mtime > FRESH)
        (void)futimens(fd, now); /* in a directory that cannot be written nothing goes */
}

/* ---- counting -------------------------------------------------------------------------------- */

bool lun__cache_evict_is_entry(const lun_cache *c, const char *name, struct stat *st)
{
    return strspn(name, "0123456789abcdef") == LUN_CACHE_NAME - 1 && !name[LUN_CACHE_NAME - 1] &&
           fstatat(c->fd, name, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st->st_mode);
}

typedef struct entry {
    char name[LUN_CACHE_NAME];
    int64_t bytes;
    struct timespec used;
} entry;

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* The entries, as many as memory allows. */
static entry *list(const lun_cache *c, int *count)
{
    entry *all = NULL;
    int room = 0;
    struct stat st;
    int fd = openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    *count = 0;
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!lun__cache_evict_is_entry(c, e->d_name, &st))
            continue;
        if (!lun__grow(&all, *count, &room, sizeof *all))
            break;
        entry *to = &all[(*count)++];
        *to = (entry){.bytes = st.st_size, .used = st.st_mtim};
        memcpy(to->name, e->d_name, sizeof to->name);
    }
    if (d)
        closedir(d);
    return all;
}

/* Counts what is there; if that and `more` are beyond the limit, removes entries.  What is left. */
static int64_t count(const lun_cache *c, int64_t more)
{
    int entries;
    int64_t sum = 0;
    entry *all = list(c, &entries);
    for (int i = 0; i < entries; i++)
        sum += all[i].bytes;
    if (entries > 0 && sum + more > c->limit) {
        qsort(all, (size_t)entries, sizeof *all, by_use);
        for (int i = 0; i < entries && sum + more > c->limit - c->limit / ROOM; i++)
            if (unlinkat(c->fd, all[i].name, 0) == 0)
                sum -= all[i].bytes;
    }
    free(all);
    return sum;
}

/* ---- the sum --------------------------------------------------------------------------------- */

/* -1: unknown. */
static int64_t read_sum(int fd)
{
    char text[DIGITS + 1] = "", *end;
    if (pread(fd, text, DIGITS, 0) != DIGITS || text[DIGITS - 1] != '\n')
        return -1;
    int64_t sum = strtoll(text, &end, 10);
    return *end == '\n' ? sum : -1;
}

static bool write_sum(int fd, int64_t sum)
{
    char text[DIGITS + 1];
    snprintf(text, sizeof text, "%*lld\n", DIGITS - 1, (long long)sum);
    return pwrite(fd, text, DIGITS, 0) == DIGITS;
}

void lun__cache_evict_make_room(lun_cache *c, int64_t bytes)
{
    c->added += bytes;
    int fd = openat(c->fd, "size", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        int64_t sum = read_sum(fd);
        if (sum < 0 || sum > c->limit - c->added)
            sum = count(c, c->added);
        if (!write_sum(fd, sum + c->added))
            unlinkat(c->fd, "size", 0);
        c->added = 0;
    }
    close(fd);
}
