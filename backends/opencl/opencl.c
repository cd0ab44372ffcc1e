/* opencl.c - the backend `opencl`: OpenCL as a driver of gpu/: a queue, memory, programs, kernels
 * that run; see gpu/driver.h.
 *
 * A batch's marks are the events of its first and its last kernel; of a single kernel only
 * `last` is there.  Knows no IR and no launch. */
#include "opencl/opencl.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "gpu/gpu_state.h"
#include "gpu/signal_guard.h"
#include "opencl/cl_device.h"
#include "opencl/queue.h"

/* ---- opening and closing --------------------------------------------------------------------- */

/* The context of another queue, or a new one. */
static cl_context open_context(const lun_cl_queue *q, const lun_gpu_opening *o, cl_int *code)
{
    const lun_cl_queue *first = o->first;
    cl_device_id all[LUN_GPU_DEVICES];
    cl_uint count = 0;
    if (first) {
        *code = q->cl->clRetainContext(first->context);
        return *code == CL_SUCCESS ? first->context : NULL;
    }
    while ((int)count < o->shared_count && count < LUN_GPU_DEVICES) {
        all[count] = o->shared[count];
        count++;
    }
    return q->cl->clCreateContext(NULL, count, all, NULL, NULL, code);
}

static lun_gpu_answer open_queue(const lun_gpu_opening *o, lun_gpu_failure *failure, void **state)
{
    lun_guard g;
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    lun_cl_queue *q = calloc(1, sizeof *q);
    if (!q) {
        *failure = lun__opencl_api_failure("clCreateContext", code);
        return LUN_GPU_FAILED;
    }
    *q = (lun_cl_queue){.cl = o->library,
                        .device = o->device->id,
                        .options = o->device->options,
                        .failure = failure};
    lun__guard_enter(&g, true);
    const char *call = o->first ? "clRetainContext" : "clCreateContext";
    q->context = open_context(q, o, &code);
    if (q->context) {
        call = "clCreateCommandQueue";
        q->queue =
            q->cl->clCreateCommandQueue(q->context, q->device, CL_QUEUE_PROFILING_ENABLE, &code);
    }
    if (q->context && !q->queue)
        q->cl->clReleaseContext(q->context);
    lun__guard_leave(&g);
    if (q->queue) {
        *state = q;
        return LUN_GPU_OK;
    }
    lun_gpu_answer answer = lun__opencl_queue_made(q, call, code);
    free(q);
    return answer;
}

