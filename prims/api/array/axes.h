/* axes.h - the order of axes in which elementwise expressions on arrays are computed that are not
 * row-major.  Private to prims/api. */
#ifndef LUN_AXES_H
#define LUN_AXES_H

#include "api/array/array.h"

/* Axis axis[k] of an array is axis k of the node that is computed for it. */
typedef struct lun_axes {
    int rank;
    uint8_t axis[LUN_MAX_RANK];
    int64_t extent[LUN_MAX_RANK]; /* of the array */
} lun_axes;

/* The axes by falling distances of neighbours; false if that is their order. */
bool lun__axes_sorted(const lun_layout *l, lun_axes *out);
/* The axes of a by falling distances of neighbours in memory, so that its elements are read in the
 * order of memory; false if that is row-major, or if a repeats elements. */
bool lun__axes_of(const lun_array *a, lun_axes *out);
/* The order that all operands of an elementwise expression have in common which are neither
 * numbers, nor of rank 1, nor broadcast; false if that is row-major or if there is none. */
bool lun__axes_common(lun_array *const *operands, int count, lun_axes *out);

/* l, of the array's rank or less (missing axes in front are of one element), in that order. */
lun_layout lun__axes_applied(const lun_axes *x, const lun_layout *l);
/* The extents in that order. */
void lun__axes_shape(const lun_axes *x, int64_t shape[LUN_MAX_RANK]);

/* lun__array_node of a, an operand of rank x->rank at most, with its axes in that order; x NULL:
 * row-major. */
lun_status lun__axes_node(lun_engine *e, lun_array *a, lun_dtype t, const lun_axes *x,
                          lun_node **out);
/* The array whose elements n has in that order (takes the reference, also on failure); x NULL: in
 * row-major order. */
lun_status lun__axes_array(lun_engine *e, lun_node *n, bool made, const lun_axes *x,
                           lun_array **out);

#endif
