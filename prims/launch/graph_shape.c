/* graph_shape.c - finds the shape of a graph; see graph_shape.h. */
#include "launch/graph_shape.h"

#include "engine/state.h"
#include "graph/walk.h"
#include "ir/ir.h"

enum {
    PADDED = 1 << 20 /* elements of a PAD from which its kernel may be better run in another way */
};

/* Whether a VIEW's elements do not stand side by side: they come through a slot of their own. */
static bool is_staged(const lun_node *view)
{
    lun_layout l;
    lun__node_layout(view, &l);
    return view->n > 1 && !lun__layout_is_dense(&l);
}

bool lun__graph_shape_inlines(const lun_engine *e, const lun_node *n)
{
    bool plain = !n->body->text && n->count <= LUN_SHAPE_OPERANDS &&
                 (!n->function || n->body->used_by == e); /* the engine's own are constants */
    for (int k = n->elements; plain && k < n->count; k++)
        plain = n->more[k]->rank == 0 || n->more[k]->kind == LUN_NODE_LEAF;
    return plain;
}

/* A kernel over one index space can hold these without memory in between. */
static bool simple(const lun_graph_shape *s, const lun_node *n)
{
    switch ((lun_node_kind)n->kind) {
    case LUN_NODE_LEAF:
    case LUN_NODE_NUMBER:
    case LUN_NODE_INDEX:
    case LUN_NODE_RANDOM:
    case LUN_NODE_OP:
    case LUN_NODE_CAST:
        return true;
    case LUN_NODE_REDUCE:
    case LUN_NODE_SCAN:
    case LUN_NODE_RESHAPE:
        return true;
    case LUN_NODE_VIEW:
        return s->segment ? n->in[0]->kind != LUN_NODE_PAD
                          : n->in[0]->kind == LUN_NODE_PAD ||
                                (n->in[0]->kind == LUN_NODE_LEAF && is_staged(n));
    case LUN_NODE_PAD:
        return n->in[0]->kind == LUN_NODE_LEAF && n->n < PADDED && !s->segment;
    case LUN_NODE_CALL:
        return lun__graph_shape_inlines(s->e, n);
    case LUN_NODE_OUTPUT:
        return n->in[0]->kind == LUN_NODE_CALL;
    default:
        return false;
    }
}

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

static bool append(void *ctx, lun_node *n, const lun_node *user)
{
    lun_graph_shape *s = ctx;
    if (s->count == LUN_SHAPE_NODES || !simple(s, n) ||
        (user && n->kind == LUN_NODE_REDUCE && !s->segment))
        return false;
    n->slot = s->count;
    s->order[s->count++] = n;
    return true;
}

/* Whether VIEW n has, along each segment, its element of what has one for each, its first element,
 * or the index in it; or of each segment the first element. */
static bool is_spread(const lun_node *n, int64_t space, int64_t segment)
{
    const lun_node *of = n->in[0];
    const bool index = of->kind == LUN_NODE_INDEX, all = of->n == space && !index;
    const int64_t along = index, step = index ? 0 : all ? segment : 1;
    lun_layout at;
    lun__node_layout(n, &at);
    at = lun__layout_simplified(&at);
    if (at.offset || at.stride[0] != step ||
        of->n != (index ? segment
                  : all ? space
                        : space / segment))
        return false;
    return n->n == space ? at.rank == 2 && at.extent[1] == segment && at.stride[1] == along
                         : n->n == space / segment && at.rank == 1 && all;
}

uint8_t lun__graph_shape_class(const lun_node *n, int64_t space, int64_t segment)
{
    int64_t own = lun__graph_shape_space(n);
    const bool each = segment && own == space / segment && n->kind != LUN_NODE_INDEX;
    unsigned bits = (own == space ? LUN_SHAPE_WHOLE : 0u) | (n->rank == 0 ? LUN_SHAPE_SCALAR : 0u) |
                    (own == 1 ? LUN_SHAPE_ONE : 0u) | (each ? LUN_SHAPE_SEGMENTS : 0u);
    bool foreign = own != space && !each && (own != 1 || !lun__node_ready(n));
    if (segment && n->kind == LUN_NODE_VIEW)
        return is_spread(n, space, segment) ? (uint8_t)(bits | LUN_SHAPE_SPREAD)
                                            : LUN_SHAPE_FOREIGN;
    if (n->kind == LUN_NODE_PAD)
        return n->n < PADDED ? LUN_SHAPE_VIEWED : LUN_SHAPE_FOREIGN;
    if (foreign && (n->kind == LUN_NODE_LEAF || (segment && n->kind == LUN_NODE_INDEX)))
        return LUN_SHAPE_VIEWED; /* below a VIEW, or indexed */
    if (lun__graph_shape_folds(n) && n->step && lun__node_in_blocks(n))
        return LUN_SHAPE_FOREIGN;
    bool combines = n->body && n->kind != LUN_NODE_CALL;
    return foreign || combines || n->workgroup ? LUN_SHAPE_FOREIGN : (uint8_t)bits;
}

bool lun__graph_shape_of(lun_engine *e, lun_node *const *roots, int count, int64_t segment,
                         lun_graph_shape *s)
{
    const lun_visitor v = {LUN_WALK_MARK, enter, append, s};
    s->e = e;
    s->count = 0;
    s->segment = segment;
    uint64_t walk = ++e->walk;
    if (count > LUN_SHAPE_ROOTS)
        return false;
    for (int i = 0; i < count; i++) {
        if (lun__node_ready(roots[i]) || !lun__walk(walk, roots[i], &v))
            return false;
        for (int k = 0; k < i; k++)
            if (roots[k] == roots[i])
                return false;
    }
    s->n = lun__graph_shape_below(roots[0], segment);
    for (int i = 0; s->n && i < s->count; i++)
        if (lun__graph_shape_class(s->order[i], s->n, segment) == LUN_SHAPE_FOREIGN)
            return false;
    return s->n != 0;
}

uint32_t lun__graph_shape_form(lun_node *const *roots, int count)
{
    uint32_t form = 0;
    for (int i = 0; i < count; i++)
        form = form * 31 + lun__node_form(roots[i]);
    return form;
}
