/* expression.h - an expression of table/ops.def turned into one on whole vectors. */
#ifndef LUN_RENDER_VECTOR_EXPRESSION_H
#define LUN_RENDER_VECTOR_EXPRESSION_H

#include "render/vector/vector.h"

/* Writes the row's expression as one on whole vectors a b c of rep.  False if it has no such form:
 * then it is computed lane by lane. */
bool lun__expression_vector(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *out);

#endif
