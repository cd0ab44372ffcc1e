/* serve.c - a rank that serves: takes the messages of rank 0 and answers them, until rank 0 has
 * ended; see wire.h.  Knows no request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "mpi/counts.h"
#include "mpi/desk.h"
#include "mpi/mpi.h"

/* The device by which it computes, if it is told of. */
static lun_device device_of(const lun_desk *d)
{
    enum { MOST = 64 };
    const int k = d->device ? d->device - 1 : 0;
    lun_device *all = calloc(MOST, sizeof *all), own = {.size = sizeof own};
    if (all && k < d->by->devices(&d->own, d->state, all, MOST) && k < MOST)
        own = all[k];
    free(all);
    return own;
}

static lun_status greet(lun_desk *d, lun_bytes *in, bool *answers)
{
    bool nomem = false;
    char *text = lun__bytes_take_text(in, &nomem), *bits = lun__bytes_take_text(in, &nomem);
    lun_status s = LUN_OK;
    *answers = true;
    if (in->bad) {
        free(text);
        free(bits);
        return lun__desk_strange(d, in);
    }
    if (!text || strcmp(text, LUN_MPI_HELLO)) {
        s = lun__desk_fail(d, LUN_EBACKEND, "another version of the library serves there: ");
        lun__strbuf_puts(d->own.error, LUN_MPI_HELLO);
    } else if (!bits || strcmp(bits, d->own.bits)) {
        s = lun__desk_fail(d, LUN_EBACKEND, "ranks differ: bits ");
        lun__strbuf_printf(d->own.error, "%s and %s", bits ? bits : "", d->own.bits);
    } else {
        lun__bytes_put_u8(&d->rest, !d->by->buffer_new); /* it multiplies matrices, */
        lun__bytes_put_u8(&d->rest, !d->by->buffer_new); /* does algorithms, */
        lun__bytes_put_u8(&d->rest,
                          !d->by->buffer_new && d->can.segments); /* and launches with turns */
        lun__bytes_put_text(&d->rest, d->name);
        const lun_device own = device_of(d);
        lun__bytes_put_i64(&d->rest, own.memory);
        lun__bytes_put_i32(&d->rest, own.units);
    }
    free(text);
    free(bits);
    return s;
}

/* Its answer has the counters, as all answers do. */
static lun_status finish(lun_desk *d, lun_bytes *in, bool *answers)
{
    (void)in;
    *answers = true;
    return d->by->wait(d->state, 0, LUN_WAIT_ALL, NULL);
}

/* What does each request, and whether it could not meet elements that other ranks give. */
static const struct {
    lun_desk_fn *does;
    bool apart;
} requests[LUN_MPI_WORDS] = {
    [LUN_MPI_GREET] = {greet, false},
    [LUN_MPI_NEW] = {lun__desk_new, true},
    [LUN_MPI_FREE] = {lun__desk_free, false},
    [LUN_MPI_UPLOAD] = {lun__desk_upload, false},
    [LUN_MPI_DOWNLOAD] = {lun__desk_download, false},
    [LUN_MPI_BUILD] = {lun__desk_build, true},
    [LUN_MPI_RELEASE] = {lun__desk_release, false},
    [LUN_MPI_PREPARE] = {lun__desk_prepare, false},
    [LUN_MPI_RUN] = {lun__desk_run, false},
    [LUN_MPI_COMBINE] = {lun__desk_combine, false},
    [LUN_MPI_PAD] = {lun__desk_pad, false},
    [LUN_MPI_TRANSFER] = {lun__desk_transfer, false},
    [LUN_MPI_ALGORITHM] = {lun__desk_algorithm, false},
    [LUN_MPI_PRODUCT] = {lun__desk_product, false},
    [LUN_MPI_FINISH] = {finish, false},
    [LUN_MPI_COUNT] = {finish, false},
    [LUN_MPI_SOURCE] = {lun__desk_source, false},
    [LUN_MPI_GIVE] = {lun__desk_give, true},
    [LUN_MPI_TAKE] = {lun__desk_take, true},
    [LUN_MPI_OPEN] = {lun__desk_open, true},
    [LUN_MPI_LOAD] = {lun__desk_load, true},
    [LUN_MPI_CLOSE] = {lun__desk_shut, false},
    [LUN_MPI_READ] = {lun__desk_read_all, false},
    [LUN_MPI_CRC] = {lun__desk_crc, true},
    [LUN_MPI_STORE] = {lun__desk_store, false},
};

static lun_status answer(lun_desk *d, lun_status s)
{
    const lun_link *link = d->own.link;
    lun_strbuf out = LUN_STRBUF_INIT;
    const char *text = s == LUN_OK ? "" : lun__strbuf_text(d->own.error);
    if (s == LUN_OK && d->rest.failed) {
        s = LUN_ENOMEM;
        text = "out of memory";
    }
    lun__bytes_put_i64(&out, s);
    lun__bytes_put_i32(&out, d->trap);
    lun__bytes_put_i64(&out, d->trap_value);
    lun__bytes_put_bytes(&out, text, (int64_t)strlen(text));
    lun__mpi_put_counts(&out, d->own.stats, &d->told);
    if (s == LUN_OK && d->rest.length)
        lun__strbuf_add(&out, d->rest.text, d->rest.length);
    s = out.failed ? lun__desk_fail(d, LUN_ENOMEM, "out of memory")
                   : link->send(link->ctx, 0, out.text, (int64_t)out.length);
    lun__strbuf_free(&out);
    return s;
}

/* A message: fails where it makes no sense, or no answer can be given. */
static lun_status hear(lun_desk *d, lun_bytes in)
{
    lun_status s = LUN_OK;
    while (s == LUN_OK && in.left > 0) {
        const unsigned word = lun__bytes_take_u8(&in);
        bool answers = false;
        if (word >= LUN_MPI_WORDS)
            return lun__desk_strange(d, &in);
        lun__strbuf_clear(&d->rest);
        d->trap = -1;
        d->trap_value = 0;
        d->stops = false;
        s = requests[word].apart ? LUN_OK : lun__desk_take_all(d);
        if (s != LUN_OK)
            return s;
        lun_status done = requests[word].does(d, &in, &answers);
        if (in.bad)
            return done;
        s = answers ? answer(d, done) : LUN_OK;
    }
    return s;
}

lun_status lun__mpi_serve(const lun_services *services, const lun_backend *by, int device)
{
    lun_desk d = {.own = *services, .by = by, .device = device, .listen = services->tick};
    snprintf(d.name, sizeof d.name, device ? "%.20s:%d" : "%.20s", by->name, device);
    d.own.tick = NULL;
    const lun_link *link = services->link;
    lun_status s = by->open(&d.own, &(lun_opening){.device = device}, &d.state, &d.can);
    if (s != LUN_OK)
        return s;
    lun__hands_open(&d.hands);
    while (s == LUN_OK) {
        void *bytes = NULL;
        int64_t count = 0;
        s = link->receive(link->ctx, 0, &bytes, &count);
        if (s != LUN_OK || !bytes)
            break;
        s = hear(&d, (lun_bytes){bytes, count, false});
        free(bytes);
    }
    lun__hands_close(&d.hands);
    lun__desk_close(&d);
    by->close(d.state);
    return s;
}
