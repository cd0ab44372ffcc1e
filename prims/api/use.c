/* use.c - another backend, another math mode: kernels that were built before are of no use then. */
#include "engine/state.h"
#include "run/kernels.h"

lun_status lun_use(lun_engine *e, const char *name)
{
    LUN_NEED(e, true);
    lun_backend_slot *b = lun__backend_find(e, name);
    if (!b)
        return lun__backend_unknown(e, name);
    lun_status s = lun__backend_open(e, b);
    if (s != LUN_OK)
        return s;
    if (b != &e->backends[e->current]) {
        lun__kernels_flush(e);
        e->current = (int)(b - e->backends);
    }
    return LUN_OK;
}

lun_status lun_math_mode(lun_engine *e, lun_math mode)
{
    LUN_NEED(e, true);
    if (mode != LUN_MATH_FAST && mode != LUN_MATH_PRECISE)
        return lun__fail(e, LUN_EARG, "math mode must be fast or precise");
    if (e->math == (int)mode)
        return LUN_OK;
    lun__kernels_flush(e);
    e->math = e->services.math = (int)mode;
    return LUN_OK;
}
