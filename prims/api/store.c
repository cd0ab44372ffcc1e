/* store.c - an array's elements written into another array or a window: broadcast, converted, and
 * read before any is written. */
#include <string.h>

#include "api/api.h"
#include "api/axes.h"
#include "api/elements.h"
#include "run/run.h"

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
    lun_status s = lun__check_writable(e, target);
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

/* Whether n's elements stand in memory that is not target's, so that they can be read while target
 * is written. */
static bool stands_elsewhere(const lun_array *target, const lun_node *n)
{
    const lun_node *in = n->rank && n->kind == LUN_NODE_VIEW ? n->in[0] : NULL,
                   *into = lun__top(target)->node;
    return in && in->kind == LUN_NODE_LEAF && !in->storage->stale && !in->storage->wrapped &&
           into && into->kind == LUN_NODE_LEAF && into->storage != in->storage &&
           !into->storage->wrapped;
}

/* source as target's dtype, evaluated or in memory elsewhere: a Scalar, or of target's shape, in
 * the order of axes x if there is one. */
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
    if (s == LUN_OK && n->kind != LUN_NODE_NUMBER &&
        !(target->viewed && stands_elsewhere(target, n)))
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

/* Elements on their way from a layout into another. */
typedef struct way {
    const lun_target *to;
    lun_layout from;
    const void *base;
} way;

static void copy_range(void *ctx, int64_t from, int64_t to)
{
    const way *w = ctx;
    lun__layout_copy(&w->from, w->base, &w->to->at, w->to->data, w->to->size, from, to - from);
}

/* n's elements, prepared, in the order of axes x if there is one, into target's. */
static lun_status store_elements(lun_engine *e, lun_array *target, lun_node *n, const lun_axes *x)
{
    lun_target to;
    uint64_t cell = 0;
    lun_status s = lun__writable(e, target, &to);
    if (s != LUN_OK)
        return s;
    if (x)
        lun__target_reorder(&to, x);
    if (n->rank == 0 || n->kind == LUN_NODE_NUMBER) {
        s = lun__copy_out(e, n, 0, 1, &cell);
        if (s == LUN_OK)
            lun__target_fill(e, &to, (lun_dtype)n->dtype, cell);
        return s;
    }
    if (n->kind == LUN_NODE_VIEW) {
        way w = {.to = &to, .base = lun__leaf_data(n->in[0])};
        lun__node_layout(n, &w.from);
        lun__share(e, n->n, n->n * to.size, &w, copy_range);
        return LUN_OK;
    }
    if (to.dense)
        return lun__copy_out(e, n, 0, n->n, to.data + to.at.offset * to.size);
    s = lun__storage_host(e, n->storage, false);
    if (s == LUN_OK)
        lun__target_put(e, &to, 0, n->n, lun__leaf_data(n));
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
