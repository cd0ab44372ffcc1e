/* captured.c - captured values as values of the graph. */
#include "luafn/graph/captured.h"

#include <stdio.h>
#include <string.h>

static const char *join_names(lf_compile *c, const char *table, const char *field)
{
    size_t room = strlen(table) + strlen(field) + 2;
    char *text = luafn_arena_new(&c->unit, room, 1);
    snprintf(text, room, "%s.%s", table, field);
    return text;
}

/* The text at `key` of the table at the top of the stack, copied; "": it is none. */
static const char *copy_text(lf_compile *c, const char *key, int index)
{
    lua_State *L = c->view.L;
    size_t length = 0;
    if (key)
        lua_getfield(L, -1, key);
    else
        lua_rawgeti(L, -1, index);
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : "";
    char *copy = luafn_arena_new(&c->unit, length + 1, 1);
    memcpy(copy, text, length + 1);
    lua_pop(L, 1);
    return copy;
}

/* Reads the names and forms of the fields of s, a struct or records, at the top of the stack. */
static void read_names(lf_compile *c, lf_source *s)
{
    lua_State *L = c->view.L;
    if (s->capture.kind != LF_CAPTURE_STRUCT && s->capture.kind != LF_CAPTURE_RECORDS)
        return;
    if (c->view.ask.fields(L, lua_gettop(L)) == LF_NO_FIELDS)
        return;
    int count = (int)lua_rawlen(L, -1);
    s->field_name = LF_NEW(&c->unit, const char *, count);
    s->field_form = LF_NEW(&c->unit, const char *, count);
    s->form = copy_text(c, "form", 0);
    for (; s->names < count; s->names++)
        s->field_name[s->names] = copy_text(c, NULL, s->names + 1);
    lua_getfield(L, -1, "forms");
    for (int k = 0; k < count; k++)
        s->field_form[k] = lua_istable(L, -1) ? copy_text(c, NULL, k + 1) : "";
    lua_pop(L, 2);
}

/* Messages name the array of an offset view, in which indices count from 1. */
static void name_shifted(lf_compile *c, lf_source *s)
{
    bool shifted = false;
    for (int k = 0; s->capture.kind == LF_CAPTURE_ARRAY && k < s->capture.rank; k++)
        shifted = shifted || s->capture.shift[k];
    if (!shifted || !s->name)
        return;
    const size_t room = strlen(s->name) + sizeof ":array()";
    char *text = luafn_arena_new(&c->unit, room, 1);
    snprintf(text, room, "%s:array()", s->name);
    s->name = text;
}

/* Adds a source and captures its value. */
static int add_source(lf_compile *c, lf_source s)
{
    if (c->sources == c->source_room) {
        int room = 2 * c->source_room + 8;
        lf_source *more = LF_NEW(&c->unit, lf_source, room);
        lf_value **values = LF_NEW(&c->unit, lf_value *, room);
        memcpy(more, c->source, (size_t)c->sources * sizeof *more);
        if (c->source_value)
            memcpy(values, c->source_value, (size_t)c->sources * sizeof *values);
        c->source = more;
        c->source_value = values;
        c->source_room = room;
    }
    c->source[c->sources] = s;
    lun_status status = luafn_capture(&c->view, c->source, c->sources,
                                      &c->source[c->sources].capture, c->unit.error);
    if (status == LUN_ENOMEM)
        luafn_arena_nomem(&c->unit);
    if (status != LUN_OK) {
        c->unit.status = status;
        longjmp(c->unit.escape, 1);
    }
    read_names(c, &c->source[c->sources]);
    name_shifted(c, &c->source[c->sources]);
    return c->sources++;
}

/* A complex number, also of a Scalar, or a complex array, of its parts, which are sources of their
 * own. */
static lf_value *make_complex(lf_compile *c, const lf_frame *f, int pc, int source)
{
    const int rank = c->source[source].capture.rank;
    lf_value *v = luafn_graph_value(&c->graph, rank > 0 ? LF_COMPLEXES : LF_NUMBERS, 2);
    v->proto = f->proto;
    v->pc = pc;
    v->as.i = source;
    v->arg[0] = luafn_captured_field(c, f, pc, source, "re");
    v->arg[1] = luafn_captured_field(c, f, pc, source, "im");
    v->type = LF_OBJECT;
    if (rank <= 0)
        v->type = (uint8_t)lf_complex_of(lf_part_of((lf_type)v->arg[0]->type));
    return v;
}

