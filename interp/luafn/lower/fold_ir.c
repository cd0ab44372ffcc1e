/* fold_ir.c - the IR's operations on constants, as defined by table/ops.def. */
#include "luafn/lower/lowering_state.h"

#include <math.h>

static bool truth(uint64_t *bits, bool x)
{
    *bits = x;
    return true;
}

static bool whole(uint64_t *bits, lun_dtype t, int64_t x)
{
    *bits = lun__dtype_cell_from_value(t, (lun_value){LUN_I64, {.i = x}});
    return true;
}

static bool real(uint64_t *bits, lun_dtype t, double x)
{
    *bits = lun__dtype_cell_from_value(t, (lun_value){LUN_F64, {.d = x}});
    return true;
}

static bool fold_relation(lun_op op, bool less, bool same, bool ordered, uint64_t *bits)
{
    switch (op) {
    case LUN_OP_LT:
        return truth(bits, less);
    case LUN_OP_LE:
        return truth(bits, less || same);
    case LUN_OP_GT:
        return truth(bits, ordered && !less && !same);
    case LUN_OP_GE:
        return truth(bits, ordered && !less);
    case LUN_OP_EQ:
        return truth(bits, same);
    default:
        return truth(bits, !same);
    }
}

static bool fold_signed(lun_op op, lun_dtype t, int64_t a, int64_t b, uint64_t *bits)
{
    int width = 8 * lun__dtype_get(t)->bytes;
    if (lf_is_comparison(op))
        return fold_relation(op, a < b, a == b, true, bits);
    switch (op) {
    case LUN_OP_ADD:
        return whole(bits, t, a + b);
    case LUN_OP_SUB:
        return whole(bits, t, a - b);
    case LUN_OP_MUL:
        return whole(bits, t, a * b);
    case LUN_OP_NEG:
        return whole(bits, t, -a);
    case LUN_OP_ABS:
        return whole(bits, t, a < 0 ? -a : a);
    case LUN_OP_IDIV:
    case LUN_OP_MOD: {
        if (b == 0)
            return false;
        int64_t q = b == -1 ? -a : a / b, r = b == -1 ? 0 : a % b;
        bool down = r != 0 && (a ^ b) < 0;
        return whole(bits, t, op == LUN_OP_MOD ? r + (down ? b : 0) : q - down);
    }
    case LUN_OP_BAND:
        return whole(bits, t, a & b);
    case LUN_OP_BOR:
        return whole(bits, t, a | b);
    case LUN_OP_BXOR:
        return whole(bits, t, a ^ b);
    case LUN_OP_BNOT:
        return whole(bits, t, ~a);
    case LUN_OP_SHL:
    case LUN_OP_SHR: {
        uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
        if (b <= -width || b >= width)
            return whole(bits, t, 0);
        if (op == LUN_OP_SHR)
            b = -b;
        return whole(bits, t, (int64_t)(b >= 0 ? (uint64_t)a << b : ((uint64_t)a & mask) >> -b));
    }
    case LUN_OP_MIN:
        return whole(bits, t, a < b ? a : b);
    case LUN_OP_MAX:
        return whole(bits, t, a > b ? a : b);
    default:
        return false;
    }
}

/* Each result is rounded to t, and one operation of floats rounded twice by way of double is
 * rounded once. */
static bool fold_real(lun_op op, lun_dtype t, double a, double b, uint64_t *bits)
{
    if (lf_is_comparison(op))
        return fold_relation(op, a < b, a == b, a == a && b == b, bits);
    switch (op) {
    case LUN_OP_ADD:
        return real(bits, t, a + b);
    case LUN_OP_SUB:
        return real(bits, t, a - b);
    case LUN_OP_MUL:
        return real(bits, t, a * b);
    case LUN_OP_DIV:
        return real(bits, t, a / b);
    case LUN_OP_NEG:
        return real(bits, t, -a);
    case LUN_OP_ABS:
        return real(bits, t, fabs(a));
    case LUN_OP_FLOOR:
        return real(bits, t, floor(a));
    case LUN_OP_CEIL:
        return real(bits, t, ceil(a));
    case LUN_OP_TRUNC:
        return real(bits, t, trunc(a));
    case LUN_OP_SQRT:
        return real(bits, t, sqrt(a));
    default:
        return false;
    }
}

bool luafn_fold_ir(lun_op op, lun_dtype from, const lf_value *const *arg, int args, uint64_t *bits)
{
    for (int k = 0; k < args; k++)
        if (!lf_ir_is_const(arg[k]))
            return false;
    const lf_value *a = arg[0], *b = arg[args > 1];
    lun_kind kind = (lun_kind)lun__dtype_get(from)->kind;
    if (kind == LUN_KIND_BOOL) {
        bool x = a->as.bits != 0, y = b->as.bits != 0;
        if (op == LUN_OP_LNOT)
            return truth(bits, !x);
        if (op == LUN_OP_EQ || op == LUN_OP_NE)
            return truth(bits, (x == y) == (op == LUN_OP_EQ));
        return false;
    }
    if (kind == LUN_KIND_FLOAT)
        return fold_real(op, from, luafn_const_real(a), luafn_const_real(b), bits);
    if (kind == LUN_KIND_SIGNED)
        return fold_signed(op, from, luafn_const_int(a), luafn_const_int(b), bits);
    return false;
}
