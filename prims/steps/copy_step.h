/* copy_step.h - the step of a plan that copies.  Private to prims/run. */
#ifndef LUN_COPY_STEP_H
#define LUN_COPY_STEP_H

#include "engine/state.h"
#include "graph/node.h"

/* n, a CONCAT of operands that are LEAFs, NUMBERs or VIEWs of LEAFs, becomes a LEAF. */
lun_status lun__run_copy(lun_engine *e, lun_node *n);

#endif
