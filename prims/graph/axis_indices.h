/* axis_indices.h - which operands of what joins or pads arrays a part of it lies in, by arithmetic
 * on layouts alone.  Private to prims/graph. */
#ifndef LUN_AXIS_INDICES_H
#define LUN_AXIS_INDICES_H

#include "graph/node.h"

/* Elements at the offsets of a layout in terms of one or two axes or more of what they are in:
 * element (i1, ...) has index start[k] + i1 * step[0][k] + ... along axis k, and all of them are
 * within low[k] .. high[k]. */
typedef struct lun_within {
    int rank;
    int64_t start[LUN_LAYOUT_RANK], low[LUN_LAYOUT_RANK], high[LUN_LAYOUT_RANK];
    int64_t step[LUN_LAYOUT_RANK][LUN_LAYOUT_RANK];
} lun_within;

/* False: the indices cannot be separated so. */
bool lun__axis_indices(const lun_layout *at, int rank, const int64_t *extent, lun_within *out);
/* The same elements by flat numbers of an array of those extents, whose index along axis k is
 * `less[k]` smaller. */
lun_layout lun__axis_indices_layout(const lun_within *w, const lun_layout *at,
                                    const int64_t *extent, const int64_t *less);
/* The part of the padded array that w lies in, as a padded array of its own, and the box of the
 * array that this is made of: its extents are out->inner, its first index along axis k first[k];
 * along an axis that wraps it may go on with index 0 behind the last one.  False: no smaller
 * array gives it. */
bool lun__axis_indices_padded(const lun_within *w, const lun_padding *p, lun_padding *out,
                              int64_t first[LUN_LAYOUT_RANK]);

#endif
