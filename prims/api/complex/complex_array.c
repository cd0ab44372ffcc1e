/* complex_array.c - complex arrays made of their parts and lanes, and taken apart.
 *
 * Invariant: the slots of a complex array are its real parts, and its second array, where others
 * have a validity, its imaginary parts, of the same dtype, shape and strides: both are f32 or f64.
 * */
#include "api/complex/complex_array.h"

#include "api/array/api.h"
#include "api/array/elements.h"

lun_dtype lun_complex_part(lun_dtype t)
{
    return lun_dtype_kind(t) == LUN_KIND_COMPLEX ? lun__dtype_storage(t) : LUN_DTYPE_COUNT;
}

lun_dtype lun__complex_array_part_of(lun_dtype t)
{
    return lun__dtype_is_float(t) && !lun__dtype_is_double(t) ? LUN_F32 : LUN_F64;
}

/* ---- within expressions ---------------------------------------------------------------------- */

lun__z lun__complex_array_parts(lun__calc *c, lun_array *a)
{
    lun__z z = {NULL, NULL};
    lun_array *re = NULL, *im = NULL;
    if (c->s != LUN_OK)
        return z;
    if (!lun__array_is_complex(a)) {
        lun_retain(a);
        z.re = lun__calc_take(c, LUN_OK, a);
        return z;
    }
    const lun_status s = lun__validity_parts(c->e, a, false, &re, &im);
    z.re = lun__calc_take(c, s, re);
    z.im = s == LUN_OK ? lun__calc_take(c, LUN_OK, im) : NULL;
    return z;
}

lun__z lun__complex_array_cast(lun__calc *c, lun__z z, lun_dtype part)
{
    if (c->s == LUN_OK && (lun_dtype_of(z.re) != part || lun_is_weak(z.re)))
        z.re = lun__calc_cast(c, z.re, part);
    if (c->s == LUN_OK && z.im && (lun_dtype_of(z.im) != part || lun_is_weak(z.im)))
        z.im = lun__calc_cast(c, z.im, part);
    return z;
}

/* The dtype of the parts of z: that of those that are no weak numbers. */
static lun_dtype meeting(lun__z z)
{
    const lun_dtype re = lun__complex_array_part_of(lun_dtype_of(z.re));
    const lun_dtype im = z.im ? lun__complex_array_part_of(lun_dtype_of(z.im)) : re;
    return !z.im || lun_is_weak(z.im) ? re : lun_is_weak(z.re) || re == im ? im : LUN_F64;
}

/* The shape to which two arrays broadcast, by their sum's. */
static lun_array *spread(lun__calc *c, lun_array *a, lun_array *like)
{
    int64_t shape[LUN_MAX_RANK], own[LUN_MAX_RANK];
    lun_array *wide = NULL;
    if (c->s != LUN_OK)
        return NULL;
    const int rank = lun_shape(like, shape);
    bool same = lun_shape(a, own) == rank;
    for (int k = 0; same && k < rank; k++)
        same = own[k] == shape[k];
    if (same)
        return a;
    const lun_status s = lun_broadcast(c->e, a, rank, shape, &wide);
    return lun__calc_take(c, s, wide);
}

lun_array *lun__complex_array_made(lun__calc *c, lun__z z)
{
    lun_array *made = NULL;
    if (c->s != LUN_OK)
        return NULL;
    z = lun__complex_array_cast(c, z, meeting(z));
    if (c->s == LUN_OK && !z.im)
        z.im = lun__calc_cast(c, lun__calc_real(c, 0), lun_dtype_of(z.re));
    lun_array *like = lun__calc_op(c, LUN_OP_ADD, z.re, z.im);
    z.re = spread(c, z.re, like);
    z.im = spread(c, z.im, like);
    const lun_status s = c->s == LUN_OK ? lun__validity_pair(c->e, z.re, z.im, &made) : c->s;
    return lun__calc_take(c, s, made);
}

lun_status lun__complex_array_as(lun_engine *e, lun_array *a, lun_dtype part, lun_array **re,
                                 lun_array **im)
{
    lun__calc c = {.e = e};
    *re = *im = NULL;
    lun__z z = lun__complex_array_cast(&c, lun__complex_array_parts(&c, a), part);
    if (c.s == LUN_OK && !z.im)
        z.im = spread(&c, lun__calc_cast(&c, lun__calc_real(&c, 0), part), z.re);
    if (c.s == LUN_OK && lun_has_missing(z.re)) { /* NaN stands in the slots */
        lun_array *slots = NULL, *valid = NULL;
        const lun_status s = lun_missing_parts(e, z.re, &slots, &valid);
        z.re = lun__calc_take(&c, s, slots);
        lun_release(valid);
    }
    if (c.s == LUN_OK)
        lun_retain(*im = z.im);
    const lun_status s = lun__calc_end(&c, z.re, re);
    if (s != LUN_OK) {
        lun_release(*im);
        *im = NULL;
    }
    return s;
}

