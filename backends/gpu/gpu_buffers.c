/* gpu_buffers.c - buffers on a device, the pool of freed ones, and transfers; see gpu_state.h.
 *
 * Buffers come in size classes, four to an octave, so that a freed one fits the next of about
 * its size.  The queue is in order: a buffer that kernels under way still use may be given out
 * again at once.  Knows no kernel.
 *
 * Invariant: a buffer is either in use or once in the list spare[size_class]; live_bytes and
 * spare_bytes are the sums of `bytes` of the ones and of the others. The memory account counts
 * buffers in use only. A buffer of class -1 is never pooled. LUN_CL_SLACK bytes are allocated
 * behind each. */
#include <stdlib.h>

#include "base/account.h"
#include "gpu/gpu_state.h"

enum {
    OF_LIMIT = 8,      /* freed buffers are at most this part of a memory limit */
    LEAST_SHIFT = 8,   /* the smallest class: 256 bytes */
    LEAST_CELLS = 1024 /* enough for small kernels, so that memory of launches seldom grows */
};

static int64_t class_bytes(int c)
{
    return (int64_t)(4 + c % 4) << (c / 4 + LEAST_SHIFT - 2);
}

/* The smallest class that holds so many bytes, -1: none. */
static int class_of(int64_t bytes)
{
    int c = 0;
    while (c < LUN_GPU_CLASSES && class_bytes(c) < bytes)
        c++;
    return c < LUN_GPU_CLASSES ? c : -1;
}

/* Within a memory limit at most a part of that. */
static int64_t spare_limit(const lun_gpu *g)
{
    const lun_account *a = g->services->account;
    const int64_t most = g->device.memory / (g->device.kind == LUN_GPU_PROCESSOR ? 8 : 4);
    return a && a->limit && most > a->limit / OF_LIMIT ? a->limit / OF_LIMIT : most;
}

/* What is freed must make room, within a memory limit, for what is in use. */
static lun_status count(lun_gpu *g, int64_t bytes)
{
    const lun_account *a = g->services->account;
    if (!lun__account_take_elements(g->services->account, bytes))
        return lun__gpu_state_fail(
            g, LUN_ELIMIT, "memory limit reached: %lld bytes of a device, %lld of %lld in use",
            (long long)bytes, (long long)lun__account_used(a), (long long)a->limit);
    return LUN_OK;
}

static bool leaves_no_room(const lun_gpu *g)
{
    const lun_account *a = g->services->account;
    return a && a->limit && g->spare_bytes > a->limit - lun__account_used(a);
}

static void release(lun_gpu *g, lun_buffer *b)
{
    g->live_bytes -= b->bytes;
    lun__gpu_overlap_forget(g, b);
    if (lun__gpu_state_may_release(g))
        g->driver->free(g->queue, b->memory);
    free(b);
}

void lun__gpu_buffer_trim(lun_gpu *g)
{
    for (int c = 0; c < LUN_GPU_CLASSES; c++)
        for (lun_buffer *b = g->spare[c], *next; b; b = next) {
            next = b->next;
            g->live_bytes += b->bytes;
            release(g, b);
        }
    for (int c = 0; c < LUN_GPU_CLASSES; c++)
        g->spare[c] = NULL;
    g->spare_bytes = 0;
}

/* The slack behind the elements is what kernels in vectors may read. */
static lun_status allocate(lun_gpu *g, int64_t bytes, void **memory)
{
    lun_gpu_answer answer = g->driver->allocate(g->queue, bytes + LUN_CL_SLACK, memory);
    if (answer != LUN_GPU_OK && g->spare_bytes) {
        lun__gpu_buffer_trim(g);
        answer = g->driver->allocate(g->queue, bytes + LUN_CL_SLACK, memory);
    }
    return lun__gpu_state_check(g, answer);
}

static lun_status too_large(lun_gpu *g, int64_t bytes)
{
    return lun__gpu_state_fail(
        g, LUN_ELIMIT,
        "an array of %lld bytes exceeds the largest allocation of %s (%lld bytes "
        "of its %lld): work on parts of it, or use backend openmp",
        (long long)bytes, g->device.name, (long long)g->device.most_bytes,
        (long long)g->device.memory);
}

