/* short_segments.c - reductions of many lines of few elements as expressions of what stands first,
 * second, ... in each line: one kernel computes them and what is made of them.  Knows no
 * reduction's meaning; the order is that of ir/order.h. */
#include "api/fold/lazy.h"
#include "ir/order.h"

enum {
    LINE_MOST = 32,  /* elements of a line, */
    READ_MOST = 48,  /* arrays that they are read from, one for each element of a line, */
    WORK_MOST = 400, /* and plain operations on them, with a variance's, in one kernel */
    VARIANCE = 12,   /* operations on an element in that */
    CHEAP = 8,       /* cost of an element that may be computed anew by each reduction */
    NODES = 32,      /* that are looked at for it */
    LEAST = 1 << 15  /* elements: fewer are not worth a kernel for lines of that length */
};

/* Element k of each line of `line`: places in flat order. */
static lun_layout column(const lun_lines *l, int64_t k)
{
    lun_layout at = lun__layout_right(l->rank, l->shape);
    for (int axis = 0; axis < at.rank; axis++)
        at.stride[axis] = at.extent[axis] == 1 ? 0 : at.stride[axis] * l->line;
    at.offset = k;
    return at;
}

/* What computing an element of a takes. */
typedef struct effort {
    int64_t cost, reads;
    const lun_node *left[NODES];
    int count;
} effort;

static bool is_viewed(const lun_node *n, const lun_lines *l)
{
    lun_layout inner, at = column(l, 0), composed;
    lun__node_layout(n, &inner);
    return lun__layout_composed(&inner, &at, &composed);
}

/* Adds node n, of as many elements as the whole; false: it is to be computed once. */
static bool add(effort *x, const lun_node *n, const lun_lines *l)
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

bool lun__lines_brief(const lun_node *a, const lun_lines *l)
{
    effort x = {.left = {a}, .count = 1};
    if (l->line < 1 || l->line > LINE_MOST || a->n < LEAST || a->n / l->line < LUN_LANES)
        return false;
    for (int at = 0; at < x.count; at++)
        if (x.left[at]->n == a->n && x.left[at]->rank && !add(&x, x.left[at], l))
            return false;
    return x.cost <= CHEAP && x.reads * l->line <= READ_MOST &&
           (x.cost + VARIANCE) * l->line <= WORK_MOST;
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

/* The lanes of a line, folded in halves.  Those that it has no element for are the identity and
 * change nothing; nor does starting from it, but for a sum of -0.0, for which one start will do. */
static lun_status fold(lun_engine *e, lun_op op, int64_t line, lun_node **lane)
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
        for (int64_t k = 0; s == LUN_OK && k < half && k + half < line; k++) {
            s = combine(e, op, &lane[k], lane[k + half]);
            lane[k + half] = NULL;
        }
    return s;
}

lun_status lun__reduce_brief(lun_engine *e, lun_op op, lun_node *a, const lun_lines *l, lun_dtype t,
                             lun_node **out)
{
    lun_node *lane[LINE_MOST] = {NULL};
    lun_status s = LUN_OK;
    for (int64_t k = 0; s == LUN_OK && k < l->line; k++) {
        lun_layout at = column(l, k);
        s = lun__view(e, a, &at, &lane[k]);
    }
    if (s == LUN_OK)
        s = fold(e, op, l->line, lane);
    if (s == LUN_OK)
        s = lun__cast(e, lane[0], t, out);
    for (int64_t k = 0; k < l->line; k++)
        lun__node_release(e, lane[k]);
    return s;
}
