/* op_cell.c - one operation on one element: the rows of ops.def, compiled for each dtype that C
 * computes in, and the sequences of functions.def.  For what interprets element by element; loops
 * over many are the backends'. */
#include "math/op_cell.h"

#include <math.h>

#include "math/scalar_sequence.h"
#include "table/op_types.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wstrict-aliasing"
#pragma GCC diagnostic ignored "-Wbool-operation"
#define LOOPS_OF "math/op_cell_of.h"
#include "loops_each.h"
#pragma GCC diagnostic pop

bool lun__op_cell(lun_op op, lun_dtype t, int version, const uint64_t *x, uint64_t *out)
{
    static uint64_t (*const rows[LUN_DTYPE_COUNT])(int op, const uint64_t *x) = {
#define ENTRY_PLAIN(ID) [LUN_##ID] = do_##ID,
#define ENTRY_STORED(ID)
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    ENTRY_##form(ID)
#include "table/dtypes.def"
#undef LUN_DTYPE
    };
    if (!rows[t])
        return false;
    if (x && !lun__scalar_sequence(op, t, version, x, out))
        *out = rows[t]((int)op, x);
    return true;
}
