/* lane_exit.h - BREAK and CONTINUE under masks: which lanes leave a construct, and what they
 * save. */
#ifndef LUN_LANE_EXIT_H
#define LUN_LANE_EXIT_H

#include "render/renderer.h"

/* BREAK or CONTINUE v of all active lanes. */
void lun__leave_all(lun_section *s, int32_t v);
/* A divergent IF v around a single BREAK or CONTINUE, which needs no branch; false: it is
 * something else.  From a STRIPPED loop this is the only exit, also where all lanes leave at
 * once. */
bool lun__leave_if(lun_section *s, int32_t v);
/* Skips the rest of the construct if no lane is active any more. */
void lun__leave_skip(lun_section *s);

#endif
