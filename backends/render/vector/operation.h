/* operation.h - GNU vectors: operations of table/ops.def. */
#ifndef LUN_RENDER_VECTOR_OPERATION_H
#define LUN_RENDER_VECTOR_OPERATION_H

#include "render/renderer.h"
#include "render/vector/vector.h"

lun_snippet lun__operation_vector(lun_renderer *r, lun_op op, lun_rep rep);
/* The product of integers of 64 bits whose high halves are 0. */
lun_snippet lun__operation_halves(lun_renderer *r, lun_rep rep);

/* ---- expression.c ---------------------------------------------------------------------------- */
/* An expression of table/ops.def turned into one on whole vectors. */

/* Writes the row's expression as one on whole vectors a b c of rep.  False if it has no such form:
 * then it is computed lane by lane. */
bool lun__expression_vector(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *out);

/* ---- remainder.c ----------------------------------------------------------------------------- */
/* The remainder of floats on GNU vectors. */

/* Appends the body of a function of ($v a, $v b) that gives a % b of floats, with the bits of the
 * row MOD of table/ops.def.  False: the target has no instructions for it. */
bool lun__remainder_vector(lun_renderer *r, lun_rep rep, lun_strbuf *text);

/* ---- exact.c --------------------------------------------------------------------------------- */
/* GNU vectors: exact functions. */

/* Floor, ceil, trunc, sqrt, fma: exact functions that have instructions. */
lun_snippet lun__exact_function(lun_renderer *r, const char *name, lun_rep rep);

/* ---- random.c -------------------------------------------------------------------------------- */
/* Random bits. */

/* Appends what makes the words of a section's STREAMs for the 64 indices from i on, as w<v>. */
void lun__random_streams(lun_renderer *r, unsigned need, lun_strbuf *out);
/* (element, key): one word. */
lun_snippet lun__random_one(lun_renderer *r, lun_dtype t);

#endif
