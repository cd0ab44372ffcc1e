/* concat.c - values made of several arrays: joined along an axis, or along a new one. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"

/* ---- joining --------------------------------------------------------------------------------- */

/* Nodes of one dtype that are joined, with references. */
typedef struct parts {
    lun_node **at;
    int count, room;
    int64_t blocks; /* equal for all parts: the product of the extents before the axis */
} parts;

/* A part that is itself a join, not evaluated, is replaced by its parts if they are few: so chains
 * of joins copy elements once. */
enum { FEW = 64 };

static lun_status add_part(lun_engine *e, parts *p, lun_node *n)
{
    bool joins = n->kind == LUN_NODE_CONCAT && n->step == p->blocks && n->count <= FEW;
    int more = joins ? n->count : 1;
    if (p->count + more > p->room) {
        int room = 2 * (p->count + more);
        lun_node **at = realloc(p->at, (size_t)room * sizeof *at);
        if (!at)
            return lun__fail_nomem(e);
        p->at = at;
        p->room = room;
    }
    for (int k = 0; k < more; k++) {
        lun_node *in = joins ? n->more[k] : n;
        if (in->n > 0)
            p->at[p->count++] = lun__node_retain(in);
    }
    return LUN_OK;
}

/* a's elements as dtype t. */
static lun_status take_part(lun_engine *e, parts *p, lun_array *a, lun_dtype t)
{
    lun_node *raw, *n = NULL;
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__convert(e, raw, t, &n);
    if (s == LUN_OK)
        s = add_part(e, p, n);
    lun__node_release(e, n);
    lun__node_release(e, raw);
    return s;
}

/* The array of all parts in that shape; releases them. s: the status so far. */
static lun_status finish(lun_engine *e, lun_status s, parts *p, lun_dtype t, int rank,
                         const int64_t *shape, lun_array **out)
{
    lun_node *n = NULL;
    if (s == LUN_OK && p->count == 0) /* all are empty */
        s = lun__node_number(e, t, 0, rank, shape, &n);
    else if (s == LUN_OK && p->count == 1)
        s = lun__view_node_reshape(e, p->at[0], rank, shape, &n);
    else if (s == LUN_OK)
        s = lun__view_node_concat(e, p->at, p->count, p->blocks, rank, shape, &n);
    while (p->count)
        lun__node_release(e, p->at[--p->count]);
    free(p->at);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

static int64_t blocks_before(int axis, const int64_t *shape)
{
    int64_t blocks = 1;
    for (int k = 0; k < axis; k++)
        blocks *= shape[k];
    return blocks;
}

/* The arrays along the axis, in a shape with the sum of their extents there. */
static lun_status join(lun_engine *e, lun_array *const *arrays, int count, lun_dtype t, int axis,
                       int rank, const int64_t *shape, lun_array **out)
{
    lun_status s = lun__shape_check(e, rank, shape);
    if (s != LUN_OK)
        return s;
    parts p = {.blocks = blocks_before(axis, shape)};
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = take_part(e, &p, arrays[k], t);
    return finish(e, s, &p, t, rank, shape, out);
}

/* Of the arrays, some of which are u64 and some signed, the first two that have no common dtype. */
static lun_status no_dtype(lun_engine *e, lun_array *const *arrays, int count)
{
    lun_dtype all = lun_dtype_of(arrays[0]), own = all;
    int at = 0, before = 0;
    while (all != LUN_DTYPE_COUNT && at + 1 < count) {
        own = lun_dtype_of(arrays[++at]);
        all = lun__dtype_common(all, own);
    }
    while (before < at && lun__dtype_common(lun_dtype_of(arrays[before]), own) != LUN_DTYPE_COUNT)
        before++;
    lun_status s = lun__mixed_sign_no_common(e, lun_dtype_of(arrays[before]), own);
    e->error_operand = at + 1;
    return s;
}

/* The arrays are usable and no numbers; *t: their common dtype. */
static lun_status check_arrays(lun_engine *e, lun_array *const *arrays, int count, lun_dtype *t)
{
    if (count < 1)
        return lun__fail(e, LUN_EARG, "at least one array is needed");
    for (int k = 0; k < count; k++) {
        lun_status s = lun__array_usable(e, arrays[k]);
        if (s == LUN_OK && arrays[k]->weak)
            s = lun__fail(e, LUN_EARG, "array expected, got a number");
        if (s != LUN_OK) {
            e->error_operand = k + 1;
            return s;
        }
        lun_dtype own = lun_dtype_of(arrays[k]);
        *t = k ? lun__dtype_common(*t, own) : own;
    }
    return *t == LUN_DTYPE_COUNT ? no_dtype(e, arrays, count) : LUN_OK;
}

static lun_status check_axis(lun_engine *e, const lun_array *a, int axis, int rank)
{
    char text[96];
    if (axis >= 0 && axis < rank)
        return LUN_OK;
    return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: %s has %d", axis,
                     lun__array_describe(a, text), rank);
}

