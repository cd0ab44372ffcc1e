/* bits.h - masks in mask registers, a bit for each lane. */
#ifndef LUN_RENDER_VECTOR_BITS_H
#define LUN_RENDER_VECTOR_BITS_H

#include "render/vector/vector.h"

/* True if full masks may be in mask registers; everything else here only then. */
bool lun__bits_usable(const lun_renderer *r);
/* The type of the bits of a mask. */
lun_snippet lun__bits_type(const lun_renderer *r);
/* A type for the bits of all parts: .part[], and .all as one number. */
lun_snippet lun__bits_set(lun_renderer *r);
/* Functions: */
lun_snippet lun__bits_of_mask(lun_renderer *r);
lun_snippet lun__bits_to_mask(lun_renderer *r);
lun_snippet lun__bits_keep(lun_renderer *r);  /* (address, bits): into memory */
lun_snippet lun__bits_count(lun_renderer *r); /* (lanes, bits, n): n less in these lanes */
/* (bits, a, b): the bits where the comparison holds (negated: does not); "": no instruction does
 * it. */
lun_snippet lun__bits_while(lun_renderer *r, lun_op op, lun_dtype t, bool negated);
lun_snippet lun__bits_while_mask(lun_renderer *r, bool negated); /* (bits, mask) */

#endif
