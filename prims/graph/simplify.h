/* simplify.h - local rules for operations.  Private to prims/. */
#ifndef LUN_SIMPLIFY_H
#define LUN_SIMPLIFY_H

#include "graph/node.h"

/* What op gives on operands of that kind without computing anything, or NULL: x^2 is x*x, floor of
 * an integer is itself.  A reference. */
lun_node *lun__simplify(lun_engine *e, lun_op op, lun_node *const *in, const lun_node *like);

#endif
