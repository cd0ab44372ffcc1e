/* reached.c - see reached.h.  Each integer of a kernel lies between two numbers, which follow from
 * the launch's first index and last one, from arguments and literals; where one of them may wrap,
 * or comes from elements, nothing is known.  Control flow is not looked at: a branch that is not
 * taken reaches nothing, and what is checked lies within the array. */
#include "placing/reached.h"

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
    int64_t base;  /* what is added to indices, */
    int64_t count; /* of which there are so many; 0: they are not known */
    range *of;     /* by instruction; of a VAR all that it may hold */
    bool wide;     /* a VAR that still grows may hold anything */
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
    const int64_t x = lun__dtype_cell_to_value(t, cell).as.i;
    return fitting(t, (range){x, x});
}

static range argument(const walk *w, int64_t k, lun_dtype t)
{
    const lun_arg_source *from = &w->l->args[k];
    if (k == w->l->base - 1)
        return (range){w->base, w->base};
    if (from->node && from->node->kind != LUN_NODE_NUMBER)
        return ANY;
    return known(t, from->node ? from->node->cell : from->cell);
}

static range index_of(const walk *w)
{
    return w->count ? (range){0, w->count - 1} : ANY;
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

/* ---- loops that count ------------------------------------------------------------------------ */

static bool opens(const lun_ir_ins *ins)
{
    return ins->kind == LUN_IR_IF || ins->kind == LUN_IR_LOOP || ins->kind == LUN_IR_BLOCK;
}

/* A loop whose variable goes by one, `by`, from `first` to `last`, at which it is left. */
typedef struct counting {
    int32_t variable, set, loop, first, last;
    int64_t by;
} counting;

static bool is_literal(const lun_ir *ir, int32_t v, int64_t x)
{
    return ir->ins[v].kind == LUN_IR_CONST && ir->ins[v].imm == x;
}

/* Whether all of the variable's SETs is this one, to one more or less than it was: *was. */
static bool steps(const lun_ir *ir, counting *c, int32_t *was)
{
    const lun_ir_ins *sum = &ir->ins[ir->ins[c->set].b];
    if (sum->kind != LUN_IR_OP || sum->op != LUN_OP_ADD ||
        !lun__dtype_is_index((lun_dtype)sum->dtype))
        return false;
    c->by = is_literal(ir, sum->b, 1) ? 1 : is_literal(ir, sum->b, -1) ? -1 : 0;
    *was = sum->a;
    if (!c->by || ir->ins[*was].kind != LUN_IR_GET || ir->ins[*was].a != c->variable)
        return false;
    for (int32_t k = c->variable; k < ir->count; k++)
        if (ir->ins[k].kind == LUN_IR_SET && ir->ins[k].a == c->variable && k != c->set)
            return false;
    return true;
}

/* The END of an IF that is at k, if it has no ELSE and ends with a BREAK; else -1. */
static int32_t leaves(const lun_ir *ir, int32_t k)
{
    int depth = 1;
    for (k++; k < ir->count; k++) {
        const lun_ir_ins *ins = &ir->ins[k];
        depth += opens(ins) - (ins->kind == LUN_IR_END);
        if (depth == 1 && ins->kind == LUN_IR_ELSE)
            return -1;
        if (!depth)
            return ir->ins[k - 1].kind == LUN_IR_BREAK ? k : -1;
    }
    return -1;
}

/* Whether what is at `to` runs only after what is at `from` has. */
static bool follows(const lun_ir *ir, int32_t from, int32_t to)
{
    int depth = 0;
    for (int32_t k = from + 1; k < to && depth >= 0; k++) {
        depth += opens(&ir->ins[k]) - (ir->ins[k].kind == LUN_IR_END);
        if (!depth && ir->ins[k].kind == LUN_IR_ELSE)
            return false;
    }
    return depth >= 0;
}

/* Where the variable, which is `was`, does not become another one. */
static bool ends(const lun_ir *ir, counting *c, int32_t was)
{
    for (int32_t k = was + 1; k < c->set; k++) {
        const lun_ir_ins *test = ir->ins[k].kind == LUN_IR_IF ? &ir->ins[ir->ins[k].a] : NULL;
        if (!test || test->kind != LUN_IR_OP || test->op != LUN_OP_EQ || test->a != was)
            continue;
        const int32_t end = leaves(ir, k);
        c->last = test->b;
        if (end >= 0 && end < c->set && follows(ir, end, c->set))
            return true;
    }
    return false;
}

/* The innermost LOOP around k, -1: none. */
static int32_t loop_around(const lun_ir *ir, int32_t k)
{
    int depth = 0;
    while (--k >= 0) {
        depth += ir->ins[k].kind == LUN_IR_END;
        if (opens(&ir->ins[k]) && depth-- == 0) {
            if (ir->ins[k].kind == LUN_IR_LOOP)
                return k;
            depth = 0;
        }
    }
    return -1;
}

/* Whether it begins before its end: by an IF around it, or by what is known of both. */
static bool begins_before(const walk *w, const counting *c)
{
    const lun_ir *ir = &w->l->ir;
    const range a = w->of[c->first], b = w->of[c->last];
    const int order = c->by > 0 ? LUN_OP_LE : LUN_OP_GE;
    int depth = 0;
    bool other = false;
    for (int32_t k = c->loop - 1; k >= 0; k--) {
        const lun_ir_ins *ins = &ir->ins[k];
        depth += ins->kind == LUN_IR_END;
        other |= !depth && ins->kind == LUN_IR_ELSE;
        if (!opens(ins) || depth-- > 0)
            continue;
        const lun_ir_ins *test = ins->kind == LUN_IR_IF && !other ? &ir->ins[ins->a] : NULL;
        if (test && test->kind == LUN_IR_OP && test->op == order && test->a == c->first &&
            test->b == c->last)
            return true;
        depth = 0;
        other = false;
    }
    return c->by > 0 ? a.hi <= b.lo : a.lo >= b.hi;
}

/* What a SET at k gives its variable: as long as it counts, numbers up to the last one. */
static range assigned(const walk *w, int32_t k)
{
    const lun_ir *ir = &w->l->ir;
    counting c = {.variable = ir->ins[k].a, .set = k};
    int32_t was;
    c.first = ir->ins[c.variable].a;
    c.loop = loop_around(ir, k);
    if (!steps(ir, &c, &was) || !ends(ir, &c, was) || was < c.loop || c.last > c.loop ||
        c.variable > c.loop || loop_around(ir, c.loop) > c.variable || !begins_before(w, &c))
        return w->of[ir->ins[k].b];
    return c.by > 0 ? (range){w->of[c.first].lo, w->of[c.last].hi}
                    : (range){w->of[c.last].lo, w->of[c.first].hi};
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
            assign(w, ins->a, assigned(w, k));
        else
            w->of[k] = value(w, ins);
    }
}

