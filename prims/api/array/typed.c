/* typed.c - operations on nodes that have the operation's dtype already, f16 and bf16 through the
 * float in which they are computed. */
#include "api/array/api.h"
#include "graph/simplify.h"

lun_status lun__typed_number(lun_engine *e, lun_dtype t, double x, lun_node **out)
{
    lun_value v = {.dtype = LUN_F64, .as.d = x};
    return lun__node_number(e, t, lun__dtype_cell_from_value(t, v), 0, NULL, out);
}

/* op on operands of a STORED dtype: in the dtype it computes in, the result rounded to t once. */
static lun_status op_on_stored(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                               lun_node **out)
{
    int arity = lun__op_get(op)->arity;
    lun_node *wide[3] = {NULL, NULL, NULL}, *result = NULL;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < arity; k++)
        s = lun__convert(e, in[k], (lun_dtype)lun__dtype_get((lun_dtype)in[k]->dtype)->compute,
                         &wide[k]);
    if (s == LUN_OK)
        s = lun__typed_op(e, op, wide, (lun_dtype)lun__dtype_get(t)->compute, &result);
    if (s == LUN_OK)
        s = lun__convert(e, result, t, out);
    for (int k = 0; k < arity; k++)
        lun__node_release(e, wide[k]);
    lun__node_release(e, result);
    return s;
}

/* op on operands whose shapes differ. */
static lun_status op_on_aligned(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                                lun_node **out)
{
    const int arity = lun__op_get(op)->arity;
    lun_node *fit[3] = {NULL, NULL, NULL};
    const lun_node *like;
    for (int k = 0; k < arity; k++)
        fit[k] = lun__node_retain(in[k]);
    lun_status s = lun__shape_align(e, fit, NULL, arity, &like);
    if (s == LUN_OK)
        s = lun__typed_op(e, op, fit, t, out);
    for (int k = 0; k < arity; k++)
        lun__node_release(e, fit[k]);
    return s;
}

lun_status lun__typed_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t, lun_node **out)
{
    if (lun__dtype_is_stored((lun_dtype)in[lun__op_get(op)->arity - 1]->dtype))
        return op_on_stored(e, op, in, t, out);
    const lun_node *like = lun__shape_like(in, lun__op_get(op)->arity);
    if (!like)
        return op_on_aligned(e, op, in, t, out);
    lun_node *simple = lun__simplify(e, op, in, like);
    if (simple) {
        *out = simple;
        return LUN_OK;
    }
    return lun__node_op(e, op, in, t, like, out);
}
