/* exact.h - GNU vectors: exact functions. */
#ifndef LUN_RENDER_VECTOR_EXACT_H
#define LUN_RENDER_VECTOR_EXACT_H

#include "render/vector/vector.h"

/* Floor, ceil, trunc, sqrt, fma: exact functions that have instructions. */
lun_snippet lun__exact_function(lun_renderer *r, const char *name, lun_rep rep);

#endif
