/* files.c - elements that a rank which serves reads from files that it sees itself, and checksums
 * of their bytes; see desk.h and wire.h.  Only regular files are opened, for reading.  Knows no
 * format. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/grow.h"
#include "mpi/desk.h"

/* ---- files ----------------------------------------------------------------------------------- */

static lun_desk_file *find(const lun_desk *d, int64_t number)
{
    for (int i = 0; i < d->file_count; i++)
        if (d->files[i].number == number)
            return &d->files[i];
    return NULL;
}

/* Whether more than half of the files are open that the process may have: what rank 0 opens comes
 * first, and ranks may be threads of one process. */
static bool is_crowded(int descriptor)
{
    struct rlimit most;
    return getrlimit(RLIMIT_NOFILE, &most) || (rlim_t)descriptor > most.rlim_cur / 2;
}

/* The file of that path if it is the one that rank 0 has, else -1. */
static int open_same(const char *path, const lun_infile_mark *wanted)
{
    lun_infile_mark is;
    const int descriptor = lun__infile_open(path, &is);
    if (descriptor < 0)
        return -1;
    if (is.size == wanted->size && !is_crowded(descriptor) && !lun__infile_ends(descriptor, &is) &&
        lun__infile_same(&is, wanted))
        return descriptor;
    close(descriptor);
    return -1;
}

static void close_file(lun_desk *d, lun_desk_file *f)
{
    close(f->descriptor);
    free(f->name);
    *f = d->files[--d->file_count];
}

lun_status lun__desk_open(lun_desk *d, lun_bytes *in, bool *answers)
{
    bool nomem = false;
    lun_desk_file f = {.number = lun__bytes_take_i64(in), .name = lun__bytes_take_text(in, &nomem)};
    char *path = lun__bytes_take_text(in, &nomem);
    f.is.size = lun__bytes_take_within(in, 0, INT64_MAX);
    f.is.seconds = lun__bytes_take_i64(in);
    f.is.nanoseconds = lun__bytes_take_i64(in);
    f.is.inode = (uint64_t)lun__bytes_take_i64(in);
    f.is.ends = (uint64_t)lun__bytes_take_i64(in);
    *answers = true;
    in->bad |= !nomem && (!f.name || !path || *path != '/' || find(d, f.number));
    lun_status s = in->bad ? lun__desk_strange(d, in) : LUN_OK;
    if (s == LUN_OK && (nomem || !lun__grow(&d->files, d->file_count, &d->file_room, sizeof f)))
        s = lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    f.descriptor = s == LUN_OK ? open_same(path, &f.is) : -1;
    if (f.descriptor >= 0)
        d->files[d->file_count++] = f;
    else
        free(f.name);
    free(path);
    lun__bytes_put_u8(&d->rest, f.descriptor >= 0);
    return s;
}

/* What was to be loaded from it is read before: the elements are wanted without their file. */
lun_status lun__desk_shut(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_desk_file *f = find(d, lun__bytes_take_i64(in));
    *answers = false;
    if (in->bad || !f)
        return lun__desk_strange(d, in);
    for (int i = 0; i < d->load_count;) {
        lun_desk_buffer *b = &d->buffers[d->loads[i].buffer];
        const lun_status s = d->loads[i].file == f->number ? lun__desk_ready(d, b) : LUN_OK;
        if (d->loads[i].file != f->number) {
            i++;
        } else if (s != LUN_OK) {
            lun__desk_spoil(d, &b->flaw, s);
            lun__desk_forget(d, b);
        } else {
            i = 0;
        }
    }
    close_file(d, f);
    return LUN_OK;
}

void lun__desk_close_files(lun_desk *d)
{
    while (d->file_count)
        close_file(d, &d->files[0]);
    free(d->files);
    free(d->loads);
}

/* ---- elements -------------------------------------------------------------------------------- */

lun_status lun__desk_load(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_bytes ahead = *in;
    lun_desk_load x = {.buffer = lun__bytes_take_i32(&ahead)};
    const lun_desk_buffer *b = lun__desk_buffer(d, in);
    x.offset = lun__bytes_take_i64(in);
    x.file = lun__bytes_take_i64(in);
    x.at = lun__bytes_take_within(in, 0, INT64_MAX);
    x.count = lun__bytes_take_within(in, 0, INT64_MAX / 8);
    x.form = (lun_infile_form){.bytes = (int)lun__bytes_take_u8(in)};
    const unsigned how = lun__bytes_take_u8(in);
    x.form.swapped = how & 1;
    x.form.truth = how & 2;
    x.form.step = lun__bytes_take_within(in, 1, INT64_MAX);
    *answers = false;
    const lun_desk_file *f = find(d, x.file);
    const int size = x.form.bytes;
    int64_t span;
    in->bad |=
        !f || how > 3 || (size != 1 && size != 2 && size != 4 && size != 8) || x.form.step < size;
    if (in->bad || x.at > f->is.size || !lun__infile_span(x.count, x.form, &span) ||
        span > f->is.size - x.at ||
        (b->flaw.status == LUN_OK && !lun__desk_fits(b, x.offset, x.count * size)))
        return lun__desk_strange(d, in);
    if (!lun__grow(&d->loads, d->load_count, &d->load_room, sizeof x))
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    d->loads[d->load_count++] = x;
    return LUN_OK;
}

