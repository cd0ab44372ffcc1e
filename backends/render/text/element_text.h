/* element_text.h - operations and casts on single elements, in C that every dialect understands. */
#ifndef LUN_ELEMENT_TEXT_H
#define LUN_ELEMENT_TEXT_H

#include "render/renderer.h"

/* C type of one element: "lun_f32"; a bool is a lun_u8 of 0 or 1. */
lun_snippet lun__element_type(lun_dtype t);
/* Signed, unsigned integer of that many bytes. */
lun_dtype lun__element_signed(int bytes);
lun_dtype lun__element_unsigned(int bytes);
/* What ends an expression whose value users or memory give, of dtype t: a truth value becomes 0 or
 * 1. */
const char *lun__element_truth(lun_dtype t);
/* Result dtype of an operation on `from`. */
lun_dtype lun__element_result(lun_op op, lun_dtype from);
/* Whether a sequence of math/sequence.h computes an operation. */
bool lun__element_math(const lun_renderer *r, lun_op op, lun_dtype t);
/* Its sequence, whose texts the unit then has. */
const char *lun__element_sequence(lun_renderer *r, lun_op op, lun_dtype t);
/* The words and texts of all sequences that were asked for: before r->types. */
void lun__element_sequences(const lun_renderer *r, lun_strbuf *out);
/* Names of functions on single elements, written to r->helpers on first use. */
lun_snippet lun__element_op(lun_renderer *r, lun_op op, lun_dtype from);
lun_snippet lun__element_cast(lun_renderer *r, lun_dtype to, lun_dtype from);
lun_snippet lun__element_cell(lun_renderer *r, lun_dtype t);   /* element to cell */
lun_snippet lun__element_uncell(lun_renderer *r, lun_dtype t); /* cell to element */
lun_snippet lun__element_const(lun_renderer *r, lun_dtype t, uint64_t bits);

#endif
