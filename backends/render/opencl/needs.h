/* needs.h - what a kernel needs of a device. */
#ifndef LUN_RENDER_OPENCL_NEEDS_H
#define LUN_RENDER_OPENCL_NEEDS_H

#include "render/renderer.h"

/* Whether something in the kernel may trap; whether it takes the buffer `work`. */
bool lun__cl_needs_report(const lun_ir *ir);
bool lun__cl_needs_work(const lun_ir *ir);
/* Whether anything in it is of dtype f64. */
bool lun__cl_needs_f64(const lun_ir *ir);

#endif
