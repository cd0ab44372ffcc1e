/* team_kernels.h - the kernels of functions of teams, as they were lowered, remembered from one
 * launch to the next.  Private to prims/. */
#ifndef LUN_TEAM_KERNELS_H
#define LUN_TEAM_KERNELS_H

#include "launch/kernels.h"
#include "steps/teams_step.h"

struct lun_remembered_teams {
    lun_team_kernel k;  /* its nodes and cells are those of the last launch: replaced before use */
    lun_kernel_ref ref; /* of the backend that ran it last */
    uint64_t number;    /* lun_team_run.number */
    lun_team_form form; /* that was asked for */
    int64_t near;
    lun_front_scratch scratch[LUN_FRONT_SCRATCHES];
};

/* The kernel of a run on a backend that has this form of it, until it is given back; nothing else
 * finds it meanwhile. */
lun_status lun__team_kernel_take(lun_engine *e, const lun_team_run *r, lun_team_form form,
                                 int64_t near, lun_remembered_teams **out);
/* The numbers, arrays and texts of a launch, but for the first team and memory. */
void lun__team_kernel_fill(const lun_team_run *r, lun_team_kernel *k);
/* What the backend in use has built of it. */
lun_status lun__team_kernel_entry(lun_engine *e, lun_remembered_teams *t, lun_kernel_entry **out);
/* The launch is over: remembered if its run is known by a number; NULL: nothing was taken. */
void lun__team_kernel_give(lun_engine *e, lun_remembered_teams *t);
/* Forgets all. */
void lun__team_kernels_flush(lun_engine *e);

#endif
