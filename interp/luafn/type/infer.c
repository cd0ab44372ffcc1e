/* infer.c - finds the type of every value on the paths that can run, and drops the others.
 *
 * Types only grow, along edges found executable (Wegman and Zadeck, 1991); a condition whose
 * outcome follows from types alone (a number is true) leaves one edge. */
#include "luafn/type/type.h"

#include "luafn/graph/body_builder.h"
#include "luafn/type/rules.h"

typedef enum outcome { UNKNOWN, NO, YES, EITHER } outcome;

static bool is_numeric(lf_type t)
{
    return lf_is_number(t) || lf_is_complex(t);
}

/* The outcome of v as a condition, as far as types decide it. */
static outcome decide(const lf_value *v)
{
    bool flip = false;
    while (v->kind == LF_TRUTH || v->kind == LF_NOT) {
        if (v->kind == LF_NOT)
            flip = !flip;
        v = v->arg[0];
    }
    outcome o = EITHER;
    if (v->type == LF_NONE)
        o = UNKNOWN;
    else if (v->kind == LF_CONST && v->type == LF_BOOL)
        o = v->as.i ? YES : NO;
    else if (is_numeric((lf_type)v->type) || v->type == LF_OBJECT)
        o = YES;
    else if (v->type == LF_NIL)
        o = NO;
    else if (v->kind == LF_COMPARE && v->sub == LF_EQ) {
        lf_type a = (lf_type)v->arg[0]->type, b = (lf_type)v->arg[1]->type;
        if (is_numeric(a) != is_numeric(b))
            o = NO;
        else if (a == LF_NIL || b == LF_NIL)
            o = a == b ? YES : NO;
        else if ((a == LF_OBJECT) != (b == LF_OBJECT))
            o = NO;
    }
    return !flip || o == UNKNOWN || o == EITHER ? o : o == YES ? NO : YES;
}

static bool executable(const lf_block *from, const lf_block *to)
{
    for (int k = 0; k < 2; k++)
        if (from->edge[k] && from->succ[k] == to)
            return true;
    return false;
}

static bool widen(lf_value *v, lf_type t)
{
    t = luafn_type_join((lf_type)v->type, t);
    if (t == v->type)
        return false;
    v->type = (uint8_t)t;
    return true;
}

static bool follow(lf_block *b, int k)
{
    if (b->edge[k])
        return false;
    b->edge[k] = b->succ[k]->reached = true;
    return true;
}

static bool visit(lf_compile *c, lf_block *b)
{
    bool changed = false;
    for (int i = 0; i < b->phis.count; i++) {
        lf_value *phi = b->phis.at[i];
        for (int k = 0; k < phi->args; k++)
            if (executable(b->preds.at[k], b))
                changed |= widen(phi, (lf_type)phi->arg[k]->type);
    }
    for (int i = 0; i < b->ops.count; i++)
        changed |= widen(b->ops.at[i], luafn_rules_op(c, b->ops.at[i]));
    if (b->end == LF_JUMP)
        return follow(b, 0) || changed;
    if (b->end != LF_BRANCH)
        return changed;
    outcome o = decide(b->cond);
    if (o == YES || o == EITHER)
        changed |= follow(b, 0);
    if (o == NO || o == EITHER)
        changed |= follow(b, 1);
    return changed;
}

static void propagate(lf_compile *c)
{
    lf_graph *g = &c->graph;
    g->entry->reached = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < g->order.count; i++) {
            lf_block *b = g->order.at[i];
            if (b->reached)
                changed |= visit(c, b);
        }
    }
}

static void settle_list(const lf_compile *c, const lf_list *list)
{
    for (int i = 0; i < list->count; i++) {
        lf_value *v = list->at[i];
        v->narrowed |= v->type == LF_WF && c->real == LF_F32;
        v->type = (uint8_t)lf_settled(c, (lf_type)v->type);
    }
}

/* Settles variables that only weak values reach. */
static void settle_weak(lf_compile *c)
{
    for (int i = 0; i < c->graph.order.count; i++) {
        lf_block *b = c->graph.order.at[i];
        settle_list(c, &b->phis);
        settle_list(c, &b->ops);
    }
}

/* Notes that elements of a dtype are used: c->real is the widest float type so far, or LF_NONE. */
static void take_part(lf_compile *c, lun_dtype t)
{
    lf_type type = luafn_graph_type_of(t);
    if (lf_is_float(type))
        c->real = luafn_type_join(c->real, type);
    c->wide |= lun__dtype_bits(t) == 64;
}

/* The float type for weak values: f32 if f32 is used and f64 is not. */
static void choose_real(lf_compile *c)
{
    c->real = LF_NONE;
    for (int i = 0; i < c->params; i++)
        if (!c->param[i].weak)
            take_part(c, c->param[i].dtype);
    for (int i = 0; i < c->sources; i++)
        if (c->source[i].capture.kind == LF_CAPTURE_ARRAY)
            take_part(c, c->source[i].capture.dtype);
    if (c->real == LF_NONE)
        c->real = LF_F64;
}

