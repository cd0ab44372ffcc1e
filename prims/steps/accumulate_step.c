/* accumulate_step.c - rows of lines that go across, combined with their accumulators: one or four
 * of each lane by a launch, or all there are.  Knows no order but that of a lane's rows. */
#include "steps/accumulate_step.h"

#include "launch/launch.h"
#include "launch/local.h"

enum { NEAREST = 1 << 11 }; /* accumulators that stay in the nearest cache, about */

/* Runs l's kernel over n indices with the slots that are bound. */
lun_status lun__cross_launch(const lun_crossing *x, const lun_lowered *l, lun_binding *b, int64_t n)
{
    lun_kernel_entry *k;
    lun_status s = lun__run_kernel(x->e, l, &k);
    return s == LUN_OK ? lun__bind_run(x->e, b, k, n, 0, n, NULL) : s;
}

/* ---- visits ---------------------------------------------------------------------------------- */

/* Where slot i of a visit finds the elements of `lanes` rows from `row` on, by chunk, lane and
 * line. */
static lun_layout places(const lun_crossing *x, const lun_slot_source *from,
                         const lun_crossing_block *b, const lun_crossing_part *p, int64_t row,
                         int64_t lanes)
{
    lun_layout kept, to = {.rank = 2};
    int64_t step = 0;
    (void)lun__across_places(x->a, from, &kept, &step);
    to.offset = kept.offset + b->first * kept.stride[0] + (p->first * LUN_CHUNK + row) * step;
    to.extent[0] = p->chunks;
    to.stride[0] = step * LUN_CHUNK;
    to.extent[1] = lanes;
    to.stride[1] = step;
    kept.extent[0] = b->count;
    kept.offset = 0;
    kept = lun__layout_simplified(&kept);
    for (int k = 0; k < kept.rank; k++) {
        to.extent[to.rank] = kept.extent[k];
        to.stride[to.rank++] = kept.stride[k];
    }
    return lun__layout_simplified(&to);
}

/* Combines accumulators of the first `lanes` lanes with rows from `row` on, `copies` of each. */
static lun_status visit(const lun_crossing *x, const lun_crossing_block *b,
                        const lun_crossing_part *p, int64_t row, int64_t lanes, int copies)
{
    const lun_lowered *l = &x->a->visit[copies == 1];
    const int64_t n = lanes * p->chunks * b->lines, at_lane = row % x->lanes * b->lines;
    const int first = l->ir.slot_count - 2 * x->a->result_count;
    lun_binding to;
    lun_status s = lun__bind_open(x->e, l, &to);
    for (int i = 0; s == LUN_OK && i < first; i++) {
        const lun_slot_source *from = &l->slots[i];
        if (l->ir.slots[i].role != LUN_SLOT_IN) {
            s = lun__bind_slot(x->e, &to, i, NULL, 0, n);
            continue;
        }
        lun_layout at = places(x, from, b, p, row + from->copy * LUN_LANES, lanes);
        at.offset += from->offset;
        s = x->at && from->node->kind == LUN_NODE_LEAF
                ? lun__local_bind_elements(x->e, &to, i, from->node, x->at, &at)
                : lun__bind_elements(x->e, &to, i, from->node, &at, n);
    }
    to.working = true;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        lun_storage *acc = x->acc[0][r];
        s = lun__bind_part(x->e, &to, first + 2 * r, acc, at_lane, NULL, n, false);
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &to, first + 2 * r + 1, acc, at_lane, NULL, n, true);
    }
    if (s == LUN_OK)
        s = lun__cross_launch(x, l, &to, n);
    lun__bind_close(&to);
    return s;
}

/* ---- many visits by one launch --------------------------------------------------------------- */

/* Rows of a part whose visits are one launch: accumulators of `lanes` lanes at a time take all
 * their rows, so they stay in the nearest cache.  Indices count chunks, such pieces of the lanes,
 * turns, and a piece's elements. */
typedef struct rows {
    int64_t first, turns, lanes;
    int copies; /* rows of a lane in each turn */
} rows;

/* Where slot i of a visit finds its elements. */
static bool piece_places(const lun_crossing *x, const lun_slot_source *from,
                         const lun_crossing_block *b, const lun_crossing_part *p, const rows *w,
                         lun_layout *out)
{
    lun_layout kept, to = {.rank = 4};
    int64_t step = 0;
    if (from->node->kind != LUN_NODE_LEAF || from->node->storage->source ||
        !lun__across_places(x->a, from, &kept, &step))
        return false;
    int64_t row = p->first * LUN_CHUNK + w->first + from->copy * LUN_LANES;
    to.offset = kept.offset + b->first * kept.stride[0] + row * step + from->offset;
    const int64_t extent[] = {p->chunks, LUN_LANES / w->lanes, w->turns, w->lanes};
    const int64_t apart[] = {LUN_CHUNK, w->lanes, w->copies * LUN_LANES, 1};
    for (int k = 0; k < 4; k++) {
        to.extent[k] = extent[k];
        to.stride[k] = apart[k] * step;
    }
    kept.extent[0] = b->count;
    kept.offset = 0;
    kept = lun__layout_simplified(&kept);
    for (int k = 0; k < kept.rank && to.rank < LUN_LAYOUT_RANK; k++) {
        to.extent[to.rank] = kept.extent[k];
        to.stride[to.rank++] = kept.stride[k];
    }
    *out = lun__layout_simplified(&to);
    return kept.rank + 4 <= LUN_LAYOUT_RANK && lun__layout_in_lines(out, w->lanes * b->lines);
}

