/* math.h - math functions where OpenCL's own are not near enough. */
#ifndef LUN_RENDER_OPENCL_MATH_H
#define LUN_RENDER_OPENCL_MATH_H

#include "render/vector/vector.h"

/* Writes the operation as a function on whole vectors under that name, where the language's own function
 * is not near enough; else false. */
bool lun__cl_math(lun_crender *r, const char *helper, lun_op op, lun_crep rep);

#endif
