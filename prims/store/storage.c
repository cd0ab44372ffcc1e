/* storage.c - storage of elements in host memory: from the engine's pool, or a host's own, wrapped;
 * how it ends, its copies on devices included. */
#include <stdlib.h>

#include "engine/state.h"
#include "store/element_file.h"
#include "store/fetch.h"
#include "store/pool.h"
#include "store/storage.h"
#include "table/dtype.h"

lun_storage *lun__storage_object(lun_engine *e)
{
    lun_storage *s = e->spare_storage;
    if (!lun__account_take_object(e->account, sizeof *s))
        return NULL;
    if (s)
        e->spare_storage = s->chain;
    else if (!(s = malloc(sizeof *s)))
        lun__account_give(e->account, sizeof *s);
    return s;
}

/* Kept for the next one. */
static void put_away(lun_engine *e, lun_storage *s)
{
    lun__account_give(e->account, sizeof *s);
    s->chain = e->spare_storage;
    e->spare_storage = s;
}

lun_status lun__storage_empty(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out)
{
    int64_t bytes, size = lun__dtype_get(t)->bytes;
    int64_t padded = count > INT64_MAX - 63 ? INT64_MAX : (count + 63) / 64 * 64;
    if (__builtin_mul_overflow(padded, size, &bytes))
        return lun__fail(e, LUN_ENOMEM,
                         "out of memory: %lld elements of %s are more than can be addressed",
                         (long long)count, lun_dtype_name(t));
    lun_storage *s = lun__storage_object(e);
    if (!s)
        return lun__fail_nomem(e);
    *s = (lun_storage){.refs = 1, .dtype = t, .count = count, .room = padded, .stale = true};
    *out = s;
    return LUN_OK;
}

/* For messages: why elements that were in a file need memory. */
static const char *of_file(const lun_storage *s)
{
    return s->source ? " from a file (a write or an index needs the whole file in memory)" : "";
}

static lun_status no_memory(lun_engine *e, const lun_storage *s, lun_status why, int64_t bytes)
{
    if (why == LUN_ELIMIT)
        return lun__fail(
            e, LUN_ELIMIT,
            "memory limit reached: %lld bytes for %lld elements of %s%s, %lld of %lld in use",
            (long long)bytes, (long long)s->count, lun_dtype_name(s->dtype), of_file(s),
            (long long)lun__account_used(e->account), (long long)e->account->limit);
    return lun__fail(e, LUN_ENOMEM, "out of memory: %lld bytes for %lld elements of %s%s",
                     (long long)bytes, (long long)s->count, lun_dtype_name(s->dtype), of_file(s));
}

lun_status lun__storage_memory(lun_engine *e, lun_storage *s)
{
    int64_t size = lun__dtype_get(s->dtype)->bytes, bytes = s->room * size;
    lun_status status = lun__pool_take(e->pool, bytes, &s->data, &s->bytes);
    if (status != LUN_OK)
        return no_memory(e, s, status, bytes);
    s->room = (int64_t)((uint64_t)s->bytes >> __builtin_ctz((unsigned)size)); /* 1, 2, 4 or 8 */
    lun__pool_pad(s->data, s->count, size);
    return LUN_OK;
}

lun_status lun__storage_new(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out)
{
    lun_storage *s;
    lun_status status = lun__storage_empty(e, t, count, &s);
    if (status != LUN_OK)
        return status;
    status = lun__storage_memory(e, s);
    if (status != LUN_OK) {
        put_away(e, s);
        return status;
    }
    s->stale = false;
    *out = s;
    return LUN_OK;
}

static void free_mirrors(lun_storage *s)
{
    for (lun_mirror *m = s->mirrors, *next; m; m = next) {
        next = m->next;
        m->at->backend->buffer_free(m->at->state, m->buffer);
        free(m);
    }
    s->mirrors = NULL;
}

void lun__storage_leave(lun_engine *e, lun_storage *s)
{
    free_mirrors(s);
    if (s->placed)
        lun__current_free(e, s->placed);
    lun__element_file_release(e, s->source);
    s->placed = NULL;
    s->source = NULL;
}

void lun__storage_release(lun_engine *e, lun_storage *s)
{
    if (!s || --s->refs)
        return;
    lun__storage_leave(e, s);
    if (s->bytes)
        lun__pool_give(e->pool, s->data, s->bytes);
    else if (s->release)
        s->release(s->data, s->ctx);
    put_away(e, s);
}

void lun__storage_close(lun_engine *e)
{
    for (lun_storage *s = e->spare_storage, *next; s; s = next) {
        next = s->chain;
        free(s);
    }
    e->spare_storage = NULL;
    for (lun_placed *p; (p = e->spare_placed); lun__current_free(NULL, p))
        e->spare_placed = p->next;
}
