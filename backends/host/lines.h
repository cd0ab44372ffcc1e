/* lines.h - runs of elementwise kernels whose strided operands have contiguous lines: a line is a
 * call of the kernel on its elements where they stand, without a copy.  A part of host_run.c. */
#ifndef LUN_LINES_H
#define LUN_LINES_H

#include "host/host.h"

/* Elements of a line of such a run, which is of whole lines; 0: it is none. */
int64_t lun__lines_length(const lun_ir *ir, const lun_launch *l);
/* Bytes that a worker needs, aligned to a cache line. */
size_t lun__lines_bytes(const lun_ir *ir, const lun_launch *l);
/* Runs indices lo .. hi - 1, whole lines, by x, in such memory; the frame has the trap that ended
 * it then. */
void lun__lines_run(const lun_ir *ir, const lun_launch *l, const lun_exec *x, lun_frame *frame,
                    char *memory, int64_t lo, int64_t hi);

#endif
