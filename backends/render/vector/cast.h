/* cast.h - GNU vectors: casts. */
#ifndef LUN_RENDER_VECTOR_CAST_H
#define LUN_RENDER_VECTOR_CAST_H

#include "render/vector/vector.h"

lun_cname lun__cast_vector(lun_crender *r, lun_crep to, lun_crep from);

#endif
