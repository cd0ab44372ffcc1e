/* teams.h - the kernel of a function of lun_teams.  Private to prims/. */
#ifndef LUN_TEAMS_H
#define LUN_TEAMS_H

#include "plan/plan.h"

/* What a body takes: for its scalar parameters behind the lun_front_numbers a cell, of the body's
 * dtype; for its arrays a LEAF. */
typedef struct lun_team_kernel {
    const lun_ir_function *f;
    const char *const *notes; /* of what may fail in it */
    int64_t blocks[3], base;  /* the league; the launch's first team */
    const uint64_t *cells;
    lun_node *const *arrays;
} lun_team_kernel;

/* Its IR, an index for each thread of each team.  Slot k is the body's array k. */
lun_status lun__lower_teams(lun_engine *e, const lun_team_kernel *k, lun_lowered *out);

#endif
