/* race_report.h - accesses of two threads that collide, in the script's words.  Private to
 * prims/run. */
#ifndef LUN_RACE_REPORT_H
#define LUN_RACE_REPORT_H

#include "steps/teams_step.h"

/* Fails with LUN_EARG: the element, both threads and what they do. */
lun_status lun__explain_race(lun_engine *e, const lun_team_run *r, const lun_races *races);

#endif
