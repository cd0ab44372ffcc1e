/* chain_step.h - runs chains of steps some rows at a time.  Private to prims/run. */
#ifndef LUN_CHAIN_STEP_H
#define LUN_CHAIN_STEP_H

#include "schedule/chain.h"

/* Runs steps first .. last of s, which are a chain, on a backend that runs chains.  What only they
 * need is never in memory as a whole; the nodes of everything else are LEAFs then.  Fails as
 * lun__run_lowered does. */
lun_status lun__chain_run(lun_engine *e, const lun_steps *s, int first, int last);

#endif
