/* cells.c - elements of captured arrays as variables of a function that lun.each calls.
 *
 * Each round of the loop has its own element in an array that is assigned: its indices are the
 * loop's variables, each once, plus constants. So rounds are independent, and the element is a
 * variable that begins with the old element; its last value is a result, which the engine stores.
 * An array that is assigned may be read nowhere else.  Elements that several rounds may assign are
 * put_rounds.c's.  Knows no types. */
#include "luafn/ssa/cells.h"

enum { LF_FAR = 1 << 30, LF_DEEP = 16 }; /* the largest shift; sums and differences in an index */

bool luafn_cell_find_index(const lf_compile *c, lf_value *v, lun_front_index *out)
{
    *out = (lun_front_index){.param = -1};
    for (int depth = 0; depth < LF_DEEP; depth++) {
        v = luafn_graph_find(v);
        if (v->kind == LF_PARAM && c->param[v->as.i].index != LUN_FRONT_ELEMENT) {
            out->param = (int)v->as.i;
            return true;
        }
        bool add = v->kind == LF_ARITH && v->sub == LF_ADD;
        bool sub = v->kind == LF_ARITH && v->sub == LF_SUB;
        const lf_value *number = v;
        if (add || sub) {
            bool left = add && lf_is_whole(v->arg[0]);
            number = luafn_graph_find(v->arg[left ? 0 : 1]);
            v = v->arg[left ? 1 : 0];
        }
        if (!lf_is_whole(number) || number->as.i > LF_FAR || number->as.i < -LF_FAR)
            return false;
        out->shift += sub ? -number->as.i : number->as.i;
        if (number == v)
            return true;
    }
    return false;
}

/* ---- cells ----------------------------------------------------------------------------------- */

int luafn_cell_element_var(lf_compile *c, lf_value *first)
{
    lf_graph *g = &c->graph;
    int var = luafn_graph_vars(g, c->root, 1, -1);
    g->var[var].always = true;
    luafn_graph_write(g, var, g->entry, first);
    return var;
}

/* The indices of t[i], of a captured array; false: some are not known. */
static bool find_window(const lf_compile *c, lf_value *t, lf_value *i, lf_window *out)
{
    lf_whose of = lf_whose_is(c, t);
    *out = (lf_window){.source = of.number};
    if (of.param)
        return false;
    for (int axis = of.fixed; axis >= 0; axis--) {
        if (!luafn_cell_find_index(c, i, &out->at[axis]))
            return false;
        i = axis ? t->arg[1] : NULL;
        t = axis ? luafn_graph_find(t->arg[0]) : NULL;
    }
    return true;
}

bool luafn_cell_same_window(const lf_window *a, const lf_window *b)
{
    bool same = a->source == b->source;
    for (int k = 0; same && k < LUN_MAX_RANK; k++)
        same = a->at[k].param == b->at[k].param && a->at[k].shift == b->at[k].shift;
    return same;
}

/* Has each round of the loop its own element: is each of its variables an index, once? */
static bool is_own(const lf_compile *c, const lf_window *w)
{
    int rank = c->source[w->source].capture.rank;
    for (int p = 0; p < c->params; p++) {
        int times = 0;
        for (int k = 0; k < rank; k++)
            times += w->at[k].param == p;
        if (times != 1)
            return false;
    }
    return true;
}

/* The cell of t[i], whose index is checked here; NULL: it may be another round's as well. */
static lf_cell *cell_at(lf_builder *b, lf_value *t, lf_value *i)
{
    lf_compile *c = b->c;
    lf_window is;
    if (!find_window(c, t, i, &is) || !is_own(c, &is))
        return NULL;
    lf_whose of = lf_whose_is(c, t);
    lf_value *element = luafn_builder_emit2(b, LF_PART, (unsigned)of.fixed + 1, t, i);
    element->as.i = t->as.i;
    for (int k = 0; k < c->cells.count; k++)
        if (luafn_cell_same_window(&((lf_cell *)c->cells.at[k])->is, &is))
            return c->cells.at[k];
    lf_cell *cell = LF_NEW(&c->unit, lf_cell, 1);
    *cell = (lf_cell){.is = is, .proto = b->f->proto, .pc = b->pc};
    lf_value *old = luafn_graph_value(b->g, LF_CELL, 0);
    old->as.i = c->cells.count;
    old->proto = b->f->proto;
    old->pc = b->pc;
    old->block = b->g->entry;
    luafn_arena_push(b->g->u, &b->g->entry->ops, old);
    cell->var = luafn_cell_element_var(c, old);
    luafn_arena_push(b->g->u, &c->cells, cell);
    return cell;
}

