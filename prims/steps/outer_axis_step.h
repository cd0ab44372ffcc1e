/* outer_axis_step.h - runs reductions of segments that go across. */
#ifndef LUN_OUTER_AXIS_STEP_H
#define LUN_OUTER_AXIS_STEP_H

#include "ir/combine_order.h"
#include "kernels/outer_axis.h"
#include "launch/bind.h"
#include "placing/handing.h"

/* Computes the results of a; their nodes are LEAFs then.  Fails as lun__launch_lowered does. */
lun_status lun__outer_axis_step_run(lun_engine *e, const lun_outer_axis *a);

/* A reduction under way. */
typedef struct lun_outer_reduction {
    lun_engine *e;
    const lun_outer_axis *a;
    int64_t segment, segments; /* elements of one; how many */
    int64_t lanes;             /* LUN_LANES, or as many as short segments need */
    lun_backend_slot *at;      /* of a set: the location whose rows are taken; NULL: all rows */
    lun_storage *acc[2][LUN_GROUP_SINKS], *cells[2][LUN_GROUP_SINKS], *out[LUN_GROUP_SINKS];
} lun_outer_reduction;

/* Some segments, first .. first + count - 1 along the outermost kept axis, all within `inner`. */
typedef struct lun_outer_block {
    int64_t first, count, segments, at; /* along the axis; segments; the first one's number */
} lun_outer_block;

/* Some chunks of these segments: elements from .. rows - 1 of each; from > 0: of one chunk. */
typedef struct lun_outer_tile {
    int64_t first, chunks, from, rows;
} lun_outer_tile;

/* Storage of n elements for each result, in the dtype of its accumulators or its own, where the
 * backend in use computes. */
lun_status lun__outer_axis_step_take(const lun_outer_reduction *x, int64_t n, bool own,
                                     lun_storage **to);
void lun__outer_axis_step_drop(const lun_outer_reduction *x, lun_storage **all);
/* n accumulators begin as the operation's identity. */
lun_status lun__outer_axis_step_begin(const lun_outer_reduction *x, int64_t n);
/* The lanes of a part to its cells. */
lun_status lun__outer_axis_step_fold(const lun_outer_reduction *x, const lun_outer_block *b,
                                     const lun_outer_tile *p);
/* The cells of a block's chunks to elements of the results. */
lun_status lun__outer_axis_step_finish(const lun_outer_reduction *x, const lun_outer_block *b);
/* The results go to their nodes, if s is LUN_OK, and all else goes. */
lun_status lun__outer_axis_step_end(lun_outer_reduction *x, lun_status s);
/* Combines the accumulators of a block's segments with the rows of a part, which begin as the
 * operation's identity. */
lun_status lun__outer_axis_step_rows(const lun_outer_reduction *x, const lun_outer_block *b,
                                     const lun_outer_tile *p);

#endif
