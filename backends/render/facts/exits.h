/* exits.h - loops with a divergent exit that are strip-mined, and their induction variables. */
#ifndef LUN_RENDER_FACTS_EXITS_H
#define LUN_RENDER_FACTS_EXITS_H

#include "render/renderer.h"

/* Marks STRIPPED loops and INDUCTION variables. Needs all facts but lanes. */
void lun__exits_find(lun_renderer *r);
/* Bytes of the widest value in lanes inside loops if wider ones outside may take two vectors; else
 * 0. */
int lun__exits_widest(const lun_renderer *r);
/* Iterations of a strip of a STRIPPED loop. */
int lun__exits_strip(const lun_renderer *r, int32_t loop);
/* The value that each iteration adds to a TEMPORAL variable (down: subtracts); -1: none. */
int32_t lun__exits_step(const lun_renderer *r, int32_t var, bool *down);

#endif
