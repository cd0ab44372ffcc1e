/* cl_device.h - the OpenCL library loaded, and the devices of this machine. */
#ifndef LUN_CL_DEVICE_H
#define LUN_CL_DEVICE_H

#include "gpu/driver.h"

/* The list of gpu/driver.h: what it gives is the library, a lun_cl. */
void *lun__cl_device_list(lun_gpu_devices *out, lun_strbuf *why);

#endif
