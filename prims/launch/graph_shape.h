/* graph_shape.h - the shape of a graph: what a recipe depends on.  Neither lengths nor numbers'
 * values are part of it; a front end's function is, as a number. */
#ifndef LUN_GRAPH_SHAPE_H
#define LUN_GRAPH_SHAPE_H

#include "graph/node.h"

enum {
    LUN_SHAPE_NODES = 112, /* at most, */
    LUN_SHAPE_ROOTS = 8,
    LUN_SHAPE_OPERANDS = 16 /* of a node */
};

/* What distinguishes a node for lowering, beside its nature: bits, or one of the others. */
enum {
    LUN_SHAPE_WHOLE = 1,     /* an element for each index */
    LUN_SHAPE_SCALAR = 2,    /* rank 0 */
    LUN_SHAPE_ONE = 4,       /* one element */
    LUN_SHAPE_VIEWED = 8,    /* below a VIEW, indexed, or a PAD */
    LUN_SHAPE_SEGMENTS = 16, /* an element for each segment */
    LUN_SHAPE_SPREAD = 32,   /* a VIEW: each segment's element, or the index in it, along it */
    LUN_SHAPE_FOREIGN = 255  /* it cannot be in a recipe */
};

typedef struct lun_graph_shape {
    const lun_engine *e;
    lun_node *order[LUN_SHAPE_NODES];
    int count;
    int64_t n, segment; /* of the index space; of a kernel of short segments their length, else 0 */
} lun_graph_shape;

/* The nodes below the roots, operands before users, each with its number in n->slot; segment: as
 * above.  False: there is no recipe for them. */
bool lun__graph_shape_of(lun_engine *e, lun_node *const *roots, int count, int64_t segment,
                         lun_graph_shape *s);
/* A hash of the roots' forms. */
uint32_t lun__graph_shape_form(lun_node *const *roots, int count);
/* Whether CALL n is a front end's function of numbers, and of arrays in memory that it indexes:
 * copied into the kernel it is instructions like others.  Its body's number is of e. */
bool lun__graph_shape_inlines(const lun_engine *e, const lun_node *n);
/* LUN_SHAPE_... of n over `space` elements; segment: as above. */
uint8_t lun__graph_shape_class(const lun_node *n, int64_t space, int64_t segment);

/* Elements over which n or, for a reduction, its operand exists. */
static inline int64_t lun__graph_shape_space(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE ? n->in[0]->n : n->n;
}

/* The same of the index space below a root. */
static inline int64_t lun__graph_shape_below(const lun_node *root, int64_t segment)
{
    return segment && root->kind != LUN_NODE_REDUCE ? root->n * segment
                                                    : lun__graph_shape_space(root);
}

static inline bool lun__graph_shape_folds(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE || n->kind == LUN_NODE_SCAN;
}

/* Whether that is n's class. Most nodes have an element for each index and nothing else to them. */
static inline bool lun__graph_shape_is_at(const lun_node *n, uint8_t class, int64_t space,
                                          int64_t segment)
{
    if (class == LUN_SHAPE_WHOLE && n->n == space && n->rank && !(n->extended | n->workgroup))
        return space > 1;
    return lun__graph_shape_class(n, space, segment) == class;
}

#endif
