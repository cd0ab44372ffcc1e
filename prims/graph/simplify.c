/* simplify.c - local rules, applied as nodes are made; each keeps every bit that section 4 of the
 * specification promises, NaN, infinities and signed zeros included. */
#include <string.h>

#include "graph/simplify.h"

static double number_of(const lun_node *n)
{
    lun_value v = lun__dtype_cell_to_value((lun_dtype)n->dtype, n->cell);
    return lun__dtype_value_is_float(v) ? v.as.d : 0;
}

/* Small whole powers are products: exact rounding of x*x, within 2 ULP for x*x*x. */
static lun_node *power(lun_engine *e, lun_node *x, const lun_node *exponent, const lun_node *like)
{
    if (exponent->kind != LUN_NODE_NUMBER || exponent->rank || like->n != x->n)
        return NULL;
    double p = number_of(exponent);
    lun_node *square = NULL, *out = NULL, *two[2] = {x, x};
    if (p == 1)
        return lun__node_retain(x);
    if (p != 2 && p != 3)
        return NULL;
    if (lun__node_op(e, LUN_OP_MUL, two, (lun_dtype)x->dtype, x, &square) != LUN_OK)
        return NULL;
    if (p == 2)
        return square;
    two[0] = square;
    if (lun__node_op(e, LUN_OP_MUL, two, (lun_dtype)x->dtype, x, &out) != LUN_OK)
        out = NULL;
    lun__node_release(e, square);
    return out;
}

lun_node *lun__simplify(lun_engine *e, lun_op op, lun_node *const *in, const lun_node *like)
{
    lun_node *x = in[0];
    const lun_dtype_row *t = lun__dtype_get((lun_dtype)x->dtype);
    switch (op) {
    case LUN_OP_POW:
        return power(e, x, in[1], like);
    case LUN_OP_FLOOR:
    case LUN_OP_CEIL:
    case LUN_OP_ROUND:
    case LUN_OP_TRUNC:
        return t->kind == LUN_KIND_FLOAT ? NULL : lun__node_retain(x);
    case LUN_OP_ABS:
        return t->kind == LUN_KIND_UNSIGNED ? lun__node_retain(x) : NULL;
    case LUN_OP_NEG:
    case LUN_OP_LNOT:
    case LUN_OP_BNOT:
        return x->kind == LUN_NODE_OP && x->op == (int)op ? lun__node_retain(x->in[0]) : NULL;
    case LUN_OP_WHERE:
        return in[1] == in[2] && in[1]->n == like->n && in[1]->rank == like->rank
                   ? lun__node_retain(in[1])
                   : NULL;
    default:
        return NULL;
    }
}
