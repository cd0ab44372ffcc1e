/* exact.h - GNU vectors: exact functions, and built-in ones of the language. */
#ifndef LUN_RENDER_VECTOR_EXACT_H
#define LUN_RENDER_VECTOR_EXACT_H

#include "render/vector/vector.h"

/* Floor, ceil, trunc, sqrt, fma: exact functions that have instructions. */
lun_cname lun__exact_function(lun_crender *r, const char *name, lun_crep rep);
/* A built-in function of OpenCL C on its own vector type, by the bits. */
void lun__exact_builtin(lun_crender *r, const char *helper, const char *name, int arity,
                        lun_crep rep);

#endif
