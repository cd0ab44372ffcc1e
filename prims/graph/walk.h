/* walk.h - visits of a graph's nodes.  Private to prims/. */
#ifndef LUN_WALK_H
#define LUN_WALK_H

#include "graph/node.h"

/* Visits top and all that it is made of, each once, without recursion, until visit gives false (or
 * memory is short). */
void lun__walk(lun_engine *e, lun_node *top, bool (*visit)(void *ctx, const lun_node *n),
               void *ctx);

#endif
