/* captured_record.c - records: results of a captured struct's calls, or elements of captured
 * records. Their fields are values of the graph; a record itself becomes no code. */
#include "luafn/ssa/captured_record.h"

#include <string.h>

static const lf_source *source_of(const lf_builder *b, const lf_value *v)
{
    return &b->c->source[v->as.i];
}

/* "x, y, id" */
static const char *list_names(lf_builder *b, const lf_source *s)
{
    size_t room = 1;
    for (int i = 0; i < s->names; i++)
        room += strlen(s->field_name[i]) + 2;
    char *text = luafn_arena_new(&b->c->unit, room, 1), *at = text;
    for (int i = 0; i < s->names; i++) {
        size_t length = strlen(s->field_name[i]);
        memcpy(at, s->field_name[i], length);
        at += length;
        if (i + 1 < s->names) {
            memcpy(at, ", ", 2);
            at += 2;
        }
    }
    *at = '\0';
    return text;
}

/* A string with this prefix represents a field that the caller has not passed: it passes those that
 * turn out to be read. */
static const char hole[] = "lun_hole ";

static bool is_hole(const lf_value *v)
{
    return v->kind == LF_STRING && strncmp(v->as.s, hole, sizeof hole - 1) == 0;
}

static lf_value *passed(lf_builder *b, lf_value *v)
{
    if (is_hole(v))
        luafn_builder_stop(b, "%.40s is not passed", v->as.s);
    return v;
}

lf_value *luafn_captured_record_pack(lf_builder *b, int source, const lf_list *fields)
{
    lf_value *v = luafn_graph_value(b->g, LF_RECORD, fields->count);
    v->type = LF_OBJECT;
    v->proto = b->f->proto;
    v->pc = b->pc;
    v->as.i = source;
    for (int i = 0; i < fields->count; i++)
        v->arg[i] = fields->at[i];
    return v;
}

lf_value *luafn_captured_record_make(lf_builder *b, const lf_value *of, const lf_list *fields)
{
    const lf_source *s = source_of(b, of);
    if (fields->count != s->names)
        luafn_builder_stop(b, "%s with %d argument%s: %d expected, for its fields %.200s", s->name,
                           fields->count, fields->count == 1 ? "" : "s", s->names,
                           list_names(b, s));
    for (int i = 0; i < fields->count; i++)
        if (!is_hole(fields->at[i]))
            luafn_builder_need_number(b, fields->at[i], -1, "a field");
    return luafn_captured_record_pack(b, (int)of->as.i, fields);
}

bool luafn_captured_record_is(const lf_compile *c, const lf_value *v)
{
    return v->kind == LF_TABLE && c->source[v->as.i].capture.kind == LF_CAPTURE_RECORDS;
}

