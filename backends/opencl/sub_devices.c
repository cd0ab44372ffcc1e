/* sub_devices.c - devices divided into parts of as many units; see gpu/driver.h.  Knows no
 * queue. */
#include "gpu/signal_guard.h"
#include "opencl/cl_device.h"
#include "opencl/queue.h"

lun_gpu_answer lun__sub_device_split(const void *library, const lun_gpu_device *device, int parts,
                                     void **ids, lun_gpu_failure *failure)
{
    const lun_cl *cl = library;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                    device->units / parts, 0};
    cl_device_id made[LUN_GPU_DEVICES];
    lun_guard g;
    lun__guard_enter(&g, true);
    const cl_int code = cl->clCreateSubDevices(device->id, equally, (cl_uint)parts, made, NULL);
    lun__guard_leave(&g);
    for (int k = 0; code == CL_SUCCESS && k < parts; k++)
        ids[k] = made[k];
    if (code == CL_SUCCESS)
        return LUN_GPU_OK;
    *failure = lun__opencl_api_failure("clCreateSubDevices", code);
    return LUN_GPU_FAILED;
}

void lun__sub_device_keep(const void *library, void *const *ids, int parts)
{
    const lun_cl *cl = library;
    for (int k = 0; k < parts; k++)
        cl->clRetainDevice(ids[k]);
}

void lun__sub_device_drop(const void *library, void *const *ids, int parts)
{
    const lun_cl *cl = library;
    for (int k = 0; k < parts; k++)
        cl->clReleaseDevice(ids[k]);
}
