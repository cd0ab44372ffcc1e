/* memory.c - buffers on a device, and the pool of freed ones; see state.h.
 *
 * Buffers come in size classes, four to an octave, so that a freed one fits the next that is wanted.
 * The queue is in order: a buffer that kernels under way still use may be given out again at once. */
#include <stdlib.h>

#include "opencl/state.h"

enum {
    LEAST_SHIFT = 8,   /* the smallest class: 256 bytes */
    LEAST_CELLS = 1024 /* what small kernels share without making it anew */
};

static int64_t class_bytes(int c)
{
    return (int64_t)(4 + c % 4) << (c / 4 + LEAST_SHIFT - 2);
}

/* The smallest class that holds so many bytes, -1: none. */
static int class_of(int64_t bytes)
{
    int c = 0;
    while (c < LUN_CL_CLASSES && class_bytes(c) < bytes)
        c++;
    return c < LUN_CL_CLASSES ? c : -1;
}

static int64_t spare_limit(const lun_opencl *o)
{
    return o->device.memory / (o->device.type & CL_DEVICE_TYPE_CPU ? 8 : 4);
}

static void release(lun_opencl *o, lun_buffer *b)
{
    o->live_bytes -= b->bytes;
    if (lun_opencl_may_release(o))
        o->cl.clReleaseMemObject(b->mem);
    free(b);
}

void lun_opencl_trim(lun_opencl *o)
{
    for (int c = 0; c < LUN_CL_CLASSES; c++)
        for (lun_buffer *b = o->spare[c], *next; b; b = next) {
            next = b->next;
            o->live_bytes += b->bytes;
            release(o, b);
        }
    for (int c = 0; c < LUN_CL_CLASSES; c++)
        o->spare[c] = NULL;
    o->spare_bytes = 0;
}

/* The slack behind the elements is what kernels in vectors may read. */
static cl_mem allocate(lun_opencl *o, int64_t bytes, cl_int *code)
{
    size_t whole = (size_t)bytes + LUN_CL_SLACK;
    cl_mem mem = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, whole, NULL, code);
    if (mem || !o->spare_bytes)
        return mem;
    lun_opencl_trim(o);
    return o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, whole, NULL, code);
}

static lun_status too_large(lun_opencl *o, int64_t bytes)
{
    return lun_opencl_fail(
        o, LUN_ELIMIT,
        "an array of %lld bytes is more than %s holds in one piece (%lld bytes of "
        "its %lld): work on parts of it, or use backend openmp",
        (long long)bytes, o->device.name, (long long)o->device.most_bytes,
        (long long)o->device.memory);
}

lun_status lun_opencl_buffer_new(void *state, int64_t bytes, lun_buffer **out)
{
    lun_opencl *o = state;
    lun_status s = lun_opencl_ready(o);
    if (s != LUN_OK)
        return s;
    int64_t most = o->device.most_bytes - LUN_CL_SLACK;
    if (bytes < 0 || bytes > most)
        return too_large(o, bytes);
    int c = class_of(bytes);
    int64_t whole = c >= 0 ? class_bytes(c) : bytes;
    if (whole > most) {
        c = -1;
        whole = bytes;
    }
    if (c >= 0 && o->spare[c] && o->pooled) {
        *out = o->spare[c];
        o->spare[c] = (*out)->next;
        o->spare_bytes -= whole;
        o->live_bytes += whole;
        return LUN_OK;
    }
    /* drivers that find memory only when a buffer is used would fail then, where nothing can be given back */
    if (o->live_bytes + o->spare_bytes > o->device.memory / 8 * 7 - whole)
        lun_opencl_trim(o);
    cl_int code = CL_SUCCESS;
    lun_buffer *b = malloc(sizeof *b);
    if (!b)
        return lun_opencl_fail(o, LUN_ENOMEM, "out of memory");
    *b = (lun_buffer){.mem = allocate(o, whole, &code), .bytes = whole, .size_class = c};
    if (!b->mem) {
        free(b);
        return lun_opencl_failed(o, "clCreateBuffer", code);
    }
    o->live_bytes += whole;
    *out = b;
    return LUN_OK;
}

