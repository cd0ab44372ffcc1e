/* walk.h - the walk over a graph: each node once, operands before users, without
 * recursion.  Private to prims/.
 *
 * Nodes have two scratch fields that say which walk saw them last, `mark` and `lowered`, so that
 * lowering can walk while the plan's marks are in use.  A walk's number comes from ++e->walk; walks
 * of one number go on from one another. */
#ifndef LUN_WALK_H
#define LUN_WALK_H

#include <stddef.h>

#include "graph/node.h"

typedef struct lun_visitor {
    size_t mark; /* offset of the scratch field: LUN_WALK_MARK or LUN_WALK_LOWERED */
    /* Whether operand k of user is walked to; NULL: all are. */
    bool (*enter)(const void *ctx, const lun_node *user, int k, const lun_node *in);
    /* Called once for each node, after its operands; user: the node by which it was reached first,
     * NULL for the top.  False ends the walk. */
    bool (*visit)(void *ctx, lun_node *n, const lun_node *user);
    void *ctx;
} lun_visitor;

enum { LUN_WALK_MARK = offsetof(lun_node, mark), LUN_WALK_LOWERED = offsetof(lun_node, lowered) };

/* Visits top and what it is made of, as far as that walk has not seen it.  False: visit ended it,
 * or memory is short. */
bool lun__walk(uint64_t walk, lun_node *top, const lun_visitor *v);

#endif
