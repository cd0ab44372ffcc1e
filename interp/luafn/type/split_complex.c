/* split_complex.c - replaces complex numbers by their real and imaginary parts, and operations on
 * them by those of prims/complex: the same as of complex arrays, so the bits are the same. Behind
 * this pass every number is real. */
#include "luafn/type/type.h"

#include <math.h>
#include <string.h>

#include "complex/form.h"
#include "luafn/graph/captured.h"
#include "luafn/ssa/build.h"
#include "luafn/type/rules.h"

/* The parts of the values that there were, by their id. */
typedef struct parts {
    lf_value *re, *im;
} parts;

typedef struct splitting {
    lf_compile *c;
    parts *of;
    lf_block *at;         /* where operations go, */
    const lf_value *from; /* and whose they are */
} splitting;

/* ---- values of the graph as the maker of forms makes them ------------------------------------ */

static lf_value *value(lun__real *x)
{
    return (lf_value *)(void *)x;
}

static lun__real *real(lf_value *v)
{
    return (lun__real *)(void *)v;
}

static lf_value *emit(splitting *s, lf_kind kind, unsigned sub, lf_value *const *arg, int args)
{
    lf_graph *g = &s->c->graph;
    lf_value *v = luafn_graph_value(g, kind, args);
    v->sub = (uint8_t)sub;
    v->proto = s->from->proto;
    v->pc = s->from->pc;
    v->block = s->at;
    memcpy(v->arg, arg, (size_t)args * sizeof *v->arg);
    luafn_arena_push(g->u, &s->at->ops, v);
    return v;
}

static lun__real *make_op(void *ctx, lun_op op, lun__real *a, lun__real *b, lun__real *c)
{
    splitting *s = ctx;
    lf_value *arg[] = {value(a), value(b), value(c)};
    lf_value *v = emit(s, LF_APPLY, op, arg, c ? 3 : b ? 2 : 1);
    v->type = (uint8_t)lf_settled(s->c, luafn_rules_op(s->c, v));
    return real(v);
}

static lun__real *make_number(void *ctx, double x, bool wide)
{
    const splitting *s = ctx;
    uint64_t bits;
    if (!wide)
        return real(luafn_graph_float(&s->c->graph, x));
    memcpy(&bits, &x, sizeof bits);
    return real(luafn_graph_constant(&s->c->graph, LF_CONST, LF_F64, bits));
}

static lf_value *as(splitting *s, lf_value *x, lf_type t)
{
    if (x->type == t)
        return x;
    lf_value *v = emit(s, LF_AS, 0, &x, 1);
    v->as.i = t;
    v->type = (uint8_t)t;
    return v;
}

static lun__real *make_wide(void *ctx, lun__real *x)
{
    splitting *s = ctx;
    return real(as(s, value(x), LF_F64));
}

