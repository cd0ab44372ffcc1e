/* value.c - elements in and out of arrays: evaluation on demand, reading, copy-on-write. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/axes.h"
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
        s = lun__root(e, arrays[n], &roots[n]);
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

/* Elements first .. first + count - 1 of n, which is ready. */
static lun_status copy_out(lun_engine *e, const lun_node *n, int64_t first, int64_t count,
                           void *host)
{
    if (n->kind != LUN_NODE_NUMBER)
        return lun__storage_read(e, n->storage, n->offset + first, count, host);
    lun__cell_fill((lun_dtype)n->dtype, n->cell, host, count);
    return LUN_OK;
}

/* Elements of a view of n, a LEAF, run by run: what is in a file stays there. */
static lun_status copy_runs(lun_engine *e, const lun_node *n, const lun_layout *l, int64_t first,
                            int64_t count, char *host)
{
    int64_t size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    for (int64_t at = 0, run; at < count; at += run) {
        int64_t place = lun__layout_place(l, first + at);
        run = 1;
        while (at + run < count && lun__layout_place(l, first + at + run) == place + run)
            run++;
        lun_status s = copy_out(e, n, place, run, host + at * size);
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
        return copy_out(e, n, l->offset + first, count, host);
    if (count == 1 || (count <= FEW && n->storage->source))
        return copy_runs(e, n, l, first, count, host);
    lun_status s = lun__storage_host(e, n->storage, false);
    if (s == LUN_OK)
        lun__layout_read(l, lun__leaf_data(n), size, first, count, host);
    return s;
}

/* Evaluates what a, which is not row-major, waits for, in its own order, so that it is kept. */
static lun_status settle(lun_engine *e, lun_array *a)
{
    bool waits = a->viewed && !a->parent && !lun__node_ready(a->node);
    return waits && !lun__node_is(a->node, LUN_IS_VIRTUAL) ? lun__run(e, &a->node, 1) : LUN_OK;
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
    if (s == LUN_OK && !a->weak && count >= lun_size(a) / 4)
        s = settle(e, a);
    if (s == LUN_OK && count && a->viewed && lun__top(a)->node->kind == LUN_NODE_LEAF)
        return copy_view(e, lun__top(a)->node, &a->at, first, count, host);
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
    lun_node *n = a->viewed ? NULL : a->node;
    if (a->parent && !lun__node_ready(a->parent->node)) {
        s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
        if (s != LUN_OK)
            return s;
        lun__node_release(e, n); /* a keeps it */
    } else if (a->parent) {
        n = NULL;
    }
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

lun_status lun__node_copy(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_storage *copy;
    int64_t shape[LUN_MAX_RANK];
    bool waits = !lun__node_ready(n) && !lun__node_is(n, LUN_IS_VIRTUAL);
    lun_status s = waits && n->refs == 1 ? lun__run(e, &n, 1) : LUN_OK;
    if (s == LUN_OK && waits && n->refs == 1 && n->kind == LUN_NODE_LEAF && n->storage->refs == 1 &&
        !n->storage->wrapped && !n->storage->source) {
        *out = lun__node_retain(n); /* computed for this alone */
        return LUN_OK;
    }
    if (s == LUN_OK)
        s = private_copy(e, n, &copy);
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
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = settle(e, a);
    if (s == LUN_OK)
        s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__node_copy(e, n, &leaf);
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
    s = top->wraps ? leaf_on_storage(e, n, &mine) : lun__node_copy(e, n, &mine);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, n);
    top->node = mine;
    return LUN_OK;
}

/* a's elements as they stand in memory that can be read: of its top's node, a LEAF or NUMBER. */
static lun_status mapped(lun_engine *e, lun_array *a, lun_node **out)
{
    lun_array *top = lun__base(a);
    lun_node *n = top->node;
    lun_status s = lun__run(e, &n, 1);
    if (s == LUN_OK && n->kind == LUN_NODE_LEAF && n->storage->wrapped && !top->wraps)
        s = own(e, top); /* another array writes to that memory */
    if (s != LUN_OK)
        return s;
    *out = n = top->node;
    return n->kind == LUN_NODE_NUMBER ? LUN_OK : lun__storage_host(e, n->storage, false);
}

/* A copy of the elements of a, which do not stand side by side, that lives as long as a. */
static lun_status show(lun_engine *e, lun_array *a, const void **out)
{
    lun_node *n, *copy;
    lun_status s = settle(e, a);
    if (s == LUN_OK)
        s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__node_copy(e, n, &copy);
    lun__node_release(e, n);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, a->shown);
    a->shown = copy;
    *out = lun__leaf_data(copy);
    return LUN_OK;
}

static lun_status check_mapped(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__usable(e, a);
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
        *out = lun__leaf_data(n) +
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
    lun__layout_of(a, &l);
    memcpy(strides, l.stride, (size_t)l.rank * sizeof *strides);
    *out = lun__leaf_data(n) + l.offset * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    return LUN_OK;
}

