/* host_segments.h - a chunk of a kernel whose REDUCEs and SCAN take segments each alone: one call
 * of the kernel for each.  A part of host_run.c. */
#ifndef LUN_HOST_SEGMENTS_H
#define LUN_HOST_SEGMENTS_H

#include "host/host_run.h"

/* Bytes that a worker needs, aligned to a cache line. */
size_t lun__host_segments_bytes(const lun_ir *ir, int64_t segment);
/* Runs indices lo .. hi-1, whole segments, by x; w's frame has their slots, and the trap that ended
 * it then. */
void lun__host_segments_run(const lun__run *r, const lun_exec *x, lun_worker *w, int64_t lo,
                            int64_t hi);

#endif
