/* eval.h - evaluation: of nodes (eval.c), of a plan's steps in their order (run_plan.c).
 * Private to prims/. */
#ifndef LUN_EVAL_H
#define LUN_EVAL_H

#include "launch/launch.h"
#include "schedule/steps.h"

/* Makes every root a LEAF (or NUMBER, for Scalars). */
lun_status lun__run(lun_engine *e, lun_node *const *roots, int count);
/* The failure of an evaluation that the host's progress function begins. */
lun_status lun__refuse_telling(lun_engine *e);
/* Makes the kernels of that evaluation and has them compiled, without running any. LUN_EBUILD. */
lun_status lun__prepare(lun_engine *e, lun_node *const *roots, int count);
/* Computes the roots, different ones that wait, straight into memory of the host: root k's elements
 * to the places to[k], all of which are different.  Nothing but these places may refer to their
 * storages.  *done: false if it cannot be done so; then, and after a failure, nothing was written.
 * The roots wait on. */
lun_status lun__run_into(lun_engine *e, lun_node *const *roots, int count,
                         const lun_storage_places *to, bool *done);
/* Elements first .. first+count-1 of an unevaluated root into host memory, without keeping them,
 * where only they need to be computed.  *done: false if the root had to be evaluated as a whole;
 * it is a LEAF then. */
lun_status lun__run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                          bool *done);

/* ---- parts of an evaluation ------------------------------------------------------------------ */

/* The first `count` steps. */
lun_status lun__steps_run(lun_engine *e, lun_steps *s, int count);
/* Notes of all that a plan for the roots computes that it was, or that elements of it were. */
lun_status lun__steps_note(lun_engine *e, lun_node *const *roots, int count, uint8_t trait);

#endif
