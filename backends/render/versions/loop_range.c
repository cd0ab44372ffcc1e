/* loop_range.c - intervals of integers by their bounds, values that are computed where the loops
 * have not begun; see loop_range.h.
 *
 * A bound is computed of what is known there by additions, subtractions, products, minima and
 * maxima.  None of these overflows: what is known is tested not to be large, and `bits` says how
 * large a bound may be. */
#include "render/versions/loop_range.h"

enum { LEAF_BITS = LUN_SPAN_LARGE, MOST_BITS = 62, BUDGET = 64 };

typedef struct span {
    int32_t low, high;   /* values of what is written */
    int bits;            /* both lie within -2^bits .. 2^bits, */
    int32_t untested[2]; /* if these values of the kernel do, -1: none; low and high are they */
} span;

bool lun__loop_range_known(const lun_range_test *t, int32_t v)
{
    const lun_writer *w = t->w;
    if (t->differs)
        return !t->differs[v];
    return (w->state[v] & LUN_WRITTEN_EARLY) || lun__ir_structure_dominates(&w->blocks, v, t->at);
}

void lun__loop_range_take(lun_range_test *t, int32_t condition)
{
    t->all = t->all < 0 ? condition : lun__ir_write_op(&t->w->to, LUN_OP_LAND, t->all, condition);
}

static bool is_constant(const lun_range_test *t, int32_t v, int64_t *x)
{
    const lun_ir_ins *ins = &t->w->to.ir->ins[v];
    *x = ins->imm;
    return ins->kind == LUN_IR_CONST && lun__dtype_is_index((lun_dtype)ins->dtype);
}

static int bits_of(int64_t x)
{
    int bits = 0;
    while (bits < 63 && (x > INT64_C(1) << bits || x < -(INT64_C(1) << bits)))
        bits++;
    return bits;
}

static bool constant(lun_range_test *t, int64_t x, span *out)
{
    const int32_t c = lun__ir_write_integer(&t->w->to, x);
    *out = (span){c, c, bits_of(x), {-1, -1}};
    return out->bits <= MOST_BITS;
}

/* Takes up that v is not large. */
static bool test_leaf(lun_range_test *t, int32_t v)
{
    lun_writer *w = t->w;
    const int64_t large = INT64_C(1) << LEAF_BITS;
    for (int k = 0; k < t->leaves; k++)
        if (t->leaf[k] == v)
            return true;
    if (t->leaves == LUN_SPAN_LEAVES)
        return false;
    t->leaf[t->leaves++] = v;
    lun__loop_range_take(t, lun__ir_write_op(&w->to, LUN_OP_GE, w->to.map[v],
                                             lun__ir_write_integer(&w->to, -large)));
    lun__loop_range_take(
        t, lun__ir_write_op(&w->to, LUN_OP_LE, w->to.map[v], lun__ir_write_integer(&w->to, large)));
    return true;
}

/* With a span it can be computed: it is not large. */
static bool test(lun_range_test *t, span *s)
{
    for (int k = 0; k < 2; k++)
        if (s->untested[k] >= 0 && !test_leaf(t, s->untested[k]))
            return false;
    s->untested[0] = s->untested[1] = -1;
    return true;
}

static int32_t pick(lun_range_test *t, lun_op op, int32_t a, int32_t b)
{
    return a == b ? a : lun__ir_write_op(&t->w->to, op, a, b);
}

static bool multiply(lun_range_test *t, span *a, span *b, span *out)
{
    lun_writer *w = t->w;
    if (a->bits + b->bits > MOST_BITS)
        return false;
    const int32_t p = lun__ir_write_op(&w->to, LUN_OP_MUL, a->low, b->low);
    *out = (span){p, p, a->bits + b->bits, {-1, -1}};
    for (int k = 1; k < 4; k++) {
        const int32_t x = k & 1 ? a->high : a->low, y = k & 2 ? b->high : b->low;
        if ((k & 1 && a->low == a->high) || (k & 2 && b->low == b->high))
            continue;
        const int32_t q = lun__ir_write_op(&w->to, LUN_OP_MUL, x, y);
        out->low = lun__ir_write_op(&w->to, LUN_OP_MIN, out->low, q);
        out->high = lun__ir_write_op(&w->to, LUN_OP_MAX, out->high, q);
    }
    return true;
}

/* a op b by the bounds of both. */
static bool combine(lun_range_test *t, lun_op op, span *a, span *b, span *out)
{
    const int bits = a->bits > b->bits ? a->bits : b->bits;
    *out = (span){.bits = bits, .untested = {-1, -1}};
    if (!test(t, a) || !test(t, b))
        return false;
    switch (op) {
    case LUN_OP_ADD:
    case LUN_OP_SUB:
        out->low = lun__ir_write_op(&t->w->to, op, a->low, op == LUN_OP_SUB ? b->high : b->low);
        out->high = lun__ir_write_op(&t->w->to, op, a->high, op == LUN_OP_SUB ? b->low : b->high);
        out->bits = bits + 1;
        return out->bits <= MOST_BITS;
    case LUN_OP_MUL:
        return multiply(t, a, b, out);
    default:
        out->low = pick(t, op, a->low, b->low);
        out->high = pick(t, op, a->high, b->high);
        return true;
    }
}

static bool find(lun_range_test *t, int32_t v, span *out);

