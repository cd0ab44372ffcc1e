/* make.h - what making nodes needs of their memory and their table (node.c).
 * Private to the two. */
#ifndef LUN_NODE_MAKE_H
#define LUN_NODE_MAKE_H

#include "engine/state.h"
#include "graph/node.h"

/* More unused nodes; false: out of memory. */
bool lun__nodes_more(lun_engine *e);

/* Ends a node that nobody has seen, whose operands are not counted yet. */
void lun__node_drop(lun_engine *e, lun_node *n);

/* An equal node in place of n, or n itself, whose operands it then counts. */
lun_status lun__node_intern(lun_engine *e, lun_node *n, lun_node **out);

#endif
