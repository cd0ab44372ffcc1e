/* api.h - the OpenCL library: found at run time, its functions by name, its errors as text.
 *
 * Nothing of this program is linked with OpenCL: the library is opened when the backend is, and is
 * never closed again, because drivers do not survive that. */
#ifndef LUN_OPENCL_API_H
#define LUN_OPENCL_API_H

#include <stdbool.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/strbuf.h"
#include "gpu/driver.h"

typedef struct lun_cl {
#define LUN_CL(name) __typeof__(&name) name;
#include "opencl/entries.def"
#undef LUN_CL
} lun_cl;

/* Opens the library and finds all its functions; false with the reason appended to why. */
bool lun__opencl_api_load(lun_cl *cl, lun_strbuf *why);

typedef enum lun_cl_sense { LUN_CL_OTHER, LUN_CL_LOST, LUN_CL_REFUSED, LUN_CL_MEMORY } lun_cl_sense;

/* What a code means, by errors.def. */
lun_cl_sense lun__opencl_api_sense(cl_int code);
/* The failure of a call, by errors.def. */
lun_gpu_failure lun__opencl_api_failure(const char *call, cl_int code);

#endif
