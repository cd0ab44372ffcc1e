/* shared_steps.h - runs a step on the locations of the set in use, which share it: one function for
 * each rule of placing/share.h but LAUNCH (launch/launch.h) and CHAIN (steps/step_runners.h).  What
 * a step makes becomes a LEAF.  They fail as lun__launch_lowered does.  Private to prims/. */
#ifndef LUN_SHARED_STEPS_H
#define LUN_SHARED_STEPS_H

#include "placing/share.h"

/* PAIRS: each location has some rows of the result (allpairs.c). */
lun_status lun__allpairs_run(const lun_share *x);
/* PRODUCT: the same (rows.c). */
lun_status lun__rows_product(const lun_share *x);
/* ROWS: the results are where the first location computes (handed.c). */
lun_status lun__handed_run(const lun_share *x);
/* STREAM: elements stay where those are that they were made of (shared_algorithm.c). */
lun_status lun__shared_algorithm(const lun_share *x);
/* ORDER: the result is distributed as its operand is (shared_algorithm.c). */
lun_status lun__shared_algorithm_order(const lun_share *x);
/* CHOOSE: all results become LEAFs, if they are none (shared_algorithm.c). */
lun_status lun__shared_algorithm_choose(const lun_share *x);

#endif
