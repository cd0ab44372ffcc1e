/* complex_array.h - complex arrays from inside. */
#ifndef LUN_COMPLEX_ARRAY_H
#define LUN_COMPLEX_ARRAY_H

#include "api/calc/calc.h"
#include "lunarray_bind.h"

/* Complex numbers within an expression; im NULL: real numbers. */
typedef struct lun__z {
    lun_array *re, *im;
} lun__z;

/* The parts of an operand, which may be real. */
lun__z lun__complex_array_parts(lun__calc *c, lun_array *a);
/* The complex array of z, in floats of one dtype and one shape; NULL: c has failed. */
lun_array *lun__complex_array_made(lun__calc *c, lun__z z);
/* z in the parts of that dtype. */
lun__z lun__complex_array_cast(lun__calc *c, lun__z z, lun_dtype part);
/* The dtype of floats that parts become. */
lun_dtype lun__complex_array_part_of(lun_dtype t);
/* The elements of a, real or complex, as two arrays of dtype `part`. */
lun_status lun__complex_array_as(lun_engine *e, lun_array *a, lun_dtype part, lun_array **re,
                                 lun_array **im);

/* ---- arithmetic (complex_compute.c) ---- */
lun_status lun__complex_compute(lun_engine *e, lun_op op, lun_array *const *all, int count,
                                lun_array **out);
/* Where an element is not 0. */
lun_array *lun__complex_compute_truth(lun__calc *c, lun__z z);

/* ---- reductions, products (complex_reduce.c) ---- */
lun_status lun__complex_reduce(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                               lun_array **out);
lun_status lun__complex_reduce_matmul(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);

/* ---- matrices as planes (complex_planes.c) ---- */
lun_status lun__complex_planes(lun_engine *e, lun_array *a, int behind, lun_array **out);
lun_status lun__complex_planes_joined(lun_engine *e, lun_array *planes, int axis, lun_array **out);

/* ---- combined by operations (complex_fold.c) ---- */
lun_status lun__complex_fold(lun_engine *e, const lun_folding *x, lun_array **out);

/* ---- made of and written by elements of the host (complex_write.c) ---- */
lun_status lun__complex_write_tensor(lun_engine *e, const void *data, int rank,
                                     const int64_t *shape, lun_dtype t, lun_array **out);
lun_status lun__complex_write_full(lun_engine *e, int rank, const int64_t *shape, lun_dtype t,
                                   lun_value x, lun_array **out);
lun_status lun__complex_write_pairs(lun_engine *e, lun_array *a, const void *host, int64_t first,
                                    int64_t count);
lun_status lun__complex_write_number(lun_engine *e, lun_array *a, int64_t index, lun_value x);

/* What the kind COMPLEX does (complex_kind.c). */
extern const lun_logical_kind lun__complex_kind;

#endif
