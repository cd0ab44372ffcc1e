/* complex_value.c - complex numbers while a function is translated. Which values are complex is
 * known when types are: until then operations are those of any numbers, and only what takes a
 * number apart says so. A complex array is its two real ones. */
#include "luafn/ssa/complex_value.h"

#include <string.h>

#include "complex/form.h"
#include "luafn/ssa/build.h"
#include "lunarray_bind.h"

static lf_value *form(lf_builder *b, lf_form f, lf_value *x, const char *strict)
{
    lf_value *v = luafn_builder_emit1(b, LF_FORM, f, x);
    v->as.s = strict;
    return v;
}

/* ---- made ------------------------------------------------------------------------------------ */

static bool is_array(const lf_value *v)
{
    return v->kind == LF_ARRAY || v->kind == LF_PART || v->kind == LF_AROUND;
}

lf_value *luafn_complex_value_of(lf_builder *b, lf_value *re, lf_value *im)
{
    if (!is_array(re) || re->kind != im->kind) {
        luafn_builder_need_number(b, re, -1, "lun.complex");
        luafn_builder_need_number(b, im, -1, "lun.complex");
        return luafn_builder_emit2(b, LF_COMPLEX, 0, re, im);
    }
    lf_value *v = luafn_graph_value(b->g, LF_COMPLEXES, 2);
    v->type = LF_OBJECT;
    v->proto = b->f->proto;
    v->pc = b->pc;
    v->as.i = -1;
    v->arg[0] = re;
    v->arg[1] = im;
    return v;
}

