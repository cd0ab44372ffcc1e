/* mixed_sign.c - operations on a u64 and a signed integer, which have no common dtype: comparisons
 * and picks by value, as expressions of operations on one dtype; all others are errors. */
#include "api/array/api.h"

lun_status lun__mixed_sign_no_common(lun_engine *e, lun_dtype a, lun_dtype b)
{
    const bool wide = lun__dtype_is_wide_unsigned(a);
    return lun__fail(e, LUN_EDTYPE,
                     "%s and %s have no common integer dtype: cast one of them, as a:cast '%s' or "
                     "b:cast '%s'",
                     lun_dtype_name(a), lun_dtype_name(b), lun_dtype_name(wide ? LUN_I64 : LUN_U64),
                     lun_dtype_name(wide ? LUN_U64 : LUN_I64));
}

/* An expression being built; after the first failure all steps do nothing. */
typedef struct making {
    lun_engine *e;
    lun_status status;
} making;

static lun_node *integer(making *m, lun_dtype t, int64_t x)
{
    lun_node *n = NULL;
    const uint64_t cell = lun__dtype_cell_from_value(t, (lun_value){.dtype = LUN_I64, .as.i = x});
    if (m->status == LUN_OK)
        m->status = lun__node_number(m->e, t, cell, 0, NULL, &n);
    return n;
}

/* n as t; releases it. */
static lun_node *as(making *m, lun_node *n, lun_dtype t)
{
    lun_node *out = NULL;
    if (m->status == LUN_OK)
        m->status = lun__convert(m->e, n, t, &out);
    lun__node_release(m->e, n);
    return out;
}

/* op on operands of its dtype, which are released. */
static lun_node *typed(making *m, lun_op op, lun_node *a, lun_node *b, lun_dtype t)
{
    lun_node *in[] = {a, b}, *out = NULL;
    if (m->status == LUN_OK)
        m->status = lun__typed_op(m->e, op, in, t, &out);
    lun__node_release(m->e, a);
    lun__node_release(m->e, b);
    return out;
}

/* A comparison of one u64 operand and a signed one: both as u64, unless the signed one is
 * negative, which settles it. */
static lun_node *compared(making *m, lun_op op, lun_node *const *in)
{
    const bool left = lun__dtype_is_signed((lun_dtype)in[0]->dtype);
    const bool settled = left ? lun__op_holds(op, -1, 0) : lun__op_holds(op, 0, -1);
    lun_node *s = in[!left], *u = lun__node_retain(in[left]);
    lun_node *wide = as(m, lun__node_retain(s), LUN_U64);
    lun_node *bits = typed(m, op, left ? wide : u, left ? u : wide, LUN_BOOL);
    lun_node *zero = integer(m, (lun_dtype)s->dtype, 0);
    lun_node *sign = typed(m, settled ? LUN_OP_LT : LUN_OP_GE, lun__node_retain(s), zero, LUN_BOOL);
    return typed(m, settled ? LUN_OP_LOR : LUN_OP_LAND, sign, bits, LUN_BOOL);
}

/* n as t, i64 or u64, saturated. */
static lun_node *saturated(making *m, lun_node *n, lun_dtype t)
{
    const lun_dtype from = (lun_dtype)n->dtype;
    lun_node *clamped = lun__node_retain(n);
    if (lun__dtype_is_signed(t) && lun__dtype_is_wide_unsigned(from))
        clamped = typed(m, LUN_OP_MIN, clamped, integer(m, from, INT64_MAX), from);
    else if (lun__dtype_is_unsigned(t) && lun__dtype_is_signed(from))
        clamped = typed(m, LUN_OP_MAX, clamped, integer(m, from, 0), from);
    return as(m, clamped, t);
}

lun_status lun__mixed_sign_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                              lun_node **out)
{
    const int arity = lun__op_get(op)->arity;
    making m = {e, LUN_OK};
    lun_node *clamped[3] = {NULL, NULL, NULL};
    if (lun__op_get(op)->rule == LUN_RULE_CMP) {
        *out = compared(&m, op, in);
        return m.status;
    }
    for (int k = 0; k < arity; k++)
        clamped[k] = saturated(&m, in[k], t);
    if (m.status == LUN_OK)
        m.status = lun__typed_op(e, op, clamped, t, out);
    for (int k = 0; k < arity; k++)
        lun__node_release(e, clamped[k]);
    return m.status;
}
