/* keeping.c - copies what a finished compilation found into the function that is kept. It must
 * not know how that is looked up, nor the values that are captured at a call. */
#include "luafn/kept.h"

#include <stdlib.h>
#include <string.h>

#include "luafn/ssa/target.h"

/* The names of fields in memory of their own: some are made for the compilation alone. */
static bool copy_fields(lf_kept *s)
{
    size_t room = 1;
    for (int i = 0; i < s->sources; i++)
        room += s->source[i].field ? strlen(s->source[i].field) + 1 : 0;
    char *to = s->fields = malloc(room);
    for (int i = 0; to && i < s->sources; i++) {
        if (!s->source[i].field)
            continue;
        size_t length = strlen(s->source[i].field) + 1;
        memcpy(to, s->source[i].field, length);
        s->source[i].field = to;
        to += length;
    }
    return s->fields != NULL;
}

static bool copy_sources(lf_kept *s, const lf_compile *c)
{
    size_t n = (size_t)c->sources;
    s->now = calloc(n, sizeof *s->now);
    s->anchor = malloc(n * sizeof *s->anchor);
    s->source = malloc(n * sizeof *s->source);
    if (!s->now || !s->anchor || !s->source)
        return false;
    for (int i = 0; i < c->sources; i++) {
        s->source[i] = c->source[i];
        s->source[i].name = NULL;
        s->source[i].field_name = NULL;
        s->now[i] = c->source[i].sight;
        s->anchor[i] = LUA_NOREF;
        lf_sight *sight = &s->source[i].sight;
        if (i > 0 && sight->program && sight->program != s->owner)
            sight->program->refs++;
    }
    s->sources = c->sources;
    s->record = c->record;
    return copy_fields(s);
}

static bool copy_inputs(lf_kept *s, const lf_compile *c)
{
    size_t n = (size_t)c->inputs.count + 1;
    s->scalar = calloc(n, sizeof *s->scalar);
    s->array = calloc(n, sizeof *s->array);
    if (!s->scalar || !s->array)
        return false;
    for (int i = 0; i < c->inputs.count; i++) {
        const lf_input *in = c->inputs.at[i];
        if (!in->used || in->origin == LF_FROM_PARAM || in->origin == LF_FROM_WINDOW)
            continue;
        if (in->array || in->origin == LF_FROM_SCALAR)
            s->array[s->arrays++] = *in;
        else
            s->scalar[s->scalars++] = *in;
    }
    return true;
}

static bool copy_bounds(lf_kept *s, const lf_compile *c)
{
    size_t n = (size_t)c->bounds.count + 1;
    s->bound = calloc(n, sizeof *s->bound);
    s->bound_source = calloc(n, sizeof *s->bound_source);
    if (!s->bound || !s->bound_source)
        return false;
    for (; s->bounds < c->bounds.count; s->bounds++) {
        const lf_bound *b = c->bounds.at[s->bounds];
        s->bound[s->bounds] = (lun_front_bound){NULL, b->axis, b->at};
        s->bound_source[s->bounds] = b->source;
    }
    return true;
}

/* Those that the body takes, in its order. */
static bool copy_windows(lf_kept *s, const lf_compile *c)
{
    size_t n = (size_t)c->windows.count + 1;
    s->window = calloc(n, sizeof *s->window);
    s->window_source = calloc(n, sizeof *s->window_source);
    if (!s->window || !s->window_source)
        return false;
    for (int i = 0; i < c->inputs.count; i++) {
        const lf_input *in = c->inputs.at[i];
        if (!in->used || in->origin != LF_FROM_WINDOW)
            continue;
        const lf_window *w = c->windows.at[in->number];
        memcpy(s->window[s->windows].at, w->at, sizeof w->at);
        s->window_source[s->windows++] = w->source;
    }
    return true;
}

