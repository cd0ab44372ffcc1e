/* along.c - reductions and scans along axes: the operand transposed so that kept axes are in front,
 * its segments reduced, the result in the shape asked for. */
#include <math.h>

#include "api/array/api.h"
#include "api/fold/lazy.h"
#include "eval/eval.h"
#include "store/fetch.h"
#include "table/skeleton.h"

enum { LEAST_ROWS = 1 << 15 /* elements, for several locations to combine them */ };

/* An operand and the axes of a reduction. */
typedef struct along {
    lun_engine *e;
    lun_node *x;           /* kept axes in front, then those that are reduced; a reference */
    lun_segments segments; /* shape: the kept extents, then 1 for each axis that is reduced */
    int64_t count;         /* segments */
    int kept;              /* axes */
    unsigned set;          /* axes that are reduced */
    int rank;              /* of the result */
    int64_t shape[LUN_MAX_RANK];
} along;

lun_status lun__along_axis_set(lun_engine *e, const lun_array *a, const int *axes, int count,
                               unsigned *out)
{
    int64_t shape[LUN_MAX_RANK];
    char text[96];
    int rank = lun_shape(a, shape);
    *out = count ? 0 : (1u << rank) - 1;
    if (count < 0 && count != LUN_NO_AXES)
        return lun__fail(e, LUN_ESHAPE, "the number of axes is negative: %d", count);
    for (int k = 0; k < count; k++) {
        if (axes[k] < 0 || axes[k] >= rank)
            return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: %s has %d", axes[k],
                             lun__array_describe(a, text), rank);
        if (*out >> axes[k] & 1)
            return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " of %s is given twice", axes[k],
                             lun__array_describe(a, text));
        *out |= 1u << axes[k];
    }
    return LUN_OK;
}

lun_status lun__along_node_axes_last(lun_engine *e, lun_node *n, unsigned set, int *kept,
                                     lun_node **out)
{
    int64_t shape[LUN_MAX_RANK];
    lun_layout to = {.rank = 0};
    const int rank = n->rank;
    lun__node_shape(n, shape);
    lun_layout right = lun__layout_right(rank, shape);
    for (int late = 0; late < 2; late++) {
        for (int k = 0; k < rank; k++) {
            if ((int)(set >> k & 1) != late)
                continue;
            to.extent[to.rank] = shape[k];
            to.stride[to.rank++] = right.stride[k];
        }
        if (!late)
            *kept = to.rank;
    }
    if (rank)
        return lun__view(e, n, &to, out);
    *out = lun__node_retain(n);
    return LUN_OK;
}

lun_status lun__along_axes_last(lun_engine *e, lun_array *a, unsigned set, int *kept,
                                lun_node **out)
{
    lun_node *n;
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    s = lun__along_node_axes_last(e, n, set, kept, out);
    lun__node_release(e, n);
    return s;
}

lun_status lun__along_axis_back(lun_engine *e, lun_node *n, int axis, lun_node **out)
{
    lun_layout l;
    lun__node_layout(n, &l);
    lun_layout right = lun__layout_right(n->rank, l.extent), to = {.rank = n->rank};
    for (int k = 0; k < n->rank; k++) {
        int from = k < axis ? k : k == axis ? n->rank - 1 : k - 1;
        to.extent[k] = right.extent[from];
        to.stride[k] = right.stride[from];
    }
    return lun__view_node(e, n, &to, out);
}

static lun_status begin(lun_engine *e, lun_array *a, const int *axes, int count, bool keep,
                        along *out)
{
    int64_t shape[LUN_MAX_RANK];
    unsigned set = 0;
    lun_status s = lun__array_usable(e, a);
    e->error_where = NULL;
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    if (s == LUN_OK)
        s = lun__along_axis_set(e, a, axes, count, &set);
    *out = (along){.e = e, .count = 1, .set = set};
    if (s == LUN_OK)
        s = lun__along_axes_last(e, a, set, &out->kept, &out->x);
    if (s != LUN_OK)
        return s;
    out->segments.length = 1;
    out->segments.rank = lun_shape(a, shape);
    for (int k = 0, at = 0; k < out->segments.rank; k++) {
        bool reduced = set >> k & 1;
        if (reduced)
            out->segments.length *= shape[k];
        else
            out->count *= shape[k];
        if (!reduced)
            out->segments.shape[at++] = shape[k];
        if (!reduced || keep)
            out->shape[out->rank++] = reduced ? 1 : shape[k];
    }
    for (int k = out->kept; k < out->segments.rank; k++)
        out->segments.shape[k] = 1;
    if (!out->kept) /* everything: as a whole array */
        out->segments = (lun_segments){.length = 0};
    return LUN_OK;
}

