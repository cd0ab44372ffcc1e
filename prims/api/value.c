/* value.c - elements in and out of arrays: evaluation on demand, reading, copy-on-write. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "run/run.h"
#include "store/pool.h"

/* Calls work on the nodes of arrays, which are held meanwhile. */
static lun_status with_nodes(lun_engine *e, lun_array *const *arrays, int count,
                             lun_status (*work)(lun_engine *e, lun_node *const *roots, int count))
{
    enum { FEW = 16 };
    lun_node *few[FEW], **roots = count <= FEW ? few : malloc((size_t)count * sizeof *roots);
    int n = 0;
    lun_status s = roots ? LUN_OK : lun__nomem(e);
    e->error_where = NULL;
    few[0] = NULL;
    for (; s == LUN_OK && n < count; n++) {
        s = lun__node(e, arrays[n], LUN_DTYPE_COUNT, &roots[n]);
        if (s != LUN_OK)
            break;
    }
    if (s == LUN_OK)
        s = work(e, roots, count);
    while (n)
        lun__node_release(e, roots[--n]);
    if (roots != few)
        free(roots);
    return s;
}

lun_status lun_eval(lun_engine *e, lun_array *const *arrays, int count)
{
    LUN_NEED(e, count >= 0 && (count == 0 || arrays));
    return with_nodes(e, arrays, count, lun__run);
}

lun_status lun_prepare(lun_engine *e, lun_array *const *arrays, int count)
{
    LUN_NEED(e, count >= 0 && (count == 0 || arrays));
    return with_nodes(e, arrays, count, lun__prepare);
}

/* ---- reading --------------------------------------------------------------------------------- */

static lun_status check_part(lun_engine *e, const lun_array *a, int64_t first, int64_t count)
{
    int64_t size = lun_size(a);
    if (first < 0 || count < 0 || first > size || count > size - first)
        return lun__fail(
            e, LUN_ERANGE, "elements %lld to %lld are out of range: the length is %lld",
            (long long)first + 1, (long long)first + (long long)count, (long long)size);
    return LUN_OK;
}

static lun_status copy_out(lun_engine *e, const lun_node *n, int64_t first, int64_t count,
                           void *host)
{
    if (n->kind != LUN_NODE_NUMBER)
        return lun__storage_read(e, n->storage, n->offset + first, count, host);
    lun__cell_fill((lun_dtype)n->dtype, n->cell, host, count);
    return LUN_OK;
}

lun_status lun_read(lun_engine *e, lun_array *a, void *host, int64_t first, int64_t count)
{
    LUN_NEED(e, host || count == 0);
    lun_node *n;
    bool done = false;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = check_part(e, a, first, count);
    e->error_where = NULL;
    if (s == LUN_OK)
        s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK || !count) {
        if (s == LUN_OK)
            lun__node_release(e, n);
        return s;
    }
    if (!lun__node_ready(n) && count < n->n / 4)
        s = lun__run_range(e, n, first, count, host, &done);
    if (s == LUN_OK && !done) {
        if (n->kind != LUN_NODE_NUMBER)
            s = lun__run(e, &n, 1);
        if (s == LUN_OK)
            s = copy_out(e, n, first, count, host);
    }
    lun__node_release(e, n);
    return s;
}

lun_status lun_get(lun_engine *e, lun_array *a, int64_t index, lun_value *out)
{
    LUN_NEED(e, out);
    enum { FEW = 1024 };
    uint64_t cell = 0;
    lun_status s = lun__usable(e, a);
    if (s != LUN_OK)
        return s;
    if (a->weak) {
        *out = a->number;
        return LUN_OK;
    }
    lun_node *n = a->node;
    bool within = n && index >= 0 && index < n->n;
    e->error_where = NULL;
    /* the first element alone, of more than a few; where others are asked for, all at once */
    if (within && !lun__node_is(n, LUN_IS_VIRTUAL) && !lun__node_ready(n) &&
        (lun__node_is(n, LUN_IS_PEEKED) || n->n <= FEW))
        s = lun__run(e, &n, 1);
    if (s == LUN_OK && within && n->kind == LUN_NODE_LEAF)
        s = copy_out(e, n, index, 1, &cell);
    else if (s == LUN_OK)
        s = lun_read(e, a, &cell, index, 1);
    if (s == LUN_OK)
        *out = lun__cell_to_value(lun_dtype_of(a), cell);
    return s;
}

