/* put.h - the mistake that both kinds of put find.  Private to prims/. */
#ifndef LUN_PUT_H
#define LUN_PUT_H

#include "api/array/array.h"

/* LUN_ESHAPE: x, the third operand, does not go with the elements of `to` at the indices, which
 * have that shape. */
lun_status lun__put_no_values(lun_engine *e, const lun_array *to, const lun_array *x, int rank,
                              const int64_t *shape);

#endif
