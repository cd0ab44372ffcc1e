/* canonical_nan.h - what a kernel stores has one NaN for each dtype: sign 0, quiet, payload 0.
 *
 * An operation that computes may give any NaN, by processor, compiler and device.  So its value
 * becomes the canonical one if it is NaN, wherever the bits can be seen: it is stored, put, or
 * compared bit for bit, also by way of operations that only pass one of their operands on (min,
 * max, where, ...), or its sign is looked at (copysign).  Elements that are loaded keep their bits
 * on such ways, and a sequence of math/functions.def has no other NaN.  Results of REDUCE are not
 * values: lun__canonical_nan_result.  version: of the bits (math/version.h).
 */
#ifndef LUN_CANONICAL_NAN_H
#define LUN_CANONICAL_NAN_H

#include "ir/ir.h"

/* *to, to be freed in every case: `from` with such values; *any false: there are none, and *to is
 * nothing.  LUN_ENOMEM. */
lun_status lun__canonical_nan(const lun_ir *from, int version, lun_ir *to, bool *any);
/* The instruction of `from` that instruction `at` of the result was made of; -1: none, or no
 * memory. */
int lun__canonical_nan_origin(const lun_ir *from, int version, int at);
/* A result of a combination by op (LUN_OP_COUNT: a function), a cell of dtype `from`, as one of
 * dtype t: the canonical NaN if it is NaN, unless op gives one of the values combined. */
uint64_t lun__canonical_nan_result(int op, lun_dtype t, lun_dtype from, uint64_t cell);

#endif
