/* handing.h - a reduction of segments that go across, on places that have some of its rows each:
 * who takes which rows, what is handed on from place to place, and where chunks end.  Nothing
 * moves here: sets/handed.c does it, placing/moves.c tells it beforehand.  Private to prims/. */
#ifndef LUN_HANDING_H
#define LUN_HANDING_H

#include "kernels/outer_axis.h"
#include "placing/placing.h"
#include "placing/teller.h"

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
/* Whether accumulators begin with these rows, instead of being what the rows before came to. */
bool lun__handing_begins(lun_interval rows);
/* Whether chunks of a segment of so many elements end in these rows. */
bool lun__handing_ends(lun_interval rows, int64_t segment);
/* Tells the moves of a step whose rows are shared so. */
lun_status lun__handing_tell(lun_teller *t, const lun_step *step, const lun_spread *rows);

#endif
