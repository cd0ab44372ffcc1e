/* write.c - elements of the host, numbers and constants written into arrays and windows. */
#include <string.h>

#include "api/api.h"
#include "api/axes.h"
#include "api/elements.h"

lun_status lun__check_writable(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK && a->weak)
        return lun__fail(e, LUN_EARG, "a number cannot be written to");
    if (s == LUN_OK && a->viewed && !lun__layout_is_injective(&a->at))
        return lun__fail(e, LUN_EARG,
                         "a window in which several indices share an element cannot be written to: "
                         "write to a copy");
    return s;
}

lun_status lun__writable(lun_engine *e, lun_array *a, lun_target *to)
{
    lun_status s = lun__check_writable(e, a);
    e->error_where = NULL;
    if (s != LUN_OK)
        return s;
    lun_array *top = lun__base(a);
    if (a->parent) { /* the part of what waited: it may hold what is written to */
        lun__node_release(e, a->node);
        a->node = NULL;
    }
    s = lun__own(e, top);
    if (s == LUN_OK)
        s = lun__storage_host(e, top->node->storage, true);
    if (s != LUN_OK)
        return s;
    lun__layout_of(a, &to->at);
    to->data = lun__leaf_data(top->node);
    to->size = lun__dtype_get(lun_dtype_of(a))->bytes;
    to->dense = lun__layout_is_dense(&to->at);
    return LUN_OK;
}

void lun__target_reorder(lun_target *to, const lun_axes *x)
{
    to->at = lun__axes_applied(x, &to->at);
    to->dense = lun__layout_is_dense(&to->at);
}

void lun__target_put(const lun_target *to, int64_t first, int64_t count, const void *host)
{
    if (to->dense) /* host may be what lun_data gave */
        memmove(to->data + (to->at.offset + first) * to->size, host, (size_t)(count * to->size));
    else
        lun__layout_write(&to->at, to->data, to->size, first, count, host);
}

void lun__target_fill(const lun_target *to, lun_dtype t, uint64_t cell)
{
    enum { PIECE = 512 };
    uint64_t piece[PIECE];
    int64_t n = lun__layout_count(&to->at);
    if (to->dense) {
        lun__cell_fill(t, cell, to->data + to->at.offset * to->size, n);
        return;
    }
    lun__cell_fill(t, cell, piece, n < PIECE ? n : PIECE);
    for (int64_t at = 0; at < n; at += PIECE)
        lun__layout_write(&to->at, to->data, to->size, at, n - at < PIECE ? n - at : PIECE, piece);
}

lun_status lun_write(lun_engine *e, lun_array *a, const void *host, int64_t first, int64_t count)
{
    LUN_NEED(e, host || count == 0);
    lun_target to;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = lun__check_part(e, a, first, count);
    if (s == LUN_OK)
        s = lun__writable(e, a, &to);
    if (s == LUN_OK && count)
        lun__target_put(&to, first, count, host);
    return s;
}

static lun_status fitting_cell(lun_engine *e, const lun_array *a, lun_value x, uint64_t *cell)
{
    lun_node *n;
    lun_status s = lun__constant(e, lun_dtype_of(a), x, &n);
    if (s != LUN_OK)
        return s;
    *cell = n->cell;
    lun__node_release(e, n);
    return LUN_OK;
}

lun_status lun_set(lun_engine *e, lun_array *a, int64_t index, lun_value x)
{
    LUN_NEED(e, true);
    lun_target to;
    uint64_t cell;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    if (s == LUN_OK && !a->weak)
        s = lun__check_part(e, a, index, 1);
    if (s == LUN_OK)
        s = lun__writable(e, a, &to);
    if (s == LUN_OK)
        lun__target_put(&to, index, 1, &cell);
    return s;
}

lun_status lun_fill(lun_engine *e, lun_array *a, lun_value x)
{
    LUN_NEED(e, true);
    lun_target to;
    uint64_t cell;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    if (s == LUN_OK)
        s = lun__writable(e, a, &to);
    lun_axes order;
    if (s == LUN_OK && lun__axes_of(a, &order))
        lun__target_reorder(&to, &order);
    if (s == LUN_OK)
        lun__target_fill(&to, lun_dtype_of(a), cell);
    return s;
}
