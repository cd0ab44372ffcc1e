/* texts.c - pools of texts: values added and found.  Their order is text_order.c's. */
#include "text/texts_state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUFFER = 1 << 10, MOST_BUFFER = 1 << 26 };

/* Enters bytes of a pool, which count as elements do; false: the limit is reached. */
static bool enter(lun_account *a, int64_t bytes)
{
    if (lun__account_take_elements(a, bytes))
        return true;
    __atomic_store_n(&a->refused, true, __ATOMIC_RELAXED);
    return false;
}

lun_status lun__text_pool_new(lun_engine *e, lun_text_pool **out)
{
    lun_text_pool *t = calloc(1, sizeof *t);
    if (!t || !enter(e->account, sizeof *t)) {
        free(t);
        return lun__fail_nomem(e);
    }
    lun__account_keep(t->account = e->account);
    t->refs = 1;
    t->bytes = sizeof *t;
    t->distinct = true;
    *out = t;
    return LUN_OK;
}

lun_text_pool *lun__text_pool_retain(lun_text_pool *t)
{
    if (t)
        t->refs++;
    return t;
}

void lun__text_pool_unrank(lun_text_pool *t)
{
    if (t->rank) {
        const int64_t bytes = ((int64_t)t->ranked + 1) * (int64_t)sizeof *t->rank;
        lun__account_give_elements(t->account, bytes);
        t->bytes -= bytes;
    }
    free(t->rank);
    t->rank = NULL;
    lun__text_pool_release(t->levels);
    t->levels = NULL;
}

void lun__text_pool_release(lun_text_pool *t)
{
    if (!t || --t->refs)
        return;
    for (int k = 0; k < t->buffers; k++)
        lun__text_block_drop(t->buffer[k].block);
    free(t->buffer);
    lun__text_block_drop(t->view_block);
    free(t->slot);
    lun__text_pool_unrank(t);
    lun__account_give_elements(t->account, t->bytes);
    lun__account_drop(t->account);
    free(t);
}

uint32_t lun__text_pool_count(const lun_text_pool *t)
{
    return t ? t->count : 0;
}

bool lun__text_pool_distinct(const lun_text_pool *t)
{
    return !t || t->distinct;
}

bool lun__text_pool_sorted(const lun_text_pool *t)
{
    return !t || t->sorted || t->count == 0;
}

bool lun__text_pool_frozen(const lun_text_pool *t)
{
    return t && t->frozen;
}

int64_t lun__text_pool_bytes(const lun_text_pool *t)
{
    return t ? t->bytes : 0;
}

const char *lun__text_pool_at(const lun_text_pool *t, uint32_t code, int64_t *length)
{
    const lun_text_view *v = &t->view[code];
    *length = v->length;
    return v->length <= (int32_t)sizeof v->as.in_place
               ? v->as.in_place
               : t->buffer[v->as.far.buffer].bytes + v->as.far.offset;
}

bool lun__text_pool_grow(lun_text_pool *t, void **block, int64_t had, int64_t bytes)
{
    if (!enter(t->account, bytes - had))
        return false;
    void *more = realloc(*block, (size_t)bytes);
    if (!more) {
        lun__account_give_elements(t->account, bytes - had);
        return false;
    }
    t->bytes += bytes - had;
    *block = more;
    return true;
}

/* What so many views take: before the first one stands what is there for code 0. */
static int64_t view_bytes(int64_t count)
{
    return (count + 1) * (int64_t)sizeof(lun_text_view);
}

/* There is room for so many views, where there was for t->room; false: no memory. */
static bool resize_views(lun_text_pool *t, int64_t room)
{
    const int64_t had = t->view ? view_bytes(t->room) : 0, more = view_bytes(room) - had;
    if (more > 0 && !enter(t->account, more))
        return false;
    const bool good = lun__text_block_resize(&t->view_block, had, view_bytes(room));
    if (good ? more < 0 : more > 0)
        lun__account_give_elements(t->account, more < 0 ? -more : more);
    if (!good)
        return false;
    t->bytes += more;
    t->room = (uint32_t)room;
    t->view = lun__text_block_memory(t->view_block);
    t->view[0] = lun__text_block_none;
    return true;
}

