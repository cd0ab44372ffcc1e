/* cl_faults.c - stands between a program and the OpenCL library: passes every call on, but lets one
 * of them fail, counts what is made and released, knows which commands may read memory of the host,
 * and can crash where drivers do.
 *
 * Built as libOpenCL.so.1 in a directory of its own; LD_LIBRARY_PATH puts it before the real one.
 * LUN_TEST_CL=abort, exit or hang: what the first clGetPlatformIDs does; plain: the compiler knows
 * no GNU vectors; nof64: devices have no double; no64: nor atomic operations on 64 bits; flush:
 * no subnormal floats; nofma: no fma of doubles; other: exp of doubles has other bits; tight:
 * kernels have work-groups of 3 at most, as they say once they are made; deaf: kernels see nothing
 * of what the host writes to mapped memory.  LUN_TEST_CL_CALLERS: a file that gets a line for
 * each call of clGetPlatformIDs, with the object that the call comes from.  LUN_TEST_CL_TRACE: one
 * that gets a line for each command with an event, or several.  LUN_TEST_CL_TEXTS: one that gets
 * the texts of programs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#pragma GCC visibility push(default)

/* ---- control --------------------------------------------------------------------------------- */

static long calls, fail_at, fail_count = 1, alive, released_busy, unheard;
static cl_int fail_code;
static const char *failed;

/* The k-th call from now fails with the code; 0: none. */
void lun_test_cl_fail(long k, int code);
void lun_test_cl_fail(long k, int code)
{
    calls = 0;
    fail_at = k;
    fail_code = code;
    failed = NULL;
}

/* How many calls in a row fail from now on, each time. */
void lun_test_cl_fail_row(long count);
void lun_test_cl_fail_row(long count)
{
    fail_count = count;
}

/* Name of the first call that failed, or NULL. */
const char *lun_test_cl_failed(void);
const char *lun_test_cl_failed(void)
{
    return failed;
}

/* Objects made and not released. */
long lun_test_cl_alive(void);
long lun_test_cl_alive(void)
{
    return alive;
}

static int fails(const char *name)
{
    calls++;
    if (fail_at <= 0 || calls < fail_at || calls >= fail_at + fail_count)
        return 0;
    if (!failed)
        failed = name;
    unheard += !strcmp(name, "clFinish") || !strcmp(name, "clWaitForEvents");
    return 1;
}

/* Commands given to queues, in order; `host`: it reads memory of the host until it ends.  What is
 * before an ended one in its queue has ended too. */
typedef struct given {
    cl_command_queue queue;
    cl_event event; /* NULL: none; may be the handle of a later one again */
    int host, ended;
} given;
static given *commands;
static size_t command_count, command_room;

static void note_end(cl_command_queue q, size_t end)
{
    for (size_t i = 0; i < end; i++)
        if (commands[i].queue == q)
            commands[i].ended = 1;
}

/* What a successful call has given; `blocks`: it and what was before it have ended. */
static void note_given(cl_command_queue q, const cl_event *event, int host, int blocks)
{
    if (command_count == command_room) {
        command_room = command_room ? 2 * command_room : 256;
        commands = realloc(commands, command_room * sizeof *commands);
        if (!commands)
            abort();
    }
    commands[command_count++] = (given){q, event ? *event : NULL, host, 0};
    if (blocks)
        note_end(q, command_count);
}

static void note_ended_event(cl_event e)
{
    for (size_t i = command_count; i > 0; i--)
        if (commands[i - 1].event == e) {
            note_end(commands[i - 1].queue, i);
            return;
        }
}

static long unended(void)
{
    long n = 0;
    for (size_t i = 0; i < command_count; i++)
        n += commands[i].host && !commands[i].ended;
    return n;
}

/* Commands that read memory of the host and that no call since the last one of this has waited
 * for. */
long lun_test_cl_reading(void);
long lun_test_cl_reading(void)
{
    const long n = unended();
    command_count = 0;
    return n;
}

/* Waits for an end that have failed, since the last call. */
long lun_test_cl_unheard(void);
long lun_test_cl_unheard(void)
{
    const long n = unheard;
    unheard = 0;
    return n;
}

/* Objects but events that were released while there were such commands, since the last call. */
long lun_test_cl_released_busy(void);
long lun_test_cl_released_busy(void)
{
    const long n = released_busy;
    released_busy = 0;
    return n;
}

