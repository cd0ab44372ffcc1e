/* stores.c - elements that a rank which serves writes into a file that rank 0 has made, where it
 * sees that; see desk.h and wire.h.  Makes no file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/desk.h"

enum { MARK = 64 }; /* bytes, at most */

/* What is written, in the thread that has time for it. */
typedef struct writing {
    lun_desk *d;
    lun_desk_buffer *from;
    int64_t offset, bytes, at;
    int descriptor;
    int failure; /* of the file */
} writing;

/* The file to write to if it has the mark, else -1. */
static int open_marked(const lun_outfile *to)
{
    char there[MARK];
    struct stat is;
    const int descriptor = open(to->path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    if (!fstat(descriptor, &is) && S_ISREG(is.st_mode) &&
        !lun__infile_read(descriptor, to->mark_at, to->mark_bytes, there) &&
        !memcmp(there, to->mark, (size_t)to->mark_bytes))
        return descriptor;
    close(descriptor);
    return -1;
}

/* Pieces of it, by way of `between` where it is a device's. */
static lun_status write_pieces(writing *w, char *between)
{
    lun_status s = LUN_OK;
    for (int64_t done = 0, some; s == LUN_OK && done < w->bytes; done += some) {
        some = w->bytes - done < LUN_MPI_PIECE ? w->bytes - done : LUN_MPI_PIECE;
        if (between)
            s = lun__desk_read(w->d, w->from, w->offset + done, between, some);
        if (s == LUN_OK)
            w->failure =
                lun__write_bytes_at(w->descriptor, w->at + done,
                                    between ? between : w->from->data + w->offset + done, some);
        if (w->failure)
            break;
        if (s == LUN_OK && lun__backend_stop_requested(&w->d->own))
            s = LUN_ECANCEL;
    }
    return s;
}

static lun_status write_elements(void *ctx)
{
    writing *w = ctx;
    char *between = w->from->buffer ? malloc(LUN_MPI_PIECE) : NULL;
    if (w->from->buffer && !between)
        return lun__desk_fail(w->d, LUN_ENOMEM, "out of memory");
    const lun_status s = write_pieces(w, between);
    free(between);
    return s;
}

static lun_status write_marked(writing *w)
{
    const int64_t few = 1 << 20; /* bytes */
    lun_desk *d = w->d;
    lun_status s = w->bytes < few
                       ? write_elements(w)
                       : lun__hands_do(&d->hands, write_elements, w, d->listen, d->own.tick_ctx);
    if (close(w->descriptor) && !w->failure) /* what was written late may fail only now */
        w->failure = errno;
    return s == LUN_ECANCEL ? lun__desk_fail(d, s, "interrupted") : s;
}

lun_status lun__desk_store(lun_desk *d, lun_bytes *in, bool *answers)
{
    bool nomem = false;
    writing w = {.d = d, .from = lun__desk_buffer(d, in)};
    w.offset = lun__bytes_take_i64(in);
    w.bytes = lun__bytes_take_within(in, 0, INT64_MAX);
    char *path = lun__bytes_take_text(in, &nomem);
    lun_outfile to = {.path = path, .mark_at = lun__bytes_take_within(in, 0, INT64_MAX / 2)};
    to.mark = lun__bytes_take_bytes(in, &to.mark_bytes);
    w.at = lun__bytes_take_within(in, 0, INT64_MAX / 2);
    *answers = true;
    in->bad |= !to.mark || to.mark_bytes < 1 || to.mark_bytes > MARK ||
               (!nomem && (!path || *path != '/'));
    if (in->bad || (w.from->flaw.status == LUN_OK && !lun__desk_fits(w.from, w.offset, w.bytes))) {
        free(path);
        return lun__desk_strange(d, in);
    }
    d->stops = true;
    lun_status s =
        nomem ? lun__desk_fail(d, LUN_ENOMEM, "out of memory") : lun__desk_ready(d, w.from);
    w.descriptor = s == LUN_OK ? open_marked(&to) : -1;
    const bool seen = w.descriptor >= 0;
    if (seen)
        s = write_marked(&w);
    free(path);
    lun__bytes_put_u8(&d->rest, seen);
    lun__bytes_put_i32(&d->rest, w.failure);
    return s;
}