/* Of the GET v, which reads the counter of a loop behind `at`. */
static bool count(lun_range_test *t, int32_t v, span *out)
{
    const lun_writer *w = t->w;
    int32_t p = w->blocks.parent[v];
    span a, b;
    while (p >= t->at &&
           (w->to.ir->ins[p].kind != LUN_IR_LOOP || w->loop[p].var != w->to.ir->ins[v].a))
        p = w->blocks.parent[p];
    if (p < t->at || !find(t, w->loop[p].first, &a) || !find(t, w->loop[p].last, &b))
        return false;
    if (!lun__version_writer_guards(w, w->blocks.parent[p], p) &&
        !lun__counted_rounds(w->to.ir, w->loop[p].first, w->loop[p].last))
        lun__loop_range_take(t, lun__ir_write_op(&t->w->to, LUN_OP_LE, a.high, b.low));
    *out = (span){a.low, b.high, a.bits > b.bits ? a.bits : b.bits, {a.untested[0], b.untested[1]}};
    return true;
}

/* Rounded down, what is divided by a constant lies as it did; a remainder below the constant. */
static bool divide(lun_range_test *t, const lun_ir_ins *ins, span *out)
{
    int64_t by;
    span a, b;
    if (!is_constant(t, ins->b, &by) || by < 1 || by > INT64_C(1) << LEAF_BITS)
        return false;
    if (ins->op == LUN_OP_MOD) {
        *out = (span){lun__ir_write_integer(&t->w->to, 0),
                      lun__ir_write_integer(&t->w->to, by - 1),
                      LEAF_BITS,
                      {-1, -1}};
        return true;
    }
    if (!find(t, ins->a, &a) || !constant(t, by, &b) || !test(t, &a))
        return false;
    *out = (span){lun__ir_write_op(&t->w->to, LUN_OP_IDIV, a.low, b.low),
                  lun__ir_write_op(&t->w->to, LUN_OP_IDIV, a.high, b.low),
                  a.bits,
                  {-1, -1}};
    return true;
}

/* Recurs at most as often as the budget allows. */
static bool find(lun_range_test *t, int32_t v, span *out)
{
    const lun_ir_ins *ins = &t->w->to.ir->ins[v];
    int64_t x;
    span a, b;
    if (t->budget-- <= 0 || !lun__dtype_is_index((lun_dtype)ins->dtype))
        return false;
    if (is_constant(t, v, &x))
        return constant(t, x, out);
    if (lun__loop_range_known(t, v)) {
        *out = (span){t->w->to.map[v], t->w->to.map[v], LEAF_BITS, {v, v}};
        return true;
    }
    if (ins->kind == LUN_IR_INDEX && t->differs) {
        *out = (span){t->first, t->last, LEAF_BITS, {-1, -1}};
        return true;
    }
    if (ins->kind == LUN_IR_GET)
        return count(t, v, out);
    if (ins->kind != LUN_IR_OP || !lun__dtype_is_index((lun_dtype)ins->from))
        return false;
    switch ((lun_op)ins->op) {
    case LUN_OP_ADD:
    case LUN_OP_SUB:
    case LUN_OP_MUL:
    case LUN_OP_MIN:
    case LUN_OP_MAX:
        return find(t, ins->a, &a) && find(t, ins->b, &b) &&
               combine(t, (lun_op)ins->op, &a, &b, out);
    case LUN_OP_IDIV:
    case LUN_OP_MOD:
        return divide(t, ins, out);
    default:
        return false;
    }
}

/* A comparison of integers holds for all of their values. */
static bool compare(lun_range_test *t, const lun_ir_ins *ins)
{
    span a, b;
    if (!find(t, ins->a, &a) || !find(t, ins->b, &b))
        return false;
    const bool less = ins->op == LUN_OP_LE || ins->op == LUN_OP_LT;
    lun__loop_range_take(t, lun__ir_write_op(&t->w->to, (lun_op)ins->op, less ? a.high : a.low,
                                             less ? b.low : b.high));
    return true;
}

static bool holds(lun_range_test *t, int32_t c)
{
    const lun_ir_ins *ins = &t->w->to.ir->ins[c];
    if (t->budget-- <= 0)
        return false;
    if (lun__loop_range_known(t, c)) {
        lun__loop_range_take(t, t->w->to.map[c]);
        return true;
    }
    if (ins->kind != LUN_IR_OP)
        return false;
    switch ((lun_op)ins->op) {
    case LUN_OP_LAND:
        return holds(t, ins->a) && holds(t, ins->b);
    case LUN_OP_LE:
    case LUN_OP_LT:
    case LUN_OP_GE:
    case LUN_OP_GT:
        return lun__dtype_is_index((lun_dtype)ins->from) && compare(t, ins);
    default:
        return false;
    }
}

bool lun__loop_range_holds(lun_range_test *t, int32_t c)
{
    const int32_t all = t->all;
    const int leaves = t->leaves;
    t->budget = BUDGET;
    if (holds(t, c))
        return true;
    t->all = all;
    t->leaves = leaves;
    return false;
}

bool lun__loop_range_below(lun_range_test *t, int32_t a, int32_t b)
{
    span x, y;
    t->budget = BUDGET;
    if (!find(t, a, &x) || !find(t, b, &y))
        return false;
    lun__loop_range_take(t, lun__ir_write_op(&t->w->to, LUN_OP_LE, x.high, y.low));
    return true;
}
