/* statement.h - the statements of a section. */
#ifndef LUN_RENDER_BODY_STATEMENT_H
#define LUN_RENDER_BODY_STATEMENT_H

#include "render/renderer.h"

/* Appends the statements that the section needs to s->out. */
void lun__statement_section(lun_section *s);

/* ---- atomic_statement.c ---------------------------------------------------------------------- */
/* Atomic operations on elements of slots. */

/* The statement of ATOMIC or SWAP v, for one index. */
void lun__atomic_statement(lun_section *s, int32_t v);

/* ---- constant_operand.c ---------------------------------------------------------------------- */
/* Operations that are one instruction because of a constant. */

/* Appends OP v on vectors as rep, if it has such a form. */
bool lun__constant_operand(lun_section *s, int32_t v, lun_rep rep);

/* ---- gather.c -------------------------------------------------------------------------------- */
/* Elements at computed indices, and checks of these. */

/* Appends the first lane of an affine value, a<v>; nothing for other values. */
void lun__gather_first(lun_section *s, int32_t v);
void lun__gather_statement(lun_section *s, int32_t v);
void lun__gather_check(lun_section *s, int32_t v);

/* ---- indexed_statement.c --------------------------------------------------------------------- */
/* The statements of a kernel on one element that depend on its index. */

/* In a section with `element`: what reads or writes at the index, and calls.  False for other
 * kinds. */
bool lun__indexed_statement(lun_section *s, int32_t v);

/* ---- masked_control.c ------------------------------------------------------------------------ */
/* Control flow under masks. */

/* Appends a statement of control flow or of a variable: IF to CONTINUE, VAR, GET, SET. */
void lun__masked_control(lun_section *s, int32_t v);

/* ---- packed_loop.c --------------------------------------------------------------------------- */
/* The statements of loops whose rounds are lanes
 * (render/facts/packable_loops.c). */

/* Appends the rounds of a PACKED loop that fill vectors.  True if these are all; else the LOOP is
 * to follow, for those that are left, as one that is not packed. */
bool lun__packed_loop(lun_section *s, int32_t loop);

/* ---- scalar_statement.c ---------------------------------------------------------------------- */
/* Statements that make one element. */

/* Appends the statement that makes single element v; hoisted ones are also stored in the struct
 * `uniform`. */
void lun__scalar_statement(lun_section *s, int32_t v);

/* ---- user_call.c ----------------------------------------------------------------------------- */
/* Calls of user functions, lane by lane. */

/* Name of a helper that calls function `imm` of CALL instruction v lane by lane. */
lun_snippet lun__user_call_helper(lun_renderer *r, int32_t v);

#endif
