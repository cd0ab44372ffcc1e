/* peers.c - elements from one rank that serves to another, as rank 0 tells both; see wire.h.  Knows
 * no kernel. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "mpi/desk.h"

/* The buffer, interval and other rank of a request. */
static lun_desk_buffer *take_part(lun_desk *d, lun_bytes *in, lun_desk_take *x)
{
    const lun_link *link = d->own.link;
    lun_bytes ahead = *in;
    x->buffer = lun__bytes_take_i32(&ahead);
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    x->offset = lun__bytes_take_within(in, 0, INT64_MAX);
    x->bytes = lun__bytes_take_within(in, 0, LUN_MPI_PIECE);
    x->from = lun__bytes_take_i32(in);
    in->bad |= x->from <= 0 || x->from >= link->size || x->from == link->rank;
    if (!in->bad && b->flaw.status == LUN_OK)
        in->bad = !lun__desk_fits(b, x->offset, x->bytes);
    return in->bad ? NULL : b;
}

/* ---- giving ---------------------------------------------------------------------------------- */

/* A failure of this rank, as another one tells of it. */
static void put_failure(lun_desk *d, lun_strbuf *out, lun_status s)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    if (s == LUN_ENOMEM || s == LUN_ELIMIT || s == LUN_EBACKEND)
        lun__strbuf_printf(&text, "rank %d: ", d->own.link->rank);
    lun__strbuf_puts(&text, lun__strbuf_text(d->own.error));
    lun__bytes_put_bytes(out, text.text, (int64_t)text.length);
    lun__strbuf_free(&text);
}

lun_status lun__desk_give(lun_desk *d, lun_bytes *in, bool *answers)
{
    const lun_link *link = d->own.link;
    lun_desk_take x;
    lun_strbuf out = LUN_STRBUF_INIT;
    lun_desk_buffer *b = take_part(d, in, &x);
    *answers = false;
    if (!b)
        return lun__desk_strange(d, in);
    bool met = false; /* what is to be given may not be here yet */
    for (int i = 0; i < d->take_count; i++) {
        const lun_desk_take *t = &d->takes[i];
        met |= t->buffer == x.buffer && t->offset < x.offset + x.bytes &&
               x.offset < t->offset + t->bytes;
    }
    lun_status s = met ? lun__desk_take_all(d) : LUN_OK;
    if (s != LUN_OK)
        return s;
    s = lun__desk_ready(d, b);
    void *elements = s == LUN_OK ? malloc((size_t)x.bytes + 1) : NULL;
    if (s == LUN_OK)
        s = elements ? lun__desk_read(d, b, x.offset, elements, x.bytes)
                     : lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    lun__bytes_put_i64(&out, s);
    if (s != LUN_OK)
        put_failure(d, &out, s);
    else
        lun__bytes_put_bytes(&out, elements, x.bytes);
    free(elements);
    s = out.failed ? lun__desk_fail(d, LUN_ENOMEM, "out of memory")
                   : link->send(link->ctx, x.from, out.text, (int64_t)out.length);
    d->own.stats->bytes_sent += s == LUN_OK ? x.bytes : 0;
    lun__strbuf_free(&out);
    return s;
}

/* ---- taking ---------------------------------------------------------------------------------- */

lun_status lun__desk_take(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_desk_take x;
    *answers = false;
    if (!take_part(d, in, &x))
        return lun__desk_strange(d, in);
    if (!lun__grow(&d->takes, d->take_count, &d->take_room, sizeof *d->takes))
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    d->takes[d->take_count++] = x;
    return LUN_OK;
}

/* A message with so many elements, or a failure. */
static lun_status read_given(lun_desk *d, lun_bytes in, const lun_desk_take *x)
{
    lun_desk_buffer *b = &d->buffers[x->buffer];
    int64_t count = 0;
    lun_status s = (lun_status)lun__bytes_take_within(&in, LUN_OK, LUN_EBOUNDS);
    const void *bytes = lun__bytes_take_bytes(&in, &count);
    if (!bytes || (s == LUN_OK && count != x->bytes)) {
        s = lun__desk_fail(d, LUN_EBACKEND, "");
        lun__strbuf_printf(d->own.error, "rank %d gives what makes no sense", x->from);
    } else if (s != LUN_OK) {
        lun__strbuf_clear(d->own.error);
        lun__strbuf_add(d->own.error, bytes, (size_t)count);
    }
    if (s == LUN_OK)
        return lun__desk_write(d, b, x->offset, bytes, count);
    lun__desk_spoil(d, &b->flaw, s);
    return s;
}

lun_status lun__desk_take_all(lun_desk *d)
{
    const lun_link *link = d->own.link;
    for (int i = 0; i < d->take_count; i++) {
        void *bytes = NULL;
        int64_t count = 0;
        const lun_desk_take *x = &d->takes[i];
        lun_status s = link->receive(link->ctx, x->from, &bytes, &count);
        if (s != LUN_OK)
            return s;
        (void)read_given(d, (lun_bytes){bytes, count, false}, x);
        free(bytes);
    }
    d->take_count = 0;
    return LUN_OK;
}
