/* outer_axis_step.h - runs reductions of lines that go across.  Private to prims/run. */
#ifndef LUN_OUTER_AXIS_STEP_H
#define LUN_OUTER_AXIS_STEP_H

#include "kernels/outer_axis.h"

/* Computes the results of a; their nodes are LEAFs then.  Fails as lun__run_lowered does. */
lun_status lun__across_run(lun_engine *e, const lun_across *a);

#endif
