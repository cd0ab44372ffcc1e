/* load_shard.c - elements of a file that become current at locations, each of which gets a block;
 * see fetch.h.  Decides no distribution. */
#include "store/element_file.h"
#include "store/fetch.h"

/* Whether a location's machine reads files itself. */
static bool reads(const lun_backend_slot *at)
{
    return at->backend->remote != NULL;
}

bool lun__load_shard_possible(const lun_engine *e)
{
    bool some = false;
    for (int k = 0; k < e->set_count; k++)
        some |= reads(e->set[k]);
    return some;
}

lun_status lun__load_shard(lun_engine *e, lun_storage *s, int64_t unit, bool all)
{
    const int64_t slices = s->count / unit;
    const int locations = e->set_count;
    lun_piece *piece;
    lun_status status = LUN_OK;
    for (int k = 0; status == LUN_OK && s->count && k < locations; k++) {
        const int64_t lo = lun__spread_bound(LUN_SPREAD_REMAINDER, slices, locations, k) * unit;
        const int64_t hi = lun__spread_bound(LUN_SPREAD_REMAINDER, slices, locations, k + 1) * unit;
        if (lo < hi && (all || reads(e->set[k])))
            status = lun__fetch_ensure(e, s, e->set[k], lo, hi, &piece);
    }
    return status;
}

lun_status lun__load_shard_for_good(lun_engine *e, lun_storage *s, int64_t unit)
{
    lun_status status = lun__load_shard(e, s, unit, true);
    for (int k = 0; status == LUN_OK && k < e->set_count; k++)
        if (reads(e->set[k]))
            status = e->set[k]->backend->remote->loaded(e->set[k]->state);
    status = lun__fetch_settled(e, status);
    if (status != LUN_OK)
        return status;
    lun__element_file_release(e, s->source);
    s->source = NULL;
    return LUN_OK;
}
