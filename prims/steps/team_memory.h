/* team_memory.h - memory that a launch of teams has for them, scratch and private.  Private to
 * prims/run. */
#ifndef LUN_TEAM_MEMORY_H
#define LUN_TEAM_MEMORY_H

#include "kernels/teams_kernel.h"

/* The memory of some teams: LEAFs by number of lun_team_kernel.memory, NULL: none yet. */
typedef struct lun_team_leafs {
    lun_node *node[LUN_FRONT_SCRATCHES + LUN_DTYPE_COUNT];
} lun_team_leafs;

/* Teams of a launch, of so many at most, whose memory is had at once. */
int64_t lun__team_memory_most(const lun_team_kernel *k, int64_t teams);
/* LUN_ELIMIT unless the device in use can have the memory of so many teams at once, as far as that
 * is known. */
lun_status lun__team_memory_check(lun_engine *e, const lun_team_kernel *k, int64_t teams);
/* The memory of `teams` teams where the backend in use computes, zero.  Also on failure it is to
 * be closed. */
lun_status lun__team_memory_open(lun_engine *e, const lun_team_kernel *k, int64_t teams,
                                 lun_team_leafs *out);
void lun__team_memory_close(lun_engine *e, const lun_team_kernel *k, lun_team_leafs *m);
/* The kernel's slots of memory are these, until others are; no reference is taken. */
void lun__team_memory_use(lun_team_kernel *k, const lun_team_leafs *m);
/* Whether a slot of the kernel is such memory. */
bool lun__team_memory_at(const lun_team_kernel *k, int slot);

#endif
