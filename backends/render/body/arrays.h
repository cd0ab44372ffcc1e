/* arrays.h - the arrays of a kernel in versions (render/versions), as parameters and variables of a
 * function. */
#ifndef LUN_RENDER_BODY_ARRAYS_H
#define LUN_RENDER_BODY_ARRAYS_H

#include "render/renderer.h"

/* Appends parameters for its slots or, with `call`, arguments, each after a comma: with them a
 * compiler knows which arrays are apart (lun_ir_role).  Nothing for other kernels. */
void lun__arrays_restrict(const lun_renderer *r, bool call, lun_strbuf *out);
/* Appends the arrays of each index itself. */
void lun__arrays_own(const lun_renderer *r, lun_strbuf *out);

#endif