/* Whether all slots stand side by side in pieces of so many lanes. */
static bool has_pieces(const lun_crossing *x, const lun_crossing_block *b,
                       const lun_crossing_part *p, const rows *w)
{
    const lun_lowered *l = &x->a->visit[w->copies == 1];
    lun_layout at;
    if (w->lanes * b->lines % LUN_BLOCK)
        return false;
    for (int i = 0; i < l->ir.slot_count - 2 * x->a->result_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_IN && !piece_places(x, &l->slots[i], b, p, w, &at))
            return false;
    return true;
}

/* Lanes of a piece: all of them, so that memory is read from end to end, where there are chunks to
 * share out or few lines; one where the accumulators of all are more than caches hold, or where
 * something is the same for all rows, which then stands side by side.  0: visits are launches of
 * their own, each shared out among threads. */
static int64_t piece_lanes(const lun_crossing *x, const lun_crossing_block *b,
                           const lun_crossing_part *p)
{
    enum { TASKS = 4, FEW = 1 << 13, ALONE = 512 };
    const lun_backend *k = x->e->backends[x->e->current]->backend;
    const int64_t all = LUN_LANES * b->lines;
    rows w = {.turns = 1, .lanes = LUN_LANES, .copies = 1};
    if (!k->lines || k->buffer_new || x->lanes != LUN_LANES)
        return 0;
    if ((p->chunks >= TASKS || all <= FEW) &&
        all * x->a->result_count <= LUN_CROSSING_ACCUMULATORS && has_pieces(x, b, p, &w))
        return LUN_LANES;
    w.lanes = 1;
    bool alone = b->lines >= ALONE && x->a->result_count > 1;
    return alone && has_pieces(x, b, p, &w) ? 1 : 0;
}

/* Combines all accumulators with these rows. */
static lun_status visit_turns(const lun_crossing *x, const lun_crossing_block *b,
                              const lun_crossing_part *p, const rows *w)
{
    const lun_lowered *l = &x->a->visit[w->copies == 1];
    const int64_t piece = w->lanes * b->lines, pieces = LUN_LANES / w->lanes;
    const int64_t n = p->chunks * pieces * w->turns * piece;
    const int first = l->ir.slot_count - 2 * x->a->result_count;
    const lun_layout acc = {.rank = 4,
                            .extent = {p->chunks, pieces, w->turns, piece},
                            .stride = {pieces * piece, piece, 0, 1}};
    lun_binding to;
    lun_status s = lun__bind_open(x->e, l, &to);
    to.line = piece;
    to.turns = w->turns;
    for (int i = 0; s == LUN_OK && i < first; i++) {
        const lun_slot_source *from = &l->slots[i];
        lun_layout at;
        if (l->ir.slots[i].role == LUN_SLOT_IN && piece_places(x, from, b, p, w, &at))
            s = lun__bind_lines(x->e, &to, i, from->node->storage, from->node->offset, &at, false);
        else
            s = lun__bind_slot(x->e, &to, i, NULL, 0, n);
    }
    to.working = true;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        s = lun__bind_lines(x->e, &to, first + 2 * r, x->acc[0][r], 0, &acc, false);
        if (s == LUN_OK)
            s = lun__bind_lines(x->e, &to, first + 2 * r + 1, x->acc[0][r], 0, &acc, true);
    }
    if (s == LUN_OK)
        s = lun__cross_launch(x, l, &to, n);
    lun__bind_close(&to);
    return s;
}

/* The rows of a part that all lanes have, as many as one launch may take; *done: how many. */
static lun_status visit_full(const lun_crossing *x, const lun_crossing_block *b,
                             const lun_crossing_part *p, int64_t *done)
{
    rows w = {.lanes = piece_lanes(x, b, p), .copies = LUN_ACROSS_ROWS};
    if (w.lanes * b->lines * x->a->result_count <=
        NEAREST) /* one stream is read faster than four */
        w.copies = 1;
    lun_status s = LUN_OK;
    *done = 0;
    for (; w.lanes && s == LUN_OK && w.copies; w.copies = w.copies == 1 ? 0 : 1) {
        int64_t many = w.copies * LUN_LANES;
        w.first = *done;
        w.turns = (p->rows - *done) / many;
        if (w.turns)
            s = visit_turns(x, b, p, &w);
        *done += w.turns * many;
    }
    return s;
}

lun_status lun__visit_rows(const lun_crossing *x, const lun_crossing_block *b,
                           const lun_crossing_part *p)
{
    const int64_t many = LUN_ACROSS_ROWS * LUN_LANES;
    int64_t done = p->from;
    lun_status s = x->at ? LUN_OK : visit_full(x, b, p, &done);
    for (int64_t row = done; s == LUN_OK && row < p->rows;) {
        int64_t left = p->rows - row, lanes = x->lanes - row % x->lanes;
        bool full = lanes == LUN_LANES && left >= many;
        lanes = left < lanes ? left : lanes;
        s = visit(x, b, p, row, lanes, full ? LUN_ACROSS_ROWS : 1);
        row += full ? many : lanes;
        if (s == LUN_OK)
            s = lun__stopped(x->e);
    }
    return s;
}
