/* handed.h - reductions of lines that go across, on places that hand them on. */
#ifndef LUN_RUN_HANDED_H
#define LUN_RUN_HANDED_H

#include "kernels/outer_axis.h"
#include "schedule/steps.h"
#include "spread/spread.h"

/* How the places of the set in use share the rows of a step; a reference; NULL: they do not. */
lun_status lun__handed_rows(lun_engine *e, const lun_step *step, lun_spread **rows);
/* Runs it so.  The results are where the first place computes. */
lun_status lun__handed_run(lun_engine *e, const lun_outer_axis *a, const lun_spread *rows);

#endif
