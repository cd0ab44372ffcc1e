/* permuted.h - copies of layouts whose axes stand in memory in another order than they are counted,
 * to contiguous memory.  Two runs matter: the elements that are neighbours in memory, and those
 * that are neighbours in flat order.  Tiles of a cache line of one by a line of the other are read
 * and written as whole lines; all other axes are loops around them, so that every order of axes
 * costs what a transposition does.  Private to base/ and launch/. */
#ifndef LUN_PERMUTED_H
#define LUN_PERMUTED_H

#include "base/layout/layout.h"

/* Some axes, the one with the nearest neighbours first, until their extents make up a line. */
typedef struct lun_axis_run {
    int count, axis[LUN_LAYOUT_RANK];
    int64_t length;
} lun_axis_run;

typedef struct lun_permuted {
    lun_layout l;                /* simplified */
    int64_t to[LUN_LAYOUT_RANK]; /* the strides of flat order */
    int size;
    lun_axis_run near, flat;          /* along memory; along flat order */
    int loops, loop[LUN_LAYOUT_RANK]; /* the other axes, the innermost last */
    int64_t units; /* parts of the whole: a line of `near` by all of `flat` each */
} lun_permuted;

/* Elements of `size` bytes, 1, 2, 4 or 8.  False: windows of the flat order find whole lines
 * (lun__strided_read), or there are no such runs. */
bool lun__permuted_plan(const lun_layout *l, int size, lun_permuted *out);
/* Units lo .. hi - 1, from the layout at `base` (its offset is added here) to `to`, where all of it
 * has room.  Memory does not overlap.  From any thread. */
void lun__permuted_read(const lun_permuted *p, const void *base, void *to, int64_t lo, int64_t hi);

#endif
