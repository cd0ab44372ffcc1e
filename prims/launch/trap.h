/* trap.h - what went wrong in a kernel, in the script's words. Private to prims/. */
#ifndef LUN_TRAP_H
#define LUN_TRAP_H

#include "plan/plan.h"

/* Fails with what ended a launch (launch->trap, trap_value): its text is the front end's note where
 * there is one, its source line the note's or that of the expression. */
lun_status lun__trap_explain(lun_engine *e, const lun_lowered *l, const lun_launch *launch);
/* Fails with status; note: the front end's text, "script:12: message", with at most one conversion
 * for the value (%lld an integer, %g a float); NULL: that is not known. */
lun_status lun__trap_fail_note(lun_engine *e, lun_status status, const char *note,
                               const lun_value *value);
/* LUN_EBUILD, whose text is there: its source line is that of the first expression with a function
 * given as C text. */
lun_status lun__trap_refusal(lun_engine *e, const lun_lowered *l);

/* As lun__eval_range, which it is. */
typedef lun_status lun_run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count,
                                 void *host, bool *done);
/* After an evaluation of the roots that has failed with LUN_EBOUNDS: where a kernel has found an
 * index of a take (graph/take_nodes.h) out of range, the failure's text names the first such
  * index. */
void lun__index_error(lun_engine *e, lun_node *const *roots, int count, lun_run_range *run);

#endif
