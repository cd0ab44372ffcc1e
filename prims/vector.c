/* vector.c - storage of elements: from the engine's pool, or a host's own memory wrapped. */
#include <stdlib.h>

#include "engine.h"
#include "node.h"

lun_status lun_storage_new(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out)
{
    int64_t bytes, room, size = lun_dtype_get(t)->bytes;
    int64_t padded = count > INT64_MAX - 63 ? INT64_MAX : (count + 63) / 64 * 64;
    if (__builtin_mul_overflow(padded, size, &bytes))
        return lun__fail(e, LUN_ENOMEM,
                         "out of memory: %lld elements of %s are more than can be addressed",
                         (long long)count, lun_dtype_name(t));
    lun_storage *s = malloc(sizeof *s);
    void *data = NULL;
    if (!s)
        return lun__nomem(e);
    lun_status status = lun_pool_take(e->pool, bytes, &data, &room);
    if (status != LUN_OK) {
        free(s);
        if (status == LUN_ELIMIT)
            return lun__fail(
                e, LUN_ELIMIT,
                "memory limit reached: %lld bytes for %lld elements of %s, %lld of %lld in use",
                (long long)bytes, (long long)count, lun_dtype_name(t),
                (long long)e->stats.allocated, (long long)e->memory_limit);
        return lun__fail(e, LUN_ENOMEM, "out of memory: %lld bytes for %lld elements of %s",
                         (long long)bytes, (long long)count, lun_dtype_name(t));
    }
    *s = (lun_storage){1, t, count, room / size, room, data, NULL, NULL};
    *out = s;
    return LUN_OK;
}

void lun_storage_release(lun_engine *e, lun_storage *s)
{
    if (!s || --s->refs)
        return;
    if (s->bytes)
        lun_pool_give(e->pool, s->data, s->bytes);
    else if (s->release)
        s->release(s->data, s->ctx);
    free(s);
}
