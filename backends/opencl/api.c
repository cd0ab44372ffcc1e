/* api.c - the OpenCL library by dlopen; see api.h. */
#include "opencl/api.h"

#include <dlfcn.h>
#include <string.h>

bool lun_cl_load(lun_cl *cl, lun_strbuf *why)
{
    void *library = dlopen(LUN_CL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        lun_strbuf_printf(why,
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
        lun_strbuf_printf(why, "%s has no %s: OpenCL 1.2 is needed", LUN_CL_LIBRARY, missing);
    return !missing;
}

bool lun_cl_is_loaded(void)
{
    void *library = dlopen(LUN_CL_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library)
        dlclose(library); /* the reference just taken */
    return library != NULL;
}

/* ---- errors -------------------------------------------------------------------------------------- */

static const struct error {
    cl_int code;
    const char *name, *hint;
} errors[] = {
#define LUN_CL_ERROR(code, hint) {code, #code, hint},
#include "opencl/errors.def"
#undef LUN_CL_ERROR
};

static const struct error *find(cl_int code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return &errors[i];
    /* what loaders answer without any driver: CL_PLATFORM_NOT_FOUND_KHR */
    static const struct error none = {-1001, "CL_PLATFORM_NOT_FOUND_KHR",
                                      "no driver is installed: install one, such as "
                                      "pocl-opencl-icd"};
    return code == none.code ? &none : NULL;
}

const char *lun_cl_error_name(cl_int code)
{
    const struct error *e = find(code);
    return e ? e->name : NULL;
}

const char *lun_cl_error_hint(cl_int code)
{
    const struct error *e = find(code);
    return e ? e->hint : "";
}

void lun_cl_error_text(lun_strbuf *out, const char *call, cl_int code)
{
    const char *name = lun_cl_error_name(code), *hint = lun_cl_error_hint(code);
    lun_strbuf_printf(out, "%s: %s (%d)%s%s", call, name ? name : "an unknown error", (int)code,
                      *hint ? ": " : "", hint);
}
