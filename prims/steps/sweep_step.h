/* sweep_step.h - runs steps that are sweeps.  Private to prims/run. */
#ifndef LUN_SWEEP_STEP_H
#define LUN_SWEEP_STEP_H

#include "schedule/sketch.h"
#include "schedule/sweep.h"

/* Runs steps first .. last of s, which are sweeps, on a backend that runs these.  What only they
 * need is never in memory as a whole; the nodes of everything else are LEAFs then.  Fails as
 * lun__run_lowered does. */
lun_status lun__sweep_run(lun_engine *e, const lun_steps *s, int first, int last);

#endif
