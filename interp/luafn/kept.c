/* kept.c - finds compiled functions, and answers a call with the values captured at that moment.
 * What a compilation leaves to keep is copied by keeping.c. */
#include "luafn/kept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "luafn/ssa/target.h"

lf_kept *luafn_kept_new(lf_host *h, const lf_program *owner)
{
    lf_kept *s = calloc(1, sizeof *s);
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

static void free_one(lf_kept *s)
{
    for (int i = 1; i < s->sources; i++) {
        lf_sight *sight = &s->source[i].sight;
        if (sight->program && sight->program != s->owner)
            luafn_program_release(sight->program);
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
    luafn_host_release(s->host);
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

void luafn_kept_free(lf_kept *s)
{
    while (s) {
        lf_kept *next = s->next;
        free_one(s);
        s = next;
    }
}

void luafn_kept_add(lf_program *p, lf_kept *s)
{
    s->next = p->kept;
    p->kept = s;
    p->free_kept = luafn_kept_free;
}

/* What is known in the place of a shape: of a team, of what is around an index. */
static bool same_known(const lun_front_param *a, const lun_front_param *b)
{
    if (a->index == LUN_FRONT_TEAM)
        return !memcmp(a->shape, b->shape, sizeof a->shape);
    return a->index != LUN_FRONT_AROUND ||
           !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

bool luafn_kept_fits(const lf_kept *s, const lun_front_param *param, int params)
{
    if (s->params != params)
        return false;
    for (int i = 0; i < params; i++)
        if (s->param[i].dtype != param[i].dtype || s->param[i].array != param[i].array ||
            s->param[i].weak != param[i].weak || s->param[i].rank != param[i].rank ||
            s->param[i].index != param[i].index || s->param[i].writes != param[i].writes ||
            s->param[i].stored != param[i].stored || !same_known(&s->param[i], &param[i]))
            return false;
    return true;
}

lun_status luafn_kept_look(lf_kept *s, const lf_viewer *v, bool *same, lun_strbuf *error)
{
    *same = true;
    for (int i = 1; i < s->sources && *same; i++) {
        lun_status status = luafn_look(v, s->source, i, &s->now[i], error);
        if (status != LUN_OK)
            return status;
        *same = luafn_same_sight(&s->source[i].sight, &s->now[i]);
        if (s->now[i].program)
            luafn_program_release(s->now[i].program); /* the source has its own */
    }
    return LUN_OK;
}

void luafn_kept_anchor(lf_kept *s, const lf_viewer *v)
{
    for (int i = 1; i < s->sources; i++) {
        lf_source *source = &s->source[i];
        int at = v->base + i;
        if (source->sight.seen == LF_SEEN_STRUCT && s->anchor[i] == LUA_NOREF) {
            lua_pushvalue(v->L, at); /* no other struct can take its address */
            s->anchor[i] = luaL_ref(v->L, LUA_REGISTRYINDEX);
        }
        if (source->sight.seen != LF_SEEN_FUNCTION)
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

static int64_t extent_of(const lf_kept *s, const lf_input *in, const lun_front_param *param)
{
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
static const lf_texts *texts_for(lf_kept *s, const lun_front_param *param)
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

lun_status luafn_kept_result(lf_kept *s, const lun_front_param *param, lun_front_result *out)
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
        s->captured[i] = s->now[i].seen == LF_SEEN_ARRAY ? s->now[i].array : NULL;
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