static lun__maker maker(splitting *s)
{
    return (lun__maker){s, make_op, make_number, make_wide};
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* An operand; im NULL: it is real. */
static parts operand(const splitting *s, lf_value *v)
{
    if (v->kind == LF_NUMBERS)
        return (parts){v->arg[0], v->arg[1]};
    return lf_is_complex((lf_type)v->type) ? s->of[v->id] : (parts){v, NULL};
}

static lun__pair pair_of(const splitting *s, lf_value *v)
{
    const parts p = operand(s, v);
    return (lun__pair){real(p.re), real(p.im)};
}

/* The parts of v, which is complex, are these. */
static void put(splitting *s, const lf_value *v, lun__pair z)
{
    const lf_type part = lf_part_of((lf_type)v->type);
    lf_value *im = z.im ? value(z.im) : luafn_graph_float(&s->c->graph, 0);
    s->of[v->id] = (parts){as(s, value(z.re), part), as(s, im, part)};
}

/* Whether the exponent is one whole number for all elements, as that of an array is. */
static bool is_whole(const splitting *s, lf_value *v, int64_t *k)
{
    if (lf_is_const(v, LF_WF) && v->as.n == rint(v->as.n) && fabs(v->as.n) <= LUN__FORM_POWERS) {
        *k = (int64_t)v->as.n;
        return true;
    }
    return luafn_known_integer(s->c, v, k) && *k >= -LUN__FORM_POWERS && *k <= LUN__FORM_POWERS;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void operation(splitting *s, lf_value *v, lun_op op)
{
    const lun__maker m = maker(s);
    lun__pair in[3];
    int64_t k;
    for (int i = 0; i < v->args; i++)
        in[i] = pair_of(s, v->arg[i]);
    if (lun__form_of(op) == LUN__FORM_REAL) {
        v->instead = value(lun__form_real(&m, op, in));
        return;
    }
    const bool whole = op == LUN_OP_POW && is_whole(s, v->arg[1], &k);
    const lun__pair z = lun__form_complex(&m, op, in, whole ? &k : NULL);
    if (lf_is_complex((lf_type)v->type))
        put(s, v, z);
    else /* a choice of real numbers by a complex one */
        v->instead = value(z.re);
}

static void form(splitting *s, lf_value *v)
{
    const lun__maker m = maker(s);
    const parts p = operand(s, v->arg[0]);
    switch ((lf_form)v->sub) {
    case LF_FORM_REAL:
        v->instead = p.re;
        return;
    case LF_FORM_IMAG:
        v->instead = p.im                            ? p.im
                     : lf_is_float((lf_type)v->type) ? luafn_graph_float(&s->c->graph, 0)
                                                     : luafn_graph_int(&s->c->graph, 0);
        return;
    case LF_FORM_ANGLE:
        v->instead = value(lun__form_angle(&m, (lun__pair){real(p.re), real(p.im)}));
        return;
    case LF_FORM_CONJ:
        if (p.im)
            put(s, v, (lun__pair){real(p.re), m.op(s, LUN_OP_NEG, real(p.im), NULL, NULL)});
        else
            v->instead = p.re;
        return;
    default:
        s->of[v->id] = p;
    }
}

static bool is_numeric(const lf_value *v)
{
    return lf_is_number((lf_type)v->type) || lf_is_complex((lf_type)v->type);
}

static void compare(splitting *s, lf_value *v)
{
    for (int k = 0; k < 2; k++)
        if (v->arg[k]->type == LF_MIX)
            luafn_type_join_mistyped(s->c, v, k, "comparison");
    if (is_numeric(v->arg[0]) && is_numeric(v->arg[1]))
        operation(s, v, LUN_OP_EQ);
    else
        v->instead = luafn_graph_bool(&s->c->graph, false);
}

/* Whether v is replaced. */
static bool split(splitting *s, lf_value *v)
{
    bool complex = lf_is_complex((lf_type)v->type) || v->kind == LF_FORM;
    for (int k = 0; k < v->args; k++)
        complex = complex || lf_is_complex((lf_type)v->arg[k]->type);
    if (!complex)
        return false;
    s->from = v;
    switch ((lf_kind)v->kind) {
    case LF_COMPLEX:
        put(s, v, (lun__pair){real(v->arg[0]), real(v->arg[1])});
        return true;
    case LF_FORM:
        form(s, v);
        return true;
    case LF_ARITH:
        operation(s, v, luafn_complex_rules_arith(v));
        return true;
    case LF_NEG:
        operation(s, v, LUN_OP_NEG);
        return true;
    case LF_APPLY:
        operation(s, v, (lun_op)v->sub);
        return true;
    case LF_COMPARE:
        compare(s, v);
        return true;
    default: /* LF_TRUTH and LF_NOT of what is never false */
        v->instead = luafn_graph_bool(&s->c->graph, v->kind == LF_TRUTH);
        return true;
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

static lf_value *new_phi(splitting *s, const lf_value *like)
{
    lf_value *v = luafn_graph_value(&s->c->graph, LF_PHI, like->args);
    v->block = like->block;
    v->proto = like->proto;
    v->pc = like->pc;
    v->type = (uint8_t)lf_part_of((lf_type)like->type);
    luafn_arena_push(s->c->graph.u, &s->at->phis, v);
    return v;
}

static void split_block(splitting *s, lf_block *b)
{
    const lf_list phis = b->phis, ops = b->ops;
    b->phis = b->ops = (lf_list){0};
    s->at = b;
    for (int k = 0; k < phis.count; k++) {
        const lf_value *v = phis.at[k];
        if (lf_is_complex((lf_type)v->type))
            s->of[v->id] = (parts){new_phi(s, v), new_phi(s, v)};
        else
            luafn_arena_push(s->c->graph.u, &b->phis, phis.at[k]);
    }
    for (int k = 0; k < ops.count; k++) {
        lf_value *v = ops.at[k];
        for (int i = 0; i < v->args; i++)
            if (v->arg[i])
                v->arg[i] = luafn_graph_find(v->arg[i]);
        if (!split(s, v))
            luafn_arena_push(s->c->graph.u, &b->ops, v);
    }
}

/* The operands of the new phis, once all values have parts. */
static void connect(const splitting *s, const lf_list *phis)
{
    lf_value *zero = luafn_graph_float(&s->c->graph, 0);
    for (int k = 0; k < phis->count; k++) {
        const lf_value *v = phis->at[k];
        if (!lf_is_complex((lf_type)v->type))
            continue;
        for (int i = 0; i < v->args; i++) {
            const parts p = operand(s, luafn_graph_find(v->arg[i]));
            s->of[v->id].re->arg[i] = p.re;
            s->of[v->id].im->arg[i] = p.im ? p.im : zero;
        }
    }
}

static void split_results(splitting *s)
{
    lf_compile *c = s->c;
    const lf_list results = c->graph.results;
    c->graph.results = (lf_list){0};
    for (int k = 0; k < results.count; k++) {
        lf_value *v = luafn_graph_find(results.at[k]);
        const parts p = operand(s, v);
        if (p.im && c->graph.results.count < 32)
            c->pairs |= UINT32_C(1) << c->graph.results.count;
        luafn_arena_push(c->graph.u, &c->graph.results, p.re);
        if (p.im)
            luafn_arena_push(c->graph.u, &c->graph.results, p.im);
    }
}

/* Whether a value is complex, or was taken apart. */
static bool any_complex(const lf_graph *g)
{
    for (int i = 0; i < g->order.count; i++) {
        const lf_block *b = g->order.at[i];
        for (int k = 0; k < b->phis.count + b->ops.count; k++) {
            const lf_value *v = k < b->phis.count ? b->phis.at[k] : b->ops.at[k - b->phis.count];
            if (lf_is_complex((lf_type)v->type) || v->kind == LF_FORM || v->kind == LF_COMPLEX)
                return true;
            for (int j = 0; j < v->args; j++)
                if (v->arg[j] && lf_is_complex((lf_type)v->arg[j]->type))
                    return true;
        }
    }
    for (int k = 0; k < g->results.count; k++)
        if (lf_is_complex((lf_type)((const lf_value *)g->results.at[k])->type))
            return true;
    return false;
}

void luafn_split_complex(lf_compile *c)
{
    lf_graph *g = &c->graph;
    if (!any_complex(g))
        return;
    splitting s = {.c = c, .of = LF_NEW(&c->unit, parts, g->values)};
    lf_list *phis = LF_NEW(&c->unit, lf_list, g->order.count);
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        phis[i] = b->phis;
        split_block(&s, b);
    }
    for (int i = 0; i < g->order.count; i++)
        connect(&s, &phis[i]);
    split_results(&s);
    luafn_cfg_simplify(g); /* conditions and operands are the new values */
    luafn_infer_clean(c);
}
