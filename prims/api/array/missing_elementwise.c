/* missing_elementwise.c - elementwise operations and casts of arrays of which elements may be
 * missing: the same operation on the slots, and a second expression, the validity, by the column
 * `missing` of table/ops.def.  Both go into one kernel when both are evaluated. */
#include "api/array/array.h"
#include "lunarray_bind.h"
#include "table/op.h"

enum { MOST = 3 };

/* Operands in slots and validities (NULL: nothing is missing), with references. */
typedef struct operands {
    lun_array *slots[MOST], *valid[MOST];
    int count;
} operands;

/* Exchanges the reference *a for the result of op on it and b, which may be NULL. */
static lun_status with(lun_engine *e, lun_op op, lun_array **a, lun_array *b)
{
    lun_array *made, *in[2] = {*a, b};
    lun_status s = lun__elementwise_slots(e, op, in, b ? 2 : 1, &made);
    if (s != LUN_OK)
        return s;
    lun_release(*a);
    *a = made;
    return LUN_OK;
}

/* Where all operands are there; some operand has a validity. */
static lun_status all_valid(lun_engine *e, const operands *o, int first, lun_array **out)
{
    lun_array *v = NULL;
    lun_status s = LUN_OK;
    for (int k = first; s == LUN_OK && k < o->count; k++) {
        if (o->valid[k] && !v)
            lun_retain(v = o->valid[k]);
        else if (o->valid[k])
            s = with(e, LUN_OP_LAND, &v, o->valid[k]);
    }
    if (s != LUN_OK) {
        lun_release(v);
        v = NULL;
    }
    *out = v;
    return s;
}

/* *v in the shape of a. */
static lun_status fit(lun_engine *e, const lun_array *a, lun_array **v)
{
    int64_t shape[LUN_MAX_RANK], own[LUN_MAX_RANK];
    const int rank = lun_shape(a, shape);
    bool alike = lun_shape(*v, own) == rank;
    for (int k = 0; alike && k < rank; k++)
        alike = shape[k] == own[k];
    if (alike)
        return LUN_OK;
    lun_array *wide;
    lun_status s = lun_broadcast(e, *v, rank, shape, &wide);
    if (s != LUN_OK)
        return s;
    lun_release(*v);
    *v = wide;
    return LUN_OK;
}

/* Exchanges the reference *a for one to its elements where v is true, else what stands in the slot
 * of a missing element. */
static lun_status blanked(lun_engine *e, lun_array *v, lun_array **a)
{
    lun_array *blank, *made;
    lun_status s = lun_missing_slot(e, lun_dtype_of(*a), &blank);
    if (s != LUN_OK)
        return s;
    s = lun__elementwise_slots(e, LUN_OP_WHERE, (lun_array *[]){v, *a, blank}, 3, &made);
    lun_release(blank);
    if (s != LUN_OK)
        return s;
    lun_release(*a);
    *a = made;
    return LUN_OK;
}

/* Whether what stands in the slots of operands makes NaN of the result wherever one is missing. */
static bool gives_nan(const operands *o, lun_op op, const lun_array *result)
{
    bool floats = lun__op_get(op)->missing == LUN__MISSING_NAN &&
                  lun_dtype_kind(lun_dtype_of(result)) == LUN_KIND_FLOAT;
    for (int k = 0; floats && k < o->count; k++)
        floats = !o->valid[k] || lun_dtype_kind(lun_dtype_of(o->slots[k])) == LUN_KIND_FLOAT;
    return floats;
}

/* The divisor where all operands are there, else 1, which cannot fail. */
static lun_status safe_divisor(lun_engine *e, operands *o, lun_array *v)
{
    lun_array *one, *made;
    lun_value x = {.dtype = LUN_I64, .as.i = 1};
    const lun_dtype t = lun_dtype_of(o->slots[1]);
    if (lun_dtype_kind(t) == LUN_KIND_FLOAT || lun_dtype_kind(t) == LUN_KIND_BOOL)
        return LUN_OK;
    lun_status s = lun_full(e, 0, NULL, t, x, &one);
    if (s != LUN_OK)
        return s;
    s = lun__elementwise_slots(e, LUN_OP_WHERE, (lun_array *[]){v, o->slots[1], one}, 3, &made);
    lun_release(one);
    if (s != LUN_OK)
        return s;
    lun_release(o->slots[1]);
    o->slots[1] = made;
    return LUN_OK;
}

/* Missing where an operand is. */
static lun_status apply_and(lun_engine *e, lun_op op, operands *o, lun_array **out)
{
    lun_array *v, *result = NULL;
    lun_status s = all_valid(e, o, 0, &v);
    if (s == LUN_OK && lun__op_get(op)->flags & LUN_OPF_TRAP0)
        s = safe_divisor(e, o, v);
    if (s == LUN_OK)
        s = lun__elementwise_slots(e, op, o->slots, o->count, &result);
    if (s == LUN_OK)
        s = fit(e, result, &v);
    if (s == LUN_OK && !gives_nan(o, op, result))
        s = blanked(e, v, &result);
    if (s == LUN_OK)
        s = lun_with_parts(e, result, v, out);
    lun_release(result);
    lun_release(v);
    return s;
}

