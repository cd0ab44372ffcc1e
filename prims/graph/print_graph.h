/* print_graph.h - the graph as text.  Private to prims/. */
#ifndef LUN_PRINT_GRAPH_H
#define LUN_PRINT_GRAPH_H

#include "base/strbuf.h"
#include "graph/node.h"

/* One line for each node below the roots, operands before users: "%3 = add f32[1000] %0 %2".  A
 * shared node stands once.  False without memory. */
bool lun__graph_print(lun_engine *e, lun_node *const *roots, int count, lun_strbuf *out);

#endif
