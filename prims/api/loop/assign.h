/* assign.h - the values of a loop's rounds stored into elements of arrays.  Private to
 * prims/api. */
#ifndef LUN_API_ASSIGN_H
#define LUN_API_ASSIGN_H

#include "api/loop/generate.h"

/* A value that is scattered and the same in all rounds need not be computed: values holds the
 * number instead.  Its index is computed, with all that may fail. */
lun_status lun__assign_numbers(lun_engine *e, const lun_box *b, const lun_front_result *r,
                               lun_array **values);

/* The value of a store in the dtype in which it replaces an element or is combined with it. */
lun_status lun__assign_cast(lun_engine *e, const lun_front_store *to, lun_array *value,
                            lun_array **out);

/* Stores the values, all of them computed before the first one is; those that may fail first. */
lun_status lun__assign(lun_engine *e, const lun_box *b, const lun_front_result *r,
                       lun_array *const *values);

#endif
