/* shape.c - shapes of arrays and of expressions on several: broadcasting by NumPy's rule. Knows no
 * operation. */
#include <stdio.h>
#include <string.h>

#include "api/array/api.h"

lun_status lun__shape_check(lun_engine *e, int rank, const int64_t *shape)
{
    int64_t n = 1;
    if (rank < 0 || rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "rank %d is out of range: an array has 0 to %d dimensions",
                         rank, LUN_MAX_RANK);
    for (int i = 0; i < rank; i++)
        if (shape[i] < 0)
            return lun__fail(e, LUN_ERANGE, "extent " LUN_NTH " is negative: %lld", i,
                             (long long)shape[i]);
        else if (__builtin_mul_overflow(n, shape[i] ? shape[i] : 1, &n))
            return lun__fail(e, LUN_ERANGE,
                             "too many elements: the product of the extents exceeds 2^63");
    if (n > LUN_MOST_ELEMENTS)
        return lun__fail(e, LUN_ERANGE, "too many elements: %lld, of at most 2^63 - 2^20 - 1",
                         (long long)n);
    return LUN_OK;
}

/* Whether n goes with every shape as one number. */
static inline bool is_single(const lun_node *n)
{
    return n->rank == 0 || (n->n == 1 && n->rank == 1);
}

const lun_node *lun__shape_like(lun_node *const *in, int count)
{
    const lun_node *like = in[0];
    int64_t x[LUN_MAX_RANK], y[LUN_MAX_RANK];
    for (int k = 1; k < count; k++) {
        const lun_node *n = in[k];
        if (n->rank == 0 || (is_single(n) && like->rank > 0))
            continue;
        if (is_single(like)) {
            like = n;
            continue;
        }
        if (n->rank == 1 && like->rank == 1 && n->n == like->n)
            continue;
        lun__node_shape(n, x);
        lun__node_shape(like, y);
        if (n->rank != like->rank || memcmp(x, y, n->rank * sizeof *x) != 0)
            return NULL;
    }
    return like;
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

lun_status lun__shape_misfit(lun_engine *e, const char *from, const lun_layout *at, const char *to,
                             int rank, const int64_t *shape)
{
    for (int k = at->rank; at->rank <= rank && k-- > 0;) {
        const int axis = k + rank - at->rank;
        if (at->extent[k] != 1 && at->extent[k] != shape[axis])
            return lun__fail(e, LUN_ESHAPE,
                             "%s does not broadcast to %s, axis " LUN_NTH ": %lld and %lld", from,
                             to, axis, (long long)at->extent[k], (long long)shape[axis]);
    }
    return lun__fail(e, LUN_ESHAPE, "%s does not broadcast to %s", from, to);
}

/* in[k] does not go with the operands before it, whose extent along the axis with `behind` axes
 * behind it is x: the first of them that has it is named, as it is itself. */
static lun_status misfit(lun_engine *e, lun_node *const *in, lun_array *const *operands, int k,
                         int behind, int64_t x)
{
    int64_t own[LUN_MAX_RANK], shape[LUN_MAX_RANK];
    int j = 0;
    for (; j < k - 1; j++) {
        lun__node_shape(in[j], own);
        if (in[j]->rank > behind && own[in[j]->rank - 1 - behind] == x)
            break;
    }
    const lun_array first = {.node = in[j]}, second = {.node = in[k]};
    const lun_array *a = operands ? operands[j] : &first, *b = operands ? operands[k] : &second;
    const int rank = in[j]->rank > in[k]->rank ? in[j]->rank : in[k]->rank;
    char one[96], other[96];
    lun__node_shape(in[k], shape);
    if (rank == 1)
        return lun__fail(e, LUN_ESHAPE, "lengths differ: %s and %s", lun__array_describe(a, one),
                         lun__array_describe(b, other));
    return lun__fail(e, LUN_ESHAPE,
                     "shapes do not broadcast: %s and %s, axis " LUN_NTH ": %lld and %lld",
                     lun__array_describe(a, one), lun__array_describe(b, other), rank - 1 - behind,
                     (long long)x, (long long)shape[in[k]->rank - 1 - behind]);
}

/* Widens `to`, the shape of the operands before in[at], so that this goes with it. */
static lun_status widen(lun_engine *e, lun_layout *to, lun_node *const *in,
                        lun_array *const *operands, int at)
{
    const lun_node *n = in[at];
    int64_t own[LUN_MAX_RANK], both[LUN_MAX_RANK];
    int rank = to->rank > n->rank ? to->rank : n->rank;
    lun__node_shape(n, own);
    for (int k = 0; k < rank; k++) {
        int i = k - (rank - to->rank), j = k - (rank - n->rank);
        int64_t x = i < 0 ? 1 : to->extent[i], y = j < 0 ? 1 : own[j];
        if (x != y && x != 1 && y != 1)
            return misfit(e, in, operands, at, rank - 1 - k, x);
        both[k] = x == 1 ? y : x;
    }
    to->rank = rank;
    memcpy(to->extent, both, (size_t)rank * sizeof *both);
    return lun__shape_check(e, rank, both);
}

bool lun__shape_broadcast(const lun_layout *from, int rank, const int64_t *shape, lun_layout *out)
{
    lun_layout l = {.rank = rank, .offset = from->offset};
    for (int k = 0; k < rank; k++) {
        int j = k - (rank - from->rank);
        bool whole = j >= 0 && from->extent[j] == shape[k];
        if (j >= 0 && !whole && from->extent[j] != 1)
            return false;
        l.extent[k] = shape[k];
        l.stride[k] = whole ? from->stride[j] : 0;
    }
    *out = l;
    return from->rank <= rank;
}

/* Exchanges the reference *n for one to it in that shape, which it goes with. */
static lun_status stretch(lun_engine *e, lun_node **n, int rank, const int64_t *shape)
{
    int64_t own[LUN_MAX_RANK];
    lun_layout l, right;
    lun_node *wide;
    lun__node_shape(*n, own);
    if ((*n)->rank == rank && !memcmp(own, shape, (size_t)rank * sizeof *own))
        return LUN_OK;
    right = lun__layout_right((*n)->rank, own);
    lun__shape_broadcast(&right, rank, shape, &l);
    lun_status s = lun__layout_count(&l) == (*n)->n
                       ? lun__view_node_reshape(e, *n, rank, shape, &wide)
                       : lun__view(e, *n, &l, &wide);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, *n);
    *n = wide;
    return LUN_OK;
}

lun_status lun__shape_common(lun_engine *e, lun_node *const *in, lun_array *const *operands,
                             int count, lun_layout *to)
{
    *to = (lun_layout){.rank = 0};
    for (int k = 0; k < count; k++) {
        lun_status s = widen(e, to, in, operands, k);
        e->error_operand = s == LUN_OK ? 0 : k + 1;
        if (s != LUN_OK)
            return s;
    }
    return LUN_OK;
}

lun_status lun__shape_align(lun_engine *e, lun_node **in, lun_array *const *operands, int count,
                            const lun_node **like)
{
    lun_layout to;
    *like = lun__shape_like(in, count);
    if (*like)
        return LUN_OK;
    lun_status status = lun__shape_common(e, in, operands, count, &to);
    if (status != LUN_OK)
        return status;
    int64_t n = lun__layout_count(&to);
    for (int k = 0; k < count; k++) {
        bool single = in[k]->rank == 0 || (in[k]->n == 1 && in[k]->rank == 1 && n != 1);
        lun_status s = single ? LUN_OK : stretch(e, &in[k], to.rank, to.extent);
        if (s != LUN_OK)
            return s;
    }
    *like = lun__shape_like(in, count);
    return LUN_OK;
}
