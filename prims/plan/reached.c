/* reached.c - see reached.h.  Each integer of a kernel lies between two numbers, which follow from
 * the launch's first index and last one, from arguments and literals; where one of them may wrap,
 * or comes from elements, nothing is known.  Control flow is not looked at: a branch that is not
 * taken reaches nothing, and what is checked lies within the array. */
#include "plan/reached.h"

#include <stdlib.h>

#include "graph/node.h"
#include "table/dtype.h"

/* A value is lo .. hi; lo > hi: none yet. */
typedef struct range {
    int64_t lo, hi;
} range;

static const range ANY = {INT64_MIN, INT64_MAX}, NONE = {INT64_MAX, INT64_MIN};

typedef struct walk {
    const lun_lowered *l;
    lun_interval indices;
    range *of; /* by instruction; of a VAR all that it may hold */
    bool wide; /* a VAR that still grows may hold anything */
    bool grew;
} walk;

static range both(range a, range b)
{
    return (range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* What of a result its dtype holds without wrapping. */
static range fitting(lun_dtype t, range x)
{
    if (!lun__dtype_is_integer(t) || (lun__dtype_is_unsigned(t) && lun__dtype_bits(t) == 64))
        return ANY;
    const int bits = lun__dtype_bits(t);
    const bool is_signed = !lun__dtype_is_unsigned(t);
    const int64_t hi = is_signed ? INT64_MAX >> (64 - bits) : (INT64_C(1) << bits) - 1;
    const int64_t lo = is_signed ? -hi - 1 : 0;
    return x.lo < lo || x.hi > hi ? ANY : x;
}

static range known(lun_dtype t, uint64_t cell)
{
    if (!lun__dtype_is_integer(t))
        return ANY;
    const int64_t x = lun__cell_to_value(t, cell).as.i;
    return fitting(t, (range){x, x});
}

static range argument(const walk *w, int64_t k, lun_dtype t)
{
    const lun_arg_source *from = &w->l->args[k];
    if (k == w->l->base - 1)
        return (range){w->indices.lo, w->indices.lo};
    if (from->node && from->node->kind != LUN_NODE_NUMBER)
        return ANY;
    return known(t, from->node ? from->node->cell : from->cell);
}

/* Places count their indices from 0, and lines each its own. */
static range index_of(const walk *w)
{
    return w->l->base && !w->l->line ? (range){0, w->indices.hi - w->indices.lo - 1} : ANY;
}

/* ---- operations ------------------------------------------------------------------------------ */

static range add(range a, range b)
{
    range x;
    return __builtin_add_overflow(a.lo, b.lo, &x.lo) || __builtin_add_overflow(a.hi, b.hi, &x.hi)
               ? ANY
               : x;
}

static range subtract(range a, range b)
{
    range x;
    return __builtin_sub_overflow(a.lo, b.hi, &x.lo) || __builtin_sub_overflow(a.hi, b.lo, &x.hi)
               ? ANY
               : x;
}

static range multiply(range a, range b)
{
    const int64_t x[2] = {a.lo, a.hi}, y[2] = {b.lo, b.hi};
    range all = NONE;
    for (int k = 0; k < 4; k++) {
        int64_t p;
        if (__builtin_mul_overflow(x[k / 2], y[k % 2], &p))
            return ANY;
        all = both(all, (range){p, p});
    }
    return all;
}

static int64_t quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* By one number, which is not negative: others are rare. */
static range divide(range a, range b)
{
    return b.lo == b.hi && b.lo > 0 ? (range){quotient(a.lo, b.lo), quotient(a.hi, b.lo)} : ANY;
}

static range remainder_of(range a, range b)
{
    if (b.lo != b.hi || b.lo <= 0)
        return ANY;
    return a.lo >= 0 && a.hi < b.lo ? a : (range){0, b.lo - 1};
}

static range least(range a, range b)
{
    return (range){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static range most(range a, range b)
{
    return (range){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static range operation(const walk *w, const lun_ir_ins *ins)
{
    const range a = ins->a < 0 ? ANY : w->of[ins->a], b = ins->b < 0 ? ANY : w->of[ins->b];
    switch (ins->op) {
    case LUN_OP_ADD:
        return add(a, b);
    case LUN_OP_SUB:
        return subtract(a, b);
    case LUN_OP_MUL:
        return multiply(a, b);
    case LUN_OP_IDIV:
        return divide(a, b);
    case LUN_OP_MOD:
        return remainder_of(a, b);
    case LUN_OP_NEG:
        return subtract((range){0, 0}, a);
    case LUN_OP_MIN:
    case LUN_OP_FMIN:
        return least(a, b);
    case LUN_OP_MAX:
    case LUN_OP_FMAX:
        return most(a, b);
    case LUN_OP_CLAMP:
        return least(most(a, b), most(b, w->of[ins->c]));
    case LUN_OP_WHERE:
        return both(b, w->of[ins->c]);
    default:
        return ANY;
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static range value(const walk *w, const lun_ir_ins *ins)
{
    const lun_dtype t = (lun_dtype)ins->dtype;
    switch (ins->kind) {
    case LUN_IR_INDEX:
        return index_of(w);
    case LUN_IR_ARG:
        return argument(w, ins->imm, t);
    case LUN_IR_CONST:
        return known(t, (uint64_t)ins->imm);
    case LUN_IR_OP:
        return fitting(t, operation(w, ins));
    case LUN_IR_CAST:
        return lun__dtype_is_integer((lun_dtype)ins->from) ? fitting(t, w->of[ins->a]) : ANY;
    case LUN_IR_GET:
        return w->of[ins->a];
    default:
        return ANY;
    }
}

/* A variable holds x, too. */
static void assign(walk *w, int32_t variable, range x)
{
    range *v = &w->of[variable];
    const range all = both(*v, x);
    if (all.lo == v->lo && all.hi == v->hi)
        return;
    *v = w->wide ? ANY : all;
    w->grew = true;
}

static void pass(walk *w)
{
    const lun_ir *ir = &w->l->ir;
    w->grew = false;
    for (int32_t k = 0; k < ir->count; k++) {
        const lun_ir_ins *ins = &ir->ins[k];
        if (ins->kind == LUN_IR_VAR)
            assign(w, k, w->of[ins->a]);
        else if (ins->kind == LUN_IR_SET)
            assign(w, ins->a, w->of[ins->b]);
        else
            w->of[k] = value(w, ins);
    }
}

/* Elements that the kernel's GATHERs of slot i reach. */
static range gathered(const walk *w, int slot)
{
    const lun_ir *ir = &w->l->ir;
    range all = NONE;
    for (int k = 0; k < ir->count; k++) {
        const lun_ir_ins *ins = &ir->ins[k];
        if (ins->imm != slot)
            continue;
        if (ins->kind == LUN_IR_GATHER)
            all = both(all, w->of[ins->a]);
        else if (ins->kind == LUN_IR_LOADU)
            all = both(all, (range){0, 0});
    }
    return all;
}

/* A function has the array itself. */
static bool is_handed_on(const lun_ir *ir, int slot)
{
    for (int k = 0; k < ir->operand_count; k++)
        if (ir->operands[k] == -1 - slot)
            return true;
    return false;
}

lun_interval lun__reached(const lun_lowered *l, int i, lun_interval indices)
{
    enum { PASSES = 3 }; /* what has not stopped growing does so in a loop */
    const int64_t n = l->slots[i].node->n;
    walk w = {.l = l, .indices = indices};
    if (is_handed_on(&l->ir, i) || !(w.of = malloc(((size_t)l->ir.count + 1) * sizeof *w.of)))
        return (lun_interval){0, n};
    for (int k = 0; k < l->ir.count; k++)
        w.of[k] = NONE;
    for (int k = 0; !k || w.grew; k++) {
        w.wide = k >= PASSES;
        pass(&w);
    }
    const range x = gathered(&w, i);
    const int64_t lo = x.lo > 0 ? x.lo : 0, hi = x.hi < n ? x.hi + 1 : n;
    free(w.of);
    return lo < hi ? (lun_interval){lo, hi} : (lun_interval){0, 0};
}
