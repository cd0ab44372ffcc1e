/* inplace.h - C texts that write arrays in place, called for each index.  Private to prims/api. */
#ifndef LUN_API_INPLACE_H
#define LUN_API_INPLACE_H

#include "api/array/apply_function.h"
#include "api/loop/generate.h"

/* lun_call of such a function (front.in_place), whose first operands are elements. */
lun_status lun__inplace_call(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                             int elements, lun_array **outs, int *results);
/* lun_each of it: all indices of b; aside: after a failure no array has changed. */
lun_status lun__inplace_each(lun_engine *e, lun_function *f, const lun_box *b,
                             lun_array *const *args, int count, bool aside);

#endif
