/* unit.h - the way through one kernel on GNU vectors. */
#ifndef LUN_RENDER_UNIT_UNIT_H
#define LUN_RENDER_UNIT_UNIT_H

#include "render/renderer.h"

/* Facts, then the parts, then the unit: a comment, users' texts, the head, and the rest. */
lun_status lun__unit_render(lun_renderer *r, const char *head, lun_strbuf *out);
/* Ends a rendering: LUN_OK, or the problem in out. */
lun_status lun__unit_end(lun_renderer *r, lun_status s, lun_strbuf *out);

#endif
