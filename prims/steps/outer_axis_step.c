/* outer_axis_step.c - reductions of segments that go across, as launches of elementwise kernels
 * over rows of accumulators; see kernels/outer_axis.h.
 *
 * The order is that of ir/combine_order.h: chunks of LUN_CHUNK elements of a segment, in each
 * LUN_LANES lanes, lane l taking elements l, l + 64, ... in order; lanes folded in halves;
 * chunks joined by the tree of adjacent pairs.  Accumulators stand by chunk, lane and segment,
 * as the elements of rows that stand side by side do. */
#include "steps/outer_axis_step.h"

#include <string.h>

#include "launch/launch.h"
#include "launch/local.h"

void lun__outer_axis_step_drop(const lun_outer_reduction *x, lun_storage **all)
{
    for (int r = 0; r < x->a->result_count; r++)
        if (all[r]) {
            lun__storage_release(x->e, all[r]);
            all[r] = NULL;
        }
}

lun_status lun__outer_axis_step_end(lun_outer_reduction *x, lun_status s)
{
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        lun__node_become_leaf(x->e, x->a->results[r], x->out[r], 0);
        x->out[r] = NULL;
    }
    for (int i = 0; i < 2; i++) {
        lun__outer_axis_step_drop(x, x->acc[i]);
        lun__outer_axis_step_drop(x, x->cells[i]);
    }
    lun__outer_axis_step_drop(x, x->out);
    return s;
}

/* ---- folding --------------------------------------------------------------------------------- */

/* Runs l's kernel over n indices with the slots that are bound. */
static lun_status launch(const lun_outer_reduction *x, const lun_lowered *l, lun_binding *b,
                         int64_t n)
{
    lun_kernel_entry *k;
    lun_status s = lun__kernel_of(x->e, l, &k);
    return s == LUN_OK ? lun__launch_run(x->e, b, k, n, 0, n, NULL) : s;
}

/* n elements of `from` at `one` and at `other`, combined, to `to` at `at`. */
static lun_status fold(const lun_outer_reduction *x, lun_storage *const *from,
                       const lun_layout *one, const lun_layout *other, lun_storage *const *to,
                       int64_t at, int64_t n)
{
    const lun_lowered *l = &x->a->fold;
    lun_binding b;
    lun_status s = lun__bind_open(x->e, l, &b);
    b.is_scratch = true;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        s = lun__bind_part(x->e, &b, 3 * r, from[r], 0, one, n, false);
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &b, 3 * r + 1, from[r], 0, other, n, false);
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &b, 3 * r + 2, to[r], at, NULL, n, true);
    }
    if (s == LUN_OK)
        s = launch(x, l, &b, n);
    lun__bind_close(&b);
    return s;
}

lun_status lun__outer_axis_step_fold(const lun_outer_reduction *x, const lun_outer_block *b,
                                     const lun_outer_tile *p)
{
    lun_status s = LUN_OK;
    int which = 0;
    for (int64_t half = x->lanes / 2; s == LUN_OK && half > 0; half /= 2, which = !which) {
        int64_t n = half * b->segments;
        lun_layout one = {.rank = 2, .extent = {p->chunks, n}, .stride = {2 * n, 1}};
        one = lun__layout_simplified(&one);
        lun_layout other = one;
        other.offset = n;
        s = half > 1 ? fold(x, x->acc[which], &one, &other, x->acc[!which], 0, n * p->chunks)
                     : fold(x, x->acc[which], &one, &other, x->cells[0], p->first * b->segments,
                            n * p->chunks);
    }
    return s;
}

/* Row `from` of the cells in one storage to row `to` of the other. */
static lun_status move_row(const lun_outer_reduction *x, int which, int64_t segments, int64_t from,
                           int64_t to)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        lun_storage *a = x->cells[which][r], *b = x->cells[!which][r];
        int64_t size = lun__dtype_get(a->dtype)->bytes;
        if (lun__mirror_remote(x->e, a)) {
            const lun_layout row = lun__layout_right(1, &segments);
            s = lun__mirror_transfer(x->e, &(lun_storage_view){b, to * segments, row},
                                     &(lun_storage_view){a, from * segments, row}, 0);
            continue;
        }
        s = lun__mirror_host(x->e, a, false);
        if (s == LUN_OK)
            s = lun__mirror_host(x->e, b, true);
        if (s == LUN_OK)
            memcpy((char *)b->data + to * segments * size, (char *)a->data + from * segments * size,
                   (size_t)(segments * size));
    }
    return s;
}

