/* put_rounds.c - elements that a function of lun.each assigns where other rounds may assign them,
 * too.
 *
 * Each round assigns at most one element of such an array: its index and a value are variables,
 * whose last values are results. The engine stores them in index order, so the last round wins.
 * h[e] = h[e] + x and the like give only x, which the engine combines with the element. The array
 * may be read nowhere else. */
#include "luafn/ssa/put_rounds.h"

#include "luafn/ssa/complex_value.h"

/* One statement that assigns. */
typedef struct lf_given {
    lf_spot at;
    lf_value *index; /* LF_FLAT_INDEX */
    lf_value *prior; /* the index given before */
    /* of h[e] = h[e] + x, else NULL: h[e], and the sum, which nothing else may use */
    lf_value *load, *sum;
} lf_given;

enum { LF_ALIKE = 500 }; /* values that one comparison of indices visits */

/* ---- indices --------------------------------------------------------------------------------- */

/* Are both computed alike, from the same parameters and elements, none of them assigned? */
static bool alike(lf_value *a, lf_value *b, int *left)
{
    a = luafn_graph_find(a);
    b = luafn_graph_find(b);
    if (a == b)
        return true;
    bool pure = a->kind == LF_ARITH || a->kind == LF_NEG || a->kind == LF_BNOT ||
                a->kind == LF_LOAD || a->kind == LF_PART || a->kind == LF_FLAT_INDEX ||
                a->kind == LF_LENGTH || a->kind == LF_MATH || a->kind == LF_APPLY;
    if (!pure || a->kind != b->kind || a->sub != b->sub || a->args != b->args ||
        a->as.i != b->as.i || --*left < 0)
        return false;
    for (int k = 0; k < a->args; k++)
        if (!alike(a->arg[k], b->arg[k], left))
            return false;
    return true;
}

static bool same_index(lf_value *a, lf_value *b)
{
    int left = LF_ALIKE;
    return alike(a, b, &left);
}

