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
    if (lun__dtype_is_bool(t))
        return false;
    return op == LUN_OP_COUNT ||
           (lun__dtype_is_integer(t) ? lun__op_get((lun_op)op)->integer != NULL
                                     : lun__op_get((lun_op)op)->flt != NULL);
}
