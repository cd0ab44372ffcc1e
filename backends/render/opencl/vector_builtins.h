/* vector_builtins.h - OpenCL C's own functions on whole vectors; see lun_dialect.vector_function,
 * .vector_math. */
#ifndef LUN_VECTOR_BUILTINS_H
#define LUN_VECTOR_BUILTINS_H

#include "render/renderer.h"

/* By the name that the language has for it, on operands of rep. */
void lun__cl_function_vector(lun_renderer *r, const char *helper, const char *name, int arity,
                             lun_rep rep);
/* By the language's function, or as quirks.c says. */
void lun__cl_function_math(lun_renderer *r, const char *helper, lun_op op, lun_rep rep);

#endif
