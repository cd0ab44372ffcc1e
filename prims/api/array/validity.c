/* validity.c - missing elements: an array is slots and a validity, a second array of bools of the
 * same shape and layout, or none.  What operations make of both is missing_elementwise.c's.
 *
 * Invariant: a validity belongs to an array that is no window, is none itself, has no validity, and
 * is the only handle by which its elements are written.  Where it is false the slot has NaN, 0 or
 * false. */
#include "api/array/api.h"
#include "lunarray_bind.h"
#include "text/texts.h"

#include <math.h>
#include <string.h>

bool lun_has_missing(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), false);
    return !lun_is_freed(a) && lun__array_has_validity(a);
}

bool lun__validity_some_missing(lun_array *const *all, int count)
{
    for (int k = 0; k < count; k++)
        if (all[k] && lun_has_missing(all[k]))
            return true;
    return false;
}

lun_status lun__validity(lun_engine *e, lun_array *a, lun_array **out)
{
    const lun_array *top = lun__array_top(a);
    lun_array *valid = top->valid;
    if (a->parent) {
        lun_layout at = a->at;
        at.offset += (valid->viewed ? valid->at.offset : 0) - (top->viewed ? top->at.offset : 0);
        lun_status s = lun__array_window(e, valid, &at, out);
        if (s == LUN_OK)
            (*out)->readonly = a->readonly;
        return s;
    }
    lun_retain(valid);
    *out = valid;
    return LUN_OK;
}

/* A handle on what a shows that no other one has, in a's layout if it is kept, else row-major. */
static lun_status fresh(lun_engine *e, lun_array *a, bool kept, lun_array **out)
{
    lun_node *n;
    if (kept)
        return lun__array_viewed(e, lun__node_retain(a->node), &a->at, a->made, out);
    lun_status s = lun__array_slots(e, a, LUN_DTYPE_COUNT, &n);
    return s == LUN_OK ? lun__array(e, n, a->made && !a->parent, out) : s;
}

/* A further handle on what a shows: of a window on its elements in row-major order. */
static lun_status again(lun_engine *e, lun_array *a, lun_array **out)
{
    const bool kept = a->viewed && !a->parent;
    if (a->weak) {
        lun_retain(*out = a);
        return LUN_OK;
    }
    if (kept)
        lun__array_used(e, a);
    return fresh(e, a, kept, out);
}

/* The parts of a, whatever its slots mean. */
static lun_status parts_of(lun_engine *e, lun_array *a, lun_array **slots, lun_array **valid)
{
    lun_array *held = NULL;
    *slots = *valid = NULL;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && a->weak && lun__array_logical(a))
        s = lun_number(e, a->number.as.d, slots);
    else if (s == LUN_OK)
        s = again(e, a, slots);
    if (s == LUN_OK && lun__array_has_second(a))
        s = lun__validity(e, a, &held);
    if (s == LUN_OK && held)
        s = again(e, held, valid);
    lun_release(held);
    if (s != LUN_OK) {
        lun_release(*slots);
        *slots = NULL;
    }
    return s;
}

lun_status lun_missing_parts(lun_engine *e, lun_array *a, lun_array **slots, lun_array **valid)
{
    LUN_NEED(e, slots && valid);
    *slots = *valid = NULL;
    return lun__array_some_logical(&a, 1) ? lun__array_refuse_logical(e, a)
                                          : parts_of(e, a, slots, valid);
}

lun_status lun__validity_parts(lun_engine *e, lun_array *a, bool gaps, lun_array **slots,
                               lun_array **valid)
{
    int64_t shape[LUN_MAX_RANK];
    lun_status s = parts_of(e, a, slots, valid);
    if (s != LUN_OK || *valid || !gaps || !lun__array_logical(a))
        return s;
    const int rank = lun_shape(a, shape);
    s = lun_full(e, rank, shape, LUN_BOOL, (lun_value){.dtype = LUN_BOOL, .as.u = 1}, valid);
    if (s != LUN_OK) {
        lun_release(*slots);
        *slots = NULL;
    }
    return s;
}

void lun__validity_set_logical(lun_array *to, const lun_array *of)
{
    const lun_array *top = lun__array_top(of);
    to->logical = top->logical;
    to->texts = lun__text_pool_retain(top->texts);
}

lun_status lun__validity_with_logical(lun_engine *e, const lun_array *of, lun_array *slots,
                                      lun_array *valid, lun_array **out)
{
    lun_array *a, *none;
    if (lun__array_is_complex(of))
        return lun__validity_pair(e, slots, valid, out);
    lun_status s =
        valid ? lun_with_parts(e, slots, valid, &a) : lun_missing_parts(e, slots, &a, &none);
    if (s != LUN_OK)
        return s;
    lun__validity_set_logical(a, of);
    *out = a;
    return LUN_OK;
}

