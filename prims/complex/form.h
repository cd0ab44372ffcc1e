/* form.h - operations on complex numbers as expressions of operations on their parts, of whatever
 * these are: arrays, values of a kernel. Each operation is rounded. Knows no array and no IR. */
#ifndef LUN_COMPLEX_FORM_H
#define LUN_COMPLEX_FORM_H

#include "table/op.h"

/* A real number or truth value of an expression, as its maker represents it. */
typedef struct lun__real lun__real;

/* A complex number; im NULL: a real one. */
typedef struct lun__pair {
    lun__real *re, *im;
} lun__pair;

/* Makes expressions. A maker that has failed gives NULL from then on. */
typedef struct lun__maker {
    void *ctx;
    /* The operation on as many operands as it has. */
    lun__real *(*op)(void *ctx, lun_op op, lun__real *a, lun__real *b, lun__real *c);
    /* A constant, in the precision of the operand beside it; wide: in f64. */
    lun__real *(*number)(void *ctx, double x, bool wide);
    /* The same number in f64. */
    lun__real *(*widen)(void *ctx, lun__real *x);
} lun__maker;

/* What an operation on complex numbers gives. */
typedef enum lun__form { LUN__FORM_NONE, LUN__FORM_REAL, LUN__FORM_COMPLEX } lun__form;
lun__form lun__form_of(lun_op op);
/* Whether the operation is missing since complex numbers have no order. */
bool lun__form_needs_order(lun_op op);

/* The greatest exponent by which powers are products. */
enum { LUN__FORM_POWERS = 64 };
/* The operation on in[], as many as it has operands, at least one of them complex; for LUN_OP_POW,
 * whole: the exponent, one whole number up to LUN__FORM_POWERS, or NULL. */
lun__pair lun__form_complex(const lun__maker *m, lun_op op, const lun__pair *in,
                            const int64_t *whole);
lun__real *lun__form_real(const lun__maker *m, lun_op op, const lun__pair *in);
lun__pair lun__form_times(const lun__maker *m, lun__pair a, lun__pair b);
/* Where a number is not 0. */
lun__real *lun__form_truth(const lun__maker *m, lun__pair z);
/* The angle of a number, in radians. */
lun__real *lun__form_angle(const lun__maker *m, lun__pair z);

/* ---- functions of one number (function_form.c) ---- */
/* Whether the operation is one of them: computed in f64. */
bool lun__function_form_is(lun_op op);
lun__pair lun__function_form(const lun__maker *m, lun_op op, lun__pair z);

#endif