/* Elements that are to be written: those of `at` from `data` on. */
typedef struct destination {
    char *data;
    lun_layout at;
    int size; /* bytes of an element */
    bool dense;
} destination;

static lun_status check_writable(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK && a->weak)
        return lun__fail(e, LUN_EARG, "a number cannot be written to");
    if (s == LUN_OK && a->viewed && !lun__layout_is_injective(&a->at))
        return lun__fail(e, LUN_EARG,
                         "a window whose indices share elements cannot be written to: write to a "
                         "copy");
    return s;
}

/* a's elements, which nothing else holds then. */
static lun_status writable(lun_engine *e, lun_array *a, destination *to)
{
    lun_status s = check_writable(e, a);
    e->error_where = NULL;
    if (s != LUN_OK)
        return s;
    lun_array *top = lun__base(a);
    if (a->parent) { /* the part of what waited: it may hold what is written to */
        lun__node_release(e, a->node);
        a->node = NULL;
    }
    s = own(e, top);
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

/* The same elements with their axes in that order. */
static void reorder(destination *to, const lun_axes *x)
{
    to->at = lun__axes_applied(x, &to->at);
    to->dense = lun__layout_is_dense(&to->at);
}

/* Elements first .. first + count - 1 from host. */
static void put(const destination *to, int64_t first, int64_t count, const void *host)
{
    if (to->dense) /* host may be what lun_data gave */
        memmove(to->data + (to->at.offset + first) * to->size, host, (size_t)(count * to->size));
    else
        lun__layout_write(&to->at, to->data, to->size, first, count, host);
}

/* All elements become the cell. */
static void put_cell(const destination *to, lun_dtype t, uint64_t cell)
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
    destination to;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = check_part(e, a, first, count);
    if (s == LUN_OK)
        s = writable(e, a, &to);
    if (s == LUN_OK && count)
        put(&to, first, count, host);
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
    destination to;
    uint64_t cell;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    if (s == LUN_OK && !a->weak)
        s = check_part(e, a, index, 1);
    if (s == LUN_OK)
        s = writable(e, a, &to);
    if (s == LUN_OK)
        put(&to, index, 1, &cell);
    return s;
}

lun_status lun_fill(lun_engine *e, lun_array *a, lun_value x)
{
    LUN_NEED(e, true);
    destination to;
    uint64_t cell;
    lun_status s = lun__usable(e, a);
    if (s == LUN_OK)
        s = fitting_cell(e, a, x, &cell);
    if (s == LUN_OK)
        s = writable(e, a, &to);
    lun_axes order;
    if (s == LUN_OK && lun__axes_of(a, &order))
        reorder(&to, &order);
    if (s == LUN_OK)
        put_cell(&to, lun_dtype_of(a), cell);
    return s;
}

/* How what stands at `from` is broadcast to that shape; extents of 1 may be more. */
static bool spread(lun_layout from, int rank, const int64_t *shape, lun_layout *out)
{
    int more = 0;
    while (from.rank - more > rank && from.extent[more] == 1)
        more++;
    from.rank -= more;
    memmove(from.extent, from.extent + more, (size_t)from.rank * sizeof *from.extent);
    memmove(from.stride, from.stride + more, (size_t)from.rank * sizeof *from.stride);
    return lun__broadcast(&from, rank, shape, out);
}

lun_status lun_storable(lun_engine *e, const lun_array *target, const lun_array *source)
{
    char to[96], from[96];
    lun_layout at, wanted, spare;
    lun_status s = check_writable(e, target);
    if (s == LUN_OK)
        s = lun__usable(e, source);
    if (s != LUN_OK || source->weak)
        return s;
    lun__layout_of(source, &at);
    lun__layout_of(target, &wanted);
    if (spread(at, wanted.rank, wanted.extent, &spare))
        return LUN_OK;
    if (at.rank == 1 && wanted.rank == 1)
        return lun__fail(e, LUN_ESHAPE, "lengths differ: %lld and %lld",
                         (long long)wanted.extent[0], (long long)at.extent[0]);
    return lun__fail(e, LUN_ESHAPE, "%s does not broadcast to %s", lun__describe(source, from),
                     lun__describe(target, to));
}

/* n, with a reference that is exchanged, in that shape, which it goes with; not a Scalar. */
static lun_status fitted(lun_engine *e, lun_node **n, int rank, const int64_t *shape)
{
    int64_t has[LUN_MAX_RANK];
    lun_node *as = NULL;
    lun_layout to;
    lun__node_shape(*n, has);
    if ((*n)->rank == 0 || ((*n)->rank == rank && !memcmp(has, shape, (size_t)rank * sizeof *has)))
        return LUN_OK;
    spread(lun__layout_right((*n)->rank, has), rank, shape, &to);
    lun_status s = lun__layout_count(&to) == (*n)->n ? lun__node_reshape(e, *n, rank, shape, &as)
                                                     : lun__view(e, *n, &to, &as);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, *n);
    *n = as;
    return LUN_OK;
}