lf_value *luafn_cell_read(lf_builder *b, lf_value *t, lf_value *i)
{
    const lf_cell *cell = cell_at(b, t, i);
    return cell ? luafn_graph_read(b->g, cell->var, b->g->now) : NULL;
}

bool luafn_cell_write(lf_builder *b, lf_value *t, lf_value *i, lf_value *x)
{
    lf_cell *cell = cell_at(b, t, i);
    if (!cell)
        return false;
    lf_value *v = luafn_builder_emit1(b, LF_STORE, 0, x);
    v->as.i = cell->is.source;
    if (!cell->written) {
        cell->written = true;
        cell->proto = b->f->proto;
        cell->pc = b->pc;
    }
    luafn_graph_write(b->g, cell->var, b->g->now, v);
    return true;
}

/* ---- reads of elements ----------------------------------------------------------------------- */

lf_value *luafn_cell_element(lf_builder *b, lf_value *t, lf_value *i)
{
    lf_whose of = lf_whose_is(b->c, t);
    bool part = of.fixed + 1 < of.rank;
    lf_value *v = !part && b->c->writes ? luafn_cell_read(b, t, i) : NULL;
    if (v)
        return v;
    v = luafn_builder_emit2(b, part ? LF_PART : LF_LOAD, part ? (unsigned)of.fixed + 1 : 0, t, i);
    if (part)
        v->as.i = t->as.i;
    else if (b->c->writes)
        luafn_arena_push(b->g->u, &b->c->loads, v);
    return v;
}

/* ---- the end --------------------------------------------------------------------------------- */

void luafn_cell_refuse_overlap(lf_compile *c, int source, lf_spot written, lf_spot other,
                               bool assigns)
{
    const char *name = c->source[source].name;
    int line = luafn_debug_line(written.proto, written.pc);
    if (assigns)
        luafn_debug_fail(
            &c->unit, other.proto, other.pc,
            "assigns '%s' where another round may assign it at another index (line %d)", name,
            line);
    luafn_debug_fail(
        &c->unit, other.proto, other.pc,
        "reads '%s' where another round may assign it (line %d): read a copy, or use scan", name,
        line);
}

void luafn_cell_refuse_loads(lf_compile *c, int source, lf_spot written)
{
    for (int k = 0; k < c->loads.count; k++) {
        const lf_value *v = c->loads.at[k];
        lf_whose of = lf_whose_is(c, v->arg[0]);
        if (v->kind == LF_LOAD && !of.param && of.number == source)
            luafn_cell_refuse_overlap(c, source, written, (lf_spot){v->proto, v->pc}, false);
    }
}

/* Never the same element, in any rounds: constant indices along one axis differ. */
static bool apart(const lf_compile *c, const lf_window *a, const lf_window *b)
{
    bool differ = false;
    for (int k = 0; k < c->source[a->source].capture.rank; k++)
        differ |= a->at[k].param < 0 && b->at[k].param < 0 && a->at[k].shift != b->at[k].shift;
    return differ;
}

static void check_cell(lf_compile *c, const lf_cell *written)
{
    int source = written->is.source;
    lf_spot at = {written->proto, written->pc};
    luafn_cell_refuse_loads(c, source, at);
    for (int k = 0; k < c->cells.count; k++) {
        const lf_cell *other = c->cells.at[k];
        if (other != written && other->is.source == source && !apart(c, &written->is, &other->is))
            luafn_cell_refuse_overlap(c, source, at, (lf_spot){other->proto, other->pc},
                                      other->written);
    }
}

void luafn_cell_end(lf_compile *c)
{
    lf_graph *g = &c->graph;
    for (int k = 0; k < c->cells.count; k++) {
        const lf_cell *cell = c->cells.at[k];
        if (!cell->written)
            continue;
        check_cell(c, cell);
        luafn_arena_push(g->u, &g->results, luafn_graph_read(g, cell->var, g->exit));
    }
}
