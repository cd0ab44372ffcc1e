/* facts.h - analysis of the IR before a line is written. Each allocates r->flags, mask, parent and
 * origin; LUN_ENOMEM where there is no memory, lun__unit_end frees them. */
#ifndef LUN_RENDER_FACTS_FACTS_H
#define LUN_RENDER_FACTS_FACTS_H

#include "render/renderer.h"

lun_status lun__facts_find(lun_renderer *r);
/* For a function's body, which runs on single elements: everything is needed, nothing varies. */
lun_status lun__facts_single(lun_renderer *r);
/* For a kernel whose statements compute the element of one index: nothing varies. */
lun_status lun__facts_element(lun_renderer *r);

#endif
