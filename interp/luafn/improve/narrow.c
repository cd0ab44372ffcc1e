/* narrow.c - counters that provably fit i32 become i32, in kernels whose elements have at most
 * 32 bits: twice as many fit a vector. Operations that give the same number in i32 are narrowed
 * with them. */
#include "luafn/improve/improve.h"

#include "luafn/lower/lowering_state.h"

typedef struct narrower {
    lf_compile *c;
    lf_graph *g;
    lf_range *range;
    lf_value **wide; /* by id: the i64 of a narrowed value */
    bool *chosen;    /* by id */
    int known;       /* ids below this have entries */
} narrower;

static bool fits(const narrower *n, const lf_value *v)
{
    if (v->kind == LF_IR_CONST)
        return lf_is_long(v->type) && luafn_const_int(v) >= INT32_MIN &&
               luafn_const_int(v) <= INT32_MAX;
    return lf_is_long(v->type) && v->block && v->id < n->known && lf_fits_i32(n->range[v->id]);
}

/* Operations whose i32 form gives the same number where operands and result fit. */
static bool same_in_i32(lun_op op)
{
    switch (op) {
    case LUN_OP_ADD:
    case LUN_OP_SUB:
    case LUN_OP_MUL:
    case LUN_OP_NEG:
    case LUN_OP_ABS:
    case LUN_OP_IDIV:
    case LUN_OP_MOD:
    case LUN_OP_BAND:
    case LUN_OP_BOR:
    case LUN_OP_BXOR:
    case LUN_OP_BNOT:
    case LUN_OP_MIN:
    case LUN_OP_MAX:
    case LUN_OP_WHERE:
        return true;
    default:
        return lf_is_comparison(op);
    }
}

/* An i64 argument may be taken as i32 as well, if the captured value fits i32; any other value must
 * fit. */
static bool can_take(const narrower *n, const lf_value *v)
{
    if (fits(n, v))
        return true;
    if (v->kind != LF_IR_ARG || !lf_is_long(v->type))
        return false;
    const lf_input *in = n->c->inputs.at[v->as.i];
    const lf_capture *s =
        &n->c->source[in->origin == LF_FROM_SOURCE || in->origin == LF_SOURCE_EXTENT ? in->number
                                                                                     : 0]
             .capture;
    if (in->origin == LF_SOURCE_EXTENT)
        return s->small;
    return in->origin == LF_FROM_SOURCE && s->kind <= LF_CAPTURE_INT32;
}

static bool can_narrow(const narrower *n, const lf_value *v)
{
    bool relation =
        v->kind == LF_IR_OP && lf_is_long(v->from) && lun__dtype_is_bool((lun_dtype)v->type);
    if (v->kind != LF_IR_OP || !lf_is_long(v->from) || !same_in_i32((lun_op)v->sub))
        return false;
    if (!relation && !fits(n, v))
        return false;
    for (int k = v->sub == LUN_OP_WHERE; k < v->args; k++)
        if (!can_take(n, v->arg[k]))
            return false;
    return true;
}

static bool has_chosen(const narrower *n, const lf_value *v)
{
    for (int k = 0; k < v->args; k++)
        if (n->chosen[v->arg[k]->id])
            return true;
    return false;
}

static bool choose(narrower *n, const lf_value *v)
{
    if (n->chosen[v->id])
        return false;
    return n->chosen[v->id] = true;
}

/* Adds phis that fit, their operands and their users. */
static bool spread(narrower *n)
{
    bool changed = false;
    for (int i = 0; i < n->g->order.count; i++) {
        const lf_block *b = n->g->order.at[i];
        for (int k = 0; k < b->phis.count; k++) {
            const lf_value *phi = b->phis.at[k];
            if (!fits(n, phi))
                continue;
            changed |= choose(n, phi);
            for (int j = 0; j < phi->args; j++)
                if (can_narrow(n, phi->arg[j]))
                    changed |= choose(n, phi->arg[j]);
        }
        for (int k = 0; k < b->ops.count; k++) {
            const lf_value *v = b->ops.at[k];
            if (can_narrow(n, v) && has_chosen(n, v))
                changed |= choose(n, v);
        }
    }
    return changed;
}

