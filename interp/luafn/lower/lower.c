/* lower.c - replaces every value by IR values of fixed dtypes. Comparisons, loops and the math
 * library have files of their own. */
#include "luafn/lower/lowering_state.h"

#include <math.h>

#include "luafn/graph/captured.h"

/* ---- arithmetic ---- */

/* x ^ y: exact where it is a product; square roots as pow has them: -inf gives inf, -0 gives 0. */
static lf_value *power(lf_lowering *l, lf_value *x, lf_value *y)
{
    lun_dtype t = (lun_dtype)x->type;
    double n = lf_ir_is_const(y) ? luafn_const_real(y) : 0.0;
    if (!lf_ir_is_const(y))
        return luafn_ir_value_op2(l, LUN_OP_POW, x, y);
    if (n == 0)
        return luafn_const_ir_real(l, t, 1.0);
    if (n == 1)
        return x;
    if (n == 2)
        return luafn_ir_value_op2(l, LUN_OP_MUL, x, x);
    if (n == 0.5) {
        lf_value *root = luafn_ir_value_op1(
            l, LUN_OP_SQRT, luafn_ir_value_op2(l, LUN_OP_ADD, x, luafn_const_ir_real(l, t, 0.0)));
        lf_value *low = luafn_ir_value_op2(l, LUN_OP_EQ, x, luafn_const_ir_real(l, t, -HUGE_VAL));
        return luafn_ir_value_where(l, low, luafn_const_ir_real(l, t, HUGE_VAL), root);
    }
    return luafn_ir_value_op2(l, LUN_OP_POW, x, y);
}

static lf_value *arithmetic(lf_lowering *l, const lf_value *v)
{
    static const lun_op ops[] = {
        [LF_ADD] = LUN_OP_ADD,   [LF_SUB] = LUN_OP_SUB,   [LF_MUL] = LUN_OP_MUL,
        [LF_MOD] = LUN_OP_MOD,   [LF_POW] = LUN_OP_POW,   [LF_DIV] = LUN_OP_DIV,
        [LF_IDIV] = LUN_OP_IDIV, [LF_BAND] = LUN_OP_BAND, [LF_BOR] = LUN_OP_BOR,
        [LF_BXOR] = LUN_OP_BXOR, [LF_SHL] = LUN_OP_SHL,   [LF_SHR] = LUN_OP_SHR,
    };
    lun_dtype t = luafn_lowering_dtype(l->c, (lf_type)v->type);
    lf_value *x = luafn_ir_operand_as(l, v->arg[0], t), *y = luafn_ir_operand_as(l, v->arg[1], t);
    if (v->sub == LF_POW)
        return power(l, x, y);
    if ((v->sub == LF_IDIV || v->sub == LF_MOD) && !lun__dtype_is_float(t))
        return luafn_lowering_divide(l, ops[v->sub], x, y);
    return luafn_ir_value_op2(l, ops[v->sub], x, y);
}

/* ---- arrays ---- */

/* Extent `axis` of team scratch, as the launch has it; behind the last: of all axes. */
static lf_value *given(lf_lowering *l, int memory, int axis)
{
    return luafn_ir_value_arg(l, luafn_lowering_memory(l->c, memory, axis), LUN_I64);
}

/* The extent of the first axis of a without an index. */
static lf_value *length(lf_lowering *l, const lf_value *a)
{
    lf_whose of = lf_whose_is(l->c, a);
    const int memory = of.param ? of.number - l->c->params : -1;
    if (lf_is_given(l->c, memory, of.fixed))
        return given(l, memory, of.fixed);
    if (memory >= 0)
        return luafn_const_ir_int(l, LUN_I64, of.shape[of.fixed]);
    return luafn_ir_value_arg(l, luafn_lowering_extent(l->c, of.param, of.number, of.fixed),
                              LUN_I64);
}

/* Is i known to lie in 1 .. n: the index of a loop from a positive constant to n? */
static bool inside(const lf_value *i, const lf_value *n)
{
    return i->first && i->last == n && lf_ir_is_const(i->first) && luafn_const_int(i->first) >= 1;
}

