/* step_runners.h - runs the steps of a plan that have no header of their own: copies, launches in
 * place, functions along segments, chains, sweeps, tiles.  Private to prims/. */
#ifndef LUN_STEP_RUNNERS_H
#define LUN_STEP_RUNNERS_H

#include "engine/state.h"
#include "graph/node.h"
#include "placing/share.h"
#include "plan/plan.h"
#include "schedule/chain.h"
#include "schedule/sketch.h"
#include "schedule/steps.h"
#include "schedule/sweep.h"

/* Runs steps first .. last of s, which are a chain, on a backend that runs chains; share: on the
 * locations of the set in use, which share the first step so, NULL: there is none.  What only they
 * need is never in memory as a whole; the nodes of everything else are LEAFs then.  Fails as
 * lun__launch_lowered does. */
lun_status lun__chain_step_run(lun_engine *e, const lun_steps *s, int first, int last,
                               const lun_share *share);

/* n, a CONCAT of operands that are LEAFs, NUMBERs or VIEWs of LEAFs, becomes a LEAF. */
lun_status lun__copy_step_run(lun_engine *e, lun_node *n);

/* Runs it over n indices where the backend in use computes; TARGETs are written in place, and what
 * failed may have written before.  shared: the locations of the set in use share the indices as
 * they do those of other kernels, but none of an array that each has a copy of; each writes its own
 * version of the TARGETs, which have versions.  *out: elements of the OUT slot, if there is one, a
 * reference; else NULL. */
lun_status lun__inplace_step_run(lun_engine *e, const lun_lowered *l, int64_t n, bool shared,
                                 lun_storage **out);

/* n, a RUNNING, or a RESULT of one, whose operands are LEAFs and NUMBERs: all its results become
 * LEAFs. */
lun_status lun__running_step_run(lun_engine *e, lun_node *n);
/* Compiles its kernel and waits for the compiler. */
lun_status lun__running_step_prepare(lun_engine *e, lun_node *n);

/* Runs steps first .. last of s, which are sweeps, on a backend that runs these; all else as of
 * lun__chain_step_run. */
lun_status lun__sweep_step_run(lun_engine *e, const lun_steps *s, int first, int last,
                               const lun_share *share);

/* Runs steps first .. last, which schedule/tiles.h says are such: their algorithms become LEAFs,
 * what the kernel makes for them stays unevaluated. */
lun_status lun__tiles_step_run(lun_engine *e, const lun_steps *s, int first, int last);

#endif
