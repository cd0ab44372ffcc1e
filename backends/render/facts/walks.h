/* walks.h - loops that walk along arrays, each index for another time. */
#ifndef LUN_RENDER_FACTS_WALKS_H
#define LUN_RENDER_FACTS_WALKS_H

#include "render/renderer.h"

/* True if single elements are faster than lanes: in a divergent LOOP a counter steps by one from
 * iteration to iteration and an array is indexed by it, as in the rows of a sparse matrix. In lanes
 * all wait for the longest row, and neighbours in an array never meet in one vector.  After
 * lun__facts_find; false for a kernel with reductions, a scan, calls or random numbers. */
bool lun__walks_along(const lun_renderer *r);

#endif