/* Checks that index i of a, the next one, is in 1 .. n, else the launch fails. */
static void check_index(lf_lowering *l, const lf_value *a, lf_value *i, lf_value *n)
{
    lf_whose of = lf_whose_is(l->c, a);
    lf_value *ok = luafn_ir_value_op2(
        l, LUN_OP_LAND, luafn_ir_value_op2(l, LUN_OP_GE, i, luafn_const_ir_int(l, LUN_I64, 1)),
        luafn_ir_value_op2(l, LUN_OP_LE, i, n));
    const char *name = luafn_captured_array_name(l->c, a);
    int extent = (int)n->as.i, note;
    if (lf_ir_is_const(n) && of.rank > 1)
        note = luafn_lowering_note(l, -1,
                                   "index %%lld is out of range for axis %d of '%s' (length %lld)",
                                   of.fixed + 1, name, (long long)luafn_const_int(n));
    else if (lf_ir_is_const(n))
        note = luafn_lowering_note(l, -1, "index %%lld is out of range for '%s' of length %lld",
                                   name, (long long)luafn_const_int(n));
    else if (of.param && of.number >= l->c->params)
        note = luafn_lowering_note(
            l, -1, "index %%lld is out of range for axis %d of '%s', whose extent is given",
            of.fixed + 1, name);
    else if (of.rank == 1)
        note = luafn_lowering_note(l, extent,
                                   "index %%lld is out of range for array '%s' of length \1", name);
    else
        note = luafn_lowering_note(
            l, extent, "index %%lld is out of range for axis %d of array '%s' (length \1)",
            of.fixed + 1, name);
    luafn_ir_value_check(l, ok, i, note);
}

/* How many elements of a's slot are from one part with an index more to the next one's: the extent
 * n of that axis, or what rows have that stand apart. */
static lf_value *distance(lf_lowering *l, const lf_value *a, lf_value *n)
{
    lf_whose of = lf_whose_is(l->c, a);
    const bool row = of.param && of.number < l->c->params && of.fixed == of.rank - 1;
    return row && l->c->param[of.number].pitched
               ? luafn_ir_value_arg(l, luafn_lowering_extent(l->c, true, of.number, of.rank),
                                    LUN_I64)
               : n;
}

/* The row-major index, from 0, of v, an element or a part of an array, among all parts with as many
 * indices. */
static lf_value *flat_index(lf_lowering *l, const lf_value *v)
{
    const lf_value *a = v->arg[0];
    lf_value *i = luafn_ir_operand_as(l, v->arg[1], LUN_I64), *n = length(l, a);
    if (!luafn_static_index_of(l, v) && !inside(i, n))
        check_index(l, a, i, n);
    lf_value *k = luafn_ir_value_op2(l, LUN_OP_SUB, i, luafn_const_ir_int(l, LUN_I64, 1));
    if (a->kind != LF_PART)
        return k;
    return luafn_ir_value_op2(l, LUN_OP_ADD,
                              luafn_ir_value_op2(l, LUN_OP_MUL, a->low, distance(l, a, n)), k);
}

/* The index of element `at` of an array in its slot: team scratch of all teams is one slot. */
static lf_value *in_scratch(lf_lowering *l, lf_whose of, lf_value *at)
{
    const lf_compile *c = l->c;
    const int64_t threads = lun_team_product(c->param[LUN_TEAM_THREADS].shape, 0);
    if (!of.param || of.number < c->params)
        return at;
    const lun_front_scratch *x = &c->scratch[of.number - c->params];
    lf_value *block = luafn_ir_operand_as(l, c->param_value[LUN_FRONT_BLOCK], LUN_I64);
    lf_value *base = luafn_ir_operand_as(l, c->param_value[LUN_FRONT_BASE], LUN_I64);
    lf_value *number = luafn_ir_value_op2(l, LUN_OP_SUB, block, base);
    if (x->own && threads > 1) {
        number = luafn_ir_value_op2(l, LUN_OP_MUL, number, luafn_const_ir_int(l, LUN_I64, threads));
        number =
            luafn_ir_value_op2(l, LUN_OP_ADD, number,
                               luafn_ir_operand_as(l, c->param_value[LUN_FRONT_THREAD], LUN_I64));
    }
    lf_value *count = x->given ? given(l, of.number - c->params, x->rank > 1 ? x->rank : 0)
                               : luafn_const_ir_int(l, LUN_I64, x->count);
    number = luafn_ir_value_op2(l, LUN_OP_MUL, number, count);
    return luafn_ir_value_op2(l, LUN_OP_ADD, number, at);
}

