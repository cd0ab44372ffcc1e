/* logged.c - lun_each_logged: a loop whose assignments are noted; see log.h.  Knows no log's
 * contents. */
#include "api/log.h"
#include "engine/state.h"

lun_status lun_each_logged(lun_engine *e, lun_function *f, int rank, const int64_t *first,
                           const int64_t *extent, lun_array *const *arrays, int count,
                           lun_logged *list, int *length)
{
    LUN_NEED(e, count >= 0 && (!count || arrays) && list && length);
    lun_each_log log = {.arrays = arrays, .count = count, .list = list};
    lun_status s = LUN_OK;
    *length = 0;
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__usable(e, arrays[k]);
    if (s != LUN_OK)
        return s;
    e->log = &log;
    s = lun_each(e, f, rank, first, extent, NULL, NULL, 0);
    e->log = NULL;
    for (int k = 0; s != LUN_OK && k < log.length; k++) {
        lun_release(list[k].places);
        lun_release(list[k].values);
    }
    *length = s == LUN_OK ? log.length : 0;
    return s;
}
