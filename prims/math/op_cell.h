/* op_cell.h - one operation on one element. */
#ifndef LUN_OP_CELL_H
#define LUN_OP_CELL_H

#include "table/op.h"

/* The operation on the cells x[0 .. 2] of dtype t, as many as it has operands, by a version of the
 * bits (version.h); x NULL: only whether C computes in t.  False: it does not. */
bool lun__op_cell(lun_op op, lun_dtype t, int version, const uint64_t *x, uint64_t *out);

#endif
