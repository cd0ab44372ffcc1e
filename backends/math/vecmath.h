/* vecmath.h - the vector math functions of this machine, one table for interpreter and kernels.
 *
 * Every math operation is computed by the same function for every caller, so the reference backend
 * and compiled kernels give the same bits.  Entries come from glibc's libmvec in the widest variant
 * that the machine's CPU (and this build's compiler) supports, or from f64.h where that misses the
 * accuracy promise (f32: 4 ULP, f64: 2 ULP).  An operation without either, and every one in
 * "precise" mode, is NULL here and is computed element by element with the C library's scalar
 * function. / */
#ifndef LUN_VECMATH_H
#define LUN_VECMATH_H

#include "table/op.h"

typedef enum lun_isa { LUN_ISA_BASE, LUN_ISA_AVX2, LUN_ISA_AVX512 } lun_isa;

/* What this CPU can run, limited to what the build contains and to LUNARRAY_VECTORS; the same for
 * the whole life of the process. */
lun_isa lun__vecmath_isa_here(void);
/* Bytes of a native vector: 16, 32 or 64. */
int lun__vecmath_isa_bytes(lun_isa isa);

/* Index into the table for an operation in a float dtype of 4 or 8 bytes. */
static inline int lun__vecmath_index(lun_op op, lun_dtype t)
{
    return 2 * (int)op + (lun__dtype_get(t)->bytes == 8);
}

/* Table with 2 * LUN_OP_COUNT entries: functions on whole native vectors (lun__vecmath_isa_bytes
 * wide, by value in vector registers, libmvec's calling convention), NULL where there is none. */
const void *const *lun__vecmath(lun_isa isa, lun_math mode);

#endif