static void allocation_event(const lun_gpu *g, bool begins, const lun_buffer *b)
{
    lun__backend_event(g->services, begins,
                       (lun_tool_event){.kind = LUN_TOOL_ALLOCATION,
                                        .name = "buffer",
                                        .place = g->device.name,
                                        .id = (uint64_t)(uintptr_t)b,
                                        .bytes = b->bytes});
}

static lun_status make(lun_gpu *g, int64_t bytes, lun_buffer **out)
{
    lun_status s = lun__gpu_state_ready(g);
    if (s != LUN_OK)
        return s;
    int64_t most = g->device.most_bytes - LUN_CL_SLACK;
    if (bytes < 0 || bytes > most)
        return too_large(g, bytes);
    int c = class_of(bytes);
    int64_t whole = c >= 0 ? class_bytes(c) : bytes;
    if (whole > most) {
        c = -1;
        whole = bytes;
    }
    s = count(g, whole);
    if (s != LUN_OK)
        return s;
    if (c >= 0 && g->spare[c] && g->pooled) {
        *out = g->spare[c];
        g->spare[c] = (*out)->next;
        g->spare_bytes -= whole;
        g->live_bytes += whole;
        return LUN_OK;
    }
    /* drivers that find memory on first use would fail then, where nothing can be given back */
    if (leaves_no_room(g) || g->live_bytes + g->spare_bytes > g->device.memory / 8 * 7 - whole)
        lun__gpu_buffer_trim(g);
    lun_buffer *b = calloc(1, sizeof *b);
    s = b ? allocate(g, whole, &b->memory) : lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    if (s != LUN_OK) {
        lun__account_give_elements(g->services->account, whole);
        free(b);
        return s;
    }
    b->bytes = whole;
    b->size_class = c;
    g->live_bytes += whole;
    *out = b;
    return LUN_OK;
}

lun_status lun__gpu_buffer_new(void *state, int64_t bytes, lun_buffer **out)
{
    const lun_status s = make(state, bytes, out);
    if (s == LUN_OK)
        allocation_event(state, true, *out);
    return s;
}

/* Memory of the host's goes back to the driver when it is freed: there is less of it. */
static lun_status make_on_host(lun_gpu *g, int64_t bytes, bool shared, lun_buffer **out)
{
    lun_status s = lun__gpu_state_ready(g);
    if (s != LUN_OK)
        return s;
    if (shared && !g->device.unified)
        return lun__gpu_state_fail(g, LUN_EBACKEND,
                                   "%s has memory of its own and shares none with the host: "
                                   "\"pinned\" is memory of the host that it reaches",
                                   g->device.name);
    if (bytes < 0 || bytes > g->device.most_bytes - LUN_CL_SLACK)
        return too_large(g, bytes);
    s = count(g, bytes);
    if (s != LUN_OK)
        return s;
    lun_buffer *b = calloc(1, sizeof *b);
    s = b ? lun__gpu_state_check(
                g, g->driver->allocate_host(g->queue, bytes + LUN_CL_SLACK, &b->memory))
          : lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    if (s != LUN_OK) {
        lun__account_give_elements(g->services->account, bytes);
        free(b);
        return s;
    }
    b->bytes = bytes;
    b->size_class = -1;
    g->live_bytes += bytes;
    *out = b;
    return LUN_OK;
}

lun_status lun__gpu_buffer_host(void *state, int64_t bytes, bool shared, lun_buffer **out)
{
    const lun_status s = make_on_host(state, bytes, shared, out);
    if (s == LUN_OK)
        allocation_event(state, true, *out);
    return s;
}

void lun__gpu_buffer_free(void *state, lun_buffer *b)
{
    lun_gpu *g = state;
    if (!b)
        return;
    allocation_event(g, false, b);
    lun__account_give_elements(g->services->account, b->bytes);
    if (b->size_class < 0 || g->lost || b->bytes > spare_limit(g) - g->spare_bytes) {
        release(g, b);
        return;
    }
    b->next = g->spare[b->size_class];
    g->spare[b->size_class] = b;
    g->spare_bytes += b->bytes;
    g->live_bytes -= b->bytes;
}

