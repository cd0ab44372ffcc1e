/* elementwise.c - elementwise expressions: conversion of operands. Shapes are shape.c's, parts of
 * arrays slice_reshape.c's. */
#include <string.h>

#include "api/array/api.h"
#include "api/array/axes.h"
#include "graph/simplify.h"
#include "lunarray_bind.h"

/* ---- operations ------------------------------------------------------------------------------ */

static lun_dtype operand_dtype(const lun_op_row *row, int k, lun_dtype from)
{
    return row->rule == LUN_RULE_SELECT && k == 0 ? LUN_BOOL : from;
}

lun_status lun__elementwise_op(lun_engine *e, lun_op op, lun_node *const *in, lun_node **out)
{
    const lun_op_row *row = lun__op_get(op);
    lun_node *cast[3] = {0};
    lun_dtype t[3] = {LUN_BOOL, LUN_BOOL, LUN_BOOL}, from, to;
    const bool weak[3] = {false, false, false};
    for (int k = 0; k < row->arity; k++)
        t[k] = (lun_dtype)in[k]->dtype;
    lun_status s = lun__op_types(op, t, weak, &from, &to);
    if (s == LUN_OK && from == LUN_DTYPE_COUNT)
        return lun__mixed_sign_op(e, op, in, to, out);
    for (int k = 0; s == LUN_OK && k < row->arity; k++)
        s = lun__convert(e, in[k], operand_dtype(row, k, from), &cast[k]);
    if (s == LUN_OK)
        s = lun__typed_op(e, op, cast, to, out);
    for (int k = 0; k < row->arity; k++)
        lun__node_release(e, cast[k]);
    return s;
}

lun_status lun__elementwise_op2(lun_engine *e, lun_op op, lun_node *a, lun_node *b, lun_node **out)
{
    lun_node *in[2] = {a, b};
    bool unary = lun__op_get(op)->arity == 1;
    lun_status s = a && (b || unary) ? lun__elementwise_op(e, op, in, out) : LUN_ENOMEM;
    lun__node_release(e, a);
    lun__node_release(e, b);
    return s;
}

/* A script's shift count may be negative or large for any dtype. */
static lun_op shift_count(lun_op op, lun_dtype from, lun_value *count)
{
    if (!lun__dtype_is_index(count->dtype))
        return op;
    if (count->as.i > 100)
        count->as.i = 100;
    if (count->as.i < -100)
        count->as.i = -100;
    if (count->as.i >= 0 || lun__dtype_get(from)->kind != LUN_KIND_UNSIGNED)
        return op;
    count->as.i = -count->as.i;
    return op == LUN_OP_SHL ? LUN_OP_SHR : LUN_OP_SHL;
}

/* The two operands that have no common integer dtype: the first u64 and the first signed one. */
static lun_status no_common_dtype(lun_engine *e, lun_op op, lun_array *const *operands)
{
    const lun_op_row *row = lun__op_get(op);
    int wide = -1, with_sign = -1;
    for (int k = row->arity - 1; k >= (row->rule == LUN_RULE_SELECT); k--) {
        const lun_dtype t = lun_dtype_of(operands[k]);
        if (!operands[k]->weak && lun__dtype_is_wide_unsigned(t))
            wide = k;
        if (!operands[k]->weak && lun__dtype_is_signed(t))
            with_sign = k;
    }
    const int first = wide < with_sign ? wide : with_sign;
    const int second = wide < with_sign ? with_sign : wide;
    lun_status s =
        lun__mixed_sign_no_common(e, lun_dtype_of(operands[first]), lun_dtype_of(operands[second]));
    e->error_operand = second + 1;
    return s;
}

/* The operand at fault is the first float, else the last one. */
static lun_status wrong_dtype(lun_engine *e, lun_op op, lun_array *const *operands, lun_dtype met)
{
    const lun_op_row *row = lun__op_get(op);
    int about = 0;
    if (met == LUN_DTYPE_COUNT)
        return no_common_dtype(e, op, operands);
    while (about < row->arity - 1 && !lun__dtype_is_float(lun_dtype_of(operands[about])))
        about++;
    lun_fail(e, LUN_EDTYPE, "");
    lun__strbuf_printf(&e->error, "%s needs integers, not", row->name);
    for (int k = 0; k < row->arity; k++)
        lun__strbuf_printf(&e->error, "%s %s", k ? " and" : "",
                           lun_dtype_name(lun_dtype_of(operands[k])));
    e->error_operand = about + 1;
    return LUN_EDTYPE;
}

/* The node of an array that has one of its own and needs no conversion here; else NULL. */
static inline lun_node *plain(const lun_engine *e, const lun_array *a)
{
    bool own = a && a->engine == e && !(a->weak | a->freed) && !a->viewed;
    if (!own || a->node->rank != 1 || lun__node_is_unknown(a->node))
        return NULL;
    lun__array_used(e, a);
    return a->node;
}

/* A script's number as an operand beside floats of dtype t; NULL: it is none, or does not fit. */
static lun_node *number_beside(lun_engine *e, const lun_array *a, lun_dtype t)
{
    lun_node *n = NULL;
    bool fits = a && a->weak && a->engine == e && lun__dtype_is_float(t);
    return fits && lun__array_constant(e, t, a->number, &n) == LUN_OK ? n : NULL;
}

