/* teams_step.h - the launch of a function of lun_teams.  Private to prims/. */
#ifndef LUN_TEAMS_STEP_H
#define LUN_TEAMS_STEP_H

#include "kernels/teams_kernel.h"

/* Teams of so many threads each, and what the body takes: for its scalar parameters behind the
 * lun_front_numbers a cell, of the body's dtype; for its arrays a LEAF, but for those from number
 * `first` on that are memory of teams, whose nodes are not looked at. */
typedef struct lun_team_run {
    const lun_ir_function *f;
    uint64_t number;          /* of all bodies that the user's engine runs; 0: it is not known */
    const char *const *notes; /* of what may fail in it */
    int64_t blocks[3];        /* the league */
    const uint64_t *cells;
    lun_node **arrays;
    int64_t teams, threads;
    const lun_front_scratch *scratch;
    int scratches, first;
    const char *const *names; /* of arrays, for what check finds */
    bool check;               /* on a backend that runs kernels of teams: LUN_EARG where two threads
                                 collide */
} lun_team_run;

/* Runs all teams; TARGETs are written in place.  What failed may have written before. */
lun_status lun__run_teams(lun_engine *e, const lun_team_run *r);
/* The same, the league cut into blocks over the places of the set in use: each writes its own
 * version of the arrays that are written, which have versions. */
lun_status lun__run_teams_apart(lun_engine *e, const lun_team_run *r);

#endif
