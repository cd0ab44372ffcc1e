/* handed.c - what moves in a reduction whose rows are handed on, by the same rules as sets/handed.c
 * does it; see handing.h.  Nothing is moved. */
#include "ir/combine_order.h"
#include "placing/handing.h"

/* Working memory: where it is alone, NULL: on the host; of so many elements for each result. */
typedef struct working {
    const lun_backend_slot *at;
    bool some; /* it is anywhere */
    int64_t count;
} working;

/* It goes to place k, which writes it; anew: what it held is not needed. */
static lun_status work_at(lun_teller *t, const lun_outer_axis *a, working *w, int k, bool anew)
{
    const lun_backend_slot *slot = lun__set_at(t->e, k);
    const lun_backend_slot *at = slot->backend->buffer_new ? slot : NULL;
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && w->some && !anew && at != w->at && r < a->result_count; r++)
        s = lun__teller_works(t, w->at, at,
                              w->count * lun__dtype_get((lun_dtype)a->results[r]->acc)->bytes,
                              "accumulators are handed on");
    w->some = true;
    w->at = at;
    return s;
}

/* One block of segments, in the order of places. */
static lun_status tell_block(lun_teller *t, const lun_outer_axis *a, const lun_spread *rows,
                             const lun_outer_axis_sizes *x)
{
    const int64_t each = x->count * (x->segments / a->of.extent[0]);
    working acc = {.count = each * x->lanes};
    working cells = {.count = lun__order_chunks(&a->accumulate[1].ir, x->segment) * each};
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval part = lun__spread_part(rows, k);
        if (part.lo >= part.hi)
            continue;
        s = work_at(t, a, &acc, k, lun__handing_begins(part));
        if (s == LUN_OK && lun__handing_ends(part, x->segment))
            s = work_at(t, a, &cells, k, false);
    }
    return s == LUN_OK ? work_at(t, a, &cells, 0, false) : s;
}

lun_status lun__handing_tell(lun_teller *t, const lun_step *step, const lun_spread *rows)
{
    const lun_outer_axis *a = step->across;
    const lun_outer_axis_sizes x = lun__outer_axis_sizes(a);
    lun_status s = LUN_OK;
    for (int64_t at = 0; s == LUN_OK && at < a->of.extent[0]; at += x.count)
        s = tell_block(t, a, rows, &x);
    return s;
}
