/* teams.h - the launch of a function of lun_teams.  Private to prims/. */
#ifndef LUN_RUN_TEAMS_H
#define LUN_RUN_TEAMS_H

#include "plan/teams.h"

/* Teams, each of so many threads, and its memory: arrays of the body from number `first` on, whose
 * nodes are not looked at. */
typedef struct lun_team_run {
    lun_team_kernel kernel; /* base is set here */
    lun_node **arrays;      /* those of the kernel */
    int64_t teams, threads;
    const lun_front_scratch *scratch;
    int scratches, first;
} lun_team_run;

/* Runs all teams; TARGETs are written in place.  What failed may have written before. */
lun_status lun__run_teams(lun_engine *e, const lun_team_run *r);

#endif
