/* facts.h - what a look at the IR finds out before a line is rendered. */
#ifndef LUN_RENDER_FACTS_FACTS_H
#define LUN_RENDER_FACTS_FACTS_H

#include "render/renderer.h"

lun_status lun__facts_find(lun_crender *r);
/* The same for a function's body, which runs on single elements: everything is needed. */
lun_status lun__facts_single(lun_crender *r);
/* The same for a kernel whose statements are written for one index: nothing varies. */
lun_status lun__facts_element(lun_crender *r);

#endif
