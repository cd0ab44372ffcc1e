/* device.c - lists and orders devices; see device.h. */
#include "opencl/device.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDED = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT };

/* ---- one device ---------------------------------------------------------------------------------- */

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

static bool has_fp64(reader *r)
{
    reader optional = *r; /* OpenCL 1.1 has an extension instead */
    char extensions[16384] = "";
    if (number(&optional, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) != 0)
        return true;
    cl_int code = r->cl->clGetDeviceInfo(r->id, CL_DEVICE_EXTENSIONS, sizeof extensions - 1,
                                         extensions, NULL);
    return code == CL_SUCCESS && strstr(extensions, "cl_khr_fp64");
}

static void texts(const lun_cl *cl, lun_cl_device *d)
{
    char vendor[128], version[256], target[256], own[96];
    text_of(cl->clGetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof d->name, d->name, NULL), d->name,
            sizeof d->name);
    text_of(cl->clGetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof vendor, vendor, NULL),
            vendor, sizeof vendor);
    text_of(cl->clGetPlatformInfo(d->platform, CL_PLATFORM_VERSION, sizeof version, version, NULL),
            version, sizeof version);
    text_of(cl->clGetDeviceInfo(d->id, CL_DEVICE_VERSION, sizeof target, target, NULL), target,
            sizeof target);
    text_of(cl->clGetDeviceInfo(d->id, CL_DRIVER_VERSION, sizeof own, own, NULL), own, sizeof own);
    snprintf(d->driver, sizeof d->driver, "%s; %s; %s; %s", vendor, version, target, own);
}

uint64_t lun_cl_host_features(const char *cpuinfo)
{
    static const char *const names[] = {"\nflags", "\nFeatures", "\nisa"};
    uint64_t hash = 0xcbf29ce484222325u;
    const char *line = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !line; i++)
        line = strstr(cpuinfo, names[i]);
    if (!line)
        return 0;
    for (line++; *line && *line != '\n'; line++)
        hash = (hash ^ (unsigned char)*line) * 0x100000001b3u;
    return hash;
}

/* Of this machine's first processor: two with the same name may differ, as virtual ones do. */
static uint64_t features_here(void)
{
    char text[16384];
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    return lun_cl_host_features(text);
}

/* False for a device that cannot be used: gone, without a compiler, not for kernels, or (a code) because
 * it does not tell what it is. */
static bool describe(const lun_cl *cl, cl_platform_id platform, cl_device_id id, lun_cl_device *d,
                     cl_int *code)
{
    reader r = {.cl = cl, .id = id, .code = CL_SUCCESS};
    *d = (lun_cl_device){.platform = platform, .id = id};
    d->type = (cl_device_type)number(&r, CL_DEVICE_TYPE, sizeof d->type);
    bool usable =
        (d->type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CPU)) &&
        number(&r, CL_DEVICE_AVAILABLE, sizeof(cl_bool)) &&
        number(&r, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)) &&
        number(&r, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool));
    d->memory = number(&r, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    d->most_bytes = number(&r, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    d->parameter_bytes = number(&r, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t));
    d->group = (size_t)number(&r, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    d->units = (int)number(&r, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    d->vector = 4 * (int)number(&r, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint));
    d->rounded = number(&r, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config)) & ROUNDED;
    d->fp64 = has_fp64(&r);
    texts(cl, d);
    d->host = d->type & CL_DEVICE_TYPE_CPU ? features_here() : 0;
    *code = r.code;
    return usable && r.code == CL_SUCCESS;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static int rank_of(const lun_cl_device *d)
{
    return d->type & CL_DEVICE_TYPE_GPU ? 0 : d->type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

/* Best first; equals stay in their order. */
static void insert(lun_cl_devices *list, const lun_cl_device *d)
{
    int at = list->count++;
    for (; at > 0 && rank_of(&list->device[at - 1]) > rank_of(d); at--)
        list->device[at] = list->device[at - 1];
    list->device[at] = *d;
}

bool lun_cl_devices_list(const lun_cl *cl, lun_cl_devices *out, lun_strbuf *why)
{
    cl_platform_id platforms[LUN_CL_DEVICES];
    cl_device_id ids[LUN_CL_DEVICES];
    cl_uint count = 0, found = 0;
    int refused = 0;
    out->count = out->silent = 0;
    out->unclear = CL_SUCCESS;
    cl_int status = cl->clGetPlatformIDs(LUN_CL_DEVICES, platforms, &count);
    if (status != CL_SUCCESS) {
        lun_cl_error_text(why, "clGetPlatformIDs", status);
        return false;
    }
    for (cl_uint p = 0; p < count && p < LUN_CL_DEVICES; p++) {
        cl_int answer =
            cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, LUN_CL_DEVICES, ids, &found);
        if (answer != CL_SUCCESS) {
            status = answer;
            continue;
        }
        for (cl_uint i = 0; i < found && i < LUN_CL_DEVICES; i++) {
            lun_cl_device d;
            cl_int code;
            if (!describe(cl, platforms[p], ids[i], &d, &code)) {
                refused++;
                out->silent += code != CL_SUCCESS;
                out->unclear = code != CL_SUCCESS ? code : out->unclear;
            } else if (out->count < LUN_CL_DEVICES) {
                insert(out, &d);
            }
        }
    }
    if (out->count)
        return true;
    if (!count)
        lun_strbuf_puts(why, "no OpenCL driver is installed (such as pocl-opencl-icd)");
    else if (out->silent)
        lun_cl_error_text(why, "clGetDeviceInfo", out->unclear);
    else if (refused)
        lun_strbuf_printf(why, "none of %d OpenCL devices can compile kernels", refused);
    else
        lun_cl_error_text(why, "clGetDeviceIDs",
                          status == CL_SUCCESS ? CL_DEVICE_NOT_FOUND : status);
    return false;
}

lun_device lun_cl_device_row(const lun_cl_device *d)
{
    static const char *const kinds[] = {"gpu", "accelerator", "cpu"};
    lun_device row = {.backend = "opencl", .memory = d->memory, .units = d->units};
    snprintf(row.name, sizeof row.name, "%.127s", d->name);
    snprintf(row.kind, sizeof row.kind, "%s", kinds[rank_of(d)]);
    return row;
}

bool lun_cl_gpu_node(void)
{
    static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/dri/renderD*", "/dev/kfd"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        bool is = glob(patterns[i], GLOB_NOSORT, NULL, &found) == 0;
        globfree(&found);
        if (is)
            return true;
    }
    return false;
}
