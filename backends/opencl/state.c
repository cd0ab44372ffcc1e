/* state.c - context and queue of a device, made on first use, and how failures are told; see state.h. */
#include "opencl/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opencl/guard.h"

lun_status lun_opencl_fail(lun_opencl *o, lun_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun_strbuf_clear(o->services->error);
    lun_strbuf_puts(o->services->error, "backend opencl: ");
    lun_strbuf_vprintf(o->services->error, format, args);
    va_end(args);
    return s;
}

void lun_opencl_die(lun_opencl *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!o->dead)
        vsnprintf(o->reason, sizeof o->reason, format, args);
    va_end(args);
    o->dead = true;
}

static lun_status tell(lun_opencl *o, const char *call, cl_int code)
{
    lun_opencl_fail(o, LUN_EBACKEND, "%s: ", o->device.name);
    lun_cl_error_text(o->services->error, call, code);
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ? LUN_ENOMEM
                                                                                     : LUN_EBACKEND;
}

lun_status lun_opencl_failed(lun_opencl *o, const char *call, cl_int code)
{
    return tell(o, call, code);
}

lun_status lun_opencl_lost(lun_opencl *o, const char *call, cl_int code)
{
    switch (code) {
    case CL_OUT_OF_RESOURCES:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_CONTEXT:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: {
        const char *name = lun_cl_error_name(code);
        lun_opencl_die(o, "%s said %s", call, name);
        break;
    }
    default:
        break;
    }
    return tell(o, call, code);
}

bool lun_opencl_may_release(const lun_opencl *o)
{
    return o->owner == getpid() && !o->stuck;
}

int64_t lun_opencl_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static lun_status make(lun_opencl *o)
{
    lun_guard g;
    cl_int code;
    lun_guard_enter(&g, true);
    const char *call = "clCreateContext";
    cl_context context = o->cl.clCreateContext(NULL, 1, &o->device.id, NULL, NULL, &code);
    if (context) {
        call = "clCreateCommandQueue";
        o->queue =
            o->cl.clCreateCommandQueue(context, o->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
        if (o->queue)
            o->context = context;
        else
            o->cl.clReleaseContext(context);
    }
    lun_guard_leave(&g);
    return o->queue ? LUN_OK : lun_opencl_failed(o, call, code);
}

lun_status lun_opencl_ready(lun_opencl *o)
{
    if (o->owner != getpid())
        return lun_opencl_fail(o, LUN_EBACKEND,
                               "this process is a child of the one that opened %s, and drivers do "
                               "not survive a fork: use backend openmp here",
                               o->device.name);
    if (o->dead)
        return lun_opencl_fail(o, LUN_EBACKEND,
                               "%s cannot be used any more (%s): use backend openmp, or start anew",
                               o->device.name, o->reason);
    return o->queue ? LUN_OK : make(o);
}
