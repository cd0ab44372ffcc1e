/* user_buffers.c - buffers: plain memory of the host or of a device, until the last task that has
 * it ends; the list of them, and of queues, that an engine keeps; see queue.h.  Runs nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "base/sized.h"
#include "base/thread.h"
#include "queue/queue.h"
#include "store/pool.h"

/* ---- what an engine keeps -------------------------------------------------------------------- */

static void end_all(lun_engine *e)
{
    lun_queues *all = e->queues;
    if (all->end_queues)
        all->end_queues(all);
    for (lun_memory *m = all->memories, *next; m; m = next) {
        next = m->next;
        m->refs = 1;
        lun__user_buffer_release(m);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all);
    e->queues = NULL;
}

lun_queues *lun__user_buffer_queues(lun_engine *e)
{
    if (!e->queues) {
        lun_queues *all = calloc(1, sizeof *all);
        if (!all)
            return NULL;
        pthread_mutex_init(&all->lock, NULL);
        lun__thread_condition(&all->changed);
        e->queues = all;
        e->queues_end = end_all;
    }
    return e->queues;
}

/* ---- locations ------------------------------------------------------------------------------- */

lun_status lun__user_buffer_location(lun_engine *e, const char *name, lun_backend_slot **out)
{
    lun_backend_slot *b = lun__backend_find(e, name);
    if (name && !strcmp(name, "host")) {
        *out = NULL;
        return LUN_OK;
    }
    if (b && b->backend->buffer_new && !b->device) { /* its first one */
        char first[sizeof b->name + 4];
        snprintf(first, sizeof first, "%s:1", b->name);
        b = lun__backend_find(e, first);
    }
    if (b)
        b = lun__state_computes_at(b);
    if (!b)
        return lun__backend_unknown(e, name);
    lun_status s = lun__backend_open(e, b);
    if (s == LUN_OK)
        *out = b;
    return s;
}

lun_status lun__user_buffer_slot(lun_engine *own, lun_backend_slot *theirs, lun_backend_slot **out)
{
    const int k = theirs->number;
    const bool same = k < own->backend_count && own->backends[k] == theirs;
    lun_backend_slot *b = same ? theirs : lun__backend_find(own, theirs->name);
    if (!b)
        return lun__backend_unknown(own, theirs->name);
    *out = b;
    return lun__backend_beside(own, b, theirs);
}

lun_alone lun__user_buffer_alone_begin(lun_engine *e, const lun_backend_slot *at)
{
    const lun_alone before = {e->current, e->set_count};
    e->current = at->number;
    e->set_count = 0;
    return before;
}