static lun_status combine_number(lun_engine *e, lun_op op, lun_node **in, lun_node *number,
                                 lun_array **out)
{
    lun_node *n;
    lun_status s = lun__typed_op(e, op, in, (lun_dtype)number->dtype, &n);
    lun__node_release(e, number);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

static lun_status apply_any(lun_engine *e, lun_op op, lun_array *const *operands, int count,
                            lun_array **out);

/* Arithmetic on two arrays of one dtype and length, or on a float array and a number, is the most
 * frequent operation of scripts: a fast path. */
static lun_status apply_arithmetic(lun_engine *e, lun_op op, lun_array *const *operands,
                                   lun_array **out)
{
    lun_node *in[2] = {plain(e, operands[0]), plain(e, operands[1])}, *n, *number = NULL;
    if (in[0] && !in[1])
        in[1] = number = number_beside(e, operands[1], (lun_dtype)in[0]->dtype);
    else if (in[1] && !in[0])
        in[0] = number = number_beside(e, operands[0], (lun_dtype)in[1]->dtype);
    if (number)
        return combine_number(e, op, in, number, out);
    if (!in[0] || !in[1] || in[0]->dtype != in[1]->dtype || in[0]->n != in[1]->n ||
        !lun__dtype_is_closed((lun_dtype)in[0]->dtype))
        return apply_any(e, op, operands, 2, out);
    n = lun__simplify(e, op, in, in[0]);
    lun_status s = n ? LUN_OK : lun__node_op(e, op, in, (lun_dtype)in[0]->dtype, in[0], &n);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

static lun_status apply_any(lun_engine *e, lun_op op, lun_array *const *operands, int count,
                            lun_array **out)
{
    const lun_op_row *row = lun__op_get(op);
    lun_node *in[3] = {0}, *n = NULL;
    lun_layout together;
    lun_dtype t[3] = {LUN_BOOL, LUN_BOOL, LUN_BOOL}, from, to;
    bool weak[3] = {false, false, false};
    lun_axes order;
    lun_status s;
    for (int k = 0; k < count; k++) {
        s = lun__array_usable(e, operands[k]);
        if (s != LUN_OK) {
            e->error_operand = k + 1;
            return s;
        }
        t[k] = lun_dtype_of(operands[k]);
        weak[k] = operands[k]->weak;
    }
    s = lun__op_types(op, t, weak, &from, &to);
    if (s != LUN_OK)
        return wrong_dtype(e, op, operands, from);
    const lun_axes *axes = lun__axes_common(operands, count, &order) ? &order : NULL;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_dtype want = from == LUN_DTYPE_COUNT ? t[k] : operand_dtype(row, k, from);
        if (weak[k]) {
            lun_value v = operands[k]->number;
            if (k == 1 && (op == LUN_OP_SHL || op == LUN_OP_SHR))
                op = shift_count(op, from, &v);
            else if (row->rule == LUN_RULE_CMP && !weak[1 - k] && lun__dtype_is_integer(want))
                op = lun__op_compared(op, want, v, k == 0, &v);
            s = lun__array_constant(e, want, v, &in[k]);
            if (s != LUN_OK)
                e->error_operand = k + 1;
            continue;
        }
        s = lun__axes_node(e, operands[k], want, axes, &in[k]);
    }
    if (s == LUN_OK && !lun__shape_like(in, count)) /* before casts, which cost */
        s = lun__shape_common(e, in, operands, count, &together);
    for (int k = 0; s == LUN_OK && from != LUN_DTYPE_COUNT && k < count; k++) {
        lun_node *raw = in[k];
        s = lun__convert(e, raw, operand_dtype(row, k, from), &in[k]);
        if (s == LUN_OK)
            lun__node_release(e, raw);
        else
            in[k] = raw;
    }
    if (s == LUN_OK && from == LUN_DTYPE_COUNT)
        s = lun__mixed_sign_op(e, op, in, to, &n);
    else if (s == LUN_OK)
        s = lun__typed_op(e, op, in, to, &n);
    for (int k = 0; k < count; k++)
        lun__node_release(e, in[k]);
    return s == LUN_OK ? lun__axes_array(e, n, false, axes, out) : s;
}

lun_status lun__elementwise_slots(lun_engine *e, lun_op op, lun_array *const *operands, int count,
                                  lun_array **out)
{
    if ((unsigned)op >= LUN_OP_COUNT)
        return lun__fail(e, LUN_EARG, "no such operation: %d", (int)op);
    const lun_op_row *row = lun__op_get(op);
    if (count != row->arity)
        return lun__fail(e, LUN_EARG, "%s takes %d operand%s, not %d", row->name, row->arity,
                         row->arity == 1 ? "" : "s", count);
    if (count == 2 && (row->rule == LUN_RULE_ARITH || row->rule == LUN_RULE_PICK))
        return apply_arithmetic(e, op, operands, out);
    return apply_any(e, op, operands, count, out);
}

lun_status lun__elementwise_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun_node *n, *c;
    if ((unsigned)t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    lun_axes order;
    lun_status s = lun__array_usable(e, a);
    const lun_axes *axes = s == LUN_OK && lun__axes_of(a, &order) ? &order : NULL;
    if (s == LUN_OK)
        s = lun__axes_node(e, a, LUN_DTYPE_COUNT, axes, &n);
    if (s != LUN_OK)
        return s;
    s = lun__convert(e, n, t, &c);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__axes_array(e, c, a->made, axes, out) : s;
}