lf_value *luafn_captured_record_at(lf_builder *b, const lf_value *records, lf_value *index)
{
    lf_value *v = luafn_graph_value(b->g, LF_RECORD_AT, 1);
    v->type = LF_OBJECT;
    v->proto = b->f->proto;
    v->pc = b->pc;
    v->as.i = records->as.i;
    v->arg[0] = index;
    return v;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Whether two records have the same fields, so that a phi can merge them. */
static bool same_struct(const lf_builder *b, const lf_value *x, const lf_value *y)
{
    const lf_source *s = source_of(b, x), *t = source_of(b, y);
    bool same = s->names == t->names;
    for (int i = 0; same && i < s->names; i++)
        same = strcmp(s->field_name[i], t->field_name[i]) == 0;
    return same;
}

/* A phi of records of one struct becomes a record of phis.  NULL: it is none. */
static lf_value *merged(lf_builder *b, lf_value *phi)
{
    lf_graph *g = b->g;
    const lf_block *at = phi->block;
    if (at->loop || !at->sealed || !phi->args || phi->args != at->preds.count)
        return NULL;
    for (int i = 0; i < phi->args; i++) {
        const lf_value *x = luafn_graph_find(phi->arg[i]);
        if (x->kind != LF_RECORD || !same_struct(b, x, luafn_graph_find(phi->arg[0])))
            return NULL;
    }
    const lf_value *first = luafn_graph_find(phi->arg[0]);
    lf_list fields = {0};
    int base = luafn_graph_vars(g, b->f, first->args, -1);
    for (int k = 0; k < first->args; k++) {
        for (int i = 0; i < phi->args; i++)
            luafn_graph_write(g, base + k, at->preds.at[i],
                              passed(b, luafn_graph_find(luafn_graph_find(phi->arg[i])->arg[k])));
        luafn_arena_push(g->u, &fields, luafn_graph_read(g, base + k, phi->block));
    }
    return phi->instead = luafn_captured_record_pack(b, (int)first->as.i, &fields);
}

/* The number of the field of that name of v, in register reg. */
static int field_number(lf_builder *b, const lf_value *v, int reg, const char *name)
{
    const lf_source *s = source_of(b, v);
    int i = 0;
    while (i < s->names && strcmp(s->field_name[i], name) != 0)
        i++;
    if (i == s->names)
        luafn_builder_stop(b, "no field '%.60s' of a record%s: there are %.200s", name,
                           luafn_builder_reg_name(b, reg), list_names(b, s));
    return i;
}

lf_value *luafn_captured_record_array(lf_builder *b, const lf_value *v, int reg, const char *name)
{
    if (v->kind != LF_RECORD_AT)
        return NULL;
    int k = field_number(b, v, reg, name);
    return luafn_captured_field(b->c, b->f, b->pc, (int)v->as.i, source_of(b, v)->field_name[k]);
}

lf_value *luafn_captured_record_field(lf_builder *b, lf_value *v, int reg, const char *name)
{
    if (v->kind == LF_PHI) {
        v = merged(b, v);
        if (!v)
            luafn_builder_stop(
                b,
                "field '%.60s' of a value%s that is another one on each path or in each "
                "round of a loop: keep the fields in local variables",
                name, luafn_builder_reg_name(b, reg));
    }
    if (v->kind == LF_RECORD)
        return passed(b, luafn_graph_find(v->arg[field_number(b, v, reg, name)]));
    lf_value *a = luafn_captured_record_array(b, v, reg, name);
    return a ? luafn_cell_element(b, a, luafn_graph_find(v->arg[0])) : NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

lf_value *luafn_captured_record_result(lf_builder *b, lf_value *v)
{
    if (v->kind == LF_PHI)
        return v->block->loop ? v : merged(b, v) ? luafn_graph_find(v) : v;
    if (v->kind != LF_RECORD_AT)
        return v;
    luafn_builder_stop(b,
                       "a record of captured records cannot be returned whole: return %s's fields",
                       source_of(b, v)->name);
}

int luafn_captured_record_unpack(lf_builder *b)
{
    const lf_exit *first = b->exits->at[0];
    for (int i = 0; i < b->exits->count; i++) {
        const lf_exit *x = b->exits->at[i];
        if (x->values.count != 1)
            return 0;
        const lf_value *v = luafn_graph_find(x->values.at[0]),
                       *w = luafn_graph_find(first->values.at[0]);
        if (v->kind != LF_RECORD || w->kind != LF_RECORD)
            return 0;
        if (!same_struct(b, v, w))
            luafn_builder_stop(
                b, "records with other fields are returned on each path: %.150s; %.150s",
                list_names(b, source_of(b, w)), list_names(b, source_of(b, v)));
    }
    int source = (int)luafn_graph_find(first->values.at[0])->as.i;
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        const lf_value *v = luafn_graph_find(x->values.at[0]);
        x->values.count = 0;
        for (int k = 0; k < v->args; k++)
            luafn_arena_push(&b->c->unit, &x->values, passed(b, luafn_graph_find(v->arg[k])));
    }
    return source;
}
