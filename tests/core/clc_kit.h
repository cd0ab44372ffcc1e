/* clc_kit.h - a kernel rendered as OpenCL C, built and run on a device through libOpenCL, which is
 * loaded here; one of the kits that *_cases.h take.  Follows the launch protocol of render/render.h
 * by itself, and looks at memory around what a kernel may touch.  Knows no kernel. */
#ifndef TEST_CLC_KIT_H
#define TEST_CLC_KIT_H

#include "kernels.h"

#include <dlfcn.h>
#include <stdio.h>

#include "reference/reference.h"
#include "render/render.h"

/* ---- OpenCL ---------------------------------------------------------------------------------- */

typedef struct cl_object *cl_handle;
typedef int32_t cl_error;

/* X(result, name, parameters): what is used here, as the specification declares it. */
#define CL_FUNCTIONS(X)                                                                           \
    X(cl_error, GetPlatformIDs, (uint32_t, cl_handle *, uint32_t *))                              \
    X(cl_error, GetPlatformInfo, (cl_handle, uint32_t, size_t, void *, size_t *))                 \
    X(cl_error, GetDeviceIDs, (cl_handle, uint64_t, uint32_t, cl_handle *, uint32_t *))           \
    X(cl_error, GetDeviceInfo, (cl_handle, uint32_t, size_t, void *, size_t *))                   \
    X(cl_handle, CreateContext,                                                                   \
      (const intptr_t *, uint32_t, const cl_handle *, void *, void *, cl_error *))                \
    X(cl_handle, CreateCommandQueue, (cl_handle, cl_handle, uint64_t, cl_error *))                \
    X(cl_handle, CreateProgramWithSource,                                                         \
      (cl_handle, uint32_t, const char **, const size_t *, cl_error *))                           \
    X(cl_error, BuildProgram,                                                                     \
      (cl_handle, uint32_t, const cl_handle *, const char *, void *, void *))                     \
    X(cl_error, GetProgramBuildInfo, (cl_handle, cl_handle, uint32_t, size_t, void *, size_t *))  \
    X(cl_handle, CreateKernel, (cl_handle, const char *, cl_error *))                             \
    X(cl_handle, CreateBuffer, (cl_handle, uint64_t, size_t, void *, cl_error *))                 \
    X(cl_error, SetKernelArg, (cl_handle, uint32_t, size_t, const void *))                        \
    X(cl_error, EnqueueNDRangeKernel,                                                             \
      (cl_handle, cl_handle, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,  \
       const cl_handle *, cl_handle *))                                                           \
    X(cl_error, EnqueueReadBuffer,                                                                \
      (cl_handle, cl_handle, uint32_t, size_t, size_t, void *, uint32_t, const cl_handle *,       \
       cl_handle *))                                                                              \
    X(cl_error, EnqueueWriteBuffer,                                                               \
      (cl_handle, cl_handle, uint32_t, size_t, size_t, const void *, uint32_t, const cl_handle *, \
       cl_handle *))                                                                              \
    X(cl_error, Finish, (cl_handle))                                                              \
    X(cl_error, ReleaseKernel, (cl_handle))                                                       \
    X(cl_error, ReleaseProgram, (cl_handle))                                                      \
    X(cl_error, ReleaseMemObject, (cl_handle))                                                    \
    X(cl_error, ReleaseCommandQueue, (cl_handle))                                                 \
    X(cl_error, ReleaseContext, (cl_handle))

#define DECLARE(result, name, params) static result(*cl##name) params;
CL_FUNCTIONS(DECLARE)
#undef DECLARE

enum {
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_UNITS = 0x1002,
    CL_DEVICE_NATIVE_FLOATS = 0x103a,
    CL_DEVICE_FP_CONFIG = 0x101b,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_DEVICE_NAME = 0x102b,
    CL_BUILD_LOG = 0x1183,
    CL_ROUNDED_DIVIDE = 128
};

