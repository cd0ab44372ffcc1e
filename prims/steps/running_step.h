/* running_step.h - the step of a plan that runs a function along lines.  Private to prims/. */
#ifndef LUN_RUNNING_STEP_H
#define LUN_RUNNING_STEP_H

#include "engine/state.h"
#include "graph/node.h"

/* n, a RUNNING, or a RESULT of one, whose operands are LEAFs and NUMBERs: all its results become
 * LEAFs. */
lun_status lun__run_running(lun_engine *e, lun_node *n);
/* Compiles its kernel and waits for the compiler. */
lun_status lun__prepare_running(lun_engine *e, lun_node *n);

#endif
