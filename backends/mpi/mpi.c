/* mpi.c - the backend `mpi`: its devices are ranks that serve this one, which is the first of them;
 * see backend.h.  Kernels go there as IR, elements as bytes.  Knows no engine and no transport but
 * lun_link. */
#include "mpi/mpi.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpi/client.h"

static void free_state(lun_mpi *m)
{
    lun_mpi *before = m;
    while (before->next != m)
        before = before->next;
    before->next = m->next;
    lun__strbuf_free(&m->launched);
    lun__strbuf_free(&m->out);
    free(m->buffers.free);
    free(m->kernels.free);
    free(m->files);
    free(m->kept);
    free(m->fetches);
    free(m);
}

/* The first words with a rank: whether it speaks alike. */
static lun_status greet(lun_mpi *m)
{
    lun_mpi_answer a;
    lun__mpi_ask(m, LUN_MPI_GREET);
    lun__put_text(&m->out, LUN_MPI_HELLO);
    lun_status s = lun__mpi_hear(m, &a);
    if (s != LUN_OK)
        return s;
    bool nomem = false;
    m->multiplies = lun__take_u8(&a.rest);
    m->takes = lun__take_u8(&a.rest);
    m->turns = lun__take_u8(&a.rest);
    char *by = lun__take_text(&a.rest, &nomem);
    m->memory = lun__take_within(&a.rest, 0, INT64_MAX);
    m->units = lun__take_i32(&a.rest);
    if (a.rest.bad)
        s = lun__mpi_strange(m, &a);
    snprintf(m->by, sizeof m->by, "%s", by ? by : "");
    free(by);
    free(a.bytes);
    return s;
}

static lun_status mpi_open(const lun_services *services, int device, void **state)
{
    lun_mpi *m = calloc(1, sizeof *m);
    lun_status s = LUN_OK;
    if (!m) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "out of memory");
        return LUN_ENOMEM;
    }
    *m = (lun_mpi){.services = services, .rank = device - 1, .next = m};
    if (!services->link)
        s = lun__mpi_fail(
            m, LUN_EBACKEND,
            "no rank serves: start with mpirun -n 4 lunarray --backend mpi script.lua, "
            "or lunarray --ranks 4 --backend mpi script.lua");
    else if (m->rank >= services->link->size) {
        lun__strbuf_clear(services->error);
        lun__strbuf_printf(services->error, "there are %d ranks", services->link->size);
        s = LUN_EBACKEND;
    } else if (m->rank > 0) {
        s = greet(m);
    }
    if (s != LUN_OK) {
        free_state(m);
        return s;
    }
    *state = m;
    return LUN_OK;
}

/* All states of an engine are in one ring. */
static void mpi_meet(void *state, void *other)
{
    lun_mpi *m = state, *before = other;
    m->next = before->next;
    before->next = m;
}

static void mpi_close(void *state)
{
    lun_mpi *m = state;
    if (m->rank > 0)
        (void)lun__mpi_send(m);
    free_state(m);
}

static bool mpi_turns(void *state)
{
    const lun_mpi *m = state;
    return m->turns;
}

static int mpi_devices(void *state, lun_device *rows, int room)
{
    const lun_mpi *m = state;
    const int count = m->services->link->size;
    for (int k = 0; k < count && k < room; k++) {
        rows[k] = (lun_device){.size = sizeof *rows, .kind = "rank", .backend = "mpi"};
        snprintf(rows[k].name, sizeof rows[k].name, "rank %d", k);
    }
    for (const lun_mpi *x = m->next; x != m; x = x->next) /* those that have been greeted */
        if (x->rank > 0 && x->rank < room && *x->by) {
            snprintf(rows[x->rank].name, sizeof rows[0].name, "rank %d, %s", x->rank, x->by);
            rows[x->rank].memory = x->memory;
            rows[x->rank].units = x->units;
        }
    return count;
}

const lun_backend lun__backend_mpi = {
    .name = "mpi",
    .lines = true,
    .turns = mpi_turns,
    .ranks = true,
    .open = mpi_open,
    .close = mpi_close,
    .link_peer = mpi_meet,
    .finish = lun__mpi_finish,
    .count = lun__mpi_count,
    .build = lun__mpi_build,
    .release = lun__mpi_release,
    .prepare = lun__mpi_prepare,
    .run = lun__mpi_run,
    .submit = lun__mpi_submit,
    .advance = lun__mpi_advance,
    .collect = lun__mpi_collect,
    .combine = lun__mpi_combine,
    .product_room = lun__mpi_product_room,
    .product = lun__mpi_product,
    .takes = lun__mpi_takes,
    .begin_algorithm = lun__mpi_algorithm,
    .pad = lun__mpi_pad,
    .transfer = lun__mpi_transfer,
    .source = lun__mpi_source,
    .devices = mpi_devices,
    .buffer_new = lun__mpi_buffer_new,
    .buffer_free = lun__mpi_buffer_free,
    .upload = lun__mpi_upload,
    .download = lun__mpi_download,
    .fetch = lun__mpi_fetch,
    .fetched = lun__mpi_fetched,
    .copy = lun__mpi_copy,
    .load = lun__mpi_load,
    .unload = lun__mpi_unload,
    .loaded = lun__mpi_loaded,
    .crc = lun__mpi_crc,
    .crc_found = lun__mpi_crc_found,
    .store = lun__mpi_store,
    .stored = lun__mpi_stored,
    .settle = lun__mpi_settle,
    .serve = lun__mpi_serve,
};
