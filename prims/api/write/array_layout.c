/* array_layout.c - layouts: arrays on strided memory of the host, and the elements of an array as a
 * value in another layout.  Computes nothing itself. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/axes.h"

/* ---- the host's memory ----------------------------------------------------------------------- */

/* Strides that give each index its own memory element, within the address space. */
static lun_status check_strides(lun_engine *e, const lun_layout *l, int64_t *low, int64_t *high)
{
    if (lun__layout_count(l) == 0) {
        *low = 0;
        *high = -1;
        return LUN_OK;
    }
    if (!lun__layout_is_injective(l))
        return lun__fail(e, LUN_ESHAPE,
                         l->rank <= 2 ? "the strides map two indices to the same element"
                                      : "the strides may map two indices to the same element: of "
                                        "three axes or more each has to step over what those with "
                                        "shorter strides reach");
    if (!lun__layout_range(l, low, high) || *low < -LUN_MOST_ELEMENTS ||
        *high > LUN_MOST_ELEMENTS || *high - *low > LUN_MOST_ELEMENTS - 1)
        return lun__fail(e, LUN_ERANGE, "the strides span more elements than can be addressed");
    return LUN_OK;
}

/* A release function and the address that it takes, which is not the lowest one. */
typedef struct ending {
    void (*release)(void *data, void *ctx);
    void *data, *ctx;
} ending;

static void end_strided(void *lowest, void *self)
{
    ending *x = self;
    (void)lowest;
    x->release(x->data, x->ctx);
    free(x);
}

/* Memory of `span` elements from the lowest one on, in which `at` is the array's layout. */
static lun_status wrap_span(lun_engine *e, void *data, const lun_layout *at, int64_t span,
                            lun_dtype t, void (*release)(void *data, void *ctx), void *ctx,
                            lun_array **out)
{
    char *lowest = data ? (char *)data - at->offset * lun__dtype_get(t)->bytes : NULL;
    ending *end = release ? malloc(sizeof *end) : NULL;
    if (release && !end)
        return lun__fail_nomem(e);
    if (end)
        *end = (ending){release, data, ctx};
    lun_status s =
        lun__make_wrapped(e, lowest, span, 1, &span, t, end ? end_strided : NULL, end, out);
    if (s != LUN_OK) {
        free(end);
        return s;
    }
    (*out)->viewed = true;
    (*out)->at = *at;
    return LUN_OK;
}

lun_status lun_wrap_strided(lun_engine *e, void *data, int rank, const int64_t *shape,
                            const int64_t *strides, lun_dtype t,
                            void (*release)(void *data, void *ctx), void *ctx, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    int64_t low, high;
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    lun_status s = lun__shape_check(e, rank, shape);
    if (s != LUN_OK)
        return s;
    lun_layout at = lun__layout_right(rank, shape);
    if (strides && rank)
        memcpy(at.stride, strides, (size_t)rank * sizeof *strides);
    s = check_strides(e, &at, &low, &high);
    if (s != LUN_OK)
        return s;
    if (lun__layout_is_dense(&at) || high < low)
        return lun__make_wrapped(e, data, lun__layout_count(&at), rank, shape, t, release, ctx,
                                 out);
    at.offset = -low;
    return wrap_span(e, data, &at, high - low + 1, t, release, ctx, out);
}

/* ---- values in a layout ---------------------------------------------------------------------- */

/* The layout of a's elements, and how many elements of memory it spans. */
static lun_status layout_of(lun_engine *e, const lun_array *a, lun_layout_kind kind,
                            const int64_t *strides, lun_layout *out, int64_t *span)
{
    int64_t shape[LUN_MAX_RANK], low, high;
    lun_status s = lun__array_usable(e, a);
    if (s != LUN_OK)
        return s;
    int rank = lun_shape(a, shape);
    if ((unsigned)kind > LUN_LAYOUT_STRIDED || (kind == LUN_LAYOUT_STRIDED && !strides))
        return lun__fail(
            e, LUN_EARG,
            "unknown layout: right, left, or strides (which must not be NULL) expected");
    *out = kind == LUN_LAYOUT_LEFT ? lun__layout_left(rank, shape) : lun__layout_right(rank, shape);
    for (int k = 0; kind == LUN_LAYOUT_STRIDED && k < rank; k++) {
        if (strides[k] < 1)
            return lun__fail(e, LUN_ERANGE, "stride " LUN_NTH " is %lld: strides must be positive",
                             k, (long long)strides[k]);
        out->stride[k] = strides[k];
    }
    s = check_strides(e, out, &low, &high);
    *span = high - low + 1;
    return s;
}

/* A copy of a's elements at the offsets of `at` in `span` elements, zeros between them. */
static lun_status copy_strided(lun_engine *e, lun_array *a, const lun_layout *at, int64_t span,
                               lun_array **out)
{
    lun_storage *memory;
    lun_node *leaf;
    lun_array *to;
    lun_dtype t = lun_dtype_of(a);
    lun_status s = lun__storage_new(e, t, span, &memory);
    if (s != LUN_OK)
        return s;
    memset(memory->data, 0, (size_t)span * lun__dtype_get(t)->bytes);
    s = lun__node_leaf(e, memory, 0, 1, &span, &leaf);
    lun__storage_release(e, memory);
    if (s == LUN_OK)
        s = lun__array_viewed(e, leaf, at, true, &to);
    if (s != LUN_OK)
        return s;
    s = lun_store(e, to, a);
    if (s == LUN_OK)
        *out = to;
    else
        lun_release(to);
    return s;
}

/* own: in memory of its own. */
static lun_status arranged(lun_engine *e, lun_array *a, lun_layout_kind kind,
                           const int64_t *strides, bool own, lun_array **out)
{
    lun_layout at;
    lun_axes order;
    lun_node *n, *copy = NULL;
    int64_t span = 0;
    lun_status s = layout_of(e, a, kind, strides, &at, &span);
    if (s != LUN_OK)
        return s;
    if (!lun__layout_is_permutation(&at))
        return copy_strided(e, a, &at, span, out);
    const lun_axes *axes = lun__axes_sorted(&at, &order) ? &order : NULL;
    bool made = own || (a->made && !a->weak);
    s = lun__axes_node(e, a, LUN_DTYPE_COUNT, axes, &n);
    if (s == LUN_OK && own) {
        s = lun__read_node_copy(e, n, &copy);
        lun__node_release(e, n);
        n = copy;
    }
    return s == LUN_OK ? lun__axes_array(e, n, made, axes, out) : s;
}

lun_status lun_arrange(lun_engine *e, lun_array *a, lun_layout_kind kind, const int64_t *strides,
                       lun_array **out)
{
    LUN_NEED(e, out);
    LUN_MOVED(e, a, out, lun_arrange(e, moved, kind, strides, made))
    e->error_where = NULL;
    return arranged(e, a, kind, strides, false, out);
}

lun_status lun_copy_layout(lun_engine *e, lun_array *a, lun_layout_kind kind,
                           const int64_t *strides, lun_array **out)
{
    LUN_NEED(e, out);
    LUN_MOVED(e, a, out, lun_copy_layout(e, moved, kind, strides, made))
    e->error_where = NULL;
    return arranged(e, a, kind, strides, true, out);
}
