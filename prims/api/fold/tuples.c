/* tuples.c - scans and reductions of several arrays at once, of all elements or along axes: the
 * chunks of segments that run in parallel, in the order of ir/combine_order.h.  How they run is the
 * plan's. */
#include <stdlib.h>

#include "api/fold/lazy.h"
#include "ir/combine_order.h"
#include "lunarray_bind.h"

/* Segments of x's elements, each cut into chunks of LUN_RUNNING_SEGMENT. */
typedef struct tuples {
    lun_several s;
    lun_node *x[LUN_MAX_VALUES];     /* segments one after the other; references, as all of these */
    lun_node *first[LUN_MAX_VALUES]; /* values of each segment */
    lun_node *list[2];               /* chunks, where their lengths differ; NULL: they do not */
    int64_t segments, length, parts; /* parts: chunks of a segment */
} tuples;

static void release(lun_engine *e, lun_node **n, int count)
{
    for (int k = 0; k < count; k++)
        lun__node_release(e, n[k]);
}

static void end(tuples *t)
{
    release(t->s.e, t->x, LUN_MAX_VALUES);
    release(t->s.e, t->first, LUN_MAX_VALUES);
    release(t->s.e, t->list, 2);
    lun__running_end(&t->s);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The first element of each chunk, or its number of elements. */
static lun_status list_of(const tuples *t, bool counts, lun_node **out)
{
    const int64_t all = t->segments * t->parts;
    lun_storage *s;
    lun_status status = lun__storage_new(t->s.e, LUN_I64, all, &s);
    if (status != LUN_OK)
        return status;
    int64_t *to = s->data;
    for (int64_t i = 0; i < all; i++) {
        const int64_t at = i % t->parts * LUN_RUNNING_SEGMENT, rest = t->length - at;
        to[i] = !counts                      ? i / t->parts * t->length + at
                : rest < LUN_RUNNING_SEGMENT ? rest
                                             : LUN_RUNNING_SEGMENT;
    }
    status = lun__node_leaf(t->s.e, s, 0, 1, &all, out);
    lun__storage_release(t->s.e, s);
    return status;
}

/* The k-th first value for each segment. */
static lun_status spread_first(tuples *t, int k)
{
    lun_layout all = {.rank = 1, .extent = {t->segments}};
    if (t->segments != 1)
        return lun__view(t->s.e, t->s.id[k], &all, &t->first[k]);
    t->first[k] = lun__node_retain(t->s.id[k]);
    return LUN_OK;
}

/* Moves the axes in `set` last: segments run along them. */
static lun_status begin(tuples *t, unsigned set)
{
    const lun_node *like = t->s.like;
    int64_t shape[LUN_MAX_RANK];
    lun_status status = LUN_OK;
    int kept;
    lun__node_shape(like, shape);
    t->segments = t->length = 1;
    for (int k = 0; k < like->rank; k++)
        *(set >> k & 1 ? &t->length : &t->segments) *= shape[k];
    t->parts = t->length / LUN_RUNNING_SEGMENT + (t->length % LUN_RUNNING_SEGMENT != 0);
    for (int k = 0; status == LUN_OK && k < t->s.m.values; k++) {
        status = lun__along_node_axes_last(t->s.e, t->s.x[k], set, &kept, &t->x[k]);
        if (status == LUN_OK)
            status = spread_first(t, k);
    }
    const bool even = t->segments <= 1 || t->parts <= 1 || t->length % LUN_RUNNING_SEGMENT == 0;
    for (int k = 0; status == LUN_OK && !even && k < 2; k++)
        status = list_of(t, k == 1, &t->list[k]);
    return status;
}

/* Runs the function along the chunks: their totals, or from the values `from` on. */
static lun_status along_parts(tuples *t, unsigned how, lun_node *const *from, int rank,
                              const int64_t *shape, lun_node **out)
{
    const int64_t length = t->length > LUN_RUNNING_SEGMENT ? LUN_RUNNING_SEGMENT
                           : t->length                     ? t->length
                                                           : 1;
    return lun__running_run(&t->s, how, t->list[0] ? t->list : NULL, from, t->x, length, rank,
                            shape, out);
}

static lun_status totals(tuples *t, lun_node **out)
{
    const int64_t all = t->segments * t->parts;
    return along_parts(t, LUN_RUNNING_BARE | LUN_RUNNING_ENDS, NULL, 1, &all, out);
}

/* The values carried into each chunk. */
static lun_status carries(tuples *t, lun_node **out)
{
    const int64_t all = t->segments * t->parts;
    lun_node *total[LUN_MAX_VALUES];
    for (int k = 0; t->parts <= 1 && k < t->s.m.values; k++)
        out[k] = lun__node_retain(t->first[k]);
    if (t->parts <= 1)
        return LUN_OK;
    lun_status status = totals(t, total);
    if (status != LUN_OK)
        return status;
    status =
        lun__running_run(&t->s, LUN_RUNNING_BEFORE, NULL, t->first, total, t->parts, 1, &all, out);
    release(t->s.e, total, t->s.m.values);
    return status;
}

/* The totals of each segment. */
static lun_status ends(tuples *t, lun_node **out)
{
    lun_node *total[LUN_MAX_VALUES];
    if (!t->length) {
        for (int k = 0; k < t->s.m.values; k++)
            out[k] = lun__node_retain(t->first[k]);
        return LUN_OK;
    }
    if (t->parts == 1)
        return along_parts(t, LUN_RUNNING_ENDS, t->first, 1, &t->segments, out);
    lun_status status = totals(t, total);
    if (status != LUN_OK)
        return status;
    status = lun__running_run(&t->s, LUN_RUNNING_ENDS, NULL, t->first, total, t->parts, 1,
                              &t->segments, out);
    release(t->s.e, total, t->s.m.values);
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* The nodes, whose references it takes, as arrays of that shape; axis, if not negative: where the
 * last axis is moved to. */
static lun_status results(lun_engine *e, lun_node **n, int count, int rank, const int64_t *shape,
                          int axis, lun_array **outs)
{
    lun_status status = LUN_OK;
    int made = 0;
    for (int k = 0; k < count; k++) {
        lun_node *as = NULL;
        if (status == LUN_OK)
            status = axis < 0 ? lun__view_node_reshape(e, n[k], rank, shape, &as)
                              : lun__along_axis_back(e, n[k], axis, &as);
        lun__node_release(e, n[k]);
        if (status == LUN_OK)
            status = lun__array(e, as, false, &outs[k]);
        made += status == LUN_OK;
    }
    while (status != LUN_OK && made)
        lun_release(outs[--made]);
    return status;
}

/* The array of the call that has the shape of all. */
static lun_status axes_of(const tuples *t, lun_array *const *arrays, const int *axes, int count,
                          unsigned *set)
{
    int k = 0;
    while (arrays[k]->weak)
        k++;
    *set = 0;
    return count ? lun__along_axis_set(t->s.e, arrays[k], axes, count, set) : LUN_OK;
}

lun_status lun_scan_several(lun_engine *e, lun_function *f, lun_array *const *ids,
                            lun_array *const *arrays, int count, lun_array *const *extra,
                            int extras, int axis, bool inclusive, lun_array **outs)
{
    LUN_NEED(e, ids && arrays && outs && extras >= 0 && (extras == 0 || extra));
    for (int k = 0; k < count; k++)
        LUN_NO_MISSING(e, arrays[k]);
    tuples t = {.s = {.e = e}};
    lun_node *n[LUN_MAX_VALUES], *carry[LUN_MAX_VALUES] = {NULL};
    int64_t shape[LUN_MAX_RANK], last[LUN_MAX_RANK];
    unsigned set;
    int rank = 0;
    lun_status s = lun__running_begin(&t.s, f, ids, arrays, count, (lun_extras){extra, extras});
    if (s == LUN_OK)
        s = axes_of(&t, arrays, &axis, axis >= 0, &set);
    if (s == LUN_OK)
        s = begin(&t, set ? set : ~0u);
    if (s == LUN_OK)
        s = carries(&t, carry);
    if (s == LUN_OK) {
        rank = t.s.like->rank;
        lun__node_shape(t.s.like, shape);
        for (int k = 0; k < rank; k++)
            last[k] = shape[set && k >= axis ? (k < rank - 1 ? k + 1 : axis) : k];
        s = along_parts(&t, inclusive ? 0 : LUN_RUNNING_BEFORE, carry, rank, last, n);
    }
    release(e, carry, LUN_MAX_VALUES);
    end(&t);
    return s == LUN_OK ? results(e, n, count, rank, shape, set ? axis : -1, outs) : s;
}

lun_status lun_reduce_several(lun_engine *e, lun_function *f, lun_array *const *ids,
                              lun_array *const *arrays, int count, lun_array *const *extra,
                              int extras, const int *axes, int axis_count, bool keep,
                              lun_array **outs)
{
    LUN_NEED(e, ids && arrays && outs && extras >= 0 && (extras == 0 || extra) &&
                    (axis_count <= 0 || axes));
    for (int k = 0; k < count; k++)
        LUN_NO_MISSING(e, arrays[k]);
    tuples t = {.s = {.e = e}};
    lun_node *n[LUN_MAX_VALUES];
    int64_t shape[LUN_MAX_RANK], out[LUN_MAX_RANK];
    unsigned set;
    int rank = 0;
    lun_status s = lun__running_begin(&t.s, f, ids, arrays, count, (lun_extras){extra, extras});
    if (s == LUN_OK)
        s = axes_of(&t, arrays, axes, axis_count, &set);
    set = s == LUN_OK && axis_count ? set : ~0u;
    if (s == LUN_OK)
        s = begin(&t, set);
    if (s == LUN_OK)
        s = ends(&t, n);
    if (s == LUN_OK) {
        lun__node_shape(t.s.like, shape);
        for (int k = 0; k < t.s.like->rank; k++)
            if (!(set >> k & 1) || keep)
                out[rank++] = set >> k & 1 ? 1 : shape[k];
    }
    end(&t);
    return s == LUN_OK ? results(e, n, count, rank, out, -1, outs) : s;
}