void lun__user_buffer_alone_end(lun_engine *e, lun_alone before)
{
    e->current = before.current;
    e->set_count = before.set_count;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static lun_status no_memory(lun_engine *e, lun_status s, const lun_memory *m)
{
    if (s != LUN_ENOMEM && s != LUN_ELIMIT)
        return s;
    return lun__fail(e, s, "%s: a buffer of %lld elements of %s on %s",
                     s == LUN_ENOMEM ? "out of memory" : "memory limit reached", (long long)m->n,
                     lun_dtype_name(m->dtype), m->device);
}

/* Whole blocks, as kernels touch them. */
static lun_status count_bytes(lun_engine *e, const lun_memory *m, int64_t *out)
{
    int64_t padded;
    if (__builtin_add_overflow(m->n, 63, &padded) ||
        __builtin_mul_overflow(padded / 64 * 64, (int64_t)lun__dtype_get(m->dtype)->bytes, out))
        return no_memory(e, LUN_ENOMEM, m);
    *out = *out ? *out : 64;
    return LUN_OK;
}

enum { PLAIN, PINNED, SHARED, KINDS };
static const char *const kinds[KINDS] = {"plain", "pinned", "shared"};

/* The host has plain memory alone. */
static lun_status find_kind(lun_engine *e, const char *name, lun_memory *m)
{
    int k = 0;
    while (name && k < KINDS && strcmp(kinds[k], name))
        k++;
    if (k == KINDS)
        return lun__fail(e, LUN_EARG, "memory: plain, pinned or shared expected, got '%s'", name);
    m->kind = m->at ? k : PLAIN;
    if (m->kind && !m->at->backend->buffer_host)
        return lun__fail(e, LUN_EBACKEND, "%s has no %s memory, only plain", m->device, kinds[k]);
    return LUN_OK;
}

static lun_status buffer_of(const lun_memory *m, int64_t bytes, lun_buffer **out)
{
    const lun_backend *b = m->at->backend;
    return m->kind == PLAIN ? b->buffer_new(m->at->state, bytes, out)
                            : b->buffer_host(m->at->state, bytes, m->kind == SHARED, out);
}

static lun_status allocate_on_device(lun_engine *e, lun_memory *m, int64_t bytes)
{
    void *zeros = calloc(1, (size_t)bytes);
    if (!zeros)
        return no_memory(e, LUN_ENOMEM, m);
    lun__fail_clear(e);
    lun_status s = buffer_of(m, bytes, &m->buffer);
    if (s == LUN_OK)
        s = m->at->backend->write(m->at->state, m->buffer, 0, zeros, bytes, NULL);
    if (s == LUN_OK)
        lun__pool_press(e->pool, bytes);
    free(zeros);
    return s;
}

static lun_status allocate(lun_engine *e, lun_memory *m)
{
    int64_t bytes = 0;
    lun_status s = count_bytes(e, m, &bytes);
    if (s == LUN_OK && m->at) {
        s = allocate_on_device(e, m, bytes);
    } else if (s == LUN_OK) {
        s = no_memory(e, lun__pool_take(e->pool, bytes, &m->data, &m->bytes), m);
        if (s == LUN_OK)
            memset(m->data, 0, (size_t)bytes);
    }
    return s;
}

/* Elements from one row to the next. */
static lun_status find_row(lun_engine *e, const lun_buffer_options *o, lun_memory *m)
{
    enum { MOST = 64 }; /* memory begins at a multiple of that */
    const int64_t size = lun__dtype_get(m->dtype)->bytes, own = m->extent[m->rank - 1];
    m->row = own;
    if (!o->pitch && !o->align)
        return LUN_OK;
    if (m->rank == LUN_MAX_RANK)
        return lun__fail(e, LUN_EARG, "a buffer whose rows stand apart has %d extents at most",
                         LUN_MAX_RANK - 1);
    if (o->pitch && o->align)
        return lun__fail(e, LUN_EARG, "pitch and align of a buffer exclude one another");
    if (o->align < 0 || o->align > MOST || (o->align & (o->align - 1)))
        return lun__fail(e, LUN_EARG, "align: a power of two from 1 to %d expected, got %lld",
                         (int)MOST, (long long)o->align);
    if (o->align) {
        const int64_t some = o->align > size ? o->align / size : 1;
        m->row = (own + some - 1) / some * some;
        return LUN_OK;
    }
    if (o->pitch < 0 || o->pitch % size || o->pitch / size < own)
        return lun__fail(e, LUN_EARG,
                         "pitch: %lld bytes from one row to the next, of rows of %lld %s: a "
                         "multiple of %lld from %lld on expected",
                         (long long)o->pitch, (long long)own, lun_dtype_name(m->dtype),
                         (long long)size, (long long)(own * size));
    m->row = o->pitch / size;
    return LUN_OK;
}

static lun_status shape(lun_engine *e, int rank, const int64_t *extents,
                        const lun_buffer_options *o, lun_memory *m)
{
    if (rank < 1)
        return lun__fail(e, LUN_ESHAPE, "a buffer has 1 to %d extents, not %d", LUN_MAX_RANK, rank);
    lun_status s = lun__shape_check(e, rank, extents);
    if (s != LUN_OK)
        return s;
    m->rank = rank;
    m->n = 1;
    memcpy(m->extent, extents, (size_t)rank * sizeof *extents);
    s = find_row(e, o, m);
    if (s != LUN_OK)
        return s;
    for (int k = 0; k < rank; k++) {
        const int64_t along = k < rank - 1 ? extents[k] : m->row;
        if (__builtin_mul_overflow(m->n, along, &m->n) || m->n > LUN_MOST_ELEMENTS)
            return lun__fail(e, LUN_ERANGE, "a buffer of more than %lld elements",
                             (long long)LUN_MOST_ELEMENTS);
    }
    return LUN_OK;
}

lun_layout lun__user_buffer_layout(const lun_memory *m)
{
    lun_layout l = lun__layout_right(m->rank, m->extent);
    for (int k = m->rank - 2, first = k; k >= 0; k--)
        l.stride[k] = k == first ? m->row : l.stride[k + 1] * m->extent[k + 1];
    return l;
}

lun_status lun_buffer_new(lun_engine *e, const char *device, int rank, const int64_t *extents,
                          lun_dtype t, lun_memory **out)
{
    return lun_buffer_make(e, device, rank, extents, t, NULL, out);
}

lun_status lun_buffer_make(lun_engine *e, const char *device, int rank, const int64_t *extents,
                           lun_dtype t, const lun_buffer_options *options, lun_memory **out)
{
    LUN_NEED(e, device && extents && out);
    lun_buffer_options how = {.size = sizeof how};
    if (options)
        lun__sized_take(&how, options, sizeof how);
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no dtype has number %d", (int)t);
    lun_queues *all = lun__user_buffer_queues(e);
    lun_memory *m = all ? lun__account_object_new(e->account, sizeof *m) : NULL;
    if (!m)
        return lun__fail_nomem(e);
    *m = (lun_memory){.refs = 1, .e = e, .dtype = t};
    lun_backend_slot *at = NULL;
    lun_status s = lun__user_buffer_location(e, device, &at);
    snprintf(m->device, sizeof m->device, "%s", at ? at->name : "host");
    m->at = at && at->backend->buffer_new ? at : NULL;
    if (s == LUN_OK)
        s = find_kind(e, how.memory, m);
    if (s == LUN_OK)
        s = shape(e, rank, extents, &how, m);
    if (s == LUN_OK)
        s = allocate(e, m);
    m->next = all->memories;
    m->link = &all->memories;
    if (m->next)
        m->next->link = &m->next;
    all->memories = m;
    if (s == LUN_OK)
        *out = m;
    else
        lun__user_buffer_release(m);
    return s;
}

void lun__user_buffer_release(lun_memory *m)
{
    if (!m || --m->refs)
        return;
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    if (m->buffer)
        m->at->backend->buffer_free(m->at->state, m->buffer);
    if (m->data)
        lun__pool_give(m->e->pool, m->data, m->bytes);
    lun__account_object_free(m->e->account, m);
}

static void release(void *m)
{
    lun__user_buffer_release(m);
}

static void set_freed(void *m)
{
    ((lun_memory *)m)->freed = true;
}

void lun_buffer_release(lun_memory *m)
{
    if (!m)
        return;
    LUN_RELEASES(m->e, &m->later, release, m);
    release(m);
}

void lun_buffer_free(lun_memory *m)
{
    if (!m)
        return;
    LUN_RELEASES(m->e, &m->frees, set_freed, m);
    set_freed(m);
}

void lun_buffer_get(const lun_memory *m, lun_buffer_info *out)
{
    if (!m || !out)
        return;
    LUN_NEED_OR(m->e, );
    lun_buffer_info info = {.dtype = m->dtype,
                            .rank = m->rank,
                            .device = m->device,
                            .freed = m->freed,
                            .data = m->data,
                            .memory = kinds[m->kind],
                            .pitch = m->row * lun__dtype_get(m->dtype)->bytes};
    memcpy(info.extent, m->extent, sizeof info.extent);
    lun__sized_give(out, &info, sizeof info);
}

lun_status lun__user_buffer_usable(lun_engine *e, const lun_memory *m, const char *what, int number)
{
    if (m->e != e)
        return lun__fail(e, LUN_EARG, "the buffer belongs to another engine");
    if (m->freed)
        return lun__fail(e, LUN_EFREED, "%s " LUN_NTH " is a buffer that was freed", what, number);
    return LUN_OK;
}
