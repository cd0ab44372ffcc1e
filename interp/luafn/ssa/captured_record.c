/* captured_record.c - records: results of a captured struct's calls, or elements of captured
 * records; and lists, {x, y}, which are arrays in records. Their fields are values of the graph; a
 * record itself becomes no code.
 *
 * A list is an LF_RECORD of no source, as.i < 0, whose fields have numbers for names. */
#include "luafn/ssa/captured_record.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/complex_value.h"

#include <stdio.h>
#include <string.h>

static const lf_source *source_of(const lf_builder *b, const lf_value *v)
{
    return &b->c->source[v->as.i];
}

/* "x, y, id" of a record, or a struct. */
static const char *list_names(lf_builder *b, const lf_value *v)
{
    size_t room = 1;
    if (v->as.i < 0)
        return "a list";
    const lf_source *s = source_of(b, v);
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

/* ---- lists ----------------------------------------------------------------------------------- */

bool luafn_captured_record_is_list(const lf_value *v)
{
    return v->kind == LF_RECORD && v->as.i < 0;
}

lf_value *luafn_captured_record_list(lf_builder *b, const lf_list *values)
{
    b->c->listed = true;
    return luafn_captured_record_pack(b, -1, values);
}

static lf_value *merged(lf_builder *b, lf_value *phi);

/* v, or the record that it is in this block. */
static lf_value *resolved(lf_builder *b, lf_value *v)
{
    lf_value *record = NULL;
    v = luafn_graph_find(v);
    if (v->kind == LF_PHI)
        record = merged(b, v);
    return record ? record : v;
}

/* The form of a record, as of a field: "[2][3]" of lists of lists. */
static const char *form_of(lf_builder *b, lf_value *v)
{
    enum { ROOM = 32 };
    if (!luafn_captured_record_is_list(v))
        return source_of(b, v)->form;
    const lf_value *first = v->args ? resolved(b, v->arg[0]) : v;
    char *text = luafn_arena_new(&b->c->unit, ROOM, 1);
    snprintf(text, ROOM, "[%d]", v->args);
    if (first->kind == LF_RECORD && v->args && luafn_captured_record_is_list(first))
        snprintf(text, ROOM, "[%d][%d]", v->args, first->args);
    for (int k = 0; k < v->args; k++) {
        const lf_value *x = resolved(b, v->arg[k]);
        if ((x->kind == LF_RECORD) != (first->kind == LF_RECORD) ||
            (x->kind == LF_RECORD && x->args != first->args))
            return "[]";
    }
    return text;
}

lf_value *luafn_captured_record_item(lf_builder *b, lf_value *list, lf_value *index)
{
    int64_t key;
    list = resolved(b, list);
    if (!luafn_captured_record_is_list(list))
        return NULL;
    if (!luafn_known_integer(b->c, index, &key))
        luafn_builder_stop(b, "an index of a list, or of an array in a record, that is not known "
                              "while the function is compiled: write a number, or use the variable "
                              "of a for with known bounds");
    if (key < 1 || key > list->args)
        luafn_builder_stop(b, "index %lld is out of range: there are %d elements", (long long)key,
                           list->args);
    return passed(b, resolved(b, list->arg[key - 1]));
}

/* ---- records --------------------------------------------------------------------------------- */

/* Field k of a record of s: a number, which is made complex where the field is, or a list or a
 * record in the form that the struct has. */
static lf_value *as_field(lf_builder *b, const lf_source *s, int k, lf_value *given)
{
    const char *form = s->field_form[k];
    lf_value *v = resolved(b, given), *part[2];
    if (!strcmp(form, "complex")) {
        if (is_hole(v))
            return given;
        luafn_builder_need_number(b, v, -1, "a field");
        luafn_complex_value_parts(b, v, part);
        return luafn_complex_value_of(b, part[0], part[1]);
    }
    if (!*form && !is_hole(v)) {
        luafn_builder_need_number(b, v, -1, "a field");
    } else if (*form && (v->kind != LF_RECORD || strcmp(form_of(b, v), form) != 0)) {
        const char *end = strchr(form, ' ');
        luafn_builder_stop(b, "field '%.60s' of %s is %s%.*s: %s expected", s->field_name[k],
                           s->name, *form == '[' ? "an array " : "the struct ",
                           end ? (int)(end - form) : 20, form,
                           *form == '[' ? "a list of as many values, {x, y}" : "a call of it");
    }
    return given;
}

lf_value *luafn_captured_record_make(lf_builder *b, const lf_value *of, const lf_list *fields)
{
    const lf_source *s = source_of(b, of);
    if (fields->count != s->names)
        luafn_builder_stop(b, "%s with %d argument%s: %d expected, for its fields %.200s", s->name,
                           fields->count, fields->count == 1 ? "" : "s", s->names,
                           list_names(b, of));
    lf_list own = {0};
    for (int i = 0; i < fields->count; i++)
        luafn_arena_push(&b->c->unit, &own, as_field(b, s, i, fields->at[i]));
    return luafn_captured_record_pack(b, (int)of->as.i, &own);
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
    if (luafn_captured_record_is_list(x) || luafn_captured_record_is_list(y))
        return x->as.i == y->as.i && x->args == y->args;
    const lf_source *s = source_of(b, x), *t = source_of(b, y);
    bool same = s->names == t->names;
    for (int i = 0; same && i < s->names; i++)
        same = strcmp(s->field_name[i], t->field_name[i]) == 0 &&
               strcmp(s->field_form[i], t->field_form[i]) == 0;
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
    if (luafn_captured_record_is_list(v))
        luafn_builder_stop(b, "field '%.60s' of a list%s: it has elements, t[1]", name,
                           luafn_builder_reg_name(b, reg));
    const lf_source *s = source_of(b, v);
    int i = 0;
    while (i < s->names && strcmp(s->field_name[i], name) != 0)
        i++;
    if (i == s->names)
        luafn_builder_stop(b, "no field '%.60s' of a record%s: there are %.200s", name,
                           luafn_builder_reg_name(b, reg), list_names(b, v));
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
        return passed(b, resolved(b, v->arg[field_number(b, v, reg, name)]));
    lf_value *a = luafn_captured_record_array(b, v, reg, name);
    if (a && luafn_captured_record_is(b->c, a)) /* a struct in a struct */
        return luafn_captured_record_at(b, a, luafn_graph_find(v->arg[0]));
    if (a && a->kind == LF_COMPLEXES)
        return luafn_complex_value_element(b, a, luafn_graph_find(v->arg[0]));
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

/* Adds the values of a record, and of those in it, to a list. */
static void flatten(lf_builder *b, lf_value *v, lf_list *to)
{
    v = resolved(b, v);
    if (v->kind != LF_RECORD)
        luafn_arena_push(&b->c->unit, to, passed(b, v));
    for (int k = 0; v->kind == LF_RECORD && k < v->args; k++)
        flatten(b, v->arg[k], to);
}

lf_value *luafn_captured_record_unpack(lf_builder *b)
{
    const lf_exit *first = b->exits->at[0];
    for (int i = 0; i < b->exits->count; i++) {
        const lf_exit *x = b->exits->at[i];
        if (x->values.count != 1)
            return NULL;
        const lf_value *v = luafn_graph_find(x->values.at[0]),
                       *w = luafn_graph_find(first->values.at[0]);
        if (v->kind != LF_RECORD || w->kind != LF_RECORD)
            return NULL;
        if (luafn_captured_record_is_list(v) && b->f == b->c->root)
            luafn_builder_stop(b,
                               "a list is returned: return several values, or a struct's record");
        if (!same_struct(b, v, w))
            luafn_builder_stop(
                b, "records with other fields are returned on each path: %.150s; %.150s",
                list_names(b, w), list_names(b, v));
    }
    lf_value *record = luafn_graph_find(first->values.at[0]);
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        lf_value *v = luafn_graph_find(x->values.at[0]);
        x->values.count = 0;
        flatten(b, v, &x->values);
    }
    return record;
}

/* The record at `like` of the values from *at on. */
static lf_value *repacked(lf_builder *b, lf_value *like, const lf_list *values, int *at)
{
    lf_list fields = {0};
    like = resolved(b, like);
    if (like->kind != LF_RECORD)
        return values->at[(*at)++];
    for (int k = 0; k < like->args; k++)
        luafn_arena_push(&b->c->unit, &fields, repacked(b, like->arg[k], values, at));
    return luafn_captured_record_pack(b, (int)like->as.i, &fields);
}

lf_value *luafn_captured_record_repack(lf_builder *b, lf_value *like, const lf_list *values)
{
    int at = 0;
    return repacked(b, like, values, &at);
}
