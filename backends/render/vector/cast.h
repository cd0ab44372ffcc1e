/* cast.h - GNU vectors: casts. */
#ifndef LUN_RENDER_VECTOR_CAST_H
#define LUN_RENDER_VECTOR_CAST_H

#include "render/vector/vector.h"

lun_snippet lun__cast_vector(lun_renderer *r, lun_rep to, lun_rep from);

#endif
