/* use.c - another backend, another math mode; kernels of the others are kept. */
#include "engine/state.h"

lun_status lun_use(lun_engine *e, const char *name)
{
    LUN_NEED(e, true);
    lun_backend_slot *b = lun__backend_find(e, name);
    if (!b)
        return lun__backend_unknown(e, name);
    lun_status s = lun__backend_open(e, b);
    if (s != LUN_OK)
        return s;
    e->current = (int)(b - e->backends);
    return LUN_OK;
}

lun_status lun_math_mode(lun_engine *e, lun_math mode)
{
    LUN_NEED(e, true);
    if (mode != LUN_MATH_FAST && mode != LUN_MATH_PRECISE)
        return lun__fail(e, LUN_EARG, "math mode must be fast or precise");
    e->math = e->services.math = (int)mode;
    return LUN_OK;
}
