/* remainder.h - the remainder of floats on GNU vectors. */
#ifndef LUN_RENDER_VECTOR_REMAINDER_H
#define LUN_RENDER_VECTOR_REMAINDER_H

#include "render/renderer.h"

/* Appends the body of a function of ($v a, $v b) that gives a % b of floats, with the bits of the
 * row MOD of table/ops.def.  False: the target has no instructions for it. */
bool lun__remainder_vector(lun_renderer *r, lun_rep rep, lun_strbuf *text);

#endif