/* Exchanges the reference *n, of an array's shape or a Scalar's, for one to it in that order. */
static lun_status turned(lun_engine *e, lun_node **n, const lun_axes *x)
{
    lun_node *other;
    if ((*n)->rank == 0)
        return LUN_OK;
    lun_layout right = lun__layout_right(x->rank, x->extent), l = lun__axes_applied(x, &right);
    lun_status s = lun__view(e, *n, &l, &other);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, *n);
    *n = other;
    return LUN_OK;
}

/* source as target's dtype, evaluated: a Scalar, or of target's shape, in the order of axes x if
 * there is one. */
static lun_status prepared(lun_engine *e, const lun_array *target, lun_array *source,
                           const lun_axes *x, lun_node **out)
{
    lun_node *raw, *n = NULL;
    int64_t shape[LUN_MAX_RANK], spare[LUN_MAX_RANK];
    int rank = lun_shape(target, shape);
    const lun_axes *along = x && lun_shape(source, spare) <= rank ? x : NULL;
    lun_status s = lun__node_along(e, source, source->weak ? lun_dtype_of(target) : LUN_DTYPE_COUNT,
                                   along, &raw);
    if (s != LUN_OK)
        return s;
    if (along)
        lun__axes_shape(along, shape);
    s = lun__cast(e, raw, lun_dtype_of(target), &n);
    if (s == LUN_OK)
        s = fitted(e, &n, rank, shape);
    if (s == LUN_OK && x && !along)
        s = turned(e, &n, x);
    lun__node_release(e, raw);
    if (s == LUN_OK && n->kind != LUN_NODE_NUMBER)
        s = lun__run(e, &n, 1);
    if (s != LUN_OK)
        lun__node_release(e, n);
    *out = n;
    return s;
}

/* Exchanges the reference *n, a LEAF on target's memory, for one to a copy, so that old elements
 * are read before new ones are written. */
static lun_status set_apart(lun_engine *e, const lun_array *target, lun_node **n)
{
    const lun_node *into = lun__top(target)->node;
    lun_node *copy;
    if (!target->viewed || (*n)->kind != LUN_NODE_LEAF || into->kind != LUN_NODE_LEAF ||
        (*n)->storage != into->storage || *n == into)
        return LUN_OK;
    lun_status s = lun__node_copy(e, *n, &copy);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, *n);
    *n = copy;
    return LUN_OK;
}

/* n's elements, evaluated, in the order of axes x if there is one, into target's. */
static lun_status store_elements(lun_engine *e, lun_array *target, lun_node *n, const lun_axes *x)
{
    destination to;
    uint64_t cell = 0;
    lun_status s = writable(e, target, &to);
    if (s != LUN_OK)
        return s;
    if (x)
        reorder(&to, x);
    if (n->rank == 0 || n->kind == LUN_NODE_NUMBER) {
        s = copy_out(e, n, 0, 1, &cell);
        if (s == LUN_OK)
            put_cell(&to, (lun_dtype)n->dtype, cell);
        return s;
    }
    if (to.dense)
        return copy_out(e, n, 0, n->n, to.data + to.at.offset * to.size);
    s = lun__storage_host(e, n->storage, false);
    if (s == LUN_OK)
        put(&to, 0, n->n, lun__leaf_data(n));
    return s;
}

/* Whether target's elements are all that its node has, in that order, in memory of the engine. */
static bool is_whole(const lun_array *target, const lun_axes *x)
{
    if (target->parent || target->wraps || !target->viewed)
        return !target->parent && !target->wraps;
    if (!x)
        return false;
    lun_layout l = lun__axes_applied(x, &target->at);
    return l.offset == 0 && lun__layout_is_dense(&l) && lun__layout_count(&l) == target->node->n;
}

lun_status lun_store(lun_engine *e, lun_array *target, lun_array *source)
{
    LUN_NEED(e, true);
    lun_node *n = NULL;
    lun_axes order;
    lun_status s = lun_storable(e, target, source);
    e->error_where = NULL;
    const lun_axes *x = s == LUN_OK && lun__axes_of(target, &order) ? &order : NULL;
    if (s == LUN_OK)
        s = prepared(e, target, source, x, &n);
    if (s != LUN_OK)
        return s;
    lun_node *old = target->node;
    if (is_whole(target, x) && n->rank && n->kind == LUN_NODE_LEAF && !n->storage->wrapped &&
        n->storage->refs == 1) {
        target->node = n; /* the new elements as they are, nothing is copied */
        target->made = 1;
        lun__node_release(e, old);
        return LUN_OK;
    }
    s = set_apart(e, target, &n);
    if (s == LUN_OK)
        s = store_elements(e, target, n, x);
    lun__node_release(e, n);
    return s;
}
