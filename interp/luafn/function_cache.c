/* function_cache.c - compiled functions by the dtypes of parameters and the kinds of captured
 * values that they hold for; a call finds one and runs it with the values captured at that moment.
 *
 * Invariant: entries hang on their program (lf_program.cache), newest first, and end with it; one
 * is added only where none fits a call. An entry in the list is complete: a call changes its `now`,
 * `captured` and the arrays of its bounds, windows and stores (all of the last call), `anchor` with
 * source.known, and adds to `texts`. An entry holds a reference to its host and to every program in
 * its sources but its own one. All of it belongs to one lua_State, so there is no lock. */
#include "luafn/function_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "luafn/ssa/assigned_array.h"

lf_cached *luafn_function_cache_new(lf_host *h, const lf_program *owner)
{
    lf_cached *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->host = h;
    s->owner = owner;
    h->refs++;
    lun__ir_init(&s->ir);
    s->function.body = &s->ir;
    return s;
}

static void free_texts(lf_texts *t, int notes)
{
    while (t) {
        lf_texts *next = t->next;
        for (int i = 0; t->text && i < notes; i++)
            free(t->text[i]);
        free(t->text);
        free(t->extent);
        free(t);
        t = next;
    }
}

static void free_one(lf_cached *s)
{
    for (int i = 1; i < s->sources; i++) {
        lf_capture *capture = &s->source[i].capture;
        if (capture->program && capture->program != s->owner)
            luafn_decoded_release(capture->program);
        if (s->anchor && s->host->L)
            luaL_unref(s->host->L, LUA_REGISTRYINDEX, s->anchor[i]);
    }
    for (int i = 0; s->note && i < s->notes; i++)
        free((char *)(uintptr_t)s->note[i].text);
    for (int i = 0; i < s->name_count; i++)
        free(s->names[i]);
    free(s->names);
    free_texts(s->texts, s->notes);
    lun__strbuf_free(&s->types);
    lun__ir_free(&s->ir);
    luafn_registry_host_release(s->host);
    free(s->param);
    free(s->neighbour);
    free(s->source);
    free(s->fields);
    free(s->now);
    free(s->anchor);
    free(s->scalar);
    free(s->array);
    free(s->bound);
    free(s->window);
    free(s->bound_source);
    free(s->window_source);
    free(s->store);
    free(s->store_source);
    free(s->captured);
    free(s->note);
    free(s);
}

void luafn_function_cache_free(lf_cached *s)
{
    while (s) {
        lf_cached *next = s->next;
        free_one(s);
        s = next;
    }
}

void luafn_function_cache_add(lf_program *p, lf_cached *s)
{
    s->next = p->cache;
    p->cache = s;
    p->free_cache = luafn_function_cache_free;
}

/* Whether what is known instead of a shape is the same: of a team, or of a stencil's radius. */
static bool same_known(const lun_front_param *a, const lun_front_param *b)
{
    if (a->index == LUN_FRONT_TEAM)
        return !memcmp(a->shape, b->shape, sizeof a->shape);
    return a->index != LUN_FRONT_AROUND ||
           !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

bool luafn_function_cache_fits(const lf_cached *s, const lun_front_param *param, int params)
{
    if (s->params != params)
        return false;
    for (int i = 0; i < params; i++)
        if (s->param[i].dtype != param[i].dtype || s->param[i].array != param[i].array ||
            s->param[i].weak != param[i].weak || s->param[i].rank != param[i].rank ||
            s->param[i].index != param[i].index || s->param[i].writes != param[i].writes ||
            s->param[i].pitched != param[i].pitched || s->param[i].stored != param[i].stored ||
            !same_known(&s->param[i], &param[i]))
            return false;
    return true;
}

/* ---- filling an entry ------------------------------------------------------------------------ */

/* Copies the names of fields: some live only in the compilation's arena. */
static bool copy_fields(lf_cached *s)
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

static bool copy_sources(lf_cached *s, const lf_compile *c)
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
        s->source[i].form = NULL;
        s->source[i].field_name = s->source[i].field_form = NULL;
        s->now[i] = c->source[i].capture;
        s->anchor[i] = LUA_NOREF;
        lf_capture *capture = &s->source[i].capture;
        if (i > 0 && capture->program && capture->program != s->owner)
            capture->program->refs++;
    }
    s->sources = c->sources;
    s->record = c->record;
    s->pairs = c->pairs;
    return copy_fields(s);
}

static bool copy_inputs(lf_cached *s, const lf_compile *c)
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

static bool copy_bounds(lf_cached *s, const lf_compile *c)
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

/* The windows that the body takes, in its order. */
static bool copy_windows(lf_cached *s, const lf_compile *c)
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

static bool copy_stores(lf_cached *s, const lf_compile *c)
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

static bool copy_notes(lf_cached *s, const lf_compile *c)
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

static bool copy_names(lf_cached *s, const lf_compile *c)
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

lun_status luafn_function_cache_fill(lf_cached *s, const lf_compile *c)
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
    s->assigns = luafn_assigned_has_targets(c);
    bool ok = copy_sources(s, c) && copy_inputs(s, c) && copy_bounds(s, c) && copy_windows(s, c);
    ok = ok && copy_stores(s, c) && copy_notes(s, c) && copy_names(s, c);
    return ok ? LUN_OK : LUN_ENOMEM;
}

/* ---- a call ---------------------------------------------------------------------------------- */

