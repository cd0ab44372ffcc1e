/* scalar_sequence.c - see scalar_sequence.h.  Compiled without vectorisation, which might fuse what
 * stands side by side. */
#include "math/scalar_sequence.h"

#include <math.h>
#include <string.h>

#include "math/erf_rows.h"
#include "math/scalar_words.h"
#include "math/version.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "math_all.h" /* made from texts.def: the texts */
#pragma GCC diagnostic pop

#define OPERANDS_F32_1 lun_w_realf((uint32_t)x[0])
#define OPERANDS_F32_2 OPERANDS_F32_1, lun_w_realf((uint32_t)x[1])
#define OPERANDS_F64_1 lun_w_real(x[0])
#define OPERANDS_F64_2 OPERANDS_F64_1, lun_w_real(x[1])
#define BITS_OF_F32(y) lun_w_bitsf(y)
#define BITS_OF_F64(y) lun_w_bits(y)
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound)         \
    static uint64_t cell_##name(const uint64_t *x)                          \
    {                                                                       \
        return BITS_OF_##DTYPE(lun_seq_##name(OPERANDS_##DTYPE##_##arity)); \
    }
#include "math/functions.def"
#undef LUN_FUNCTION

bool lun__scalar_sequence(lun_op op, lun_dtype t, int version, const uint64_t *x, uint64_t *out)
{
    enum { NARROW_F32 = 0, NARROW_F64 = 1 };
    static uint64_t (*const rows[LUN_VERSIONS][LUN_OP_COUNT][2])(const uint64_t *x) = {
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound) \
    [LUN_VERSION_##version][LUN_OP_##ROW][NARROW_##DTYPE] = cell_##name,
#include "math/functions.def"
#undef LUN_FUNCTION
    };
    const int wide = lun__dtype_is_double(t);
    if (version < 0 || !lun__dtype_is_plain_float(t))
        return false;
    while (version < LUN_VERSIONS - 1 && !rows[version][op][wide])
        version++;
    if (!rows[version][op][wide])
        return false;
    *out = rows[version][op][wide](x);
    return true;
}
