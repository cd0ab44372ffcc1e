/* gpu_device.h - devices in their order, as rows of a table, and what this machine says of them.
 * Knows no driver. */
#ifndef LUN_GPU_DEVICE_H
#define LUN_GPU_DEVICE_H

#include "gpu/driver.h"
#include "lunarray.h"

/* Puts a device into a list, behind those of its kind and of better ones; the list must have
 * room. */
void lun__gpu_device_insert(lun_gpu_devices *list, const lun_gpu_device *device);
/* A device of this backend as lun_devices gives it. */
lun_device lun__gpu_device_row(const char *backend, const lun_gpu_device *device);
/* True if this machine has the device node of a GPU.  Loads nothing. */
bool lun__gpu_device_node(void);
/* A hash of the instructions that a processor has, by the text of /proc/cpuinfo; 0: it does not
 * say. */
uint64_t lun__gpu_device_host(const char *cpuinfo);
/* That of this machine's first processor: two with the same name may differ, as virtual ones do. */
uint64_t lun__gpu_device_host_here(void);

#endif
