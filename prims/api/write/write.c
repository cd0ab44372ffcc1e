/* write.c - elements of the host, numbers and constants written into arrays and windows. */
#include <string.h>

#include "api/array/api.h"
#include "api/array/axes.h"
#include "api/array/elements.h"
#include "lunarray_bind.h"

lun_status lun__write_check(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && a->weak)
        return lun__fail(e, LUN_EARG, "a number cannot be written to");
    if (s == LUN_OK && a->readonly) {
        char text[96];
        return lun__fail(e, LUN_EARG, "%s is read-only: write to a copy",
                         lun__array_describe(a, text));
    }
    if (s == LUN_OK && a->viewed && !lun__layout_is_injective(&a->at))
        return lun__fail(e, LUN_EARG,
                         "a window in which several indices share an element cannot be written to: "
                         "write to a copy");
    return s;
}

lun_status lun__write_hold(lun_engine *e, lun_array *a)
{
    lun_status s = lun__write_check(e, a);
    e->error_where = NULL;
    if (s != LUN_OK)
        return s;
    if (a->parent) { /* the node of a window: it may hold the memory that is written */
        lun__node_release(e, a->node);
        a->node = NULL;
    }
    return lun__copy_on_write(e, lun__array_base(a));
}

lun_status lun__write_target_of(lun_engine *e, lun_array *a, lun_target *to)
{
    lun_status s = lun__write_hold(e, a);
    if (s == LUN_OK)
        s = lun__mirror_host(e, lun__array_base(a)->node->storage, true);
    if (s != LUN_OK)
        return s;
    lun__array_layout(a, &to->at);
    to->data = lun__node_leaf_data(lun__array_base(a)->node);
    to->size = lun__dtype_get(lun__array_stored_dtype(a))->bytes;
    to->dense = lun__layout_is_dense(&to->at);
    return LUN_OK;
}

lun_status lun__write_on_device(lun_engine *e, lun_array *a, const lun_axes *x, const lun_node *n,
                                bool *done)
{
    lun_storage_view to, from = {.s = NULL};
    lun_status s = lun__write_hold(e, a);
    *done = false;
    if (s != LUN_OK)
        return s;
    const lun_node *top = lun__array_base(a)->node, *in = n->kind == LUN_NODE_VIEW ? n->in[0] : n;
    if (in->kind == LUN_NODE_LEAF && in->storage == top->storage)
        return LUN_OK;
    if (e->set_count)
        return lun__write_dist(e, a, x, n, done);
    if (!lun__mirror_remote(e, top->storage))
        return LUN_OK;
    to.s = top->storage;
    to.offset = top->offset;
    lun__array_layout(a, &to.at);
    if (x)
        to.at = lun__axes_applied(x, &to.at);
    *done = true;
    if (n->kind == LUN_NODE_NUMBER)
        return lun__mirror_transfer(e, &to, NULL, n->cell);
    from.s = in->storage;
    from.offset = in->offset;
    lun__node_layout(n, &from.at);
    return lun__mirror_transfer(e, &to, &from, 0);
}

void lun__write_target_reorder(lun_target *to, const lun_axes *x)
{
    to->at = lun__axes_applied(x, &to->at);
    to->dense = lun__layout_is_dense(&to->at);
}

/* Elements written into a target: those of the host from element `first` on, or a cell. */
typedef struct put {
    const lun_target *to;
    int64_t first;
    const char *host;
    lun_dtype dtype;
    uint64_t cell;
} put;

static void put_range(void *ctx, int64_t from, int64_t to)
{
    const put *p = ctx;
    const lun_target *t = p->to;
    lun__strided_write(&t->at, t->data, t->size, p->first + from, to - from,
                       p->host + from * t->size);
}

void lun__write_target_put(lun_engine *e, const lun_target *to, int64_t first, int64_t count,
                           const void *host)
{
    if (to->dense) /* host may be memory of lun_data */
        memmove(to->data + (to->at.offset + first) * to->size, host, (size_t)(count * to->size));
    else
        lun__backend_share_range(e, count, count * to->size, &(put){to, first, host, 0, 0},
                                 put_range);
}

static void fill_range(void *ctx, int64_t from, int64_t to)
{
    enum { PIECE = 512 };
    const put *p = ctx;
    const lun_target *t = p->to;
    uint64_t piece[PIECE];
    lun__dtype_cell_fill(p->dtype, p->cell, piece, to - from < PIECE ? to - from : PIECE);
    for (int64_t some; from < to; from += some) {
        some = to - from < PIECE ? to - from : PIECE;
        lun__strided_write(&t->at, t->data, t->size, from, some, piece);
    }
}

void lun__write_target_fill(lun_engine *e, const lun_target *to, lun_dtype t, uint64_t cell)
{
    int64_t n = lun__layout_count(&to->at);
    lun__backend_share_range(e, n, n * to->size, &(put){to, 0, NULL, t, cell}, fill_range);
}

/* Elements first .. first + count - 1 of a, which were written, are there. */
static lun_status are_there(lun_engine *e, lun_array *a, int64_t first, int64_t count)
{
    lun_array *valid;
    lun_target to;
    if (!lun__array_has_validity(a))
        return LUN_OK;
    lun_status s = lun__validity(e, a, &valid);
    if (s != LUN_OK)
        return s;
    s = lun__write_target_of(e, valid, &to);
    for (int64_t i = 0; s == LUN_OK && i < count; i++)
        lun__write_target_put(e, &to, first + i, 1, &(bool){true});
    lun_release(valid);
    return s;
}

