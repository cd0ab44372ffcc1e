/* log.h - what a loop assigns at places that its rounds compute, noted instead of stored.  Private
 * to prims/api. */
#ifndef LUN_API_LOG_H
#define LUN_API_LOG_H

#include "api/api.h"
#include "ir/ir.h"
#include "lunarray_bind.h"

/* What is noted: of assignments to these arrays. */
typedef struct lun_each_log {
    lun_array *const *arrays;
    int count;
    lun_logged *list; /* room for LUN_MAX_OUTPUTS */
    int length;
} lun_each_log;

/* Notes an assignment of values at places, which the log then owns, if it is to one of its arrays;
 * else false, as of a log that is NULL.  notes: the function's. */
bool lun__log_takes(lun_each_log *log, const lun_front_store *to, const char *const *notes,
                    lun_array *places, lun_array *values);

#endif