/* The result n (released) as an array of the shape asked for. */
static lun_status finish(along *g, lun_status s, lun_node *n, lun_array **out)
{
    lun_node *as = NULL;
    if (s == LUN_OK)
        s = lun__view_node_reshape(g->e, n, g->rank, g->shape, &as);
    lun__node_release(g->e, n);
    lun__node_release(g->e, g->x);
    return s == LUN_OK ? lun__array(g->e, as, false, out) : s;
}

/* ---- the reductions of the table ------------------------------------------------------------- */

/* The dtype of an element of a result; whole: of a reduction of all elements. */
static lun_dtype given_as(lun_reduction r, lun_dtype t, bool whole)
{
    const lun__reduction_row *row = &lun__reduction_rows[r];
    bool rounded = row->of == LUN__OF_SUMS || row->of == LUN__OF_NUMBER;
    if (whole)
        return row->of == LUN__OF_NUMBER ? LUN_F64 : lun__lazy_total_dtype(r, t);
    if (row->of == LUN__OF_ELEMENTS || (rounded && lun__dtype_is_float(t)))
        return t;
    return row->of == LUN__OF_NUMBER ? LUN_F64 : lun__lazy_total_dtype(r, t);
}

/* The result for empty segments of a; named: along axes that were named. */
static lun_status empty(along *g, lun_reduction r, const lun_array *a, bool named, lun_dtype t,
                        lun_node **out)
{
    char text[96];
    const lun_value nan = {.dtype = LUN_F64, .as.d = NAN};
    const bool undefined = lun__reduction_rows[r].empty_is_error;
    const bool number = named && lun__reduction_rows[r].of == LUN__OF_NUMBER;
    uint64_t cell = undefined && number ? lun__dtype_cell_from_value(t, nan) : 0;
    if (undefined && !number && g->count)
        return lun__fail(g->e, LUN_EARG, "%s of no elements is undefined: an axis of %s is empty",
                         lun__reduction_rows[r].info.name, lun__array_describe(a, text));
    if (lun__reduction_rows[r].op < LUN_OP_COUNT)
        lun__op_identity((lun_op)lun__reduction_rows[r].op, t, &cell);
    return lun__node_number(g->e, t, cell, g->rank, g->shape, out);
}

/* The first element of each segment, 0 where it is not finite; whole: for each element of the
 * segment. */
static lun_status first_of(const along *g, bool whole, lun_node **out)
{
    lun_layout l;
    lun_node *first = NULL, *wide = NULL, *finite = NULL, *zero = NULL;
    lun__node_layout(g->x, &l);
    l = lun__layout_right(g->x->rank, l.extent);
    for (int k = g->kept; k < l.rank; k++) {
        l.extent[k] = whole ? l.extent[k] : 1;
        l.stride[k] = 0;
    }
    lun_status s = lun__view(g->e, g->x, &l, &first);
    if (s == LUN_OK)
        s = lun__convert(g->e, first, LUN_F64, &wide);
    if (s == LUN_OK)
        s = lun__elementwise_op(g->e, LUN_OP_ISFINITE, &wide, &finite);
    if (s == LUN_OK)
        s = lun__typed_number(g->e, LUN_F64, 0, &zero);
    if (s == LUN_OK)
        s = lun__elementwise_op(g->e, LUN_OP_WHERE, (lun_node *[]){finite, wide, zero}, out);
    lun_node *all[] = {first, wide, finite, zero};
    for (int i = 0; i < 4; i++)
        lun__node_release(g->e, all[i]);
    return s;
}

/* Of ranks, which else would have the rows between their own and the first one: all have x, and
 * *out has it for each element of its segment. */
