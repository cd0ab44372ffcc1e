/* store.c - an array's elements written into another array or a window: broadcast, converted, and
 * read before any is written. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/axes.h"
#include "api/array/elements.h"
#include "eval/eval.h"
#include "store/fetch.h"

/* The layout `from` broadcast to that shape: extents of 1 may grow. */
static bool spread(lun_layout from, int rank, const int64_t *shape, lun_layout *out)
{
    int more = 0;
    while (from.rank - more > rank && from.extent[more] == 1)
        more++;
    from.rank -= more;
    memmove(from.extent, from.extent + more, (size_t)from.rank * sizeof *from.extent);
    memmove(from.stride, from.stride + more, (size_t)from.rank * sizeof *from.stride);
    return lun__shape_broadcast(&from, rank, shape, out);
}

lun_status lun_storable(lun_engine *e, const lun_array *target, const lun_array *source)
{
    LUN_NEED(e, true);
    char to[96], from[96];
    lun_layout at, wanted, spare;
    lun_status s = lun__write_check(e, target);
    if (s == LUN_OK)
        s = lun__array_present(e, source);
    if (s != LUN_OK || source->weak)
        return s;
    lun__array_layout(source, &at);
    lun__array_layout(target, &wanted);
    if (spread(at, wanted.rank, wanted.extent, &spare))
        return LUN_OK;
    if (at.rank == 1 && wanted.rank == 1)
        return lun__fail(e, LUN_ESHAPE, "lengths differ: %s and %s",
                         lun__array_describe(target, to), lun__array_describe(source, from));
    return lun__shape_misfit(e, lun__array_describe(source, from), &at,
                             lun__array_describe(target, to), wanted.rank, wanted.extent);
}

/* Exchanges the reference *n, no Scalar, for one broadcast to that shape, which it goes with. */
static lun_status fitted(lun_engine *e, lun_node **n, int rank, const int64_t *shape)
{
    int64_t has[LUN_MAX_RANK];
    lun_node *as = NULL;
    lun_layout to;
    lun__node_shape(*n, has);
    if ((*n)->rank == 0 || ((*n)->rank == rank && !memcmp(has, shape, (size_t)rank * sizeof *has)))
        return LUN_OK;
    spread(lun__layout_right((*n)->rank, has), rank, shape, &to);
    lun_status s = lun__layout_count(&to) == (*n)->n
                       ? lun__view_node_reshape(e, *n, rank, shape, &as)
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

enum { FEW = 8 };

/* Sources as nodes of their targets' dtypes, Scalars or of the targets' shapes. */
typedef struct assignment {
    lun_node *n;
    lun_axes order;    /* in which the elements are, */
    const lun_axes *x; /* or NULL: row-major */
} assignment;

/* Whether n's elements are in memory that is no target's, so that they can be read while windows
 * are written. */
static bool is_elsewhere(lun_array *const *targets, int count, const lun_node *n)
{
    const lun_node *in = n->rank && n->kind == LUN_NODE_VIEW ? n->in[0] : NULL;
    bool disjoint = in && in->kind == LUN_NODE_LEAF && !in->storage->stale && !in->storage->wrapped;
    for (int t = 0; disjoint && t < count; t++) {
        const lun_node *into = lun__array_top(targets[t])->node;
        disjoint = targets[t]->viewed && into && into->kind == LUN_NODE_LEAF &&
                   into->storage != in->storage && !into->storage->wrapped;
    }
    return disjoint;
}

/* Prepares source for target; evaluates nothing. */
static lun_status prepare(lun_engine *e, const lun_array *target, lun_array *source, assignment *a)
{
    lun_node *raw;
    int64_t shape[LUN_MAX_RANK], spare[LUN_MAX_RANK];
    int rank = lun_shape(target, shape);
    a->n = NULL;
    a->x = lun__axes_of(target, &a->order) ? &a->order : NULL;
    const lun_axes *along = a->x && lun_shape(source, spare) <= rank ? a->x : NULL;
    lun_status s = lun__axes_node(
        e, source, source->weak ? lun__array_stored_dtype(target) : LUN_DTYPE_COUNT, along, &raw);
    if (s != LUN_OK)
        return s;
    if (along)
        lun__axes_shape(along, shape);
    s = lun__convert(e, raw, lun__array_stored_dtype(target), &a->n);
    if (s == LUN_OK)
        s = fitted(e, &a->n, rank, shape);
    if (s == LUN_OK && a->x && !along)
        s = turned(e, &a->n, a->x);
    lun__node_release(e, raw);
    return s;
}

/* Exchanges the reference *n, a LEAF on target's memory, for one to a copy, so that old elements
 * are read before new ones are written. */
static lun_status copy_aside(lun_engine *e, const lun_array *target, lun_node **n)
{
    const lun_node *into = lun__array_top(target)->node;
    lun_node *copy;
    if ((*n)->kind != LUN_NODE_LEAF || into->kind != LUN_NODE_LEAF ||
        (*n)->storage != into->storage || *n == into)
        return LUN_OK;
    lun_status s = lun__read_node_copy(e, *n, &copy);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, *n);
    *n = copy;
    return LUN_OK;
}

