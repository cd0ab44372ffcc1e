/* eval.h - evaluation: of nodes (eval.c), of a plan's steps in their order (run_plan.c).
 * Private to prims/. */
#ifndef LUN_EVAL_H
#define LUN_EVAL_H

#include "engine/state.h"
#include "graph/node.h"
#include "launch/launch.h"
#include "schedule/steps.h"

/* Makes every root a LEAF (or NUMBER, for Scalars). */
lun_status lun__eval(lun_engine *e, lun_node *const *roots, int count);
/* Makes the kernels of that evaluation and has them compiled, without running any. LUN_EBUILD. */
lun_status lun__run_plan_prepare(lun_engine *e, lun_node *const *roots, int count);
/* Computes the roots, different ones that wait, straight into memory of the host: root k's elements
 * to the places to[k], all of which are different.  Nothing but these views may refer to their
 * storages.  *done: false if it cannot be done so; then, and after a failure, nothing was written.
 * The roots wait on. */
lun_status lun__into_destination(lun_engine *e, lun_node *const *roots, int count,
                                 const lun_storage_view *to, bool *done);
/* Elements first .. first+count-1 of an unevaluated root into host memory, without keeping them,
 * where only they need to be computed.  *done: false if the root had to be evaluated as a whole;
 * it is a LEAF then. */
lun_status lun__eval_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                           bool *done);

/* ---- parts of an evaluation ------------------------------------------------------------------ */

/* The first `count` steps. */
lun_status lun__run_plan_steps(lun_engine *e, lun_steps *s, int count);
/* A LAUNCH on the locations of the set in use, or at the first one. */
lun_status lun__run_plan_step(lun_engine *e, const lun_step *step);
/* Notes of all that a plan for the roots computes that it was, or that elements of it were. */
lun_status lun__eval_note(lun_engine *e, lun_node *const *roots, int count, uint8_t trait);

/* ---- stencil_levels.c ------------------------------------------------------------------------ */

/* Evaluates, by `run`, what stencils below the roots read of one another, from the first on, where
 * these are quicker one by one than together: what is left is a graph of one level, whose shape
 * has the form that it would have if each had been evaluated by itself.  *some: whether there was
 * anything. */
lun_status lun__stencil_levels_run(lun_engine *e, lun_node *const *roots, int count,
                                   lun_status (*run)(lun_engine *e, lun_node *const *roots,
                                                     int count),
                                   bool *some);

/* ---- divergent_operands.c -------------------------------------------------------------------- */

/* The storages below the roots whose copies differ, in the order of the walk: *out, to be
 * freed in every case. */
lun_status lun__divergent_operands(lun_engine *e, lun_node *const *roots, int count,
                                   lun_storage ***out, int *found);
/* Merges these, before anything of a plan for the roots runs. */
lun_status lun__divergent_operands_merge(lun_engine *e, lun_node *const *roots, int count);

#endif
