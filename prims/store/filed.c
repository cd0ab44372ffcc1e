/* filed.c - arrays whose elements are a file's bytes: storage that reads them where they are used.
 * Knows no format and no kernel. */
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"
#include "store/source.h"
#include "store/storage.h"
#include "table/dtype.h"

enum { LOAD_BYTES = 16 << 20 }; /* between two looks at whether to stop */

lun_status lun__storage_filed(lun_engine *e, lun_source *source, int64_t start, bool swapped,
                              lun_dtype t, int64_t count, lun_storage **out)
{
    lun_status s = lun__storage_empty(e, t, count, out);
    if (s != LUN_OK)
        return s;
    (*out)->source = lun__source_retain(source);
    (*out)->start = start;
    (*out)->swapped = swapped;
    return LUN_OK;
}

lun_status lun__storage_part(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                             lun_storage **out)
{
    int64_t start = s->start + first * lun__dtype_get(s->dtype)->bytes;
    return lun__storage_filed(e, s->source, start, s->swapped, s->dtype, count, out);
}

/* Any byte but 0 is true. */
static void make_truth(unsigned char *p, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        p[i] = p[i] != 0;
}

#define SWAP(bits)                                              \
    static void swap_##bits(void *at, int64_t count)            \
    {                                                           \
        uint##bits##_t *p = at;                                 \
        for (int64_t i = 0; i < count; i++)                     \
            p[i] = (uint##bits##_t)__builtin_bswap##bits(p[i]); \
    }
SWAP(16)
SWAP(32)
SWAP(64)

int lun__storage_fetch(const lun_storage *s, int64_t first, int64_t count, void *to)
{
    int size = lun__dtype_get(s->dtype)->bytes;
    int failure = lun__source_read(s->source, s->start + first * size, count * size, to);
    if (failure)
        return failure;
    if (lun__dtype_is_bool(s->dtype))
        make_truth(to, count);
    if (s->swapped && size == 2)
        swap_16(to, count);
    else if (s->swapped && size == 4)
        swap_32(to, count);
    else if (s->swapped && size == 8)
        swap_64(to, count);
    return 0;
}

lun_status lun__storage_fetch_all(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                  void *to)
{
    int size = lun__dtype_get(s->dtype)->bytes;
    lun_status status = lun__source_check(e, s->source);
    for (int64_t done = 0, some; status == LUN_OK && done < count; done += some) {
        some = count - done < LOAD_BYTES / size ? count - done : LOAD_BYTES / size;
        int failure = lun__storage_fetch(s, first + done, some, (char *)to + done * size);
        if (failure)
            status = lun__source_fail(e, s->source, failure);
        else if (done + some < count)
            status = lun__stopped(e);
    }
    return status;
}

/* ---- the interface --------------------------------------------------------------------------- */