/* Evaluates all sources that are not in memory, and copies those in a target's memory. */
static lun_status evaluate(lun_engine *e, lun_array *const *targets, assignment *all, int count)
{
    lun_node *few[FEW], **roots = count <= FEW ? few : malloc((size_t)count * sizeof *roots);
    int waiting = 0;
    for (int k = 0; roots && k < count; k++)
        if (all[k].n->kind != LUN_NODE_NUMBER && !is_elsewhere(targets, count, all[k].n))
            roots[waiting++] = all[k].n;
    lun_status s = !roots ? lun__fail_nomem(e) : waiting ? lun__eval(e, roots, waiting) : LUN_OK;
    if (roots != few)
        free(roots);
    for (int k = 0; k < count; k++)
        for (int t = 0; s == LUN_OK && t < count; t++)
            s = copy_aside(e, targets[t], &all[k].n);
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

/* Whether sources are kernel results, enough of them to have the kernel write into the targets, and
 * no other array holds the targets' memory. */
static bool may_be_straight(const lun_array *target, const assignment *a)
{
    enum { LEAST = 256 << 10 }; /* bytes: below, planning takes longer than a copy */
    const lun_node *top = lun__array_top(target)->node;
    const bool views = a->n->kind == LUN_NODE_VIEW && a->n->in[0]->kind == LUN_NODE_LEAF;
    return a->n->rank && !views && top->kind == LUN_NODE_LEAF && top->refs == 1 &&
           top->storage->refs == 1 && (!top->storage->wrapped || lun__array_top(target)->wraps) &&
           !is_whole(target, a->x) &&
           a->n->n >= LEAST / lun__dtype_get((lun_dtype)top->dtype)->bytes;
}

/* Whether they have different nodes and their ranges of memory are disjoint. */
static bool are_disjoint(const lun_storage_view *p, const lun_node *n, const lun_storage_view *q,
                         const lun_node *m)
{
    int64_t low[2], high[2];
    if (n == m || !lun__layout_range(&p->at, &low[0], &high[0]) ||
        !lun__layout_range(&q->at, &low[1], &high[1]))
        return false;
    return p->s != q->s || high[0] < low[1] || high[1] < low[0];
}

/* Evaluates all sources into their targets. *done: false if that is not possible; nothing is
 * written then. */
static lun_status store_straight(lun_engine *e, lun_array *const *targets, const assignment *all,
                                 int count, bool *done)
{
    lun_storage_view to[FEW];
    lun_node *roots[FEW];
    lun_status s = LUN_OK;
    bool can = count > 0 && count <= FEW;
    *done = false;
    for (int k = 0; can && k < count; k++)
        can = may_be_straight(targets[k], &all[k]);
    for (int k = 0; can && s == LUN_OK && k < count; k++) {
        s = lun__write_hold(e, targets[k]);
        const lun_node *top = lun__array_top(targets[k])->node;
        roots[k] = all[k].n;
        to[k] = (lun_storage_view){.s = top->storage, .offset = top->offset};
        lun__array_layout(targets[k], &to[k].at);
        if (all[k].x)
            to[k].at = lun__axes_applied(all[k].x, &to[k].at);
        for (int j = 0; can && j < k; j++)
            can = are_disjoint(&to[j], roots[j], &to[k], roots[k]);
    }
    return can && s == LUN_OK ? lun__into_destination(e, roots, count, to, done) : s;
}

/* A copy from one layout into another. */
typedef struct way {
    const lun_target *to;
    lun_layout from;
    const void *base;
} way;

static void copy_range(void *ctx, int64_t from, int64_t to)
{
    const way *w = ctx;
    lun__strided_copy(&w->from, w->base, &w->to->at, w->to->data, w->to->size, from, to - from);
}

/* a's elements, prepared, into target's. */
static lun_status store_elements(lun_engine *e, lun_array *target, const assignment *a)
{
    lun_target to;
    lun_node *n = a->n;
    uint64_t cell = 0;
    bool done = false;
    lun_status s = LUN_OK;
    if (n->rank || n->kind == LUN_NODE_NUMBER)
        s = lun__write_on_device(e, target, a->x, n, &done);
    if (s == LUN_OK && !done)
        s = lun__write_target_of(e, target, &to);
    if (s != LUN_OK || done)
        return s;
    if (a->x)
        lun__write_target_reorder(&to, a->x);
    if (n->rank == 0 || n->kind == LUN_NODE_NUMBER) {
        s = lun__read_copy_out(e, n, 0, 1, &cell);
        if (s == LUN_OK)
            lun__write_target_fill(e, &to, (lun_dtype)n->dtype, cell);
        return s;
    }
    if (n->kind == LUN_NODE_VIEW) {
        way w = {.to = &to, .base = lun__node_leaf_data(n->in[0])};
        lun__node_layout(n, &w.from);
        lun__backend_share_range(e, n->n, n->n * to.size, &w, copy_range);
        return LUN_OK;
    }
    if (to.dense)
        return lun__read_copy_out(e, n, 0, n->n, to.data + to.at.offset * to.size);
    s = lun__mirror_host(e, n->storage, false);
    if (s == LUN_OK)
        lun__write_target_put(e, &to, 0, n->n, lun__node_leaf_data(n));
    return s;
}

static lun_status store(lun_engine *e, lun_array *target, const assignment *a)
{
    lun_node *n = a->n, *old = target->node;
    if (!is_whole(target, a->x) || !n->rank || n->kind != LUN_NODE_LEAF || n->storage->wrapped ||
        n->storage->refs != 1)
        return store_elements(e, target, a);
    const lun_placed *was = old->kind == LUN_NODE_LEAF ? old->storage->placed
                            : old->extended            ? old->wish
                                                       : NULL;
    lun_status s = was ? lun__placement_follow(e, was, n->storage) : LUN_OK;
    if (s != LUN_OK)
        return s;
    target->node = lun__node_retain(n); /* the new elements as they are, nothing is copied */
    target->made = 1;
    lun__node_release(e, old);
    return LUN_OK;
}

/* Slots into slots: of arrays with validities, too. */
static lun_status store_slots(lun_engine *e, lun_array *const *targets, lun_array *const *sources,
                              int count)
{
    assignment few[FEW], *all = count <= FEW ? few : malloc((size_t)count * sizeof *all);
    lun_status s = all ? LUN_OK : lun__fail_nomem(e);
    int made = 0, stored = 0;
    bool done = false;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        s = lun_storable(e, targets[k], sources[k]);
        e->error_operand = s == LUN_OK ? 0 : k + 1;
    }
    if (s == LUN_OK)
        e->error_where = NULL;
    while (s == LUN_OK && made < count) {
        s = prepare(e, targets[made], sources[made], &all[made]);
        made++;
    }
    if (s == LUN_OK)
        s = store_straight(e, targets, all, count, &done);
    if (s == LUN_OK && !done)
        s = evaluate(e, targets, all, count);
    for (; s == LUN_OK && !done && stored < count; stored++)
        s = store(e, targets[stored], &all[stored]);
    while (made)
        lun__node_release(e, all[--made].n);
    if (all != few)
        free(all);
    return s;
}

