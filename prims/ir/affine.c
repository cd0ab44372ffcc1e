/* affine.c - values that are sums of arguments times numbers; see affine.h.  Knows no array. */
#include "ir/affine.h"

#include "table/dtype.h"
#include "table/op.h"

static bool is_index(uint8_t dtype)
{
    return lun__dtype_is_index((lun_dtype)dtype);
}

static lun_ir_affine number(int64_t x)
{
    return (lun_ir_affine){.known = true, .shift = x};
}

static bool is_number(const lun_ir_affine *a)
{
    for (int p = 0; p < LUN_MAX_RANK; p++)
        if (a->factor[p])
            return false;
    return a->known;
}

/* a + by * b; unknown where it is out of range. */
static lun_ir_affine add(const lun_ir_affine *a, const lun_ir_affine *b, int64_t by)
{
    lun_ir_affine sum = {.known = a->known && b->known};
    int64_t more;
    for (int p = 0; sum.known && p < LUN_MAX_RANK; p++)
        sum.known = !__builtin_mul_overflow(b->factor[p], by, &more) &&
                    !__builtin_add_overflow(a->factor[p], more, &sum.factor[p]);
    if (sum.known)
        sum.known = !__builtin_mul_overflow(b->shift, by, &more) &&
                    !__builtin_add_overflow(a->shift, more, &sum.shift);
    return sum;
}

static lun_ir_affine operation(const lun_ir_ins *ins, const lun_ir_affine *of)
{
    const lun_ir_affine none = {.known = false}, zero = number(0);
    const lun_ir_affine *a = ins->a >= 0 ? &of[ins->a] : &none,
                        *b = ins->b >= 0 ? &of[ins->b] : &none;
    if (!is_index(ins->dtype) || !is_index(ins->from))
        return none;
    switch (ins->op) {
    case LUN_OP_ADD:
        return add(a, b, 1);
    case LUN_OP_SUB:
        return add(a, b, -1);
    case LUN_OP_NEG:
        return add(&zero, a, -1);
    case LUN_OP_MUL:
        return is_number(b)   ? add(&zero, a, b->shift)
               : is_number(a) ? add(&zero, b, a->shift)
                              : none;
    default:
        return none;
    }
}

static lun_ir_affine argument(const lun_ir_ins *ins, const lun_ir_given *given)
{
    lun_ir_affine x = {.known = is_index(ins->dtype)};
    if (ins->imm < given->variables) {
        x.factor[ins->imm] = 1;
        return x;
    }
    x.known &= given->known[ins->imm];
    x.shift = x.known ? given->value[ins->imm] : 0;
    return x;
}

void lun__ir_affine(const lun_ir *body, const lun_ir_given *given, lun_ir_affine *of)
{
    for (int i = 0; i < body->count; i++) {
        const lun_ir_ins *ins = &body->ins[i];
        of[i] = (lun_ir_affine){.known = false};
        if (ins->kind == LUN_IR_ARG)
            of[i] = argument(ins, given);
        else if (ins->kind == LUN_IR_CONST && is_index(ins->dtype))
            of[i] = number(ins->imm);
        else if (ins->kind == LUN_IR_OP)
            of[i] = operation(ins, of);
    }
}
