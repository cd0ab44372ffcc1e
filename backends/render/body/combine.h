/* combine.h - combiners of reductions and scans. */
#ifndef LUN_RENDER_BODY_COMBINE_H
#define LUN_RENDER_BODY_COMBINE_H

#include "render/renderer.h"

/* Name of a function (a, b, frame) that combines two single elements for REDUCE or SCAN instruction
 * v. */
lun_snippet lun__combine_function(lun_renderer *r, int32_t v);

#endif
