/* indices.h - indices along an axis of an array, as take and put have them.  Private to
 * prims/api. */
#ifndef LUN_INDICES_H
#define LUN_INDICES_H

#include "api/array/array.h"
#include "graph/take_nodes.h"

/* Indices along an axis of an array, whose shape they replace in that of the result. */
typedef struct lun_indexed {
    lun_layout of;   /* the array's */
    lun_node *index; /* i64, in their own shape; a reference */
    int axis, rank;
    int64_t n, shape[LUN_MAX_RANK]; /* of the result */
} lun_indexed;

/* i along an axis, from 0, of a.  LUN_ESHAPE, LUN_EDTYPE; LUN_EARG: a is a number. */
lun_status lun__indices(lun_engine *e, const lun_array *a, lun_array *i, int axis,
                        lun_indexed *out);
/* Fills x, with references, but for the source and the numbers of the first and the missing index.
 * `of`: the layout of the array in `n` elements. */
lun_status lun__indices_offsets(lun_engine *e, const lun_indexed *i, const lun_layout *of,
                                int64_t n, lun_taking *x);
/* Releases x's references but the source. */
void lun__indices_end(lun_engine *e, lun_indexed *i, lun_taking *x);

/* LUN_ESHAPE: x, the third operand, does not go with the elements of `to` at the indices, which
 * have that shape. */
lun_status lun__indices_no_values(lun_engine *e, const lun_array *to, const lun_array *x, int rank,
                                  const int64_t *shape);

#endif