static lun_status tell_ranks(const along *g, lun_node *x, lun_node **out)
{
    lun_layout l, all;
    lun_status s = lun__eval(g->e, &x, 1);
    lun_storage *told = s == LUN_OK && x->kind == LUN_NODE_LEAF ? x->storage : NULL;
    if (told)
        s = lun__mirror_host(g->e, told, true);
    if (told && s == LUN_OK) {
        lun__current_free(g->e, told->placed);
        told->placed = NULL;
    }
    lun__node_layout(x, &l);
    lun__node_layout(g->x, &all);
    for (int k = g->kept; k < l.rank; k++) {
        l.extent[k] = all.extent[k];
        l.stride[k] = 0;
    }
    return s == LUN_OK ? lun__view(g->e, x, &l, out) : s;
}

static lun_status moments(const along *g, lun_reduction r, double ddof, lun_dtype t, lun_node **out)
{
    const bool tells = lun__state_of_ranks(g->e) && (r == LUN_VAR || r == LUN_STD);
    lun_node *shift = NULL, *spread = NULL, *wide = NULL;
    lun_status s = first_of(g, false, &shift);
    if (s == LUN_OK)
        s = tells ? tell_ranks(g, shift, &spread) : first_of(g, true, &spread);
    if (s == LUN_OK)
        s = lun__lazy_moment(g->e, r, g->x, &g->segments, shift, spread, ddof, &wide);
    if (s == LUN_OK)
        s = lun__convert(g->e, wide, t, out);
    lun__node_release(g->e, shift);
    lun__node_release(g->e, spread);
    lun__node_release(g->e, wide);
    return s;
}

/* Indices within a segment, in the extents of g->x. */
static lun_status positions(const along *g, lun_node **out)
{
    lun_layout l, right;
    lun_node *index;
    lun__node_layout(g->x, &l);
    l = right = lun__layout_right(g->x->rank, l.extent);
    for (int k = 0; k < g->kept; k++)
        l.stride[k] = 0;
    lun_status s = lun__node_index(
        g->e, g->segments.length ? g->segments.length : lun__layout_count(&right), &index);
    if (s == LUN_OK)
        s = lun__view_node(g->e, index, &l, out);
    lun__node_release(g->e, index);
    return s;
}

/* at, where the extreme value `best` of a segment, NaNs left out, is no NaN itself. */
static lun_status without_nan(const along *g, lun_node *at, lun_node *best, lun_node **out)
{
    static const char *const one = "every element is NaN, which skipnan leaves out";
    static const char *const some =
        "every element of line %lld along the axis is NaN, which skipnan leaves out";
    lun_node *nan = NULL, *number = NULL;
    lun_status s = lun__elementwise_op(g->e, LUN_OP_ISNAN, &best, &nan);
    if (s == LUN_OK)
        s = lun__elementwise_op(g->e, LUN_OP_LNOT, &nan, &number);
    if (s == LUN_OK)
        s = lun__runtime_check(g->e, at, number, g->kept ? &some : &one, out);
    lun__node_release(g->e, nan);
    lun__node_release(g->e, number);
    return s;
}

static lun_status position(const along *g, lun_reduction r, lun_node **out)
{
    lun_node *best = NULL, *i = NULL, *at = NULL;
    lun_dtype t = (lun_dtype)g->x->dtype;
    lun_reduction extreme = r == LUN_ARGMIN ? LUN_MIN : LUN_MAX;
    lun_status s = lun__lazy_total(g->e, extreme, g->x, &g->segments, t, &best);
    if (s == LUN_OK)
        s = positions(g, &i);
    if (s == LUN_OK)
        s = lun__lazy_position(g->e, g->x, i, best, &g->segments, &at);
    if (s == LUN_OK && g->segments.skipnan && lun__dtype_is_float(t))
        s = without_nan(g, at, best, out);
    else if (s == LUN_OK)
        *out = lun__node_retain(at);
    lun__node_release(g->e, best);
    lun__node_release(g->e, i);
    lun__node_release(g->e, at);
    return s;
}

