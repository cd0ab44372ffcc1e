/* handing.c - the rule by which places hand a reduction across segments on; see handing.h.  Pure
 * functions of plans and distributions: knows no memory. */
#include "placing/handing.h"

#include "ir/combine_order.h"

lun_outer_axis_sizes lun__outer_axis_sizes(const lun_outer_axis *a)
{
    lun_outer_axis_sizes x = {.segment = 1, .lanes = 2};
    for (int k = a->kept; k < a->of.rank; k++)
        x.segment *= a->of.extent[k];
    x.segments = lun__layout_count(&a->of) / x.segment;
    while (x.lanes < LUN_LANES && x.lanes < x.segment)
        x.lanes *= 2;
    x.count = LUN_CROSSING_ACCUMULATORS / (x.lanes * (x.segments / a->of.extent[0]));
    x.count = x.count < 1 ? 1 : x.count > a->of.extent[0] ? a->of.extent[0] : x.count;
    return x;
}

int lun__handing_slots(const lun_outer_axis *a)
{
    return a->accumulate[1].ir.slot_count - 2 * a->result_count;
}

/* Positions of slot i's elements of row 0, and from row to row. */
static lun_interval first_row(const lun_outer_axis *a, int i, int64_t *step)
{
    const lun_slot_source *from = &a->accumulate[1].slots[i];
    lun_layout kept;
    int64_t low = 0, high = -1;
    (void)lun__outer_axis_layout(a, from, &kept, step);
    if (!lun__layout_range_of(&kept, 0, lun__layout_count(&kept) - 1, &low, &high))
        return (lun_interval){0, INT64_MAX};
    return (lun_interval){low + from->offset, high + 1 + from->offset};
}

lun_interval lun__handing_need(const lun_outer_axis *a, int i, lun_interval rows)
{
    int64_t step = 0;
    if (a->accumulate[1].slots[i].node->kind == LUN_NODE_INDEX || rows.lo >= rows.hi)
        return (lun_interval){0, 0};
    lun_interval x = first_row(a, i, &step);
    const int64_t one = rows.lo * step, other = (rows.hi - 1) * step;
    x.lo += one < other ? one : other;
    x.hi += one < other ? other : one;
    return x;
}

/* One block: accumulators begin where a chunk does, else they are what the rows before came to. */
static lun_status each_location(const lun_outer_axis *a, const lun_spread *rows, int64_t first,
                                int64_t count, const lun_handing_actions *act, void *ctx)
{
    const lun_outer_axis_sizes x = lun__outer_axis_sizes(a);
    const int64_t each = count * (x.segments / a->of.extent[0]);
    const int64_t cells = lun__order_chunks(&a->accumulate[1].ir, x.segment) * each;
    bool ended = false; /* there are cells */
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval r = lun__spread_part(rows, k);
        const bool ends = r.hi == x.segment || r.lo / LUN_CHUNK != r.hi / LUN_CHUNK;
        if (r.lo >= r.hi)
            continue;
        s = act->hand(ctx, LUN_HANDED_ACCUMULATORS, k, each * x.lanes, r.lo % LUN_CHUNK == 0);
        if (s == LUN_OK && ends)
            s = act->hand(ctx, LUN_HANDED_CELLS, k, cells, !ended);
        ended |= ends;
        if (s == LUN_OK && act->rows)
            s = act->rows(ctx, k, first, count, ends);
    }
    if (s == LUN_OK)
        s = act->hand(ctx, LUN_HANDED_CELLS, 0, cells, false);
    return s == LUN_OK && act->join ? act->join(ctx, first, count) : s;
}

lun_status lun__handing_each(const lun_outer_axis *a, const lun_spread *rows,
                             const lun_handing_actions *act, void *ctx)
{
    const int64_t all = a->of.extent[0], inner = lun__outer_axis_sizes(a).segments / all;
    int64_t most = lun__outer_axis_sizes(a).count;
    lun_status s = LUN_OK;
    if (((const lun_backend_slot *)rows->place[0])->rank) { /* 128 at least, while others combine */
        const int64_t share = (all + rows->places - 1) / rows->places, least = 127 / inner + 1;
        most = share > least ? share : least;
    }
    for (int64_t at = 0; s == LUN_OK && at < all; at += most)
        s = each_location(a, rows, at, all - at < most ? all - at : most, act, ctx);
    return s;
}

/* Whether all that visits read is elements of arrays, or their positions, at known places. */
static bool divides(const lun_step *step)
{
    const lun_outer_axis *a = step->across;
    lun_layout kept;
    int64_t apart, low, high;
    if (!a || step->chain || step->sweep)
        return false;
    for (int i = 0; i < lun__handing_slots(a); i++) {
        const lun_slot_source *from = &a->accumulate[1].slots[i];
        if (a->accumulate[1].ir.slots[i].role != LUN_SLOT_IN || from->node->kind == LUN_NODE_PAD ||
            !lun__outer_axis_layout(a, from, &kept, &apart) ||
            !lun__layout_range_of(&kept, 0, lun__layout_count(&kept) - 1, &low, &high))
            return false;
    }
    return true;
}

/* The rows of slot i whose elements are in the parts of `of`; *out NULL: rows do not go from part
 * to part. */
static lun_status rows_of(lun_engine *e, const lun_outer_axis *a, int i, const lun_spread *of,
                          int64_t offset, lun_spread **out)
{
    const int64_t segment = lun__outer_axis_sizes(a).segment;
    int64_t step = 0;
    const lun_interval row = first_row(a, i, &step);
    if ((of->kind != LUN_SPREAD_BLOCK && of->kind != LUN_SPREAD_OVERLAP) ||
        step < row.hi - row.lo || row.lo < 0)
        return LUN_OK;
    lun_spread *s = *out = lun__spread_copy(of);
    if (!s)
        return lun__fail_nomem(e);
    s->kind = LUN_SPREAD_BLOCK;
    s->rule = LUN_SPREAD_BOUNDS;
    s->halo = 0;
    s->n = segment;
    s->unit = 1;
    for (int k = 1; k < of->places; k++) {
        const int64_t before = of->bound[k] - offset - row.lo; /* elements from the first row on */
        const int64_t at = before <= 0 ? 0 : (before + step - 1) / step;
        s->bound[k] = at > segment ? segment : at;
    }
    s->bound[0] = 0;
    s->bound[of->places] = segment;
    return LUN_OK;
}

lun_status lun__handing_rows(lun_engine *e, const lun_step *step, lun_placing_look *look, void *ctx,
                             lun_spread **out)
{
    const lun_outer_axis *a = step->across;
    lun_status s = LUN_OK;
    *out = NULL;
    if (!divides(step))
        return LUN_OK;
    for (int i = 0; s == LUN_OK && !*out && i < lun__handing_slots(a); i++) {
        const lun_node *n = a->accumulate[1].slots[i].node;
        int64_t offset = 0;
        const lun_spread *of = n->kind == LUN_NODE_INDEX ? NULL : look(ctx, n, &offset);
        if (of)
            s = rows_of(e, a, i, of, offset, out);
    }
    return s;
}