/* Whether the shapes are equal but for that axis. */
static bool go_together(int rank, const int64_t *x, int other, const int64_t *y, int axis)
{
    for (int k = 0; k < rank && other == rank; k++)
        if (x[k] != y[k] && k != axis)
            return false;
    return other == rank;
}

/* What `call` makes of arrays of which some have a validity: of their slots in the common dtype,
 * and of their validities, those that have none being all true. */
static lun_status joined_parts(lun_engine *e, lun_array *const *arrays, int count, int axis,
                               lun_status (*call)(lun_engine *e, lun_array *const *arrays,
                                                  int count, int axis, lun_array **out),
                               lun_array **out)
{
    lun_array **all = calloc(2 * (size_t)count, sizeof *all), *made[2] = {NULL, NULL};
    int64_t shape[LUN_MAX_RANK];
    lun_dtype t = LUN_BOOL;
    lun_status s = all ? lun__array_present(e, arrays[0]) : lun__fail_nomem(e);
    for (int k = 0; s == LUN_OK && k < count; k++) {
        s = lun__array_present(e, arrays[k]);
        if (s == LUN_OK)
            t = k ? lun__dtype_common(t, lun_dtype_of(arrays[k])) : lun_dtype_of(arrays[k]);
    }
    if (s == LUN_OK && t == LUN_DTYPE_COUNT)
        s = no_dtype(e, arrays, count);
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_array *as;
        s = lun_cast(e, arrays[k], t, &as);
        if (s != LUN_OK)
            break;
        s = lun_missing_parts(e, as, &all[k], &all[count + k]);
        lun_release(as);
        if (s == LUN_OK && !all[count + k])
            s = lun_full(e, lun_shape(all[k], shape), shape, LUN_BOOL,
                         (lun_value){.dtype = LUN_BOOL, .as.u = 1}, &all[count + k]);
    }
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = call(e, all + k * count, count, axis, &made[k]);
    if (s == LUN_OK)
        s = lun_with_parts(e, made[0], made[1], out);
    for (int k = 0; all && k < 2 * count; k++)
        lun_release(all[k]);
    free(all);
    lun_release(made[0]);
    lun_release(made[1]);
    return s;
}

/* What `call` makes of arrays of which some have a logical dtype, brought to one. */
static lun_status joined_alike(lun_engine *e, lun_array *const *arrays, int count, int axis,
                               lun_status (*call)(lun_engine *e, lun_array *const *arrays,
                                                  int count, int axis, lun_array **out),
                               lun_array **out)
{
    lun_alike all;
    lun_array *made = NULL, *plain = NULL, *valid = NULL, **with = NULL;
    lun_status s = lun__logical_alike(e, arrays, count, &all);
    if (s != LUN_OK)
        return s;
    if (lun__array_is_complex(all.prototype)) {
        s = call(e, all.slots, count, axis, &plain);
        if (s == LUN_OK)
            s = call(e, all.valid, count, axis, &valid);
        if (s == LUN_OK)
            s = lun__validity_pair(e, plain, valid, out);
        lun_release(plain);
        lun_release(valid);
        lun__logical_alike_end(&all);
        return s;
    }
    with = calloc((size_t)count, sizeof *with);
    s = with ? LUN_OK : lun__fail_nomem(e);
    for (int k = 0; s == LUN_OK && k < count; k++) {
        if (all.valid[k])
            s = lun_with_parts(e, all.slots[k], all.valid[k], &with[k]);
        else
            lun_retain(with[k] = all.slots[k]);
    }
    if (s == LUN_OK)
        s = call(e, with, count, axis, &made);
    if (s == LUN_OK)
        s = lun_missing_parts(e, made, &plain, &valid);
    if (s == LUN_OK)
        s = lun__validity_with_logical(e, all.prototype, plain, valid, out);
    for (int k = 0; with && k < count; k++)
        lun_release(with[k]);
    free(with);
    lun_release(made);
    lun_release(plain);
    lun_release(valid);
    lun__logical_alike_end(&all);
    return s;
}

