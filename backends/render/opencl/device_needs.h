/* device_needs.h - what a kernel needs of a device. */
#ifndef LUN_DEVICE_NEEDS_H
#define LUN_DEVICE_NEEDS_H

#include "render/renderer.h"

/* True if something in the kernel may trap; if it takes the buffer `work`; if anything in it has
 * dtype f64. */
bool lun__cl_needs_report(const lun_ir *ir);
bool lun__cl_needs_work(const lun_ir *ir);
bool lun__cl_needs_f64(const lun_ir *ir);
/* True if it computes in f64, or (not `wide`) in f32 and what is computed in that: more than moves
 * elements. */
bool lun__cl_needs_arithmetic(const lun_ir *ir, bool wide);
/* An instruction that changes an element of 64 bits at once; NULL: it has none. */
const lun_ir_ins *lun__cl_needs_wide_atomic(const lun_ir *ir);
/* True if it has loops that ask whether they shall stop. */
bool lun__cl_needs_stop(const lun_ir *ir);

/* True if a REDUCE combines by a function; if that uses math functions, whose bits are the device's
 * own. */
bool lun__cl_needs_pairs(const lun_ir *ir);
bool lun__cl_needs_device_math(const lun_ir *ir);
/* A combining function of a REDUCE indexes arrays. */
bool lun__cl_needs_arrays(const lun_ir *ir);

#endif
