/* read_elements.c - elements out of arrays: evaluation on demand, reading, copies. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "eval/eval.h"
#include "lunarray_bind.h"
#include "store/fetch.h"
#include "store/pool.h"

/* Calls work on the nodes of arrays, which are held meanwhile. */
static lun_status with_nodes(lun_engine *e, lun_array *const *arrays, int count,
                             lun_status (*work)(lun_engine *e, lun_node *const *roots, int count))
{
    enum { FEW = 16 };
    lun_node *few[FEW], **roots = count <= FEW ? few : malloc((size_t)count * sizeof *roots);
    int n = 0;
    lun_status s = roots ? LUN_OK : lun__fail_nomem(e);
    e->error_where = NULL;
    few[0] = NULL;
    for (; s == LUN_OK && n < count; n++) {
        s = lun__array_root(e, arrays[n], &roots[n]);
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

/* The same with the validities or imaginary parts of arrays that have them, so that one kernel
 * makes both. */
static lun_status with_parts(lun_engine *e, lun_array *const *arrays, int count,
                             lun_status (*work)(lun_engine *e, lun_node *const *roots, int count))
{
    int more = 0;
    for (int k = 0; k < count; k++)
        more += arrays[k] && !lun_is_freed(arrays[k]) && lun__array_has_second(arrays[k]);
    if (!more)
        return with_nodes(e, arrays, count, work);
    lun_array **all = malloc(((size_t)count + (size_t)more) * sizeof *all);
    if (!all)
        return lun__fail_nomem(e);
    memcpy(all, arrays, (size_t)count * sizeof *all);
    for (int k = 0, at = count; k < count; k++)
        if (arrays[k] && !lun_is_freed(arrays[k]) && lun__array_has_second(arrays[k]))
            all[at++] = lun__array_base(arrays[k])->valid;
    lun_status s = with_nodes(e, all, count + more, work);
    free(all);
    return s;
}

lun_status lun_eval(lun_engine *e, lun_array *const *arrays, int count)
{
    LUN_NEED(e, count >= 0 && (count == 0 || arrays));
    return with_parts(e, arrays, count, lun__eval);
}

lun_status lun_prepare(lun_engine *e, lun_array *const *arrays, int count)
{
    LUN_NEED(e, count >= 0 && (count == 0 || arrays));
    return with_parts(e, arrays, count, lun__run_plan_prepare);
}

/* ---- reading --------------------------------------------------------------------------------- */

lun_status lun__read_check(lun_engine *e, const lun_array *a, int64_t first, int64_t count)
{
    int64_t size = lun_size(a);
    if (first < 0 || count < 0 || first > size || count > size - first)
        return lun__fail(
            e, LUN_ERANGE,
            "elements " LUN_NTH_LONG " to " LUN_NTH_LONG " are out of range: the length is %lld",
            (long long)first, (long long)((uint64_t)first + (uint64_t)count - 1), (long long)size);
    return LUN_OK;
}

/* Elements first .. first + count - 1 of n, which is ready. */
lun_status lun__read_copy_out(lun_engine *e, const lun_node *n, int64_t first, int64_t count,
                              void *host)
{
    lun_status s = LUN_OK;
    if (n->kind == LUN_NODE_NUMBER) {
        lun__dtype_cell_fill((lun_dtype)n->dtype, n->cell, host, count);
        return s;
    }
    lun_host_begin(e); /* a lun_cancel from before is over: a device may still be waited for */
    s = lun__mirror_read(e, n->storage, n->offset + first, count, host);
    lun_host_end(e);
    return s;
}

/* Elements of a view of n, a LEAF, run by run: those of a file are not loaded. */
static lun_status copy_runs(lun_engine *e, const lun_node *n, const lun_layout *l, int64_t first,
                            int64_t count, char *host)
{
    int64_t size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    for (int64_t at = 0, run; at < count; at += run) {
        int64_t place = lun__layout_offset(l, first + at);
        run = 1;
        while (at + run < count && lun__layout_offset(l, first + at + run) == place + run)
            run++;
        lun_status s = lun__read_copy_out(e, n, place, run, host + at * size);
        if (s != LUN_OK)
            return s;
    }
    return LUN_OK;
}

/* Elements of a view of n, a LEAF. */
static lun_status copy_view(lun_engine *e, const lun_node *n, const lun_layout *l, int64_t first,
                            int64_t count, void *host)
{
    enum { FEW = 256 };
    int size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    if (lun__layout_is_dense(l))
        return lun__read_copy_out(e, n, l->offset + first, count, host);
    if (count == 1 || (count <= FEW && n->storage->source))
        return copy_runs(e, n, l, first, count, host);
    lun_status s = lun__mirror_host(e, n->storage, false);
    if (s == LUN_OK)
        lun__strided_read(l, lun__node_leaf_data(n), size, first, count, host);
    return s;
}

lun_status lun__read_settle(lun_engine *e, lun_array *a)
{
    bool waits = a->viewed && !a->parent && !lun__node_ready(a->node);
    return waits && !lun__node_is(a->node, LUN_IS_VIRTUAL) ? lun__eval(e, &a->node, 1) : LUN_OK;
}

/* Elements of a join of several arrays, where few of these contain all of them. */
static lun_status read_joined(lun_engine *e, lun_node *n, int64_t first, int64_t count, void *host,
                              bool *done)
{
    const lun_layout at = {.rank = 1, .offset = first, .extent = {count}, .stride = {1}};
    const lun_node *of = n;
    lun_node *part;
    while (of->kind == LUN_NODE_RESHAPE)
        of = of->in[0];
    if (of->kind != LUN_NODE_CONCAT)
        return LUN_OK;
    lun_status s = lun__view(e, n, &at, &part);
    if (s != LUN_OK)
        return s;
    bool smaller = part->kind != LUN_NODE_VIEW || part->in[0] != of;
    if (smaller && part->kind != LUN_NODE_NUMBER)
        s = lun__eval(e, &part, 1);
    if (s == LUN_OK && smaller)
        s = lun__read_copy_out(e, part, 0, count, host);
    *done = smaller && s == LUN_OK;
    if (*done)
        n->is |= LUN_IS_PEEKED;
    lun__node_release(e, part);
    return s;
}

lun_status lun_read(lun_engine *e, lun_array *a, void *host, int64_t first, int64_t count)
{
    LUN_NEED(e, host || count == 0);
    lun_node *n;
    bool done = false;
    if (a && !lun_is_freed(a) && lun__array_is_complex(a))
        return e->kinds[LUN_KIND_COMPLEX]->read(e, a, host, first, count);
    lun_status s = lun__array_readable(e, a);
    if (s == LUN_OK)
        s = lun__read_check(e, a, first, count);
    e->error_where = NULL;
    if (s == LUN_OK && !a->weak && count >= lun_size(a) / 4)
        s = lun__read_settle(e, a);
    if (s == LUN_OK && count && a->viewed && lun__array_top(a)->node->kind == LUN_NODE_LEAF)
        return copy_view(e, lun__array_top(a)->node, &a->at, first, count, host);
    if (s == LUN_OK)
        s = lun__array_slots(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK || !count) {
        if (s == LUN_OK)
            lun__node_release(e, n);
        return s;
    }
    if (!lun__node_ready(n) && count < n->n / 4)
        s = read_joined(e, n, first, count, host, &done);
    if (s == LUN_OK && !done && !lun__node_ready(n) && count < n->n / 4)
        s = lun__eval_range(e, n, first, count, host, &done);
    if (s == LUN_OK && !done) {
        if (n->kind != LUN_NODE_NUMBER)
            s = lun__eval(e, &n, 1);
        if (s == LUN_OK)
            s = lun__read_copy_out(e, n, first, count, host);
    }
    lun__node_release(e, n);
    return s;
}

/* lun_get of a, which has a validity. */
static lun_status get_slot(lun_engine *e, lun_array *a, int64_t index, lun_value *out)
{
    lun_array *slots, *valid;
    lun_value v, there = {.dtype = LUN_BOOL, .as.u = 1};
    if (lun__array_is_coded(a))
        return lun__array_refuse_logical(e, a);
    lun_status s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_get(e, slots, index, &v);
    if (s == LUN_OK && !lun__dtype_is_float(v.dtype))
        s = lun_get(e, valid, index, &there);
    if (s == LUN_OK && !there.as.u)
        s = lun__fail(e, LUN_EARG, "element " LUN_NTH_LONG " is missing", (long long)index);
    if (s == LUN_OK)
        *out = v;
    lun_release(slots);
    lun_release(valid);
    return s;
}

lun_status lun_get(lun_engine *e, lun_array *a, int64_t index, lun_value *out)
{
    LUN_NEED(e, out);
    if (a && lun_has_missing(a))
        return get_slot(e, a, index, out);
    enum { FEW = 1024 };
    uint64_t cell = 0;
    lun_status s = lun__array_readable(e, a);
    if (s != LUN_OK)
        return s;
    if (a->weak) {
        *out = a->number;
        return LUN_OK;
    }
    lun_node *n = a->viewed ? NULL : a->node;
    if (a->parent && !lun__node_ready(a->parent->node)) {
        s = lun__array_slots(e, a, LUN_DTYPE_COUNT, &n);
        if (s != LUN_OK)
            return s;
        lun__node_release(e, n); /* a keeps it */
    } else if (a->parent) {
        n = NULL;
    }
    bool within = n && index >= 0 && index < n->n;
    e->error_where = NULL;
    /* only the first element of many is computed alone; a later request computes all */
    if (within && !lun__node_is(n, LUN_IS_VIRTUAL) && !lun__node_ready(n) &&
        (lun__node_is(n, LUN_IS_PEEKED) || n->n <= FEW))
        s = lun__eval(e, &n, 1);
    if (s == LUN_OK && within && n->kind == LUN_NODE_LEAF)
        s = lun__read_copy_out(e, n, index, 1, &cell);
    else if (s == LUN_OK)
        s = lun_read(e, a, &cell, index, 1);
    if (s == LUN_OK)
        *out = lun__dtype_cell_to_value(lun__array_stored_dtype(a), cell);
    return s;
}

lun_status lun_is_missing(lun_engine *e, lun_array *a, int64_t index, bool *out)
{
    LUN_NEED(e, out);
    lun_array *valid;
    lun_value there;
    *out = false;
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK || !lun__array_has_validity(a))
        return s;
    s = lun__validity(e, a, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_get(e, valid, index, &there);
    if (s == LUN_OK)
        *out = !there.as.u;
    lun_release(valid);
    return s;
}

lun_status lun_read_slots(lun_engine *e, lun_array *a, void *host, bool *there, int64_t first,
                          int64_t count)
{
    LUN_NEED(e, (host && there) || count == 0);
    lun_array *slots, *valid;
    if (a && lun__array_is_coded(a))
        return lun__array_refuse_logical(e, a);
    lun_status s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun_read(e, slots, host, first, count);
    if (s == LUN_OK && valid)
        s = lun_read(e, valid, there, first, count);
    for (int64_t i = 0; !valid && i < count; i++)
        there[i] = true;
    lun_release(slots);
    lun_release(valid);
    return s;
}

/* The elements of n, a LEAF, that are on the device in use, in storage on it. */
static lun_status copy_on_device(lun_engine *e, const lun_node *n, lun_storage **out)
{
    lun_storage_view to = {.at = lun__layout_right(1, &n->n)},
                     from = {n->storage, n->offset, to.at};
    lun_status s = lun__mirror_result(e, (lun_dtype)n->dtype, n->n, &to.s);
    if (s != LUN_OK)
        return s;
    s = lun__mirror_transfer(e, &to, &from, 0);
    if (s == LUN_OK)
        s = lun__placement_follow(e, n->storage->placed, to.s);
    if (s == LUN_OK)
        *out = to.s;
    else
        lun__storage_release(e, to.s);
    return s;
}

/* The elements of n, a LEAF that is all of a distributed storage, in a copy distributed alike. */
static lun_status copy_dist(lun_engine *e, const lun_node *n, lun_storage **out)
{
    lun_status s = lun__storage_empty(e, (lun_dtype)n->dtype, n->n, out);
    if (s != LUN_OK)
        return s;
    s = lun__host_elements_copy(e, n->storage, *out);
    if (s == LUN_OK)
        s = lun__placement_follow(e, n->storage->placed, *out);
    if (s != LUN_OK)
        lun__storage_release(e, *out);
    return s;
}

lun_status lun__read_private_copy(lun_engine *e, lun_node *n, lun_storage **out)
{
    bool done = lun__node_ready(n), made = !done && lun__node_is(n, LUN_IS_VIRTUAL) && n->n;
    lun_status s = done || made ? LUN_OK : lun__eval(e, &n, 1);
    if (s == LUN_OK && n->kind == LUN_NODE_LEAF && lun__mirror_remote(e, n->storage))
        return copy_on_device(e, n, out);
    if (s == LUN_OK && n->kind == LUN_NODE_LEAF && !n->offset && n->n == n->storage->count &&
        lun__host_elements_alone(e, n->storage))
        return copy_dist(e, n, out);
    const lun_storage *from = s == LUN_OK && n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    if (s == LUN_OK)
        s = lun__storage_new(e, (lun_dtype)n->dtype, n->n, out);
    if (s != LUN_OK)
        return s;
    done = false;
    if (made)
        s = lun__eval_range(e, n, 0, n->n, (*out)->data, &done);
    if (s == LUN_OK && made && !done)
        s = lun__eval(e, &n, 1);
    if (s == LUN_OK && !done)
        s = lun__read_copy_out(e, n, 0, n->n, (*out)->data);
    if (s == LUN_OK && from)
        s = lun__placement_follow(e, from->placed, *out);
    if (s != LUN_OK)
        lun__storage_release(e, *out);
    return s;
}

lun_status lun__read_node_copy(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_storage *copy;
    int64_t shape[LUN_MAX_RANK];
    bool waits = !lun__node_ready(n) && !lun__node_is(n, LUN_IS_VIRTUAL);
    lun_status s = waits && n->refs == 1 ? lun__eval(e, &n, 1) : LUN_OK;
    if (s == LUN_OK && waits && n->refs == 1 && n->kind == LUN_NODE_LEAF && n->storage->refs == 1 &&
        !n->storage->wrapped && !n->storage->source) {
        *out = lun__node_retain(n); /* computed for this alone */
        return LUN_OK;
    }
    if (s == LUN_OK)
        s = lun__read_private_copy(e, n, &copy);
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
    LUN_MOVED(e, a, out, lun_copy(e, moved, made))
    e->error_where = NULL;
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK)
        s = lun__read_settle(e, a);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__read_node_copy(e, n, &leaf);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, leaf, true, out) : s;
}

lun_status lun_copy_later(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    LUN_MOVED(e, a, out, lun_copy_later(e, moved, made))
    const lun_status s = lun__array_usable(e, a);
    const lun_node *n = s == LUN_OK ? a->node : NULL;
    if (!n || a->parent || a->viewed || a->wraps || n->kind != LUN_NODE_LEAF ||
        n->storage->source || (n->storage->wrapped && !n->storage->constant))
        return s == LUN_OK ? lun_copy(e, a, out) : s;
    return lun__array(e, lun__node_retain(a->node), true, out);
}
