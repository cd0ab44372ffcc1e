/* vector_math.h - GNU vectors: vector math by pointer. */
#ifndef LUN_VECTOR_MATH_H
#define LUN_VECTOR_MATH_H

#include "render/vector/vector.h"

/* True if the table of vector math has the operation. */
bool lun__vector_math_has(const lun_renderer *r, lun_op op, lun_dtype t);
lun_snippet lun__vector_math_type(lun_renderer *r, lun_dtype t, int arity);
/* Vector math: (function, a, ...); the function's type. */
lun_snippet lun__vector_math_vector(lun_renderer *r, lun_dtype t, int arity);
/* The same for single elements, which take the same function as arrays do. */
lun_snippet lun__vector_math_single(lun_renderer *r, lun_dtype t, int arity);

#endif
