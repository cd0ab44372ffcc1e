/* handing.h - a reduction of segments that go across, on places that have some of its rows each:
 * who takes which rows, what is handed on from place to place, and where chunks end.  Nothing
 * moves here: sets/handed.c and placing/moves.c have the actions that do it and explain it.
 * Private to prims/. */
#ifndef LUN_HANDING_H
#define LUN_HANDING_H

#include "kernels/outer_axis.h"
#include "placing/placing.h"

enum { LUN_CROSSING_ACCUMULATORS = 1 << 20 }; /* about: they stay in the last cache */

/* Elements of one segment; how many segments; LUN_LANES, or as many lanes as short segments
 * need; steps of the outermost kept axis whose segments are reduced at once. */
typedef struct lun_outer_axis_sizes {
    int64_t segment, segments, lanes, count;
} lun_outer_axis_sizes;
lun_outer_axis_sizes lun__outer_axis_sizes(const lun_outer_axis *a);

/* How the places share the rows of a step, by the first array that it reads which is in parts.
 * *out: a reference; NULL: the step is run where the first place computes. */
lun_status lun__handing_rows(lun_engine *e, const lun_step *step, lun_placing_look *look, void *ctx,
                             lun_spread **out);
/* The elements of its node's array, without the node's offset, that slot i of a visit needs for
 * these rows; none of what is in no memory. */
lun_interval lun__handing_need(const lun_outer_axis *a, int i, lun_interval rows);
/* Slots of a visit that are no accumulators. */
int lun__handing_slots(const lun_outer_axis *a);

/* Working memory: accumulators of segments, cells of their chunks. */
typedef enum lun_handed { LUN_HANDED_ACCUMULATORS, LUN_HANDED_CELLS } lun_handed;

/* What is done in the order of locations, for each block of segments: `count` steps of the
 * outermost kept axis from step `first` on.  NULL: nothing. */
typedef struct lun_handing_actions {
    /* Working memory of so many elements for each result goes to location k, which writes it;
     * anew: without what it held. */
    lun_status (*hand)(void *ctx, lun_handed which, int k, int64_t count, bool anew);
    /* Location k combines its rows of the block; ends: chunks of segments end in them. */
    lun_status (*rows)(void *ctx, int k, int64_t first, int64_t count, bool ends);
    /* The first location, which has all cells of the block, joins them. */
    lun_status (*join)(void *ctx, int64_t first, int64_t count);
} lun_handing_actions;
lun_status lun__handing_each(const lun_outer_axis *a, const lun_spread *rows,
                             const lun_handing_actions *act, void *ctx);

#endif
