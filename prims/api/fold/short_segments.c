/* short_segments.c - reductions of many short segments as expressions of the first, second, ...
 * element of each: one kernel computes them and the expressions that use them. The order is that of
 * ir/combine_order.h. */
#include "api/fold/lazy.h"
#include "ir/combine_order.h"

enum {
    LENGTH_MOST = 32, /* elements of a segment, */
    READ_MOST = 48,   /* arrays that they are read from, one for each element of a segment, */
    WORK_MOST = 400,  /* and plain operations on them, with a variance's, in one kernel */
    VARIANCE = 12,    /* operations on an element in that */
    CHEAP = 8,        /* cost of an element that each reduction may compute again */
    NODES = 32,       /* that are visited to find the cost */
    LEAST = 1 << 15   /* elements: for fewer a kernel for segments of that length does not pay */
};

/* Element k of each segment, as a layout in flat order. */
static lun_layout column(const lun_segments *l, int64_t k)
{
    lun_layout at = lun__layout_right(l->rank, l->shape);
    for (int axis = 0; axis < at.rank; axis++)
        at.stride[axis] = at.extent[axis] == 1 ? 0 : at.stride[axis] * l->length;
    at.offset = k;
    return at;
}

/* The cost of computing an element of a. */
typedef struct effort {
    int64_t cost, reads;
    const lun_node *left[NODES];
    int count;
} effort;

static bool is_viewed(const lun_node *n, const lun_segments *l)
{
    lun_layout inner, at = column(l, 0), composed;
    lun__node_layout(n, &inner);
    return lun__layout_composed(&inner, &at, &composed);
}

/* Adds node n, which has as many elements as a; false: it should be computed once. */
static bool add(effort *x, const lun_node *n, const lun_segments *l)
{
    switch ((lun_node_kind)n->kind) {
    case LUN_NODE_LEAF:
        x->reads++;
        return true;
    case LUN_NODE_NUMBER:
    case LUN_NODE_INDEX:
        return true;
    case LUN_NODE_VIEW:
        x->reads++;
        return is_viewed(n, l);
    case LUN_NODE_OP:
        if (lun__op_get((lun_op)n->op)->flags & LUN_OPF_TRAP0)
            return false;
        x->cost += lun__op_cost((lun_op)n->op);
        break;
    case LUN_NODE_CAST:
        x->cost++;
        break;
    case LUN_NODE_RESHAPE:
        break;
    default:
        return false;
    }
    for (int k = 0; k < 3 && n->in[k]; k++) {
        if (x->count == NODES)
            return false;
        x->left[x->count++] = n->in[k];
    }
    return true;
}

bool lun__short_segments_suit(const lun_node *a, const lun_segments *l)
{
    effort x = {.left = {a}, .count = 1};
    if (l->length < 1 || l->length > LENGTH_MOST || a->n < LEAST || a->n / l->length < LUN_LANES)
        return false;
    for (int at = 0; at < x.count; at++)
        if (x.left[at]->n == a->n && x.left[at]->rank && !add(&x, x.left[at], l))
            return false;
    return x.cost <= CHEAP && x.reads * l->length <= READ_MOST &&
           (x.cost + VARIANCE) * l->length <= WORK_MOST;
}

/* *a = op(*a, b), which is of a's dtype; b is released. */
static lun_status combine(lun_engine *e, lun_op op, lun_node **a, lun_node *b)
{
    lun_node *in[3] = {*a, b, NULL}, *n = NULL;
    lun_status s = lun__node_op(e, op, in, (lun_dtype)b->dtype, b, &n);
    lun__node_release(e, b);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, *a);
    *a = n;
    return LUN_OK;
}

/* The lanes of a segment, folded in halves. Lanes without an element are the identity, which
 * changes nothing but a sum of -0.0: there one start from it is enough. */
static lun_status fold(lun_engine *e, lun_op op, int64_t length, lun_node **lane)
{
    uint64_t cell = 0;
    lun_node *first = NULL;
    lun_dtype t = (lun_dtype)lane[0]->dtype;
    lun__op_identity(op, t, &cell);
    lun_status s = lun__node_number(e, t, cell, 0, NULL, &first);
    if (s == LUN_OK) {
        lun_node *own = lane[0];
        lane[0] = first;
        s = combine(e, op, &lane[0], own);
    }
    for (int64_t half = LUN_LANES / 2; s == LUN_OK && half > 0; half /= 2)
        for (int64_t k = 0; s == LUN_OK && k < half && k + half < length; k++) {
            s = combine(e, op, &lane[k], lane[k + half]);
            lane[k + half] = NULL;
        }
    return s;
}

lun_status lun__short_segments_reduce(lun_engine *e, lun_op op, lun_node *a, const lun_segments *l,
                                      lun_dtype t, lun_node **out)
{
    lun_node *lane[LENGTH_MOST] = {NULL};
    lun_status s = LUN_OK;
    for (int64_t k = 0; s == LUN_OK && k < l->length; k++) {
        lun_layout at = column(l, k);
        s = lun__view(e, a, &at, &lane[k]);
    }
    if (s == LUN_OK)
        s = fold(e, op, l->length, lane);
    if (s == LUN_OK)
        s = lun__convert(e, lane[0], t, out);
    for (int64_t k = 0; k < l->length; k++)
        lun__node_release(e, lane[k]);
    return s;
}
