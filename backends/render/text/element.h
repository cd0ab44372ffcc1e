/* element.h - operations and casts on single elements, in C that every dialect understands. */
#ifndef LUN_RENDER_TEXT_ELEMENT_H
#define LUN_RENDER_TEXT_ELEMENT_H

#include "render/renderer.h"

/* C type of one element: "lun_f32"; a bool is a lun_u8 of 0 or 1. */
lun_cname lun_ctype(lun_dtype t);
/* Signed, unsigned integer of that many bytes. */
lun_dtype lun_csigned(int bytes);
lun_dtype lun_cunsigned(int bytes);
/* Result dtype of an operation on `from`. */
lun_dtype lun_cop_result(lun_op op, lun_dtype from);
/* Writes the row's expression for a dtype as C over a b c. */
void lun_cexpression(lun_crender *r, lun_op op, lun_dtype from, lun_strbuf *out);
/* Names of functions on single elements, written to r->helpers on first use. */
lun_cname lun_cscalar_op(lun_crender *r, lun_op op, lun_dtype from);
lun_cname lun_cscalar_cast(lun_crender *r, lun_dtype to, lun_dtype from);
lun_cname lun_cscalar_cell(lun_crender *r, lun_dtype t);   /* element to cell */
lun_cname lun_cscalar_uncell(lun_crender *r, lun_dtype t); /* cell to element */
lun_cname lun_cscalar_const(lun_crender *r, lun_dtype t, uint64_t bits);

#endif
