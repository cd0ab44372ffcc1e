/* ir_value.c - makes IR values: folds constants, simplifies what is exact, and finds an equal value
 * made before in a block that dominates. */
#include "luafn/lower/lowering_state.h"

#include <math.h>
#include <string.h>

#include "luafn/ssa/assigned_array.h"

/* ---- equal values ---------------------------------------------------------------------------- */

static bool equal(const lf_value *v, const lf_value *w)
{
    if (v->kind != w->kind || v->sub != w->sub || v->type != w->type || v->from != w->from ||
        v->args != w->args || v->as.i != w->as.i)
        return false;
    for (int k = 0; k < v->args; k++)
        if (v->arg[k] != w->arg[k])
            return false;
    return true;
}

static uint64_t hash(const lf_value *v)
{
    uint64_t h =
        (uint64_t)v->kind << 24 | (uint64_t)v->sub << 16 | (uint64_t)v->type << 8 | v->from;
    h = h * 31 + (uint64_t)v->as.i;
    for (int k = 0; k < v->args; k++)
        h = h * 1000003 + (uint64_t)(v->arg[k] ? v->arg[k]->id : 0);
    return h * UINT64_C(0x9e3779b97f4a7c15) >> 52;
}

/* Whether input number `input`, an array, is assigned, so that two reads may differ. */
static bool is_target(const lf_compile *c, int64_t input)
{
    const lf_input *in = c->inputs.at[input];
    return c->team &&
           luafn_assigned_is_target(c, in->origin == LF_FROM_PARAM ? -1 - in->number : in->number);
}

/* Adds a value to the current block, or returns an equal one that dominates it. Leaves without a
 * block (arguments) dominate everything. */
static lf_value *find_or_add(lf_lowering *l, lf_value like, lf_value *const *arg, int args)
{
    like.arg = (lf_value **)(uintptr_t)arg;
    like.args = args;
    lf_value **bucket = &l->bucket[hash(&like)];
    bool again = like.kind == LF_IR_PUT || like.kind == LF_IR_BARRIER ||
                 like.kind == LF_IR_ATOMIC ||
                 (like.kind == LF_IR_GATHER && is_target(l->c, like.as.i));
    for (lf_value *v = again ? NULL : *bucket; v; v = v->chain)
        if (equal(v, &like) && (!v->block || luafn_cfg_dominates(v->block, l->at)))
            return v;
    lf_value *v = luafn_graph_value(l->g, (lf_kind)like.kind, args);
    v->sub = like.sub;
    v->type = like.type;
    v->from = like.from;
    v->as = like.as;
    v->proto = l->from ? l->from->proto : NULL;
    v->pc = l->from ? l->from->pc : -1;
    for (int k = 0; k < args; k++)
        v->arg[k] = arg[k];
    v->chain = *bucket;
    *bucket = v;
    if (v->kind == LF_IR_ARG)
        return v;
    v->block = l->at;
    luafn_arena_push(l->g->u, &l->at->ops, v);
    return v;
}

lf_value *luafn_ir_value_arg(lf_lowering *l, int input, lun_dtype t)
{
    return find_or_add(l, (lf_value){.kind = LF_IR_ARG, .type = (uint8_t)t, .as.i = input}, NULL,
                       0);
}

lf_value *luafn_ir_value_gather(lf_lowering *l, int input, lun_dtype t, lf_value *index)
{
    lf_value like = {.kind = LF_IR_GATHER, .type = (uint8_t)t, .as.i = input};
    return find_or_add(l, like, &index, 1);
}

void luafn_ir_value_put(lf_lowering *l, int input, lf_value *value, lf_value *index)
{
    lf_value *arg[2] = {value, index};
    find_or_add(l, (lf_value){.kind = LF_IR_PUT, .type = value->type, .as.i = input}, arg, 2);
}

lf_value *luafn_ir_value_atomic(lf_lowering *l, int input, unsigned which, lf_value *const *arg,
                                int args)
{
    lf_value like = {.kind = LF_IR_ATOMIC, .sub = (uint8_t)which, .as.i = input};
    like.type = arg[0]->type;
    return find_or_add(l, like, arg, args);
}

void luafn_ir_value_barrier(lf_lowering *l, const lf_value *v)
{
    find_or_add(l, (lf_value){.kind = LF_IR_BARRIER, .sub = v->sub, .as.s = v->as.s}, NULL, 0);
}

/* A check that a dominating block has is not repeated. */
void luafn_ir_value_check(lf_lowering *l, lf_value *cond, lf_value *value, int note)
{
    if (lf_ir_is_const(cond) && cond->as.bits)
        return;
    lf_value *arg[2] = {cond, value};
    lf_value *v = find_or_add(l, (lf_value){.kind = LF_IR_CHECK, .type = LUN_BOOL}, arg, 2);
    if (!v->note)
        v->note = note;
}

