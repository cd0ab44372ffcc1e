/* api.c - the OpenCL library by dlopen; see api.h. */
#include "opencl/api.h"

#include <dlfcn.h>
#include <string.h>

bool lun__opencl_api_load(lun_cl *cl, lun_strbuf *why)
{
    void *library = dlopen(LUN_CL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        lun__strbuf_printf(why,
                           "%s cannot be loaded (%s): install an OpenCL loader and a driver, such "
                           "as ocl-icd-libopencl1 and pocl-opencl-icd",
                           LUN_CL_LIBRARY, text ? text : "no reason given");
        return false;
    }
    const char *missing = NULL;
    void *address;
#define LUN_CL(name)                             \
    address = dlsym(library, #name);             \
    memcpy(&cl->name, &address, sizeof address); \
    if (!address)                                \
        missing = #name;
#include "opencl/entries.def"
#undef LUN_CL
    if (missing)
        lun__strbuf_printf(why, "%s has no %s: OpenCL 1.2 is needed", LUN_CL_LIBRARY, missing);
    return !missing;
}

bool lun__opencl_api_is_loaded(void)
{
    void *library = dlopen(LUN_CL_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library)
        dlclose(library); /* the reference just taken */
    return library != NULL;
}

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct error {
    cl_int code;
    lun_cl_sense sense;
    const char *name, *hint;
} error;

static const error *find(cl_int code)
{
    static const error errors[] = {
#define LUN_CL_ERROR(code, sense, hint) {code, LUN_CL_##sense, #code, hint},
#include "opencl/errors.def"
#undef LUN_CL_ERROR
        /* CL_PLATFORM_NOT_FOUND_KHR, which loaders answer without any driver, is not in CL/cl.h */
        {-1001, LUN_CL_OTHER, "CL_PLATFORM_NOT_FOUND_KHR",
         "no driver is installed: install one, such as pocl-opencl-icd"},
    };
    static const error unknown = {0, LUN_CL_OTHER, NULL, ""};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return &errors[i];
    return &unknown;
}

lun_cl_sense lun__opencl_api_sense(cl_int code)
{
    return find(code)->sense;
}

lun_gpu_failure lun__opencl_api_failure(const char *call, cl_int code)
{
    const error *e = find(code);
    return (lun_gpu_failure){.call = call,
                             .name = e->name,
                             .hint = e->hint,
                             .code = code,
                             .memory = e->sense == LUN_CL_MEMORY};
}