lun_status lun__gpu_buffer_cells(lun_gpu *g, void **memory, int64_t *room, int64_t cells)
{
    int64_t most = g->device.most_bytes / 8 - LUN_CL_SLACK / 8;
    if (cells <= *room)
        return LUN_OK;
    if (cells > most)
        return too_large(g, cells > INT64_MAX / 8 ? INT64_MAX : cells * 8);
    if (*memory)
        g->driver->free(g->queue, *memory);
    *memory = NULL;
    *room = 0;
    int64_t wanted = cells < most / 2 ? 2 * cells : cells;
    wanted = wanted < LEAST_CELLS && LEAST_CELLS < most ? LEAST_CELLS : wanted;
    lun_status s = allocate(g, wanted * 8, memory);
    if (s == LUN_OK)
        *room = wanted;
    return s;
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* Everything before has ended, also transfers of the buffer, so that the transfer itself takes no
 * longer than its bytes need. */
static lun_status prepare(lun_gpu *g, lun_buffer *b)
{
    const lun_tool_event ev = {.kind = LUN_TOOL_KERNEL, .name = "wait", .place = g->device.name};
    lun__backend_event(g->services, true, ev);
    int64_t start = lun__gpu_state_now();
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = lun__gpu_batch_wait(g, 0);
    if (s == LUN_OK)
        s = lun__gpu_overlap_wait(g, b);
    g->services->stats->run_time += 1e-9 * (double)(lun__gpu_state_now() - start);
    lun__backend_event(g->services, false, ev);
    return s;
}

lun_status lun__gpu_buffer_finish(lun_gpu *g)
{
    return prepare(g, NULL);
}

static lun_tool_event copy_event(const lun_gpu *g, const char *way, int64_t bytes)
{
    return (lun_tool_event){.kind = LUN_TOOL_COPY,
                            .name = "copy",
                            .label = way,
                            .place = g->device.name,
                            .bytes = bytes};
}

lun_status lun__gpu_buffer_write(void *state, lun_buffer *to, int64_t offset, const void *host,
                                 int64_t bytes, lun_work_mark *mark)
{
    lun_gpu *g = state;
    if (mark)
        return lun__gpu_overlap_send(g, to, offset, host, bytes, mark);
    lun_status s = prepare(g, to);
    if (s != LUN_OK || !bytes)
        return s;
    if (bytes < 0 || offset < 0 || offset > to->bytes - bytes)
        return lun__gpu_state_fail(g, LUN_ERANGE,
                                   "%lld bytes at %lld do not fit into a buffer of %lld",
                                   (long long)bytes, (long long)offset, (long long)to->bytes);
    const lun_tool_event ev = copy_event(g, "to device", bytes);
    lun__backend_event(g->services, true, ev);
    int64_t start = lun__gpu_state_now();
    s = lun__gpu_state_check(g, g->driver->write(g->queue, to->memory, offset, host, bytes, true));
    g->services->stats->transfer_time += 1e-9 * (double)(lun__gpu_state_now() - start);
    lun__backend_event(g->services, false, ev);
    if (s == LUN_OK)
        g->services->stats->bytes_to_device += bytes;
    return s;
}

lun_status lun__gpu_buffer_read(void *state, lun_buffer *from, int64_t offset, void *host,
                                int64_t bytes, lun_work_mark *mark)
{
    lun_gpu *g = state;
    (void)mark; /* what is read is there */
    lun_status s = prepare(g, from);
    if (s != LUN_OK || !bytes)
        return s;
    if (bytes < 0 || offset < 0 || offset > from->bytes - bytes)
        return lun__gpu_state_fail(g, LUN_ERANGE, "%lld bytes at %lld are not in a buffer of %lld",
                                   (long long)bytes, (long long)offset, (long long)from->bytes);
    const lun_tool_event ev = copy_event(g, "to host", bytes);
    lun__backend_event(g->services, true, ev);
    int64_t start = lun__gpu_state_now();
    s = lun__gpu_state_check(g, g->driver->read(g->queue, from->memory, offset, host, bytes));
    g->services->stats->transfer_time += 1e-9 * (double)(lun__gpu_state_now() - start);
    lun__backend_event(g->services, false, ev);
    if (s == LUN_OK)
        g->services->stats->bytes_to_host += bytes;
    return s;
}