void lun__desk_forget(lun_desk *d, const lun_desk_buffer *b)
{
    for (int i = 0; i < d->load_count;)
        if (d->loads[i].buffer == b - d->buffers)
            d->loads[i] = d->loads[--d->load_count];
        else
            i++;
}

/* A read, in the thread that has time for it. */
typedef struct reading {
    lun_desk *d;
    lun_desk_buffer *to;
    const lun_desk_load *x;
    const lun_desk_file *file;
    int failure; /* of the file */
} reading;

/* Pieces of elements into the buffer, by way of `between` where it is a device's. */
static lun_status read_pieces(reading *r, char *between, int64_t most)
{
    const lun_desk_load *x = r->x;
    lun_status s = LUN_OK;
    for (int64_t done = 0, some; s == LUN_OK && done < x->count; done += some) {
        const int64_t bytes = done * x->form.bytes;
        some = x->count - done < most ? x->count - done : most;
        char *to = between ? between : r->to->data + x->offset + bytes;
        r->failure = lun__infile_elements(r->file->descriptor, x->at + done * x->form.step, some,
                                          x->form, to);
        if (r->failure)
            s = LUN_EIO;
        else if (between)
            s = r->d->by->write(r->d->state, r->to->buffer, x->offset + bytes, between,
                                some * x->form.bytes, NULL);
        if (s == LUN_OK && r->d->stops && lun__backend_stop_requested(&r->d->own))
            s = LUN_ECANCEL;
    }
    return s;
}

static lun_status read_elements(void *ctx)
{
    reading *r = ctx;
    const int64_t most = LUN_MPI_PIECE / r->x->form.bytes;
    r->failure = lun__infile_check(r->file->descriptor, &r->file->is);
    if (r->failure)
        return LUN_EIO;
    char *between = r->to->buffer ? malloc(LUN_MPI_PIECE) : NULL;
    if (r->to->buffer && !between)
        return lun__desk_fail(r->d, LUN_ENOMEM, "out of memory");
    const lun_status s = read_pieces(r, between, most);
    free(between);
    return s;
}

/* Does what reads so many bytes of a file: many in another thread, while this one listens. */
static lun_status read_file(lun_desk *d, const lun_desk_file *f, int64_t bytes,
                            lun_hands_work *does, void *ctx, const int *failure)
{
    const int64_t few = 1 << 20;
    const lun_status s =
        bytes < few ? does(ctx) : lun__hands_do(&d->hands, does, ctx, d->listen, d->own.tick_ctx);
    if (s == LUN_ECANCEL)
        return lun__desk_fail(d, s, "interrupted");
    if (!*failure)
        return s;
    lun__strbuf_clear(d->own.error);
    if (*failure > 0) /* of this machine alone */
        lun__strbuf_printf(d->own.error, "rank %d: ", d->own.link->rank);
    lun__infile_say(d->own.error, f->name, f->descriptor, &f->is, *failure);
    return s;
}

static lun_status load(lun_desk *d, lun_desk_buffer *b, const lun_desk_load *x)
{
    reading r = {.d = d, .to = b, .x = x, .file = find(d, x->file)};
    return read_file(d, r.file, x->count * x->form.step, read_elements, &r, &r.failure);
}

lun_status lun__desk_ready(lun_desk *d, lun_desk_buffer *b)
{
    lun_status s = lun__desk_check(d, &b->flaw);
    for (int i = 0; s == LUN_OK && i < d->load_count;) {
        if (d->loads[i].buffer != b - d->buffers) {
            i++;
            continue;
        }
        s = load(d, b, &d->loads[i]);
        if (s == LUN_OK)
            d->loads[i] = d->loads[--d->load_count];
    }
    return s;
}

lun_status lun__desk_read_all(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_status s = LUN_OK;
    (void)in;
    *answers = true;
    d->stops = true;
    while (s == LUN_OK && d->load_count)
        s = lun__desk_ready(d, &d->buffers[d->loads[0].buffer]);
    return s;
}

/* ---- checksums ------------------------------------------------------------------------------- */

typedef struct summing {
    const lun_desk *d;
    const lun_desk_file *file;
    int64_t at, bytes;
    uint32_t crc;
    int failure;
} summing;

static lun_status find_crc(void *ctx)
{
    summing *x = ctx;
    x->failure = lun__infile_check(x->file->descriptor, &x->file->is);
    for (int64_t done = 0, some; !x->failure && done < x->bytes; done += some) {
        some = x->bytes - done < LUN_MPI_PIECE ? x->bytes - done : LUN_MPI_PIECE;
        x->failure = lun__infile_crc(x->file->descriptor, x->at + done, some, &x->crc);
        if (lun__backend_stop_requested(&x->d->own))
            return LUN_ECANCEL;
    }
    return x->failure ? LUN_EIO : LUN_OK;
}

lun_status lun__desk_crc(lun_desk *d, lun_bytes *in, bool *answers)
{
    summing x = {.d = d, .file = find(d, lun__bytes_take_i64(in))};
    x.at = lun__bytes_take_within(in, 0, INT64_MAX);
    x.bytes = lun__bytes_take_within(in, 0, INT64_MAX);
    *answers = true;
    d->stops = true;
    in->bad |= !x.file || x.at > x.file->is.size || x.bytes > x.file->is.size - x.at;
    if (in->bad)
        return lun__desk_strange(d, in);
    const lun_status s = read_file(d, x.file, x.bytes, find_crc, &x, &x.failure);
    lun__bytes_put_i64(&d->rest, x.crc);
    return s;
}
