/* handed.c - a reduction of segments that go across, on places that have some of its rows each:
 * in the order of places each combines the accumulators that it is handed with its rows, and
 * hands them on; see placing/handing.h.  Elements stay where they are, and bits are those of one
 * place.  Knows no order of combination. */
#include "sets/shared_steps.h"

#include "launch/launch_dist.h"
#include "placing/handing.h"
#include "ranks/ranks.h"
#include "steps/outer_axis_step.h"
#include "store/fetch.h"

/* What the locations share. */
typedef struct handing {
    lun_outer_reduction x;
    const lun_share *share;
    lun_outer_block block; /* that is combined */
    bool ends;             /* chunks end in the rows that are taken */
    int last;              /* of ranks: the one that has the accumulators */
} handing;

/* Storages of n accumulators in the place of others. */
static lun_status take_anew(const handing *h, int64_t n, lun_storage **to)
{
    lun__outer_axis_step_drop(&h->x, to);
    return lun__outer_axis_step_take(&h->x, n, false, to);
}

/* The accumulators of rank h->last go to rank k. */
static lun_status hand_rank(handing *h, int k, int64_t count)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < h->x.a->result_count; r++) {
        lun_storage *acc = h->x.acc[0][r];
        s = lun__rank_move(h->x.e, h->last, k, acc->data,
                           count * lun__dtype_get(acc->dtype)->bytes);
    }
    return s;
}

static lun_status hand(void *ctx, lun_handed which, int k, int64_t count, bool anew)
{
    handing *h = ctx;
    lun_storage **all = which == LUN_HANDED_CELLS ? h->x.cells[0] : h->x.acc[0];
    lun_status s = LUN_OK;
    h->x.at = lun__set_at(h->x.e, k);
    lun__state_set_enter(h->x.e, h->x.at);
    if (h->x.at->rank && !anew) /* each keeps its cells */
        return which == LUN_HANDED_CELLS ? LUN_OK : hand_rank(h, k, count);
    for (int r = 0; s == LUN_OK && !anew && r < h->x.a->result_count; r++)
        s = lun__launch_dist_hand_on(h->x.e, all[r]);
    return anew ? take_anew(h, count, all) : s;
}

/* Some segments are combined next. */
static void open_block(handing *h, int64_t first, int64_t count)
{
    const int64_t inner = h->x.segments / h->x.a->of.extent[0];
    h->block = (lun_outer_block){
        .first = first, .count = count, .segments = count * inner, .at = first * inner};
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

/* The rows of location k, the one in use, of a block. */
static lun_status run_at(void *ctx, int k)
{
    handing *h = ctx;
    const int64_t each = h->block.segments * h->x.lanes;
    lun_status s = h->ends ? take_anew(h, each / 2 + 1, h->x.acc[1]) : LUN_OK;
    if (s == LUN_OK)
        s = lun__share_bring_at(h->share, k);
    h->last = k;
    if (h->x.at->rank)
        s = lun__fetch_settled(h->x.e, s);
    if (h->x.at->away)
        return s;
    return s == LUN_OK ? take_rows(h, &h->block, lun__spread_part(h->share->cut, k)) : s;
}

static lun_status rows(void *ctx, int k, int64_t first, int64_t count, bool ends)
{
    handing *h = ctx;
    open_block(h, first, count);
    h->ends = ends;
    return lun__launch_dist_at(h->x.e, k, run_at, h);
}

/* What a block comes to, at the first location, which is in use. */
static lun_status finish_block(void *ctx, int k)
{
    handing *h = ctx;
    lun_outer_reduction *x = &h->x;
    (void)k;
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    lun_status s = LUN_OK;
    if (chunks > 1)
        s = take_anew(h, (chunks + 1) / 2 * h->block.segments, x->cells[1]);
    if (s == LUN_OK && !h->block.first)
        s = lun__outer_axis_step_take(x, x->segments, true, x->out);
    return s == LUN_OK ? lun__outer_axis_step_finish(x, &h->block) : s;
}

/* The cells of each chunk, which the rank with its last row has, go to all. */
static void tell_cells(const handing *h)
{
    const int64_t chunks = lun__order_chunks(&h->x.a->accumulate[1].ir, h->x.segment);
    for (int64_t c = 0, end; c < chunks; c++) {
        end = (c + 1) * LUN_CHUNK < h->x.segment ? (c + 1) * LUN_CHUNK : h->x.segment;
        for (int r = 0; r < h->x.a->result_count; r++) {
            lun_storage *cells = h->x.cells[0][r];
            const int64_t bytes = h->block.segments * lun__dtype_get(cells->dtype)->bytes;
            (void)lun__rank_move(h->x.e, lun__spread_owner(h->share->cut, end - 1), LUN_ALL_RANKS,
                                 (char *)cells->data + c * bytes, bytes);
        }
    }
}

static lun_status join(void *ctx, int64_t first, int64_t count)
{
    handing *h = ctx;
    lun_status s = LUN_OK;
    open_block(h, first, count);
    if (lun__state_of_ranks(h->x.e)) {
        tell_cells(h);
        s = lun__rank_moves_end(h->x.e, s);
    }
    return s == LUN_OK ? lun__launch_dist_at(h->x.e, 0, finish_block, h) : s;
}

lun_status lun__handed_run(const lun_share *share)
{
    static const lun_handing_actions done = {hand, rows, join};
    lun_engine *e = share->e;
    const lun_outer_axis *a = share->step->across;
    const lun_outer_axis_sizes sizes = lun__outer_axis_sizes(a);
    handing h = {.share = share};
    h.x = (lun_outer_reduction){
        .e = e, .a = a, .segment = sizes.segment, .segments = sizes.segments, .lanes = sizes.lanes};
    const int before = e->current;
    e->kernels_held++;
    lun_status s = lun__handing_each(a, share->cut, &done, &h);
    s = lun__fetch_settled(e, s);
    e->current = before;
    e->kernels_held--;
    return lun__outer_axis_step_end(&h.x, s);
}
