/* each.c - loops whose rounds assign elements of arrays: checks of options, and how rounds are
 * shared out. Knows of a function only its front end's result. */
#include "api/array/elements.h"
#include "api/loop/assign.h"
#include "api/loop/inplace.h"
#include "base/sized.h"
#include "lunarray_bind.h"

/* Whether an array that is assigned shares elements with another one that the function captures. */
static bool shares(const lun_front_result *r)
{
    for (int k = 0; k < r->store_count; k++)
        for (int i = 0; i < r->captured_count; i++) {
            lun_array *x = r->captured[i];
            if (x && i != r->store_sources[k] &&
                lun__array_base(x) == lun__array_base(r->stores[k].to.array))
                return true;
        }
    return false;
}

/* The indices and the arguments of a call. */
typedef struct loop {
    int rank;
    const int64_t *first, *extent;
    lun_array *const *args;
    int count;
} loop;

/* A function of the host's language. */
static lun_status run_front(lun_engine *e, lun_function *f, const lun_box *b,
                            lun_array *const *index)
{
    lun_array *values[LUN_MAX_OUTPUTS];
    lun_front_result r;
    int results = 0;
    lun_status s = lun__generate_box_prepare(e, f, b, index, true, &r);
    if (s == LUN_OK && shares(&r))
        s = lun__fail(e, LUN_EARG,
                      "an array that the function assigns shares elements with another one that it "
                      "captures: capture it once, or a copy");
    if (s == LUN_OK)
        s = lun__generate_box_apply(e, f, b, index, &r, values, LUN_MAX_OUTPUTS, &results);
    else
        results = 0;
    if (s != LUN_OK)
        results = 0;
    if (s == LUN_OK)
        s = lun__assign_numbers(e, b, &r, values);
    if (s == LUN_OK)
        s = lun__assign(e, b, &r, values);
    for (int k = 0; k < results; k++)
        lun_release(values[k]);
    return s;
}

static lun_status run(lun_engine *e, lun_function *f, const loop *l)
{
    lun_array *index[LUN_MAX_RANK];
    lun_box b;
    if (!f || !f->front.specialise)
        return lun__fail(e, LUN_EARG,
                         "each takes a function of the host's language, which assigns elements of "
                         "arrays that it captures, or C text without a result");
    if (l->count && !f->front.in_place)
        return lun__fail(e, LUN_EARG, "only C text takes arguments in each: capture the arrays");
    lun_status s = lun__generate_box_make(e, l->rank, l->first, l->extent, &b, index);
    if (s != LUN_OK)
        return s;
    if (f->front.in_place)
        s = lun__inplace_each(e, f, &b, l->args, l->count, true);
    else
        s = run_front(e, f, &b, index);
    for (int k = 0; k < l->rank; k++)
        lun_release(index[k]);
    return s;
}

/* Checks the tile: a hint for work-groups and, if there is no other, for chunks. */
static lun_status check_options(lun_engine *e, int rank, const lun_each_options *o, int64_t *tile)
{
    *tile = 0;
    if (o->chunk < 0)
        return lun__fail(e, LUN_EARG, "chunk is a number of indices, not %lld",
                         (long long)o->chunk);
    if (!o->tile[0])
        return LUN_OK;
    *tile = 1;
    for (int k = 0; k < rank && k < LUN_MAX_RANK; k++)
        if (o->tile[k] < 1)
            return lun__fail(e, LUN_EARG, "tile: axis " LUN_NTH " has %lld indices in one", k,
                             (long long)o->tile[k]);
        else if (__builtin_mul_overflow(*tile, o->tile[k], tile))
            *tile = INT64_MAX;
    return LUN_OK;
}

lun_status lun_each(lun_engine *e, lun_function *f, int rank, const int64_t *first,
                    const int64_t *extent, const lun_each_options *options_or_NULL,
                    lun_array *const *args, int count)
{
    LUN_NEED(e, extent && (args || !count));
    const int workgroup = e->workgroup;
    lun_each_options o = {.size = sizeof o};
    int64_t tile;
    if (options_or_NULL)
        lun__sized_take(&o, options_or_NULL, sizeof o);
    lun_status s = check_options(e, rank, &o, &tile);
    if (s == LUN_OK && (count < 0 || count > LUN_MAX_OPERANDS))
        s = lun__fail(e, LUN_EARG, "%d arguments: at most %d can be given", count,
                      LUN_MAX_OPERANDS);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__array_usable(e, args[k]);
    if (s != LUN_OK)
        return s;
    if (tile)
        lun_workgroup(e, tile < LUN_MOST_WORKGROUP ? (int)tile : LUN_MOST_WORKGROUP);
    e->chunk = o.chunk ? o.chunk : tile;
    e->in_order = o.dynamic;
    s = run(e, f, &(loop){rank, first, extent, args, count});
    e->chunk = 0;
    e->in_order = false;
    lun_workgroup(e, workgroup);
    return s;
}
