/* regions.c - parts of a program that one rank runs: `master`, PE 0's, and `critical`, which one
 * rank is in at a time. Knows no element. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

/* ---- critical -------------------------------------------------------------------------------- */

static bool is_inside(const lun_engine *e, const char *region)
{
    return e->ranks && e->ranks->inside && !strcmp(e->ranks->inside, region);
}

static lun_status ask_lock(lun_engine *e, char kind)
{
    void *reply = NULL;
    int64_t count;
    lun_status s = lun__ask(e, 0, kind, NULL, 0, &reply, &count);
    free(reply);
    return s;
}

lun_status lun_spmd_critical_begin(lun_engine *e)
{
    LUN_NEED(e, true);
    if (!e->ranks)
        return LUN_OK;
    if (is_inside(e, "critical"))
        return lun__fail(e, LUN_EARG, "critical inside critical would wait for itself");
    lun_status s = !lun__alone(e) ? ask_lock(e, LUN_SAYS_LOCK) : LUN_OK;
    if (s == LUN_OK) {
        e->ranks->around = e->ranks->inside;
        e->ranks->inside = "critical";
    }
    return s;
}

lun_status lun_spmd_critical_end(lun_engine *e)
{
    LUN_NEED(e, true);
    if (!e->ranks)
        return LUN_OK;
    if (!is_inside(e, "critical"))
        return lun__fail(e, LUN_EARG, "no critical section has begun");
    e->ranks->inside = e->ranks->around;
    return !lun__alone(e) ? ask_lock(e, LUN_SAYS_UNLOCK) : LUN_OK;
}

/* ---- master ---------------------------------------------------------------------------------- */

lun_status lun_spmd_master_begin(lun_engine *e, bool *mine)
{
    LUN_NEED(e, mine);
    lun_status s = lun_spmd_step(e, "enters master", "master", NULL);
    if (s != LUN_OK)
        return s;
    *mine = lun_spmd_mype(e) == 0;
    if (*mine)
        lun_spmd_inside(e, "master");
    return LUN_OK;
}

lun_status lun_spmd_master_end(lun_engine *e, void *bytes, int64_t count)
{
    LUN_NEED(e, count >= 0 && (bytes || !count));
    if (is_inside(e, "master"))
        e->ranks->inside = NULL;
    return lun__bcast(e, "leaves master", "the end of master", (lun_same){0, bytes, count});
}
