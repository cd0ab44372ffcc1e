/* call_skeleton.c - one call of a skeleton that is given as a value. */
#include "api/package/package.h"
#include "base/sized.h"

static lun_status reduce(lun_engine *e, const lun_skeleton_use *u, lun_array *const *operands,
                         int count, lun_array **outs)
{
    lun_array *const *extra = operands + u->elements;
    const int extras = count - u->elements;
    if (u->elements > 1)
        return lun_reduce_several(e, u->f, u->id, operands, u->elements, extra, extras, u->axis,
                                  u->axes, u->keep, outs);
    if (!u->axes && !u->keep)
        return lun_reduce_with(e, u->f, u->id[0], operands[0], extra, extras, outs);
    return lun_fold_along_with(e, u->f, u->id[0], operands[0], extra, extras, u->axis, u->axes,
                               u->keep, outs);
}

static lun_status scan(lun_engine *e, const lun_skeleton_use *u, lun_array *const *operands,
                       int count, lun_array **outs)
{
    lun_array *const *extra = operands + u->elements;
    const int extras = count - u->elements;
    if (u->elements > 1)
        return lun_scan_several(e, u->f, u->id, operands, u->elements, extra, extras,
                                u->axes ? u->axis[0] : -1, u->inclusive, outs);
    if (u->axes)
        return lun_scan_along_with(e, u->f, u->id[0], operands[0], extra, extras, u->axis[0],
                                   u->inclusive, outs);
    return lun_scan_with(e, u->f, u->id[0], operands[0], extra, extras, u->inclusive, outs);
}

lun_status lun_skeleton_call(lun_engine *e, const lun_skeleton_use *given,
                             lun_array *const *operands, int count, lun_array **outs, int room,
                             int *results)
{
    LUN_NEED(e, given && operands && outs && results);
    lun_skeleton_use u = {0};
    lun__sized_take(&u, given, sizeof u);
    *results = 1;
    if (u.elements < 1 || u.elements > count)
        return lun__fail(e, LUN_EARG, "the skeleton takes %d arrays, got %d", u.elements, count);
    if (u.kind == LUN_SKELETON_MAP || u.kind == LUN_SKELETON_ZIP)
        return lun_call(e, u.f, operands, count, u.elements, outs, room, results);
    *results = u.elements;
    if (u.elements > room || u.elements > LUN_MOST_VALUES)
        return lun__fail(e, LUN_EARG, "the skeleton gives %d results, not %d", u.elements, room);
    if (u.kind == LUN_SKELETON_REDUCE)
        return reduce(e, &u, operands, count, outs);
    if (u.kind == LUN_SKELETON_SCAN)
        return scan(e, &u, operands, count, outs);
    return lun__fail(e, LUN_EARG, "not a map, zip, reduce or scan");
}
