/* binding.c - memory for elements that a binding fills itself, and tasks of a binding on a
 * backend's threads. */
#include "api/array/api.h"
#include "lunarray_bind.h"

struct lun_blank {
    lun_engine *e;
    lun_storage *memory;
    lun_later later;
};

static void end_blank(void *object)
{
    lun_blank *b = object;
    lun__storage_release(b->e, b->memory);
    lun__account_object_free(b->e->account, b);
}

lun_status lun_blank_new(lun_engine *e, int64_t n, int bytes, lun_blank **out, void **data)
{
    LUN_NEED(e, out && data);
    lun_storage *s;
    lun_dtype t = LUN_U8;
    for (int k = 0; k < LUN_DTYPE_COUNT; k++)
        if (lun__dtype_get((lun_dtype)k)->bytes == bytes)
            t = (lun_dtype)k;
    if (lun__dtype_get(t)->bytes != bytes)
        return lun__fail(e, LUN_EARG, "no dtype has elements of %d bytes", bytes);
    lun_status status = lun__shape_check(e, 1, &n);
    if (status == LUN_OK)
        status = lun__storage_new(e, t, n, &s);
    if (status != LUN_OK)
        return status;
    lun_blank *b = lun__account_object_new(e->account, sizeof *b);
    if (!b) {
        lun__storage_release(e, s);
        return lun__fail_nomem(e);
    }
    *b = (lun_blank){.e = e, .memory = s};
    *data = s->data;
    *out = b;
    return LUN_OK;
}

void lun_blank_drop(lun_engine *e, lun_blank *b)
{
    if (!e || !b)
        return;
    LUN_RELEASES(e, &b->later, end_blank, b);
    end_blank(b);
}

lun_status lun_blank_vector(lun_engine *e, lun_blank *b, lun_dtype t, lun_array **out)
{
    LUN_NEED(e, b && out);
    lun_storage *s = b->memory;
    if ((unsigned)t >= LUN_DTYPE_COUNT ||
        lun__dtype_get(t)->bytes != lun__dtype_get(s->dtype)->bytes)
        return lun__fail(e, LUN_EDTYPE,
                         "the dtype is not of the size that the memory was made for");
    lun_node *leaf;
    s->dtype = t;
    lun_status status = lun__node_leaf(e, s, 0, 1, &s->count, &leaf);
    if (status == LUN_OK)
        status = lun__array(e, leaf, true, out);
    if (status == LUN_OK)
        end_blank(b);
    return status;
}

bool lun_order_number(int i, const char **name, int64_t *value)
{
    for (int k = 0; i >= 0 && lun__order_numbers[k].name; k++)
        if (k == i) {
            *name = lun__order_numbers[k].name;
            *value = lun__order_numbers[k].value;
            return true;
        }
    return false;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* A backend hands out ranges of whole blocks, their number by the bytes: a task counts as a block
 * of indices and as the bytes of one range. */
enum { PART = 64, PART_BYTES = 512 << 10 };

typedef struct parts {
    void *ctx;
    void (*task)(void *ctx, int64_t k);
} parts;

static void take_parts(void *ctx, int64_t from, int64_t to)
{
    const parts *p = ctx;
    for (int64_t k = from / PART; k < to / PART; k++)
        p->task(p->ctx, k);
}

/* The backend whose threads are used: the one in use, or the native one; NULL: none. */
static lun_backend_slot *sharing(lun_engine *e)
{
    lun_backend_slot *b;
    if (lun__backend(e, &b) == LUN_OK && b->can.shares)
        return b;
    for (int i = 0; i < e->backend_count; i++) {
        b = e->backends[i];
        if (b->backend->is & LUN_IS_NATIVE && lun__backend_open(e, b) == LUN_OK && b->can.shares)
            return b;
    }
    return NULL;
}

void lun_host_share(lun_engine *e, int64_t count, void *ctx, void (*task)(void *ctx, int64_t k))
{
    parts p = {ctx, task};
    if (count <= 0 || !task)
        return;
    __attribute__((cleanup(lun__leave))) lun_engine *taken = NULL;
    const bool shared = e && count > 1 && count < INT64_MAX / PART_BYTES;
    lun_backend_slot *b = shared && lun__enter(e, &taken, __func__) == LUN_OK ? sharing(e) : NULL;
    if (b)
        lun__backend_share(b, count * PART, count * PART_BYTES, &p, take_parts);
    else
        take_parts(&p, 0, count * PART);
}
