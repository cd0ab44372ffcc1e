/* map_zip.c - lun_call, lun_map and lun_zip: functions applied to elements, which only read
 * (apply_function.c), or write arrays too (inplace.c). */
#include "api/loop/inplace.h"
#include "api/loop/map_missing.h"

lun_status lun_call(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                    int elements, lun_array **outs, int room, int *results)
{
    LUN_NEED(e, operands && outs && results);
    const bool gaps = elements > 0 && elements <= count && count <= LUN_MAX_OPERANDS &&
                      lun__validity_some_missing(operands, elements);
    const bool logical = elements > 0 && elements <= count && count <= LUN_MAX_OPERANDS &&
                         lun__array_some_complex(operands, elements);
    if (f && (gaps || logical) && f->op < LUN_OP_COUNT) {
        *results = 1;
        return lun_apply(e, f->op, operands, count, outs);
    }
    if (f && gaps && !f->front.in_place)
        return lun__map_missing_call(e, f, operands, count, elements, outs, room, results);
    if (f && f->front.in_place)
        for (int k = 0; k < count; k++)
            LUN_NO_MISSING(e, operands[k]);
    if (!f || !f->front.in_place)
        return lun__apply_around(e, f, operands, count, elements, NULL, outs, room, results);
    lun_status s = lun__apply_check(e, f, operands, count, elements, room);
    return s == LUN_OK ? lun__inplace_call(e, f, operands, count, elements, outs, results) : s;
}

static lun_status call_one(lun_engine *e, lun_function *f, lun_array **first, int elements,
                           lun_array *const *extra, int extras, lun_array **out)
{
    lun_array *operands[LUN_MAX_OPERANDS];
    int results;
    if (extras < 0 || extras > LUN_MAX_OPERANDS - elements)
        return lun__fail(e, LUN_EARG, "more than %d extra arguments", LUN_MAX_OPERANDS - elements);
    for (int k = 0; k < elements; k++)
        operands[k] = first[k];
    for (int k = 0; k < extras; k++)
        operands[elements + k] = extra[k];
    lun_status s = lun_call(e, f, operands, elements + extras, elements, out, 1, &results);
    if (s == LUN_OK && !results)
        *out = NULL;
    return s;
}

lun_status lun_map(lun_engine *e, lun_function *f, lun_array *a, lun_array *const *extra,
                   int extras, lun_array **out)
{
    LUN_NEED(e, out && extras >= 0 && (extras == 0 || extra));
    return call_one(e, f, &a, 1, extra, extras, out);
}

lun_status lun_zip(lun_engine *e, lun_function *f, lun_array *a, lun_array *b,
                   lun_array *const *extra, int extras, lun_array **out)
{
    LUN_NEED(e, out && extras >= 0 && (extras == 0 || extra));
    lun_array *both[2] = {a, b};
    return call_one(e, f, both, 2, extra, extras, out);
}
