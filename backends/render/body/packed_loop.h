/* packed_loop.h - the statements of loops whose rounds are lanes
 * (render/facts/packable_loops.h). */
#ifndef LUN_PACKED_LOOP_H
#define LUN_PACKED_LOOP_H

#include "render/renderer.h"

/* Appends the rounds of a PACKED loop that fill vectors.  True if these are all; else the LOOP is
 * to follow, for those that are left, as one that is not packed. */
bool lun__packed_loop(lun_section *s, int32_t loop);

#endif
