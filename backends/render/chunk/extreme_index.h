/* extreme_index.h - reductions that give the place of the least or largest element. */
#ifndef LUN_EXTREME_INDEX_H
#define LUN_EXTREME_INDEX_H

#include "render/renderer.h"

/* For REDUCE v with `places`, whose lanes are a<v> and beside each its place q<v>, the number of a
 * block of 64: */

/* Vectors of places; to be called with v's lanes. */
lun_rep lun__place_rep(const lun_renderer *r, int32_t v);
/* The function (&a, &p, x, left, block): combines x, of a block, with the lanes a and p.  left:
 * indices from the first lane on; lanes beyond take no part. */
lun_snippet lun__place_lanes(lun_renderer *r, int32_t v);
/* The function (a, p, &value): the place in the chunk, and the element. */
lun_snippet lun__place_end(lun_renderer *r, int32_t v);

#endif
