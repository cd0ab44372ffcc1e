/* affine.h - values that grow by one from index to index. */
#ifndef LUN_RENDER_FACTS_AFFINE_H
#define LUN_RENDER_FACTS_AFFINE_H

#include "render/renderer.h"

/* Marks AFFINE and LINEAR values; what varies and what is needed is known. */
void lun__affine_find(lun_crender *r);
/* True for a CHECK that the AFFINE value it reports lies between two that are equal for all. */
bool lun__affine_range(const lun_crender *r, int32_t check, int32_t *value, int32_t *low,
                       int32_t *high);

#endif
