/* lock.c - the lock of critical sections, which PE 0 keeps, with a queue of the ranks that wait for
 * it, first come first served. A rank that ends gives it up. Waits for nothing. */
#include <string.h>

#include "ranks/ranks_state.h"

static lun_status grant(lun_engine *e, int to)
{
    e->ranks->holder = to;
    return lun__post(e, to, LUN_TAG_REPLY, 0, NULL, 0);
}

static lun_status hand_on(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    r->holder = -1;
    if (!r->queued)
        return LUN_OK;
    int next = r->queue[0];
    memmove(r->queue, r->queue + 1, (size_t)--r->queued * sizeof *r->queue);
    return grant(e, next);
}

lun_status lun__lock_asked(lun_engine *e, int from)
{
    lun_ranks_state *r = e->ranks;
    if (r->holder < 0)
        return grant(e, from);
    r->queue[r->queued++] = from; /* a rank waits for one thing at a time */
    return LUN_OK;
}

lun_status lun__lock_returned(lun_engine *e, int from)
{
    lun_status s = lun__post(e, from, LUN_TAG_REPLY, 0, NULL, 0);
    return s == LUN_OK ? hand_on(e) : s;
}

lun_status lun__lock_forget(lun_engine *e, int from)
{
    lun_ranks_state *r = e->ranks;
    int kept = 0;
    for (int i = 0; i < r->queued; i++)
        if (r->queue[i] != from)
            r->queue[kept++] = r->queue[i];
    r->queued = kept;
    return r->holder == from ? hand_on(e) : LUN_OK;
}
