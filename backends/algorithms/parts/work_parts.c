/* work_parts.c - work in parts, taken from one counter; see work_parts.h. */
#include "algorithms/parts/work_parts.h"

#include <stdatomic.h>

typedef struct work {
    const lun_services *services;
    int64_t count;
    void *ctx;
    lun_part_fn *task;
    atomic_llong next;
} work;

static void work_on(void *ctx, int worker)
{
    work *w = ctx;
    for (int64_t part; (part = atomic_fetch_add(&w->next, 1)) < w->count;)
        if (!lun__backend_stop_requested(w->services))
            w->task(w->ctx, part, worker);
}

bool lun__work_parts(const lun_services *services, const lun_team *team, int64_t count, void *ctx,
                     lun_part_fn *task)
{
    work w = {.services = services, .count = count, .ctx = ctx, .task = task};
    int workers = count < team->threads ? (int)count : team->threads;
    if (workers > 1)
        team->parallel(team, &w, workers, work_on);
    else
        work_on(&w, 0);
    return !lun__backend_stop_requested(services);
}
