/* aggregate_steps.h - what an aggregate does with one element more.
 * Private to algorithms/. */
#ifndef LUN_AGGREGATE_STEPS_H
#define LUN_AGGREGATE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lunarray.h"
#include "table/aggregate.h"

typedef struct lun_steps {
    bool floats;       /* computes in f64, else in 64-bit integers */
    uint64_t identity; /* bits that a table begins with */
    /* table[codes[i] * stride + j] gets x[i * columns + j], row after row */
    void (*rows)(void *table, int64_t stride, const int32_t *codes, const void *x, int64_t n,
                 int64_t columns);
    void (*fold)(void *table, const void *more, int64_t n); /* table[i] gets more[i] */
} lun_steps;

/* The steps of an aggregate of elements of dtype t that gives elements of dtype `gives`. */
const lun_steps *lun__aggregate_steps(lun_aggregate which, bool skipnan, lun_dtype t,
                                      lun_dtype gives);

#endif
