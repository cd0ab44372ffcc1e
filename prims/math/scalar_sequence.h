/* scalar_sequence.h - the math functions of math/sequence.h on one element. */
#ifndef LUN_SCALAR_SEQUENCE_H
#define LUN_SCALAR_SEQUENCE_H

#include "table/op.h"

/* An operation on cells of dtype t, as many as it has operands, by a version of the bits
 * (version.h); false: it has no sequence. */
bool lun__scalar_sequence(lun_op op, lun_dtype t, int version, const uint64_t *x, uint64_t *out);

#endif