/* Elements that the kernel's GATHERs of slot i reach; any where it has none, for then something
 * else takes the array. */
static range gathered(const walk *w, int slot)
{
    const lun_ir *ir = &w->l->ir;
    range all = NONE;
    bool found = false;
    for (int k = 0; k < ir->count; k++) {
        const lun_ir_ins *ins = &ir->ins[k];
        if (ins->imm != slot || (ins->kind != LUN_IR_GATHER && ins->kind != LUN_IR_LOADU))
            continue;
        found = true;
        all = both(all, ins->kind == LUN_IR_GATHER ? w->of[ins->a] : (range){0, 0});
    }
    return found ? all : ANY;
}

/* A function has the array itself: one that is called, or combines. */
static bool is_handed_on(const lun_ir *ir, int slot)
{
    for (int k = 0; k < ir->count; k++)
        if (ir->ins[k].arrays && slot >= ir->ins[k].arrays - 1)
            return true;
    for (int k = 0; k < ir->operand_count; k++)
        if (ir->operands[k] == -1 - slot)
            return true;
    return false;
}

static lun_interval reached(walk *w, int slot)
{
    enum { PASSES = 3 }; /* what has not stopped growing does so in a loop */
    const lun_ir *ir = &w->l->ir;
    const int64_t n = w->l->slots[slot].node->n;
    if (is_handed_on(ir, slot) || !(w->of = malloc(((size_t)ir->count + 1) * sizeof *w->of)))
        return (lun_interval){0, n};
    for (int k = 0; k < ir->count; k++)
        w->of[k] = NONE;
    for (int k = 0; !k || w->grew; k++) {
        w->wide = k >= PASSES;
        pass(w);
    }
    const range x = gathered(w, slot);
    const int64_t lo = x.lo > 0 ? x.lo : 0, hi = x.hi < n ? x.hi + 1 : n;
    free(w->of);
    return lo < hi ? (lun_interval){lo, hi} : (lun_interval){0, 0};
}

lun_interval lun__reached(const lun_lowered *l, int i, lun_interval indices)
{
    walk w = {.l = l, .base = indices.lo};
    if (l->base && !l->segment) /* else segments count their own, or no index is used */
        w.count = indices.hi - indices.lo;
    return reached(&w, i);
}

lun_interval lun__reached_by_teams(const lun_lowered *l, int i, int64_t indices)
{
    return reached(&(walk){.l = l, .count = indices}, i);
}
