/* tiles_step.h - steps of a plan that are run some indices at a time.  Private to prims/. */
#ifndef LUN_TILES_STEP_H
#define LUN_TILES_STEP_H

#include "schedule/steps.h"

/* Runs steps first .. last, which schedule/tiles.h says are such: their algorithms become LEAFs,
 * what the kernel makes for them stays unevaluated. */
lun_status lun__pieces_run(lun_engine *e, const lun_steps *s, int first, int last);

#endif
