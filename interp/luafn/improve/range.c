/* range.c - interval analysis: which values the integers of a graph can have, from constants,
 * captured values, the bounds of loops and dominating conditions. */
#include "luafn/improve/improve.h"

#include "luafn/lower/lowering_state.h"

/* Rounds before widening, rounds of narrowing, dominators whose conditions are used. */
enum { LF_GROW = 4, LF_SHRINK = 3, LF_UP = 24 };

static const lf_range all = {INT64_MIN, INT64_MAX}, of_short = {INT32_MIN, INT32_MAX},
                      none = {1, 0};

typedef struct ranger {
    lf_compile *c;
    lf_graph *g;
    lf_range *range; /* by id */
} ranger;

static bool is_ranged(uint8_t t)
{
    return lf_is_long(t) || lf_is_short(t);
}

static bool empty(lf_range r)
{
    return r.low > r.high;
}

static lf_range join(lf_range a, lf_range b)
{
    if (empty(a))
        return b;
    if (empty(b))
        return a;
    return (lf_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static lf_range meet(lf_range a, lf_range b)
{
    return (lf_range){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static lf_range up_to(int64_t high)
{
    return (lf_range){0, high};
}

/* ---- leaves ---- */

static lf_range of_source(const lf_capture *s)
{
    int64_t most = s->kind == LF_CAPTURE_INT24 ? 1 << 24 : 1 << 30;
    if (s->kind == LF_CAPTURE_INT32)
        return of_short;
    return s->kind == LF_CAPTURE_INT64 ? all : (lf_range){-most, most};
}

static lf_range of_leaf(const ranger *r, const lf_value *v)
{
    if (v->kind == LF_IR_CONST) {
        int64_t x = luafn_const_int(v);
        return (lf_range){x, x};
    }
    if (v->kind == LF_IR_ARG && lf_is_long(v->type)) {
        const lf_input *in = r->c->inputs.at[v->as.i];
        const lf_capture *s = in->origin == LF_FROM_SOURCE || in->origin == LF_SOURCE_EXTENT
                                  ? &r->c->source[in->number].capture
                                  : NULL;
        if (in->origin == LF_FROM_SOURCE)
            return of_source(s);
        if (in->origin == LF_SOURCE_EXTENT)
            return up_to(s->small ? 1 << 30 : INT64_MAX);
        if (in->origin == LF_PARAM_EXTENT)
            return up_to(INT64_MAX);
        if (in->origin == LF_MEMORY_EXTENT)
            return up_to(INT32_MAX);
    }
    return lf_is_short(v->type) ? of_short : all;
}

static lf_range get(const ranger *r, const lf_value *v)
{
    bool leaf = v->kind == LF_IR_CONST || v->kind == LF_IR_ARG;
    return leaf ? of_leaf(r, v) : r->range[v->id];
}

/* ---- conditions on the way ---- */

static lun_op turned(lun_op op)
{
    switch (op) {
    case LUN_OP_LT:
        return LUN_OP_GE;
    case LUN_OP_LE:
        return LUN_OP_GT;
    case LUN_OP_GT:
        return LUN_OP_LE;
    case LUN_OP_GE:
        return LUN_OP_LT;
    case LUN_OP_EQ:
        return LUN_OP_NE;
    default:
        return LUN_OP_EQ;
    }
}

static lun_op mirrored(lun_op op)
{
    switch (op) {
    case LUN_OP_LT:
        return LUN_OP_GT;
    case LUN_OP_LE:
        return LUN_OP_GE;
    case LUN_OP_GT:
        return LUN_OP_LT;
    case LUN_OP_GE:
        return LUN_OP_LE;
    default:
        return op;
    }
}

/* The range of x if "x op y" holds. */
static lf_range limited(lf_range x, lun_op op, lf_range y)
{
    if (empty(y))
        return x;
    switch (op) {
    case LUN_OP_LT:
        if (y.high == INT64_MIN)
            return none;
        return meet(x, (lf_range){INT64_MIN, y.high - 1});
    case LUN_OP_LE:
        return meet(x, (lf_range){INT64_MIN, y.high});
    case LUN_OP_GT:
        if (y.low == INT64_MAX)
            return none;
        return meet(x, (lf_range){y.low + 1, INT64_MAX});
    case LUN_OP_GE:
        return meet(x, (lf_range){y.low, INT64_MAX});
    case LUN_OP_EQ:
        return meet(x, y);
    default:
        return x;
    }
}

/* The range of x if cond is `holds`. */
static lf_range under(const ranger *r, lf_range range, const lf_value *x, const lf_value *cond,
                      bool holds, int depth)
{
    if (cond->kind != LF_IR_OP || depth > 4)
        return range;
    lun_op op = (lun_op)cond->sub;
    if (op == LUN_OP_LNOT)
        return under(r, range, x, cond->arg[0], !holds, depth + 1);
    if ((op == LUN_OP_LAND && holds) || (op == LUN_OP_LOR && !holds)) {
        range = under(r, range, x, cond->arg[0], holds, depth + 1);
        return under(r, range, x, cond->arg[1], holds, depth + 1);
    }
    if (!lf_is_comparison(op) || !lf_is_long(cond->from))
        return range;
    if (!holds)
        op = turned(op);
    if (cond->arg[0] == x)
        return limited(range, op, get(r, cond->arg[1]));
    if (cond->arg[1] == x)
        return limited(range, mirrored(op), get(r, cond->arg[0]));
    return range;
}

static lf_range on_edge(const ranger *r, lf_range range, const lf_value *x, const lf_block *from,
                        const lf_block *to)
{
    if (from->end != LF_BRANCH || from->succ[0] == from->succ[1])
        return range;
    return under(r, range, x, from->cond, from->succ[0] == to, 0);
}

/* The range of x inside block b. */
static lf_range in_block(const ranger *r, const lf_value *x, const lf_block *b)
{
    lf_range range = get(r, x);
    for (int up = 0; up < LF_UP && b->idom != b && range.low < range.high; up++) {
        if (b->preds.count == 1)
            range = on_edge(r, range, x, b->preds.at[0], b);
        b = b->idom;
    }
    return range;
}

/* ---- operations ---- */

static lf_range times(lf_range a, lf_range b)
{
    int64_t p[4];
    if (__builtin_mul_overflow(a.low, b.low, &p[0]) ||
        __builtin_mul_overflow(a.low, b.high, &p[1]) ||
        __builtin_mul_overflow(a.high, b.low, &p[2]) ||
        __builtin_mul_overflow(a.high, b.high, &p[3]))
        return all;
    lf_range r = {p[0], p[0]};
    for (int k = 1; k < 4; k++)
        r = join(r, (lf_range){p[k], p[k]});
    return r;
}

static lf_range sum(lf_range a, lf_range b, bool minus)
{
    lf_range r;
    bool low = minus ? __builtin_sub_overflow(a.low, b.high, &r.low)
                     : __builtin_add_overflow(a.low, b.low, &r.low);
    bool high = minus ? __builtin_sub_overflow(a.high, b.low, &r.high)
                      : __builtin_add_overflow(a.high, b.high, &r.high);
    return low || high ? all : r;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

static lf_range of_bits(lun_op op, lf_range a, lf_range b)
{
    if (op == LUN_OP_BAND && (a.low >= 0 || b.low >= 0)) {
        int64_t high = a.low < 0 ? b.high : b.low < 0 || a.high < b.high ? a.high : b.high;
        return up_to(high);
    }
    if (a.low < 0 || b.low < 0)
        return all;
    int64_t both = a.high | b.high; /* all bits below the highest one may be set */
    return up_to(both ? (int64_t)(UINT64_MAX >> __builtin_clzll((uint64_t)both)) : 0);
}

static lf_range of_op(const ranger *r, const lf_value *v)
{
    lun_op op = (lun_op)v->sub;
    int first = op == LUN_OP_WHERE;
    lf_range a = in_block(r, v->arg[first], v->block);
    lf_range b = v->args > first + 1 ? in_block(r, v->arg[first + 1], v->block) : a;
    if (empty(a) || empty(b))
        return op == LUN_OP_WHERE ? join(a, b) : none;
    switch (op) {
    case LUN_OP_ADD:
    case LUN_OP_SUB:
        return sum(a, b, op == LUN_OP_SUB);
    case LUN_OP_MUL:
        return times(a, b);
    case LUN_OP_NEG:
        return sum(up_to(0), a, true);
    case LUN_OP_ABS:
        if (a.low == INT64_MIN)
            return all;
        if (a.low >= 0)
            return a;
        return up_to(-a.low > a.high ? -a.low : a.high);
    case LUN_OP_MIN:
        return (lf_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    case LUN_OP_MAX:
        return (lf_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    case LUN_OP_WHERE:
        return join(a, b);
    case LUN_OP_MOD:
        if (b.low <= 0)
            return all;
        return a.low >= 0 && a.high < b.low ? a : up_to(b.high - 1);
    case LUN_OP_IDIV:
        if (b.low <= 0)
            return all;
        return join((lf_range){floor_div(a.low, b.low), floor_div(a.high, b.low)},
                    (lf_range){floor_div(a.low, b.high), floor_div(a.high, b.high)});
    case LUN_OP_SHR:
        if (a.low < 0 || b.low != b.high || b.low < 0 || b.low > 63)
            return all;
        return (lf_range){a.low >> b.low, a.high >> b.low};
    case LUN_OP_BAND:
    case LUN_OP_BOR:
    case LUN_OP_BXOR:
        return of_bits(op, a, b);
    default:
        return all;
    }
}

static lf_range of_phi(const ranger *r, const lf_value *v)
{
    lf_range range = none;
    for (int k = 0; k < v->args; k++) {
        const lf_block *from = v->block->preds.at[k];
        lf_range x = in_block(r, v->arg[k], from);
        range = join(range, on_edge(r, x, v->arg[k], from, v->block));
    }
    if (v->first && !empty(range)) {
        lf_range low = get(r, v->first), high = get(r, v->last);
        if (!empty(low) && !empty(high))
            range = meet(range, (lf_range){low.low, high.high});
    }
    return range;
}

static lf_range compute(const ranger *r, const lf_value *v)
{
    lf_range range = all;
    if (v->kind == LF_PHI)
        range = of_phi(r, v);
    else if (v->kind == LF_IR_OP)
        range = of_op(r, v);
    else if (v->kind == LF_IR_CAST && lun__dtype_is_bool((lun_dtype)v->from))
        range = up_to(1);
    else if (v->kind == LF_IR_CAST && is_ranged(v->from))
        range = in_block(r, v->arg[0], v->block);
    else if (v->kind == LF_IR_CAST && lun__dtype_get((lun_dtype)v->from)->bytes < 4)
        range = (lf_range){-32768, 65535};
    return lf_is_long(v->type) || lf_fits_i32(range) ? range : of_short; /* it may wrap */
}

static bool visit(ranger *r, const lf_list *list, bool grow, bool widen)
{
    bool changed = false;
    for (int i = 0; i < list->count; i++) {
        const lf_value *v = list->at[i];
        if (!is_ranged(v->type))
            continue;
        lf_range old = r->range[v->id], now = compute(r, v);
        lf_range most = lf_is_short(v->type) ? of_short : all;
        if (grow)
            now = join(old, now);
        if (widen && v->kind == LF_PHI && !empty(old)) {
            if (now.low < old.low)
                now.low = most.low;
            if (now.high > old.high)
                now.high = most.high;
        }
        if (now.low == old.low && now.high == old.high)
            continue;
        r->range[v->id] = now;
        changed = true;
    }
    return changed;
}

static bool sweep(ranger *r, bool grow, bool widen)
{
    bool changed = false;
    for (int i = 0; i < r->g->order.count; i++) {
        const lf_block *b = r->g->order.at[i];
        changed |= visit(r, &b->phis, grow, widen);
        changed |= visit(r, &b->ops, grow, widen);
    }
    return changed;
}

/* A fixpoint from below, with widening after LF_GROW rounds; then LF_SHRINK rounds of narrowing. */
lf_range *luafn_ranges(lf_compile *c)
{
    ranger r = {.c = c, .g = &c->graph};
    r.range = LF_NEW(&c->unit, lf_range, r.g->values);
    for (int i = 0; i < r.g->values; i++)
        r.range[i] = none;
    for (int round = 0; sweep(&r, true, round >= LF_GROW); round++)
        ;
    for (int round = 0; round < LF_SHRINK; round++)
        sweep(&r, false, false);
    return r.range;
}
