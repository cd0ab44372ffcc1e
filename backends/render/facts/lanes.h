/* lanes.h - how many lanes vectors have, and how wide masks are. */
#ifndef LUN_RENDER_FACTS_LANES_H
#define LUN_RENDER_FACTS_LANES_H

#include "render/renderer.h"

/* Finds the number of lanes, the widths of masks, WIDE and NARROW reductions. Needs all other
 * facts. */
void lun__lanes_find(lun_renderer *r);

#endif