lun_status lun__along_slots(lun_engine *e, lun_reduction r, lun_array *a, const int *axes,
                            int count, const lun_along_options *options, lun_array **out)
{
    along g;
    lun_node *n = NULL;
    const lun_along_options o = *options;
    bool index = lun__reduction_rows[r].of == LUN__OF_INDEX;
    lun_status s = begin(e, a, axes, count, o.keep, &g);
    if (s == LUN_OK && index && count > 1 && g.kept) {
        lun__node_release(e, g.x);
        s = lun__fail(e, LUN_EARG,
                      "%s reduces along one axis or over the whole array, not along several axes",
                      lun__reduction_rows[r].info.name);
    }
    if (s != LUN_OK)
        return s;
    g.segments.skipnan = o.skipnan;
    lun_dtype t = given_as(r, (lun_dtype)g.x->dtype, !g.kept && !o.keep);
    if (g.x->n == 0)
        s = empty(&g, r, a, count > 0, t, &n);
    else if (index)
        s = position(&g, r, &n);
    else if (lun__reduction_rows[r].of == LUN__OF_NUMBER)
        s = moments(&g, r, (double)o.ddof + o.ddof_part, t, &n);
    else
        s = lun__lazy_total(e, r, g.x, &g.segments, t, &n);
    return finish(&g, s, n, out);
}

/* ---- by a function --------------------------------------------------------------------------- */

/* On a set of locations, of which several may have rows, a function can combine segments along an
 * outer axis row by row: g->segments.rows, a reference. */
static lun_status as_rows(along *g, const lun_function *f, lun_array *a)
{
    lun_node *n;
    if (!g->e->set_count || !f || f->op != LUN_OP_COUNT || !g->kept || g->x->n < LEAST_ROWS ||
        g->segments.length < 2)
        return LUN_OK;
    lun_status s = lun__array_node(g->e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    const lun_spread *spread =
        n->kind == LUN_NODE_LEAF ? lun__placement_spread(g->e, n->storage) : NULL;
    const bool across = g->set + 1 == 1u << (n->rank - g->kept);
    if (!across || (spread && spread->kind == LUN_SPREAD_SINGLE)) {
        lun__node_release(g->e, n);
        return LUN_OK;
    }
    g->segments.rows = n;
    return LUN_OK;
}

lun_status lun_fold_along(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                          const int *axes, int count, bool keep, lun_array **out)
{
    return lun_fold_along_with(e, f, id, a, NULL, 0, axes, count, keep, out);
}

lun_status lun_fold_along_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                               lun_array *const *extra, int extras, const int *axes, int count,
                               bool keep, lun_array **out)
{
    LUN_NEED(e, out && (count <= 0 || axes) && extras >= 0 && (extras == 0 || extra));
    const lun_folding all = {.f = f, .id = id, .a = a, .axes = axes, .count = count, .keep = keep};
    lun_status done;
    if (!extras && lun__logical_fold(e, &all, &done, out))
        return done;
    LUN_NO_MISSING(e, id);
    LUN_NO_MISSING(e, a);
    along g;
    lun_node *n = NULL;
    lun_status s = begin(e, a, axes, count, keep, &g);
    if (s == LUN_OK)
        s = as_rows(&g, f, a);
    if (s == LUN_OK)
        s = lun__fold_segments(e, f, id, g.x, (lun_extras){extra, extras}, &g.segments, &n);
    lun__node_release(e, g.segments.rows);
    return finish(&g, s, n, out);
}

lun_status lun__along_scan(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                           lun_array *const *extra, int extras, int axis, bool inclusive,
                           lun_array **out)
{
    LUN_NEED(e, out && extras >= 0 && (extras == 0 || extra));
    LUN_NO_MISSING(e, id);
    LUN_NO_MISSING(e, a);
    along g;
    lun_node *n = NULL, *back = NULL;
    lun_status s = begin(e, a, &axis, 1, true, &g);
    if (s != LUN_OK)
        return s;
    int64_t length = g.segments.length ? g.segments.length : g.x->n;
    s = lun__fold_scan_segments(e, f, id, g.x, (lun_extras){extra, extras}, inclusive,
                                g.kept && length ? length : 0, &n);
    if (s == LUN_OK)
        s = lun__along_axis_back(e, n, axis, &back);
    lun__node_release(e, n);
    lun__node_release(e, g.x);
    return s == LUN_OK ? lun__array(e, back, false, out) : s;
}