static void *real(const char *name)
{
    static const char *const places[] = {"/usr/lib/x86_64-linux-gnu/libOpenCL.so.1",
                                         "/usr/lib/aarch64-linux-gnu/libOpenCL.so.1",
                                         "/usr/lib64/libOpenCL.so.1", "/usr/lib/libOpenCL.so.1"};
    static void *library;
    for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, name) : NULL;
    if (!address)
        abort();
    return address;
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define REAL(name)               \
    __typeof__(&name) call;      \
    void *address = real(#name); \
    memcpy(&call, &address, sizeof address)

#define STATUS(name, params, args)                   \
    CL_API_ENTRY cl_int CL_API_CALL name params      \
    {                                                \
        REAL(name);                                  \
        return fails(#name) ? fail_code : call args; \
    }

/* Calls that give a command to queue q, and its event. */
#define EVENT(name, params, args, host, blocks) \
    CL_API_ENTRY cl_int CL_API_CALL name params \
    {                                           \
        REAL(name);                             \
        if (fails(#name))                       \
            return fail_code;                   \
        cl_int code = call args;                \
        alive += event && code == CL_SUCCESS;   \
        if (code == CL_SUCCESS)                 \
            note_given(q, event, host, blocks); \
        return code;                            \
    }

#define MAKE(type, name, params, args)        \
    CL_API_ENTRY type CL_API_CALL name params \
    {                                         \
        REAL(name);                           \
        if (fails(#name)) {                   \
            if (code)                         \
                *code = fail_code;            \
            return NULL;                      \
        }                                     \
        type made = call args;                \
        alive += made != NULL;                \
        return made;                          \
    }

/* Even where it reports a failure the object goes. */
#define RELEASE(name, type)                           \
    CL_API_ENTRY cl_int CL_API_CALL name(type object) \
    {                                                 \
        REAL(name);                                   \
        cl_int code = call(object);                   \
        alive--;                                      \
        if (strcmp(#name, "clReleaseEvent") != 0)     \
            released_busy += unended() > 0;           \
        return fails(#name) ? fail_code : code;       \
    }

#define RETAIN(name, type)                            \
    CL_API_ENTRY cl_int CL_API_CALL name(type object) \
    {                                                 \
        REAL(name);                                   \
        if (fails(#name))                             \
            return fail_code;                         \
        cl_int code = call(object);                   \
        alive += code == CL_SUCCESS;                  \
        return code;                                  \
    }

static int asked_to(const char *what)
{
    const char *how = getenv("LUN_TEST_CL");
    return how && !strcmp(how, what);
}

static void misbehave(void)
{
    if (asked_to("abort"))
        abort();
    if (asked_to("exit"))
        _exit(0);
    while (asked_to("hang"))
        pause();
}

static void note_caller(void *address)
{
    const char *path = getenv("LUN_TEST_CL_CALLERS");
    FILE *f = path ? fopen(path, "ae") : NULL;
    Dl_info from;
    if (!f)
        return;
    fprintf(f, "%s\n", dladdr(address, &from) ? from.dli_fname : "?");
    fclose(f);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint n, cl_platform_id *p, cl_uint *count)
{
    REAL(clGetPlatformIDs);
    note_caller(__builtin_return_address(0));
    misbehave();
    return fails("clGetPlatformIDs") ? fail_code : call(n, p, count);
}

STATUS(clGetPlatformInfo, (cl_platform_id p, cl_platform_info i, size_t n, void *v, size_t *r),
       (p, i, n, v, r))
STATUS(clGetDeviceIDs,
       (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *count),
       (p, t, n, d, count))

/* Takes a name out of a list. */
static void forget(char *list, const char *name)
{
    char *at = strstr(list, name);
    if (at)
        memset(at, 'x', strlen(name));
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id d, cl_device_info i, size_t n, void *v,
                                                size_t *r)
{
    REAL(clGetDeviceInfo);
    if (fails("clGetDeviceInfo"))
        return fail_code;
    cl_int code = call(d, i, n, v, r);
    if (code != CL_SUCCESS || !v)
        return code;
    if (i == CL_DEVICE_DOUBLE_FP_CONFIG && asked_to("nof64"))
        memset(v, 0, n);
    if (i == CL_DEVICE_SINGLE_FP_CONFIG && asked_to("flush"))
        *(cl_device_fp_config *)v &= ~(cl_device_fp_config)CL_FP_DENORM;
    if (i == CL_DEVICE_DOUBLE_FP_CONFIG && asked_to("nofma"))
        *(cl_device_fp_config *)v &= ~(cl_device_fp_config)CL_FP_FMA;
    if (i == CL_DEVICE_EXTENSIONS && asked_to("nof64"))
        forget(v, "cl_khr_fp64");
    if (i == CL_DEVICE_EXTENSIONS && asked_to("no64"))
        forget(v, "cl_khr_int64_base_atomics");
    return code;
}

STATUS(clCreateSubDevices,
       (cl_device_id d, const cl_device_partition_property *p, cl_uint n, cl_device_id *made,
        cl_uint *count),
       (d, p, n, made, count))
STATUS(clRetainDevice, (cl_device_id d), (d))
STATUS(clReleaseDevice, (cl_device_id d), (d))

MAKE(cl_context, clCreateContext,
     (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
      void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *c, cl_int *code),
     (p, n, d, f, c, code))

RETAIN(clRetainContext, cl_context)

RELEASE(clReleaseContext, cl_context)
MAKE(cl_command_queue, clCreateCommandQueue,
     (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code), (c, d, p, code))
RELEASE(clReleaseCommandQueue, cl_command_queue)
MAKE(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code),
     (c, f, n, p, code))
RELEASE(clReleaseMemObject, cl_mem)
EVENT(clEnqueueReadBuffer,
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *p, cl_uint c,
       const cl_event *w, cl_event *event),
      (q, m, b, o, n, p, c, w, event), 0, b == CL_TRUE)
EVENT(clEnqueueWriteBuffer,
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void *p, cl_uint c,
       const cl_event *w, cl_event *event),
      (q, m, b, o, n, p, c, w, event), 1, b == CL_TRUE)

EVENT(clEnqueueCopyBuffer,
      (cl_command_queue q, cl_mem from, cl_mem to, size_t a, size_t b, size_t n, cl_uint c,
       const cl_event *w, cl_event *event),
      (q, from, to, a, b, n, c, w, event), 0, 0)

/* One mapping at a time is enough for memory that stays mapped. */
static char beside[4096] __attribute__((aligned(4096)));
static void *mapped;

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b,
                                                  cl_map_flags f, size_t o, size_t n, cl_uint c,
                                                  const cl_event *w, cl_event *event, cl_int *code)
{
    REAL(clEnqueueMapBuffer);
    if (fails("clEnqueueMapBuffer")) {
        *code = fail_code;
        return NULL;
    }
    void *made = call(q, m, b, f, o, n, c, w, event, code);
    alive += made != NULL;
    if (!made || !asked_to("deaf") || n > sizeof beside)
        return made;
    memset(made, 0, n);
    mapped = made;
    return beside;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p,
                                                        cl_uint c, const cl_event *w,
                                                        cl_event *event)
{
    REAL(clEnqueueUnmapMemObject);
    cl_int code = call(q, m, p == beside ? mapped : p, c, w, event);
    alive--;
    return fails("clEnqueueUnmapMemObject") ? fail_code : code;
}

static const char no_vectors[] = "#error no vectors here\n";

static void note_text(const char *text)
{
    const char *path = getenv("LUN_TEST_CL_TEXTS");
    FILE *f = path ? fopen(path, "ae") : NULL;
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}

/* Texts come in one piece that ends with a 0. */
CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context c, cl_uint n,
                                                              const char **s, const size_t *l,
                                                              cl_int *code)
{
    const char *text = no_vectors;
    REAL(clCreateProgramWithSource);
    if (fails("clCreateProgramWithSource")) {
        if (code)
            *code = fail_code;
        return NULL;
    }
    note_text(*s);
    char *changed = asked_to("other") ? strdup(*s) : NULL, *at = NULL;
    if (changed && (at = strstr(changed, "0x1.5555555555500p-3"))) {
        at[13] = '6';
        s = (const char **)&changed, l = NULL;
    }
    if (asked_to("plain") && strstr(*s, "vector_size"))
        s = &text, l = NULL;
    cl_program made = call(c, n, s, l, code);
    alive += made != NULL;
    free(changed);
    return made;
}

MAKE(cl_program, clCreateProgramWithBinary,
     (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b,
      cl_int *status, cl_int *code),
     (c, n, d, l, b, status, code))
STATUS(clBuildProgram,
       (cl_program p, cl_uint n, const cl_device_id *d, const char *o,
        void(CL_CALLBACK *f)(cl_program, void *), void *c),
       (p, n, d, o, f, c))
STATUS(clGetProgramInfo, (cl_program p, cl_program_info i, size_t n, void *v, size_t *r),
       (p, i, n, v, r))
STATUS(clGetProgramBuildInfo,
       (cl_program p, cl_device_id d, cl_program_build_info i, size_t n, void *v, size_t *r),
       (p, d, i, n, v, r))
RELEASE(clReleaseProgram, cl_program)
MAKE(cl_kernel, clCreateKernel, (cl_program p, const char *n, cl_int *code), (p, n, code))
RELEASE(clReleaseKernel, cl_kernel)

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d,
                                                         cl_kernel_work_group_info i, size_t n,
                                                         void *v, size_t *r)
{
    REAL(clGetKernelWorkGroupInfo);
    if (fails("clGetKernelWorkGroupInfo"))
        return fail_code;
    cl_int code = call(k, d, i, n, v, r);
    if (code == CL_SUCCESS && v && i == CL_KERNEL_WORK_GROUP_SIZE && asked_to("tight"))
        memcpy(v, &(size_t){3}, sizeof(size_t));
    return code;
}

STATUS(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
EVENT(clEnqueueNDRangeKernel,
      (cl_command_queue q, cl_kernel k, cl_uint n, const size_t *o, const size_t *g,
       const size_t *l, cl_uint c, const cl_event *w, cl_event *event),
      (q, k, n, o, g, l, c, w, event), 0, 0)
STATUS(clFlush, (cl_command_queue q), (q))

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue q)
{
    REAL(clFinish);
    if (fails("clFinish"))
        return fail_code;
    cl_int code = call(q);
    if (code == CL_SUCCESS)
        note_end(q, command_count);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *e)
{
    REAL(clWaitForEvents);
    if (fails("clWaitForEvents"))
        return fail_code;
    cl_int code = call(n, e);
    for (cl_uint i = 0; code == CL_SUCCESS && i < n; i++)
        note_ended_event(e[i]);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event e, cl_event_info i, size_t n, void *v,
                                               size_t *r)
{
    REAL(clGetEventInfo);
    if (fails("clGetEventInfo"))
        return fail_code;
    cl_int code = call(e, i, n, v, r);
    if (code == CL_SUCCESS && i == CL_EVENT_COMMAND_EXECUTION_STATUS && *(cl_int *)v <= CL_COMPLETE)
        note_ended_event(e);
    return code;
}

STATUS(clGetEventProfilingInfo, (cl_event e, cl_profiling_info i, size_t n, void *v, size_t *r),
       (e, i, n, v, r))
RETAIN(clRetainEvent, cl_event)

static cl_ulong time_of(cl_event e, cl_profiling_info what)
{
    REAL(clGetEventProfilingInfo);
    cl_ulong t = 0;
    return call(e, what, sizeof t, &t, NULL) == CL_SUCCESS ? t : 0;
}

/* What an event that an owner gives back is about: device, command, submitted, start, end. */
static void trace(cl_event e)
{
    const char *path = getenv("LUN_TEST_CL_TRACE");
    REAL(clGetEventInfo);
    cl_uint type = 0;
    cl_command_queue q = NULL;
    cl_device_id d = NULL;
    FILE *f;
    if (!path || !time_of(e, CL_PROFILING_COMMAND_END) ||
        call(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL) ||
        call(e, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL) || !(f = fopen(path, "ae")))
        return;
    void *info = real("clGetCommandQueueInfo");
    __typeof__(&clGetCommandQueueInfo) of_queue;
    memcpy(&of_queue, &info, sizeof info);
    of_queue(q, CL_QUEUE_DEVICE, sizeof d, &d, NULL);
    fprintf(f, "%p %s %llu %llu %llu\n", (void *)d,
            type == CL_COMMAND_NDRANGE_KERNEL ? "kernel"
            : type == CL_COMMAND_COPY_BUFFER  ? "copy"
                                              : "transfer",
            (unsigned long long)time_of(e, CL_PROFILING_COMMAND_SUBMIT),
            (unsigned long long)time_of(e, CL_PROFILING_COMMAND_START),
            (unsigned long long)time_of(e, CL_PROFILING_COMMAND_END));
    fclose(f);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event object)
{
    REAL(clReleaseEvent);
    trace(object);
    cl_int code = call(object);
    alive--;
    return fails("clReleaseEvent") ? fail_code : code;
}
