/* write_dist.c - distributed writes: each location of a set writes the elements of its shard, whose
 * values are moved to it first. Knows no kernel. */
#include <stdlib.h>
#include <string.h>

#include "api/array/elements.h"
#include "store/fetch.h"

/* Layouts `to` and `from` of elements of storages, with the same indices. */
typedef struct writing {
    lun_engine *e;
    lun_storage *to, *of; /* of: NULL: all become the cell of n */
    const lun_node *n;
    lun_layout at, from;
    int size; /* bytes of an element */
} writing;

/* The indices of a location: some along one axis. */
typedef struct share {
    lun_layout at, from;
    int64_t lo, hi; /* the elements lo .. hi - 1 of the target have them; lo == hi: none */
} share;

/* The axis with the largest stride. */
static int slowest(const lun_layout *l)
{
    int axis = 0;
    for (int k = 1; k < l->rank; k++)
        if (l->extent[axis] == 1 ||
            (l->extent[k] > 1 && llabs(l->stride[k]) > llabs(l->stride[axis])))
            axis = k;
    return axis;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many of n multiples of step are below `end`. */
static int64_t steps_before(int64_t end, int64_t step, int64_t n)
{
    return end <= 0 ? 0 : least((end - 1) / step + 1, n);
}

/* The indices whose elements are in a shard. False: a slice along the axis is in two shards. */
static bool find_share(const writing *w, int axis, lun_interval part, share *out)
{
    lun_layout slice = w->at;
    const int64_t n = slice.extent[axis], step = llabs(slice.stride[axis]);
    int64_t low, high, first, last;
    *out = (share){w->at, w->from, 0, 0};
    slice.extent[axis] = 1;
    if (slice.stride[axis] < 0)
        slice.offset += (n - 1) * slice.stride[axis]; /* the lowest slice */
    if (!lun__layout_range(&slice, &low, &high) || (!step && n > 1))
        return false;
    first = steps_before(part.lo - low, step ? step : 1, n);
    last = steps_before(part.hi - low, step ? step : 1, n);
    if (first >= last)
        return true;
    if (high + (last - 1) * step >= part.hi)
        return false;
    if (slice.stride[axis] < 0) {
        const int64_t from = n - last;
        last = n - first;
        first = from;
    }
    out->at.extent[axis] = out->from.extent[axis] = last - first;
    out->at.offset += first * out->at.stride[axis];
    out->from.offset += first * out->from.stride[axis];
    if (!lun__layout_range(&out->at, &out->lo, &out->hi))
        return false;
    out->hi++;
    return true;
}

static bool find_shares(const writing *w, const lun_interval *part, share *all)
{
    const int axis = slowest(&w->at), places = lun__state_places(w->e);
    int64_t found = 0;
    for (int k = 0; k < places; k++) {
        if (!find_share(w, axis, part[k], &all[k]))
            return false;
        found += all[k].lo < all[k].hi ? all[k].at.extent[axis] : 0;
    }
    return found == w->at.extent[axis];
}

/* Makes current what a location needs, which may fail. */
static lun_status prepare(const writing *w, lun_backend_slot *at, const share *x)
{
    lun_piece *piece;
    int64_t low, high;
    const bool all = lun__layout_count(&x->at) == x->hi - x->lo;
    lun_status s =
        (all ? lun__fetch_room : lun__fetch_ensure)(w->e, w->to, at, x->lo, x->hi, &piece);
    if (s != LUN_OK || !w->of)
        return s;
    if (!lun__layout_range(&x->from, &low, &high))
        return lun__fail_nomem(w->e);
    return lun__fetch_ensure(w->e, w->of, at, low, high + 1, &piece);
}

typedef struct copying {
    const share *x;
    const char *from;
    char *to;
    int size;
} copying;

static void copy_range(void *ctx, int64_t from, int64_t to)
{
    const copying *c = ctx;
    lun__strided_copy(&c->x->from, c->from, &c->x->at, c->to, c->size, from, to - from);
}

/* Writes; x's layouts become those of elements of the locations' memory. */
static lun_status write(const writing *w, lun_backend_slot *at, share *x)
{
    const lun_piece *to = lun__current_piece(w->to->placed, at); /* there is one */
    const lun_piece *from = w->of ? lun__current_piece(w->of->placed, at) : NULL;
    const int64_t n = lun__layout_count(&x->at);
    x->at.offset -= to->lo;
    x->from.offset -= from ? from->lo : 0;
    if (to->buffer) {
        const lun_transfer t = {.bytes = w->size,
                                .to = to->buffer,
                                .from = from ? from->buffer : NULL,
                                .at = x->at,
                                .of = x->from,
                                .cell = w->n->cell};
        return lun__state_transfer(at, &t);
    }
    copying c = {x, from ? from->data : (const char *)&w->n->cell, to->data, w->size};
    if (!from) {
        x->from.offset = 0;
        memset(x->from.stride, 0, sizeof x->from.stride);
    }
    lun__backend_share_range(w->e, n, n * w->size, &c, copy_range);
    return LUN_OK;
}

/* all: room for a share of each location. */
static lun_status write_shares(writing *w, const lun_interval *part, share *all, bool *done)
{
    const int places = lun__state_places(w->e);
    lun_status s = LUN_OK;
    *done = find_shares(w, part, all);
    if (!*done)
        return LUN_OK;
    for (int k = 0; s == LUN_OK && k < places; k++)
        if (all[k].lo < all[k].hi)
            s = prepare(w, lun__set_at(w->e, k), &all[k]);
    s = lun__fetch_settled(w->e, s);
    if (s == LUN_OK)
        s = lun__host_elements_writes(w->e, w->to, places);
    for (int k = 0; s == LUN_OK && k < places; k++) {
        if (all[k].lo >= all[k].hi)
            continue;
        s = write(w, lun__set_at(w->e, k), &all[k]);
        if (s == LUN_OK)
            lun__host_elements_wrote(w->to, lun__set_at(w->e, k), all[k].lo, all[k].hi);
    }
    return s;
}

static lun_status write_all(writing *w, int64_t unit, bool *done)
{
    const size_t places = (size_t)lun__state_places(w->e);
    lun_interval *part = calloc(places, sizeof *part);
    share *all = calloc(places, sizeof *all);
    lun_status s =
        part && all ? lun__host_elements_owners(w->e, w->to, unit, part) : lun__fail_nomem(w->e);
    if (s == LUN_OK)
        s = write_shares(w, part, all, done);
    free(part);
    free(all);
    return s;
}

/* The elements of a slice of n along its first axis. */
static int64_t slice_of(const lun_node *n)
{
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(n, shape);
    return n->rank > 1 && shape[0] ? n->n / shape[0] : 1;
}

static bool same_extents(const lun_layout *a, const lun_layout *b)
{
    bool same = a->rank == b->rank;
    for (int k = 0; same && k < a->rank; k++)
        same = a->extent[k] == b->extent[k];
    return same;
}

lun_status lun__write_dist(lun_engine *e, lun_array *a, const lun_axes *x, const lun_node *n,
                           bool *done)
{
    const lun_node *top = lun__array_base(a)->node, *in = n->kind == LUN_NODE_VIEW ? n->in[0] : n;
    writing w = {.e = e, .to = top->storage, .n = n};
    *done = false;
    lun__array_layout(a, &w.at);
    if (!lun__host_elements_takes(e, w.to) || !lun__layout_count(&w.at))
        return LUN_OK;
    w.size = lun__dtype_get((lun_dtype)top->dtype)->bytes;
    if (x)
        w.at = lun__axes_applied(x, &w.at);
    w.at.offset += top->offset;
    w.from = w.at;
    if (n->kind != LUN_NODE_NUMBER) {
        w.of = in->storage;
        lun__node_layout(n, &w.from);
        w.from.offset += in->offset;
    }
    if (!(w.to->stale || (w.of && w.of->stale)) || !same_extents(&w.at, &w.from))
        return LUN_OK;
    lun_status s = w.to->stale ? lun__fetch_merge(e, w.to) : LUN_OK;
    if (s == LUN_OK && w.of && w.of->source)
        s = lun__mirror_host(e, w.of, false);
    return s == LUN_OK ? write_all(&w, slice_of(top), done) : s;
}