static void close_queue(void *state, bool release)
{
    lun_cl_queue *q = state;
    if (release) {
        if (q->transfers)
            q->cl->clReleaseCommandQueue(q->transfers);
        q->cl->clReleaseCommandQueue(q->queue);
        q->cl->clReleaseContext(q->context);
    }
    free(q);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* In whole words of 4 bytes: atomic operations on narrower elements change the word (render/text/
 * atomic_text.c). */
static lun_gpu_answer create(lun_cl_queue *q, cl_mem_flags how, int64_t bytes, void **memory)
{
    cl_int code = CL_SUCCESS;
    const size_t words = ((size_t)bytes + 3) & ~(size_t)3;
    *memory = q->cl->clCreateBuffer(q->context, CL_MEM_READ_WRITE | how, words, NULL, &code);
    return *memory ? LUN_GPU_OK : lun__opencl_queue_made(q, "clCreateBuffer", code);
}

static lun_gpu_answer allocate(void *state, int64_t bytes, void **memory)
{
    return create(state, 0, bytes, memory);
}

static lun_gpu_answer allocate_host(void *state, int64_t bytes, void **memory)
{
    return create(state, CL_MEM_ALLOC_HOST_PTR, bytes, memory);
}

/* It stays mapped: what the standard leaves open there, gpu/coherence.c tries. */
static lun_gpu_answer share(void *state, int64_t bytes, void **host, void **memory)
{
    lun_cl_queue *q = state;
    cl_int code = CL_SUCCESS;
    void *m;
    lun_gpu_answer answer = allocate_host(q, bytes, &m);
    if (answer != LUN_GPU_OK)
        return answer;
    *host = q->cl->clEnqueueMapBuffer(q->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      (size_t)bytes, 0, NULL, NULL, &code);
    if (*host) {
        *memory = m;
        return LUN_GPU_OK;
    }
    q->cl->clReleaseMemObject(m);
    return lun__opencl_queue_worked(q, "clEnqueueMapBuffer", code);
}

static void unshare(void *state, void *host, void *memory)
{
    lun_cl_queue *q = state;
    if (q->cl->clEnqueueUnmapMemObject(q->queue, memory, host, 0, NULL, NULL) == CL_SUCCESS)
        q->cl->clFinish(q->queue);
    q->cl->clReleaseMemObject(memory);
}

static void free_memory(void *state, void *memory)
{
    ((lun_cl_queue *)state)->cl->clReleaseMemObject(memory);
}

static lun_gpu_answer write_memory(void *state, void *memory, int64_t offset, const void *from,
                                   int64_t bytes, bool wait)
{
    lun_cl_queue *q = state;
    cl_int code = q->cl->clEnqueueWriteBuffer(q->queue, memory, wait ? CL_TRUE : CL_FALSE,
                                              (size_t)offset, (size_t)bytes, from, 0, NULL, NULL);
    return lun__opencl_queue_worked(q, "clEnqueueWriteBuffer", code);
}

static lun_gpu_answer read_memory(void *state, void *memory, int64_t offset, void *to,
                                  int64_t bytes)
{
    lun_cl_queue *q = state;
    cl_int code = q->cl->clEnqueueReadBuffer(q->queue, memory, CL_TRUE, (size_t)offset,
                                             (size_t)bytes, to, 0, NULL, NULL);
    return lun__opencl_queue_worked(q, "clEnqueueReadBuffer", code);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* A device that refuses one kernel but still answers is not lost. */
static lun_gpu_answer refused(lun_cl_queue *q, cl_int code)
{
    bool answers = q->cl->clFinish(q->queue) == CL_SUCCESS;
    return (answers ? lun__opencl_queue_made
                    : lun__opencl_queue_worked)(q, "clEnqueueNDRangeKernel", code);
}

static lun_gpu_answer give(lun_cl_queue *q, const lun_gpu_step *step, void *const *memory,
                           int memories, lun_gpu_after after, cl_event *event)
{
    cl_int code = CL_SUCCESS;
    for (int i = 0; code == CL_SUCCESS && i < memories; i++)
        code = q->cl->clSetKernelArg(step->kernel, (cl_uint)i, sizeof(cl_mem), &memory[i]);
    if (code == CL_SUCCESS && step->room)
        code = q->cl->clSetKernelArg(step->kernel, (cl_uint)memories, step->room, NULL);
    if (code != CL_SUCCESS)
        return lun__opencl_queue_made(q, "clSetKernelArg", code);
    code =
        q->cl->clEnqueueNDRangeKernel(q->queue, step->kernel, 1, NULL, &step->global, &step->local,
                                      (cl_uint)after.count, lun__opencl_queue_events(after), event);
    return code == CL_SUCCESS ? LUN_GPU_OK : refused(q, code);
}

static void free_marks(void *state, lun_gpu_marks *marks)
{
    const lun_cl *cl = ((lun_cl_queue *)state)->cl;
    if (marks->first)
        cl->clReleaseEvent(marks->first);
    if (marks->last)
        cl->clReleaseEvent(marks->last);
    *marks = (lun_gpu_marks){NULL, NULL};
}

static lun_gpu_answer enqueue(void *state, const lun_gpu_step *steps, int count,
                              void *const *memory, int memories, lun_gpu_after after,
                              lun_gpu_marks *marks)
{
    static const lun_gpu_after none;
    lun_gpu_answer answer = LUN_GPU_OK;
    cl_event first = NULL, last = NULL;
    for (int i = 0; answer == LUN_GPU_OK && i < count; i++)
        answer = give(state, &steps[i], memory, memories, i ? none : after,
                      i == count - 1 ? &last
                      : i == 0       ? &first
                                     : NULL);
    *marks = (lun_gpu_marks){first, last};
    if (answer != LUN_GPU_OK)
        free_marks(state, marks);
    return answer;
}

static lun_gpu_answer poll_one(lun_cl_queue *q, cl_event event, lun_gpu_stage *stage)
{
    cl_int status = CL_QUEUED;
    cl_int code = q->cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                        &status, NULL);
    if (code != CL_SUCCESS)
        return lun__opencl_queue_worked(q, "clGetEventInfo", code);
    if (status < 0) {
        *q->failure = lun__opencl_api_failure("a kernel on the device", status);
        return LUN_GPU_FAULT;
    }
    *stage = status == CL_COMPLETE  ? LUN_GPU_ENDED
             : status == CL_RUNNING ? LUN_GPU_RUNNING
                                    : LUN_GPU_GIVEN;
    return LUN_GPU_OK;
}

static lun_gpu_answer poll_event(void *state, const lun_gpu_marks *marks, lun_gpu_stage *stage)
{
    lun_gpu_stage first = LUN_GPU_ENDED;
    lun_gpu_answer answer = poll_one(state, marks->last, stage);
    if (answer == LUN_GPU_OK && *stage == LUN_GPU_GIVEN && marks->first)
        answer = poll_one(state, marks->first, &first);
    if (first == LUN_GPU_RUNNING)
        *stage = first;
    return answer;
}

static lun_gpu_answer wait_event(void *state, const lun_gpu_marks *marks)
{
    lun_cl_queue *q = state;
    cl_event last = marks->last;
    return lun__opencl_queue_worked(q, "clWaitForEvents", q->cl->clWaitForEvents(1, &last));
}

static int64_t elapsed(void *state, const lun_gpu_marks *marks)
{
    const lun_cl *cl = ((lun_cl_queue *)state)->cl;
    cl_event first = marks->first ? marks->first : marks->last;
    cl_ulong start = 0, end = 0;
    if (cl->clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                    NULL) != CL_SUCCESS ||
        cl->clGetEventProfilingInfo(marks->last, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                    NULL) != CL_SUCCESS)
        return 0;
    return end > start ? (int64_t)(end - start) : 0;
}

