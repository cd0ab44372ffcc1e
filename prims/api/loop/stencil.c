/* stencil.c - functions of the elements around each index, and the elements that stay as they are.
 * Reading neighbours is neighbours.c's. */
#include <stdlib.h>
#include <string.h>

#include "api/array/apply_function.h"
#include "lunarray_bind.h"

static lun_status check_arrays(lun_engine *e, lun_array *const *arrays, int count, int elements)
{
    int64_t shape[LUN_MAX_RANK], other[LUN_MAX_RANK];
    char x[96], y[96];
    if (elements < 1 || elements > count)
        return lun__fail(e, LUN_EARG, "a stencil takes at least one array");
    for (int k = 0; k < elements; k++) {
        lun_status s = lun__array_usable(e, arrays[k]);
        if (s == LUN_OK && (arrays[k]->weak || lun_shape(arrays[k], other) == 0))
            s = lun__fail(e, LUN_EARG, "an array is needed: a number has no elements around it");
        if (s != LUN_OK) {
            e->error_operand = k + 1;
            return s;
        }
        int rank = lun_shape(arrays[0], shape);
        if (lun_shape(arrays[k], other) != rank ||
            memcmp(shape, other, (size_t)rank * sizeof *shape)) {
            e->error_operand = k + 1;
            return lun__fail(e, LUN_ESHAPE,
                             "a stencil takes arrays of one shape: array " LUN_NTH
                             " is %s, array " LUN_NTH " is %s",
                             0, lun__array_describe(arrays[0], x), k,
                             lun__array_describe(arrays[k], y));
        }
    }
    return LUN_OK;
}

static lun_status check_options(lun_engine *e, const lun_stencil_options *o, lun_array *a)
{
    int64_t shape[LUN_MAX_RANK];
    for (int k = 0; k < lun_shape(a, shape); k++) {
        if (o->edge && (unsigned)o->edge[k] > LUN_EDGE_NEAREST)
            return lun__fail(e, LUN_EARG, "no such edge: %d", (int)o->edge[k]);
        if (o->radius && o->radius[k] < 0)
            return lun__fail(e, LUN_ERANGE, "negative radius %lld of axis " LUN_NTH,
                             (long long)o->radius[k], k);
    }
    return LUN_OK;
}

/* ---- elements that stay ---------------------------------------------------------------------- */

/* Whether all neighbours exist at each index of axis k, an array of extent 1 along the others. */
static lun_status inside_of(lun_engine *e, const lun_around *around, int rank, const int64_t *shape,
                            int k, lun_array **out)
{
    int64_t extent[LUN_MAX_RANK], n = shape[k];
    bool *inside = malloc((size_t)n + 1);
    if (!inside)
        return lun__fail_nomem(e);
    for (int i = 0; i < rank; i++)
        extent[i] = i == k ? n : 1;
    for (int64_t i = 0; i < n; i++)
        inside[i] = i >= around->before[k] && i < n - around->after[k];
    lun_status s = lun_tensor(e, inside, rank, extent, LUN_BOOL, out);
    free(inside);
    return s;
}

/* The same for all axes that keep; NULL: none does. */
static lun_status inside_all(lun_engine *e, const lun_around *around, int rank,
                             const int64_t *shape, lun_array **out)
{
    lun_status s = LUN_OK;
    *out = NULL;
    for (int k = 0; s == LUN_OK && k < rank; k++) {
        lun_array *one = NULL, *both = NULL;
        if (!around->how->keep || !around->how->keep[k])
            continue;
        s = inside_of(e, around, rank, shape, k, &one);
        if (s == LUN_OK && *out) {
            s = lun_land(e, *out, one, &both);
            lun_release(one);
            one = both;
        }
        if (s == LUN_OK) {
            if (*out)
                lun_release(*out);
            *out = one;
        }
    }
    if (s != LUN_OK && *out)
        lun_release(*out);
    return s;
}

/* Keeps in result k the elements of operand k that stay, in further results those of the first
 * one. */
