/* dictionary.c - the texts of a column as codes and values; see dictionary.h. */
#include "csv/dictionary.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "csv/number.h"

enum {
    NEAR = sizeof(((lun_text_view *)NULL)->as.in_place),
    TOGETHER = 16,        /* texts of which the look-ups overlap */
    FIRST_SLOTS = 1 << 6, /* entries */
    FIRST_VIEWS = 1 << 5,
    FIRST_BUFFER = 1 << 10,
    MOST_BUFFER = 1 << 22, /* bytes, unless a text is longer */
    FIRST_HALF = 1 << 15   /* texts */
};

/* Every bit of the product's halves depends on all bits of x. */
static inline uint64_t fold(uint64_t x)
{
    unsigned __int128 product = (unsigned __int128)x * UINT64_C(0xD6E8FEB86659FD93);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_far(const char *p, uint32_t n)
{
    uint64_t h = n * UINT64_C(0x9E3779B97F4A7C15);
    for (; n > 8; n -= 8, p += 8)
        h = fold(h ^ lun__csv_number_word(p));
    return fold(h ^ (lun__csv_number_word(p) & ~UINT64_C(0) >> (64 - 8 * n)));
}

/* The view of a text, where it is one in place, and the hash of any. */
static inline uint32_t look(const lun__csv_text *t, lun_text_view *v)
{
    static const unsigned char keep[2 * NEAR] = {255, 255, 255, 255, 255, 255,
                                                 255, 255, 255, 255, 255, 255};
    if (t->length > NEAR) {
        *v = (lun_text_view){.length = (int32_t)t->length};
        memcpy(v->as.far.prefix, t->at, sizeof v->as.far.prefix);
        return (uint32_t)(hash_far(t->at, t->length) >> 32);
    }
    uint64_t low, low_kept;
    uint32_t high, high_kept;
    memcpy(&low, t->at, sizeof low);
    memcpy(&low_kept, keep + NEAR - t->length, sizeof low_kept);
    memcpy(&high, t->at + sizeof low, sizeof high);
    memcpy(&high_kept, keep + NEAR + sizeof low - t->length, sizeof high_kept);
    low &= low_kept;
    high &= high_kept;
    v->length = (int32_t)t->length;
    memcpy(v->as.in_place, &low, sizeof low);
    memcpy(v->as.in_place + sizeof low, &high, sizeof high);
    return (uint32_t)(fold(low ^ fold((uint64_t)t->length << 32 | high)) >> 32);
}

/* ---- memory ---------------------------------------------------------------------------------- */

int64_t lun__csv_dictionary_bytes(const lun__csv_dictionary *d)
{
    int64_t bytes = d->room * (int64_t)sizeof *d->values.views;
    for (int32_t k = 0; k < d->values.buffer_count; k++)
        bytes += d->values.buffers[k].size;
    if (d->slot)
        bytes += ((int64_t)d->mask + 1) * (int64_t)sizeof *d->slot;
    return bytes + (d->hash ? d->room * (int64_t)sizeof *d->hash : 0);
}

/* More entries, with all values in them. */
static bool more_slots(lun__csv_dictionary *d)
{
    const uint64_t size = d->slot ? 2 * ((uint64_t)d->mask + 1) : FIRST_SLOTS;
    uint32_t *slot = calloc(size, sizeof *slot);
    if (!slot)
        return false;
    free(d->slot);
    d->slot = slot;
    d->mask = (uint32_t)(size - 1);
    for (int64_t k = 0; k < d->values.count; k++) {
        uint32_t at = d->hash[k] & d->mask;
        while (slot[at])
            at = (at + 1) & d->mask;
        slot[at] = (uint32_t)(k + 1);
    }
    return true;
}

static bool room_for_views(lun__csv_dictionary *d, int64_t count)
{
    if (count > LUN_TEXT_MOST)
        return false;
    if (count > d->room) {
        int64_t room = 2 * d->room > count ? 2 * d->room : count;
        room = room > FIRST_VIEWS ? room : FIRST_VIEWS;
        void *views = realloc(d->values.views, (size_t)room * sizeof *d->values.views);
        if (!views)
            return false;
        d->values.views = views;
        void *hash = d->plain ? NULL : realloc(d->hash, (size_t)room * sizeof *d->hash);
        if (!hash && !d->plain)
            return false;
        d->hash = hash;
        d->room = room;
    }
    while (!d->plain && (!d->slot || 2 * count > (int64_t)d->mask + 1))
        if (!more_slots(d))
            return false;
    return true;
}

/* The list of buffers has room for so many more. */
static bool room_for_buffers(lun__csv_dictionary *d, int32_t count)
{
    const size_t all = (size_t)d->values.buffer_count + (size_t)count;
    void *list = realloc(d->values.buffers, (all + 1) * sizeof *d->values.buffers);
    if (list)
        d->values.buffers = list;
    return list != NULL;
}

/* Puts the bytes of a view of more than NEAR into the last buffer, or a new one. */
static bool keep_far(lun__csv_dictionary *d, const char *text, lun_text_view *v)
{
    lun_text_made *x = &d->values;
    lun_text_bytes *b = x->buffer_count ? &x->buffers[x->buffer_count - 1] : NULL;
    if (!b || d->buffer_room - b->size < v->length) {
        int64_t room = b ? 2 * d->buffer_room : FIRST_BUFFER;
        room = room > MOST_BUFFER ? MOST_BUFFER : room;
        room = room < v->length ? v->length : room;
        char *bytes = room_for_buffers(d, 1) ? malloc((size_t)room) : NULL;
        if (!bytes)
            return false;
        b = &x->buffers[x->buffer_count++];
        *b = (lun_text_bytes){.bytes = bytes};
        d->buffer_room = room;
    }
    memcpy(b->bytes + b->size, text, (size_t)v->length);
    v->as.far.buffer = x->buffer_count - 1;
    v->as.far.offset = (int32_t)b->size;
    b->size += v->length;
    return true;
}

void lun__csv_dictionary_end(lun__csv_dictionary *d)
{
    for (int32_t k = 0; k < d->values.buffer_count; k++)
        free(d->values.buffers[k].bytes);
    free(d->values.buffers);
    free(d->values.views);
    free(d->slot);
    free(d->hash);
    *d = (lun__csv_dictionary){0};
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *bytes_of(const lun_text_made *x, const lun_text_view *v)
{
    return v->length <= NEAR ? v->as.in_place
                             : x->buffers[v->as.far.buffer].bytes + v->as.far.offset;
}

lun_string lun__csv_dictionary_text(const lun__csv_dictionary *d, int64_t k)
{
    const lun_text_view *v = &d->values.views[k];
    return (lun_string){bytes_of(&d->values, v), v->length};
}

static inline bool is_same(const lun_text_made *x, const lun_text_view *found,
                           const lun_text_view *v, const char *text)
{
    if (v->length <= NEAR)
        return memcmp(found, v, sizeof *v) == 0;
    return memcmp(found, v, offsetof(lun_text_view, as.far.buffer)) == 0 &&
           memcmp(bytes_of(x, found), text, (size_t)v->length) == 0;
}

/* The text as another value; 0: no memory. */
static uint32_t append(lun__csv_dictionary *d, const char *text, lun_text_view *v, uint32_t hash)
{
    const int64_t count = d->values.count;
    if (!room_for_views(d, count + 1) || (v->length > NEAR && !keep_far(d, text, v)))
        return 0;
    d->values.views[count] = *v;
    if (!d->plain)
        d->hash[count] = hash;
    return (uint32_t)++d->values.count;
}

/* The code of a text, which may be new; 0: no memory. */
static inline uint32_t code_of(lun__csv_dictionary *d, const char *text, lun_text_view *v,
                               uint32_t hash)
{
    if (d->plain)
        return append(d, text, v, hash);
    if (d->slot) {
        uint32_t at = hash & d->mask;
        for (uint32_t code; (code = d->slot[at]); at = (at + 1) & d->mask)
            if (is_same(&d->values, &d->values.views[code - 1], v, text))
                return code;
    }
    const uint32_t code = append(d, text, v, hash);
    if (!code)
        return 0;
    uint32_t at = hash & d->mask;
    while (d->slot[at])
        at = (at + 1) & d->mask;
    d->slot[at] = code;
    return code;
}

static void give_up(lun__csv_dictionary *d)
{
    d->plain = true;
    free(d->slot);
    free(d->hash);
    d->slot = d->hash = NULL;
}

/* Gives up where of the second half of all texts more than seven in eight were new; decided
 * whenever there are twice as many. */
static void decide(lun__csv_dictionary *d)
{
    if (d->plain || d->texts < (d->half ? 2 * d->half : FIRST_HALF))
        return;
    const bool seldom = d->half && 8 * (d->values.count - d->halved) > 7 * (d->texts - d->half);
    d->half = d->texts;
    d->halved = d->values.count;
    if (seldom)
        give_up(d);
}

/* The codes of a few texts, whose look-ups do not wait for each other. */
static bool add_some(lun__csv_dictionary *d, const lun__csv_text *texts, int count, uint32_t *codes,
                     bool *gaps)
{
    lun_text_view view[TOGETHER];
    uint32_t hash[TOGETHER];
    for (int k = 0; k < count; k++) {
        hash[k] = texts[k].at ? look(&texts[k], &view[k]) : 0;
        if (d->slot)
            __builtin_prefetch(&d->slot[hash[k] & d->mask]);
    }
    for (int k = 0; d->slot && k < count; k++) {
        const uint32_t code = d->slot[hash[k] & d->mask];
        __builtin_prefetch(&d->values.views[code - (code > 0)]);
    }
    int64_t added = 0;
    for (int k = 0; k < count; k++) {
        codes[k] = texts[k].at ? code_of(d, texts[k].at, &view[k], hash[k]) : 0;
        if (texts[k].at && !codes[k])
            return false;
        *gaps |= !texts[k].at;
        added += texts[k].at != NULL;
    }
    d->texts += added;
    return true;
}

bool lun__csv_dictionary_add(lun__csv_dictionary *d, const lun__csv_text *texts, int64_t count,
                             uint32_t *codes, bool *gaps)
{
    for (int64_t k = 0; k < count; k += TOGETHER) {
        const int some = count - k < TOGETHER ? (int)(count - k) : TOGETHER;
        if (!add_some(d, texts + k, some, codes + k, gaps))
            return false;
    }
    decide(d);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Appends all values of `from`, with its buffers. */
static bool append_all(lun__csv_dictionary *d, lun__csv_dictionary *from)
{
    lun_text_made *x = &d->values, *y = &from->values;
    const int32_t buffers = x->buffer_count;
    give_up(d);
    if (!room_for_views(d, x->count + y->count) || !room_for_buffers(d, y->buffer_count))
        return false;
    for (int64_t k = 0; k < y->count; k++) {
        lun_text_view v = y->views[k];
        if (v.length > NEAR)
            v.as.far.buffer += buffers;
        x->views[x->count++] = v;
    }
    for (int32_t k = 0; k < y->buffer_count; k++)
        x->buffers[x->buffer_count++] = y->buffers[k];
    y->buffer_count = 0;
    d->buffer_room = from->buffer_room;
    return true;
}

bool lun__csv_dictionary_merge(lun__csv_dictionary *d, lun__csv_dictionary *from, uint32_t **to,
                               uint32_t *more)
{
    const lun_text_made *y = &from->values;
    bool ok = true;
    *to = NULL;
    *more = (uint32_t)d->values.count;
    if (d->values.count == 0) {
        lun__csv_dictionary_end(d);
        *d = *from;
        *from = (lun__csv_dictionary){0};
    } else if (d->plain || from->plain) {
        ok = append_all(d, from);
    } else {
        *to = malloc(((size_t)y->count + 1) * sizeof **to);
        ok = *to != NULL;
        for (int64_t k = 0; ok && k < y->count; k++) {
            lun_text_view v = y->views[k];
            (*to)[k + 1] = code_of(d, bytes_of(y, &y->views[k]), &v, from->hash[k]);
            ok = (*to)[k + 1] != 0;
        }
        if (ok)
            (*to)[0] = 0;
    }
    lun__csv_dictionary_end(from);
    return ok;
}

lun_text_made lun__csv_dictionary_values(lun__csv_dictionary *d)
{
    lun_text_made out = d->values;
    out.size = sizeof out;
    out.distinct = !d->plain;
    if (out.count && out.count < d->room) {
        void *less = realloc(out.views, (size_t)out.count * sizeof *out.views);
        out.views = less ? less : out.views;
    }
    lun_text_bytes *last = out.buffer_count ? &out.buffers[out.buffer_count - 1] : NULL;
    if (last && last->size < d->buffer_room) {
        char *less = realloc(last->bytes, (size_t)last->size);
        last->bytes = less ? less : last->bytes;
    }
    d->values = (lun_text_made){0};
    lun__csv_dictionary_end(d);
    return out;
}
