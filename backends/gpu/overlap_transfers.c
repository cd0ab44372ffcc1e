/* overlap_transfers.c - transfers beside the kernels of a device, and between devices that share
 * memory; what waits for which; see gpu_state.h.
 *
 * A buffer knows the last batch that uses it and the last transfer from or to it.  A transfer
 * begins when both have ended, of both buffers; the next batch that uses a buffer begins when its
 * transfer has.  Nothing else waits, and the host waits for nothing but its own memory.  Knows no
 * kernel.
 *
 * Invariant: buffer.moving is the mark, owned by the buffer, of its last transfer, as long as no
 * batch waits for that; lun__gpu_overlap_use moves it to `awaited`, the marks, owned by the
 * state, that the next batch waits for. buffer.used is the number of the last batch of state
 * `by` that uses it; given + 1 of the next one, INT64_MAX of that and all behind it. `sending`
 * is the mark of the last transfer from host memory that was not settled. */
#include <stdlib.h>

#include "base/grow.h"
#include "gpu/gpu_state.h"

enum { MOST_BEFORE = 4 }; /* two of each buffer */

/* ---- marks ----------------------------------------------------------------------------------- */

static void free_mark(lun_gpu *g, void **mark)
{
    if (*mark && lun__gpu_state_may_release(g))
        g->driver->mark_free(g->queue, *mark);
    *mark = NULL;
}

static lun_status wait_mark(lun_gpu *g, void **mark)
{
    lun_status s = LUN_OK;
    if (*mark && lun__gpu_state_may_release(g))
        s = lun__gpu_state_check(g, g->driver->mark_wait(g->queue, *mark));
    free_mark(g, mark);
    return s;
}

lun_status lun__gpu_overlap_use(lun_gpu *g, const lun_buffer *buffer)
{
    lun_buffer *b = (lun_buffer *)(uintptr_t)buffer; /* its elements stay as they are */
    if (b->moving) {
        if (!lun__grow(&g->awaited, g->awaited_count, &g->awaited_room, sizeof *g->awaited))
            return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
        g->awaited[g->awaited_count++] = b->moving;
        b->moving = NULL;
    }
    b->by = g;
    b->used = g->given + 1;
    return LUN_OK;
}

lun_status lun__gpu_overlap_use_on(lun_gpu *g, const lun_buffer *b)
{
    const lun_status s = lun__gpu_overlap_use(g, b);
    ((lun_buffer *)(uintptr_t)b)->used = INT64_MAX;
    return s;
}

void lun__gpu_overlap_free(lun_gpu *g)
{
    while (g->awaited_count > 0)
        free_mark(g, &g->awaited[--g->awaited_count]);
}

lun_status lun__gpu_overlap_wait(lun_gpu *g, lun_buffer *b)
{
    lun_status s = b ? wait_mark(g, &b->moving) : LUN_OK;
    while (s == LUN_OK && g->awaited_count > 0)
        s = wait_mark(g, &g->awaited[--g->awaited_count]);
    return s;
}

void lun__gpu_overlap_forget(lun_gpu *g, lun_buffer *b)
{
    free_mark(g, &b->moving);
}

void lun__gpu_overlap_close(lun_gpu *g)
{
    lun__gpu_overlap_free(g);
    free_mark(g, &g->sending);
    free(g->awaited);
    g->awaited = NULL;
    g->awaited_room = 0;
}

/* Waits for a transfer that may read the host's memory; false: it may go on doing so, and the state
 * is stuck.  A driver that fails once need not fail twice. */