static lun_status keep(lun_engine *e, const lun_around *around, lun_array *const *operands,
                       int elements, lun_array **outs, int results)
{
    int64_t shape[LUN_MAX_RANK];
    lun_array *inside = NULL;
    lun_status s = inside_all(e, around, lun_shape(operands[0], shape), shape, &inside);
    for (int i = 0; s == LUN_OK && inside && i < results; i++) {
        lun_array *kept;
        s = lun_where(e, inside, outs[i], operands[i < elements ? i : 0], &kept);
        if (s == LUN_OK) {
            lun_release(outs[i]);
            outs[i] = kept;
        }
    }
    if (inside)
        lun_release(inside);
    for (int i = 0; s != LUN_OK && i < results; i++)
        lun_release(outs[i]);
    return s;
}

lun_status lun_stencil(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                       int elements, const lun_stencil_options *how, lun_array **outs, int room,
                       int *results)
{
    LUN_NEED(e, operands && outs && results && (!how || how->size));
    lun_stencil_options o = {.size = sizeof o};
    lun_around around = {.how = &o};
    if (how)
        memcpy(&o, how, how->size < sizeof o ? how->size : sizeof o);
    lun_status s = check_arrays(e, operands, count, elements);
    if (s == LUN_OK)
        s = check_options(e, &o, operands[0]);
    if (s == LUN_OK)
        s = lun__apply_around(e, f, operands, count, elements, &around, outs, room, results);
    return s == LUN_OK ? keep(e, &around, operands, elements, outs, *results) : s;
}

/* ---- before there are arrays ----------------------------------------------------------------- */

static lun_status foresee_c(lun_engine *e, const lun_ir_function *f, int axes,
                            const int64_t *radius)
{
    lun_status s = LUN_OK;
    const lun_neighbour *at = f->neighbour;
    if (axes && at->axes != axes)
        return lun__fail(e, LUN_EARG,
                         "get(x, ...) with %d offset%s: it takes %d, one for each axis that the "
                         "options list",
                         at->axes, at->axes == 1 ? "" : "s", axes);
    for (int k = 0; s == LUN_OK && k < f->neighbours; k++)
        s = lun__neighbours_check_radius(e, &at[k], radius);
    return s;
}

/* With extra arguments that are numbers, or Vectors. */
static lun_status foresee_front(lun_engine *e, lun_function *f, int count, int elements, int axes,
                                const int64_t *radius, bool arrays)
{
    lun_front_param params[LUN_MAX_OPERANDS];
    for (int k = 0; k < count; k++) {
        params[k] = (lun_front_param){.dtype = LUN_F64, .stored = LUN_F64};
        if (k >= elements) {
            params[k].array = arrays;
            params[k].rank = arrays;
            params[k].shape[0] = arrays;
            continue;
        }
        params[k].index = LUN_FRONT_AROUND;
        params[k].rank = axes;
        for (int i = 0; i < LUN_MAX_RANK; i++)
            params[k].shape[i] = radius ? radius[i] : -1;
    }
    lun__fail_clear(e);
    lun_host_begin(e);
    lun_status s = f->front.foresee(f->front.ctx, params, count, &e->error);
    lun_host_end(e);
    if (s == LUN_OK)
        lun__fail_clear(e); /* a call may fail with it, or not */
    return s;
}

lun_status lun_stencil_foresee(lun_engine *e, lun_function *f, int elements, int axes,
                               const int64_t *radius)
{
    LUN_NEED(e, f && elements >= 1 && axes >= 0 && axes <= LUN_MAX_RANK);
    lun_status s = lun__apply_check_around(e, f, true);
    if (s != LUN_OK || f->text)
        return s == LUN_OK ? foresee_c(e, f->text, axes, radius) : s;
    const int count = f->front.params > elements ? f->front.params : elements;
    if (count > LUN_MAX_OPERANDS)
        return LUN_OK;
    s = foresee_front(e, f, count, elements, axes, radius, false);
    return s == LUN_OK && count > elements
               ? foresee_front(e, f, count, elements, axes, radius, true)
               : s;
}
