/* memory.c - elements in the memory of a rank that serves: to it, from it, from there to another
 * one, and moved within it; see client.h.  Knows no kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/clock.h"
#include "base/grow.h"
#include "mpi/client.h"

/* Bytes of elements that are sent at most without hearing of the rank. */
static const int64_t UNHEARD = 1 << 26;

lun_status lun__mpi_buffer_new(void *state, int64_t bytes, lun_buffer **out)
{
    lun_mpi *m = state;
    lun_buffer *b = malloc(sizeof *b);
    if (!lun__account_take_elements(m->services->account, bytes)) {
        free(b);
        return lun__mpi_fail(m, LUN_ELIMIT, "memory limit reached by elements of a rank");
    }
    const int32_t number = b ? lun__mpi_number(&m->buffers) : -1;
    if (number < 0) {
        lun__account_give_elements(m->services->account, bytes);
        free(b);
        return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    }
    *b = (lun_buffer){.number = number, .bytes = bytes};
    lun__mpi_ask_early(m, LUN_MPI_NEW, NULL);
    lun__bytes_put_i32(&m->out, number);
    lun__bytes_put_i64(&m->out, bytes);
    /* of much memory it is known at once whether there is so much: the engine gives up some */
    lun_status s = bytes < UNHEARD ? lun__mpi_asked(m) : lun__mpi_finish(m);
    if (s == LUN_OK)
        *out = b;
    else
        lun__mpi_buffer_free(m, b);
    return s;
}

void lun__mpi_buffer_free(void *state, lun_buffer *b)
{
    lun_mpi *m = state;
    if (!b)
        return;
    lun__account_give_elements(m->services->account, b->bytes);
    lun__mpi_ask(m, LUN_MPI_FREE);
    lun__bytes_put_i32(&m->out, b->number);
    (void)lun__mpi_asked(m);
    lun__mpi_number_free(&m->buffers, b->number);
    free(b);
}

lun_status lun__mpi_finish(lun_mpi *m)
{
    lun__mpi_ask(m, LUN_MPI_FINISH);
    return lun__mpi_hear_status(m);
}

/* Tools see a transfer. */
static void event(const lun_mpi *m, bool begins, const char *way, int64_t bytes)
{
    char place[32];
    snprintf(place, sizeof place, "mpi:%d", m->rank + 1);
    lun__backend_event(
        m->services, begins,
        (lun_tool_event){
            .kind = LUN_TOOL_COPY, .name = "copy", .label = way, .place = place, .bytes = bytes});
}

lun_status lun__mpi_write(void *state, lun_buffer *to, int64_t offset, const void *host,
                          int64_t bytes, lun_work_mark *mark)
{
    lun_mpi *m = state;
    (void)mark; /* they are copied at once */
    event(m, true, "to device", bytes);
    const double start = lun__clock_now();
    lun_status s = LUN_OK;
    for (int64_t done = 0; s == LUN_OK && done < bytes; done += LUN_MPI_PIECE) {
        const int64_t left = bytes - done, some = left < LUN_MPI_PIECE ? left : LUN_MPI_PIECE;
        lun__mpi_ask(m, LUN_MPI_UPLOAD);
        lun__bytes_put_i32(&m->out, to->number);
        lun__bytes_put_i64(&m->out, offset + done);
        lun__bytes_put_bytes(&m->out, (const char *)host + done, some);
        m->brings = true;
        m->unheard += some;
        s = m->unheard < UNHEARD ? lun__mpi_asked(m) : lun__mpi_finish(m);
    }
    m->services->stats->transfer_time += lun__clock_now() - start;
    event(m, false, "to device", bytes);
    if (s == LUN_OK) {
        m->services->stats->bytes_to_device += bytes;
        m->services->stats->bytes_sent += bytes;
    }
    return s;
}

static lun_status download(lun_mpi *m, lun_buffer *from, int64_t offset, void *host, int64_t bytes)
{
    event(m, true, "to host", bytes);
    const double start = lun__clock_now();
    lun_status s = LUN_OK;
    for (int64_t done = 0; s == LUN_OK && done < bytes; done += LUN_MPI_PIECE) {
        const int64_t left = bytes - done, some = left < LUN_MPI_PIECE ? left : LUN_MPI_PIECE;
        lun_mpi_answer a;
        int64_t count;
        lun__mpi_ask_early(m, LUN_MPI_DOWNLOAD, from);
        lun__bytes_put_i32(&m->out, from->number);
        lun__bytes_put_i64(&m->out, offset + done);
        lun__bytes_put_i64(&m->out, some);
        s = lun__mpi_hear(m, &a);
        if (s != LUN_OK)
            break;
        const void *elements = lun__bytes_take_bytes(&a.rest, &count);
        if (!elements || count != some) {
            s = lun__mpi_strange(m, &a);
            break;
        }
        memcpy((char *)host + done, elements, (size_t)some);
        free(a.bytes);
    }
    m->services->stats->transfer_time += lun__clock_now() - start;
    event(m, false, "to host", bytes);
    if (s == LUN_OK)
        m->services->stats->bytes_to_host += bytes;
    return s;
}