/* False: there is no OpenCL here. */
static inline bool cl_load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
#define FIND(result, name, params)                \
    {                                             \
        void *found = dlsym(library, "cl" #name); \
        if (!found)                               \
            return false;                         \
        memcpy(&cl##name, &found, sizeof found);  \
    }
    CL_FUNCTIONS(FIND)
#undef FIND
    return true;
}

static inline cl_handle cl_buffer(cl_handle context, size_t bytes)
{
    cl_error error;
    cl_handle buffer = clCreateBuffer(context, 1, bytes ? bytes : 8, NULL, &error);
    assert_int_equal(error, 0);
    return buffer;
}

/* ---- the device ------------------------------------------------------------------------------ */

/* Where kernels run now: a device and a form. */
static struct cl_place {
    cl_handle device, context, queue;
    char name[128], options[128];
    int units;
    lun_cl_target target;
} cl_place;

typedef struct kit {
    lun_services services;
    lun_strbuf error, log;
    lun_stats stats;
    volatile int cancel;
    lun_isa isa;
} kit;

typedef struct kit_kernel {
    cl_handle program;
    lun_cl_shape shape;
    lun_interp *joiner; /* NULL: lun_pairs joins the chunks */
} kit_kernel;

static inline void kit_open(kit *k, const char *dir, const char *compiler, int jit, int threads,
                            int math)
{
    (void)dir, (void)compiler, (void)jit, (void)threads, (void)math;
    memset(k, 0, sizeof *k);
    k->isa = lun__isa_here();
}

static inline void kit_close(kit *k, bool remove)
{
    (void)remove;
    lun__strbuf_free(&k->error);
    lun__strbuf_free(&k->log);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static inline void kit_show(kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_cl_shape shape;
    (void)k;
    lun__print_ir(ir, &text);
    lun__cl_dialect_render(ir, &cl_place.target, &text, &shape);
    fprintf(stderr, "%s\n", lun__strbuf_text(&text));
    lun__strbuf_free(&text);
}

static inline kit_kernel kit_build(kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    kit_kernel made = {.program = NULL};
    cl_error error;
    ir_check_valid(ir);
    if (lun__cl_dialect_render(ir, &cl_place.target, &text, &made.shape) != LUN_OK)
        fail_msg("%s", lun__strbuf_text(&text));
    const char *source = lun__strbuf_text(&text);
    made.program = clCreateProgramWithSource(cl_place.context, 1, &source, NULL, &error);
    assert_int_equal(error, 0);
    error = clBuildProgram(made.program, 1, &cl_place.device, cl_place.options, NULL, NULL);
    if (error || getenv("TEST_SHOW")) {
        size_t length = 0;
        clGetProgramBuildInfo(made.program, cl_place.device, CL_BUILD_LOG, 0, NULL, &length);
        char *log = calloc(1, length + 1);
        clGetProgramBuildInfo(made.program, cl_place.device, CL_BUILD_LOG, length, log, NULL);
        fprintf(stderr, "%s\n%s\n", source, log);
        free(log);
        kit_show(k, ir);
    }
    assert_int_equal(error, 0);
    lun__strbuf_free(&text);
    if (!made.shape.pairs)
        assert_int_equal(
            lun__interpreter_combine(ir, lun__backend_version(&k->services), &made.joiner), LUN_OK);
    return made;
}

static inline void kit_release(kit *k, kit_kernel *kernel)
{
    (void)k;
    clReleaseProgram(kernel->program);
    lun__interpreter_free(kernel->joiner);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Elements of whole arrays, a number that the launch does not give. */
static int64_t kit_array_elements = 4;

/* A slot on the device: in front of element 0 stand some that must stay as they are. */
typedef struct cl_slot {
    cl_handle buffer;
    size_t bytes, origin, used; /* of the buffer; in front; of elements */
    int elements;               /* in front */
    char *content;
    bool out;
} cl_slot;

static inline cl_slot cl_slot_make(const lun_ir_slot *slot, int number, const void *data, int64_t n)
{
    size_t size = lun__dtype_get((lun_dtype)slot->dtype)->bytes;
    int64_t elements = slot->role == LUN_SLOT_ARRAY     ? kit_array_elements
                       : slot->role == LUN_SLOT_UNIFORM ? 1
                                                        : n;
    cl_slot s = {.origin = (size_t)(number % 3) * size,
                 .elements = number % 3,
                 .used = (size_t)elements * size,
                 .out = slot->role == LUN_SLOT_OUT};
    s.bytes = s.origin + s.used + LUN_CL_SLACK;
    s.buffer = cl_buffer(cl_place.context, s.bytes);
    s.content = malloc(s.bytes);
    assert_non_null(s.content);
    memset(s.content, 0xb7, s.bytes);
    if (s.used)
        memcpy(s.content + s.origin, data, s.used);
    assert_int_equal(
        clEnqueueWriteBuffer(cl_place.queue, s.buffer, 1, 0, s.bytes, s.content, 0, NULL, NULL), 0);
    return s;
}

/* Brings elements from `first` on back and looks at what is around them. */
static inline void cl_slot_end(cl_slot *s, size_t first, void *data)
{
    char *now = malloc(s->bytes);
    assert_non_null(now);
    assert_int_equal(
        clEnqueueReadBuffer(cl_place.queue, s->buffer, 1, 0, s->bytes, now, 0, NULL, NULL), 0);
    size_t lo = s->origin + first, hi = s->out ? s->origin + s->used : lo;
    if (lo > hi)
        lo = hi;
    assert_memory_equal(now, s->content, lo);
    assert_memory_equal(now + hi, s->content + hi, s->bytes - hi);
    if (s->out && s->used)
        memcpy(data, now + s->origin, s->used);
    free(now);
    free(s->content);
    clReleaseMemObject(s->buffer);
}

static inline void cl_step(const kit_kernel *kernel, const lun_cl_plan *plan, int step,
                           cl_handle cells, const cl_slot *slots, cl_handle work, cl_handle stop)
{
    cl_error error;
    uint32_t arg = 0;
    cl_handle entry = clCreateKernel(kernel->program, plan->step[step].kernel, &error);
    assert_int_equal(error, 0);
    assert_int_equal(clSetKernelArg(entry, arg++, sizeof cells, &cells), 0);
    for (int s = 0; s < kernel->shape.slots; s++)
        assert_int_equal(clSetKernelArg(entry, arg++, sizeof(cl_handle), &slots[s].buffer), 0);
    if (plan->work)
        assert_int_equal(clSetKernelArg(entry, arg++, sizeof work, &work), 0);
    if (kernel->shape.stops)
        assert_int_equal(clSetKernelArg(entry, arg++, sizeof stop, &stop), 0);
    error = clEnqueueNDRangeKernel(cl_place.queue, entry, 1, NULL, &plan->step[step].global,
                                   &plan->step[step].local, 0, NULL, NULL);
    assert_int_equal(error, 0);
    clReleaseKernel(entry);
}

/* What the first cells of `work` say; without a trap the rows behind them go to `rows`. */
static inline lun_status cl_outcome(const lun_ir *ir, const uint64_t *read, int64_t count,
                                    uint64_t *rows, int *trap, int64_t *trap_value)
{
    if (!read[0]) {
        if (ir->result_count)
            memcpy(rows, read + 2, (size_t)(count - 2) * sizeof *read);
        return LUN_OK;
    }
    *trap = (int)read[0] - 1;
    *trap_value = (int64_t)read[1];
    assert_in_range(*trap, 0, ir->count - 1);
    return ir->ins[*trap].kind == LUN_IR_CHECK ? LUN_EBOUNDS : LUN_EZERO;
}

/* Runs a plan with these cells at the start of `work`; *read is what is to be read, on the heap. */
static inline void cl_plan_run(const kit_kernel *kernel, const lun_cl_plan *plan,
                               const cl_slot *slots, const uint64_t *args, const uint64_t *start,
                               int64_t started, uint64_t **read)
{
    uint64_t cells[1024] = {0};
    const int slot_count = kernel->shape.slots;
    size_t count = (size_t)(LUN_CL_HEAD + slot_count + kernel->shape.args);
    memcpy(cells, plan->head, sizeof plan->head);
    for (int s = 0; s < slot_count; s++)
        cells[LUN_CL_HEAD + s] = (uint64_t)slots[s].elements;
    if (kernel->shape.args)
        memcpy(cells + LUN_CL_HEAD + slot_count, args, (size_t)kernel->shape.args * 8);
    static const int goes_on = 0;
    cl_handle constants = cl_buffer(cl_place.context, count * 8),
              work = cl_buffer(cl_place.context, (size_t)plan->work * 8),
              stop = cl_buffer(cl_place.context, sizeof goes_on);
    clEnqueueWriteBuffer(cl_place.queue, stop, 1, 0, sizeof goes_on, &goes_on, 0, NULL, NULL);
    clEnqueueWriteBuffer(cl_place.queue, constants, 1, 0, count * 8, cells, 0, NULL, NULL);
    if (started)
        clEnqueueWriteBuffer(cl_place.queue, work, 1, 0, (size_t)started * 8, start, 0, NULL, NULL);
    for (int i = 0; i < plan->steps; i++)
        cl_step(kernel, plan, i, constants, slots, work, stop);
    assert_int_equal(clFinish(cl_place.queue), 0);
    *read = calloc((size_t)plan->read + 1, sizeof **read);
    assert_non_null(*read);
    if (plan->read)
        clEnqueueReadBuffer(cl_place.queue, work, 1, 0, (size_t)plan->read * 8, *read, 0, NULL,
                            NULL);
    clReleaseMemObject(constants);
    clReleaseMemObject(work);
    clReleaseMemObject(stop);
}

/* What joins the chunks of a run. */
typedef struct cl_joint {
    kit *k;
    const kit_kernel *kernel;
    const lun_ir *ir;
    const cl_slot *slots;
    lun_launch launch;
} cl_joint;

static inline lun_status cl_combine(void *ctx, void *rows, int64_t pairs)
{
    cl_joint *j = ctx;
    const int results = j->ir->result_count;
    lun_cl_plan plan;
    uint64_t *read;
    if (j->kernel->joiner)
        return lun__host_run_combine(&j->k->services, lun__interpreter_exec(j->kernel->joiner),
                                     results, &j->launch, rows, pairs);
    lun__cl_plan_pairs(&j->kernel->shape, pairs, &plan);
    assert_int_equal(plan.work, 2 + 3 * pairs * results);
    uint64_t *start = calloc((size_t)plan.work, sizeof *start);
    assert_non_null(start);
    memcpy(start + 2 + pairs * results, rows, (size_t)(2 * pairs * results) * sizeof *start);
    cl_plan_run(j->kernel, &plan, j->slots, j->launch.args, start, plan.work, &read);
    lun_status s = cl_outcome(j->ir, read, plan.read, rows, &j->launch.trap, &j->launch.trap_value);
    free(start);
    free(read);
    return s;
}

static inline lun_status kit_run(kit *k, kit_kernel *kernel, const lun_ir *ir, void **slots,
                                 int64_t n, test_run *run)
{
    static const uint64_t zeros[2];
    lun_cl_plan plan;
    cl_slot on[128];
    uint64_t *read;
    assert_true(ir->slot_count <= 128 && ir->arg_count < 800);
    run->trap = -1;
    lun__cl_plan_make(&kernel->shape, run->first, n - run->first, cl_place.units, &plan);
    if (!plan.steps)
        return LUN_OK;
    for (int s = 0; s < ir->slot_count; s++)
        on[s] = cl_slot_make(&ir->slots[s], s, slots[s], n);
    assert_in_range(plan.clear, 0, 2);
    cl_plan_run(kernel, &plan, on, run->args, zeros, plan.clear, &read);
    cl_joint j = {k, kernel, ir, on, {.args = run->args, .trap = -1}};
    uint64_t *rows = test_cells(ir, n - run->first);
    lun_status s = cl_outcome(ir, read, plan.read, rows, &run->trap, &run->trap_value);
    if (s == LUN_OK && ir->result_count) {
        s = lun__order_join(rows, lun__order_chunks(ir, n - run->first),
                            (size_t)ir->result_count * sizeof *rows, cl_combine, &j);
        if (s != LUN_OK) {
            run->trap = j.launch.trap;
            run->trap_value = j.launch.trap_value;
        }
        memcpy(run->results, rows, (size_t)ir->result_count * sizeof *rows);
    }
    for (int i = 0; i < ir->slot_count; i++)
        cl_slot_end(&on[i],
                    (size_t)run->first * lun__dtype_get((lun_dtype)ir->slots[i].dtype)->bytes,
                    slots[i]);
    free(read);
    free(rows);
    return s;
}

/* ---- all devices ----------------------------------------------------------------------------- */

static inline void cl_describe(cl_handle device)
{
    uint64_t single = 0, both = 0;
    uint32_t units = 1, floats = 4;
    cl_place.device = device;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof cl_place.name, cl_place.name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_NATIVE_FLOATS, sizeof floats, &floats, NULL);
    clGetDeviceInfo(device, CL_DEVICE_FP_CONFIG, sizeof single, &single, NULL);
    clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof both, &both, NULL);
    cl_place.units = (int)units;
    cl_place.target.fp64 = both != 0;
    cl_place.target.wide_atomics = true;
    cl_place.target.coherent = true;
    const char *bytes = getenv("TEST_BYTES"); /* 16, 32: vectors of another width */
    cl_place.target.bytes = bytes ? atoi(bytes) : floats >= 16 ? 64 : floats >= 8 ? 32 : 16;
    snprintf(cl_place.options, sizeof cl_place.options, "%s %s", LUN_CL_OPTIONS,
             single & CL_ROUNDED_DIVIDE ? LUN_CL_ROUNDED : "");
}

/* Runs the group for a device in a form, if TEST_FORM (vector, scalar) does not say otherwise. */
static inline int cl_run_form(int (*group)(void), lun_cl_form form)
{
    const char *only = getenv("TEST_FORM"), *name = form == LUN_CL_VECTOR ? "vector" : "scalar";
    cl_error error;
    if (only && strcmp(only, name))
        return 0;
    cl_place.target.form = form;
    cl_place.context = clCreateContext(NULL, 1, &cl_place.device, NULL, NULL, &error);
    assert_int_equal(error, 0);
    cl_place.queue = clCreateCommandQueue(cl_place.context, cl_place.device, 0, &error);
    assert_int_equal(error, 0);
    printf("%s, %s form\n", cl_place.name, name);
    int failed = group();
    clReleaseCommandQueue(cl_place.queue);
    clReleaseContext(cl_place.context);
    return failed;
}

/* Runs the group on all devices: in both forms on PoCL's, in the scalar one elsewhere.  Devices
 * without f64 cannot run most kernels and are left out. */
static inline int cl_run_all(int (*group)(void))
{
    cl_handle platforms[16], devices[16];
    uint32_t count = 0, many, ran = 0;
    int failed = 0;
    if (!cl_load() || clGetPlatformIDs(16, platforms, &count) || count > 16)
        count = 0;
    for (uint32_t p = 0; p < count; p++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (clGetDeviceIDs(platforms[p], 0xffffffff, 16, devices, &many))
            continue;
        for (uint32_t d = 0; d < many && d < 16; d++) {
            cl_describe(devices[d]);
            if (!cl_place.target.fp64 || strstr(name, "Oclgrind"))
                continue;
            ran++;
            if (strstr(name, "Portable Computing Language"))
                failed += cl_run_form(group, LUN_CL_VECTOR);
            failed += cl_run_form(group, LUN_CL_SCALAR);
        }
    }
    if (!ran)
        printf("skipped: there is no OpenCL device with f64 here\n");
    return failed;
}

#include "kit_compare.h"

#endif