static void type_params(lf_compile *c)
{
    for (int i = 0; i < c->params; i++) {
        lf_value *v = c->param_value[i];
        lun_dtype t = c->param[i].dtype;
        if (!v || v->kind != LF_PARAM)
            continue;
        v->type = (uint8_t)luafn_graph_type_of(t);
        if (c->param[i].weak && !lun__dtype_is_bool(t))
            v->type = lun__dtype_is_float(t) ? LF_WF : LF_WI;
    }
}

/* Leaves only the edges that can run; conditions on booleans become those booleans. */
static void cut_edges(lf_compile *c)
{
    lf_graph *g = &c->graph;
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        for (int k = 0; k < b->ops.count; k++) {
            lf_value *v = b->ops.at[k];
            if (v->kind == LF_TRUTH && (v->arg[0]->type == LF_BOOL || v->arg[0]->type == LF_MAYBE))
                v->instead = v->arg[0];
        }
        if (!b->reached || b->end != LF_BRANCH || (b->edge[0] && b->edge[1]))
            continue;
        b->end = LF_JUMP;
        if (!b->edge[0])
            b->succ[0] = b->succ[1];
    }
    luafn_cfg_simplify(g);
    if (g->exit->order < 0)
        luafn_debug_fail(&c->unit, g->proto, -1, "the function never returns: add a return");
}

static bool of_floats(const lf_value *v)
{
    for (int k = 0; k < v->args; k++)
        if (lf_is_float((lf_type)v->arg[k]->type))
            return true;
    return false;
}

/* Operations that may raise an error must stay. */
static bool has_effect(const lf_value *v)
{
    bool integer = lf_is_int((lf_type)v->type);
    switch ((lf_kind)v->kind) {
    case LF_LOAD:
    case LF_PART:
    case LF_STORE:
    case LF_WITHIN:
    case LF_FLAT_INDEX:
    case LF_WRITE:
    case LF_BARRIER:
    case LF_CHANGE:
    case LF_FOR_TEST:
        return true;
    case LF_BNOT:
        return of_floats(v);
    case LF_ARITH: /* an integer from floats: a bitwise operation */
        return integer && (v->sub == LF_IDIV || v->sub == LF_MOD || of_floats(v));
    case LF_APPLY:
        return integer && (lun__op_get((lun_op)v->sub)->flags & LUN_OPF_TRAP0);
    case LF_MATH:
        return v->sub == LF_MATH_TOINTEGER || (integer && v->sub == LF_MATH_FMOD) ||
               (v->sub == LF_MATH_ULT && of_floats(v));
    default:
        return false;
    }
}

static void check_results(lf_compile *c)
{
    lf_graph *g = &c->graph;
    if (!g->results.count && !c->team)
        luafn_debug_fail(&c->unit, g->proto, -1, "the function returns nothing: return a number");
    for (int i = 0; i < g->results.count; i++) {
        const lf_value *v = g->results.at[i];
        lf_type t = (lf_type)v->type;
        if (is_numeric(t) || t == LF_BOOL)
            continue;
        if (v->kind == LF_PART)
            luafn_debug_fail(
                &c->unit, g->proto, -1,
                "result %d is a part of '%s', which has %d dimensions but is indexed with "
                "%d: return an element",
                i + 1, luafn_captured_array_name(c, v), lf_whose_is(c, v).rank, v->sub);
        luafn_debug_fail(&c->unit, g->proto, -1, "result %d is %s: return a number or a boolean",
                         i + 1,
                         t == LF_NIL      ? "nil"
                         : t == LF_MAYBE  ? "nil on some paths"
                         : t == LF_OBJECT ? luafn_builder_describe(v)
                                          : "a number on some paths only");
    }
}

static void check_complex(lf_compile *c)
{
    for (int i = 0; i < c->graph.order.count; i++) {
        const lf_block *b = c->graph.order.at[i];
        for (int k = 0; k < b->ops.count; k++)
            luafn_complex_rules_check(c, b->ops.at[k]);
    }
}

void luafn_infer_clean(lf_compile *c)
{
    luafn_cfg_sweep(&c->graph, has_effect);
    luafn_cfg_simplify(&c->graph);
}

void luafn_infer(lf_compile *c)
{
    luafn_cfg_simplify(&c->graph);
    type_params(c);
    choose_real(c);
    propagate(c);
    settle_weak(c);
    luafn_team_memory_settle(c);
    propagate(c);
    settle_weak(c);
    luafn_team_memory_settle(c);
    cut_edges(c);
    check_results(c);
    check_complex(c);
    luafn_infer_clean(c);
}
