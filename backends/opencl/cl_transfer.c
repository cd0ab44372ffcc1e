/* cl_transfer.c - transfers on a queue of their own, beside kernels; see queue.h.  Knows no
 * kernel. */
#include "gpu/signal_guard.h"
#include "opencl/queue.h"

enum { PIECE = 1 << 22 }; /* bytes of a transfer */

static lun_gpu_answer open_transfers(lun_cl_queue *q)
{
    lun_guard g;
    cl_int code = CL_SUCCESS;
    if (q->transfers)
        return LUN_GPU_OK;
    lun__guard_enter(&g, true);
    q->transfers =
        q->cl->clCreateCommandQueue(q->context, q->device, CL_QUEUE_PROFILING_ENABLE, &code);
    lun__guard_leave(&g);
    return q->transfers ? LUN_GPU_OK : lun__opencl_queue_made(q, "clCreateCommandQueue", code);
}

/* What was given to the transfers' queue begins.  After a failure it has ended, whichever call has
 * failed: what was given runs even where a flush fails, and pieces before may be under way. */
static lun_gpu_answer begun(lun_cl_queue *q, const char *call, cl_int code, cl_event event,
                            void **mark)
{
    if (code == CL_SUCCESS) {
        call = "clFlush";
        code = q->cl->clFlush(q->transfers);
    }
    if (code == CL_SUCCESS) {
        *mark = event;
        return LUN_GPU_OK;
    }
    /* a driver that fails once need not fail twice */
    const bool ended =
        q->cl->clFinish(q->transfers) == CL_SUCCESS || q->cl->clFinish(q->transfers) == CL_SUCCESS;
    if (event)
        q->cl->clReleaseEvent(event);
    const lun_gpu_answer answer = lun__opencl_queue_worked(q, call, code);
    return ended ? answer : LUN_GPU_STUCK;
}

/* In pieces, so that none is under way for long. */
lun_gpu_answer lun__cl_transfer_send(void *state, void *memory, int64_t offset, const void *from,
                                     int64_t bytes, lun_gpu_after after, void **mark)
{
    lun_cl_queue *q = state;
    cl_event event = NULL;
    cl_int code = CL_SUCCESS;
    *mark = NULL;
    lun_gpu_answer answer = open_transfers(q);
    if (answer != LUN_GPU_OK)
        return answer;
    for (int64_t at = 0; code == CL_SUCCESS && at < bytes; at += PIECE) {
        const bool last = bytes - at <= PIECE;
        const size_t count = (size_t)(last ? bytes - at : PIECE);
        code = q->cl->clEnqueueWriteBuffer(
            q->transfers, memory, CL_FALSE, (size_t)(offset + at), count, (const char *)from + at,
            at ? 0 : (cl_uint)after.count, at ? NULL : lun__opencl_queue_events(after),
            last ? &event : NULL);
    }
    return begun(q, "clEnqueueWriteBuffer", code, event, mark);
}

lun_gpu_answer lun__cl_transfer_copy(void *state, void *to, int64_t to_offset, void *from,
                                     int64_t from_offset, int64_t bytes, lun_gpu_after after,
                                     void **mark)
{
    lun_cl_queue *q = state;
    cl_event event = NULL;
    *mark = NULL;
    lun_gpu_answer answer = open_transfers(q);
    if (answer != LUN_GPU_OK)
        return answer;
    cl_int code = q->cl->clEnqueueCopyBuffer(q->transfers, from, to, (size_t)from_offset,
                                             (size_t)to_offset, (size_t)bytes, (cl_uint)after.count,
                                             lun__opencl_queue_events(after), &event);
    return begun(q, "clEnqueueCopyBuffer", code, event, mark);
}

bool lun__cl_transfer_shares(const void *state, const void *other)
{
    return ((const lun_cl_queue *)state)->context == ((const lun_cl_queue *)other)->context;
}

lun_gpu_answer lun__cl_transfer_keep_mark(void *state, void *mark)
{
    lun_cl_queue *q = state;
    return lun__opencl_queue_made(q, "clRetainEvent", q->cl->clRetainEvent(mark));
}

void lun__cl_transfer_free_mark(void *state, void *mark)
{
    ((lun_cl_queue *)state)->cl->clReleaseEvent(mark);
}

lun_gpu_answer lun__cl_transfer_wait_mark(void *state, void *mark)
{
    lun_cl_queue *q = state;
    cl_event event = mark;
    return lun__opencl_queue_worked(q, "clWaitForEvents", q->cl->clWaitForEvents(1, &event));
}