/* The parameter of an argument of the call: of a team kernel those before stand for the first. */
static int param_of(const lf_compile *c, const lf_capture *capture)
{
    return capture->argument + (c->team ? LUN_FRONT_NUMBERS - 1 : 0);
}

/* The parameter for which a value in records stands. */
static lf_value *parameter(lf_compile *c, const lf_frame *f, int pc, int source)
{
    const int i = param_of(c, &c->source[source].capture);
    if (i < 0 || i >= c->params || !c->param_value[i])
        luafn_debug_fail(&c->unit, f->proto, pc, "%s is no argument of this call",
                         luafn_captured_source_name(c, source));
    return c->param_value[i];
}

static lf_value *make_value(lf_compile *c, const lf_frame *f, int pc, int source)
{
    static const lf_kind kinds[] = {
        [LF_CAPTURE_BOOL] = LF_SCALAR,       [LF_CAPTURE_INT24] = LF_SCALAR,
        [LF_CAPTURE_INT30] = LF_SCALAR,      [LF_CAPTURE_INT32] = LF_SCALAR,
        [LF_CAPTURE_INT64] = LF_SCALAR,      [LF_CAPTURE_FLOAT] = LF_SCALAR,
        [LF_CAPTURE_STRING] = LF_STRING,     [LF_CAPTURE_TABLE] = LF_TABLE,
        [LF_CAPTURE_STRUCT] = LF_STRUCT,     [LF_CAPTURE_RECORDS] = LF_TABLE,
        [LF_CAPTURE_FUNCTION] = LF_FUNCTION, [LF_CAPTURE_BUILTIN] = LF_BUILTIN,
        [LF_CAPTURE_ROW] = LF_ROW,           [LF_CAPTURE_ARRAY] = LF_ARRAY,
        [LF_CAPTURE_ATOMIC] = LF_ATOMIC,     [LF_CAPTURE_OTHER] = LF_OTHER,
        [LF_CAPTURE_BLOCKED] = LF_BLOCKED,   [LF_CAPTURE_COMPLEX] = LF_COMPLEXES,
        [LF_CAPTURE_FORMER] = LF_FORMER,
    };
    lf_graph *g = &c->graph;
    const lf_source *s = &c->source[source];
    const lf_capture *capture = &s->capture;
    if (capture->kind == LF_CAPTURE_COMPLEX)
        return make_complex(c, f, pc, source);
    if (capture->kind == LF_CAPTURE_PARAM)
        return parameter(c, f, pc, source);
    if (capture->kind == LF_CAPTURE_NIL) {
        if (!s->upvalue)
            luafn_debug_fail(&c->unit, f->proto, pc,
                             "%s is nil: define it before the function is used",
                             luafn_captured_source_name(c, source));
        return luafn_graph_nil(g);
    }
    if (capture->kind == LF_CAPTURE_FIXED)
        return lun__dtype_value_is_float(capture->value) ? luafn_graph_float(g, capture->value.as.d)
                                                         : luafn_graph_int(g, capture->value.as.i);
    lf_value *v = luafn_graph_value(g, kinds[capture->kind], 0);
    v->proto = f->proto;
    v->pc = pc;
    v->as.i = source;
    v->type = LF_OBJECT;
    if (v->kind == LF_ARRAY && capture->rank == 0) { /* a Scalar is a number */
        v->kind = LF_ELEMENT;
        v->type = (uint8_t)luafn_graph_type_of(capture->dtype);
    }
    if (v->kind == LF_SCALAR)
        v->type = capture->kind == LF_CAPTURE_BOOL    ? LF_BOOL
                  : capture->kind == LF_CAPTURE_FLOAT ? LF_WF
                                                      : LF_WI;
    if (v->kind == LF_BUILTIN)
        v->sub = (uint8_t)capture->math;
    if (v->kind == LF_ROW)
        v->sub = (uint8_t)capture->op;
    if (v->kind == LF_ATOMIC)
        v->sub = (uint8_t)capture->atomic;
    if (v->kind == LF_FORMER)
        v->sub = (uint8_t)capture->former;
    if (v->kind == LF_STRING)
        v->as.s = capture->word ? capture->word : s->name;
    return v;
}

