/* device.h - the OpenCL devices of this machine, in the order in which they are numbered.
 *
 * Graphics processors first, then accelerators, then processors; among equals, as the drivers list
 * them.  Knows no context, no memory and no kernel. */
#ifndef LUN_OPENCL_DEVICE_H
#define LUN_OPENCL_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "lunarray.h"
#include "opencl/api.h"

enum { LUN_CL_DEVICES = 64 };

typedef struct lun_cl_device {
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    char name[256], driver[768]; /* driver: platform, its version, the device's, the driver's */
    uint64_t host;               /* of processors: what this machine's can do, in a number */
    int64_t memory, most_bytes;  /* in all; of one buffer */
    int64_t parameter_bytes;     /* of a kernel's arguments */
    size_t group;                /* the largest work-group */
    int units;
    int vector;         /* bytes of a native vector */
    bool fp64, rounded; /* rounded: divides and takes roots of f32 exactly */
} lun_cl_device;

typedef struct lun_cl_devices {
    lun_cl_device device[LUN_CL_DEVICES];
    int count;
    int silent;     /* devices that are left out because they do not tell what they are, */
    cl_int unclear; /* and what the last of them said */
} lun_cl_devices;

/* All devices that can compile and run kernels.  False with the reason appended to why if there is
 * none.  May load drivers: call it inside a guard. */
bool lun_cl_devices_list(const lun_cl *cl, lun_cl_devices *out, lun_strbuf *why);
/* A number for the instructions that a processor has, by the text of /proc/cpuinfo; 0: it does not say. */
uint64_t lun_cl_host_features(const char *cpuinfo);
/* The row of a table of devices. */
lun_device lun_cl_device_row(const lun_cl_device *d);
/* True if this machine has the device node of a graphics processor.  Loads nothing. */
bool lun_cl_gpu_node(void);

#endif
