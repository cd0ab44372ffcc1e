/* api.h - expressions as nodes: what the files here share.
 * All take borrowed nodes and give references.  Private to prims/. */
#ifndef LUN_BUILD_H
#define LUN_BUILD_H

#include "api/array/array.h"
#include "engine/state.h"
#include "graph/node.h"

/* op on nodes of any dtypes that fit it (numbers already typed): converts,
 * simplifies, makes the node. */
lun_status lun__elementwise_op(lun_engine *e, lun_op op, lun_node *const *in, lun_node **out);
/* The same with operands of the right dtypes already; t: the result's. */
lun_status lun__typed_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                         lun_node **out);
/* CMP or PICK on integers of which some are u64 and some signed, by value; t: the result's
 * (mixed_sign.c). */
lun_status lun__mixed_sign_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                              lun_node **out);
/* LUN_EDTYPE: these two have no common dtype, and what to do about it. */
lun_status lun__mixed_sign_no_common(lun_engine *e, lun_dtype a, lun_dtype b);
/* lun__elementwise_op, then releases the operands, also on failure.  A NULL operand: an earlier
 * call failed, whose failure is returned. */
lun_status lun__elementwise_op2(lun_engine *e, lun_op op, lun_node *a, lun_node *b, lun_node **out);
lun_status lun__convert(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out);
lun_status lun__typed_number(lun_engine *e, lun_dtype t, double x, lun_node **out);
/* The operand whose shape the result of an elementwise operation has, if the others have that shape
 * or are single numbers; else NULL: they must be aligned. */
const lun_node *lun__shape_like(lun_node *const *in, int count);
/* Broadcasts operands to one shape (NumPy's rule) by exchanging the references in `in`; *like as
 * lun__shape_like.  LUN_ESHAPE names both, and the axis; e->error_operand is the second one. 
 * operands: the arrays that `in` was made of, whose dtypes are named; NULL: those of the nodes
 * are. */
lun_status lun__shape_align(lun_engine *e, lun_node **in, lun_array *const *operands, int count,
                            const lun_node **like);
/* The extents that operands have together; it fails as lun__shape_align does. */
lun_status lun__shape_common(lun_engine *e, lun_node *const *in, lun_array *const *operands,
                             int count, lun_layout *to);
/* LUN_ESHAPE: elements of that layout, described as `from`, do not broadcast to the shape, which is
 * described as `to`; names the axis, unless they have more axes. */
lun_status lun__shape_misfit(lun_engine *e, const char *from, const lun_layout *at, const char *to,
                             int rank, const int64_t *shape);
/* The elements of `from` repeated along the axes that it lacks or has once, so that the extents are
 * `shape`; false if they do not go together. */
bool lun__shape_broadcast(const lun_layout *from, int rank, const int64_t *shape, lun_layout *out);
/* A shape's extents checked: rank, no negative ones. */
lun_status lun__shape_check(lun_engine *e, int rank, const int64_t *shape);

/* n with before[k] and after[k] elements more at the ends of axis k, as edge[k] says; x: for
 * LUN_EDGE_VALUE.  LUN_ESHAPE: an axis without elements has none to repeat. */
lun_status lun__pad(lun_engine *e, lun_node *n, const int64_t *before, const int64_t *after,
                    const lun_edge *edge, lun_value x, lun_node **out);

/* Frees what lun_spmd_shared and lun_spmd_symmetric made (shared.c). */
void lun__shared_close(lun_engine *e);

/* A run-time assertion (runtime_checks.c): n, of i64, where all elements of `holds`, a bool of n's
 * shape, are true; else the evaluation fails with LUN_EBOUNDS and note[0], in which %lld is the
 * index of the first false one, from 1. note has static lifetime. */
lun_status lun__runtime_check(lun_engine *e, lun_node *n, lun_node *holds, const char *const *note,
                              lun_node **out);

#endif
