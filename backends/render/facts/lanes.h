/* lanes.h - how many lanes vectors have, and how wide masks are. */
#ifndef LUN_RENDER_FACTS_LANES_H
#define LUN_RENDER_FACTS_LANES_H

#include "render/renderer.h"

/* Number of lanes, widths of masks, WIDE and NARROW reductions; all other facts are known. */
void lun__lanes_find(lun_crender *r);

#endif
