/* captured_record.c - records: results of a captured struct's calls, or elements of captured
 * records; and lists, {x, y}, which are arrays in records. What they are on each path and in each
 * round of a loop, and their fields. */
#include "luafn/ssa/captured_record.h"
#include "luafn/graph/captured.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/cells.h"
#include "luafn/ssa/complex_value.h"

#include <stdio.h>
#include <string.h>

/* ---- lists ----------------------------------------------------------------------------------- */

static lf_value *merged(lf_builder *b, lf_value *phi);
static lf_value *split(lf_builder *b, lf_value *phi);

lf_value *luafn_captured_record_resolved(lf_builder *b, lf_value *v)
{
    lf_value *record = NULL;
    v = luafn_graph_find(v);
    if (v->kind == LF_PHI)
        record = v->block->loop ? split(b, v) : merged(b, v);
    return record ? record : v;
}

/* The form of a record, as of a field: "[2][3]" of lists of lists. */
static const char *form_of(lf_builder *b, lf_value *v)
{
    enum { ROOM = 32 };
    if (!luafn_record_value_is_list(v))
        return luafn_record_value_source(b, v)->form;
    const lf_value *first = v->args ? luafn_captured_record_resolved(b, v->arg[0]) : v;
    char *text = luafn_arena_new(&b->c->unit, ROOM, 1);
    snprintf(text, ROOM, "[%d]", v->args);
    if (first->kind == LF_RECORD && v->args && luafn_record_value_is_list(first))
        snprintf(text, ROOM, "[%d][%d]", v->args, first->args);
    for (int k = 0; k < v->args; k++) {
        const lf_value *x = luafn_captured_record_resolved(b, v->arg[k]);
        if ((x->kind == LF_RECORD) != (first->kind == LF_RECORD) ||
            (x->kind == LF_RECORD && x->args != first->args))
            return "[]";
    }
    return text;
}

lf_value *luafn_captured_record_item(lf_builder *b, lf_value *list, lf_value *index)
{
    int64_t key;
    list = luafn_captured_record_resolved(b, list);
    if (!luafn_record_value_is_list(list))
        return NULL;
    if (!luafn_known_integer(b->c, index, &key))
        luafn_builder_stop(b, "an index of a list, or of an array in a record, that is not known "
                              "while the function is compiled: write a number, or use the variable "
                              "of a for with known bounds");
    if (key < 1 || key > list->args)
        luafn_builder_stop(b, "index %lld is out of range: there are %d elements", (long long)key,
                           list->args);
    return luafn_record_value_passed(b, luafn_captured_record_resolved(b, list->arg[key - 1]));
}

/* ---- records --------------------------------------------------------------------------------- */

/* Field k of a record of s: a number, which is made complex where the field is, or a list or a
 * record in the form that the struct has. */
