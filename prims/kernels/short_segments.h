/* short_segments.h - reductions of short segments, an index for each segment: the kernel reads the
 * segment's elements through slots of their own (lun_lowered.unrolled) and stores what they come
 * to.  It is elementwise, so vectors, threads and interpreted blocks take many segments at once,
 * and groups that use its results, an element or a segment of each, go on in the same kernel.
 * Private to prims/. */
#ifndef LUN_SHORT_SEGMENTS_H
#define LUN_SHORT_SEGMENTS_H

#include "plan/plan.h"

/* Whether reductions of n elements in such segments are run so on the backend in use, if its kernel
 * can hold them. */
bool lun__short_segments_wanted(lun_engine *e, int64_t n, int64_t segment);
/* The IR of group g and of those behind it that one kernel of short segments holds; *count: how
 * many these are.  0, and nothing in *out: g is not run so.  LUN_ENOMEM. */
lun_status lun__short_segments_lower(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out,
                                     int *count);

#endif