/* The cells of a block's chunks, joined; *which: the storage whose first row they are then. */
static lun_status join(const lun_outer_reduction *x, const lun_outer_block *b, int64_t chunks,
                       int *which)
{
    lun_status s = LUN_OK;
    for (*which = 0; s == LUN_OK && chunks > 1; *which = !*which) {
        int64_t pairs = chunks / 2;
        lun_layout one = {
            .rank = 2, .extent = {pairs, b->segments}, .stride = {2 * b->segments, 1}};
        lun_layout other = one;
        other.offset = b->segments;
        s = fold(x, x->cells[*which], &one, &other, x->cells[!*which], 0, pairs * b->segments);
        if (s == LUN_OK && chunks % 2)
            s = move_row(x, *which, b->segments, chunks - 1, pairs);
        chunks = pairs + chunks % 2;
    }
    return s;
}

static lun_status finish(const lun_outer_reduction *x, const lun_outer_block *b, int which)
{
    const lun_lowered *l = &x->a->finish;
    lun_binding to;
    lun_status s = lun__bind_open(x->e, l, &to);
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        to.is_scratch = true;
        s = lun__bind_part(x->e, &to, 2 * r, x->cells[which][r], 0, NULL, b->segments, false);
        to.is_scratch = false;
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &to, 2 * r + 1, x->out[r], b->at, NULL, b->segments, true);
    }
    if (s == LUN_OK)
        s = launch(x, l, &to, b->segments);
    lun__bind_close(&to);
    return s;
}

/* ---- a reduction ----------------------------------------------------------------------------- */

lun_status lun__outer_axis_step_take(const lun_outer_reduction *x, int64_t n, bool own,
                                     lun_storage **to)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        const lun_node *node = x->a->results[r];
        s = lun__mirror_result(x->e, (lun_dtype)(own ? node->dtype : node->acc), n, &to[r]);
    }
    return s;
}

lun_status lun__outer_axis_step_begin(const lun_outer_reduction *x, int64_t n)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        const lun_node *node = x->a->results[r];
        uint64_t identity = 0;
        lun__op_identity((lun_op)node->op, (lun_dtype)node->acc, &identity);
        if (lun__mirror_remote(x->e, x->acc[0][r])) {
            const lun_storage_view all = {x->acc[0][r], 0, lun__layout_right(1, &n)};
            s = lun__mirror_transfer(x->e, &all, NULL, identity);
            continue;
        }
        x->acc[0][r]->stale = false; /* nothing needs what it had */
        s = lun__mirror_host(x->e, x->acc[0][r], true);
        if (s == LUN_OK)
            lun__dtype_cell_fill((lun_dtype)node->acc, identity, x->acc[0][r]->data, n);
    }
    return s;
}

lun_status lun__outer_axis_step_finish(const lun_outer_reduction *x, const lun_outer_block *b)
{
    int which;
    lun_status s = join(x, b, lun__order_chunks(&x->a->accumulate[1].ir, x->segment), &which);
    return s == LUN_OK ? finish(x, b, which) : s;
}

/* The chunks of a block, as many at once as its accumulators have room for. */
static lun_status reduce_block(const lun_outer_reduction *x, const lun_outer_block *b, int64_t room)
{
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    const int64_t whole = x->segment / LUN_CHUNK, most = room / (x->lanes * b->segments);
    lun_status s = LUN_OK;
    for (int64_t c = 0; s == LUN_OK && c < chunks;) {
        lun_outer_tile p = {.first = c, .chunks = 1, .rows = LUN_CHUNK};
        if (c >= whole)
            p.rows = x->segment % LUN_CHUNK;
        else
            p.chunks = whole - c < most ? whole - c : most > 1 ? most : 1;
        s = lun__outer_axis_step_begin(x, x->lanes * p.chunks * b->segments);
        if (s == LUN_OK)
            s = lun__outer_axis_step_rows(x, b, &p);
        if (s == LUN_OK)
            s = lun__outer_axis_step_fold(x, b, &p);
        c += p.chunks;
    }
    return s == LUN_OK ? lun__outer_axis_step_finish(x, b) : s;
}

static lun_status reduce(lun_outer_reduction *x)
{
    const lun_layout *of = &x->a->of;
    const int64_t inner = x->segments / of->extent[0];
    const int64_t count = lun__outer_axis_sizes(x->a).count;
    const int64_t each = count * inner * x->lanes; /* accumulators of a chunk */
    int64_t room = each, whole = x->segment / LUN_CHUNK;
    if (whole > 1 && each <= LUN_CROSSING_ACCUMULATORS / 2)
        room = each * (LUN_CROSSING_ACCUMULATORS / each < whole ? LUN_CROSSING_ACCUMULATORS / each
                                                                : whole);
    const int64_t chunks = lun__order_chunks(&x->a->accumulate[1].ir, x->segment);
    lun_status s = lun__outer_axis_step_take(x, room, false, x->acc[0]);
    if (s == LUN_OK)
        s = lun__outer_axis_step_take(x, room / 2 + 1, false, x->acc[1]);
    if (s == LUN_OK)
        s = lun__outer_axis_step_take(x, chunks * count * inner, false, x->cells[0]);
    if (s == LUN_OK && chunks > 1)
        s = lun__outer_axis_step_take(x, (chunks + 1) / 2 * count * inner, false, x->cells[1]);
    if (s == LUN_OK)
        s = lun__outer_axis_step_take(x, x->segments, true, x->out);
    for (int64_t at = 0; s == LUN_OK && at < of->extent[0]; at += count) {
        lun_outer_block b = {.first = at, .count = count, .at = at * inner};
        if (of->extent[0] - at < count)
            b.count = of->extent[0] - at;
        b.segments = b.count * inner;
        s = reduce_block(x, &b, room);
    }
    return s;
}

