/* use.c - another backend or set of places, another math mode; kernels of the others are kept. */
#include "base/sized.h"
#include "engine/state.h"

lun_status lun_use(lun_engine *e, const char *places)
{
    LUN_NEED(e, true);
    return lun__places_use(e, places);
}

const char *lun_place_name(lun_engine *e, int index)
{
    const lun_backend_slot *at = e && index >= 0 ? lun__set_at(e, index) : NULL;
    return at ? at->name : NULL;
}

bool lun_place_stats_get(lun_engine *e, int index, lun_place_stats *out)
{
    static const lun_place_stats none;
    const lun_backend_slot *at = e && index >= 0 ? lun__set_at(e, index) : NULL;
    if (at && out)
        lun__give(out, at->counted ? at->counted : &none, sizeof *out);
    return at != NULL;
}

lun_status lun_math_mode(lun_engine *e, lun_math mode)
{
    LUN_NEED(e, true);
    if (mode != LUN_MATH_FAST && mode != LUN_MATH_PRECISE)
        return lun__fail(e, LUN_EARG, "math mode must be fast or precise");
    e->math = e->services.math = (int)mode;
    return LUN_OK;
}