void lun__text_pool_trim(lun_text_pool *t)
{
    if (t->view && !lun__text_block_is_held(t->view_block))
        (void)resize_views(t, t->count);
    if (t->slot) {
        const int64_t bytes = ((int64_t)t->mask + 1) * (int64_t)sizeof *t->slot;
        free(t->slot);
        t->slot = NULL;
        t->bytes -= bytes;
        lun__account_give_elements(t->account, bytes);
    }
    t->indexed = 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A buffer with room for n bytes, the last one; false: no memory. */
static bool room_for(lun_text_pool *t, int64_t n)
{
    const lun_text_buffer *last = t->buffers ? &t->buffer[t->buffers - 1] : NULL;
    if (last && last->room - last->used >= n)
        return true;
    int64_t size = last ? 2 * last->room : FIRST_BUFFER;
    size = size > MOST_BUFFER ? MOST_BUFFER : size;
    size = size < n ? n : size;
    if (!lun__text_pool_grow(t, (void **)&t->buffer, t->buffers * (int64_t)sizeof *t->buffer,
                             (t->buffers + 1) * (int64_t)sizeof *t->buffer))
        return false;
    lun_text_buffer *b = &t->buffer[t->buffers];
    *b = (lun_text_buffer){NULL, 0, size, NULL};
    t->buffers++;
    if (lun__text_pool_grow(t, (void **)&b->bytes, 0, size)) {
        b->block = lun__text_block_of(b->bytes);
        if (b->block)
            return true;
        free(b->bytes);
        t->bytes -= size;
        lun__account_give_elements(t->account, size);
    }
    t->buffers--; /* its record counts until the pool ends */
    return false;
}

/* The views have room for one more; false: no memory. */
static bool view_room(lun_text_pool *t)
{
    if (t->count < t->room)
        return true;
    return resize_views(t, t->room ? 2 * (int64_t)t->room : 4);
}

/* The value as the next one. */
static lun_status put(lun_engine *e, lun_text_pool *t, const char *s, int64_t n)
{
    if (n > INT32_MAX)
        return lun__fail(e, LUN_ERANGE, "a text of %lld bytes is too long: at most %d",
                         (long long)n, INT32_MAX);
    if (t->count >= LUN_TEXT_MOST)
        return lun__fail(e, LUN_ERANGE, "more than %lld different texts in one array",
                         (long long)LUN_TEXT_MOST);
    const bool near = n <= (int64_t)sizeof t->view->as.in_place;
    if (!view_room(t) || (!near && !room_for(t, n)))
        return lun__fail_nomem(e);
    lun_text_view v = {.length = (int32_t)n};
    if (near) {
        memcpy(v.as.in_place, s, (size_t)n);
    } else {
        lun_text_buffer *b = &t->buffer[t->buffers - 1];
        memcpy(v.as.far.prefix, s, sizeof v.as.far.prefix);
        v.as.far.buffer = t->buffers - 1;
        v.as.far.offset = (int32_t)b->used;
        memcpy(b->bytes + b->used, s, (size_t)n);
        b->used += n;
    }
    t->view[++t->count] = v;
    t->sorted = false;
    lun__text_pool_unrank(t);
    return LUN_OK;
}

/* ---- a hash table of codes: open addressing, at most half full ------------------------------- */

static uint32_t hash(const char *s, int64_t n)
{
    uint64_t h = (uint64_t)n * 0x9e3779b97f4a7c15u;
    for (uint64_t word; n > 0; s += sizeof word, n -= (int64_t)sizeof word) {
        word = 0;
        memcpy(&word, s, n < (int64_t)sizeof word ? (size_t)n : sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (uint32_t)(h ^ h >> 29);
}

static bool equals(const lun_text_pool *t, uint32_t code, const char *s, int64_t n)
{
    int64_t m;
    const char *x = lun__text_pool_at(t, code, &m);
    return m == n && !memcmp(x, s, (size_t)n);
}

/* The slot of a value, or the empty one in which it belongs. */
static uint32_t *slot_of(const lun_text_pool *t, const char *s, int64_t n)
{
    uint32_t at = hash(s, n) & t->mask;
    while (t->slot[at] && !equals(t, t->slot[at], s, n))
        at = (at + 1) & t->mask;
    return &t->slot[at];
}

/* The table has room for one value more, and all values are in it; false: no memory. */
static bool index_all(lun_text_pool *t)
{
    const int64_t had = t->slot ? (int64_t)t->mask + 1 : 0;
    int64_t size = had ? had : 16;
    while (size < 2 * ((int64_t)t->count + 1))
        size *= 2;
    if (size != had) {
        if (!lun__text_pool_grow(t, (void **)&t->slot, had * (int64_t)sizeof *t->slot,
                                 size * (int64_t)sizeof *t->slot))
            return false;
        memset(t->slot, 0, (size_t)size * sizeof *t->slot);
        t->mask = (uint32_t)(size - 1);
        t->indexed = 0;
    }
    while (t->indexed < t->count) {
        const uint32_t code = ++t->indexed;
        int64_t n;
        const char *s = lun__text_pool_at(t, code, &n);
        uint32_t *slot = slot_of(t, s, n);
        if (!*slot)
            *slot = code;
    }
    return true;
}

lun_status lun__text_pool_find(lun_engine *e, lun_text_pool *t, const char *s, int64_t n,
                               uint32_t *code)
{
    *code = 0;
    if (!lun__text_pool_count(t))
        return LUN_OK;
    if (!index_all(t))
        return lun__fail_nomem(e);
    *code = *slot_of(t, s, n);
    return LUN_OK;
}

lun_status lun__text_pool_add(lun_engine *e, lun_text_pool *t, const char *s, int64_t n,
                              uint32_t *code)
{
    if (!index_all(t))
        return lun__fail_nomem(e);
    uint32_t *slot = slot_of(t, s, n);
    lun_status status = *slot ? LUN_OK : put(e, t, s, n);
    if (status != LUN_OK)
        return status;
    if (!*slot)
        *slot = t->indexed = t->count;
    *code = *slot;
    return LUN_OK;
}

lun_status lun__text_pool_append(lun_engine *e, lun_text_pool *t, const char *s, int64_t n)
{
    lun_status status = put(e, t, s, n);
    if (status == LUN_OK)
        t->distinct = t->count == 1;
    return status;
}

/* Bytes of values that are made, with the records of their buffers. */
static int64_t size_of(const lun_text_made *v)
{
    int64_t bytes = view_bytes(v->count);
    for (int32_t k = 0; k < v->buffer_count; k++)
        bytes += v->buffers[k].size + (int64_t)sizeof(lun_text_buffer);
    return bytes;
}

/* The views one place later, behind that of code 0; false: no memory. */
static bool shift_views(lun_text_pool *t, lun_text_made *v)
{
    lun_text_view *views = realloc(v->views, (size_t)view_bytes(v->count));
    if (!views)
        return false;
    v->views = views;
    memmove(views + 1, views, (size_t)v->count * sizeof *views);
    views[0] = lun__text_block_none;
    t->view_block = lun__text_block_of(views);
    if (!t->view_block)
        return false;
    t->view = views;
    v->views = NULL;
    t->count = t->room = (uint32_t)v->count;
    return true;
}

/* The buffers; false: no memory. */
static bool take_buffers(lun_text_pool *t, lun_text_made *v)
{
    t->buffer = malloc(((size_t)v->buffer_count + 1) * sizeof *t->buffer);
    for (int32_t k = 0; t->buffer && k < v->buffer_count; k++) {
        lun_text_bytes *from = &v->buffers[k];
        lun_text_block *block = lun__text_block_of(from->bytes);
        if (!block)
            return false;
        t->buffer[t->buffers++] = (lun_text_buffer){from->bytes, from->size, from->size, block};
        from->bytes = NULL;
    }
    return t->buffer;
}

lun_status lun__text_pool_of(lun_engine *e, lun_text_made *v, lun_text_pool **out)
{
    lun_text_pool *t = NULL;
    const int64_t bytes = size_of(v);
    lun_status s = lun__text_pool_new(e, &t);
    if (s == LUN_OK && !enter(t->account, bytes))
        s = lun__fail_nomem(e);
    else if (s == LUN_OK)
        t->bytes += bytes;
    if (s == LUN_OK && (!take_buffers(t, v) || !shift_views(t, v)))
        s = lun__fail_nomem(e);
    if (s == LUN_OK) {
        t->distinct = v->distinct || v->count < 2;
        *out = t;
    } else {
        lun__text_pool_release(t);
    }
    for (int32_t k = 0; k < v->buffer_count; k++)
        free(v->buffers[k].bytes);
    free(v->buffers);
    free(v->views);
    *v = (lun_text_made){.size = v->size};
    return s;
}

lun_status lun__text_pool_copy(lun_engine *e, const lun_text_pool *t, lun_text_pool **out)
{
    lun_text_pool *made;
    lun_status status = lun__text_pool_new(e, &made);
    for (uint32_t code = 1; status == LUN_OK && code <= lun__text_pool_count(t); code++) {
        int64_t n;
        const char *s = lun__text_pool_at(t, code, &n);
        status = put(e, made, s, n);
    }
    if (status != LUN_OK) {
        lun__text_pool_release(made);
        return status;
    }
    made->distinct = lun__text_pool_distinct(t);
    *out = made;
    return LUN_OK;
}
