/* backward_slice.h - the elements that a small part of an expression hangs on, as expressions of
 * their own. Private to prims/. */
#ifndef LUN_BACKWARD_SLICE_H
#define LUN_BACKWARD_SLICE_H

#include "graph/node.h"

/* For each of the roots, arrays that wait, an expression of its elements, made of no more of what
 * it hangs on than a box of each array that has all that is asked of it: through elementwise
 * operations, views, reshapes, pads and what is joined; all else stays whole.  *less: false where
 * this would compute hardly less for one of them; then none is made. */
lun_status lun__backward_slice(lun_engine *e, lun_node *const *roots, int count, lun_node **out,
                               bool *less);

#endif
