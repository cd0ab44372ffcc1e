/* handed.c - a reduction of segments that go across, on places that have some of its rows each:
 * in the order of places each combines the accumulators that it is handed with its rows, and
 * hands them on; see placing/handing.h.  Elements stay where they are, and bits are those of one
 * place.  Knows no order of combination. */
#include "sets/shared_steps.h"

#include "launch/launch_dist.h"
#include "placing/handing.h"
#include "steps/outer_axis_step.h"
#include "store/fetch.h"

/* What the places share; ended: there are cells of chunks. */
typedef struct handing {
    lun_outer_reduction x;
    const lun_share *share;
    lun_outer_axis_sizes sizes;
    const lun_outer_block *block; /* that is combined */
    bool ended;
} handing;

/* These storages go to where the backend in use computes. */
static lun_status hand_on(const handing *h, lun_storage **all)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < h->x.a->result_count; r++)
        s = lun__launch_dist_hand_on(h->x.e, all[r]);
    return s;
}

/* Storages of n accumulators in the place of others. */
static lun_status take_anew(const handing *h, int64_t n, lun_storage **to)
{
    lun__outer_axis_step_drop(&h->x, to);
    return lun__outer_axis_step_take(&h->x, n, false, to);
}

/* Combines the rows of the place in use with a block's accumulators, chunk by chunk. */
static lun_status take_rows(handing *h, const lun_outer_block *b, lun_interval rows)
{
    const lun_outer_reduction *x = &h->x;
    const int64_t each = x->lanes * b->segments;
    lun_status s = LUN_OK;
    for (int64_t row = rows.lo, end; s == LUN_OK && row < rows.hi; row = end) {
        lun_outer_tile p = {.first = row / LUN_CHUNK, .chunks = 1, .from = row % LUN_CHUNK};
        const int64_t first = p.first * LUN_CHUNK;
        end = rows.hi - first < LUN_CHUNK ? rows.hi : first + LUN_CHUNK;
        p.rows = end - first;
        if (!p.from)
            s = lun__outer_axis_step_begin(x, each);
        if (s == LUN_OK)
            s = lun__outer_axis_step_rows(x, b, &p);
        if (s == LUN_OK && (p.rows == LUN_CHUNK || end == x->segment))
            s = lun__outer_axis_step_fold(x, b, &p);
    }
    return s;
}

/* The part of place k, the one in use, of a block. */
static lun_status run_at(void *ctx, int k)
{
    handing *h = ctx;
    lun_outer_reduction *x = &h->x;
    const lun_interval rows = lun__spread_part(h->share->cut, k);
    const int64_t room = h->sizes.count * (x->segments / x->a->of.extent[0]) * x->lanes;
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    if (rows.lo >= rows.hi)
        return LUN_OK;
    x->at = lun__set_at(x->e, k);
    lun_status s =
        lun__handing_begins(rows) ? take_anew(h, room, x->acc[0]) : hand_on(h, x->acc[0]);
    if (s == LUN_OK && lun__handing_ends(rows, x->segment)) {
        s = take_anew(h, room / 2 + 1, x->acc[1]);
        if (s == LUN_OK)
            s = h->ended ? hand_on(h, x->cells[0])
                         : take_anew(h, chunks * room / x->lanes, x->cells[0]);
        h->ended = true;
    }
    if (s == LUN_OK)
        s = lun__share_bring_at(h->share, k);
    return s == LUN_OK ? take_rows(h, h->block, rows) : s;
}

/* What a block comes to, at the first place, which is in use. */
static lun_status finish_block(void *ctx, int k)
{
    handing *h = ctx;
    const lun_outer_block *b = h->block;
    lun_outer_reduction *x = &h->x;
    (void)k;
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    const int64_t segments = h->sizes.count * (x->segments / x->a->of.extent[0]);
    lun_status s = hand_on(h, x->cells[0]);
    if (s == LUN_OK && chunks > 1)
        s = take_anew(h, (chunks + 1) / 2 * segments, x->cells[1]);
    if (s == LUN_OK && !b->first)
        s = lun__outer_axis_step_take(x, x->segments, true, x->out);
    if (s == LUN_OK)
        s = lun__outer_axis_step_finish(x, b);
    return s;
}

lun_status lun__handed_run(const lun_share *share)
{
    lun_engine *e = share->e;
    const lun_outer_axis *a = share->step->across;
    handing h = {.share = share, .sizes = lun__outer_axis_sizes(a)};
    h.x = (lun_outer_reduction){.e = e,
                                .a = a,
                                .segment = h.sizes.segment,
                                .segments = h.sizes.segments,
                                .lanes = h.sizes.lanes};
    const int before = e->current;
    const int64_t all = a->of.extent[0], inner = h.sizes.segments / all;
    lun_status s = LUN_OK;
    e->kernels_held++;
    for (int64_t at = 0; s == LUN_OK && at < all; at += h.sizes.count) {
        lun_outer_block b = {.first = at, .count = h.sizes.count, .at = at * inner};
        if (all - at < b.count)
            b.count = all - at;
        b.segments = b.count * inner;
        h.block = &b;
        h.ended = false;
        s = lun__launch_dist_each(e, share->cut->places, false, run_at, &h);
        if (s == LUN_OK) /* where the first place computes */
            s = lun__launch_dist_each(e, 1, false, finish_block, &h);
    }
    s = lun__fetch_settled(e, s);
    e->current = before;
    e->kernels_held--;
    return lun__outer_axis_step_end(&h.x, s);
}