lun_status lun_concat_along(lun_engine *e, lun_array *const *arrays, int count, int axis,
                            lun_array **out)
{
    LUN_NEED(e, arrays && out);
    if (lun__array_some_logical(arrays, count))
        return joined_alike(e, arrays, count, axis, lun_concat_along, out);
    if (lun__validity_some_missing(arrays, count))
        return joined_parts(e, arrays, count, axis, lun_concat_along, out);
    lun_dtype t = LUN_BOOL;
    int64_t shape[LUN_MAX_RANK], other[LUN_MAX_RANK];
    char x[96], y[96];
    lun_status s = check_arrays(e, arrays, count, &t);
    if (s != LUN_OK)
        return s;
    int rank = lun_shape(arrays[0], shape);
    if (rank == 0)
        return lun__fail(e, LUN_ESHAPE,
                         "Scalars have no axis to concatenate along: stack makes a Vector of them");
    s = check_axis(e, arrays[0], axis, rank);
    for (int k = 1; s == LUN_OK && k < count; k++) {
        if (!go_together(rank, shape, lun_shape(arrays[k], other), other, axis)) {
            e->error_operand = k + 1;
            return lun__fail(
                e, LUN_ESHAPE,
                "cannot concatenate %s and %s: only the extents of axis " LUN_NTH " may differ",
                lun__array_describe(arrays[0], x), lun__array_describe(arrays[k], y), axis);
        }
        if (__builtin_add_overflow(shape[axis], other[axis], &shape[axis]))
            s = lun__fail(e, LUN_ERANGE, "too many elements");
    }
    return s == LUN_OK ? join(e, arrays, count, t, axis, rank, shape, out) : s;
}

lun_status lun_concat(lun_engine *e, lun_array *a, lun_array *b, lun_array **out)
{
    lun_array *both[2] = {a, b};
    return lun_concat_along(e, both, 2, 0, out);
}

lun_status lun_stack(lun_engine *e, lun_array *const *arrays, int count, int axis, lun_array **out)
{
    LUN_NEED(e, arrays && out);
    if (lun__array_some_logical(arrays, count))
        return joined_alike(e, arrays, count, axis, lun_stack, out);
    if (lun__validity_some_missing(arrays, count))
        return joined_parts(e, arrays, count, axis, lun_stack, out);
    lun_dtype t = LUN_BOOL;
    int64_t shape[LUN_MAX_RANK + 1], other[LUN_MAX_RANK];
    char x[96], y[96];
    lun_status s = check_arrays(e, arrays, count, &t);
    if (s != LUN_OK)
        return s;
    int rank = lun_shape(arrays[0], shape);
    for (int k = 1; k < count; k++)
        if (!go_together(rank, shape, lun_shape(arrays[k], other), other, -1)) {
            e->error_operand = k + 1;
            return lun__fail(e, LUN_ESHAPE, "cannot stack %s and %s: the shapes differ",
                             lun__array_describe(arrays[0], x), lun__array_describe(arrays[k], y));
        }
    if (rank == LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE,
                         "stack adds an axis, and the arrays already have %d, the maximum", rank);
    if (axis < 0 || axis > rank)
        return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: the result has %d", axis,
                         rank + 1);
    memmove(shape + axis + 1, shape + axis, (size_t)(rank - axis) * sizeof *shape);
    shape[axis] = count;
    return join(e, arrays, count, t, axis, rank + 1, shape, out);
}