static lf_value *value_of(lf_compile *c, const lf_frame *f, int pc, int source)
{
    if (c->source_value[source])
        return c->source_value[source];
    lf_value *v = make_value(c, f, pc, source);
    return c->source_value[source] = v; /* other sources may have been added */
}

lf_value *luafn_captured_upvalue(lf_compile *c, const lf_frame *f, int pc, int parent, int upvalue)
{
    for (int i = 1; i < c->sources; i++)
        if (c->source[i].parent == parent && c->source[i].upvalue == upvalue)
            return value_of(c, f, pc, i);
    const char *name = c->source[parent].capture.program->proto->upval[upvalue - 1].name;
    lf_source s = {.parent = parent, .upvalue = upvalue, .name = name};
    return value_of(c, f, pc, add_source(c, s));
}

lf_value *luafn_captured_field(lf_compile *c, const lf_frame *f, int pc, int parent,
                               const char *field)
{
    for (int i = 1; i < c->sources; i++)
        if (c->source[i].parent == parent && c->source[i].field &&
            !strcmp(c->source[i].field, field))
            return value_of(c, f, pc, i);
    const char *table = c->source[parent].name;
    lf_source s = {.parent = parent, .field = field};
    if (c->source[parent].capture.kind == LF_CAPTURE_COMPLEX)
        s.name = table;
    else
        s.name = strcmp(table, "_ENV") ? join_names(c, table, field) : field;
    return value_of(c, f, pc, add_source(c, s));
}

lf_value *luafn_captured_item(lf_compile *c, const lf_frame *f, int pc, int parent, int64_t key)
{
    for (int i = 1; i < c->sources; i++) {
        const lf_source *s = &c->source[i];
        if (s->parent == parent && !s->upvalue && !s->field && s->key == key)
            return value_of(c, f, pc, i);
    }
    const char *table = c->source[parent].name;
    const size_t room = strlen(table) + 32;
    char *name = luafn_arena_new(&c->unit, room, 1);
    snprintf(name, room, "%s[%lld]", table, (long long)key);
    lf_source s = {.parent = parent, .key = key, .name = name};
    return value_of(c, f, pc, add_source(c, s));
}

bool luafn_captured_is_part(const lf_compile *c, int source)
{
    return c->source[c->source[source].parent].capture.kind == LF_CAPTURE_COMPLEX;
}

/* The name of the field that parameter i is of records; NULL: it is none. */
static const char *field_of(const lf_compile *c, int i)
{
    const char *name = NULL;
    for (int k = 1; !name && k < c->sources; k++)
        if (c->source[k].capture.kind == LF_CAPTURE_PARAM &&
            param_of(c, &c->source[k].capture) == i)
            name = c->source[k].name;
    return name;
}

const char *luafn_captured_array_name(const lf_compile *c, const lf_value *a)
{
    lf_whose of = lf_whose_is(c, a);
    int reg = c->team ? of.number - LUN_FRONT_NUMBERS + 1 : of.number;
    const int memory = of.param ? of.number - c->params : -1;
    const char *field = of.param && memory < 0 ? field_of(c, of.number) : NULL;
    if (field)
        return field;
    const char *name = memory < 0 ? of.param ? luafn_debug_local_name(c->program->proto, reg, 0)
                                             : c->source[of.number].name
                       : c->open[memory].open   ? "threads of the team"
                       : c->scratch[memory].own ? "private"
                                                : "scratch";
    return name ? name : "?";
}

const char *luafn_captured_source_name(lf_compile *c, int source)
{
    const lf_source *s = &c->source[source];
    bool global = s->field && !strcmp(c->source[s->parent].name, "_ENV");
    size_t room = strlen(s->name) + 16;
    char *text = luafn_arena_new(&c->unit, room, 1);
    snprintf(text, room, global ? "global '%s'" : "'%s'", s->name);
    return text;
}