static lf_value *as_field(lf_builder *b, const lf_source *s, int k, lf_value *given)
{
    const char *form = s->field_form[k];
    lf_value *v = luafn_captured_record_resolved(b, given), *part[2];
    if (!strcmp(form, "complex")) {
        if (luafn_record_value_is_hole(v))
            return given;
        luafn_builder_need_number(b, v, -1, "a field");
        luafn_complex_value_parts(b, v, part);
        return luafn_complex_value_of(b, part[0], part[1]);
    }
    if (!*form && !luafn_record_value_is_hole(v)) {
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
    const lf_source *s = luafn_record_value_source(b, of);
    if (fields->count != s->names)
        luafn_builder_stop(b, "%s with %d argument%s: %d expected, for its fields %.200s", s->name,
                           fields->count, fields->count == 1 ? "" : "s", s->names,
                           luafn_record_value_names(b, of));
    lf_list own = {0};
    for (int i = 0; i < fields->count; i++) {
        const lf_source *at = luafn_record_value_source(b, of);
        lf_value *v = luafn_captured_record_whole_field(b, fields->at[i], at->field_form[i]);
        v = as_field(b, luafn_record_value_source(b, of), i, v);
        luafn_arena_push(&b->c->unit, &own, v);
    }
    return luafn_record_value_pack(b, (int)of->as.i, &own);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* What a phi is where predecessor k of its block ends; an element of captured records is read
 * there. */
static lf_value *entering(lf_builder *b, const lf_value *phi, int k)
{
    lf_graph *g = b->g;
    lf_block *now = g->now, *from = phi->block->preds.at[k];
    g->now = from;
    lf_value *v = luafn_graph_read(g, (int)phi->as.i, from);
    v = luafn_captured_record_whole(b, luafn_captured_record_resolved(b, v));
    g->now = now;
    return v;
}

/* A phi of records of one struct becomes a record of phis.  NULL: it is none. */
static lf_value *merged(lf_builder *b, lf_value *phi)
{
    lf_graph *g = b->g;
    const lf_block *at = phi->block;
    if (at->loop || !at->sealed || !phi->args || phi->args != at->preds.count)
        return NULL;
    for (int i = 0; i < phi->args; i++) {
        const lf_value *x = luafn_captured_record_resolved(b, phi->arg[i]);
        if (x->kind != LF_RECORD && x->kind != LF_RECORD_AT)
            return NULL;
    }
    lf_list records = {0}, fields = {0};
    for (int i = 0; i < phi->args; i++)
        luafn_arena_push(g->u, &records, entering(b, phi, i));
    const lf_value *first = records.at[0];
    for (int i = 1; i < phi->args; i++)
        if (!luafn_record_value_same(b, records.at[i], first))
            return NULL;
    int base = luafn_graph_vars(g, b->f, first->args, -1);
    for (int k = 0; k < first->args; k++) {
        for (int i = 0; i < phi->args; i++) {
            const lf_value *record = records.at[i];
            luafn_graph_write(g, base + k, at->preds.at[i],
                              luafn_record_value_passed(b, luafn_graph_find(record->arg[k])));
        }
        luafn_arena_push(g->u, &fields, luafn_graph_read(g, base + k, phi->block));
    }
    return phi->instead = luafn_record_value_pack(b, (int)first->as.i, &fields);
}

lf_value *luafn_captured_record_array(lf_builder *b, const lf_value *v, int reg, const char *name)
{
    if (v->kind != LF_RECORD_AT)
        return NULL;
    int k = luafn_record_value_field(b, v, reg, name);
    return luafn_captured_field(b->c, b->f, b->pc, (int)v->as.i,
                                luafn_record_value_source(b, v)->field_name[k]);
}

const char *luafn_captured_record_form(lf_builder *b, const lf_value *v, const char *name)
{
    const int k = luafn_record_value_field(b, v, -1, name);
    return luafn_record_value_source(b, v)->field_form[k];
}

lf_value *luafn_captured_record_element(lf_builder *b, lf_value *a, lf_value *i)
{
    if (a->kind == LF_COMPLEXES)
        return luafn_complex_value_element(b, a, i);
    return luafn_cell_element(b, a, i);
}

/* The array of the first field of captured records, of structs in them likewise, and its form. */
static lf_value *first_array(lf_builder *b, const lf_value *records, const char **form)
{
    lf_value *a = NULL;
    for (int source = (int)records->as.i; !a || luafn_record_value_is(b->c, a);
         source = (int)a->as.i) {
        *form = b->c->source[source].field_form[0];
        a = luafn_captured_field(b->c, b->f, b->pc, source, b->c->source[source].field_name[0]);
    }
    return a->kind == LF_COMPLEXES ? luafn_graph_find(a->arg[0]) : a;
}

/* How many axes captured records have. */
static int rank_of(lf_builder *b, const lf_value *records)
{
    const char *form = "";
    const lf_value *a = first_array(b, records, &form);
    int extents = 0;
    for (; *form; form++)
        extents += *form == '[';
    return lf_whose_is(b->c, a).rank - extents;
}

lf_value *luafn_captured_record_next(lf_builder *b, const lf_value *t, lf_value *i)
{
    if (t->kind == LF_RECORD_AT && t->args >= rank_of(b, t))
        luafn_builder_stop(b, "an element of a record of '%.60s': it has fields, %.200s",
                           luafn_record_value_source(b, t)->name, luafn_record_value_names(b, t));
    return luafn_record_value_at(b, t, i);
}

lf_value *luafn_captured_record_row(lf_builder *b, lf_value *a, const lf_value *v, int indices)
{
    for (int k = 0; k < indices; k++)
        a = luafn_captured_record_element(b, a, luafn_graph_find(v->arg[k]));
    return a;
}

lf_value *luafn_captured_record_measured(lf_builder *b, const lf_value *v)
{
    const char *form;
    const int indices = v->kind == LF_RECORD_AT ? v->args : 0;
    if (indices && indices >= rank_of(b, v))
        return NULL;
    return luafn_captured_record_row(b, first_array(b, v, &form), v, indices);
}

/* A field that is read of an element of captured records, and where that was taken. */
typedef struct lf_look {
    int64_t source;
    const lf_proto *proto;
    int taken, read; /* instructions of it */
    const char *field, *reg;
} lf_look;

static void note_look(lf_builder *b, const lf_value *v, int reg, const char *field)
{
    if (v->proto != b->f->proto)
        return;
    lf_look *look = LF_NEW(&b->c->unit, lf_look, 1);
    *look = (lf_look){v->as.i, v->proto, v->pc, b->pc, field, luafn_builder_reg_name(b, reg)};
    luafn_arena_push(&b->c->unit, &b->c->looks, look);
}

/* The instruction to which that at pc jumps back; -1: it does not. */
static int jumps_back(const lf_proto *p, int pc)
{
    const uint32_t w = p->code[pc];
    const lf_opcode op = lf_op(w);
    if (op == OP_FORLOOP || op == OP_TFORLOOP)
        return pc + 1 - lf_bx(w);
    return op == OP_JMP && lf_sj(w) < 0 ? pc + 1 + lf_sj(w) : -1;
}

/* Whether a loop around the instruction `pc` has the read in it, and not where it was taken. */
static bool is_stale(const lf_look *look, int pc)
{
    bool stale = false;
    for (int end = pc; !stale && end < look->proto->codes; end++) {
        const int begin = jumps_back(look->proto, end);
        stale = begin >= 0 && begin <= pc && begin <= look->read && look->taken < begin;
    }
    return stale;
}

void luafn_captured_record_renewed(lf_builder *b, int source)
{
    for (int k = 0; k < b->c->looks.count; k++) {
        const lf_look *look = b->c->looks.at[k];
        if (look->source == source && look->proto == b->f->proto && is_stale(look, b->pc))
            luafn_builder_stop(
                b,
                "'%s' is assigned in a loop that reads field '%.60s' of an element%s "
                "taken before the loop: take its fields before, or the element inside",
                b->c->source[source].name, look->field, look->reg);
    }
    b->c->source[source].assigned = b->g->values;
}

lf_value *luafn_captured_record_field(lf_builder *b, lf_value *v, int reg, const char *name)
{
    v = luafn_captured_record_resolved(b, v);
    if (v->kind == LF_PHI)
        luafn_builder_stop(b,
                           "field '%.60s' of a value%s that is no record of one struct on each "
                           "path and in each round of a loop",
                           name, luafn_builder_reg_name(b, reg));
    if (v->kind == LF_RECORD)
        return luafn_record_value_passed(
            b,
            luafn_captured_record_resolved(b, v->arg[luafn_record_value_field(b, v, reg, name)]));
    if (v->kind == LF_RECORD_AT && v->id < luafn_record_value_source(b, v)->assigned)
        luafn_builder_stop(b,
                           "field '%.60s' of an element%s that was taken before '%s' was assigned: "
                           "take its fields before",
                           name, luafn_builder_reg_name(b, reg),
                           luafn_record_value_source(b, v)->name);
    if (v->kind == LF_RECORD_AT)
        note_look(b, v, reg, name);
    lf_value *a = luafn_captured_record_array(b, v, reg, name);
    if (a && luafn_record_value_is(b->c, a)) /* a struct in a struct */
        return luafn_record_value_at_same(b, a, v);
    return a ? luafn_captured_record_row(b, a, v, v->args) : NULL;
}

/* ---- elements as wholes ---------------------------------------------------------------------- */

lf_value *luafn_captured_record_whole_field(lf_builder *b, lf_value *v, const char *form)
{
    const char *rest;
    v = luafn_captured_record_resolved(b, v);
    if (*form != '[' || (v->kind != LF_PART && v->kind != LF_COMPLEXES))
        return luafn_captured_record_whole(b, v);
    lf_list values = {0};
    const int n = luafn_record_value_extent(form, &rest);
    for (int k = 1; k <= n; k++) {
        lf_value *x = luafn_captured_record_element(b, v, luafn_graph_int(b->g, k));
        luafn_arena_push(&b->c->unit, &values, luafn_captured_record_whole_field(b, x, rest));
    }
    return luafn_record_value_list(b, &values);
}

lf_value *luafn_captured_record_whole(lf_builder *b, lf_value *v)
{
    if (v->kind != LF_RECORD_AT)
        return v;
    const int source = (int)v->as.i, names = b->c->source[source].names;
    const char *const *name = b->c->source[source].field_name;
    const char *const *form = b->c->source[source].field_form;
    b->c->source[source].capture.whole = true;
    lf_list fields = {0};
    for (int k = 0; k < names; k++) {
        lf_value *x = luafn_captured_record_field(b, v, -1, name[k]);
        luafn_arena_push(&b->c->unit, &fields, luafn_captured_record_whole_field(b, x, form[k]));
    }
    return luafn_record_value_pack(b, source, &fields);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* A phi of records in a loop's header becomes a record of phis, of variables that nothing else
 * writes: they are written where control enters the header, once it is known from where. A phi of a
 * loop that has been built is split when the record is asked for. */

typedef struct lf_split {
    lf_value *phi, *record;
    int base; /* the first variable */
} lf_split;

/* Writes a record's values at the end of predecessor k; how many they are. */
static int write_values(lf_builder *b, const lf_value *phi, int k, lf_value *record, int base)
{
    lf_list values = {0};
    luafn_captured_record_flatten(b, record, &values);
    if (base < 0)
        base = luafn_graph_vars(b->g, b->g->var[phi->as.i].frame, values.count, -1);
    for (int i = 0; i < values.count; i++) {
        b->g->var[base + i].always = true;
        luafn_graph_write(b->g, base + i, phi->block->preds.at[k], values.at[i]);
    }
    return values.count;
}

/* Has the variables of s at the ends of the rounds. */
static void write_rounds(lf_builder *b, const lf_split *s)
{
    for (int k = 1; k < s->phi->block->preds.count; k++) {
        lf_value *v = entering(b, s->phi, k);
        if (v->kind != LF_RECORD || !luafn_record_value_same(b, s->record, v))
            luafn_builder_stop(b,
                               "a record before a loop is %s in it: a variable is a record of "
                               "one struct in each round",
                               v->kind == LF_RECORD ? "one with other fields"
                                                    : luafn_builder_describe(v));
        (void)write_values(b, s->phi, k, v, s->base);
    }
}

static lf_value *split(lf_builder *b, lf_value *phi)
{
    lf_graph *g = b->g;
    lf_block *at = phi->block;
    if (!b->c->recorded || !at->preds.count)
        return NULL;
    lf_value *first = entering(b, phi, 0);
    if (first->kind != LF_RECORD || phi->instead)
        return phi->instead;
    lf_split *s = LF_NEW(g->u, lf_split, 1);
    *s = (lf_split){.phi = phi, .base = g->vars};
    const int count = write_values(b, phi, 0, first, -1);
    lf_list values = {0};
    for (int i = 0; i < count; i++)
        luafn_arena_push(g->u, &values, luafn_graph_phi(g, at, s->base + i));
    s->record = luafn_captured_record_repack(b, first, &values);
    phi->instead = s->record;
    if (at->sealed)
        write_rounds(b, s);
    else
        luafn_arena_push(g->u, &at->split, s);
    for (int i = 0; i < count; i++)
        if (at->sealed)
            luafn_graph_fill(g, values.at[i]);
        else
            luafn_arena_push(g->u, &at->waiting, values.at[i]);
    return s->record;
}

/* Can the phi be a record each time that control enters its block? */
static bool may_be_record(lf_builder *b, const lf_value *phi)
{
    bool may = true;
    for (int k = 0; may && k < phi->block->preds.count; k++) {
        const lf_value *v = luafn_graph_read(b->g, (int)phi->as.i, phi->block->preds.at[k]);
        may = v->kind == LF_RECORD || v->kind == LF_RECORD_AT || v->kind == LF_PHI;
    }
    return may;
}

void luafn_captured_record_end_loop(lf_builder *b, lf_block *header)
{
    const int waiting = b->c->recorded ? header->waiting.count : 0;
    for (int i = 0; i < waiting; i++) {
        lf_value *phi = header->waiting.at[i];
        if (!phi->instead && may_be_record(b, phi))
            split(b, phi);
    }
    for (int i = 0; i < header->split.count; i++)
        write_rounds(b, header->split.at[i]);
}

/* ---- results --------------------------------------------------------------------------------- */

lf_value *luafn_captured_record_result(lf_builder *b, lf_value *v)
{
    return luafn_captured_record_whole(b, luafn_captured_record_resolved(b, v));
}

void luafn_captured_record_flatten(lf_builder *b, lf_value *v, lf_list *to)
{
    v = luafn_captured_record_resolved(b, v);
    if (v->kind != LF_RECORD)
        luafn_arena_push(&b->c->unit, to, luafn_record_value_passed(b, v));
    for (int k = 0; v->kind == LF_RECORD && k < v->args; k++)
        luafn_captured_record_flatten(b, v->arg[k], to);
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
        if (luafn_record_value_is_list(v) && b->f == b->c->root)
            luafn_builder_stop(b,
                               "a list is returned: return several values, or a struct's record");
        if (!luafn_record_value_same(b, v, w))
            luafn_builder_stop(
                b, "records with other fields are returned on each path: %.150s; %.150s",
                luafn_record_value_names(b, w), luafn_record_value_names(b, v));
    }
    lf_value *record = luafn_graph_find(first->values.at[0]);
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        lf_value *v = luafn_graph_find(x->values.at[0]);
        x->values.count = 0;
        luafn_captured_record_flatten(b, v, &x->values);
    }
    return record;
}

/* The record at `like` of the values from *at on. */
static lf_value *repacked(lf_builder *b, lf_value *like, const lf_list *values, int *at)
{
    lf_list fields = {0};
    like = luafn_captured_record_resolved(b, like);
    if (like->kind != LF_RECORD)
        return values->at[(*at)++];
    for (int k = 0; k < like->args; k++)
        luafn_arena_push(&b->c->unit, &fields, repacked(b, like->arg[k], values, at));
    return luafn_record_value_pack(b, (int)like->as.i, &fields);
}

lf_value *luafn_captured_record_repack(lf_builder *b, lf_value *like, const lf_list *values)
{
    int at = 0;
    return repacked(b, like, values, &at);
}