/* ---- conversions ----------------------------------------------------------------------------- */

lf_value *luafn_ir_value_cast(lf_lowering *l, lun_dtype t, lf_value *a)
{
    lun_dtype from = (lun_dtype)a->type;
    if (from == t)
        return a;
    if (lf_ir_is_const(a))
        return luafn_const_ir_const(l, t, lun__dtype_cell_cast(t, from, a->as.bits));
    if (a->kind == LF_IR_CAST) {
        lf_value *x = a->arg[0];
        const lun_dtype_row *narrow = lun__dtype_get(t), *wide = lun__dtype_get(from);
        if (x->type == t && narrow->kind == wide->kind && narrow->bytes < wide->bytes)
            return x;
    }
    lf_value like = {.kind = LF_IR_CAST, .type = (uint8_t)t, .from = (uint8_t)from};
    return find_or_add(l, like, &a, 1);
}

/* ---- operations ------------------------------------------------------------------------------ */

static lf_value *make_op(lf_lowering *l, lun_op op, lf_value *const *arg, int args)
{
    lun_dtype from = (lun_dtype)arg[op == LUN_OP_WHERE]->type;
    lun_rule rule = (lun_rule)lun__op_get(op)->rule;
    bool to_bool = rule == LUN_RULE_CMP || rule == LUN_RULE_LOGIC || rule == LUN_RULE_TEST;
    uint64_t bits;
    lf_value like = {.kind = LF_IR_OP, .sub = (uint8_t)op, .from = (uint8_t)from};
    like.type = (uint8_t)(to_bool ? LUN_BOOL : from);
    if (luafn_fold_ir(op, from, (const lf_value *const *)arg, args, &bits))
        return luafn_const_ir_const(l, (lun_dtype)like.type, bits);
    return find_or_add(l, like, arg, args);
}

static bool is_int(const lf_value *v, int64_t x)
{
    return lf_ir_is_const(v) && !lun__dtype_is_float((lun_dtype)v->type) && luafn_const_int(v) == x;
}

static bool is_real(const lf_value *v, double x)
{
    return lf_ir_is_const(v) && lun__dtype_is_float((lun_dtype)v->type) &&
           luafn_const_real(v) == x && !signbit(luafn_const_real(v)) == !signbit(x);
}

/* not v, if that is the opposite comparison; NULL otherwise. A float that is not less may be
 * NaN. */
static lf_value *invert(lf_lowering *l, const lf_value *v)
{
    bool flt = lun__dtype_is_float((lun_dtype)v->from);
    lun_op op;
    if (v->kind != LF_IR_OP)
        return NULL;
    switch ((lun_op)v->sub) {
    case LUN_OP_LNOT:
        return v->arg[0];
    case LUN_OP_EQ:
        op = LUN_OP_NE;
        break;
    case LUN_OP_NE:
        op = LUN_OP_EQ;
        break;
    case LUN_OP_LT:
        op = LUN_OP_GE;
        break;
    case LUN_OP_LE:
        op = LUN_OP_GT;
        break;
    case LUN_OP_GT:
        op = LUN_OP_LE;
        break;
    case LUN_OP_GE:
        op = LUN_OP_LT;
        break;
    default:
        return NULL;
    }
    if (flt && v->sub != LUN_OP_EQ && v->sub != LUN_OP_NE)
        return NULL;
    return luafn_ir_value_op2(l, op, v->arg[0], v->arg[1]);
}

/* Is an operation the identity, as rounding is on integers? */
static bool is_identity(lun_op op, lun_dtype t)
{
    const char *text = lun__op_get(op)->integer;
    return !lun__dtype_is_float(t) && text && !strcmp(text, "a");
}

static bool rounds(lun_op op)
{
    return op == LUN_OP_FLOOR || op == LUN_OP_CEIL || op == LUN_OP_TRUNC;
}

lf_value *luafn_ir_value_op1(lf_lowering *l, lun_op op, lf_value *a)
{
    if (op == LUN_OP_LNOT) {
        lf_value *r = invert(l, a);
        if (r)
            return r;
    }
    if (is_identity(op, (lun_dtype)a->type))
        return a;
    if (rounds(op) && a->kind == LF_IR_OP && rounds((lun_op)a->sub))
        return a;
    return make_op(l, op, &a, 1);
}

static lf_value *simplify_logic(lf_lowering *l, lun_op op, lf_value *a, lf_value *b)
{
    bool and = op == LUN_OP_LAND;
    if (lf_ir_is_const(a))
        return (a->as.bits != 0) == and? b : luafn_const_ir_bool(l, !and);
    if (lf_ir_is_const(b))
        return (b->as.bits != 0) == and? a : luafn_const_ir_bool(l, !and);
    return a == b ? a : NULL;
}

