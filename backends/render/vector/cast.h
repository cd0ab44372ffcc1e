/* cast.h - GNU vectors: casts. */
#ifndef LUN_RENDER_VECTOR_CAST_H
#define LUN_RENDER_VECTOR_CAST_H

#include "render/vector/vector.h"

lun_cname lun_cvector_cast(lun_crender *r, lun_crep to, lun_crep from);

#endif
