/* infile.c - a regular file that is only read; see infile.h.  Reads go by pread: several threads
 * may read, a child after fork too, and nothing depends on the path once it is open. */
#include "base/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/crc.h"

enum { MOST_AT_ONCE = 1 << 30, END = 4096, BESIDE = 1 << 16 };

static void note(lun_infile_mark *to, const struct stat *is)
{
    to->size = (int64_t)is->st_size;
    to->seconds = (int64_t)is->st_mtim.tv_sec;
    to->nanoseconds = (int64_t)is->st_mtim.tv_nsec;
    to->inode = (uint64_t)is->st_ino;
}

int lun__infile_open(const char *path, lun_infile_mark *out)
{
    struct stat is;
    /* a pipe without a writer would wait */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    const int reason = fstat(descriptor, &is) < 0 ? errno
                       : S_ISDIR(is.st_mode)      ? EISDIR
                       : !S_ISREG(is.st_mode)     ? ESPIPE
                                                  : 0;
    if (reason) {
        close(descriptor);
        errno = reason;
        return -1;
    }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    *out = (lun_infile_mark){0};
    note(out, &is);
    return descriptor;
}

char *lun__infile_path(const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    const size_t room = strlen(path) + (here ? strlen(here) : 0) + 2;
    char *out = here || *path == '/' ? malloc(room) : NULL;
    if (out)
        snprintf(out, room, "%s%s%s", here ? here : "", here ? "/" : "", path);
    free(here);
    return out;
}

/* ---- known again ----------------------------------------------------------------------------- */

int lun__infile_ends(int descriptor, lun_infile_mark *mark)
{
    char ends[2 * END];
    const int64_t some = mark->size < END ? mark->size : END;
    int failure = lun__infile_read(descriptor, 0, some, ends);
    if (!failure)
        failure = lun__infile_read(descriptor, mark->size - some, some, ends + some);
    if (!failure)
        mark->ends = XXH3_64bits(ends, (size_t)(2 * some));
    return failure;
}

/* Whether nothing was written in between. */
static bool is_as_then(const lun_infile_mark *a, const lun_infile_mark *b)
{
    return a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

bool lun__infile_same(const lun_infile_mark *a, const lun_infile_mark *b)
{
    return is_as_then(a, b) && a->inode == b->inode && a->ends == b->ends;
}

int lun__infile_check(int descriptor, const lun_infile_mark *then)
{
    struct stat is;
    lun_infile_mark now;
    if (fstat(descriptor, &is) < 0)
        return errno;
    note(&now, &is);
    return is_as_then(&now, then) ? 0 : LUN_INFILE_CHANGED;
}

/* ---- reading --------------------------------------------------------------------------------- */

int lun__infile_read(int descriptor, int64_t at, int64_t bytes, void *to)
{
    char *p = to;
    while (bytes > 0) {
        size_t some = bytes < MOST_AT_ONCE ? (size_t)bytes : MOST_AT_ONCE;
        ssize_t got = pread(descriptor, p, some, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : LUN_INFILE_SHORT;
        p += got;
        at += got;
        bytes -= got;
    }
    return 0;
}

static void make_truth(unsigned char *p, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        p[i] = p[i] != 0;
}

#define SWAP(bits)                                              \
    static void swap_##bits(void *at, int64_t count)            \
    {                                                           \
        uint##bits##_t *p = at;                                 \
        for (int64_t i = 0; i < count; i++)                     \
            p[i] = (uint##bits##_t)__builtin_bswap##bits(p[i]); \
    }
SWAP(16)
SWAP(32)
SWAP(64)

bool lun__infile_span(int64_t count, lun_infile_form form, int64_t *span)
{
    *span = 0;
    return !count || (!__builtin_mul_overflow(count - 1, form.step, span) &&
                      !__builtin_add_overflow(*span, (int64_t)form.bytes, span));
}

/* Elements that stand apart: what lies between is read with them, or, if it is much, is not. */
static int read_apart(int descriptor, int64_t at, int64_t count, lun_infile_form form, char *to)
{
    char between[BESIDE];
    const int64_t most = form.step < BESIDE ? BESIDE / form.step : 1;
    int failure = 0;
    for (int64_t done = 0, some; !failure && done < count; done += some) {
        some = count - done < most ? count - done : most;
        failure = lun__infile_read(descriptor, at + done * form.step,
                                   (some - 1) * form.step + form.bytes, between);
        for (int64_t i = 0; !failure && i < some; i++, to += form.bytes)
            memcpy(to, between + i * form.step, (size_t)form.bytes);
    }
    return failure;
}

int lun__infile_elements(int descriptor, int64_t at, int64_t count, lun_infile_form form, void *to)
{
    const int failure = form.step == form.bytes
                            ? lun__infile_read(descriptor, at, count * form.bytes, to)
                            : read_apart(descriptor, at, count, form, to);
    if (failure)
        return failure;
    if (form.truth)
        make_truth(to, count);
    if (form.swapped && form.bytes == 2)
        swap_16(to, count);
    else if (form.swapped && form.bytes == 4)
        swap_32(to, count);
    else if (form.swapped && form.bytes == 8)
        swap_64(to, count);
    return 0;
}

int lun__infile_crc(int descriptor, int64_t at, int64_t bytes, uint32_t *crc)
{
    unsigned char some[BESIDE];
    int failure = 0;
    for (int64_t done = 0, n; !failure && done < bytes; done += n) {
        n = bytes - done < BESIDE ? bytes - done : BESIDE;
        failure = lun__infile_read(descriptor, at + done, n, some);
        if (!failure)
            *crc = lun__crc32(*crc, some, n);
    }
    return failure;
}

void lun__infile_say(lun_strbuf *to, const char *name, int descriptor, const lun_infile_mark *then,
                     int failure)
{
    struct stat now = {.st_size = (off_t)then->size};
    if (failure == LUN_INFILE_CHANGED) {
        (void)fstat(descriptor, &now);
        lun__strbuf_printf(to,
                           "%s: the file has changed since it was opened (%lld bytes then, %lld "
                           "now); open it again",
                           name, (long long)then->size, (long long)now.st_size);
    } else if (failure == LUN_INFILE_SHORT) {
        lun__strbuf_printf(to, "%s: the file has been truncated since it was opened; open it again",
                           name);
    } else {
        lun__strbuf_printf(to, "%s: reading failed: %s", name, strerror(failure));
    }
}
