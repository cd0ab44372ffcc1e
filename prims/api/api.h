/* api.h - expressions as nodes: what elementwise.c, part.c, make.c, fold.c and total.c share.
 * All take borrowed nodes and give references.  Private to prims/. */
#ifndef LUN_BUILD_H
#define LUN_BUILD_H

#include "api/array.h"
#include "engine/state.h"
#include "graph/node.h"

/* op on nodes of any dtypes that fit it (numbers already typed): converts,
 * simplifies, makes the node. */
lun_status lun__op(lun_engine *e, lun_op op, lun_node *const *in, lun_node **out);
/* The same with operands of the right dtypes already; t: the result's. */
lun_status lun__op_of(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t, lun_node **out);
/* lun__op, then releases the operands, also on failure.  A NULL operand: an earlier call failed,
 * whose failure is returned. */
lun_status lun__op2(lun_engine *e, lun_op op, lun_node *a, lun_node *b, lun_node **out);
lun_status lun__cast(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out);
lun_status lun__number(lun_engine *e, lun_dtype t, double x, lun_node **out);
/* a of length n: elements offset, offset + step, ... (count of them), as cheap as can be said. */
lun_status lun__slice(lun_engine *e, lun_node *a, int64_t offset, int64_t step, int rank,
                      const int64_t *shape, lun_node **out);
/* The operand whose shape the result of an elementwise operation has; NULL (and the error) if the
 * shapes do not fit together.  name: for the message. */
const lun_node *lun__like(lun_engine *e, lun_node *const *in, int count);
/* A shape's extents checked: rank, no negative ones. */
lun_status lun__shape_check(lun_engine *e, int rank, const int64_t *shape);

#endif
