/* cl_device.c - loads the library and lists devices; see cl_device.h. */
#include "opencl/cl_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "gpu/exit_wait.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/probe.h"
#include "gpu/signal_guard.h"
#include "opencl/api.h"
#include "render/render.h"

enum { ROUNDED = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT };

/* ---- one device ------------------------------------------------------------------------------ */

/* A text of a device or platform, "?" if there is none. */
static void text_of(cl_int status, char *text, size_t room)
{
    text[room - 1] = 0;
    if (status != CL_SUCCESS)
        snprintf(text, room, "?");
}

/* Asks a device, and remembers the first failure. */
typedef struct reader {
    const lun_cl *cl;
    cl_device_id id;
    cl_int code;
} reader;

static int64_t number(reader *r, cl_device_info what, size_t bytes)
{
    uint64_t x = 0; /* little-endian, as every device that is taken */
    cl_int code = r->cl->clGetDeviceInfo(r->id, what, bytes, &x, NULL);
    if (code != CL_SUCCESS) {
        r->code = r->code == CL_SUCCESS ? code : r->code;
        return 0;
    }
    return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

/* What an arithmetic lacks of that which results are defined by; NULL: nothing. */
static const char *lacking(int64_t config, int64_t more)
{
    return !(config & CL_FP_DENORM)             ? "subnormal numbers"
           : !(config & CL_FP_ROUND_TO_NEAREST) ? "rounding to nearest"
           : !(config & CL_FP_FMA)              ? "fused multiply-add"
           : (config & more) != more            ? "correctly rounded division"
                                                : NULL;
}

/* What the device can do beyond OpenCL 1.2: it says so by the names of extensions, or for f64 in
 * its own way. */
static void extensions(reader *r, lun_gpu_device *d)
{
    reader optional = *r; /* OpenCL 1.1 does not know the question for f64 */
    char names[16384] = "";
    cl_int code =
        r->cl->clGetDeviceInfo(r->id, CL_DEVICE_EXTENSIONS, sizeof names - 1, names, NULL);
    if (code != CL_SUCCESS)
        r->code = r->code == CL_SUCCESS ? code : r->code;
    const int64_t doubles =
        number(&optional, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config));
    d->fp64 = doubles != 0 || strstr(names, "cl_khr_fp64");
    d->lacks[1] = doubles ? lacking(doubles, 0) : NULL; /* the extension demands all of it */
    d->wide_atomics = strstr(names, "cl_khr_int64_base_atomics") != NULL;
    d->more_atomics = d->wide_atomics && strstr(names, "cl_khr_int64_extended_atomics");
    for (char *end; strlen(names) >= sizeof d->extensions; *end = 0) /* whole names alone */
        if (!(end = strrchr(names, ' ')))
            end = names;
    snprintf(d->extensions, sizeof d->extensions, "%.*s", (int)sizeof d->extensions - 1, names);
}

static void texts(const lun_cl *cl, cl_platform_id platform, lun_gpu_device *d)
{
    char vendor[128], version[256], target[256], own[96];
    text_of(cl->clGetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof d->name, d->name, NULL), d->name,
            sizeof d->name);
    text_of(cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof vendor, vendor, NULL), vendor,
            sizeof vendor);
    text_of(cl->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL),
            version, sizeof version);
    text_of(cl->clGetDeviceInfo(d->id, CL_DEVICE_VERSION, sizeof target, target, NULL), target,
            sizeof target);
    text_of(cl->clGetDeviceInfo(d->id, CL_DRIVER_VERSION, sizeof own, own, NULL), own, sizeof own);
    snprintf(d->driver, sizeof d->driver, "%s; %s; %s; %s", vendor, version, target, own);
    snprintf(d->platform_name, sizeof d->platform_name, "%s", vendor);
    snprintf(d->version, sizeof d->version, "%.127s", target);
    snprintf(d->own_driver, sizeof d->own_driver, "%s", own);
}

/* False for a device that cannot be used: gone, without a compiler, not for kernels, or (a code)
 * because it does not say what it is. */
