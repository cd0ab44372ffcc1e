/* api.c - the functions of the OpenCL library; see api.h. */
#include "opencl/api.h"

#include <string.h>

#include "base/library.h"

bool lun__opencl_api_load(lun_cl *cl, lun_strbuf *why)
{
    const lun_library_row *row = lun__library_row(LUN_LIBRARY_OPENCL);
    lun_library library;
    lun_strbuf reason = LUN_STRBUF_INIT;
    if (!lun__library_open(LUN_LIBRARY_OPENCL, false, &library, &reason)) {
        lun__strbuf_printf(why, "%s: %s", lun__strbuf_text(&reason), row->install);
        lun__strbuf_free(&reason);
        return false;
    }
    const char *missing = NULL;
    void *address;
#define LUN_CL(name)                                      \
    address = lun__library_symbol(library.handle, #name); \
    memcpy(&cl->name, &address, sizeof address);          \
    if (!address)                                         \
        missing = #name;
#include "opencl/entries.def"
#undef LUN_CL
    if (missing)
        lun__strbuf_printf(why, "%s has no %s: OpenCL 1.2 is needed", library.path, missing);
    return !missing;
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
