/* first_failure.h - what a run says of a batch of matrices of which some have no result: the first
 * one, whichever thread finds it. */
#ifndef LUN_FIRST_FAILURE_H
#define LUN_FIRST_FAILURE_H

#include <pthread.h>

#include "algorithms/parts/algorithm_functions.h"

/* Matrix number `matrix` of `count`, from 1 on, fails with `code`, which the message of the
 * algorithm says in words.  lock: of the run. */
static inline void lun__first_failure(lun_algorithm_run *r, pthread_mutex_t *lock, int64_t matrix,
                                      int64_t count, int64_t code)
{
    pthread_mutex_lock(lock);
    if (!r->matrix || matrix < r->matrix) {
        r->matrix = matrix;
        r->failed = code;
        r->matrices = count;
    }
    pthread_mutex_unlock(lock);
}

#endif
