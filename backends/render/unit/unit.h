/* unit.h - the way through one kernel on GNU vectors. */
#ifndef LUN_RENDER_UNIT_UNIT_H
#define LUN_RENDER_UNIT_UNIT_H

#include "render/renderer.h"
#include "render/versions/loop_versions.h"

/* Facts, then the parts, then the unit: a comment, users' texts, the head, and the rest. */
lun_status lun__unit_render(lun_renderer *r, const char *head, lun_strbuf *out);
/* Facts of a kernel that runs element by element, in versions where it puts elements: r->ir is
 * then in *to, which is to be freed in every case, when the statements are written and r->ir is the
 * kernel again. */
lun_status lun__unit_versions(lun_renderer *r, lun_versions *to);
/* Ends a rendering: LUN_OK, or the problem in out. */
lun_status lun__unit_end(lun_renderer *r, lun_status s, lun_strbuf *out);

#endif
