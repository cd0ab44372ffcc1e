/* shared_steps.h - runs a step on the locations of the set in use, which share it as `cut` says:
 * one function for each rule of placing/share.h but LAUNCH (launch/launch.h).  What a step makes
 * becomes a LEAF.  They fail as lun__run_lowered does.  Private to prims/. */
#ifndef LUN_SHARED_STEPS_H
#define LUN_SHARED_STEPS_H

#include "kernels/outer_axis.h"
#include "schedule/steps.h"
#include "spread/spread.h"

/* PAIRS: each location has some rows of the result (allpairs.c). */
lun_status lun__pairs_shared(lun_engine *e, const lun_step *step, const lun_spread *rows);
/* PRODUCT: the same (rows.c). */
lun_status lun__product_shared(lun_engine *e, lun_node *n, const lun_spread *rows);
/* ROWS: the results are where the first location computes (handed.c). */
lun_status lun__handed_run(lun_engine *e, const lun_outer_axis *a, const lun_spread *rows);
/* STREAM: elements stay where those are that they were made of (shared_algorithm.c). */
lun_status lun__algorithm_shared(lun_engine *e, lun_node *n, lun_spread *cut);
/* ORDER: the result is distributed as its operand is (shared_algorithm.c). */
lun_status lun__order_shared(lun_engine *e, lun_node *n, lun_spread *cut);
/* CHOOSE: n is the algorithm, or a further result of it; all of them become LEAFs, if they are none
 * (shared_algorithm.c). */
lun_status lun__choose_shared(lun_engine *e, lun_node *n, lun_spread *cut);

#endif
