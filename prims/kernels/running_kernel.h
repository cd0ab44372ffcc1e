/* running_kernel.h - kernels of RUNNING nodes: an index for each segment, a loop over the segment's
 * elements. Private to prims/. */
#ifndef LUN_RUNNING_KERNEL_H
#define LUN_RUNNING_KERNEL_H

#include "plan/plan.h"

/* The IR of n, a RUNNING; in: its operands, or nodes of the same dtypes in their place.  Result k
 * is put into the TARGET slot whose source has copy k. */
lun_status lun__running_kernel_lower(lun_engine *e, lun_node *n, lun_node *const *in,
                                     lun_lowered *out);
/* The segments of n, the indices of its kernel. */
int64_t lun__running_kernel_segments(const lun_node *n);

#endif