lun_status luafn_function_cache_check(lf_cached *s, const lf_capture_context *v, bool *same,
                                      lun_strbuf *error)
{
    *same = true;
    for (int i = 1; i < s->sources && *same; i++) {
        lun_status status = luafn_capture(v, s->source, i, &s->now[i], error);
        if (status != LUN_OK)
            return status;
        *same = luafn_capture_same(&s->source[i].capture, &s->now[i]);
        if (s->now[i].program)
            luafn_decoded_release(s->now[i].program); /* the source holds its own reference */
    }
    return LUN_OK;
}

void luafn_function_cache_anchor(lf_cached *s, const lf_capture_context *v)
{
    for (int i = 1; i < s->sources; i++) {
        lf_source *source = &s->source[i];
        int at = v->base + i;
        if (source->capture.kind == LF_CAPTURE_STRUCT && s->anchor[i] == LUA_NOREF) {
            lua_pushvalue(v->L, at); /* while it is referenced no other struct has its address */
            s->anchor[i] = luaL_ref(v->L, LUA_REGISTRYINDEX);
        }
        if (source->capture.kind == LF_CAPTURE_RECORDS && source->capture.whole &&
            s->anchor[i] == LUA_NOREF && v->ask.fields(v->L, at) == LF_OF_RECORDS)
            s->anchor[i] = luaL_ref(v->L, LUA_REGISTRYINDEX); /* their struct, likewise */
        if (source->capture.kind != LF_CAPTURE_FUNCTION)
            continue;
        if (source->known == lua_topointer(v->L, at))
            continue;
        source->known = NULL;
        luaL_unref(v->L, LUA_REGISTRYINDEX, s->anchor[i]);
        s->anchor[i] = LUA_NOREF;
        lua_pushvalue(v->L, at);
        s->anchor[i] = luaL_ref(v->L, LUA_REGISTRYINDEX);
        source->known = lua_topointer(v->L, at);
    }
}

static int64_t extent_of(const lf_cached *s, const lf_input *in, const lun_front_param *param)
{
    if (in->origin == LF_MEMORY_EXTENT) /* the launch has it */
        return 0;
    return in->origin == LF_PARAM_EXTENT ? param[in->number].shape[in->axis]
                                         : s->now[in->number].shape[in->axis];
}

static char *text_of(const lf_note *note, int64_t extent)
{
    lun_strbuf b = LUN_STRBUF_INIT;
    const char *mark = note->extent_of >= 0 ? strchr(note->text, 1) : NULL;
    if (mark) {
        lun__strbuf_add(&b, note->text, (size_t)(mark - note->text));
        lun__strbuf_printf(&b, "%" PRId64 "%s", extent, mark + 1);
    } else {
        lun__strbuf_puts(&b, note->text);
    }
    if (b.failed)
        lun__strbuf_free(&b);
    return b.text;
}

/* The texts for the present extents; made when an extent is seen for the first time, and kept,
 * because expressions not yet evaluated may still need the older ones. */
static const lf_texts *texts_for(lf_cached *s, const lun_front_param *param)
{
    size_t n = (size_t)s->notes;
    lf_texts *t = s->texts;
    for (; t; t = t->next) {
        int i = 0;
        while (i < s->notes &&
               (s->note[i].extent_of < 0 || t->extent[i] == extent_of(s, &s->note[i].of, param)))
            i++;
        if (i == s->notes)
            return t;
    }
    t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->extent = calloc(n + 1, sizeof *t->extent);
    t->text = calloc(n + 1, sizeof *t->text);
    bool ok = t->extent && t->text;
    for (int i = 0; ok && i < s->notes; i++) {
        if (s->note[i].extent_of >= 0)
            t->extent[i] = extent_of(s, &s->note[i].of, param);
        t->text[i] = text_of(&s->note[i], t->extent[i]);
        ok = t->text[i] != NULL;
    }
    if (!ok) {
        free_texts(t, s->notes);
        return NULL;
    }
    t->next = s->texts;
    s->texts = t;
    return t;
}

lun_status luafn_function_cache_result(lf_cached *s, const lun_front_param *param,
                                       lun_front_result *out)
{
    const lf_texts *t = texts_for(s, param);
    if (!t)
        return LUN_ENOMEM;
    out->function = &s->function;
    out->scalars = s->scalars;
    out->arrays = s->arrays;
    out->neighbour = s->neighbour;
    out->neighbours = s->neighbours;
    out->scratch = s->scratch;
    out->scratches = s->scratches;
    out->assigns = s->assigns;
    out->names = (const char *const *)s->names;
    for (int i = 0; i < s->scalars; i++) {
        const lf_input *in = &s->scalar[i];
        out->scalar_dtype[i] = in->dtype;
        out->scalar[i] = in->origin == LF_FROM_SOURCE
                             ? s->now[in->number].value
                             : (lun_value){LUN_I64, {.i = extent_of(s, in, param)}};
    }
    for (int i = 0; i < s->arrays; i++)
        out->array[i] = s->now[s->array[i].number].array;
    for (int i = 0; i < s->bounds; i++)
        s->bound[i].array = s->now[s->bound_source[i]].array;
    for (int i = 0; i < s->windows; i++)
        s->window[i].array = s->now[s->window_source[i]].array;
    for (int i = 0; i < s->stores; i++)
        s->store[i].to.array = s->now[s->store_source[i]].array;
    for (int i = 0; i < s->sources; i++)
        s->captured[i] = s->now[i].kind == LF_CAPTURE_ARRAY ? s->now[i].array : NULL;
    out->captured = s->captured;
    out->captured_count = s->sources;
    out->stores = s->store;
    out->store_sources = s->store_source;
    out->store_count = s->stores;
    out->bounds = s->bound;
    out->bound_count = s->bounds;
    out->windows = s->window;
    out->window_count = s->windows;
    out->notes = (const char *const *)t->text;
    out->note_count = s->notes;
    return LUN_OK;
}
