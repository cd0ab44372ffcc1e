/* team_scratch.c - the memory of teams for one launch: extents that are arguments of the function,
 * or numbers that it captures, are computed from the cells that the launch has of these. */
#include <inttypes.h>
#include <math.h>

#include "api/loop/teams.h"
#include "launch/trap.h"

/* The number that a cell is, as an integer; false: it is none, *shown what it is instead. */
static bool whole(lun_dtype t, uint64_t cell, int64_t *out, lun_value *shown)
{
    const lun_value v = lun__dtype_cell_to_value(t, cell);
    const bool real = lun__dtype_is_float(v.dtype);
    const bool huge = !real && !lun__dtype_is_signed(v.dtype) && v.as.i < 0;
    const double x = real ? v.as.d : (double)v.as.u;
    *shown = real || huge ? (lun_value){LUN_F64, {.d = x}} : v;
    *out = v.as.i;
    if (!real)
        return !huge;
    *out = fabs(x) <= INT32_MAX ? (int64_t)x : 0;
    return (double)*out == x;
}

static lun_status refuse(lun_engine *e, const lun_front_result *r, const lun_front_scratch *x,
                         bool real, lun_value v)
{
    return lun__trap_fail_note(e, LUN_EBOUNDS, r->notes[x->note + real], &v);
}

static lun_status take_extent(lun_engine *e, const lun_front_result *r, lun_front_scratch *x,
                              int axis, uint64_t *cells)
{
    const lun_front_extent *of = &x->of[axis];
    const lun_dtype t = (lun_dtype)r->function->body->args[of->from];
    lun_value shown;
    int64_t n;
    if (!whole(t, cells[of->from - LUN_FRONT_NUMBERS], &n, &shown))
        return refuse(e, r, x, true, shown);
    if (__builtin_mul_overflow(n, (int64_t)of->by, &n) ||
        __builtin_add_overflow(n, (int64_t)of->plus, &n))
        n = INT64_MAX;
    if (n < 1 || n > INT32_MAX)
        return refuse(e, r, x, false, (lun_value){LUN_I64, {.i = n}});
    x->extent[axis] = (int32_t)n;
    if (of->to >= 0)
        cells[of->to - LUN_FRONT_NUMBERS] = (uint64_t)n;
    return LUN_OK;
}

/* The extents and the count of memory whose extents are those of a launch. */
static lun_status take_extents(lun_engine *e, const lun_front_result *r, lun_front_scratch *x,
                               uint64_t *cells)
{
    lun_status s = LUN_OK;
    x->count = 1;
    for (int k = 0; s == LUN_OK && k < x->rank; k++) {
        if (x->of[k].by)
            s = take_extent(e, r, x, k, cells);
        x->count *= x->extent[k];
        if (s == LUN_OK && x->count > INT32_MAX)
            s = refuse(e, r, x, false, (lun_value){LUN_I64, {.i = x->count}});
    }
    if (s == LUN_OK && x->to >= 0)
        cells[x->to - LUN_FRONT_NUMBERS] = (uint64_t)x->count;
    return s;
}

lun_status lun__team_scratch(lun_engine *e, const lun_front_result *r, const lun_workdiv *w,
                             uint64_t *cells, lun_front_scratch *out)
{
    int64_t bytes = 0, own;
    for (int k = 0; k < r->scratches; k++) {
        lun_front_scratch *x = &out[k];
        *x = r->scratch[k];
        const lun_status s = x->given ? take_extents(e, r, x, cells) : LUN_OK;
        if (s != LUN_OK)
            return s;
        if (x->own)
            continue;
        if (__builtin_mul_overflow(x->count, (int64_t)lun__dtype_get(x->dtype)->bytes, &own) ||
            __builtin_add_overflow(bytes, own, &bytes))
            return lun__fail_nomem(e);
    }
    if (w->scratch && bytes > w->scratch)
        return lun__fail(e, LUN_ELIMIT,
                         "a team takes %lld bytes of scratch memory, more than scratch=%lld says",
                         (long long)bytes, (long long)w->scratch);
    return LUN_OK;
}
