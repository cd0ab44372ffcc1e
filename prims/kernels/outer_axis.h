/* outer_axis.h - reductions of segments whose elements stand apart while segments stand side by
 * side: rows in order, an accumulator for each of 64 lanes of each segment.  Private to prims/. */
#ifndef LUN_OUTER_AXIS_H
#define LUN_OUTER_AXIS_H

#include "plan/lowering.h"

enum {
    LUN_OUTER_AXIS_ROWS = 4,       /* of one lane that one visit takes */
    LUN_OUTER_AXIS_LEAST = 1 << 15 /* elements: fewer are done before so many kernels have begun */
};

/* Kernels of such a reduction, none with a REDUCE:
 *   accumulate[0], [1]    accumulators combined with the elements of LUN_OUTER_AXIS_ROWS rows of
 * their                       lane, or of one; the last slots are, by result, accumulators in and
 * out   fold                two rows of accumulators combined; slots by result: one, other, out
 *   finish              accumulators as elements of the result; slots by result: in, out */
typedef struct lun_outer_axis {
    lun_lowered accumulate[2], fold, finish;
    lun_node *results[LUN_GROUP_SINKS];
    int result_count;
    int kept;      /* axes of `of`, in front, that are not reduced */
    lun_layout of; /* the extents of what is reduced */
} lun_outer_axis;

/* *out: NULL where group g is better run segment by segment, or has to be.  LUN_ENOMEM. */
lun_status lun__outer_axis_make(lun_engine *e, const lun_schedule *s, int g, lun_outer_axis **out);
void lun__outer_axis_free(lun_outer_axis *a); /* NULL is allowed */
/* Whether n, a sink, is a REDUCE by one operation, in lanes: see ir/combine_order.h. */
bool lun__outer_axis_laned(const lun_node *n);
/* The element of that copy for such a sink; -1 where the lowerer failed. */
int32_t lun__outer_axis_copy(lun_lowerer *l, const lun_node *n, int copy);
/* The offsets of slot i of a visit: by kept axes and the segment's elements (*step apart, the last
 * axis gone from *out).  False: no strides say them. */
bool lun__outer_axis_layout(const lun_outer_axis *a, const lun_slot_source *from, lun_layout *out,
                            int64_t *step);

#endif
