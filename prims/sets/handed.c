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
    const lun_spread *rows;
    lun_outer_axis_sizes sizes;
    bool ended;
} handing;

/* These storages go to where the backend in use computes. */
static lun_status hand_on(const handing *h, lun_storage **all)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < h->x.a->result_count; r++)
        s = lun__placed_hand_on(h->x.e, all[r]);
    return s;
}

/* Storages of n accumulators in the place of others. */
static lun_status take_anew(const handing *h, int64_t n, lun_storage **to)
{
    lun__outer_axis_drop(&h->x, to);
    return lun__outer_axis_take(&h->x, n, false, to);
}

/* All that visits at the place in use read of these rows is there before one is bound: more of an
 * array moves its memory. */
static lun_status make_current(const handing *h, lun_interval rows)
{
    const lun_outer_axis *a = h->x.a;
    lun_piece *piece;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < lun__handing_slots(a); i++) {
        const lun_node *n = a->accumulate[1].slots[i].node;
        const lun_interval need = lun__handing_need(a, i, rows);
        if (n->kind == LUN_NODE_INDEX)
            continue;
        if (n->storage->source)
            s = lun__storage_host(h->x.e, n->storage, false);
        if (s == LUN_OK)
            s = lun__placed_ensure(h->x.e, n->storage, h->x.at, n->offset + need.lo,
                                   n->offset + need.hi, &piece);
    }
    return s;
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
            s = lun__outer_axis_begin(x, each);
        if (s == LUN_OK)
            s = lun__outer_axis_rows(x, b, &p);
        if (s == LUN_OK && (p.rows == LUN_CHUNK || end == x->segment))
            s = lun__outer_axis_fold(x, b, &p);
    }
    return s;
}

/* The part of place k of a block. */
static lun_status run_at(handing *h, const lun_outer_block *b, int k)
{
    lun_outer_reduction *x = &h->x;
    const lun_interval rows = lun__spread_part(h->rows, k);
    const int64_t room = h->sizes.count * (x->segments / x->a->of.extent[0]) * x->lanes;
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    if (rows.lo >= rows.hi)
        return LUN_OK;
    x->at = lun__set_at(x->e, k);
    lun__set_enter(x->e, x->at);
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
        s = make_current(h, rows);
    return s == LUN_OK ? take_rows(h, b, rows) : s;
}

static lun_status run_block(handing *h, const lun_outer_block *b)
{
    lun_engine *e = h->x.e;
    lun_status s = LUN_OK;
    h->ended = false;
    for (int k = 0; s == LUN_OK && k < h->rows->places; k++) {
        const int64_t launches = e->stats.launches;
        s = run_at(h, b, k);
        lun__set_at(e, k)->counted->launches += e->stats.launches - launches;
        if (s == LUN_OK)
            s = lun__stopped(e);
    }
    return s;
}

/* What a block comes to, where the first place computes. */
static lun_status finish_block(handing *h, const lun_outer_block *b)
{
    lun_outer_reduction *x = &h->x;
    lun_backend_slot *lead = lun__set_at(x->e, 0);
    const int64_t launches = x->e->stats.launches;
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    const int64_t segments = h->sizes.count * (x->segments / x->a->of.extent[0]);
    lun__set_enter(x->e, lead);
    lun_status s = hand_on(h, x->cells[0]);
    if (s == LUN_OK && chunks > 1)
        s = take_anew(h, (chunks + 1) / 2 * segments, x->cells[1]);
    if (s == LUN_OK && !b->first)
        s = lun__outer_axis_take(x, x->segments, true, x->out);
    if (s == LUN_OK)
        s = lun__outer_axis_finish(x, b);
    lead->counted->launches += x->e->stats.launches - launches;
    return s;
}

lun_status lun__handed_run(lun_engine *e, const lun_outer_axis *a, const lun_spread *rows)
{
    handing h = {.rows = rows, .sizes = lun__outer_axis_sizes(a)};
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
        s = run_block(&h, &b);
        if (s == LUN_OK)
            s = finish_block(&h, &b);
    }
    s = lun__placed_settled(e, s);
    e->current = before;
    e->kernels_held--;
    return lun__outer_axis_end(&h.x, s);
}