/* ---- made, taken apart ----------------------------------------------------------------------- */

/* LUN_EDTYPE unless a is of numbers; `complex`: complex ones. */
static lun_status check(lun_engine *e, lun_array *a, bool complex, int operand)
{
    char text[96];
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    if (complex ? lun__array_is_complex(a) : !lun__array_logical(a) || lun__array_is_complex(a))
        return LUN_OK;
    e->error_operand = operand;
    return lun__fail(e, LUN_EDTYPE, "%s expected, got %s", complex ? "complex numbers" : "numbers",
                     lun__array_describe(a, text));
}

lun_status lun_complex(lun_engine *e, lun_array *re, lun_array *im, lun_array **out)
{
    LUN_NEED(e, re && im && out);
    lun_array *const both[] = {re, im};
    lun__calc c = {.e = e};
    for (int k = 0; k < 2; k++) {
        lun_status s = check(e, both[k], false, k + 1);
        if (s == LUN_OK && lun__array_is_complex(both[k])) {
            s = lun__fail(e, LUN_EDTYPE, "a real or imaginary part is a real number");
            e->error_operand = k + 1;
        }
        if (s != LUN_OK)
            return s;
    }
    lun__z z = {re, im};
    const lun_dtype part = lun_is_weak(re) && lun_is_weak(im) ? LUN_F64 : meeting(z);
    z = lun__complex_array_cast(&c, z, part);
    return lun__calc_end(&c, lun__complex_array_made(&c, z), out);
}

lun_status lun_complex_number(lun_engine *e, double re, double im, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *a;
    lun_status s = lun_number(e, re, &a);
    if (s != LUN_OK)
        return s;
    s = lun_number(e, im, &a->valid);
    a->logical = LUN_C128;
    if (s == LUN_OK)
        *out = a;
    else
        lun_release(a);
    return s;
}

lun_status lun_real(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    lun_layout at;
    lun_status s = check(e, a, false, 1);
    if (s != LUN_OK)
        return s;
    if (!lun__array_is_complex(a)) {
        lun_retain(*out = a);
        return LUN_OK;
    }
    if (a->weak)
        return lun_number(e, a->number.as.d, out);
    lun__array_layout(a, &at);
    s = lun__array_window(e, a, &at, out);
    if (s == LUN_OK)
        (*out)->bare = true;
    return s;
}

lun_status lun_imag(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    int64_t shape[LUN_MAX_RANK];
    lun_layout at;
    lun_array *parts = NULL;
    lun_status s = check(e, a, false, 1);
    if (s != LUN_OK)
        return s;
    if (!lun__array_is_complex(a)) {
        const int rank = lun_shape(a, shape);
        return lun_full(e, rank, shape, lun_dtype_of(a), (lun_value){.dtype = LUN_I64}, out);
    }
    if (a->weak)
        return lun_number(e, a->valid->number.as.d, out);
    s = lun__validity(e, a, &parts);
    if (s != LUN_OK || a->parent) {
        *out = parts;
        return s;
    }
    lun__array_layout(parts, &at);
    s = lun__array_window(e, parts, &at, out);
    lun_release(parts);
    return s;
}

lun_status lun_conj(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    lun__calc c = {.e = e};
    lun_status s = check(e, a, false, 1);
    if (s != LUN_OK)
        return s;
    lun__z z = lun__complex_array_parts(&c, a);
    if (z.im)
        z.im = lun__calc_op(&c, LUN_OP_NEG, z.im, NULL);
    return lun__calc_end(&c, z.im ? lun__complex_array_made(&c, z) : z.re, out);
}

