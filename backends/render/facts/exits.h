/* exits.h - loops that may run a few rounds for nobody: which, and what they count. */
#ifndef LUN_RENDER_FACTS_EXITS_H
#define LUN_RENDER_FACTS_EXITS_H

#include "render/renderer.h"

/* Marks LAZY loops and COUNTED variables; the other facts, but for lanes, are known. */
void lun__exits_find(lun_crender *r);
/* Bytes of the widest value in lanes inside loops, where wider ones outside may take two vectors; else 0. */
int lun__exits_widest(const lun_crender *r);
/* Rounds of a LAZY LOOP between two looks at who is left. */
int lun__exits_strip(const lun_crender *r, int32_t loop);
/* The value that each round adds to a SPLIT variable (down: subtracts); -1: no such. */
int32_t lun__exits_step(const lun_crender *r, int32_t var, bool *down);

#endif
