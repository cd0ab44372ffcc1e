/* aggregate.h - what a row of algorithms.def, AGGREGATE, can make of the rows of a group: its
 * option[0].  Pure data. */
#ifndef LUN_AGGREGATE_H
#define LUN_AGGREGATE_H

typedef enum lun_aggregate {
    LUN_AGGREGATE_COUNT, /* i64; without skipnan only codes are looked at */
    LUN_AGGREGATE_SUM,   /* f64, or i64 or u64, wrapping, of integers */
    LUN_AGGREGATE_PROD,
    LUN_AGGREGATE_MIN, /* in the dtype of the elements; of no rows the identity, with skipnan NaN */
    LUN_AGGREGATE_MAX,
    LUN_AGGREGATE_ANY, /* of bools */
    LUN_AGGREGATE_ALL,
    LUN_AGGREGATE_FIRST, /* the number of the row, i64, from 1 on; of no rows 0 */
    LUN_AGGREGATE_LAST,
    LUN_AGGREGATE_DEVIATIONS, /* the sum of (x - m)^2, f64; m of its group: the third operand */
    LUN_AGGREGATES
} lun_aggregate;

enum { LUN_AGGREGATE_SKIPNAN = 256 }; /* beside one of them: NaNs are left out */

#endif
