/* teams_kernel.h - the kernel of a function of lun_teams.  Private to prims/. */
#ifndef LUN_TEAMS_KERNEL_H
#define LUN_TEAMS_KERNEL_H

#include "ir/races.h"
#include "plan/plan.h"

/* Memory that a launch has for its teams: a slot, and elements of each team, 0: they are the
 * backend's own. */
typedef struct lun_team_memory {
    int slot;
    int64_t count;
} lun_team_memory;

typedef struct lun_team_kernel {
    lun_lowered lowered; /* slot and argument k are the body's array and scalar k, without nodes and
                            cells; behind these slots there is memory alone */
    int64_t indices;     /* of each team */
    lun_team_memory memory[LUN_FRONT_SCRATCHES + LUN_DTYPE_COUNT];
    int memories;
    int crew;         /* lun_launch.crew */
    lun_races *races; /* that a launch watches; NULL: none */
} lun_team_kernel;

/* A body, its memory: arrays of it from number `first` on; bytes of it that a team of
 * LUN_TEAMS_GROUPS has beside its threads. */
typedef struct lun_team_body {
    const lun_ir_function *f;
    const lun_front_scratch *scratch;
    int scratches, first;
    int64_t team_bytes;
} lun_team_body;

/* A kernel of teams, for backends that run such (lun_backend.teams) or with barriers in groups
 * (lun_backend.groups); one without, for all; the same whose indices begin with the launch's first
 * team, wherever in the league that is; one for a crew (lun_launch.crew), if it has barriers. */
typedef enum lun_team_form {
    LUN_TEAMS_WHOLE,
    LUN_TEAMS_GROUPS,
    LUN_TEAMS_FISSION,
    LUN_TEAMS_MOVED,
    LUN_TEAMS_CREW
} lun_team_form;

_Static_assert(LUN_FRONT_SCRATCHES <= 64, "a bit for each");

/* Of LUN_TEAMS_GROUPS: by a bit each, memory that is a thread's own or in memory beside the team's
 * threads, as far as it fits there. */
uint64_t lun__teams_kernel_near(const lun_team_body *body);
/* The kernel of a body.  *out is to be freed in every case. */
lun_status lun__teams_kernel_lower(lun_engine *e, const lun_team_body *body, lun_team_form form,
                                   lun_team_kernel *out);
void lun__teams_kernel_free(lun_team_kernel *k);

#endif
