/* exact.h - GNU vectors: exact functions. */
#ifndef LUN_RENDER_VECTOR_EXACT_H
#define LUN_RENDER_VECTOR_EXACT_H

#include "render/vector/vector.h"

/* Floor, ceil, trunc, sqrt, fma: exact functions that have instructions. */
lun_cname lun__exact_function(lun_crender *r, const char *name, lun_crep rep);

#endif
