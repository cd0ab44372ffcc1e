/* copy_on_write.c - the memory of arrays: elements mapped in place, and copy-on-write, which makes
 * an array the only holder of its elements.
 *
 * Invariant: elements are written only through an array whose node is a LEAF with one reference on
 * a storage with one reference (lun__copy_on_write), or on the memory that the array itself
 * wraps; every other holder of that storage was given a copy before. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "eval/eval.h"
#include "store/export.h"
#include "store/pool.h"

/* A new leaf on n's storage; n itself goes on with a copy. */
static lun_status leaf_on_storage(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_storage *copy;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__read_private_copy(e, n, &copy);
    if (s != LUN_OK)
        return s;
    lun__node_shape(n, shape);
    s = lun__node_leaf(e, n->storage, n->offset, n->rank, shape, out);
    if (s != LUN_OK) {
        lun__storage_release(e, copy);
        return s;
    }
    lun__storage_release(e, n->storage); /* n's own reference */
    n->storage = copy;
    n->offset = 0;
    return LUN_OK;
}

lun_status lun__copy_on_write(lun_engine *e, lun_array *top)
{
    lun_node *n = top->node, *mine;
    lun_status s = LUN_OK;
    const bool scalar = n->kind != LUN_NODE_LEAF && n->rank == 0; /* evaluated it is a NUMBER */
    bool twin = !scalar && n->kind != LUN_NODE_LEAF && lun__node_is(n, LUN_IS_VIRTUAL) &&
                n->refs > 1; /* the others stay virtual */
    if (!twin)
        s = lun__eval(e, &n, 1);
    if (s != LUN_OK)
        return s;
    lun__exports_collect(e);
    bool alone = !twin && !scalar && n->refs == 1 && n->storage->refs == 1;
    if (alone && (!n->storage->wrapped || top->wraps)) {
        free(n->moments);
        n->moments = NULL;
        return LUN_OK;
    }
    /* other holders may be garbage that is not collected yet */
    if (!twin && lun__pool_refuse(e->pool, n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes))
        return lun__fail_nomem(e);
    s = top->wraps ? leaf_on_storage(e, n, &mine) : lun__read_node_copy(e, n, &mine);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, n);
    top->node = mine;
    return LUN_OK;
}

/* a's elements as they are in host memory: of its top's node, a LEAF or NUMBER. */
static lun_status mapped(lun_engine *e, lun_array *a, lun_node **out)
{
    lun_array *top = lun__array_base(a);
    lun_node *n = top->node;
    lun_status s = lun__eval(e, &n, 1);
    if (s == LUN_OK && n->kind == LUN_NODE_LEAF && n->storage->wrapped && !n->storage->constant &&
        !top->wraps)
        s = lun__copy_on_write(e, top); /* another array may write to that memory */
    if (s != LUN_OK)
        return s;
    *out = n = top->node;
    return n->kind == LUN_NODE_NUMBER ? LUN_OK : lun__mirror_host(e, n->storage, false);
}

/* A dense copy of the strided elements of a, which lives as long as a. */
static lun_status show(lun_engine *e, lun_array *a, const void **out)
{
    lun_node *n, *copy;
    lun_status s = lun__read_settle(e, a);
    if (s == LUN_OK)
        s = lun__array_slots(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__read_node_copy(e, n, &copy);
    lun__node_release(e, n);
    if (s != LUN_OK)
        return s;
    s = lun__mirror_host(e, copy->storage, false);
    if (s != LUN_OK) {
        lun__node_release(e, copy);
        return s;
    }
    lun__node_release(e, a->shown);
    a->shown = copy;
    *out = lun__node_leaf_data(copy);
    return LUN_OK;
}

static lun_status check_mapped(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__array_readable(e, a);
    e->error_where = NULL;
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "a number has no elements to map");
    return s;
}

lun_status lun_data(lun_engine *e, lun_array *a, const void **out)
{
    LUN_NEED(e, out);
    lun_node *n;
    lun_status s = check_mapped(e, a);
    if (s == LUN_OK && a->viewed && !lun__layout_is_dense(&a->at))
        return show(e, a, out);
    if (s == LUN_OK)
        s = mapped(e, a, &n);
    if (s != LUN_OK)
        return s;
    if (n->kind == LUN_NODE_NUMBER)
        *out = &n->cell;
    else
        *out = lun__node_leaf_data(n) +
               (a->viewed ? a->at.offset : 0) * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    return LUN_OK;
}

lun_status lun_data_strided(lun_engine *e, lun_array *a, const void **out,
                            int64_t strides[LUN_MAX_RANK])
{
    LUN_NEED(e, out && strides);
    lun_node *n;
    lun_layout l;
    lun_status s = check_mapped(e, a);
    if (s == LUN_OK)
        s = mapped(e, a, &n);
    if (s != LUN_OK)
        return s;
    if (n->kind == LUN_NODE_NUMBER)
        return lun_data(e, a, out);
    lun__array_layout(a, &l);
    memcpy(strides, l.stride, (size_t)l.rank * sizeof *strides);
    *out = lun__node_leaf_data(n) + l.offset * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    return LUN_OK;
}
