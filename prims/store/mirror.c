/* mirror.c - storage in host memory and in that of devices: where the current elements are, and
 * moving them when they are needed elsewhere.  A storage moves only when it must: a copy on a
 * device stays until the elements change.  Which memory holds what: see storage.h. */
#include <stdlib.h>

#include "engine/state.h"
#include "store/element_file.h"
#include "store/fetch.h"
#include "store/pool.h"
#include "store/storage.h"
#include "table/dtype.h"

/* Parts up to this size are taken from a device without the rest, a few times. */
enum { PEEK_SHARE = 16, PEEKS = 8 };

static int64_t bytes_of(const lun_storage *s, int64_t count)
{
    return count * lun__dtype_get(s->dtype)->bytes;
}

static lun_mirror *find(const lun_storage *s, const lun_backend_slot *at)
{
    lun_mirror *m = s->mirrors;
    while (m && m->at != at)
        m = m->next;
    return m;
}

/* One that holds the current elements, if any does. */
static lun_mirror *find_current(const lun_storage *s)
{
    lun_mirror *m = s->mirrors;
    while (m && !m->current)
        m = m->next;
    return m;
}

static lun_status add(lun_engine *e, lun_storage *s, lun_backend_slot *at, lun_mirror **out)
{
    lun_mirror *m = calloc(1, sizeof *m);
    if (!m)
        return lun__fail_nomem(e);
    int64_t padded = bytes_of(s, (s->count + 63) / 64 * 64);
    lun_status status = at->backend->buffer_new(at->state, padded, &m->buffer);
    if (status != LUN_OK) {
        free(m);
        return status;
    }
    m->at = at;
    m->next = s->mirrors;
    s->mirrors = m;
    lun__pool_press(e->pool, padded);
    *out = m;
    return LUN_OK;
}

lun_status lun__mirror_result(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out)
{
    lun_backend_slot *at = e->backends[e->current];
    lun_mirror *m;
    lun_storage *s;
    if (!at->backend->buffer_new)
        return lun__storage_new(e, t, count, out);
    lun_status status = lun__storage_empty(e, t, count, &s);
    if (status != LUN_OK)
        return status;
    status = add(e, s, at, &m);
    if (status != LUN_OK) {
        lun__storage_release(e, s);
        return status;
    }
    m->current = true;
    *out = s;
    return LUN_OK;
}

lun_status lun__mirror_host(lun_engine *e, lun_storage *s, bool change)
{
    lun_status status = s->stale ? lun__fetch_merge(e, s) : LUN_OK;
    if (status != LUN_OK)
        return status;
    if (s->stale) {
        lun_mirror *m = find_current(s);
        if (!s->data)
            status = lun__storage_memory(e, s);
        if (status == LUN_OK && s->source)
            status = lun__file_backed_fetch_all(e, s, 0, s->count, s->data);
        else if (status == LUN_OK && s->placed && !m)
            status = lun__fetch_missing(e, s, 0, s->count);
        else if (status == LUN_OK && m && s->count)
            status = m->at->backend->read(m->at->state, m->buffer, 0, s->data,
                                          bytes_of(s, s->count), NULL);
        if (status != LUN_OK)
            return status;
        s->stale = false;
        lun__element_file_release(e, s->source);
        s->source = NULL;
    }
    if (change && s->placed)
        lun__current_outdate(s);
    for (lun_mirror *m = change ? s->mirrors : NULL; m; m = m->next)
        m->current = false;
    return LUN_OK;
}

lun_status lun__mirror_read(lun_engine *e, lun_storage *s, int64_t first, int64_t count, void *host)
{
    bool part = count < s->count / PEEK_SHARE && s->peeks < PEEKS;
    lun_status merged = count && s->stale ? lun__fetch_merge(e, s) : LUN_OK;
    if (!count || merged != LUN_OK)
        return merged;
    lun_mirror *m = s->stale ? find_current(s) : NULL;
    if (s->source)
        return lun__file_backed_fetch_all(e, s, first, count, host);
    if (m && (part || count == s->count)) {
        s->peeks += part;
        return m->at->backend->read(m->at->state, m->buffer, bytes_of(s, first), host,
                                    bytes_of(s, count), NULL);
    }
    if (s->stale && s->placed && part) {
        s->peeks++;
        return lun__fetch_read(e, s, first, first + count, host);
    }
    lun_status status = s->stale ? lun__mirror_host(e, s, false) : LUN_OK;
    if (status == LUN_OK)
        lun__backend_share_copy(e, host, (char *)s->data + bytes_of(s, first), bytes_of(s, count));
    return status;
}

