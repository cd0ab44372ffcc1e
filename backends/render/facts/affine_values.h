/* affine_values.h - affine values: the index plus a uniform value. */
#ifndef LUN_AFFINE_VALUES_H
#define LUN_AFFINE_VALUES_H

#include "render/renderer.h"

/* Marks AFFINE and LINEAR values. Needs VARYING and the sections of every instruction. */
void lun__affine_find(lun_renderer *r);
/* True for a CHECK that the affine value it reports lies between two uniform ones. */
bool lun__affine_range(const lun_renderer *r, int32_t check, int32_t *value, int32_t *low,
                       int32_t *high);

#endif
