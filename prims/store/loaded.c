/* loaded.c - elements of a file that become current at places, each of which gets a block; see
 * placed.h.  Decides no distribution. */
#include "store/placed.h"
#include "store/source.h"

/* Whether a place's machine reads files itself. */
static bool reads(const lun_backend_slot *at)
{
    return at->backend->load != NULL;
}

bool lun__places_read(const lun_engine *e)
{
    bool some = false;
    for (int k = 0; k < e->set_count; k++)
        some |= reads(e->set[k]);
    return some;
}

lun_status lun__placed_load(lun_engine *e, lun_storage *s, int64_t unit, bool all)
{
    int64_t bound[LUN_MAX_PLACES + 1];
    lun_piece *piece;
    lun_status status = LUN_OK;
    if (!s->count || !e->set_count)
        return LUN_OK;
    lun__spread_cut(LUN_SPREAD_REMAINDER, NULL, s->count / unit, e->set_count, bound);
    for (int k = 0; status == LUN_OK && k < e->set_count; k++)
        if (bound[k] < bound[k + 1] && (all || reads(e->set[k])))
            status =
                lun__placed_ensure(e, s, e->set[k], bound[k] * unit, bound[k + 1] * unit, &piece);
    return status;
}

lun_status lun__placed_loaded(lun_engine *e, lun_storage *s, int64_t unit)
{
    lun_status status = lun__placed_load(e, s, unit, true);
    for (int k = 0; status == LUN_OK && k < e->set_count; k++)
        if (reads(e->set[k]))
            status = e->set[k]->backend->loaded(e->set[k]->state);
    const lun_status sent = lun__placed_sent(e);
    if (status != LUN_OK || sent != LUN_OK)
        return status != LUN_OK ? status : sent;
    lun__source_release(e, s->source);
    s->source = NULL;
    return LUN_OK;
}
