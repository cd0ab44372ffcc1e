/* calc.h - expressions of arrays and numbers, built one operation after the other: the first
 * failure ends them. */
#ifndef LUN_CALC_H
#define LUN_CALC_H

#include "api/array/array.h"

/* Arrays that an expression is made of, released together; once one fails the rest are NULL. */
enum { LUN__CALC_MOST = 320 };
typedef struct lun__calc {
    lun_engine *e;
    lun_status s;
    lun_array *made[LUN__CALC_MOST];
    int used;
} lun__calc;
/* The operation on a and b, NULL: on a. */
lun_array *lun__calc_op(lun__calc *c, lun_op op, lun_array *a, lun_array *b);
/* The operation on a and a number. */
lun_array *lun__calc_by(lun__calc *c, lun_op op, lun_array *a, int64_t x);
lun_array *lun__calc_number(lun__calc *c, int64_t x);
/* The same with floats. */
lun_array *lun__calc_scale(lun__calc *c, lun_op op, lun_array *a, double x);
lun_array *lun__calc_real(lun__calc *c, double x);
lun_array *lun__calc_cast(lun__calc *c, lun_array *a, lun_dtype t);
/* Where `when`, a, else b. */
lun_array *lun__calc_where(lun__calc *c, lun_array *when, lun_array *a, lun_array *b);
/* Takes the reference, also of what has failed with s. */
lun_array *lun__calc_take(lun__calc *c, lun_status s, lun_array *a);
/* Gives a reference to a, and releases all. */
lun_status lun__calc_end(lun__calc *c, lun_array *a, lun_array **out);

#endif