/* ---- rewriting ---- */

/* The i32 of an operand, made at the end of `at` unless it exists. */
static lf_value *short_of(lf_lowering *l, const narrower *n, lf_value *v, lf_block *at)
{
    if (!lf_is_long(v->type) || (v->id < n->known && n->chosen[v->id]))
        return v;
    l->at = at;
    return luafn_ir_value_cast(l, LUN_I32, v);
}

/* The i64 of v for users that need it. */
static lf_value *long_of(lf_lowering *l, const narrower *n, lf_value *v, lf_block *at)
{
    if (v->id >= n->known || !n->chosen[v->id] || lun__dtype_is_bool((lun_dtype)v->type))
        return v;
    l->at = at;
    return luafn_ir_value_cast(l, LUN_I64, v);
}

static void rewrite_op(lf_lowering *l, const narrower *n, lf_value *v)
{
    bool narrow = v->id < n->known && n->chosen[v->id];
    if (v->kind == LF_IR_CAST && v->arg[0]->id < n->known && n->chosen[v->arg[0]->id]) {
        v->from = LUN_I32;
        if (lf_is_short(v->type))
            v->instead = v->arg[0];
        return;
    }
    for (int k = 0; k < v->args; k++) {
        if (!v->arg[k])
            continue;
        v->arg[k] = narrow && !(v->sub == LUN_OP_WHERE && k == 0)
                        ? short_of(l, n, v->arg[k], v->block)
                        : long_of(l, n, v->arg[k], v->block);
    }
    if (narrow)
        v->from = LUN_I32;
}

/* Operations in order, so that conversions come before their users. */
static void rewrite_block(lf_lowering *l, const narrower *n, lf_block *b)
{
    lf_list ops = b->ops;
    b->ops = (lf_list){0};
    for (int k = 0; k < ops.count; k++) {
        rewrite_op(l, n, ops.at[k]);
        luafn_arena_push(n->g->u, &b->ops, ops.at[k]);
    }
    if (b->end == LF_BRANCH)
        b->cond = long_of(l, n, b->cond, b);
}

static void rewrite_phis(lf_lowering *l, const narrower *n, lf_block *b)
{
    for (int i = 0; i < b->phis.count; i++) {
        lf_value *phi = b->phis.at[i];
        for (int k = 0; k < phi->args; k++)
            phi->arg[k] = n->chosen[phi->id] ? short_of(l, n, phi->arg[k], b->preds.at[k])
                                             : long_of(l, n, phi->arg[k], b->preds.at[k]);
    }
}

static void retype(const narrower *n)
{
    for (int i = 0; i < n->g->order.count; i++) {
        const lf_block *b = n->g->order.at[i];
        for (int k = 0; k < b->phis.count + b->ops.count; k++) {
            lf_value *v = k < b->phis.count ? b->phis.at[k] : b->ops.at[k - b->phis.count];
            if (v->id < n->known && n->chosen[v->id] && lf_is_long(v->type))
                v->type = LUN_I32;
        }
    }
}

void luafn_narrow(lf_compile *c)
{
    lf_graph *g = &c->graph;
    if (c->wide)
        return;
    narrower n = {.c = c, .g = g, .range = luafn_ranges(c), .known = g->values};
    n.chosen = LF_NEW(&c->unit, bool, g->values);
    while (spread(&n))
        ;
    retype(&n);
    lf_lowering *l = LF_NEW(&c->unit, lf_lowering, 1);
    *l = (lf_lowering){.c = c, .g = g};
    for (int i = 0; i < g->order.count; i++)
        rewrite_block(l, &n, g->order.at[i]);
    for (int i = 0; i < g->order.count; i++)
        rewrite_phis(l, &n, g->order.at[i]);
    for (int i = 0; i < g->results.count; i++)
        g->results.at[i] = long_of(l, &n, g->results.at[i], g->exit);
    luafn_cfg_simplify(g);
    luafn_cfg_sweep(g, luafn_ir_value_has_effect);
    luafn_cfg_dominators(g);
}
