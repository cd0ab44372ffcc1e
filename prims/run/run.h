/* run.h - evaluation: of nodes (run.c), of a plan's steps in their order (steps.c), of one launch
 * (launch.c).
 * Private to prims/. */
#ifndef LUN_EVALUATE_H
#define LUN_EVALUATE_H

#include "plan/steps.h"
#include "run/kernels.h"

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
/* Whether some of elements first .. first + count - 1 of needed, a LEAF or NUMBER, are true. */
lun_status lun__needed(lun_engine *e, const lun_node *needed, int64_t first, int64_t count,
                       bool *out);
/* Allocates, launches over n > 0 indices and gives the results to the sinks of a lowered group. */
lun_status lun__run_lowered(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n);
/* The same on the places of the set in use, which share the indices. */
lun_status lun__run_shared(lun_engine *e, const lun_lowered *l, int64_t n);
/* Computes elements first .. first + count - 1 of the only result, of n, into host; the
 * node stays as it is. */
lun_status lun__run_part(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                         int64_t first, int64_t count, void *host);

/* Runs an elementwise kernel on the host over n > 0 indices: what slot k writes goes to the places
 * places[k], of memory that nothing else of the launch reads.  The nodes stay as they are. */
lun_status lun__run_lowered_into(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k,
                                 int64_t n, const lun_storage_places *const *places);

/* ---- parts of an evaluation ------------------------------------------------------------------ */

/* The first `count` steps. */
lun_status lun__steps_run(lun_engine *e, lun_steps *s, int count);
/* Notes of all that a plan for the roots computes that it was, or that elements of it were. */
lun_status lun__steps_note(lun_engine *e, lun_node *const *roots, int count, uint8_t trait);

/* Whether s, of an evaluation that ended, says that memory was not enough, as far as it can be had
 * without a look for garbage (lun_thrifty). */
bool lun__short_of_memory(lun_engine *e, lun_status s);

#endif