/* n's elements in storage with no other reference. A virtual n stays virtual where it can. */
static lun_status private_copy(lun_engine *e, lun_node *n, lun_storage **out)
{
    bool done = lun__node_ready(n);
    lun_status s = lun__storage_new(e, (lun_dtype)n->dtype, n->n, out);
    if (s != LUN_OK)
        return s;
    if (done)
        s = copy_out(e, n, 0, n->n, (*out)->data);
    else if (lun__node_is(n, LUN_IS_VIRTUAL) && n->n)
        s = lun__run_range(e, n, 0, n->n, (*out)->data, &done);
    if (s == LUN_OK && !done) {
        s = lun__run(e, &n, 1);
        if (s == LUN_OK)
            s = copy_out(e, n, 0, n->n, (*out)->data);
    }
    if (s != LUN_OK)
        lun__storage_release(e, *out);
    return s;
}

/* A new leaf on a copy of n's elements. */
static lun_status leaf_on_copy(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_storage *copy;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = private_copy(e, n, &copy);
    if (s != LUN_OK)
        return s;
    lun__node_shape(n, shape);
    s = lun__node_leaf(e, copy, 0, n->rank, shape, out);
    lun__storage_release(e, copy);
    return s;
}

lun_status lun_copy(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, out);
    lun_node *n, *leaf = NULL;
    e->error_where = NULL;
    lun_status s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = leaf_on_copy(e, n, &leaf);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, leaf, true, out) : s;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A new leaf on n's storage; n itself goes on with a copy. */
static lun_status leaf_on_storage(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_storage *copy;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = private_copy(e, n, &copy);
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

/* Makes top's node a LEAF that only top holds.  Others keep the old elements: where they are, since
 * they may be mapped; in a copy if they are in the memory that top wraps, which stays top's. */
static lun_status own(lun_engine *e, lun_array *top)
{
    lun_node *n = top->node, *mine;
    lun_status s = LUN_OK;
    if (n->kind != LUN_NODE_LEAF && n->rank == 0)
        return lun__fail(e, LUN_EARG, "a Scalar cannot be written to");
    bool twin = n->kind != LUN_NODE_LEAF && lun__node_is(n, LUN_IS_VIRTUAL) &&
                n->refs > 1; /* the others stay virtual */
    if (!twin)
        s = lun__run(e, &n, 1);
    if (s != LUN_OK)
        return s;
    bool alone = !twin && n->refs == 1 && n->storage->refs == 1;
    if (alone && (!n->storage->wrapped || top->wraps)) {
        free(n->moments);
        n->moments = NULL;
        return LUN_OK;
    }
    /* others may be garbage that a collector has not met yet */
    if (!twin && lun__pool_refuse(e->pool, n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes))
        return lun__nomem(e);
    s = top->wraps ? leaf_on_storage(e, n, &mine) : leaf_on_copy(e, n, &mine);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, n);
    top->node = mine;
    return LUN_OK;
}

lun_status lun_data(lun_engine *e, lun_array *a, const void **out)
{
    LUN_NEED(e, out);
    int64_t offset = 0;
    lun_status s = lun__usable(e, a);
    e->error_where = NULL;
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "a number has no elements to map");
    if (s != LUN_OK)
        return s;
    lun_array *top = a;
    for (; top->parent; top = top->parent)
        offset += top->offset;
    lun_node *n = top->node; /* a View's elements are those of the array it looks into */
    s = lun__run(e, &n, 1);
    if (s == LUN_OK && n->kind == LUN_NODE_LEAF && n->storage->wrapped && !top->wraps)
        s = own(e, top); /* another array writes to that memory */
    if (s != LUN_OK)
        return s;
    n = top->node;
    if (n->kind != LUN_NODE_NUMBER)
        s = lun__storage_host(e, n->storage, false);
    if (s != LUN_OK)
        return s;
    if (n->kind == LUN_NODE_NUMBER)
        *out = &n->cell;
    else
        *out = lun__leaf_data(n) + offset * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    return LUN_OK;
}

/* Where element `first` of a is to be written. */
static lun_status writable(lun_engine *e, lun_array *a, int64_t first, int64_t count, char **at)
{
    int64_t offset = first;
    lun_array *top = a;
    lun_status s = lun__usable(e, a);
    e->error_where = NULL;
    if (s == LUN_OK && a->weak)
        return lun__fail(e, LUN_EARG, "a number cannot be written to");
    if (s == LUN_OK)
        s = check_part(e, a, first, count);
    for (; s == LUN_OK && top->parent; top = top->parent)
        offset += top->offset;
    if (s == LUN_OK)
        s = own(e, top);
    if (s == LUN_OK)
        s = lun__storage_host(e, top->node->storage, true);
    if (s == LUN_OK)
        *at = lun__leaf_data(top->node) + offset * lun__dtype_get(lun_dtype_of(a))->bytes;
    return s;
}