static lf_value *element(lf_lowering *l, const lf_value *v)
{
    lf_whose of = lf_whose_is(l->c, v->arg[0]);
    lun_dtype t = l->c->team ? of.stored : of.dtype;
    lf_value *at = flat_index(l, v), *known = luafn_static_index_element(l, v);
    if (known)
        return luafn_ir_value_cast(l, luafn_lowering_dtype(l->c, (lf_type)v->type), known);
    int in =
        luafn_lowering_input(l->c, of.param ? LF_FROM_PARAM : LF_FROM_SOURCE, of.number, t, true);
    return luafn_ir_value_cast(l, luafn_lowering_dtype(l->c, (lf_type)v->type),
                               luafn_ir_value_gather(l, in, t, in_scratch(l, of, at)));
}

/* An offset, as an integer; the launch fails if it is beyond the radius. */
static lf_value *within(lf_lowering *l, const lf_value *v)
{
    lf_value *by = luafn_ir_operand_as(l, v->arg[0], LUN_I64);
    lf_value *low = luafn_ir_value_op2(l, LUN_OP_GE, by, luafn_const_ir_int(l, LUN_I64, -v->as.i));
    lf_value *high = luafn_ir_value_op2(l, LUN_OP_LE, by, luafn_const_ir_int(l, LUN_I64, v->as.i));
    luafn_ir_value_check(
        l, luafn_ir_value_op2(l, LUN_OP_LAND, low, high), by,
        luafn_lowering_note(l, -1, "offset %%lld is beyond the radius of axis %d, which is %lld",
                            v->sub + 1, (long long)v->as.i));
    return by;
}

