/* work_parts.h - work in parts that are done in any order, shared among a team's threads.
 * Private to algorithms/. */
#ifndef LUN_WORK_PARTS_H
#define LUN_WORK_PARTS_H

#include "host/host.h"

/* Does part number `part`; `worker` is below the team's number of threads. */
typedef void lun_part_fn(void *ctx, int64_t part, int worker);

/* Does parts 0 .. count - 1 and waits.  False: stopped, and some were left out. */
bool lun__work_parts(const lun_services *services, const lun_team *team, int64_t count, void *ctx,
                     lun_part_fn *task);

#endif
