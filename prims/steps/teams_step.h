/* teams_step.h - the launch of a function of lun_teams.  Private to prims/. */
#ifndef LUN_TEAMS_STEP_H
#define LUN_TEAMS_STEP_H

#include "kernels/teams_kernel.h"
#include "launch/kernels.h"

/* Teams of so many threads each, and what the body takes: for its scalar parameters behind the
 * lun_front_numbers a cell, of the body's dtype; for its arrays a LEAF, but for those from number
 * `first` on that are memory of teams, whose nodes are not looked at. */
typedef struct lun_team_run {
    const lun_ir_function *f;
    uint64_t number;          /* of all bodies that the user's engine runs; 0: it is not known */
    const char *const *notes; /* of what may fail in it */
    int64_t blocks[LUN_TEAM_AXES]; /* the league */
    const uint64_t *cells;
    lun_node **arrays;
    int64_t teams, threads;
    const lun_front_scratch *scratch;
    int scratches, first;
    const char *const *names; /* of arrays, for what check finds */
    bool together;            /* a team by several threads of the host, where that can be */
    bool check;               /* on a backend that runs kernels of teams: LUN_EARG where two threads
                                 collide */
} lun_team_run;

/* Runs all teams; TARGETs are written in place.  What failed may have written before. */
lun_status lun__teams_step_run(lun_engine *e, const lun_team_run *r);
/* The same, the league cut into blocks over the locations of the set in use: each writes its own
 * version of the arrays that are written, which have versions. */
lun_status lun__league_run(lun_engine *e, const lun_team_run *r);

/* ---- kernels --------------------------------------------------------------------------------- */

struct lun_remembered_teams {
    lun_team_kernel k;  /* its nodes and cells are those of the last launch: replaced before use */
    lun_kernel_ref ref; /* of the backend that ran it last */
    uint64_t number;    /* lun_team_run.number */
    lun_team_form form; /* that was asked for */
    int64_t team_bytes;
    uint64_t near;                      /* lun__teams_kernel_near of GROUPS */
    int64_t count[LUN_FRONT_SCRATCHES]; /* of memory whose extents are known */
};

/* The kernel of a run on a backend that has this form of it, until it is given back; nothing else
 * finds it meanwhile. */
lun_status lun__teams_step_take(lun_engine *e, const lun_team_run *r, lun_team_form form,
                                int64_t team_bytes, lun_remembered_teams **out);
/* The numbers, arrays and texts of a launch, but for the first team and memory. */
void lun__teams_step_fill(const lun_team_run *r, lun_team_kernel *k);
/* What the backend in use has built of it. */
lun_status lun__teams_step_entry(lun_engine *e, lun_remembered_teams *t, lun_kernel_entry **out);
/* The launch is over: remembered if its run is known by a number; NULL: nothing was taken. */
void lun__teams_step_give(lun_engine *e, lun_remembered_teams *t);
/* Forgets all. */
void lun__teams_step_flush(lun_engine *e);

/* ---- memory ---------------------------------------------------------------------------------- */

/* The memory of some teams: LEAFs by number of lun_team_kernel.memory, NULL: none yet. */
typedef struct lun_team_leafs {
    lun_node *node[LUN_FRONT_SCRATCHES + LUN_DTYPE_COUNT];
} lun_team_leafs;

/* Teams of a launch, of so many at most, whose memory is had at once. */
int64_t lun__teams_step_memory_most(const lun_team_kernel *k, int64_t teams);
/* LUN_ELIMIT unless the device in use can have the memory of so many teams at once, as far as that
 * is known. */
lun_status lun__teams_step_memory_check(lun_engine *e, const lun_team_kernel *k, int64_t teams);
/* The memory of `teams` teams where the backend in use computes, zero.  Also on failure it is to
 * be closed. */
lun_status lun__teams_step_memory_open(lun_engine *e, const lun_team_kernel *k, int64_t teams,
                                       lun_team_leafs *out);
void lun__teams_step_memory_close(lun_engine *e, const lun_team_kernel *k, lun_team_leafs *m);
/* The kernel's slots of memory are these, until others are; no reference is taken. */
void lun__teams_step_memory_use(lun_team_kernel *k, const lun_team_leafs *m);
/* Whether a slot of the kernel is such memory. */
bool lun__teams_step_memory_at(const lun_team_kernel *k, int slot);

#endif
