/* vector_math.h - math functions by the sequences of math/sequence.h, on vectors of any number of
 * lanes. */
#ifndef LUN_VECTOR_MATH_H
#define LUN_VECTOR_MATH_H

#include "render/vector/vector.h"

/* The name of an operation for which lun__element_math holds, on vectors of r->lanes lanes. */
lun_snippet lun__vector_math(lun_renderer *r, lun_op op, lun_dtype t);

#endif