static bool end_of(lun_gpu *g, void *mark)
{
    if (lun__gpu_state_may_release(g) && g->driver->mark_wait(g->queue, mark) != LUN_GPU_OK &&
        g->driver->mark_wait(g->queue, mark) != LUN_GPU_OK)
        g->stuck = true;
    return !g->stuck;
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* The mark of the last batch in flight that uses the buffer; NULL: there is none. */
static void *batch_of(const lun_gpu *g, const lun_buffer *b)
{
    const int64_t last = b->used < g->given ? b->used : g->given;
    const int64_t behind = g->given - last; /* batches given after it */
    if (b->by != g || behind >= g->in_flight)
        return NULL;
    return g->batch[(g->oldest + g->in_flight - 1 - (int)behind) % LUN_GPU_BATCHES].marks.last;
}

/* What ends before a transfer from or to the buffer of g begins. */
static lun_status before(lun_gpu *g, const lun_buffer *b, void **mark, int *count)
{
    if (b->moving)
        mark[(*count)++] = b->moving;
    void *batch = batch_of(g, b);
    if (!batch)
        return LUN_OK;
    mark[(*count)++] = batch;
    return lun__gpu_state_check(g, g->driver->flush(g->queue));
}

/* The transfer with this mark, whose owner it becomes, is the buffer's last. */
static void note(lun_gpu *g, lun_buffer *b, void *mark)
{
    free_mark(g, &b->moving);
    b->moving = mark;
}

/* The mark of a transfer gets two owners; after a failure it has none, and the transfer has
 * ended. */
static lun_status keep_twice(lun_gpu *g, void *mark)
{
    const lun_status s = lun__gpu_state_check(g, g->driver->mark_keep(g->queue, mark));
    if (s != LUN_OK && end_of(g, mark))
        free_mark(g, &mark);
    return s;
}

lun_status lun__gpu_overlap_send(lun_gpu *g, lun_buffer *to, int64_t offset, const void *host,
                                 int64_t bytes, lun_work_mark *out)
{
    void *first[MOST_BEFORE], *mark;
    lun_gpu_after after = {first, 0};
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK && bytes)
        s = before(g, to, first, &after.count);
    if (s != LUN_OK || !bytes)
        return s;
    s = lun__gpu_state_check(
        g, g->driver->send(g->queue, to->memory, offset, host, bytes, after, &mark));
    if (s != LUN_OK)
        return s;
    s = keep_twice(g, mark);
    if (s != LUN_OK)
        return s;
    note(g, to, mark);
    free_mark(g, &g->sending);
    g->sending = mark;
    *out = g->sent = ++g->marked;
    g->services->stats->bytes_to_device += bytes;
    return LUN_OK;
}

lun_status lun__gpu_overlap_settle(lun_gpu *g)
{
    if (!g->sending)
        return LUN_OK;
    const lun_tool_event ev = {
        .kind = LUN_TOOL_COPY, .name = "copy", .label = "to device", .place = g->device.name};
    lun__backend_event(g->services, true, ev);
    const int64_t start = lun__gpu_state_now();
    const lun_status s = end_of(g, g->sending) ? LUN_OK : lun__gpu_state_check(g, LUN_GPU_LOST);
    free_mark(g, &g->sending);
    g->services->stats->transfer_time += 1e-9 * (double)(lun__gpu_state_now() - start);
    lun__backend_event(g->services, false, ev);
    return s;
}

lun_status lun__gpu_overlap_copy(void *state, lun_buffer *to, int64_t to_offset, void *other,
                                 lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done)
{
    lun_gpu *g = state, *source = other;
    void *first[MOST_BEFORE], *mark;
    lun_gpu_after after = {first, 0};
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = lun__gpu_state_ready(source);
    *done = s == LUN_OK && g->driver->shares(g->queue, source->queue);
    if (*done && bytes)
        s = before(g, to, first, &after.count);
    if (s == LUN_OK && *done && bytes)
        s = before(source, from, first, &after.count);
    if (s != LUN_OK || !*done || !bytes)
        return s;
    s = lun__gpu_state_check(g, g->driver->copy(g->queue, to->memory, to_offset, from->memory,
                                                from_offset, bytes, after, &mark));
    if (s != LUN_OK)
        return s;
    s = keep_twice(g, mark);
    if (s != LUN_OK)
        return s;
    note(g, to, mark);
    note(source, from, mark);
    return LUN_OK;
}
