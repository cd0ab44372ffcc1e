/* record_value.c - records as values of the graph: of their struct's source, with a value for each
 * field. A record itself becomes no code.
 *
 * A list is an LF_RECORD of no source, as.i < 0, whose fields have numbers for names. */
#include "luafn/ssa/record_value.h"

#include <stdlib.h>
#include <string.h>

const lf_source *luafn_record_value_source(const lf_builder *b, const lf_value *v)
{
    return &b->c->source[v->as.i];
}

/* "x, y, id" of a record, or a struct. */
const char *luafn_record_value_names(lf_builder *b, const lf_value *v)
{
    size_t room = 1;
    if (v->as.i < 0)
        return "a list";
    const lf_source *s = luafn_record_value_source(b, v);
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

bool luafn_record_value_is_hole(const lf_value *v)
{
    return v->kind == LF_STRING && strncmp(v->as.s, hole, sizeof hole - 1) == 0;
}

lf_value *luafn_record_value_passed(lf_builder *b, lf_value *v)
{
    if (luafn_record_value_is_hole(v))
        luafn_builder_stop(b, "%.40s is not passed", v->as.s);
    return v;
}

lf_value *luafn_record_value_pack(lf_builder *b, int source, const lf_list *fields)
{
    lf_value *v = luafn_graph_value(b->g, LF_RECORD, fields->count);
    v->type = LF_OBJECT;
    v->proto = b->f->proto;
    v->pc = b->pc;
    v->as.i = source;
    b->c->recorded = true;
    for (int i = 0; i < fields->count; i++)
        v->arg[i] = fields->at[i];
    return v;
}

bool luafn_record_value_is_list(const lf_value *v)
{
    return v->kind == LF_RECORD && v->as.i < 0;
}

lf_value *luafn_record_value_list(lf_builder *b, const lf_list *values)
{
    b->c->listed = true;
    return luafn_record_value_pack(b, -1, values);
}

bool luafn_record_value_is(const lf_compile *c, const lf_value *v)
{
    return v->kind == LF_TABLE && c->source[v->as.i].capture.kind == LF_CAPTURE_RECORDS;
}

lf_value *luafn_record_value_at(lf_builder *b, const lf_value *records, lf_value *index)
{
    const int before = records->kind == LF_RECORD_AT ? records->args : 0;
    lf_value *v = luafn_graph_value(b->g, LF_RECORD_AT, before + 1);
    v->type = LF_OBJECT;
    v->proto = b->f->proto;
    v->pc = b->pc;
    v->as.i = records->as.i;
    b->c->recorded = true;
    for (int k = 0; k < before; k++)
        v->arg[k] = records->arg[k];
    v->arg[before] = index;
    return v;
}

lf_value *luafn_record_value_at_same(lf_builder *b, const lf_value *records, const lf_value *v)
{
    lf_value *at = luafn_record_value_at(b, records, v->arg[0]);
    for (int k = 1; k < v->args; k++)
        at = luafn_record_value_at(b, at, v->arg[k]);
    return at;
}

/* Whether two records have the same fields, so that a phi can merge them. */
bool luafn_record_value_same(const lf_builder *b, const lf_value *x, const lf_value *y)
{
    if (luafn_record_value_is_list(x) || luafn_record_value_is_list(y))
        return x->as.i == y->as.i && x->args == y->args;
    const lf_source *s = luafn_record_value_source(b, x), *t = luafn_record_value_source(b, y);
    bool same = s->names == t->names;
    for (int i = 0; same && i < s->names; i++)
        same = strcmp(s->field_name[i], t->field_name[i]) == 0 &&
               strcmp(s->field_form[i], t->field_form[i]) == 0;
    return same;
}

void luafn_record_value_need_same(lf_builder *b, const lf_value *x, const lf_value *y)
{
    if (luafn_record_value_same(b, x, y))
        return;
    const char *s = luafn_record_value_source(b, x)->form,
               *t = luafn_record_value_source(b, y)->form;
    luafn_builder_stop(b, "records of %.*s and of %.*s differ: %.150s; %.150s",
                       (int)strcspn(s, " "), s, (int)strcspn(t, " "), t, s, t);
}

/* The number of the field of that name of v, in register reg. */
int luafn_record_value_field(lf_builder *b, const lf_value *v, int reg, const char *name)
{
    if (luafn_record_value_is_list(v))
        luafn_builder_stop(b, "field '%.60s' of a list%s: it has elements, t[1]", name,
                           luafn_builder_reg_name(b, reg));
    const lf_source *s = luafn_record_value_source(b, v);
    int i = 0;
    while (i < s->names && strcmp(s->field_name[i], name) != 0)
        i++;
    if (i == s->names)
        luafn_builder_stop(b, "no field '%.60s' of a record%s: there are %.200s", name,
                           luafn_builder_reg_name(b, reg), luafn_record_value_names(b, v));
    return i;
}

/* The extent at the beginning of a form, "[2][3]"; and what is behind it. */
int luafn_record_value_extent(const char *form, const char **rest)
{
    char *end;
    const long n = strtol(form + 1, &end, 10);
    *rest = end + 1;
    return (int)n;
}
