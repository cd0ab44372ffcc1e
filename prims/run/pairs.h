/* pairs.h - runs reductions of all pairs of rows.  Private to prims/run. */
#ifndef LUN_RUN_PAIRS_H
#define LUN_RUN_PAIRS_H

#include "plan/pairs.h"

/* Computes the result of p; its node is a LEAF then.  Fails as lun__run_lowered does. */
lun_status lun__pairs_run(lun_engine *e, const lun_pairs *p);

#endif