/* Elements in a file: the device's machine reads it, or they go by way of memory that is let go. */
static lun_status upload_file(lun_engine *e, const lun_storage *s, lun_backend_slot *at,
                              lun_mirror *m)
{
    lun_storage *copy;
    bool done;
    lun_status status = lun__file_backed_load(e, s, 0, s->count, at, m->buffer, 0, &done);
    if (status != LUN_OK || done)
        return status;
    status = lun__storage_new(e, s->dtype, s->count, &copy);
    if (status != LUN_OK)
        return status;
    status = lun__file_backed_fetch_all(e, s, 0, s->count, copy->data);
    if (status == LUN_OK && s->count)
        status =
            at->backend->write(at->state, m->buffer, 0, copy->data, bytes_of(s, s->count), NULL);
    lun__storage_release(e, copy);
    return status;
}

/* From a device that has the current elements, where the two need no host for that. */
static lun_status copy_beside(lun_engine *e, const lun_storage *s, const lun_mirror *to, bool *done)
{
    const lun_mirror *from = s->stale && !s->source && s->count ? find_current(s) : NULL;
    const lun_backend *b = to->at->backend;
    const int64_t bytes = bytes_of(s, s->count);
    if (!from || from->at->backend != b)
        return LUN_OK;
    lun_status status =
        b->copy(to->at->state, to->buffer, 0, from->at->state, from->buffer, 0, bytes, done);
    e->stats.moves += *done;
    e->stats.bytes_moved += *done ? bytes : 0;
    return status;
}

lun_status lun__mirror_buffer(lun_engine *e, lun_storage *s, lun_backend_slot *at, lun_buffer **out)
{
    bool done = false;
    lun_status status = s->stale ? lun__fetch_merge(e, s) : LUN_OK;
    if (status != LUN_OK)
        return status;
    lun_mirror *m = find(s, at);
    if (s->placed && !s->source && !(m && m->current)) {
        status = lun__fetch_whole(e, s, at);
        if (status != LUN_OK)
            return status;
        m = find(s, at);
    }
    if (!m)
        status = add(e, s, at, &m);
    if (status == LUN_OK && !m->current) {
        if (s->source)
            status = upload_file(e, s, at, m);
        else
            status = copy_beside(e, s, m, &done);
        if (status == LUN_OK && !s->source && !done)
            status = lun__mirror_host(e, s, false);
        if (status == LUN_OK && s->count && !s->source && !done)
            status =
                at->backend->write(at->state, m->buffer, 0, s->data, bytes_of(s, s->count), NULL);
        if (status != LUN_OK)
            return status;
        m->current = true;
    }
    if (status == LUN_OK)
        *out = m->buffer;
    return status;
}

void lun__mirror_written(lun_storage *s, const lun_backend_slot *at)
{
    for (lun_mirror *m = s->mirrors; m; m = m->next)
        m->current = m->at == at;
    if (s->placed)
        lun__current_outdate(s);
    s->stale = true;
}

bool lun__mirror_remote(const lun_engine *e, const lun_storage *s)
{
    const lun_mirror *m = s->stale && !s->source && !s->wrapped ? find_current(s) : NULL;
    return m && m->at == e->backends[e->current];
}

lun_status lun__mirror_transfer(lun_engine *e, const lun_storage_view *to,
                                const lun_storage_view *from, uint64_t cell)
{
    lun_backend_slot *at = e->backends[e->current];
    lun_transfer t = {
        .bytes = (int)bytes_of(to->s, 1), .to_origin = to->offset, .at = to->at, .cell = cell};
    lun_buffer *in = NULL;
    const int64_t bytes = lun__layout_count(&t.at) * t.bytes;
    lun_status status = lun__mirror_buffer(e, to->s, at, &t.to);
    if (status == LUN_OK && from)
        status = lun__mirror_buffer(e, from->s, at, &in);
    if (status != LUN_OK)
        return status;
    if (from) {
        t.from = in;
        t.from_origin = from->offset;
        t.of = from->at;
    }
    lun__mirror_written(to->s, at);
    e->stats.bytes_read += from ? bytes : 0;
    e->stats.bytes_written += bytes;
    return bytes ? lun__state_transfer(at, &t) : LUN_OK;
}

const char *lun__mirror_location(const lun_engine *e, const lun_storage *s)
{
    const lun_backend_slot *here = e->backends[e->current];
    const lun_mirror *m = find(s, here);
    const char *name = lun_backend_name(e); /* of a set the first location's */
    if (m && m->current)
        return name;
    if (!s->stale)
        return here->backend->buffer_new ? "host" : name;
    m = find_current(s);
    return m ? m->at->name : name;
}
