/* convert.c - conversions as nodes.  The IR casts a STORED float to the dtype that it is
 * computed in, and rounds to it from f32 and f64 alone; all other ways are made of these, each
 * with one rounding. */
#include "api/array/api.h"

typedef struct chain {
    lun_engine *e;
    const lun_node *like;
    lun_node *made[16];
    int count;
    lun_status status;
} chain;

static lun_node *keep(chain *c, lun_status s, lun_node *n)
{
    if (s != LUN_OK) {
        c->status = s;
        return NULL;
    }
    return c->made[c->count++] = n;
}

static lun_node *number(chain *c, lun_dtype t, uint64_t cell)
{
    lun_node *n = NULL;
    if (c->status != LUN_OK)
        return NULL;
    lun_status s = lun__node_number(c->e, t, cell, 0, NULL, &n);
    return keep(c, s, n);
}

static lun_node *op(chain *c, lun_op o, lun_node *x, lun_node *y, lun_node *z)
{
    const lun_op_row *row = lun__op_get(o);
    lun_node *in[3] = {x, y, z}, *n = NULL;
    if (c->status != LUN_OK)
        return NULL;
    lun_dtype t =
        row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_LOGIC ? LUN_BOOL : (lun_dtype)y->dtype;
    lun_status s = lun__node_op(c->e, o, in, t, c->like, &n);
    return keep(c, s, n);
}

/* 64-bit integers a as f64 that round to a few bits as they do: from 2^26 on the low 16 bits become
 * one sticky bit. */
static lun_status few_bits(lun_engine *e, lun_node *a, lun_node **out)
{
    const uint64_t low = 0xffff, few = (uint64_t)1 << 26;
    chain c = {.e = e, .like = a};
    lun_dtype t = (lun_dtype)a->dtype;
    lun_node *zero = number(&c, t, 0), *bits = number(&c, t, low);
    lun_node *lost = op(&c, LUN_OP_NE, op(&c, LUN_OP_BAND, a, bits, NULL), zero, NULL);
    lun_node *cut = op(&c, LUN_OP_BAND, a, number(&c, t, ~low), NULL);
    lun_node *sticky = op(&c, LUN_OP_BOR, cut, number(&c, t, (low + 1) / 2), NULL);
    lun_node *large = op(&c, LUN_OP_WHERE, lost, sticky, cut);
    lun_node *small = op(&c, LUN_OP_LT, a, number(&c, t, few), NULL);
    if (lun__dtype_is_signed(t))
        small =
            op(&c, LUN_OP_LAND, small, op(&c, LUN_OP_GT, a, number(&c, t, 0 - few), NULL), NULL);
    lun_node *x = op(&c, LUN_OP_WHERE, small, a, large);
    if (c.status == LUN_OK)
        c.status = lun__node_cast(e, x, LUN_F64, out);
    while (c.count)
        lun__node_release(e, c.made[--c.count]);
    return c.status;
}

/* a as a float from which one rounding gives STORED dtype t. */
static lun_status before_rounding(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    lun_dtype from = (lun_dtype)a->dtype, by = (lun_dtype)d->compute;
    int bits = lun__dtype_precision(from);
    if (lun__dtype_is_float(from))
        return lun__convert(e, a, (lun_dtype)lun__dtype_get(from)->compute, out);
    /* exact there, or infinite in t anyway */
    if (bits <= lun__dtype_precision(by) || 1 << (d->exponent - 1) <= lun__dtype_precision(by))
        return lun__convert(e, a, by, out);
    if (bits <= lun__dtype_precision(LUN_F64))
        return lun__convert(e, a, LUN_F64, out);
    return few_bits(e, a, out);
}

/* The operand of a widening cast that t undoes; else NULL. */
static lun_node *as_it_was(const lun_node *a, lun_dtype t)
{
    lun_node *in = a->kind == LUN_NODE_CAST ? a->in[0] : NULL;
    bool widened = in && in->dtype == t && lun__dtype_is_stored(t);
    return widened && a->dtype == lun__dtype_get(t)->compute ? in : NULL;
}

lun_status lun__convert(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out)
{
    int64_t shape[LUN_MAX_RANK];
    lun_dtype from = (lun_dtype)a->dtype, by = (lun_dtype)lun__dtype_get(from)->compute;
    lun_node *wide, *same = from == t ? a : as_it_was(a, t);
    if (same) {
        *out = lun__node_retain(same);
        return LUN_OK;
    }
    if (a->kind == LUN_NODE_NUMBER) {
        lun__node_shape(a, shape);
        return lun__node_number(e, t, lun__dtype_cell_cast(t, from, a->cell), a->rank, shape, out);
    }
    lun_status s;
    if (lun__dtype_is_stored(t))
        s = before_rounding(e, a, t, &wide);
    else if (lun__dtype_is_stored(from) && by != t)
        s = lun__convert(e, a, by, &wide);
    else
        return lun__node_cast(e, a, t, out);
    if (s != LUN_OK)
        return s;
    s = lun__node_cast(e, wide, t, out);
    lun__node_release(e, wide);
    return s;
}