static lun_gpu_answer flush(void *state)
{
    lun_cl_queue *q = state;
    return lun__opencl_queue_worked(q, "clFlush", q->cl->clFlush(q->queue));
}

static lun_gpu_answer finish(void *state)
{
    lun_cl_queue *q = state;
    return lun__opencl_queue_worked(q, "clFinish", q->cl->clFinish(q->queue));
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const lun_gpu_driver driver = {
    .name = "opencl",
    .title = "OpenCL",
    .settings = "LUNARRAY_OPENCL",
    .list = lun__cl_device_list,
    .split = lun__sub_device_split,
    .keep = lun__sub_device_keep,
    .drop = lun__sub_device_drop,
    .render = lun__cl_dialect_render,
    .render_builtin = lun__cl_dialect_builtin,
    .render_coherence = lun__cl_dialect_coherence,
    .render_math = lun__cl_dialect_math,
    .render_product = lun__cl_dialect_product,
    .open = open_queue,
    .close = close_queue,
    .allocate = allocate,
    .allocate_host = allocate_host,
    .share = share,
    .unshare = unshare,
    .free = free_memory,
    .write = write_memory,
    .read = read_memory,
    .build = lun__cl_program_build,
    .load = lun__cl_program_load_binary,
    .binary = lun__cl_program_take_binary,
    .unload = lun__cl_program_unload,
    .kernel = lun__cl_program_make_kernel,
    .kernel_free = lun__cl_program_free_kernel,
    .enqueue = enqueue,
    .poll = poll_event,
    .wait = wait_event,
    .elapsed = elapsed,
    .marks_free = free_marks,
    .flush = flush,
    .finish = finish,
    .send = lun__cl_transfer_send,
    .copy = lun__cl_transfer_copy,
    .shares = lun__cl_transfer_shares,
    .mark_keep = lun__cl_transfer_keep_mark,
    .mark_free = lun__cl_transfer_free_mark,
    .mark_wait = lun__cl_transfer_wait_mark,
};

static lun_status opencl_open(const lun_services *services, const lun_opening *how, void **state,
                              lun_abilities *out)
{
    return lun__gpu_open(&driver, services, how, state, out);
}

static void *native_handle(void *state, lun_native_handle which, lun_buffer *of)
{
    lun_gpu *g = state;
    if (lun__gpu_state_ready(g) != LUN_OK)
        return NULL;
    const lun_cl_queue *q = g->queue;
    return which == LUN_NATIVE_MEMORY  ? of->memory
           : which == LUN_NATIVE_QUEUE ? (void *)q->queue
                                       : (void *)q->context;
}

static int opencl_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    (void)services;
    return state ? lun__gpu_devices(state, rows, room) : lun__gpu_preferred(&driver);
}

const lun_backend lun__backend_opencl = {
    .name = "opencl",
    .devices = opencl_devices,
    .open = opencl_open,
    .close = lun__gpu_close,
    .build = lun__gpu_build,
    .release = lun__gpu_kernel_release,
    .prepare = lun__gpu_prepare,
    .source = lun__gpu_source,
    .takes = lun__gpu_takes,
    .begin = lun__gpu_begin,
    .wait = lun__gpu_wait_for,
    .buffer_new = lun__gpu_buffer_new,
    .buffer_free = lun__gpu_buffer_free,
    .write = lun__gpu_buffer_write,
    .read = lun__gpu_buffer_read,
    .copy = lun__gpu_overlap_copy,
    .native = native_handle,
    .buffer_host = lun__gpu_buffer_host,
};
