/* api.h - the OpenCL library: found at run time, its functions by name, its errors as text.
 *
 * Nothing of this program is linked with OpenCL: the library is opened when the backend is, and is
 * never closed again, because drivers do not survive that.  Knows no device and no kernel. */
#ifndef LUN_OPENCL_API_H
#define LUN_OPENCL_API_H

#include <stdbool.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/strbuf.h"

typedef struct lun_cl {
#define LUN_CL(name) __typeof__(&name) name;
#include "opencl/entries.def"
#undef LUN_CL
} lun_cl;

/* The library's name, as the loader is asked for it. */
#define LUN_CL_LIBRARY "libOpenCL.so.1"

/* Opens the library and finds all its functions; false with the reason appended to why. */
bool lun_cl_load(lun_cl *cl, lun_strbuf *why);
/* True if the library is part of this process already, by us or by the host. */
bool lun_cl_is_loaded(void);

/* "CL_OUT_OF_RESOURCES"; NULL for a code that is not in the table. */
const char *lun_cl_error_name(cl_int code);
/* What to do about it, "" if nothing is known. */
const char *lun_cl_error_hint(cl_int code);
/* Appends "clFinish: CL_OUT_OF_RESOURCES (-5): hint". */
void lun_cl_error_text(lun_strbuf *out, const char *call, cl_int code);

#endif