/* All elements of a, which were written, are there. */
static lun_status all_there(lun_engine *e, lun_array *a)
{
    lun_array *valid;
    if (!lun__array_has_validity(a))
        return LUN_OK;
    if (!a->parent) {
        lun_release(a->valid);
        a->valid = NULL;
        return LUN_OK;
    }
    lun_status s = lun__validity(e, a, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_fill(e, valid, (lun_value){.dtype = LUN_BOOL, .as.u = 1});
    lun_release(valid);
    return s;
}

/* a is usable, and no text nor complex: numbers can be its elements. */
static lun_status numeric(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && lun__array_is_coded(a))
        s = lun__array_refuse_logical(e, a);
    return s;
}

lun_status lun_write(lun_engine *e, lun_array *a, const void *host, int64_t first, int64_t count)
{
    LUN_NEED(e, host || count == 0);
    lun_target to;
    if (a && !lun_is_freed(a) && lun__array_is_complex(a))
        return e->kinds[LUN_KIND_COMPLEX]->write(e, a, host, first, count);
    lun_status s = numeric(e, a);
    if (s == LUN_OK)
        s = lun__read_check(e, a, first, count);
    if (s == LUN_OK)
        s = lun__write_target_of(e, a, &to);
    if (s == LUN_OK && count)
        lun__write_target_put(e, &to, first, count, host);
    return s == LUN_OK ? are_there(e, a, first, count) : s;
}

static lun_status fitting_cell(lun_engine *e, const lun_array *a, lun_value x, uint64_t *cell)
{
    lun_node *n;
    lun_status s = lun__array_constant(e, lun__array_stored_dtype(a), x, &n);
    if (s != LUN_OK)
        return s;
    *cell = n->cell;
    lun__node_release(e, n);
    return LUN_OK;
}

lun_status lun__write_slot(lun_engine *e, lun_array *a, int64_t index, const void *slot)
{
    lun_target to;
    lun_status s = a->weak ? LUN_OK : lun__read_check(e, a, index, 1);
    if (s == LUN_OK)
        s = lun__write_target_of(e, a, &to);
    if (s == LUN_OK)
        lun__write_target_put(e, &to, index, 1, slot);
    return s == LUN_OK ? are_there(e, a, index, 1) : s;
}

lun_status lun_set(lun_engine *e, lun_array *a, int64_t index, lun_value x)
{
    LUN_NEED(e, true);
    uint64_t cell;
    if (a && !lun_is_freed(a) && lun__array_is_complex(a))
        return e->kinds[LUN_KIND_COMPLEX]->number(e, a, index < 0 ? INT64_MAX : index, x);
    lun_status s = numeric(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    return s == LUN_OK ? lun__write_slot(e, a, index, &cell) : s;
}

lun_status lun_fill(lun_engine *e, lun_array *a, lun_value x)
{
    LUN_NEED(e, true);
    if (a && !lun_is_freed(a) && lun__array_is_complex(a))
        return e->kinds[LUN_KIND_COMPLEX]->number(e, a, LUN__EVERY_ELEMENT, x);
    lun_target to;
    lun_node *n;
    lun_axes order;
    bool done = false;
    lun_status s = numeric(e, a);
    if (s == LUN_OK)
        s = lun__array_constant(e, lun__array_stored_dtype(a), x, &n);
    if (s != LUN_OK)
        return s;
    s = lun__write_on_device(e, a, NULL, n, &done);
    if (s == LUN_OK && !done) {
        s = lun__write_target_of(e, a, &to);
        if (s == LUN_OK && lun__axes_of(a, &order))
            lun__write_target_reorder(&to, &order);
        if (s == LUN_OK)
            lun__write_target_fill(e, &to, lun__array_stored_dtype(a), n->cell);
    }
    lun__node_release(e, n);
    return s == LUN_OK ? all_there(e, a) : s;
}

lun_status lun__write_validity(lun_engine *e, lun_array *a)
{
    lun_array *base = lun__array_base(a);
    int64_t shape[LUN_MAX_RANK];
    lun_node *n;
    lun_status s = lun__write_check(e, a);
    if (s != LUN_OK || base->valid)
        return s;
    lun__node_shape(base->node, shape);
    s = lun__node_number(e, LUN_BOOL, 1, base->node->rank, shape, &n);
    if (s != LUN_OK)
        return s;
    return base->viewed ? lun__array_viewed(e, n, &base->at, true, &base->valid)
                        : lun__array(e, n, true, &base->valid);
}

lun_status lun_set_missing(lun_engine *e, lun_array *a, int64_t index)
{
    LUN_NEED(e, true);
    lun_array *valid;
    lun_status s = a && lun__array_is_complex(a) ? lun__array_refuse_gaps(e) : LUN_OK;
    if (s == LUN_OK)
        s = lun__write_validity(e, a);
    const uint64_t blank =
        s == LUN_OK ? lun__dtype_cell_from_value(lun__array_stored_dtype(a),
                                                 lun__validity_blank(lun__array_stored_dtype(a)))
                    : 0;
    if (s == LUN_OK)
        s = lun__write_slot(e, a, index, &blank);
    if (s == LUN_OK)
        s = lun__validity(e, a, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_set(e, valid, index, (lun_value){.dtype = LUN_BOOL});
    lun_release(valid);
    return s;
}
