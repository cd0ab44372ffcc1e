/* cl_kernel_text.h - what the kernels of both forms have in common. */
#ifndef LUN_CL_KERNEL_TEXT_H
#define LUN_CL_KERNEL_TEXT_H

#include "render/renderer.h"

/* What the address of a slot points to: "__global const lun_f32". */
lun_snippet lun__cl_kernel_slot(const lun_renderer *r, int slot);
/* The head of a kernel, for work-groups of so many items (0: any number): its arguments, its frame
 * f and, in `work`, rows of results by chunk: partials, and for a scan its chunks and carries. */
void lun__cl_kernel_open(lun_renderer *r, const char *name, int group, lun_strbuf *out);
/* Statements that move the frame's slots to index `at`, where a segment begins. */
void lun__cl_kernel_segment(lun_renderer *r, const char *at, const char *indent, lun_strbuf *out);
/* In the SCALAR form.  Opens what a work-group does for a chunk or, with `segments`, for as many
 * segments as it has lanes for: k, the number of this lane's chunk or segment, which has indices
 * lo .. hi-1 (none behind the last segment); those of the group end at `end`.  lane: of `wide`
 * that share it; side: lanes of the group before these. */
void lun__cl_kernel_group(lun_renderer *r, bool segments, lun_strbuf *out);
/* The end of a kernel: reports a trap. */
void lun__cl_kernel_close(lun_renderer *r, lun_strbuf *out);
/* lun_pairs, if the kernel needs it: a level of the tree over chunks. */
void lun__cl_kernel_pairs(lun_renderer *r, lun_strbuf *out);
/* Helpers: lun_publish, which reports a trap, and lun_initial, the first carry of a scan as a
 * cell. */
void lun__cl_kernel_helpers(lun_renderer *r);

#endif
