/* make.h - what making nodes needs of their memory and their table (node.c).
 * Private to the two. */
#ifndef LUN_NODE_MAKE_H
#define LUN_NODE_MAKE_H

#include "engine/state.h"
#include "graph/node.h"

/* Adds spare nodes; false: out of memory. */
bool lun__nodes_more(lun_engine *e);

/* Frees a node that is in no table yet and holds no references to its operands. */
void lun__node_drop(lun_engine *e, lun_node *n);

/* *out: a reference to the node of the table that equals n, which is then freed, or else n itself,
 * which takes references to its operands.  On failure n is freed. */
lun_status lun__node_intern(lun_engine *e, lun_node *n, lun_node **out);

#endif
