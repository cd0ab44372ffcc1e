/* fast_path.h - what shortens the way of small evaluations: roots that are another node's elements,
 * and products that need no plan.  Private to prims/. */
#ifndef LUN_FAST_PATH_H
#define LUN_FAST_PATH_H

#include "engine/state.h"
#include "graph/node.h"

enum { LUN_FAST_ROOTS = 8 }; /* most roots that are looked at */

/* For each root the node whose elements, computed before all that uses them, are those of the root
 * in their order; the root itself: there is none.  In `few`, or the roots as they are. */
lun_node *const *lun__fast_bases(lun_node *const *roots, int count, lun_node *few[LUN_FAST_ROOTS]);
/* root becomes a LEAF on the elements of its base, a LEAF. */
void lun__fast_take(lun_engine *e, lun_node *root, const lun_node *base);
/* For each root an expression of the elements alone that it hangs on (graph/backward_slice.h), to
 * be released; *less: false: none, for that is hardly less. */
lun_status lun__fast_cones(lun_engine *e, lun_node *const *roots, int count,
                           lun_node *cones[LUN_FAST_ROOTS], bool *less);
/* root, unless it is evaluated, becomes what `of`, evaluated and of its shape, is. */
void lun__fast_give(lun_engine *e, lun_node *root, const lun_node *of);
/* Makes the small products below the roots whose operands are in memory, which become LEAFs.
 * *some: whether there were any. */
lun_status lun__fast_products(lun_engine *e, lun_node *const *roots, int count, bool *some);

#endif