lf_value *luafn_complex_value_element(lf_builder *b, const lf_value *t, lf_value *i)
{
    lf_value *re = luafn_cell_element(b, luafn_graph_find(t->arg[0]), i);
    return luafn_complex_value_of(b, re, luafn_cell_element(b, luafn_graph_find(t->arg[1]), i));
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *const names[] = {[LF_FORM_COMPLEX] = "complex",
                                    [LF_FORM_REAL] = "real",
                                    [LF_FORM_IMAG] = "imag",
                                    [LF_FORM_CONJ] = "conj",
                                    [LF_FORM_ANGLE] = "angle"};

void luafn_complex_value_call(lf_builder *b, const lf_value *f, const lf_list *args,
                              lf_list *results)
{
    const lf_form which = (lf_form)f->sub;
    const int most = which == LF_FORM_COMPLEX ? 2 : 1;
    if (args->count < 1 || args->count > most)
        luafn_builder_stop(b, "lun.%s with %d arguments: %s expected", names[which], args->count,
                           most == 2 ? "1 or 2" : "1");
    lf_value *x = args->at[0], *v;
    if (which == LF_FORM_COMPLEX) {
        v = luafn_complex_value_of(b, x, args->count > 1 ? args->at[1] : luafn_graph_int(b->g, 0));
    } else {
        luafn_builder_need_number(b, x, -1, names[which]);
        v = form(b, which, x, NULL);
    }
    luafn_arena_push(&b->c->unit, results, v);
}

bool luafn_complex_value_may_be(const lf_value *v)
{
    switch ((lf_kind)v->kind) {
    case LF_NUMBERS:
    case LF_PHI:
    case LF_ARITH:
    case LF_NEG:
    case LF_APPLY:
    case LF_COMPLEX:
    case LF_FORM:
        return true;
    default:
        return false;
    }
}

lf_value *luafn_complex_value_field(lf_builder *b, lf_value *v, const char *name)
{
    const bool re = strcmp(name, "re") == 0;
    if (!re && strcmp(name, "im") != 0)
        return NULL;
    if (v->kind == LF_NUMBERS || v->kind == LF_COMPLEXES)
        return luafn_graph_find(v->arg[re ? 0 : 1]);
    return luafn_complex_value_may_be(v)
               ? form(b, re ? LF_FORM_REAL : LF_FORM_IMAG, v, re ? "re" : "im")
               : NULL;
}

/* ---- methods --------------------------------------------------------------------------------- */

static lf_value *operation(lf_builder *b, lun_op op, lf_value *self, const lf_list *args)
{
    const int arity = lun__op_get(op)->arity;
    if (args->count != arity)
        luafn_builder_stop(b, "z:%s with %d argument%s: %d expected", lun__op_get(op)->name,
                           args->count - 1, args->count == 2 ? "" : "s", arity - 1);
    lf_value *v = luafn_builder_new_op(b, LF_APPLY, op, arity);
    for (int k = 0; k < arity; k++) {
        luafn_builder_need_number(b, args->at[k], -1, lun__op_get(op)->name);
        v->arg[k] = k ? args->at[k] : self;
    }
    return v;
}

void luafn_complex_value_method(lf_builder *b, const char *name, const lf_list *args,
                                lf_list *results)
{
    lf_value *z = args->count ? args->at[0] : luafn_graph_nil(b->g), *v = NULL;
    lun_op op;
    if (!luafn_complex_value_may_be(z))
        luafn_builder_stop(b, "a method of %s is called as v:%.60s()", luafn_builder_describe(z),
                           name);
    lf_value *self = form(b, LF_FORM_SELF, z, name);
    for (int k = LF_FORM_REAL; k <= LF_FORM_ANGLE; k++)
        if (strcmp(names[k], name) == 0)
            v = form(b, (lf_form)k, self, NULL);
    if (!v && strcmp(name, "square") == 0)
        v = luafn_builder_emit2(b, LF_ARITH, LF_MUL, self, self);
    if (!v && strcmp(name, "reciprocal") == 0)
        v = luafn_builder_emit2(b, LF_ARITH, LF_DIV, luafn_graph_int(b->g, 1), self);
    if (!v && (lun_op_find(name, 1, &op) || lun_op_find(name, 2, &op)) &&
        lun__form_of(op) != LUN__FORM_NONE)
        v = operation(b, op, self, args);
    if (!v)
        luafn_builder_stop(b,
                           "'%.60s' is no method of complex numbers in a kernel: they have re, "
                           "im, abs(), angle(), conj(), exp() and their like",
                           name);
    luafn_arena_push(&b->c->unit, results, v);
}

enum { LF_SUMS = 16 }; /* sums within sums, of which each part is one */

/* ---- assigned -------------------------------------------------------------------------------- */

/* Part k of x. The part of a sum with an element is that of their parts, so that an element may be
 * combined with values of other rounds.  Calls itself for operands, LF_SUMS deep at most. */
static lf_value *part(lf_builder *b, lf_value *x, int k, int depth)
{
    x = luafn_graph_find(x);
    if (x->kind == LF_COMPLEX)
        return luafn_graph_find(x->arg[k]);
    const bool sum = x->kind == LF_ARITH && (x->sub == LF_ADD || x->sub == LF_SUB);
    const lf_value *first = sum ? luafn_graph_find(x->arg[0]) : x;
    const lf_value *second = sum ? luafn_graph_find(x->arg[1]) : x;
    if (sum && depth < LF_SUMS && (first->kind == LF_COMPLEX || second->kind == LF_COMPLEX))
        return luafn_builder_emit2(b, LF_ARITH, x->sub, part(b, x->arg[0], k, depth + 1),
                                   part(b, x->arg[1], k, depth + 1));
    return form(b, k ? LF_FORM_IMAG : LF_FORM_REAL, x, NULL);
}

void luafn_complex_value_parts(lf_builder *b, lf_value *x, lf_value *out[2])
{
    luafn_builder_need_number(b, x, -1, "an assignment to an element");
    b->c->splits = true;
    out[0] = part(b, x, 0, 0);
    out[1] = part(b, x, 1, 0);
}

/* What complex numbers and their sums are made by. */
static bool is_pure(const lf_value *v)
{
    return v->kind == LF_COMPLEX || v->kind == LF_FORM ||
           (v->kind == LF_ARITH && (v->sub == LF_ADD || v->sub == LF_SUB));
}

/* Marks all operands, or clears all marks. */
static void mark_used(const lf_compile *c, bool mark)
{
    const lf_graph *g = &c->graph;
    for (int i = 0; i < g->blocks.count; i++) {
        const lf_block *b = g->blocks.at[i];
        for (int k = 0; k < b->phis.count + b->ops.count; k++) {
            lf_value *v = k < b->phis.count ? b->phis.at[k] : b->ops.at[k - b->phis.count];
            if (!mark)
                v->mark = false;
            for (int j = 0; !v->instead && j < v->args; j++)
                if (v->arg[j])
                    luafn_graph_find(v->arg[j])->mark = mark;
        }
        if (b->end == LF_BRANCH)
            luafn_graph_find(b->cond)->mark = mark;
    }
}

/* Whether something was dropped. */
static bool drop_unused(const lf_compile *c)
{
    const lf_graph *g = &c->graph;
    bool dropped = false;
    for (int i = 0; i < g->blocks.count; i++) {
        lf_block *b = g->blocks.at[i];
        int kept = 0;
        for (int k = 0; k < b->ops.count; k++) {
            lf_value *v = b->ops.at[k];
            if (v->mark || !is_pure(v))
                b->ops.at[kept++] = v;
            else
                dropped = true;
        }
        b->ops.count = kept;
    }
    return dropped;
}

void luafn_complex_value_sweep(lf_compile *c)
{
    for (bool dropped = true; dropped;) {
        mark_used(c, true);
        dropped = drop_unused(c);
        mark_used(c, false);
    }
}