/* Only what holds for every value, NaN and -0 included. */
static lf_value *simplify(lf_lowering *l, lun_op op, lf_value *a, lf_value *b)
{
    switch (op) {
    case LUN_OP_LAND:
    case LUN_OP_LOR:
        return simplify_logic(l, op, a, b);
    case LUN_OP_ADD:
        if (is_int(b, 0) || is_real(b, -0.0))
            return a;
        return is_int(a, 0) || is_real(a, -0.0) ? b : NULL;
    case LUN_OP_SUB:
    case LUN_OP_SHL:
    case LUN_OP_SHR:
    case LUN_OP_BXOR:
        return is_int(b, 0) || is_real(b, 0.0) ? a : NULL;
    case LUN_OP_MUL:
        if (is_int(b, 1) || is_real(b, 1.0))
            return a;
        return is_int(a, 1) || is_real(a, 1.0) ? b : NULL;
    case LUN_OP_DIV:
        return is_real(b, 1.0) ? a : NULL;
    case LUN_OP_IDIV:
        return is_int(b, 1) ? a : NULL;
    case LUN_OP_EQ:
    case LUN_OP_LE:
    case LUN_OP_GE:
        return a == b && !lun__dtype_is_float((lun_dtype)a->type) ? luafn_const_ir_bool(l, true)
                                                                  : NULL;
    case LUN_OP_NE:
    case LUN_OP_LT:
    case LUN_OP_GT:
        return a == b && !lun__dtype_is_float((lun_dtype)a->type) ? luafn_const_ir_bool(l, false)
                                                                  : NULL;
    case LUN_OP_MIN:
    case LUN_OP_MAX:
        return a == b ? a : NULL;
    default:
        return NULL;
    }
}

/* May the operands be exchanged without changing a bit of the result? Of two zeros the extremes of
 * floats give one. */
static bool symmetric(lun_op op, lun_dtype t)
{
    bool extreme = op == LUN_OP_MIN || op == LUN_OP_MAX || op == LUN_OP_FMIN || op == LUN_OP_FMAX;
    return (lun__op_get(op)->flags & LUN_OPF_COMM) && !(extreme && lun__dtype_is_float(t));
}

lf_value *luafn_ir_value_op2(lf_lowering *l, lun_op op, lf_value *a, lf_value *b)
{
    lf_value *r = simplify(l, op, a, b);
    if (r)
        return r;
    if (symmetric(op, (lun_dtype)a->type) && a->id > b->id) {
        r = a;
        a = b;
        b = r;
    }
    lf_value *arg[2] = {a, b};
    return make_op(l, op, arg, 2);
}

lf_value *luafn_ir_value_op3(lf_lowering *l, lun_op op, lf_value *a, lf_value *b, lf_value *c)
{
    lf_value *arg[3] = {a, b, c};
    return op == LUN_OP_WHERE ? luafn_ir_value_where(l, a, b, c) : make_op(l, op, arg, 3);
}

lf_value *luafn_ir_value_where(lf_lowering *l, lf_value *cond, lf_value *yes, lf_value *no)
{
    lf_value *arg[3] = {cond, yes, no};
    if (lf_ir_is_const(cond))
        return cond->as.bits ? yes : no;
    if (yes == no)
        return yes;
    if (cond->kind == LF_IR_OP && cond->sub == LUN_OP_LNOT)
        return luafn_ir_value_where(l, cond->arg[0], no, yes);
    if (lun__dtype_is_bool((lun_dtype)yes->type)) {
        if (lf_ir_is_const(yes))
            return yes->as.bits ? luafn_ir_value_op2(l, LUN_OP_LOR, cond, no)
                                : luafn_ir_value_op2(l, LUN_OP_LAND,
                                                     luafn_ir_value_op1(l, LUN_OP_LNOT, cond), no);
        if (lf_ir_is_const(no))
            return no->as.bits ? luafn_ir_value_op2(l, LUN_OP_LOR,
                                                    luafn_ir_value_op1(l, LUN_OP_LNOT, cond), yes)
                               : luafn_ir_value_op2(l, LUN_OP_LAND, cond, yes);
    }
    return make_op(l, LUN_OP_WHERE, arg, 3);
}

bool luafn_ir_value_has_effect(const lf_value *v)
{
    return v->kind == LF_IR_CHECK || v->kind == LF_IR_PUT || v->kind == LF_IR_BARRIER ||
           v->kind == LF_IR_ATOMIC || (v->kind == LF_IR_OP && v->note);
}
