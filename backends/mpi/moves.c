/* moves.c - elements that a rank which serves moves in its own memory; see desk.h.  Knows no
 * kernel. */
#include <stdlib.h>
#include <string.h>

#include "mpi/desk.h"
#include "table/dtype.h"

static bool is_size(int bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static int64_t count_of(const int64_t *extent, int rank)
{
    int64_t n = 1;
    for (int k = 0; k < rank; k++)
        n *= extent[k];
    return n;
}

/* ---- padded arrays --------------------------------------------------------------------------- */

static void pad_on_host(const lun_padding *p, int bytes, const char *base, void *to)
{
    const int64_t n = count_of(p->extent, p->rank);
    const lun_layout all = lun__layout_right(1, &n);
    const lun_pad_box none = {.is = false};
    if (n)
        lun__pad_read(p, &all, &none, base, bytes, 0, n, to);
}

lun_status lun__desk_pad(lun_desk *d, lun_bytes *in, bool *answers)
{
    const lun_padding p = lun__bytes_take_padding(in);
    const int bytes = lun__bytes_take_i32(in);
    lun_desk_buffer *from = lun__desk_buffer(d, in);
    const int64_t origin = lun__bytes_take_i64(in);
    lun_desk_buffer *to = lun__desk_buffer(d, in);
    *answers = false;
    if (in->bad || !is_size(bytes) || from == to)
        return lun__desk_strange(d, in);
    lun_status s = lun__desk_ready(d, from);
    if (s == LUN_OK && !to->data && !to->buffer)
        return lun__desk_check(d, &to->flaw);
    if (s != LUN_OK)
        return lun__desk_done(d, to, s);
    const int64_t n = count_of(p.extent, p.rank), inner = count_of(p.inner, p.rank);
    if ((n && !lun__desk_reaches(to, 0, bytes, 0, n - 1)) ||
        (inner && !lun__desk_reaches(from, origin, bytes, 0, inner - 1)))
        return lun__desk_strange(d, in);
    if (to->buffer)
        s = lun__backend_work_do(
            d->by, d->state,
            &(lun_work){.kind = LUN_WORK_PAD,
                        .is.pad = {&p, bytes, from->buffer, origin, to->buffer}});
    else
        pad_on_host(&p, bytes, from->data + origin * bytes, to->data);
    return lun__desk_done(d, to, s);
}

/* ---- from places to places ------------------------------------------------------------------- */

static lun_status transfer_on_host(lun_desk *d, const lun_transfer *t, char *to, const char *from)
{
    enum { PIECE = 1 << 16 };
    const int64_t n = lun__layout_count(&t->at);
    char *piece = malloc((size_t)PIECE * (size_t)t->bytes);
    if (!piece)
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    for (int64_t i = 0; !from && i < PIECE; i++)
        memcpy(piece + i * t->bytes, &t->cell, (size_t)t->bytes);
    for (int64_t done = 0, some; done < n; done += some) {
        some = n - done < PIECE ? n - done : PIECE;
        if (from)
            lun__strided_read(&t->of, from, t->bytes, done, some, piece);
        lun__strided_write(&t->at, to, t->bytes, done, some, piece);
    }
    free(piece);
    return LUN_OK;
}

lun_status lun__desk_transfer(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_transfer t = {.bytes = lun__bytes_take_i32(in)};
    lun_desk_buffer *to = lun__desk_buffer(d, in), *from = NULL;
    lun_bytes ahead = *in;
    if (lun__bytes_take_i32(&ahead) >= 0)
        from = lun__desk_buffer(d, in);
    else
        *in = ahead;
    t.to_origin = lun__bytes_take_i64(in);
    t.from_origin = lun__bytes_take_i64(in);
    t.at = lun__bytes_take_layout(in);
    t.of = lun__bytes_take_layout(in);
    t.cell = (uint64_t)lun__bytes_take_i64(in);
    *answers = false;
    if (in->bad || !is_size(t.bytes) || from == to ||
        (from && lun__layout_count(&t.at) != lun__layout_count(&t.of)))
        return lun__desk_strange(d, in);
    lun_status s = lun__desk_ready(d, to); /* the rest of it stays */
    if (s == LUN_OK && from)
        s = lun__desk_ready(d, from);
    if (s != LUN_OK)
        return lun__desk_done(d, to, s);
    if (!lun__desk_layout_fits(to, t.to_origin, t.bytes, &t.at) ||
        (from && !lun__desk_layout_fits(from, t.from_origin, t.bytes, &t.of)))
        return lun__desk_strange(d, in);
    t.to = to->buffer;
    t.from = from ? from->buffer : NULL;
    const lun_work work = {.kind = LUN_WORK_TRANSFER, .is.transfer = &t};
    if (to->buffer)
        s = lun__backend_work_do(d->by, d->state, &work);
    else
        s = transfer_on_host(d, &t, to->data + t.to_origin * t.bytes,
                             from ? from->data + t.from_origin * t.bytes : NULL);
    return lun__desk_done(d, to, s);
}