lun_status lun__store_parts(lun_engine *e, lun_array *target, lun_array *source, lun_array *from[2])
{
    lun_array *fit = NULL; /* with what stands in slots of the target's dtype */
    lun_status s = LUN_OK;
    if (lun__array_logical(target) || lun__array_logical(source))
        return lun__logical_adopt(e, target, source, &from[0], &from[1]);
    if (lun__array_has_validity(source))
        s = lun_cast(e, source, lun__array_stored_dtype(target), &fit);
    if (s == LUN_OK)
        s = lun_missing_parts(e, fit ? fit : source, &from[0], &from[1]);
    lun_release(fit);
    return s;
}

/* source into target, where one of them has a validity or a logical dtype: the slots, then which
 * are there. */
static lun_status store_parts(lun_engine *e, lun_array *target, lun_array *source)
{
    lun_array *from[2], *to[2] = {target, NULL}, *there = NULL;
    lun_status s = lun_storable(e, target, source);
    if (s == LUN_OK)
        s = lun__store_parts(e, target, source, from);
    if (s != LUN_OK)
        return s;
    if (!from[1] && !lun__array_has_second(target)) {
        s = store_slots(e, to, from, 1);
        lun_release(from[0]);
        return s;
    }
    if (!from[1])
        s = lun_boolean(e, true, &there);
    lun_array *sources[2] = {from[0], from[1] ? from[1] : there};
    if (s == LUN_OK)
        s = lun__write_validity(e, target);
    if (s == LUN_OK)
        s = lun__validity(e, target, &to[1]);
    if (s == LUN_OK)
        s = store_slots(e, to, sources, 2);
    lun_release(from[0]);
    lun_release(from[1]);
    lun_release(to[1]);
    lun_release(there);
    return s;
}

lun_status lun_store_all(lun_engine *e, lun_array *const *targets, lun_array *const *sources,
                         int count)
{
    LUN_NEED(e, count >= 0 && (count == 0 || (targets && sources)));
    bool missing = false;
    for (int k = 0; k < count; k++)
        missing |=
            targets[k] && sources[k] &&
            (lun_has_missing(targets[k]) || lun_has_missing(sources[k]) ||
             lun__array_some_logical(&targets[k], 1) || lun__array_some_logical(&sources[k], 1));
    if (!missing)
        return store_slots(e, targets, sources, count);
    if (count > 1)
        return lun__fail(
            e, LUN_EARG,
            "arrays with missing elements, and texts, are stored one by one, not together");
    return store_parts(e, targets[0], sources[0]);
}

lun_status lun_store(lun_engine *e, lun_array *target, lun_array *source)
{
    return lun_store_all(e, &target, &source, 1);
}
