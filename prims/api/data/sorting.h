/* sorting.h - orders of arrays of which nothing is missing, for those of the others.  Private to
 * prims/api. */
#ifndef LUN_SORTING_H
#define LUN_SORTING_H

#include "api/array/api.h"

/* lun_sort, lun_argsort, lun_topk and lun_unique of arrays without validity. */
lun_status lun__sort_slots(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out);
lun_status lun__sorting_argsort(lun_engine *e, lun_array *a, int axis, int flags, int64_t first,
                                lun_array **out);
lun_status lun__sorting_topk(lun_engine *e, lun_array *a, int64_t k, int flags, int64_t first,
                             lun_array **values, lun_array **places);
lun_status lun__sorting_unique(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts);

#endif