lun_status lun_write(lun_engine *e, lun_array *a, const void *host, int64_t first, int64_t count)
{
    LUN_NEED(e, host || count == 0);
    char *at;
    lun_status s = writable(e, a, first, count, &at);
    if (s == LUN_OK && count) /* host may be what lun_data gave */
        memmove(at, host, (size_t)count * lun__dtype_get(lun_dtype_of(a))->bytes);
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
    char *at;
    uint64_t cell;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    if (s == LUN_OK)
        s = writable(e, a, index, 1, &at);
    if (s == LUN_OK)
        memcpy(at, &cell, lun__dtype_get(lun_dtype_of(a))->bytes);
    return s;
}

lun_status lun_fill(lun_engine *e, lun_array *a, lun_value x)
{
    LUN_NEED(e, true);
    char *at;
    uint64_t cell;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    if (s == LUN_OK)
        s = writable(e, a, 0, lun_size(a), &at);
    if (s != LUN_OK)
        return s;
    lun__cell_fill(lun_dtype_of(a), cell, at, lun_size(a));
    return LUN_OK;
}

/* source as target's dtype, evaluated: a Scalar, or of target's shape. */
static lun_status prepared(lun_engine *e, const lun_array *target, lun_array *source,
                           lun_node **out)
{
    lun_node *raw, *n = NULL;
    int64_t shape[LUN_MAX_RANK], has[LUN_MAX_RANK];
    int rank = lun_shape(target, shape);
    lun_status s =
        lun__node(e, source, source->weak ? lun_dtype_of(target) : LUN_DTYPE_COUNT, &raw);
    if (s != LUN_OK)
        return s;
    if (raw->rank && raw->n != lun_size(target)) {
        s = lun__fail(e, LUN_ESHAPE, "lengths differ: %lld and %lld", (long long)lun_size(target),
                      (long long)raw->n);
        lun__node_release(e, raw);
        return s;
    }
    s = lun__cast(e, raw, lun_dtype_of(target), &n);
    lun__node_release(e, raw);
    if (s != LUN_OK)
        return s;
    lun__node_shape(n, has);
    if (n->rank && (n->rank != rank || memcmp(has, shape, (size_t)rank * sizeof *has))) {
        raw = n;
        s = lun__node_reshape(e, raw, rank, shape, &n);
        lun__node_release(e, raw);
    }
    if (s == LUN_OK && n->kind != LUN_NODE_NUMBER) {
        s = lun__run(e, &n, 1);
        if (s != LUN_OK)
            lun__node_release(e, n);
    }
    *out = n;
    return s;
}

lun_status lun_store(lun_engine *e, lun_array *target, lun_array *source)
{
    LUN_NEED(e, true);
    lun_node *n = NULL;
    char *at;
    lun_status s = lun__usable(e, target);
    if (s == LUN_OK)
        s = lun__usable(e, source);
    e->error_where = NULL;
    if (s == LUN_OK && target->weak)
        return lun__fail(e, LUN_EARG, "a number cannot be written to");
    if (s == LUN_OK)
        s = prepared(e, target, source, &n);
    if (s != LUN_OK)
        return s;
    lun_node *old = target->node;
    bool plain = !target->parent && !target->wraps;
    bool scalar = n->rank == 0;
    if (plain && !scalar && n->kind == LUN_NODE_LEAF && !n->storage->wrapped &&
        n->storage->refs == 1) {
        target->node = n; /* the new elements as they are, nothing is copied */
        target->made = 1;
        lun__node_release(e, old);
        return LUN_OK;
    }
    int64_t count = lun_size(target);
    s = writable(e, target, 0, count, &at);
    if (s == LUN_OK && scalar) {
        uint64_t cell = 0;
        s = copy_out(e, n, 0, 1, &cell);
        if (s == LUN_OK)
            lun__cell_fill((lun_dtype)n->dtype, cell, at, count);
    } else if (s == LUN_OK) {
        s = copy_out(e, n, 0, count, at);
    }
    lun__node_release(e, n);
    return s;
}