static lun_combining combining_of(const lf_put *p)
{
    if (p->kind == LF_MATH)
        return p->sub == LF_MATH_MIN ? LUN_COMBINING_MIN : LUN_COMBINING_MAX;
    if (p->kind != LF_ARITH)
        return LUN_COMBINING_NONE;
    switch ((lf_arith)p->sub) {
    case LF_ADD:
        return LUN_COMBINING_ADD;
    case LF_MUL:
        return LUN_COMBINING_MUL;
    case LF_BAND:
        return LUN_COMBINING_BAND;
    case LF_BOR:
        return LUN_COMBINING_BOR;
    default:
        return LUN_COMBINING_BXOR;
    }
}

static bool copy_stores(lf_kept *s, const lf_compile *c)
{
    size_t n = (size_t)c->cells.count + (size_t)c->puts.count + 1;
    s->store = calloc(n, sizeof *s->store);
    s->store_source = calloc(n, sizeof *s->store_source);
    s->captured = calloc((size_t)c->sources, sizeof *s->captured);
    if (!s->store || !s->store_source || !s->captured)
        return false;
    for (int i = 0; i < c->cells.count; i++) {
        const lf_cell *cell = c->cells.at[i];
        if (!cell->written)
            continue;
        lun_front_store *to = &s->store[s->stores];
        memcpy(to->to.at, cell->is.at, sizeof cell->is.at);
        to->note = -1;
        s->store_source[s->stores++] = cell->is.source;
    }
    for (int i = 0; i < c->puts.count; i++) {
        const lf_put *p = c->puts.at[i];
        s->store[s->stores] = (lun_front_store){
            .scattered = true, .how = combining_of(p), .behind = p->behind, .note = p->note - 1};
        s->store_source[s->stores++] = p->source;
    }
    return true;
}

static bool copy_notes(lf_kept *s, const lf_compile *c)
{
    s->note = calloc((size_t)c->notes.count + 1, sizeof *s->note);
    if (!s->note)
        return false;
    s->notes = c->notes.count;
    for (int i = 0; i < s->notes; i++) {
        const lf_note *note = c->notes.at[i];
        char *text = malloc(strlen(note->text) + 1);
        if (!text)
            return false;
        s->note[i] = *note;
        s->note[i].text = strcpy(text, note->text);
        if (note->extent_of >= 0)
            s->note[i].of = *(const lf_input *)c->inputs.at[note->extent_of];
    }
    return true;
}

static bool copy_names(lf_kept *s, const lf_compile *c)
{
    s->names = calloc((size_t)c->array_names.count + 1, sizeof *s->names);
    while (s->names && s->name_count < c->array_names.count) {
        char *copy = strdup(c->array_names.at[s->name_count]);
        if (!copy)
            return false;
        s->names[s->name_count++] = copy;
    }
    return s->names != NULL;
}

lun_status luafn_kept_fill(lf_kept *s, const lf_compile *c)
{
    size_t n = (size_t)c->params + 1;
    s->param = calloc(n, sizeof *s->param);
    if (!s->param)
        return LUN_ENOMEM;
    s->neighbour = calloc((size_t)c->neighbours + 1, sizeof *s->neighbour);
    if (!s->neighbour)
        return LUN_ENOMEM;
    memcpy(s->param, c->param, (size_t)c->params * sizeof *s->param);
    s->params = c->params;
    memcpy(s->neighbour, c->neighbour, (size_t)c->neighbours * sizeof *s->neighbour);
    s->neighbours = c->neighbours;
    memcpy(s->scratch, c->scratch, sizeof s->scratch);
    s->scratches = c->scratches;
    s->assigns = luafn_has_targets(c);
    bool ok = copy_sources(s, c) && copy_inputs(s, c) && copy_bounds(s, c) && copy_windows(s, c);
    ok = ok && copy_stores(s, c) && copy_notes(s, c) && copy_names(s, c);
    return ok ? LUN_OK : LUN_ENOMEM;
}
