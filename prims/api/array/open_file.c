/* open_file.c - arrays whose elements are a file's bytes. */
#include "api/array/api.h"
#include "graph/walk.h"
#include "lunarray_bind.h"
#include "store/element_file.h"
#include "store/fetch.h"

static lun_status array_on(lun_engine *e, lun_storage *s, int rank, const int64_t *shape,
                           lun_array **out)
{
    lun_node *leaf;
    lun_status status = lun__node_leaf(e, s, 0, rank, shape, &leaf);
    lun__storage_release(e, s);
    return status == LUN_OK ? lun__array(e, leaf, true, out) : status;
}

lun_status lun_open_file(lun_engine *e, const char *path, lun_array **out)
{
    LUN_NEED(e, path && out);
    lun_source *source;
    lun_storage *s;
    int64_t size;
    lun_status status = lun__element_file_open(e, path, &source, &size);
    if (status != LUN_OK)
        return status;
    status = lun__file_backed_new(e, source, 0, false, 1, LUN_U8, size, &s);
    lun__element_file_release(e, source);
    return status == LUN_OK ? array_on(e, s, 1, &size, out) : status;
}

/* LUN_OK if the array holds the bytes of a file. */
static lun_status check_bytes(lun_engine *e, const lun_array *bytes)
{
    const lun_status status = lun__array_usable(e, bytes);
    if (status != LUN_OK)
        return status;
    const lun_node *n = bytes->node;
    if (!n || n->kind != LUN_NODE_LEAF || !n->storage->source ||
        !lun__dtype_is_unsigned((lun_dtype)n->dtype) || n->storage->form.step != 1)
        return lun__fail(e, LUN_EARG,
                         "the array must hold the bytes of a file, as lun_open_file returns them");
    return LUN_OK;
}

/* step: bytes from one element to the next; 0: they are dense. */
static lun_status find_elements(lun_engine *e, const lun_array *bytes, int64_t offset, int64_t step,
                                lun_dtype t, bool swapped, int rank, const int64_t *shape,
                                lun_storage **out)
{
    lun_status status = check_bytes(e, bytes);
    if (status == LUN_OK && (unsigned)t >= LUN_DTYPE_COUNT)
        status = lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    if (status == LUN_OK)
        status = lun__shape_check(e, rank, shape);
    if (status != LUN_OK)
        return status;
    const lun_node *n = bytes->node;
    lun_infile_form form = {.bytes = lun__dtype_get(t)->bytes};
    int64_t count = 1, needed;
    form.step = step ? step : form.bytes;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    if (form.step < form.bytes)
        return lun__fail(e, LUN_ERANGE, "elements of %d bytes stand %lld bytes apart", form.bytes,
                         (long long)step);
    if (offset < 0 || offset > n->n || !lun__infile_span(count, form, &needed) ||
        needed > n->n - offset)
        return lun__fail(
            e, LUN_ERANGE,
            "%lld elements of %s from byte %lld on do not fit into a file of %lld bytes",
            (long long)count, lun_dtype_name(t), (long long)offset, (long long)n->n);
    return lun__file_backed_new(e, n->storage->source, n->storage->start + n->offset + offset,
                                swapped, form.step, t, count, out);
}

lun_status lun_file_elements(lun_engine *e, lun_array *bytes, int64_t offset, lun_dtype t,
                             bool swapped, int rank, const int64_t *shape, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_storage *s;
    const lun_status status = find_elements(e, bytes, offset, 0, t, swapped, rank, shape, &s);
    return status == LUN_OK ? array_on(e, s, rank, shape, out) : status;
}

lun_status lun_file_load(lun_engine *e, lun_array *bytes, int64_t offset, int64_t step, lun_dtype t,
                         bool swapped, int rank, const int64_t *shape, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_storage *s;
    lun_status status = find_elements(e, bytes, offset, step, t, swapped, rank, shape, &s);
    if (status != LUN_OK)
        return status;
    if (e->set_count)
        status = lun__load_shard_for_good(e, s, rank > 0 && shape[0] ? s->count / shape[0] : 1);
    else
        status = lun__mirror_host(e, s, false);
    if (status == LUN_OK)
        return array_on(e, s, rank, shape, out);
    lun__storage_release(e, s);
    return status;
}

lun_status lun_file_crc(lun_engine *e, lun_array *bytes, int64_t offset, int64_t count,
                        uint32_t *out)
{
    LUN_NEED(e, out);
    const lun_status status = check_bytes(e, bytes);
    if (status != LUN_OK)
        return status;
    const lun_node *n = bytes->node;
    if (offset < 0 || count < 0 || offset > n->n || count > n->n - offset)
        return lun__fail(e, LUN_ERANGE, "%lld bytes from byte %lld on are not in a file of %lld",
                         (long long)count, (long long)offset, (long long)n->n);
    return lun__file_checksum(e, n->storage, n->offset + offset, count, out);
}

bool lun_ranks_read(const lun_engine *e)
{
    LUN_NEED_OR(e, false);
    return lun__load_shard_possible(e);
}

static bool look_for_file(void *found, lun_node *n, const lun_node *user)
{
    (void)user;
    bool in_file = n->kind == LUN_NODE_LEAF && n->storage->source;
    *(bool *)found |= in_file;
    return !in_file;
}

bool lun_is_streamed(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), false);
    if (a->weak || lun_is_freed(a))
        return false;
    a = lun__array_top(a);
    bool found = false;
    lun__walk(++a->engine->walk, a->node,
              &(lun_visitor){LUN_WALK_MARK, NULL, look_for_file, &found});
    return found;
}
