/* filed.c - arrays whose elements are a file's bytes: storage that reads them where they are used.  Knows no
 * format and no kernel. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "store/source.h"

enum { LOAD_BYTES = 16 << 20 }; /* between two looks at whether to stop */

/* ---- storage ------------------------------------------------------------------------------------------- */

static lun_status storage_on(lun_engine *e, lun_source *source, int64_t start, bool swapped,
                             lun_dtype t, int64_t count, lun_storage **out)
{
    lun_status s = lun_storage_empty(e, t, count, out);
    if (s != LUN_OK)
        return s;
    (*out)->source = lun_source_retain(source);
    (*out)->start = start;
    (*out)->swapped = swapped;
    return LUN_OK;
}

lun_status lun_storage_part(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                            lun_storage **out)
{
    int64_t start = s->start + first * lun_dtype_get(s->dtype)->bytes;
    return storage_on(e, s->source, start, s->swapped, s->dtype, count, out);
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

int lun_storage_fetch(const lun_storage *s, int64_t first, int64_t count, void *to)
{
    int size = lun_dtype_get(s->dtype)->bytes;
    int failure = lun_source_read(s->source, s->start + first * size, count * size, to);
    if (failure)
        return failure;
    if (s->dtype == LUN_BOOL)
        make_truth(to, count);
    if (s->swapped && size == 2)
        swap_16(to, count);
    else if (s->swapped && size == 4)
        swap_32(to, count);
    else if (s->swapped && size == 8)
        swap_64(to, count);
    return 0;
}

lun_status lun_storage_fetch_all(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                 void *to)
{
    int size = lun_dtype_get(s->dtype)->bytes;
    lun_status status = lun_source_check(e, s->source);
    for (int64_t done = 0, some; status == LUN_OK && done < count; done += some) {
        some = count - done < LOAD_BYTES / size ? count - done : LOAD_BYTES / size;
        int failure = lun_storage_fetch(s, first + done, some, (char *)to + done * size);
        if (failure)
            status = lun_source_fail(e, s->source, failure);
        else if (done + some < count)
            status = lun__stopped(e);
    }
    return status;
}

/* ---- the interface ------------------------------------------------------------------------------------- */

static lun_status array_on(lun_engine *e, lun_storage *s, int rank, const int64_t *shape,
                           lun_array **out)
{
    lun_node *leaf;
    lun_status status = lun_node_leaf(e, s, 0, rank, shape, &leaf);
    lun_storage_release(e, s);
    return status == LUN_OK ? lun__array(e, leaf, true, out) : status;
}

lun_status lun_open_file(lun_engine *e, const char *path, lun_array **out)
{
    LUN_NEED(e, path && out);
    lun_source *source;
    lun_storage *s;
    int64_t size;
    lun_status status = lun_source_open(e, path, &source, &size);
    if (status != LUN_OK)
        return status;
    status = storage_on(e, source, 0, false, LUN_U8, size, &s);
    lun_source_release(source);
    return status == LUN_OK ? array_on(e, s, 1, &size, out) : status;
}

lun_status lun_file_elements(lun_engine *e, lun_array *bytes, int64_t offset, lun_dtype t,
                             bool swapped, int rank, const int64_t *shape, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_status status = lun__usable(e, bytes);
    if (status == LUN_OK && (unsigned)t >= LUN_DTYPE_COUNT)
        status = lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    if (status == LUN_OK)
        status = lun__shape_check(e, rank, shape);
    if (status != LUN_OK)
        return status;
    const lun_node *n = bytes->node;
    if (!n || n->kind != LUN_NODE_LEAF || n->dtype != LUN_U8 || !n->storage->source)
        return lun__fail(e, LUN_EARG,
                         "the array is not the bytes of a file, as lun_open_file gives them");
    int64_t size = lun_dtype_get(t)->bytes, count = 1, needed;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    if (offset < 0 || offset > n->n || __builtin_mul_overflow(count, size, &needed) ||
        needed > n->n - offset)
        return lun__fail(e, LUN_ERANGE,
                         "%lld elements of %s from byte %lld on are not within %lld bytes",
                         (long long)count, lun_dtype_name(t), (long long)offset, (long long)n->n);
    lun_storage *s;
    status = storage_on(e, n->storage->source, n->storage->start + n->offset + offset, swapped, t,
                        count, &s);
    return status == LUN_OK ? array_on(e, s, rank, shape, out) : status;
}

static bool look_for_file(void *found, const lun_node *n)
{
    bool in_file = n->kind == LUN_NODE_LEAF && n->storage->source;
    *(bool *)found |= in_file;
    return !in_file;
}

bool lun_is_streamed(const lun_array *a)
{
    if (!a || a->weak || lun_is_freed(a))
        return false;
    while (a->parent)
        a = a->parent;
    bool found = false;
    lun__walk(a->engine, a->node, look_for_file, &found);
    return found;
}
