/* opencl.h - the backend `opencl`: kernels on a device of any OpenCL driver; see backend.h. */
#ifndef LUN_OPENCL_H
#define LUN_OPENCL_H

#include "backend.h"

extern const lun_backend lun__backend_opencl;

#endif
