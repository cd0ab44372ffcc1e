/* copy_step.c - puts the elements of arrays that are joined into new memory.  Knows neither plans
 * nor kernels. */
#include "steps/step_runners.h"

#include <stdlib.h>

/* Elements on their way from one operand into the memory of all. */
typedef struct copy {
    lun_engine *e;
    char *to;
    int size;      /* bytes of an element */
    lun_layout at; /* the operand's offsets in that memory */
    const lun_node *in;
    lun_layout from; /* an array in memory: its offsets from `base` on */
    const void *base;
} copy;

static void copy_range(void *ctx, int64_t from, int64_t to)
{
    const copy *c = ctx;
    lun__strided_copy(&c->from, c->base, &c->at, c->to, c->size, from, to - from);
}

static void fill_range(void *ctx, int64_t from, int64_t to)
{
    enum { PIECE = 1024 };
    const copy *c = ctx;
    uint64_t piece[PIECE];
    lun__dtype_cell_fill((lun_dtype)c->in->dtype, c->in->cell, piece, PIECE);
    for (int64_t some; from < to; from += some) {
        some = to - from < PIECE ? to - from : PIECE;
        lun__strided_write(&c->at, c->to, c->size, from, some, piece);
    }
}

/* What is in a file or on a device, by pieces, which are put where they belong. */
static lun_status copy_pieces(const copy *c)
{
    enum { PIECE = 8192 };
    const lun_node *in = c->in;
    lun_status s = LUN_OK;
    char *piece = malloc((size_t)PIECE * sizeof(uint64_t));
    if (!piece)
        return lun__fail_nomem(c->e);
    for (int64_t first = 0, some; s == LUN_OK && first < in->n; first += some) {
        some = in->n - first < PIECE ? in->n - first : PIECE;
        s = lun__mirror_read(c->e, in->storage, in->offset + first, some, piece);
        if (s == LUN_OK)
            lun__strided_write(&c->at, c->to, c->size, first, some, piece);
    }
    free(piece);
    return s;
}

static lun_status copy_operand(copy *c)
{
    const lun_node *in = c->in, *whole = in->kind == LUN_NODE_VIEW ? in->in[0] : in;
    lun_status s = LUN_OK;
    if (in->kind == LUN_NODE_VIEW)
        s = lun__mirror_host(c->e, whole->storage, false);
    if (s != LUN_OK)
        return s;
    if (in->kind == LUN_NODE_NUMBER) {
        lun__backend_share_range(c->e, in->n, in->n * c->size, c, fill_range);
        return LUN_OK;
    }
    if (whole->storage->stale && lun__layout_is_dense(&c->at))
        return lun__mirror_read(c->e, in->storage, in->offset, in->n,
                                c->to + c->at.offset * c->size);
    if (whole->storage->stale)
        return copy_pieces(c);
    lun__node_layout(in, &c->from);
    c->base = lun__node_leaf_data(whole);
    lun__backend_share_range(c->e, in->n, in->n * c->size, c, copy_range);
    return LUN_OK;
}

/* Whether some operand's elements are on the device in use alone. */
static bool any_remote(const lun_engine *e, const lun_node *n)
{
    bool any = false;
    for (int k = 0; !any && k < n->count; k++) {
        const lun_node *in = n->more[k], *whole = in->kind == LUN_NODE_VIEW ? in->in[0] : in;
        any = whole->kind == LUN_NODE_LEAF && lun__mirror_remote(e, whole->storage);
    }
    return any;
}

/* The same as copy_operand, on the device in use. */
static lun_status transfer_operand(const copy *c, lun_storage *s)
{
    const lun_node *in = c->in, *whole = in->kind == LUN_NODE_VIEW ? in->in[0] : in;
    const lun_storage_view to = {s, 0, c->at};
    lun_storage_view from = {.s = NULL};
    if (in->kind == LUN_NODE_NUMBER)
        return lun__mirror_transfer(c->e, &to, NULL, in->cell);
    lun__node_layout(in, &from.at);
    from.s = whole->storage;
    from.offset = whole->offset;
    return lun__mirror_transfer(c->e, &to, &from, 0);
}

static lun_status copy_here(copy *c)
{
    c->e->stats.bytes_read += c->in->n * c->size;
    c->e->stats.bytes_written += c->in->n * c->size;
    return copy_operand(c);
}

lun_status lun__copy_step_run(lun_engine *e, lun_node *n)
{
    lun_storage *s;
    const lun_dtype t = (lun_dtype)n->dtype;
    const bool remote = any_remote(e, n);
    lun_status status =
        remote ? lun__mirror_result(e, t, n->n, &s) : lun__storage_new(e, t, n->n, &s);
    if (status != LUN_OK)
        return status;
    copy c = {.e = e, .to = s->data, .size = lun__dtype_get(t)->bytes};
    c.at =
        (lun_layout){.rank = 2, .extent = {n->step}, .stride = {n->step ? n->n / n->step : 0, 1}};
    for (int k = 0; n->n && status == LUN_OK && k < n->count; k++) {
        c.in = n->more[k];
        c.at.extent[1] = c.in->n / n->step;
        if (c.at.extent[1])
            status = remote ? transfer_operand(&c, s) : copy_here(&c);
        c.at.offset += c.at.extent[1];
    }
    if (status != LUN_OK) {
        lun__storage_release(e, s);
        return status;
    }
    lun__node_become_leaf(e, n, s, 0);
    return LUN_OK;
}
