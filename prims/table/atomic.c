/* atomic.c - see atomic.h. */
#include "table/atomic.h"

const lun_atomic_row lun__atomic_rows[LUN_ATOMIC_COUNT] = {
#define LUN_ATOMIC(ID, NAME, OP, EXPECTS) {#NAME, LUN_OP_##OP, EXPECTS},
#include "table/atomics.def"
#undef LUN_ATOMIC
};

bool lun__atomic_takes(lun_atomic a, lun_dtype t)
{
    const int op = lun__atomic_get(a)->op;
    const int bits = lun__dtype_bits(t);
    if (lun__dtype_is_bool(t) || (bits != 32 && bits != 64))
        return false;
    if (op == LUN_OP_COUNT)
        return lun__dtype_is_integer(t) || lun__dtype_is_plain_float(t);
    return lun__dtype_is_integer(t)
               ? lun__op_get((lun_op)op)->integer != NULL
               : lun__dtype_is_plain_float(t) && lun__op_get((lun_op)op)->flt != NULL;
}