lun_status lun__validity_moved(lun_engine *e, lun_status s, const lun_array *of,
                               lun_array *const parts[2], lun_array *const made[2], lun_array **out)
{
    if (s == LUN_OK)
        s = lun__validity_with_logical(e, of, made[0], made[1], out);
    for (int k = 0; k < 2; k++) {
        lun_release(parts[k]);
        lun_release(made[k]);
    }
    return s;
}

/* LUN_ESHAPE unless both have one shape. */
static lun_status check_alike(lun_engine *e, const lun_array *a, const lun_array *valid)
{
    int64_t x[LUN_MAX_RANK], y[LUN_MAX_RANK];
    char one[96], other[96];
    const int rank = lun_shape(a, x);
    bool alike = lun_shape(valid, y) == rank;
    for (int k = 0; alike && k < rank; k++)
        alike = x[k] == y[k];
    if (!alike)
        return lun__fail(e, LUN_ESHAPE, "shapes differ: %s and a validity %s",
                         lun__array_describe(a, one), lun__array_describe(valid, other));
    if (!lun__dtype_is_bool(lun_dtype_of(valid)))
        return lun__fail(e, LUN_EDTYPE, "the validity is %s, not bool",
                         lun__array_describe(valid, other));
    return LUN_OK;
}

/* Whether both are arrays, no windows, in one layout, whatever its offset. */
static bool laid_alike(const lun_array *a, const lun_array *b)
{
    const lun_layout *x = &a->at, *y = &b->at;
    const size_t bytes = (size_t)(a->viewed ? x->rank : 0) * sizeof *x->extent;
    return a->viewed && b->viewed && !a->parent && !b->parent && x->rank == y->rank &&
           !memcmp(x->extent, y->extent, bytes) && !memcmp(x->stride, y->stride, bytes);
}

lun_status lun_with_parts(lun_engine *e, lun_array *slots, lun_array *valid, lun_array **out)
{
    LUN_NEED(e, slots && valid && out);
    lun_array *a;
    lun_status s = lun__array_present(e, slots);
    if (s == LUN_OK)
        s = lun__array_present(e, valid);
    if (s == LUN_OK)
        s = check_alike(e, slots, valid);
    const bool kept =
        s == LUN_OK && laid_alike(slots, valid) && slots->at.offset == valid->at.offset;
    if (s == LUN_OK)
        s = fresh(e, slots, kept, &a);
    if (s != LUN_OK)
        return s;
    s = fresh(e, valid, kept, &a->valid);
    if (s == LUN_OK)
        *out = a;
    else
        lun_release(a);
    return s;
}

lun_status lun__validity_pair(lun_engine *e, lun_array *re, lun_array *im, lun_array **out)
{
    lun_array *a;
    const bool kept = laid_alike(re, im);
    lun_status s = fresh(e, re, kept, &a);
    if (s != LUN_OK)
        return s;
    s = fresh(e, im, kept, &a->valid);
    a->logical = lun__dtype_is_double(lun_dtype_of(re)) ? LUN_C128 : LUN_C64;
    if (s == LUN_OK)
        *out = a;
    else
        lun_release(a);
    return s;
}

/* What stands in the slot of a missing element. */
lun_value lun__validity_blank(lun_dtype t)
{
    return lun__dtype_is_float(t)  ? (lun_value){.dtype = LUN_F64, .as.d = NAN}
           : lun__dtype_is_bool(t) ? (lun_value){.dtype = LUN_BOOL}
                                   : (lun_value){.dtype = LUN_I64};
}

lun_status lun_missing_slot(lun_engine *e, lun_dtype t, lun_array **out)
{
    LUN_NEED(e, out);
    lun_node *n;
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    lun_status s = lun__array_constant(e, t, lun__validity_blank(t), &n);
    return s == LUN_OK ? lun__array(e, n, true, out) : s;
}

lun_status lun_na(lun_engine *e, lun_dtype t, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *slot;
    lun_node *no;
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX)
        return lun__array_refuse_gaps(e);
    lun_status s = lun_missing_slot(e, lun__dtype_storage(t), &slot);
    if (s != LUN_OK)
        return s;
    s = lun__node_number(e, LUN_BOOL, 0, 0, NULL, &no);
    if (s == LUN_OK)
        s = lun__array(e, no, true, &slot->valid);
    slot->logical = lun__dtype_is_logical(t) ? (uint8_t)t : 0;
    if (s == LUN_OK)
        *out = slot;
    else
        lun_release(slot);
    return s;
}