static bool describe(const lun_cl *cl, cl_platform_id platform, cl_device_id id, lun_gpu_device *d,
                     cl_int *code)
{
    reader r = {.cl = cl, .id = id, .code = CL_SUCCESS};
    *d = (lun_gpu_device){.id = id, .platform = platform};
    int64_t type = number(&r, CL_DEVICE_TYPE, sizeof(cl_device_type));
    bool usable = (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CPU)) &&
                  number(&r, CL_DEVICE_AVAILABLE, sizeof(cl_bool)) &&
                  number(&r, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)) &&
                  number(&r, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool));
    d->memory = number(&r, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    d->most_bytes = number(&r, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    d->parameter_bytes = number(&r, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t));
    d->group = number(&r, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    d->local_bytes = number(&r, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
    d->units = (int)number(&r, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    d->vector = 4 * (int)number(&r, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint));
    const int64_t singles = number(&r, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config));
    d->options = singles & ROUNDED ? LUN_CL_OPTIONS " " LUN_CL_ROUNDED : LUN_CL_OPTIONS;
    d->lacks[0] = lacking(singles, ROUNDED);
    extensions(&r, d);
    texts(cl, platform, d);
    /* some drivers' devices claim to be all of these */
    d->kind = type & CL_DEVICE_TYPE_GPU           ? LUN_GPU_GRAPHICS
              : type & CL_DEVICE_TYPE_ACCELERATOR ? LUN_GPU_ACCELERATOR
                                                  : LUN_GPU_PROCESSOR;
    /* what the host and the kernels of a processor share is in its caches' care */
    bool unified = number(&r, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)) != 0;
    d->unified = unified;
    d->coherence = d->kind == LUN_GPU_PROCESSOR && unified ? LUN_GPU_COHERENT : LUN_GPU_UNTRIED;
    d->host = d->kind == LUN_GPU_PROCESSOR ? lun__gpu_device_host_here() : 0;
    *code = r.code;
    return usable && r.code == CL_SUCCESS;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool list_devices(const lun_cl *cl, lun_gpu_devices *out, lun_strbuf *why)
{
    cl_platform_id platforms[LUN_GPU_DEVICES];
    cl_device_id ids[LUN_GPU_DEVICES];
    cl_uint count = 0, found = 0;
    cl_int unanswered = CL_DEVICE_NOT_FOUND;
    int refused = 0;
    out->count = out->silent = 0;
    cl_int status = cl->clGetPlatformIDs(LUN_GPU_DEVICES, platforms, &count);
    if (status != CL_SUCCESS) {
        lun__gpu_state_failure_text(why, lun__opencl_api_failure("clGetPlatformIDs", status));
        return false;
    }
    for (cl_uint p = 0; p < count && p < LUN_GPU_DEVICES; p++) {
        cl_int answer =
            cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, LUN_GPU_DEVICES, ids, &found);
        if (answer != CL_SUCCESS) {
            unanswered = answer;
            continue;
        }
        for (cl_uint i = 0; i < found && i < LUN_GPU_DEVICES; i++) {
            lun_gpu_device d;
            cl_int code;
            bool usable = describe(cl, platforms[p], ids[i], &d, &code);
            refused += !usable;
            if (code != CL_SUCCESS) {
                out->silent++;
                out->unclear = lun__opencl_api_failure("clGetDeviceInfo", code);
            } else if (usable && out->count < LUN_GPU_DEVICES) {
                lun__gpu_device_insert(out, &d);
            }
        }
    }
    if (out->count)
        return true;
    if (!count)
        lun__strbuf_puts(why, "no OpenCL driver is installed (such as pocl-opencl-icd)");
    else if (out->silent)
        lun__gpu_state_failure_text(why, out->unclear);
    else if (refused)
        lun__strbuf_printf(why, "none of %d OpenCL devices can compile kernels", refused);
    else
        lun__gpu_state_failure_text(why, lun__opencl_api_failure("clGetDeviceIDs", unanswered));
    return false;
}

/* ---- the library ----------------------------------------------------------------------------- */

/* Has a device compile and run a kernel: a driver whose linker is missing aborts only then.
 * Nothing is released, for the process ends. */
static void try_kernel(const lun_cl *cl, cl_device_id id)
{
    static const size_t one = 1;
    const char *text = "__kernel void lun_probe(__global int *p) { p[0] = 1; }";
    cl_int code;
    cl_context context = cl->clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    cl_command_queue queue = context ? cl->clCreateCommandQueue(context, id, 0, &code) : NULL;
    cl_program p = queue ? cl->clCreateProgramWithSource(context, 1, &text, NULL, &code) : NULL;
    if (!p || cl->clBuildProgram(p, 1, &id, LUN_CL_OPTIONS, NULL, NULL) != CL_SUCCESS)
        return;
    cl_kernel kernel = cl->clCreateKernel(p, "lun_probe", &code);
    cl_mem memory = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &code);
    if (kernel && memory && cl->clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS &&
        cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL) == CL_SUCCESS)
        cl->clFinish(queue);
}

/* The two calls that make the loader load its drivers, and these look for their devices; then a
 * kernel on the first device of each. */
static void ask(void)
{
    cl_platform_id platforms[LUN_GPU_DEVICES];
    cl_device_id ids[LUN_GPU_DEVICES];
    cl_uint count = 0, found;
    lun_strbuf why = LUN_STRBUF_INIT; /* the parent finds the same, and says it */
    lun_cl cl;
    if (!lun__opencl_api_load(&cl, &why) ||
        cl.clGetPlatformIDs(LUN_GPU_DEVICES, platforms, &count) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < LUN_GPU_DEVICES; i++)
        if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, LUN_GPU_DEVICES, ids, &found) ==
                CL_SUCCESS &&
            found)
            try_kernel(&cl, ids[0]);
}

/* A library that is part of the process was asked before, or its host uses OpenCL itself. */
static bool load(lun_cl *cl, lun_strbuf *why)
{
    static const lun_gpu_question question = {.ask = ask,
                                              .who = "an OpenCL driver",
                                              .timeout = "LUNARRAY_OPENCL_TIMEOUT",
                                              .hint = "see the files in "
                                                      "/etc/OpenCL/vendors; PoCL needs the "
                                                      "linker ld in PATH"};
    /* a child forked while another thread loads a library would wait for the loader's lock */
    static pthread_mutex_t one_asks = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_asks);
    bool loaded = (lun__library_is_loaded(LUN_LIBRARY_OPENCL) || lun__gpu_probe(&question, why)) &&
                  lun__opencl_api_load(cl, why);
    pthread_mutex_unlock(&one_asks);
    return loaded;
}

void *lun__cl_device_list(lun_gpu_devices *out, lun_strbuf *why)
{
    lun_guard g;
    lun_cl *cl = malloc(sizeof *cl);
    if (!cl)
        lun__strbuf_puts(why, "out of memory");
    bool any = cl && load(cl, why);
    if (any) {
        lun__guard_enter(&g, true);
        any = list_devices(cl, out, why);
        lun__guard_leave(&g);
    }
    if (any) {
        lun__exit_wait_prepare();
        return cl;
    }
    free(cl);
    return NULL;
}