/* A plain mask: false where an operand is missing, or true. */
static lun_status apply_mask(lun_engine *e, lun_op op, const operands *o, lun_array **out)
{
    lun_array *v, *result = NULL;
    const bool yes = lun__op_get(op)->missing == LUN__MISSING_TRUE;
    lun_status s = all_valid(e, o, 0, &v);
    if (s == LUN_OK)
        s = lun__elementwise_slots(e, op, o->slots, o->count, &result);
    if (s == LUN_OK && yes)
        s = with(e, LUN_OP_LNOT, &v, NULL);
    if (s == LUN_OK)
        s = with(e, yes ? LUN_OP_LOR : LUN_OP_LAND, &result, v);
    if (s == LUN_OK)
        lun_retain(*out = result);
    lun_release(result);
    lun_release(v);
    return s;
}

/* Adds to *v where operand k decides the result of a and b: is there and, as a bool, `wanted`. */
static lun_status add_decided(lun_engine *e, const operands *o, int k, bool wanted, lun_array **v)
{
    lun_array *decides = NULL;
    lun_op op = wanted ? LUN_OP_LAND : LUN_OP_LNOT;
    lun_status s = wanted ? lun__elementwise_slots(e, op, (lun_array *[]){o->slots[k], o->slots[k]},
                                                   2, &decides)
                          : lun__elementwise_slots(e, op, &o->slots[k], 1, &decides);
    if (s == LUN_OK && o->valid[k])
        s = with(e, LUN_OP_LAND, &decides, o->valid[k]);
    if (s == LUN_OK)
        s = with(e, LUN_OP_LOR, v, decides);
    lun_release(decides);
    return s;
}

/* The slots of operand k as a bool, false where it is missing: those of a float have NaN. */
static lun_status as_truth(lun_engine *e, operands *o, int k)
{
    return o->valid[k] ? with(e, LUN_OP_LAND, &o->slots[k], o->valid[k]) : LUN_OK;
}

/* false & x is false and true | x is true, whatever x is. */
static lun_status apply_kleene(lun_engine *e, lun_op op, operands *o, lun_array **out)
{
    lun_array *v, *result = NULL;
    lun_status s = all_valid(e, o, 0, &v);
    for (int k = 0; s == LUN_OK && k < o->count; k++)
        s = as_truth(e, o, k);
    if (s == LUN_OK)
        s = lun__elementwise_slots(e, op, o->slots, o->count, &result);
    for (int k = 0; s == LUN_OK && o->count == 2 && k < 2; k++)
        s = add_decided(e, o, k, op == LUN_OP_LOR, &v);
    if (s == LUN_OK)
        s = fit(e, result, &v);
    if (s == LUN_OK)
        s = with(e, LUN_OP_LAND, &result, v);
    if (s == LUN_OK)
        s = lun_with_parts(e, result, v, out);
    lun_release(result);
    lun_release(v);
    return s;
}

/* where(c, a, b): each brings its own; a missing condition is false. */
static lun_status apply_where(lun_engine *e, operands *o, lun_array **out)
{
    lun_array *yes, *v = NULL, *result = NULL;
    lun_status s = lun_boolean(e, true, &yes);
    if (s != LUN_OK)
        return s;
    s = as_truth(e, o, 0);
    if (s == LUN_OK)
        s = lun__elementwise_slots(e, LUN_OP_WHERE, o->slots, 3, &result);
    if (s == LUN_OK && !o->valid[1] && !o->valid[2]) {
        *out = result;
        lun_release(yes);
        return LUN_OK;
    }
    lun_array *in[] = {o->slots[0], o->valid[1] ? o->valid[1] : yes,
                       o->valid[2] ? o->valid[2] : yes};
    if (s == LUN_OK)
        s = lun__elementwise_slots(e, LUN_OP_WHERE, in, 3, &v);
    if (s == LUN_OK)
        s = fit(e, result, &v);
    if (s == LUN_OK && lun_dtype_kind(lun_dtype_of(result)) == LUN_KIND_FLOAT)
        s = blanked(e, v, &result); /* an integer operand has 0 in the slot */
    if (s == LUN_OK)
        s = lun_with_parts(e, result, v, out);
    lun_release(yes);
    lun_release(result);
    lun_release(v);
    return s;
}

