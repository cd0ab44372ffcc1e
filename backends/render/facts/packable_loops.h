/* packable_loops.h - loops whose rounds are lanes of vectors, in kernels that run element by
 * element. */
#ifndef LUN_PACKABLE_LOOPS_H
#define LUN_PACKABLE_LOOPS_H

#include "render/renderer.h"

/* Finds them: LOOPs become PACKED, what differs between their rounds AFFINE (the number of an
 * element, by one more in each round) or VARYING (a float).  Sets the number of lanes. */
void lun__packed_find(lun_renderer *r);
/* From now on the rounds of the LOOP are not packed. */
void lun__packed_forget(lun_renderer *r, int32_t loop);

#endif