lun_status lun_angle(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    lun__calc c = {.e = e};
    lun_status s = check(e, a, false, 1);
    if (s != LUN_OK)
        return s;
    lun__z z = lun__complex_array_parts(&c, a);
    if (!z.im)
        z.im = lun__calc_real(&c, 0);
    return lun__calc_end(&c, lun__calc_op(&c, LUN_OP_ATAN2, z.im, z.re), out);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* The array of lanes that a's parts are the two halves of; NULL: they are apart. */
static lun_status whole_lanes(lun_engine *e, const lun_array *a, lun_array **out)
{
    const lun_array *im = a->valid;
    int64_t shape[LUN_MAX_RANK];
    *out = NULL;
    if (a->parent || a->weak || !a->viewed || !im->viewed || a->node != im->node ||
        a->at.offset != 0 || im->at.offset != 1)
        return LUN_OK;
    lun__node_shape(a->node, shape);
    const lun_layout right = lun__layout_right(a->node->rank, shape);
    bool all = right.rank == a->at.rank + 1 && right.extent[right.rank - 1] == 2;
    for (int k = 0; all && k < a->at.rank; k++)
        all = right.extent[k] == a->at.extent[k] && right.stride[k] == a->at.stride[k];
    return all ? lun__array(e, lun__node_retain(a->node), true, out) : LUN_OK;
}

lun_status lun_complex_joined(lun_engine *e, lun_array *re, lun_array *im, lun_array **out)
{
    LUN_NEED(e, re && im && out);
    lun_status s = check(e, re, false, 1);
    if (s == LUN_OK)
        s = check(e, im, false, 2);
    if (s == LUN_OK && (!re->wraps || !im->wraps || !lun__dtype_is_plain_float(lun_dtype_of(re)) ||
                        lun_dtype_of(re) != lun_dtype_of(im)))
        s = lun__fail(e, LUN_EARG, "parts are two arrays of f32 or f64 on the host's memory");
    if (s == LUN_OK)
        s = lun__validity_pair(e, re, im, out);
    if (s == LUN_OK)
        (*out)->wraps = (*out)->valid->wraps = 1;
    return s;
}

lun_status lun_complex_lanes(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    lun__calc c = {.e = e};
    lun_array *lanes = NULL;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = check(e, a, true, 1);
    if (s == LUN_OK)
        s = whole_lanes(e, a, &lanes);
    if (s != LUN_OK || lanes) {
        *out = lanes;
        return s;
    }
    lun__z z = lun__complex_array_parts(&c, a);
    const int rank = c.s == LUN_OK ? lun_shape(z.re, shape) : 0;
    s = c.s == LUN_OK ? lun_stack(e, (lun_array *[]){z.re, z.im}, 2, rank, &lanes) : c.s;
    return lun__calc_end(&c, lun__calc_take(&c, s, lanes), out);
}

lun_status lun_complex_of(lun_engine *e, lun_array *lanes, lun_array **out)
{
    LUN_NEED(e, lanes && out);
    char text[96];
    int64_t shape[LUN_MAX_RANK];
    lun_node *n;
    lun_array *a = NULL;
    lun_status s = lun__array_usable(e, lanes);
    if (s != LUN_OK)
        return s;
    const int rank = lun_shape(lanes, shape);
    const lun_dtype t = lun_dtype_of(lanes);
    if (!lun__dtype_is_plain_float(t))
        return lun__fail(e, LUN_EDTYPE, "lanes of f32 or f64 expected, got %s",
                         lun__array_describe(lanes, text));
    if (rank < 1 || shape[rank - 1] != 2)
        return lun__fail(e, LUN_ESHAPE, "lanes have a last axis of 2, got %s",
                         lun__array_describe(lanes, text));
    s = lun__array_node(e, lanes, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    lun_layout at = lun__layout_right(rank, shape);
    at.rank--;
    s = lun__array_viewed(e, lun__node_retain(n), &at, true, &a);
    if (s == LUN_OK) {
        at.offset = 1;
        s = lun__array_viewed(e, n, &at, true, &a->valid);
        a->logical = lun__dtype_is_double(t) ? LUN_C128 : LUN_C64;
    } else {
        lun__node_release(e, n);
    }
    if (s == LUN_OK)
        *out = a;
    else
        lun_release(a);
    return s;
}

/* ---- elements -------------------------------------------------------------------------------- */

lun_status lun_getcomplex(lun_engine *e, lun_array *a, int64_t index, double *re, double *im)
{
    LUN_NEED(e, a && re && im);
    lun_array *parts[2] = {NULL, NULL};
    lun_value x[2];
    lun_status s = check(e, a, true, 1);
    if (s == LUN_OK)
        s = lun__validity_parts(e, a, false, &parts[0], &parts[1]);
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = lun_get(e, parts[k], index, &x[k]);
    lun_release(parts[0]);
    lun_release(parts[1]);
    if (s == LUN_OK) {
        *re = lun__dtype_value_double(x[0]);
        *im = lun__dtype_value_double(x[1]);
    }
    return s;
}

lun_status lun_setcomplex(lun_engine *e, lun_array *a, int64_t index, double re, double im)
{
    LUN_NEED(e, a);
    lun_array *parts[2] = {NULL, NULL};
    lun_status s = check(e, a, true, 1);
    if (s == LUN_OK)
        s = lun__write_check(e, a);
    if (s == LUN_OK)
        s = lun_real(e, a, &parts[0]);
    if (s == LUN_OK)
        s = lun_imag(e, a, &parts[1]);
    if (s == LUN_OK)
        s = lun_set(e, parts[0], index, (lun_value){.dtype = LUN_F64, .as.d = re});
    if (s == LUN_OK)
        s = lun_set(e, parts[1], index, (lun_value){.dtype = LUN_F64, .as.d = im});
    lun_release(parts[0]);
    lun_release(parts[1]);
    return s;
}
