/* source.c - a file that elements are read from; see source.h.  Reads go by pread: several threads
 * may read, a child after fork too, and nothing depends on the path once it is open. */
#include "store/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/state.h"

enum { MOST_AT_ONCE = 1 << 30 };

struct lun_source {
    int refs, descriptor;
    struct stat opened; /* as it was then */
    char path[];
};

static lun_status refuse(lun_engine *e, const char *path, int reason)
{
    const char *text = reason == ESPIPE ? "not a regular file" : strerror(reason);
    lun_status s = lun__fail(e, LUN_EIO, "%s: %s", path, text);
    errno = reason;
    return s;
}

lun_status lun__source_open(lun_engine *e, const char *path, lun_source **out, int64_t *size)
{
    size_t length = strlen(path) + 1;
    lun_source *s = malloc(sizeof *s + length);
    if (!s)
        return lun__nomem(e);
    s->refs = 1;
    memcpy(s->path, path, length);
    /* a pipe without a writer would wait */
    s->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int reason = s->descriptor < 0                      ? errno
                 : fstat(s->descriptor, &s->opened) < 0 ? errno
                 : S_ISDIR(s->opened.st_mode)           ? EISDIR
                 : !S_ISREG(s->opened.st_mode)          ? ESPIPE
                                                        : 0;
    if (reason) {
        lun__source_release(s);
        return refuse(e, path, reason);
    }
    posix_fadvise(s->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    *size = (int64_t)s->opened.st_size;
    *out = s;
    return LUN_OK;
}

lun_source *lun__source_retain(lun_source *s)
{
    s->refs++;
    return s;
}

void lun__source_release(lun_source *s)
{
    if (!s || --s->refs)
        return;
    if (s->descriptor >= 0)
        close(s->descriptor);
    free(s);
}

lun_status lun__source_check(lun_engine *e, const lun_source *s)
{
    struct stat now;
    const struct stat *then = &s->opened;
    if (fstat(s->descriptor, &now) < 0)
        return lun__source_fail(e, s, errno);
    if (now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == then->st_mtim.tv_nsec)
        return LUN_OK;
    return lun__fail(e, LUN_EIO,
                     "%s: the file has changed since it was opened (%lld bytes then, %lld now); "
                     "open it again",
                     s->path, (long long)then->st_size, (long long)now.st_size);
}

int lun__source_read(const lun_source *s, int64_t at, int64_t bytes, void *to)
{
    char *p = to;
    while (bytes > 0) {
        size_t some = bytes < MOST_AT_ONCE ? (size_t)bytes : MOST_AT_ONCE;
        ssize_t got = pread(s->descriptor, p, some, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : LUN_SOURCE_SHORT;
        p += got;
        at += got;
        bytes -= got;
    }
    return 0;
}

lun_status lun__source_fail(lun_engine *e, const lun_source *s, int failure)
{
    if (failure == LUN_SOURCE_SHORT)
        return lun__fail(e, LUN_EIO,
                         "%s: the file has been truncated since it was opened; open it again",
                         s->path);
    return lun__fail(e, LUN_EIO, "%s: reading failed: %s", s->path, strerror(failure));
}