/* What a bitwise operation of bools is: one of logic; else op. */
static lun_op as_logic(lun_op op, lun_array *const *all, int count)
{
    if (op != LUN_OP_BAND && op != LUN_OP_BOR && op != LUN_OP_BXOR && op != LUN_OP_BNOT)
        return op;
    for (int k = 0; k < count; k++)
        if (!all[k] || lun_is_freed(all[k]) || !lun__dtype_is_bool(lun_dtype_of(all[k])))
            return op;
    return op == LUN_OP_BAND   ? LUN_OP_LAND
           : op == LUN_OP_BOR  ? LUN_OP_LOR
           : op == LUN_OP_BXOR ? LUN_OP_NE
                               : LUN_OP_LNOT;
}

static lun_status apply_parts(lun_engine *e, lun_op op, lun__missing_rule rule, operands *o,
                              lun_array **out)
{
    switch (rule) {
    case LUN__MISSING_AND:
    case LUN__MISSING_NAN:
        return apply_and(e, op, o, out);
    case LUN__MISSING_FALSE:
    case LUN__MISSING_TRUE:
        return apply_mask(e, op, o, out);
    case LUN__MISSING_KLEENE:
        return apply_kleene(e, op, o, out);
    case LUN__MISSING_MOVE:
        return apply_where(e, o, out);
    }
    return LUN_EARG;
}

lun_status lun__missing_elementwise_apply(lun_engine *e, lun_op op, lun_array *const *all,
                                          int count, lun_array **out)
{
    LUN_NEED(e, all && out);
    operands o = {.count = 0};
    if ((unsigned)op >= LUN_OP_COUNT || count != lun__op_get(op)->arity)
        return lun__elementwise_slots(e, op, all, count, out);
    const bool differs = op == LUN_OP_BXOR; /* no comparison: not known where one is missing */
    op = as_logic(op, all, count);
    if (!lun__validity_some_missing(all, count))
        return lun__elementwise_slots(e, op, all, count, out);
    lun_status s = LUN_OK;
    for (; s == LUN_OK && o.count < count; o.count++) {
        s = lun_missing_parts(e, all[o.count], &o.slots[o.count], &o.valid[o.count]);
        if (s != LUN_OK)
            e->error_operand = o.count + 1;
    }
    if (s == LUN_OK)
        s = apply_parts(e, op,
                        differs ? LUN__MISSING_AND : (lun__missing_rule)lun__op_get(op)->missing,
                        &o, out);
    for (int k = 0; k < o.count; k++) {
        lun_release(o.slots[k]);
        lun_release(o.valid[k]);
    }
    return s;
}

lun_status lun__missing_elementwise_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun_array *slots, *valid, *result = NULL;
    if (!a || !lun_has_missing(a))
        return lun__elementwise_cast(e, a, t, out);
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    const bool floats = lun_dtype_kind(lun_dtype_of(slots)) == LUN_KIND_FLOAT;
    s = lun__elementwise_cast(e, slots, t, &result);
    if (s == LUN_OK && !(floats && lun_dtype_kind(t) == LUN_KIND_FLOAT))
        s = blanked(e, valid, &result);
    if (s == LUN_OK)
        s = lun_with_parts(e, result, valid, out);
    lun_release(slots);
    lun_release(valid);
    lun_release(result);
    return s;
}

/* ---- asking and giving ----------------------------------------------------------------------- */

lun_status lun_missing(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *slots, *valid;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    if (valid && !lun__array_is_complex(a)) {
        s = lun__elementwise_slots(e, LUN_OP_LNOT, &valid, 1, out);
    } else {
        const int rank = lun_shape(a, shape);
        s = lun_full(e, rank, shape, LUN_BOOL, (lun_value){.dtype = LUN_BOOL}, out);
    }
    lun_release(slots);
    lun_release(valid);
    return s;
}

lun_status lun_with_missing(lun_engine *e, lun_array *a, lun_array *mask, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *slots, *valid, *v = NULL;
    char text[96];
    if (mask && lun_dtype_kind(lun_dtype_of(mask)) != LUN_KIND_BOOL)
        return lun__fail(e, LUN_EDTYPE, "the mask is %s, not bool; compare first: x:gt(0)",
                         lun__array_describe(mask, text));
    LUN_AS_MASK(e, mask, lun_with_missing(e, a, mask, out))
    if (a && mask && !lun_is_freed(a) && lun__array_is_complex(a))
        return lun__array_refuse_gaps(e);
    lun_status s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    if (!mask) {
        lun_release(valid);
        lun__validity_set_logical(slots, a);
        *out = slots;
        return LUN_OK;
    }
    s = lun__elementwise_slots(e, LUN_OP_LNOT, &mask, 1, &v);
    if (s == LUN_OK && valid)
        s = with(e, LUN_OP_LAND, &v, valid);
    if (s == LUN_OK)
        s = fit(e, slots, &v);
    if (s == LUN_OK)
        s = blanked(e, v, &slots);
    if (s == LUN_OK)
        s = lun__validity_with_logical(e, a, slots, v, out);
    lun_release(slots);
    lun_release(valid);
    lun_release(v);
    return s;
}