/* Is v an element t[i]? */
static bool is_element(lf_value *v, lf_value *t, lf_value *i)
{
    return v->kind == LF_LOAD && same_index(v->arg[0], t) && same_index(v->arg[1], i);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* The operand of v, in t[i] = v, that is t[i] and that v combines with the other one; -1: none. */
static int combined(lf_value *v, lf_value *t, lf_value *i)
{
    lf_arith op = (lf_arith)v->sub;
    bool either = op == LF_ADD || op == LF_MUL || op == LF_BAND || op == LF_BOR || op == LF_BXOR;
    if (v->kind == LF_MATH)
        either = v->sub == LF_MATH_MIN || v->sub == LF_MATH_MAX;
    bool first = either || (v->kind == LF_ARITH && op == LF_SUB);
    if ((v->kind != LF_ARITH && v->kind != LF_MATH) || !first || v->args != 2)
        return -1;
    if (is_element(luafn_graph_find(v->arg[0]), t, i))
        return 0;
    return either && is_element(luafn_graph_find(v->arg[1]), t, i) ? 1 : -1;
}

/* A value for "not assigned": any one of the array's kind. */
static lf_value *nothing(lf_graph *g, const lf_capture *s)
{
    lf_type t = luafn_graph_type_of(s->dtype);
    return t == LF_BOOL   ? luafn_graph_bool(g, false)
           : lf_is_int(t) ? luafn_graph_int(g, 0)
                          : luafn_graph_float(g, 0);
}

/* The existing put of an array whose elements may coincide with those of `like`; NULL: none. */
static lf_put *existing_put(lf_builder *b, const lf_put *like)
{
    const lf_list *puts = &b->c->puts;
    lf_put *found = NULL;
    for (int k = 0; k < puts->count; k++) {
        lf_put *p = puts->at[k];
        if (p->source != like->source || (p->fixed && like->fixed && p->last != like->last))
            continue;
        if (found) /* any index, and several columns */
            luafn_builder_stop(b, "assigns '%s' at an index that may be that of line %d or line %d",
                               b->c->source[p->source].name,
                               luafn_debug_line(((lf_given *)found->given.at[0])->at.proto,
                                                ((lf_given *)found->given.at[0])->at.pc),
                               luafn_debug_line(((lf_given *)p->given.at[0])->at.proto,
                                                ((lf_given *)p->given.at[0])->at.pc));
        found = p;
    }
    if (found)
        found->fixed &= like->fixed;
    return found;
}

/* The put of an array; like: how it is assigned, for a new one. */
static lf_put *put_of(lf_builder *b, const lf_put *like)
{
    lf_compile *c = b->c;
    lf_put *p = existing_put(b, like);
    if (p) {
        if (p->kind != like->kind || p->sub != like->sub || p->behind != like->behind)
            luafn_builder_stop(
                b,
                "assigns '%s' in another way than line %d: replace elements, or combine "
                "them with values by one operation",
                c->source[p->source].name,
                luafn_debug_line(((lf_given *)p->given.at[0])->at.proto,
                                 ((lf_given *)p->given.at[0])->at.pc));
        return p;
    }
    p = LF_NEW(&c->unit, lf_put, 1);
    *p = *like;
    p->index = luafn_cell_element_var(c, luafn_graph_int(b->g, -1));
    p->value = luafn_cell_element_var(c, nothing(b->g, &c->source[p->source].capture));
    luafn_arena_push(b->g->u, &c->puts, p);
    return p;
}

static int number_of(const lf_compile *c, const lf_put *p)
{
    int k = 0;
    while (c->puts.at[k] != p)
        k++;
    return k;
}

static lf_value *replacing(lf_builder *b, const lf_put *p, lf_value *x)
{
    lf_value *given = luafn_builder_emit1(b, LF_STORE, 0, x);
    given->as.i = p->source;
    return given;
}

/* The combined value of h[e] = sum, with the source line of sum; h[e] - x is h[e] + -x, bit for
 * bit. */
static lf_value *combining(lf_builder *b, const lf_put *p, const lf_value *sum, int operand)
{
    lf_value *x = sum->arg[operand];
    if (sum->kind == LF_ARITH && sum->sub == LF_SUB) {
        x = luafn_builder_emit1(b, LF_NEG, 0, x);
        x->proto = sum->proto;
        x->pc = sum->pc;
    }
    lf_value *given = luafn_builder_emit1(b, LF_COMBINE, p->sub, x);
    given->as.i = number_of(b->c, p);
    given->proto = sum->proto;
    given->pc = sum->pc;
    return given;
}

void luafn_put_rounds_element(lf_builder *b, lf_value *t, lf_value *i, lf_value *x)
{
    lf_compile *c = b->c;
    lf_whose of = lf_whose_is(c, t);
    if (of.param)
        luafn_builder_stop(b, "an assignment to '%s', a parameter: capture the array",
                           luafn_captured_array_name(c, t));
    lf_value *v = luafn_graph_find(x);
    int k = combined(v, t, i);
    lf_put like = {.source = of.number, .kind = LF_STORE};
    if (k >= 0)
        like = (lf_put){.source = of.number,
                        .kind = (lf_kind)v->kind,
                        .sub = v->kind == LF_ARITH && v->sub == LF_SUB ? LF_ADD : v->sub,
                        .behind = v->kind == LF_MATH && k == 1};
    const lf_value *last = luafn_graph_find(i);
    like.fixed = lf_is_whole(last);
    like.last = like.fixed ? last->as.i : 0;
    lf_put *p = put_of(b, &like);
    lf_given *s = LF_NEW(&c->unit, lf_given, 1);
    *s = (lf_given){.at = {b->f->proto, b->pc}};
    s->index = luafn_builder_emit2(b, LF_FLAT_INDEX, 0, t, i);
    s->prior = luafn_graph_read(b->g, p->index, b->g->now);
    if (k >= 0) {
        s->load = luafn_graph_find(v->arg[k]);
        s->sum = v;
    }
    luafn_graph_write(b->g, p->index, b->g->now, s->index);
    luafn_graph_write(b->g, p->value, b->g->now,
                      k < 0 ? replacing(b, p, x) : combining(b, p, v, 1 - k));
    luafn_arena_push(b->g->u, &p->given, s);
}

/* ---- one element a round --------------------------------------------------------------------- */

/* Is b on a cycle? */
static bool in_cycle(lf_compile *c, lf_block *b)
{
    lf_graph *g = &c->graph;
    bool *seen = LF_NEW(&c->unit, bool, g->blocks.count);
    lf_list next = {0};
    luafn_arena_push(g->u, &next, b);
    while (next.count) {
        const lf_block *at = next.at[--next.count];
        int ways = at->end == LF_BRANCH ? 2 : at->end == LF_JUMP ? 1 : 0;
        for (int k = 0; k < ways; k++) {
            lf_block *to = at->succ[k];
            if (to == b)
                return true;
            if (!seen[to->id])
                luafn_arena_push(g->u, &next, to);
            seen[to->id] = true;
        }
    }
    return false;
}

/* May v, an index, be another one later in the same round? */
static bool varies(lf_compile *c, lf_value *v, int *left)
{
    v = luafn_graph_find(v);
    if (v->kind == LF_PHI || --*left < 0)
        return *left < 0 || in_cycle(c, v->block);
    for (int k = 0; k < v->args; k++)
        if (varies(c, v->arg[k], left))
            return true;
    return false;
}

/* The statement that gave this index. */
static const lf_given *giver(const lf_put *p, const lf_value *index)
{
    const lf_given *s = NULL;
    for (int k = 0; k < p->given.count; k++)
        if (((lf_given *)p->given.at[k])->index == index)
            s = p->given.at[k];
    return s;
}

/* `earlier` may run before s in the same round. */
static void check_pair(lf_compile *c, const lf_put *p, const lf_given *earlier, const lf_given *s)
{
    const char *name = c->source[p->source].name;
    int line = luafn_debug_line(earlier->at.proto, earlier->at.pc), left = LF_ALIKE;
    if (p->kind != LF_STORE)
        luafn_debug_fail(
            &c->unit, s->at.proto, s->at.pc,
            "combines an element of '%s' in a round that may have combined one already "
            "(line %d): use a local variable, or make the inner loop an axis of lun.each",
            name, line);
    if (!same_index(earlier->index, s->index) || varies(c, s->index, &left))
        luafn_debug_fail(
            &c->unit, s->at.proto, s->at.pc,
            "assigns '%s' in a round that may have assigned it at another index (line %d): "
            "make the inner loop an axis of lun.each, or assign another array",
            name, line);
}

/* Checks s against all indices that may have been given before it. */
static void check_prior(lf_compile *c, const lf_put *p, const lf_given *s)
{
    lf_graph *g = &c->graph;
    lf_list all = {0};
    luafn_arena_push(g->u, &all, luafn_graph_find(s->prior));
    luafn_graph_find(s->prior)->mark = true;
    for (int i = 0; i < all.count; i++) {
        lf_value *v = all.at[i];
        if (v->kind == LF_FLAT_INDEX)
            check_pair(c, p, giver(p, v), s);
        for (int k = 0; v->kind == LF_PHI && k < v->args; k++) {
            lf_value *x = luafn_graph_find(v->arg[k]);
            if (!x->mark)
                luafn_arena_push(g->u, &all, x);
            x->mark = true;
        }
    }
    for (int i = 0; i < all.count; i++)
        ((lf_value *)all.at[i])->mark = false;
}

/* ---- combined elements are read nowhere else ------------------------------------------------- */

static void refuse_marked(lf_compile *c, const lf_put *p, lf_value *v)
{
    v = luafn_graph_find(v);
    if (v->mark)
        luafn_cell_refuse_overlap(c, p->source, ((lf_given *)p->given.at[0])->at,
                                  (lf_spot){v->proto, v->pc}, false);
}

static void refuse_uses(lf_compile *c, const lf_put *p, const lf_list *values)
{
    for (int i = 0; i < values->count; i++) {
        const lf_value *v = values->at[i];
        for (int k = 0; !v->instead && !v->mark && k < v->args; k++)
            refuse_marked(c, p, v->arg[k]);
    }
}

static void drop_op(lf_block *b, const lf_value *v)
{
    int n = 0;
    for (int k = 0; k < b->ops.count; k++)
        if (b->ops.at[k] != v)
            b->ops.at[n++] = b->ops.at[k];
    b->ops.count = n;
}

/* Removes the sums; their elements are only checked to exist. */
static void take_sums(lf_compile *c, lf_put *p)
{
    lf_graph *g = &c->graph;
    for (int k = 0; k < p->given.count; k++) {
        lf_given *s = p->given.at[k];
        s->sum->mark = s->load->mark = true;
    }
    for (int i = 0; i < g->blocks.count; i++) {
        const lf_block *b = g->blocks.at[i];
        refuse_uses(c, p, &b->phis);
        refuse_uses(c, p, &b->ops);
        if (b->end == LF_BRANCH)
            refuse_marked(c, p, b->cond);
    }
    for (int k = 0; k < p->given.count; k++) {
        lf_given *s = p->given.at[k];
        s->sum->mark = s->load->mark = false;
        drop_op(s->sum->block, s->sum);
        s->load->kind = LF_FLAT_INDEX;
    }
}

static void check_put(lf_compile *c, lf_put *p)
{
    const lf_given *first = p->given.at[0];
    for (int k = 0; k < c->cells.count; k++) {
        const lf_cell *cell = c->cells.at[k];
        if (cell->is.source == p->source)
            luafn_cell_refuse_overlap(c, p->source, first->at, (lf_spot){cell->proto, cell->pc},
                                      cell->written);
    }
    for (int k = 0; k < p->given.count; k++)
        check_prior(c, p, p->given.at[k]);
    if (p->kind != LF_STORE)
        take_sums(c, p);
}

void luafn_put_rounds_end(lf_compile *c)
{
    lf_graph *g = &c->graph;
    if (c->splits)
        luafn_complex_value_sweep(c);
    for (int k = 0; k < c->puts.count; k++)
        check_put(c, c->puts.at[k]);
    for (int k = 0; k < c->puts.count; k++) {
        const lf_put *p = c->puts.at[k];
        luafn_cell_refuse_loads(c, p->source, ((lf_given *)p->given.at[0])->at);
        luafn_arena_push(g->u, &g->results, luafn_graph_read(g, p->index, g->exit));
        luafn_arena_push(g->u, &g->results, luafn_graph_read(g, p->value, g->exit));
    }
}
