/* scan.c - lun_scan and lun_scan_along, also of arrays of which elements are missing: an
 * operation's identity stands for them, a function is not run for them, and the result is missing
 * there. */
#include "api/fold/lazy.h"
#include "api/loop/map_missing.h"
#include "graph/function_ref.h"
#include "lunarray_bind.h"

/* The slots of a in the dtype in which op takes them, with its identity where `valid` is false. */
static lun_status filled(lun_engine *e, lun_op op, lun_array *slots, lun_array *valid,
                         lun_array **out)
{
    const lun_dtype both[2] = {lun_dtype_of(slots), lun_dtype_of(slots)};
    const bool weak[2] = {false, false};
    lun_dtype t, gives;
    uint64_t cell;
    lun_node *n;
    lun_array *cast = NULL, *neutral = NULL;
    lun_status s = lun__op_types(op, both, weak, &t, &gives);
    if (s != LUN_OK || !lun__op_identity(op, t, &cell)) {
        lun_retain(*out = slots); /* refused by the scan */
        return LUN_OK;
    }
    s = lun_cast(e, slots, t, &cast);
    if (s == LUN_OK)
        s = lun__node_number(e, t, cell, 0, NULL, &n);
    if (s == LUN_OK)
        s = lun__array(e, n, true, &neutral);
    if (s == LUN_OK)
        s = lun_where(e, valid, cast, neutral, out);
    lun_release(cast);
    lun_release(neutral);
    return s;
}

static lun_status scan_gaps(lun_engine *e, lun_function *f, lun_array *id, lun_array *a, int axis,
                            bool inclusive, lun_array **out)
{
    lun_array *slots, *valid, *gone = NULL, *full = NULL, *all = NULL;
    lun_status s = lun_missing_parts(e, a, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = filled(e, f->op, slots, valid, &full);
    if (s == LUN_OK)
        s = axis < 0 ? lun__fold_scan_whole(e, f, id, full, NULL, 0, inclusive, &all)
                     : lun__along_scan(e, f, id, full, NULL, 0, axis, inclusive, &all);
    if (s == LUN_OK)
        s = lun_lnot(e, valid, &gone);
    if (s == LUN_OK)
        s = lun_with_missing(e, all, gone, out);
    lun_array *made[] = {slots, valid, gone, full, all};
    for (int k = 0; k < 5; k++)
        lun_release(made[k]);
    return s;
}

lun_status lun_scan(lun_engine *e, lun_function *f, lun_array *id, lun_array *a, bool inclusive,
                    lun_array **out)
{
    return lun_scan_with(e, f, id, a, NULL, 0, inclusive, out);
}

lun_status lun_scan_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                         lun_array *const *extra, int extras, bool inclusive, lun_array **out)
{
    const bool gaps = f && a && lun_has_missing(a);
    lun_folding all = {.f = f, .id = id, .a = a, .scans = true, .inclusive = inclusive};
    lun_status done;
    if (out && !extras && lun__logical_fold(e, &all, &done, out))
        return done;
    if (gaps && f->op == LUN_OP_COUNT) {
        LUN_NO_MISSING(e, id);
        return lun__map_missing_scan(e, f, id, a, extra, extras, inclusive, out);
    }
    if (gaps && !extras)
        return scan_gaps(e, f, id, a, -1, inclusive, out);
    return lun__fold_scan_whole(e, f, id, a, extra, extras, inclusive, out);
}

lun_status lun_scan_along(lun_engine *e, lun_function *f, lun_array *id, lun_array *a, int axis,
                          bool inclusive, lun_array **out)
{
    return lun_scan_along_with(e, f, id, a, NULL, 0, axis, inclusive, out);
}

lun_status lun_scan_along_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                               lun_array *const *extra, int extras, int axis, bool inclusive,
                               lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    const bool gaps = f && a && lun_has_missing(a);
    lun_folding all = {.f = f, .id = id, .a = a, .scans = true, .inclusive = inclusive};
    lun_status done;
    all.axes = &axis;
    all.count = 1;
    if (out && !extras && lun__logical_fold(e, &all, &done, out))
        return done;
    if (gaps && axis == 0 && lun_shape(a, shape) == 1)
        return lun_scan_with(e, f, id, a, extra, extras, inclusive, out);
    if (gaps && f->op < LUN_OP_COUNT && !extras && axis >= 0)
        return scan_gaps(e, f, id, a, axis, inclusive, out);
    return lun__along_scan(e, f, id, a, extra, extras, axis, inclusive, out);
}