/* Operand k of v as an element of an array; the launch fails if that cannot hold the integer. */
static lf_value *stored(lf_lowering *l, const lf_value *v, int k, lun_dtype to)
{
    lun_dtype t = luafn_lowering_dtype(l->c, (lf_type)v->type);
    int bits = lun__dtype_bits(to);
    if (!lun__dtype_is_integer(to) || bits == 64 || lf_open_of(l->c, v->arg[0]))
        return luafn_ir_operand_as(l, v->arg[k], t);
    lf_value *x = luafn_ir_operand_as(l, v->arg[k], LUN_I64);
    bool sign = lun__dtype_is_signed(to);
    int64_t most = (INT64_C(1) << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
    lf_value *low = luafn_ir_value_op2(l, LUN_OP_GE, x, luafn_const_ir_int(l, LUN_I64, least));
    lf_value *high = luafn_ir_value_op2(l, LUN_OP_LE, x, luafn_const_ir_int(l, LUN_I64, most));
    luafn_ir_value_check(
        l, luafn_ir_value_op2(l, LUN_OP_LAND, low, high), x,
        luafn_lowering_note(l, -1, "number %%lld does not fit in %s", lun_dtype_name(to)));
    return luafn_ir_value_cast(l, t, x);
}

/* An assignment of a team kernel: it has no value. */
static lf_value *assigned(lf_lowering *l, const lf_value *v)
{
    lf_whose of = lf_whose_is(l->c, v->arg[0]);
    lf_value *at = in_scratch(l, of, flat_index(l, v));
    lf_value *x = luafn_ir_value_cast(l, of.stored, stored(l, v, 2, of.stored));
    int in = luafn_lowering_input(l->c, of.param ? LF_FROM_PARAM : LF_FROM_SOURCE, of.number,
                                  of.stored, true);
    luafn_ir_value_put(l, in, x, at);
    return x;
}

/* The old element of an atomic change. */
static lf_value *changed(lf_lowering *l, const lf_value *v)
{
    lf_whose of = lf_whose_is(l->c, v->arg[0]);
    lf_value *arg[3];
    arg[1] = in_scratch(l, of, flat_index(l, v));
    arg[0] = luafn_ir_value_cast(l, of.stored, stored(l, v, 2, of.stored));
    if (v->args > 3)
        arg[2] = luafn_ir_value_cast(l, of.stored, stored(l, v, 3, of.stored));
    int in = luafn_lowering_input(l->c, of.param ? LF_FROM_PARAM : LF_FROM_SOURCE, of.number,
                                  of.stored, true);
    lf_value *old = luafn_ir_value_atomic(l, in, v->sub, arg, v->args - 1);
    return luafn_ir_value_cast(l, luafn_lowering_dtype(l->c, (lf_type)v->type), old);
}

/* The identity of an operation, a constant. */
static lf_value *identity(lf_lowering *l, const lf_value *v)
{
    uint64_t bits = 0;
    lun_dtype t = luafn_lowering_dtype(l->c, (lf_type)v->type);
    if (!lun__op_identity((lun_op)v->sub, t, &bits))
        luafn_debug_fail(&l->c->unit, v->proto, v->pc, "'%s' is no operation for %s",
                         lun__op_get((lun_op)v->sub)->name, lun_dtype_name(t));
    return luafn_const_ir_const(l, t, bits);
}

static int bits_of(const lf_compile *c, int source)
{
    lun_dtype t = c->source[source].capture.stored;
    return lun__dtype_is_integer(t) ? lun__dtype_bits(t) : 0;
}

/* The value that v combines with an element; the engine fails if that cannot hold the result. */
static lf_value *to_combine(lf_lowering *l, const lf_value *v)
{
    lf_put *p = l->c->puts.at[v->as.i];
    lun_dtype t = luafn_lowering_dtype(l->c, (lf_type)v->type);
    int bits = bits_of(l->c, p->source);
    if (bits && bits < lun__dtype_bits(t))
        p->note = luafn_lowering_note(l, -1, "number %%lld does not fit in %s",
                                      lun_dtype_name(l->c->source[p->source].capture.stored));
    return luafn_ir_operand_as(l, v->arg[0], t);
}

/* ---- the pass ---- */

static lf_value *truth(lf_lowering *l, lf_value *v)
{
    if (v->type == LF_BOOL || v->type == LF_MAYBE)
        return luafn_ir_operand_as(l, v, LUN_BOOL);
    return luafn_const_ir_bool(l, v->type != LF_NIL);
}

static lf_value *operation(lf_lowering *l, lf_value *v)
{
    switch ((lf_kind)v->kind) {
    case LF_ARITH:
        return arithmetic(l, v);
    case LF_NEG:
        return luafn_ir_value_op1(
            l, LUN_OP_NEG,
            luafn_ir_operand_as(l, v->arg[0], luafn_lowering_dtype(l->c, (lf_type)v->type)));
    case LF_BNOT:
        return luafn_ir_value_op1(
            l, LUN_OP_BNOT,
            luafn_ir_operand_as(l, v->arg[0], luafn_lowering_dtype(l->c, (lf_type)v->type)));
    case LF_NOT:
        return luafn_ir_value_op1(l, LUN_OP_LNOT, truth(l, v->arg[0]));
    case LF_TRUTH:
        return truth(l, v->arg[0]);
    case LF_COMPARE:
        return luafn_lower_compare(l, v);
    case LF_LOAD:
        return element(l, v);
    case LF_PART:
    case LF_FLAT_INDEX:
        return flat_index(l, v);
    case LF_CELL:
        return luafn_static_index_old(l, ((const lf_cell *)l->c->cells.at[v->as.i]));
    case LF_STORE:
        return stored(l, v, 0, l->c->source[v->as.i].capture.stored);
    case LF_WRITE:
        return assigned(l, v);
    case LF_CHANGE:
        return changed(l, v);
    case LF_IDENTITY:
        return identity(l, v);
    case LF_BARRIER:
        luafn_ir_value_barrier(l, v);
        return v;
    case LF_COMBINE:
        return to_combine(l, v);
    case LF_LENGTH:
        return length(l, v->arg[0]);
    case LF_MATH:
        return luafn_math_library_lower(l, v);
    case LF_APPLY:
        return luafn_named_operation(l, v);
    case LF_AS:
        return luafn_ir_operand_as(l, v->arg[0], luafn_lowering_dtype(l->c, (lf_type)v->as.i));
    case LF_WITHIN:
        return within(l, v);
    default:
        return luafn_lower_for(l, v);
    }
}

static void lower_phis(lf_lowering *l, lf_block *b)
{
    for (int i = 0; i < b->phis.count; i++) {
        lf_value *v = b->phis.at[i], *phi = luafn_graph_value(l->g, LF_PHI, v->args);
        phi->type = (uint8_t)luafn_lowering_dtype(l->c, (lf_type)v->type);
        phi->block = b;
        phi->proto = v->proto;
        phi->pc = v->pc;
        v->low = phi;
    }
}

/* The FOR_FIRST of a phi that only the loop itself changes; NULL for others. (A body that begins
 * with a while loop shares its header with that loop, where the script may assign the index.) */
static const lf_value *first_index(const lf_value *phi)
{
    const lf_value *first = NULL;
    for (int k = 0; k < phi->args; k++) {
        const lf_value *v = phi->arg[k];
        if (v == phi || (v->kind == LF_FOR_NEXT && v->arg[0] == phi))
            continue;
        if (v->kind != LF_FOR_FIRST || first)
            return NULL;
        first = v;
    }
    return first;
}

/* The bounds of a numeric for's index. */
static void find_bounds(lf_lowering *l, lf_value *phi)
{
    const lf_value *v = first_index(phi);
    if (!v || v->type != LF_I64 || !v->low)
        return;
    if (!lf_is_int((lf_type)v->arg[1]->type) || !lf_is_whole(v->arg[2]))
        return;
    if (luafn_ir_operand_is_rounded(v->arg[1]))
        return;
    bool up = v->arg[2]->as.i > 0;
    phi->low->first = luafn_ir_operand_as(l, v->arg[up ? 0 : 1], LUN_I64);
    phi->low->last = luafn_ir_operand_as(l, v->arg[up ? 1 : 0], LUN_I64);
}

static void lower_ops(lf_lowering *l, lf_block *b)
{
    lf_list ops = b->ops;
    b->ops = (lf_list){0};
    l->at = b;
    for (int i = 0; i < b->phis.count; i++)
        find_bounds(l, b->phis.at[i]);
    for (int i = 0; i < ops.count; i++) {
        lf_value *v = ops.at[i];
        l->from = v;
        v->low = operation(l, v);
    }
    if (b->end != LF_BRANCH)
        return;
    b->cond = truth(l, b->cond);
    if (b->cond->kind == LF_IR_OP && b->cond->sub == LUN_OP_LNOT) {
        lf_block *t = b->succ[0];
        b->cond = b->cond->arg[0];
        b->succ[0] = b->succ[1];
        b->succ[1] = t;
    }
    if (!lf_ir_is_const(b->cond))
        return;
    b->end = LF_JUMP;
    if (!b->cond->as.bits)
        b->succ[0] = b->succ[1];
}

/* Operands of phis are converted at the end of their predecessors. */
static void connect_phis(lf_lowering *l, lf_block *b)
{
    for (int i = 0; i < b->phis.count; i++) {
        lf_value *v = b->phis.at[i], *phi = v->low;
        for (int k = 0; k < v->args; k++) {
            l->at = b->preds.at[k];
            phi->arg[k] = luafn_ir_operand_as(l, v->arg[k], (lun_dtype)phi->type);
        }
        b->phis.at[i] = phi;
    }
}

void luafn_lower(lf_compile *c)
{
    lf_graph *g = &c->graph;
    lf_lowering *l = LF_NEW(&c->unit, lf_lowering, 1);
    *l = (lf_lowering){.c = c, .g = g};
    luafn_cfg_dominators(g);
    for (int i = 0; i < g->order.count; i++)
        lower_phis(l, g->order.at[i]);
    for (int i = 0; i < g->order.count; i++)
        lower_ops(l, g->order.at[i]);
    l->from = NULL;
    for (int i = 0; i < g->order.count; i++)
        connect_phis(l, g->order.at[i]);
    l->at = g->exit;
    for (int i = 0; i < g->results.count; i++) {
        lf_value *v = g->results.at[i];
        g->results.at[i] = luafn_ir_operand_as(l, v, luafn_lowering_dtype(c, (lf_type)v->type));
    }
    luafn_lowering_givens(c);
    luafn_cfg_simplify(g);
}
