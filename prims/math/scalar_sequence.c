/* scalar_sequence.c - see scalar_sequence.h.  Compiled without vectorisation, which might fuse what
 * stands side by side. */
#include "math/scalar_sequence.h"

#include <math.h>
#include <string.h>

#include "math/scalar_words.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "math_all.h" /* made from texts.def: the texts */
#pragma GCC diagnostic pop

#define OPERANDS_1 x[0]
#define OPERANDS_2 x[0], x[1]

/* The sequence of an operation; false: it has none. */
static bool sequence_f32(lun_op op, const uint64_t *cells, uint64_t *out)
{
    const float x[2] = {lun_w_realf((uint32_t)cells[0]), lun_w_realf((uint32_t)cells[1])};
    switch (op) {
#define FUNCTION_F64(...)
#define FUNCTION_F32(ROW, arity, name)                        \
    case LUN_OP_##ROW:                                        \
        *out = lun_w_bitsf(lun_seq_##name(OPERANDS_##arity)); \
        return true;
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound) \
    FUNCTION_##DTYPE(ROW, arity, name)
#include "math/functions.def"
#undef FUNCTION_F64
#undef FUNCTION_F32
    default:
        return false;
    }
}

static bool sequence_f64(lun_op op, const uint64_t *cells, uint64_t *out)
{
    const double x[2] = {lun_w_real(cells[0]), lun_w_real(cells[1])};
    switch (op) {
#define FUNCTION_F32(...)
#define FUNCTION_F64(ROW, arity, name)                       \
    case LUN_OP_##ROW:                                       \
        *out = lun_w_bits(lun_seq_##name(OPERANDS_##arity)); \
        return true;
#include "math/functions.def"
#undef FUNCTION_F64
#undef FUNCTION_F32
#undef LUN_FUNCTION
    default:
        return false;
    }
}

bool lun__scalar_sequence(lun_op op, lun_dtype t, const uint64_t *x, uint64_t *out)
{
    if (!lun__dtype_is_plain_float(t))
        return false;
    return lun__dtype_is_double(t) ? sequence_f64(op, x, out) : sequence_f32(op, x, out);
}