lun_status lun__outer_axis_step_run(lun_engine *e, const lun_outer_axis *a)
{
    const lun_outer_axis_sizes sizes = lun__outer_axis_sizes(a);
    lun_outer_reduction x = {
        .e = e, .a = a, .segment = sizes.segment, .segments = sizes.segments, .lanes = sizes.lanes};
    lun_backend_slot *b;
    lun_status s = lun__backend(e, &b);
    if (s == LUN_OK)
        s = reduce(&x);
    return lun__outer_axis_step_end(&x, s);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { NEAREST = 1 << 11 }; /* accumulators that stay in the nearest cache, about */

/* ---- visits ---------------------------------------------------------------------------------- */

/* Where slot i of a visit finds the elements of `lanes` rows from `row` on, by chunk, lane and
 * segment. */
static lun_layout layout_of(const lun_outer_reduction *x, const lun_slot_source *from,
                            const lun_outer_block *b, const lun_outer_tile *p, int64_t row,
                            int64_t lanes)
{
    lun_layout kept, to = {.rank = 2};
    int64_t step = 0;
    (void)lun__outer_axis_layout(x->a, from, &kept, &step);
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
static lun_status visit(const lun_outer_reduction *x, const lun_outer_block *b,
                        const lun_outer_tile *p, int64_t row, int64_t lanes, int copies)
{
    const lun_lowered *l = &x->a->accumulate[copies == 1];
    const int64_t n = lanes * p->chunks * b->segments, at_lane = row % x->lanes * b->segments;
    const int first = l->ir.slot_count - 2 * x->a->result_count;
    lun_binding to;
    lun_status s = lun__bind_open(x->e, l, &to);
    for (int i = 0; s == LUN_OK && i < first; i++) {
        const lun_slot_source *from = &l->slots[i];
        if (l->ir.slots[i].role != LUN_SLOT_IN) {
            s = lun__bind_slot(x->e, &to, i, NULL, 0, n);
            continue;
        }
        lun_layout at = layout_of(x, from, b, p, row + from->copy * LUN_LANES, lanes);
        at.offset += from->offset;
        s = x->at && from->node->kind == LUN_NODE_LEAF
                ? lun__local_bind_elements(x->e, &to, i, from->node, x->at, &at)
                : lun__bind_elements(x->e, &to, i, from->node, &at, n);
    }
    to.is_scratch = true;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        lun_storage *acc = x->acc[0][r];
        s = lun__bind_part(x->e, &to, first + 2 * r, acc, at_lane, NULL, n, false);
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &to, first + 2 * r + 1, acc, at_lane, NULL, n, true);
    }
    if (s == LUN_OK)
        s = launch(x, l, &to, n);
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
static bool piece_layout(const lun_outer_reduction *x, const lun_slot_source *from,
                         const lun_outer_block *b, const lun_outer_tile *p, const rows *w,
                         lun_layout *out)
{
    lun_layout kept, to = {.rank = 4};
    int64_t step = 0;
    if (from->node->kind != LUN_NODE_LEAF || from->node->storage->source ||
        !lun__outer_axis_layout(x->a, from, &kept, &step))
        return false;
    int64_t row = p->first * LUN_CHUNK + w->first + from->copy * LUN_LANES;
    to.offset = kept.offset + b->first * kept.stride[0] + row * step + from->offset;
    const int64_t extent[] = {p->chunks, LUN_LANES / w->lanes, w->turns, w->lanes};
    const int64_t distance[] = {LUN_CHUNK, w->lanes, w->copies * LUN_LANES, 1};
    for (int k = 0; k < 4; k++) {
        to.extent[k] = extent[k];
        to.stride[k] = distance[k] * step;
    }
    kept.extent[0] = b->count;
    kept.offset = 0;
    kept = lun__layout_simplified(&kept);
    for (int k = 0; k < kept.rank && to.rank < LUN_LAYOUT_RANK; k++) {
        to.extent[to.rank] = kept.extent[k];
        to.stride[to.rank++] = kept.stride[k];
    }
    *out = lun__layout_simplified(&to);
    return kept.rank + 4 <= LUN_LAYOUT_RANK && lun__layout_in_segments(out, w->lanes * b->segments);
}

/* Whether all slots stand side by side in pieces of so many lanes. */
static bool has_pieces(const lun_outer_reduction *x, const lun_outer_block *b,
                       const lun_outer_tile *p, const rows *w)
{
    const lun_lowered *l = &x->a->accumulate[w->copies == 1];
    lun_layout at;
    if (w->lanes * b->segments % LUN_BLOCK)
        return false;
    for (int i = 0; i < l->ir.slot_count - 2 * x->a->result_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_IN && !piece_layout(x, &l->slots[i], b, p, w, &at))
            return false;
    return true;
}

/* Lanes of a piece: all of them, so that memory is read from end to end, where there are chunks to
 * share out or few segments; one where the accumulators of all are more than caches hold, or where
 * something is the same for all rows, which then stands side by side.  0: visits are launches of
 * their own, each shared out among threads. */
static int64_t piece_lanes(const lun_outer_reduction *x, const lun_outer_block *b,
                           const lun_outer_tile *p)
{
    enum { TASKS = 4, FEW = 1 << 13, ALONE = 512 };
    const int64_t all = LUN_LANES * b->segments;
    rows w = {.turns = 1, .lanes = LUN_LANES, .copies = 1};
    if (!lun__backend_segments(x->e) || x->lanes != LUN_LANES)
        return 0;
    if ((p->chunks >= TASKS || all <= FEW) &&
        all * x->a->result_count <= LUN_CROSSING_ACCUMULATORS && has_pieces(x, b, p, &w))
        return LUN_LANES;
    w.lanes = 1;
    bool alone = b->segments >= ALONE && x->a->result_count > 1;
    return alone && has_pieces(x, b, p, &w) ? 1 : 0;
}

/* Combines all accumulators with these rows. */
static lun_status visit_turns(const lun_outer_reduction *x, const lun_outer_block *b,
                              const lun_outer_tile *p, const rows *w)
{
    const lun_lowered *l = &x->a->accumulate[w->copies == 1];
    const int64_t piece = w->lanes * b->segments, pieces = LUN_LANES / w->lanes;
    const int64_t n = p->chunks * pieces * w->turns * piece;
    const int first = l->ir.slot_count - 2 * x->a->result_count;
    const lun_layout acc = {.rank = 4,
                            .extent = {p->chunks, pieces, w->turns, piece},
                            .stride = {pieces * piece, piece, 0, 1}};
    lun_binding to;
    lun_status s = lun__bind_open(x->e, l, &to);
    to.segment = piece;
    to.turns = w->turns;
    for (int i = 0; s == LUN_OK && i < first; i++) {
        const lun_slot_source *from = &l->slots[i];
        lun_layout at;
        if (l->ir.slots[i].role == LUN_SLOT_IN && piece_layout(x, from, b, p, w, &at))
            s = lun__bind_segments(x->e, &to, i, from->node->storage, from->node->offset, &at,
                                   false);
        else
            s = lun__bind_slot(x->e, &to, i, NULL, 0, n);
    }
    to.is_scratch = true;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        s = lun__bind_segments(x->e, &to, first + 2 * r, x->acc[0][r], 0, &acc, false);
        if (s == LUN_OK)
            s = lun__bind_segments(x->e, &to, first + 2 * r + 1, x->acc[0][r], 0, &acc, true);
    }
    if (s == LUN_OK)
        s = launch(x, l, &to, n);
    lun__bind_close(&to);
    return s;
}

/* The rows of a part that all lanes have, as many as one launch may take; *done: how many. */
static lun_status visit_full(const lun_outer_reduction *x, const lun_outer_block *b,
                             const lun_outer_tile *p, int64_t *done)
{
    rows w = {.lanes = piece_lanes(x, b, p), .copies = LUN_OUTER_AXIS_ROWS};
    if (w.lanes * b->segments * x->a->result_count <=
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

lun_status lun__outer_axis_step_rows(const lun_outer_reduction *x, const lun_outer_block *b,
                                     const lun_outer_tile *p)
{
    const int64_t many = LUN_OUTER_AXIS_ROWS * LUN_LANES;
    int64_t done = p->from;
    lun_status s = x->at ? LUN_OK : visit_full(x, b, p, &done);
    for (int64_t row = done; s == LUN_OK && row < p->rows;) {
        int64_t left = p->rows - row, lanes = x->lanes - row % x->lanes;
        bool full = lanes == LUN_LANES && left >= many;
        lanes = left < lanes ? left : lanes;
        s = visit(x, b, p, row, lanes, full ? LUN_OUTER_AXIS_ROWS : 1);
        row += full ? many : lanes;
        if (s == LUN_OK)
            s = lun__watch_stopped(x->e);
    }
    return s;
}
