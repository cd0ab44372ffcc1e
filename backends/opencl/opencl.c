/* opencl.c - the backend `opencl`: OpenCL as a driver of gpu/: a queue, memory, programs, kernels
 * that run; see gpu/driver.h.
 *
 * A batch's marks are the events of its first and its last kernel; of a single kernel only
 * `last` is there.  Knows no IR and no launch. */
#include "opencl/opencl.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "gpu/guard.h"
#include "opencl/api.h"
#include "opencl/device.h"
#include "opencl/quiet.h"

typedef struct queue {
    const lun_cl *cl;
    cl_device_id device;
    const char *options;
    cl_context context;
    cl_command_queue queue;
    lun_gpu_failure *failure; /* the last one */
} queue;

/* ---- answers --------------------------------------------------------------------------------- */

/* The answer to a call that makes something: its failure is of that call alone. */
static lun_gpu_answer made(queue *q, const char *call, cl_int code)
{
    if (code == CL_SUCCESS)
        return LUN_GPU_OK;
    *q->failure = lun__opencl_failure(call, code);
    return lun__opencl_sense(code) == LUN_CL_REFUSED ? LUN_GPU_REFUSED : LUN_GPU_FAILED;
}

/* The answer to a call that works on the queue: its failure may tell that the device is lost. */
static lun_gpu_answer worked(queue *q, const char *call, cl_int code)
{
    lun_gpu_answer answer = made(q, call, code);
    return answer && lun__opencl_sense(code) == LUN_CL_LOST ? LUN_GPU_LOST : answer;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* The context of another queue, or a new one. */
static cl_context open_context(const queue *q, const queue *first, cl_int *code)
{
    if (!first)
        return q->cl->clCreateContext(NULL, 1, &q->device, NULL, NULL, code);
    *code = q->cl->clRetainContext(first->context);
    return *code == CL_SUCCESS ? first->context : NULL;
}

static lun_gpu_answer open_queue(const void *library, const lun_gpu_device *device,
                                 const void *first, lun_gpu_failure *failure, void **state)
{
    lun_guard g;
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    queue *q = calloc(1, sizeof *q);
    if (!q) {
        *failure = lun__opencl_failure("clCreateContext", code);
        return LUN_GPU_FAILED;
    }
    *q = (queue){
        .cl = library, .device = device->id, .options = device->options, .failure = failure};
    lun__guard_enter(&g, true);
    const char *call = "clCreateContext";
    q->context = open_context(q, first, &code);
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
    lun_gpu_answer answer = made(q, call, code);
    free(q);
    return answer;
}

static void close_queue(void *state, bool release)
{
    queue *q = state;
    if (release) {
        q->cl->clReleaseCommandQueue(q->queue);
        q->cl->clReleaseContext(q->context);
    }
    free(q);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static lun_gpu_answer allocate(void *state, int64_t bytes, void **memory)
{
    queue *q = state;
    cl_int code = CL_SUCCESS;
    *memory = q->cl->clCreateBuffer(q->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    return *memory ? LUN_GPU_OK : made(q, "clCreateBuffer", code);
}

/* It stays mapped: what the standard leaves open there, gpu/listen.c tries. */
static lun_gpu_answer share(void *state, int64_t bytes, void **host, void **memory)
{
    queue *q = state;
    cl_int code = CL_SUCCESS;
    cl_mem m = q->cl->clCreateBuffer(q->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                     (size_t)bytes, NULL, &code);
    if (!m)
        return made(q, "clCreateBuffer", code);
    *host = q->cl->clEnqueueMapBuffer(q->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      (size_t)bytes, 0, NULL, NULL, &code);
    if (*host) {
        *memory = m;
        return LUN_GPU_OK;
    }
    q->cl->clReleaseMemObject(m);
    return worked(q, "clEnqueueMapBuffer", code);
}

static void unshare(void *state, void *host, void *memory)
{
    queue *q = state;
    if (q->cl->clEnqueueUnmapMemObject(q->queue, memory, host, 0, NULL, NULL) == CL_SUCCESS)
        q->cl->clFinish(q->queue);
    q->cl->clReleaseMemObject(memory);
}

static void free_memory(void *state, void *memory)
{
    ((queue *)state)->cl->clReleaseMemObject(memory);
}

static lun_gpu_answer write_memory(void *state, void *memory, int64_t offset, const void *from,
                                   int64_t bytes, bool wait)
{
    queue *q = state;
    cl_int code = q->cl->clEnqueueWriteBuffer(q->queue, memory, wait ? CL_TRUE : CL_FALSE,
                                              (size_t)offset, (size_t)bytes, from, 0, NULL, NULL);
    return worked(q, "clEnqueueWriteBuffer", code);
}

static lun_gpu_answer read_memory(void *state, void *memory, int64_t offset, void *to,
                                  int64_t bytes)
{
    queue *q = state;
    cl_int code = q->cl->clEnqueueReadBuffer(q->queue, memory, CL_TRUE, (size_t)offset,
                                             (size_t)bytes, to, 0, NULL, NULL);
    return worked(q, "clEnqueueReadBuffer", code);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Under a guard. */
static bool build_program(queue *q, cl_program p, cl_int *code)
{
    lun_quiet stderr_apart;
    lun__quiet_enter(&stderr_apart);
    *code = q->cl->clBuildProgram(p, 1, &q->device, q->options, NULL, NULL);
    lun__quiet_leave(&stderr_apart);
    return *code == CL_SUCCESS;
}

/* Appends what the compiler had to say. */
static void quote(queue *q, cl_program p, lun_strbuf *words)
{
    size_t length = 0;
    if (q->cl->clGetProgramBuildInfo(p, q->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
            CL_SUCCESS ||
        length < 2)
        return;
    char *log = calloc(1, length + 1);
    if (log && q->cl->clGetProgramBuildInfo(p, q->device, CL_PROGRAM_BUILD_LOG, length, log,
                                            NULL) == CL_SUCCESS)
        lun__strbuf_puts(words, log);
    free(log);
}

static lun_gpu_answer build(void *state, const char *text, void **program, lun_strbuf *words)
{
    queue *q = state;
    lun_guard g;
    cl_int code = CL_SUCCESS;
    const char *call = "clCreateProgramWithSource";
    lun__guard_enter(&g, false);
    cl_program p = q->cl->clCreateProgramWithSource(q->context, 1, &text, NULL, &code);
    if (p) {
        call = "clBuildProgram";
        if (!build_program(q, p, &code)) {
            quote(q, p, words);
            q->cl->clReleaseProgram(p);
            p = NULL;
        }
    }
    lun__guard_leave(&g);
    *program = p;
    return p ? LUN_GPU_OK : made(q, call, code);
}

static void *load_binary(void *state, const void *bytes, size_t length)
{
    queue *q = state;
    lun_guard g;
    const unsigned char *binary = bytes;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    lun__guard_enter(&g, false);
    cl_program p = q->cl->clCreateProgramWithBinary(q->context, 1, &q->device, &length, &binary,
                                                    &status, &code);
    if (p && (status != CL_SUCCESS || !build_program(q, p, &code))) {
        q->cl->clReleaseProgram(p);
        p = NULL;
    }
    lun__guard_leave(&g);
    return p;
}

static void *take_binary(void *state, void *program, size_t *length)
{
    queue *q = state;
    lun_guard g;
    *length = 0;
    lun__guard_enter(&g, false);
    cl_int code =
        q->cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *length, length, NULL);
    unsigned char *bytes = code == CL_SUCCESS && *length ? malloc(*length) : NULL;
    if (bytes && q->cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes,
                                         NULL) != CL_SUCCESS) {
        free(bytes);
        bytes = NULL;
    }
    lun__guard_leave(&g);
    return bytes;
}

static void unload(void *state, void *program)
{
    ((queue *)state)->cl->clReleaseProgram(program);
}

static lun_gpu_answer make_kernel(void *state, void *program, const char *name, void **kernel,
                                  int64_t *most)
{
    queue *q = state;
    cl_int code = CL_SUCCESS;
    size_t group = 0;
    *kernel = q->cl->clCreateKernel(program, name, &code);
    if (!*kernel)
        return made(q, "clCreateKernel", code);
    if (q->cl->clGetKernelWorkGroupInfo(*kernel, q->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                        &group, NULL) != CL_SUCCESS)
        group = 0;
    *most = (int64_t)group;
    return LUN_GPU_OK;
}

static void free_kernel(void *state, void *kernel)
{
    ((queue *)state)->cl->clReleaseKernel(kernel);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* A device that refuses one kernel but still answers is not lost. */
static lun_gpu_answer refused(queue *q, cl_int code)
{
    bool answers = q->cl->clFinish(q->queue) == CL_SUCCESS;
    return (answers ? made : worked)(q, "clEnqueueNDRangeKernel", code);
}

static lun_gpu_answer give(queue *q, const lun_gpu_step *step, void *const *memory, int memories,
                           cl_event *event)
{
    cl_int code = CL_SUCCESS;
    for (int i = 0; code == CL_SUCCESS && i < memories; i++)
        code = q->cl->clSetKernelArg(step->kernel, (cl_uint)i, sizeof(cl_mem), &memory[i]);
    if (code != CL_SUCCESS)
        return made(q, "clSetKernelArg", code);
    code = q->cl->clEnqueueNDRangeKernel(q->queue, step->kernel, 1, NULL, &step->global,
                                         &step->local, 0, NULL, event);
    return code == CL_SUCCESS ? LUN_GPU_OK : refused(q, code);
}

static void free_marks(void *state, lun_gpu_marks *marks)
{
    const lun_cl *cl = ((queue *)state)->cl;
    if (marks->first)
        cl->clReleaseEvent(marks->first);
    if (marks->last)
        cl->clReleaseEvent(marks->last);
    *marks = (lun_gpu_marks){NULL, NULL};
}

static lun_gpu_answer enqueue(void *state, const lun_gpu_step *steps, int count,
                              void *const *memory, int memories, lun_gpu_marks *marks)
{
    lun_gpu_answer answer = LUN_GPU_OK;
    cl_event first = NULL, last = NULL;
    for (int i = 0; answer == LUN_GPU_OK && i < count; i++)
        answer = give(state, &steps[i], memory, memories,
                      i == count - 1 ? &last
                      : i == 0       ? &first
                                     : NULL);
    *marks = (lun_gpu_marks){first, last};
    if (answer != LUN_GPU_OK)
        free_marks(state, marks);
    return answer;
}

static lun_gpu_answer poll_one(queue *q, cl_event event, lun_gpu_stage *stage)
{
    cl_int status = CL_QUEUED;
    cl_int code = q->cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                        &status, NULL);
    if (code != CL_SUCCESS)
        return worked(q, "clGetEventInfo", code);
    if (status < 0) {
        *q->failure = lun__opencl_failure("a kernel on the device", status);
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
    queue *q = state;
    cl_event last = marks->last;
    return worked(q, "clWaitForEvents", q->cl->clWaitForEvents(1, &last));
}

static int64_t elapsed(void *state, const lun_gpu_marks *marks)
{
    const lun_cl *cl = ((queue *)state)->cl;
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
    queue *q = state;
    return worked(q, "clFlush", q->cl->clFlush(q->queue));
}

static lun_gpu_answer finish(void *state)
{
    queue *q = state;
    return worked(q, "clFinish", q->cl->clFinish(q->queue));
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const lun_gpu_driver driver = {
    .name = "opencl",
    .title = "OpenCL",
    .settings = "LUNARRAY_OPENCL",
    .list = lun__opencl_list,
    .render = lun__render_opencl,
    .render_own = lun__render_opencl_own,
    .render_listen = lun__render_opencl_listen,
    .render_product = lun__render_opencl_product,
    .open = open_queue,
    .close = close_queue,
    .allocate = allocate,
    .share = share,
    .unshare = unshare,
    .free = free_memory,
    .write = write_memory,
    .read = read_memory,
    .build = build,
    .load = load_binary,
    .binary = take_binary,
    .unload = unload,
    .kernel = make_kernel,
    .kernel_free = free_kernel,
    .enqueue = enqueue,
    .poll = poll_event,
    .wait = wait_event,
    .elapsed = elapsed,
    .marks_free = free_marks,
    .flush = flush,
    .finish = finish,
};

static lun_status opencl_open(const lun_services *services, int device, void **state)
{
    return lun__gpu_open(&driver, services, device, state);
}

static bool opencl_preferred(const lun_services *services)
{
    (void)services;
    return lun__gpu_preferred(&driver);
}

const lun_backend lun__backend_opencl = {
    .name = "opencl",
    .lines = true,
    .open = opencl_open,
    .beside = lun__gpu_beside,
    .close = lun__gpu_close,
    .finish = lun__gpu_finish,
    .build = lun__gpu_build,
    .release = lun__gpu_release,
    .run = lun__gpu_run,
    .combine = lun__gpu_combine,
    .product_room = lun__gpu_product_room,
    .product = lun__gpu_product,
    .pad = lun__gpu_pad,
    .transfer = lun__gpu_transfer,
    .source = lun__gpu_source,
    .devices = lun__gpu_devices,
    .buffer_new = lun__gpu_buffer_new,
    .buffer_free = lun__gpu_buffer_free,
    .upload = lun__gpu_upload,
    .download = lun__gpu_download,
    .preferred = opencl_preferred,
};