void lun_opencl_buffer_free(void *state, lun_buffer *b)
{
    lun_opencl *o = state;
    if (!b)
        return;
    if (b->size_class < 0 || o->dead || b->bytes > spare_limit(o) - o->spare_bytes) {
        release(o, b);
        return;
    }
    b->next = o->spare[b->size_class];
    o->spare[b->size_class] = b;
    o->spare_bytes += b->bytes;
    o->live_bytes -= b->bytes;
}

lun_status lun_opencl_cells(lun_opencl *o, cl_mem *mem, int64_t *room, int64_t cells)
{
    int64_t most = o->device.most_bytes / 8 - LUN_CL_SLACK / 8;
    cl_int code;
    if (cells <= *room)
        return LUN_OK;
    if (cells > most)
        return too_large(o, cells > INT64_MAX / 8 ? INT64_MAX : cells * 8);
    if (*mem)
        o->cl.clReleaseMemObject(*mem); /* ends when the kernels under way have */
    *room = 0;
    int64_t wanted = cells < most / 2 ? 2 * cells : cells;
    wanted = wanted < LEAST_CELLS && LEAST_CELLS < most ? LEAST_CELLS : wanted;
    *mem = allocate(o, wanted * 8, &code);
    if (!*mem)
        return lun_opencl_failed(o, "clCreateBuffer", code);
    *room = wanted;
    return LUN_OK;
}

/* ---- transfers ----------------------------------------------------------------------------------- */

/* Everything before has ended, so that the transfer itself takes no longer than its bytes need. */
static lun_status prepare(lun_opencl *o)
{
    int64_t start = lun_opencl_now();
    lun_status s = lun_opencl_ready(o);
    if (s == LUN_OK)
        s = lun_opencl_wait(o, 0);
    o->services->stats->run_time += 1e-9 * (double)(lun_opencl_now() - start);
    return s;
}

lun_status lun_opencl_upload(void *state, lun_buffer *to, const void *host, int64_t bytes)
{
    lun_opencl *o = state;
    lun_status s = prepare(o);
    if (s != LUN_OK || !bytes)
        return s;
    if (bytes < 0 || bytes > to->bytes)
        return lun_opencl_fail(o, LUN_ERANGE, "%lld bytes do not fit into a buffer of %lld",
                               (long long)bytes, (long long)to->bytes);
    int64_t start = lun_opencl_now();
    cl_int code = o->cl.clEnqueueWriteBuffer(o->queue, to->mem, CL_TRUE, 0, (size_t)bytes, host, 0,
                                             NULL, NULL);
    o->services->stats->transfer_time += 1e-9 * (double)(lun_opencl_now() - start);
    if (code != CL_SUCCESS)
        return lun_opencl_lost(o, "clEnqueueWriteBuffer", code);
    o->services->stats->bytes_to_device += bytes;
    return LUN_OK;
}

lun_status lun_opencl_download(void *state, lun_buffer *from, int64_t offset, void *host,
                               int64_t bytes)
{
    lun_opencl *o = state;
    lun_status s = prepare(o);
    if (s != LUN_OK || !bytes)
        return s;
    if (bytes < 0 || offset < 0 || offset > from->bytes - bytes)
        return lun_opencl_fail(o, LUN_ERANGE, "%lld bytes at %lld are not in a buffer of %lld",
                               (long long)bytes, (long long)offset, (long long)from->bytes);
    int64_t start = lun_opencl_now();
    cl_int code = o->cl.clEnqueueReadBuffer(o->queue, from->mem, CL_TRUE, (size_t)offset,
                                            (size_t)bytes, host, 0, NULL, NULL);
    o->services->stats->transfer_time += 1e-9 * (double)(lun_opencl_now() - start);
    if (code != CL_SUCCESS)
        return lun_opencl_lost(o, "clEnqueueReadBuffer", code);
    o->services->stats->bytes_to_host += bytes;
    return LUN_OK;
}
