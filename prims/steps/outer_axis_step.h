/* outer_axis_step.h - runs reductions of lines that go across.  Private to prims/run. */
#ifndef LUN_OUTER_AXIS_STEP_H
#define LUN_OUTER_AXIS_STEP_H

#include "ir/order.h"
#include "kernels/outer_axis.h"
#include "launch/bind.h"
#include "placing/handing.h"

/* Computes the results of a; their nodes are LEAFs then.  Fails as lun__run_lowered does. */
lun_status lun__across_run(lun_engine *e, const lun_across *a);

/* A reduction under way. */
typedef struct lun_crossing {
    lun_engine *e;
    const lun_across *a;
    int64_t line, lines;  /* elements of one; how many */
    int64_t lanes;        /* LUN_LANES, or as many as short lines need */
    lun_backend_slot *at; /* the place of a set whose rows are taken; NULL: all are at one place */
    lun_storage *acc[2][LUN_GROUP_SINKS], *cells[2][LUN_GROUP_SINKS], *out[LUN_GROUP_SINKS];
} lun_crossing;

/* Some lines, first .. first + count - 1 along the outermost kept axis, all within `inner`. */
typedef struct lun_crossing_block {
    int64_t first, count, lines, at; /* along the axis; lines; the first one's number */
} lun_crossing_block;

/* Some chunks of these lines: elements from .. rows - 1 of each; from > 0: of one chunk. */
typedef struct lun_crossing_part {
    int64_t first, chunks, from, rows;
} lun_crossing_part;

/* Runs l's kernel over n indices with the slots that are bound. */
lun_status lun__cross_launch(const lun_crossing *x, const lun_lowered *l, lun_binding *b,
                             int64_t n);
/* Storage of n elements for each result, in the dtype of its accumulators or its own, where the
 * backend in use computes. */
lun_status lun__cross_take(const lun_crossing *x, int64_t n, bool own, lun_storage **to);
void lun__cross_drop(const lun_crossing *x, lun_storage **all);
/* n accumulators begin as the operation's identity. */
lun_status lun__cross_begin(const lun_crossing *x, int64_t n);
/* The lanes of a part to its cells. */
lun_status lun__cross_fold(const lun_crossing *x, const lun_crossing_block *b,
                           const lun_crossing_part *p);
/* The cells of a block's chunks to elements of the results. */
lun_status lun__cross_finish(const lun_crossing *x, const lun_crossing_block *b);
/* The results go to their nodes, if s is LUN_OK, and all else goes. */
lun_status lun__cross_end(lun_crossing *x, lun_status s);
/* Combines the accumulators of a block's lines with the rows of a part, which begin as the
 * operation's identity. */
lun_status lun__visit_rows(const lun_crossing *x, const lun_crossing_block *b,
                           const lun_crossing_part *p);

#endif
