/* teams.h - what a run of teams at once (teams.c) and a task for a queue need: the division
 * checked, the function for it.  Private to prims/. */
#ifndef LUN_API_TEAMS_H
#define LUN_API_TEAMS_H

#include "engine/state.h"
#include "ir/ir.h"
#include "steps/teams_step.h"

enum {
    LUN_TEAM_ARRAYS = LUN_MAX_OPERANDS + LUN_FRONT_SCRATCHES + LUN_FRONT_ARRAYS,
    LUN_TEAM_CELLS = LUN_MAX_OPERANDS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS
};

/* The caller's division as one of this version's; of size 0: with three axes. */
lun_workdiv lun__team_workdiv(const lun_workdiv *w);
/* A division's extents along all axes. */
typedef struct lun_team_extents {
    int64_t league[LUN_TEAM_AXES], team[LUN_TEAM_AXES], elements[LUN_TEAM_AXES];
} lun_team_extents;
lun_team_extents lun__team_extents(const lun_workdiv *w);

/* Fills run->teams, run->threads and run->blocks.  LUN_EARG, LUN_ELIMIT. */
lun_status lun__team_division(lun_engine *e, const lun_workdiv *w, lun_team_run *run);
/* The body of f, of the host's language, for that division and `count` arguments, which the caller
 * has put at params[LUN_FRONT_NUMBERS] and behind it.  LUN_EARG: it assigns nothing. */
lun_status lun__team_specialise(lun_engine *e, lun_function *f, const lun_workdiv *w,
                                lun_front_param *params, int count, lun_front_result *r);
/* Its memory with the extents of a launch in out, of r->scratches, from the cells of the body's
 * scalars, of which those that take extents get them.  LUN_EBOUNDS where a number is none;
 * LUN_ELIMIT: a team takes more than the division allows. */
lun_status lun__team_scratch(lun_engine *e, const lun_front_result *r, const lun_workdiv *w,
                             uint64_t *cells, lun_front_scratch *out);

#endif
