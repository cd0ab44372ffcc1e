/* map_missing.h - functions of elements of which some are missing.  Private to prims/api. */
#ifndef LUN_API_MAP_MISSING_H
#define LUN_API_MAP_MISSING_H

#include "api/array/apply_function.h"

/* lun_call of a function that only reads, of elements of which some may be missing: its results are
 * missing there, and it is not run for them. */
lun_status lun__map_missing_call(lun_engine *e, lun_function *f, lun_array *const *operands,
                                 int count, int elements, lun_array **outs, int room, int *results);
/* lun_scan_with of an array of which elements are missing: they stay so and are passed over. */
lun_status lun__map_missing_scan(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                 lun_array *const *extra, int extras, bool inclusive,
                                 lun_array **out);

#endif
