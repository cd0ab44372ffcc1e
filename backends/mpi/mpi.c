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
    lun__bytes_put_text(&m->out, LUN_MPI_HELLO);
    lun__bytes_put_text(&m->out, m->services->bits);
    lun_status s = lun__mpi_hear(m, &a);
    if (s != LUN_OK)
        return s;
    bool nomem = false;
    m->multiplies = lun__bytes_take_u8(&a.rest);
    m->takes = lun__bytes_take_u8(&a.rest);
    m->turns = lun__bytes_take_u8(&a.rest);
    char *by = lun__bytes_take_text(&a.rest, &nomem);
    m->memory = lun__bytes_take_within(&a.rest, 0, INT64_MAX);
    m->units = lun__bytes_take_i32(&a.rest);
    if (a.rest.bad)
        s = lun__mpi_strange(m, &a);
    snprintf(m->by, sizeof m->by, "%s", by ? by : "");
    free(by);
    free(a.bytes);
    return s;
}

/* What its rank can do, and that several work at once. */
static lun_abilities abilities(const lun_mpi *m)
{
    return (lun_abilities){.segments = true, .turns = m->turns, .parts = true, .counts_late = true};
}

/* All states of an engine are in one ring. */
static void join_ring(lun_mpi *m, lun_mpi *before)
{
    m->next = before->next;
    before->next = m;
}

static lun_status mpi_open(const lun_services *services, const lun_opening *how, void **state,
                           lun_abilities *out)
{
    lun_mpi *m = calloc(1, sizeof *m);
    lun_status s = LUN_OK;
    if (!m) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "out of memory");
        return LUN_ENOMEM;
    }
    *m = (lun_mpi){.services = services, .rank = how->device - 1, .next = m};
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
    if (how->with)
        join_ring(m, how->with);
    *out = abilities(m);
    *state = m;
    return LUN_OK;
}

static void mpi_close(void *state)
{
    lun_mpi *m = state;
    if (m->rank > 0)
        (void)lun__mpi_send(m);
    free_state(m);
}

static int mpi_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    const lun_mpi *m = state;
    if (!m)
        return 0;
    const int count = services->link->size;
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

/* ---- work ------------------------------------------------------------------------------------ */

static bool mpi_takes(void *state, const lun_work *w, int64_t *scratch)
{
    const lun_mpi *m = state;
    const unsigned always = 1 << LUN_WORK_LAUNCH | 1 << LUN_WORK_COMBINE | 1 << LUN_WORK_PAD |
                            1 << LUN_WORK_TRANSFER | (unsigned)m->multiplies << LUN_WORK_PRODUCT;
    *scratch = 0;
    return w->kind == LUN_WORK_ALGORITHM ? m->takes && lun__mpi_takes(w->is.algorithm->which)
                                         : always >> w->kind & 1;
}

static lun_status mpi_begin(void *state, const lun_work *w, lun_work_mark *mark)
{
    lun_mpi *m = state;
    switch (w->kind) {
    case LUN_WORK_LAUNCH:
        return lun__mpi_submit(m, w->is.run.kernel, w->is.run.launch, mark);
    case LUN_WORK_COMBINE:
        return lun__mpi_combine(m, &w->is.run);
    case LUN_WORK_PRODUCT:
        return lun__mpi_product(m, w->is.product, mark);
    case LUN_WORK_ALGORITHM:
        return lun__mpi_algorithm(m, w->is.algorithm, mark);
    case LUN_WORK_PAD:
        return lun__mpi_pad(m, &w->is.pad);
    case LUN_WORK_TRANSFER:
        return lun__mpi_transfer(m, w->is.transfer);
    default:
        return lun__mpi_fail(m, LUN_EBACKEND, "internal: a rank does no such work");
    }
}

static lun_status mpi_wait(void *state, lun_work_mark mark, lun_wait_how how, bool *ended)
{
    lun_mpi *m = state;
    if (how == LUN_WAIT_GIVE) {
        *ended = true;
        return lun__mpi_sets_out(m) ? lun__mpi_send(m) : LUN_OK;
    }
    if (how == LUN_WAIT_ALL)
        return lun__mpi_count(m);
    const lun_status fetched = m->fetching <= mark ? lun__mpi_fetched(m) : LUN_OK;
    const lun_status done = m->working <= mark ? lun__mpi_end(m) : LUN_OK;
    return fetched == LUN_OK ? done : fetched;
}

static const lun_remote remote = {
    .serve = lun__mpi_serve,
    .load = lun__mpi_load,
    .unload = lun__mpi_unload,
    .loaded = lun__mpi_loaded,
    .crc = lun__mpi_crc,
    .crc_found = lun__mpi_crc_found,
    .store = lun__mpi_store,
    .stored = lun__mpi_stored,
};

const lun_backend lun__backend_mpi = {
    .name = "mpi",
    .remote = &remote,
    .devices = mpi_devices,
    .open = mpi_open,
    .close = mpi_close,
    .build = lun__mpi_build,
    .release = lun__mpi_release,
    .prepare = lun__mpi_prepare,
    .source = lun__mpi_source,
    .takes = mpi_takes,
    .begin = mpi_begin,
    .wait = mpi_wait,
    .buffer_new = lun__mpi_buffer_new,
    .buffer_free = lun__mpi_buffer_free,
    .write = lun__mpi_write,
    .read = lun__mpi_read,
    .copy = lun__mpi_copy,
};