lun_status lun__mpi_read(void *state, lun_buffer *from, int64_t offset, void *host, int64_t bytes,
                         lun_work_mark *mark)
{
    lun_mpi *m = state;
    if (!mark || m->under_way || m->launch || m->algorithm || m->product) /* which answer first */
        return download(m, from, offset, host, bytes);
    for (int64_t done = 0; done < bytes; done += LUN_MPI_PIECE) {
        const int64_t left = bytes - done, some = left < LUN_MPI_PIECE ? left : LUN_MPI_PIECE;
        if (!lun__grow(&m->fetches, m->fetch_count, &m->fetch_room, sizeof *m->fetches))
            return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
        m->fetches[m->fetch_count++] = (lun_mpi_fetch){(char *)host + done, some};
        lun__mpi_ask(m, LUN_MPI_DOWNLOAD);
        lun__bytes_put_i32(&m->out, from->number);
        lun__bytes_put_i64(&m->out, offset + done);
        lun__bytes_put_i64(&m->out, some);
        m->awaited = true;
    }
    m->services->stats->bytes_to_host += bytes;
    *mark = m->fetching = ++m->marked;
    return LUN_OK;
}

lun_status lun__mpi_fetched(lun_mpi *m)
{
    const double start = lun__clock_now();
    if (!m->fetch_count && m->fetch_failed == LUN_OK)
        return LUN_OK;
    event(m, true, "to host", 0);
    if (m->fetch_count && m->out.length + m->launched.length)
        (void)lun__mpi_send(m); /* which may fail for another rank */
    if (m->unsent != LUN_OK) {
        m->fetch_count = 0;
        m->fetch_failed = lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
        m->unsent = m->under_way ? m->unsent : LUN_OK;
    }
    lun__mpi_take_fetched(m);
    m->services->stats->transfer_time += lun__clock_now() - start;
    event(m, false, "to host", 0);
    const lun_status s = m->fetch_failed;
    m->fetch_failed = LUN_OK;
    return s;
}

static void put_part(lun_mpi *m, const lun_buffer *b, int64_t offset, int64_t bytes, int other)
{
    lun__bytes_put_i32(&m->out, b->number);
    lun__bytes_put_i64(&m->out, offset);
    lun__bytes_put_i64(&m->out, bytes);
    lun__bytes_put_i32(&m->out, other);
}

lun_status lun__mpi_copy(void *state, lun_buffer *to, int64_t to_offset, void *other,
                         lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done)
{
    lun_mpi *taker = state, *giver = other;
    lun_status s = LUN_OK;
    for (int64_t at = 0; s == LUN_OK && at < bytes; at += LUN_MPI_PIECE) {
        const int64_t left = bytes - at, some = left < LUN_MPI_PIECE ? left : LUN_MPI_PIECE;
        lun__mpi_ask_early(giver, LUN_MPI_GIVE, from);
        put_part(giver, from, from_offset + at, some, taker->rank);
        giver->awaited = true;
        lun__mpi_ask(taker, LUN_MPI_TAKE);
        put_part(taker, to, to_offset + at, some, giver->rank);
        taker->unheard += some;
        s = taker->unheard < UNHEARD ? lun__mpi_asked(taker) : lun__mpi_finish(taker);
        if (s == LUN_OK)
            s = lun__mpi_asked(giver);
    }
    *done = true;
    return s;
}

/* ---- moved there ----------------------------------------------------------------------------- */

lun_status lun__mpi_pad(lun_mpi *m, const lun_work_pad *w)
{
    if (m->launch || m->algorithm || m->product)
        lun__mpi_join_launch(m);
    lun__bytes_put_u8(&m->launched, LUN_MPI_PAD);
    lun__bytes_put_padding(&m->launched, w->pad);
    lun__bytes_put_i32(&m->launched, w->bytes);
    lun__bytes_put_i32(&m->launched, w->from->number);
    lun__bytes_put_i64(&m->launched, w->origin);
    lun__bytes_put_i32(&m->launched, w->to->number);
    w->to->padded = true;
    return LUN_OK;
}

lun_status lun__mpi_transfer(lun_mpi *m, const lun_transfer *t)
{
    lun__mpi_ask(m, LUN_MPI_TRANSFER);
    lun__bytes_put_i32(&m->out, t->bytes);
    lun__bytes_put_i32(&m->out, t->to->number);
    lun__bytes_put_i32(&m->out, t->from ? t->from->number : -1);
    lun__bytes_put_i64(&m->out, t->to_origin);
    lun__bytes_put_i64(&m->out, t->from_origin);
    lun__bytes_put_layout(&m->out, &t->at);
    lun__bytes_put_layout(&m->out, t->from ? &t->of : &t->at);
    lun__bytes_put_i64(&m->out, (int64_t)t->cell);
    return lun__mpi_asked(m);
}
