/* across.c - reductions of lines that go across, as launches of elementwise kernels over rows of
 * accumulators; see plan/across.h.
 *
 * The order is that of ir/order.h: chunks of LUN_CHUNK elements of a line, in each LUN_LANES lanes,
 * lane l taking elements l, l + 64, ... in order; lanes folded in halves; chunks joined by the
 * tree of adjacent pairs.  Accumulators stand by chunk, lane and line, as the elements of rows that
 * stand side by side do.  Knows backends only as what launches. */
#include "run/across.h"

#include <string.h>

#include "ir/order.h"
#include "run/bind.h"
#include "run/run.h"

enum { ACCUMULATORS = 1 << 18 }; /* about: they stay in a cache */

/* A reduction under way. */
typedef struct runner {
    lun_engine *e;
    const lun_across *a;
    int64_t line, lines; /* elements of one; how many */
    int64_t lanes;       /* LUN_LANES, or as many as short lines need */
    lun_storage *acc[2][LUN_GROUP_SINKS], *cells[2][LUN_GROUP_SINKS], *out[LUN_GROUP_SINKS];
} runner;

/* Some lines, first .. first + count - 1 along the outermost kept axis, all within `inner`. */
typedef struct block {
    int64_t first, count, lines, at; /* along the axis; lines; the first one's number */
} block;

/* Some chunks of these lines: `rows` elements of each. */
typedef struct part {
    int64_t first, chunks, rows;
} part;

static void runner_free(runner *x)
{
    for (int r = 0; r < x->a->result_count; r++) {
        lun_storage *all[] = {x->acc[0][r], x->acc[1][r], x->cells[0][r], x->cells[1][r],
                              x->out[r]};
        for (int i = 0; i < 5; i++)
            if (all[i])
                lun__storage_release(x->e, all[i]);
    }
}

/* Runs l's kernel over n indices with the slots that are bound. */
static lun_status launch(const runner *x, const lun_lowered *l, lun_binding *b, int64_t n)
{
    lun_kernel_entry *k;
    lun_status s = lun__run_kernel(x->e, l, &k);
    return s == LUN_OK ? lun__bind_run(x->e, b, k, n, 0, n, NULL) : s;
}

/* ---- visits ---------------------------------------------------------------------------------- */

/* Where slot i of a visit finds the elements of `lanes` rows from `row` on, by chunk, lane and
 * line. */
static lun_layout places(const runner *x, const lun_slot_source *from, const block *b,
                         const part *p, int64_t row, int64_t lanes)
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
static lun_status visit(const runner *x, const block *b, const part *p, int64_t row, int64_t lanes,
                        int copies)
{
    const lun_lowered *l = &x->a->visit[copies == 1];
    const int64_t n = lanes * p->chunks * b->lines;
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
        s = lun__bind_elements(x->e, &to, i, from->node, &at, n);
    }
    to.working = true;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        s = lun__bind_part(x->e, &to, first + 2 * r, x->acc[0][r], 0, NULL, n, false);
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &to, first + 2 * r + 1, x->acc[0][r], 0, NULL, n, true);
    }
    if (s == LUN_OK)
        s = launch(x, l, &to, n);
    lun__bind_close(&to);
    return s;
}

static lun_status visit_rows(const runner *x, const block *b, const part *p)
{
    const int64_t many = LUN_ACROSS_ROWS * LUN_LANES;
    lun_status s = LUN_OK;
    for (int64_t row = 0; s == LUN_OK && row < p->rows;) {
        int64_t left = p->rows - row, lanes = left < x->lanes ? left : x->lanes;
        bool full = x->lanes == LUN_LANES && left >= many;
        s = visit(x, b, p, row, lanes, full ? LUN_ACROSS_ROWS : 1);
        row += full ? many : lanes;
        if (s == LUN_OK)
            s = lun__stopped(x->e);
    }
    return s;
}

/* ---- folding --------------------------------------------------------------------------------- */

/* n elements of `from` at `one` and at `other`, combined, to `to` at `at`. */
static lun_status fold(const runner *x, lun_storage *const *from, const lun_layout *one,
                       const lun_layout *other, lun_storage *const *to, int64_t at, int64_t n)
{
    const lun_lowered *l = &x->a->fold;
    lun_binding b;
    lun_status s = lun__bind_open(x->e, l, &b);
    b.working = true;
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

/* The lanes of a part to its cells. */
static lun_status fold_lanes(const runner *x, const block *b, const part *p)
{
    lun_status s = LUN_OK;
    int which = 0;
    for (int64_t half = x->lanes / 2; s == LUN_OK && half > 0; half /= 2, which = !which) {
        int64_t n = half * b->lines;
        lun_layout one = {.rank = 2, .extent = {p->chunks, n}, .stride = {2 * n, 1}};
        one = lun__layout_simplified(&one);
        lun_layout other = one;
        other.offset = n;
        s = half > 1 ? fold(x, x->acc[which], &one, &other, x->acc[!which], 0, n * p->chunks)
                     : fold(x, x->acc[which], &one, &other, x->cells[0], p->first * b->lines,
                            n * p->chunks);
    }
    return s;
}

/* Row `from` of the cells in one storage to row `to` of the other. */
static lun_status move_row(const runner *x, int which, int64_t lines, int64_t from, int64_t to)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        lun_storage *a = x->cells[which][r], *b = x->cells[!which][r];
        int64_t size = lun__dtype_get(a->dtype)->bytes;
        s = lun__storage_host(x->e, a, false);
        if (s == LUN_OK)
            s = lun__storage_host(x->e, b, true);
        if (s == LUN_OK)
            memcpy((char *)b->data + to * lines * size, (char *)a->data + from * lines * size,
                   (size_t)(lines * size));
    }
    return s;
}

/* The cells of a block's chunks, joined; *which: the storage whose first row they are then. */
static lun_status join(const runner *x, const block *b, int64_t chunks, int *which)
{
    lun_status s = LUN_OK;
    for (*which = 0; s == LUN_OK && chunks > 1; *which = !*which) {
        int64_t pairs = chunks / 2;
        lun_layout one = {.rank = 2, .extent = {pairs, b->lines}, .stride = {2 * b->lines, 1}};
        lun_layout other = one;
        other.offset = b->lines;
        s = fold(x, x->cells[*which], &one, &other, x->cells[!*which], 0, pairs * b->lines);
        if (s == LUN_OK && chunks % 2)
            s = move_row(x, *which, b->lines, chunks - 1, pairs);
        chunks = pairs + chunks % 2;
    }
    return s;
}

static lun_status finish(const runner *x, const block *b, int which)
{
    const lun_lowered *l = &x->a->finish;
    lun_binding to;
    lun_status s = lun__bind_open(x->e, l, &to);
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        to.working = true;
        s = lun__bind_part(x->e, &to, 2 * r, x->cells[which][r], 0, NULL, b->lines, false);
        to.working = false;
        if (s == LUN_OK)
            s = lun__bind_part(x->e, &to, 2 * r + 1, x->out[r], b->at, NULL, b->lines, true);
    }
    if (s == LUN_OK)
        s = launch(x, l, &to, b->lines);
    lun__bind_close(&to);
    return s;
}

/* ---- a reduction ----------------------------------------------------------------------------- */

/* Storage of n elements for each result, in the dtype of its accumulators or its own. */
static lun_status take(const runner *x, int64_t n, bool own, lun_storage **to)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        const lun_node *node = x->a->results[r];
        s = lun__storage_new(x->e, (lun_dtype)(own ? node->dtype : node->acc), n, &to[r]);
    }
    return s;
}

static lun_status begin_part(const runner *x, int64_t n)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++) {
        const lun_node *node = x->a->results[r];
        uint64_t identity = 0;
        lun__op_identity((lun_op)node->op, (lun_dtype)node->acc, &identity);
        s = lun__storage_host(x->e, x->acc[0][r], true);
        if (s == LUN_OK)
            lun__cell_fill((lun_dtype)node->acc, identity, x->acc[0][r]->data, n);
    }
    return s;
}

/* The chunks of a block, as many at once as its accumulators have room for. */
static lun_status reduce_block(const runner *x, const block *b, int64_t room)
{
    const int64_t chunks = lun__order_chunks(&x->a->visit[1].ir, x->line);
    const int64_t whole = x->line / LUN_CHUNK, most = room / (x->lanes * b->lines);
    lun_status s = LUN_OK;
    int which;
    for (int64_t c = 0; s == LUN_OK && c < chunks;) {
        part p = {.first = c, .chunks = 1, .rows = LUN_CHUNK};
        if (c >= whole)
            p.rows = x->line % LUN_CHUNK;
        else
            p.chunks = whole - c < most ? whole - c : most > 1 ? most : 1;
        s = begin_part(x, x->lanes * p.chunks * b->lines);
        if (s == LUN_OK)
            s = visit_rows(x, b, &p);
        if (s == LUN_OK)
            s = fold_lanes(x, b, &p);
        c += p.chunks;
    }
    if (s == LUN_OK)
        s = join(x, b, chunks, &which);
    return s == LUN_OK ? finish(x, b, which) : s;
}

static int64_t lanes_for(int64_t line)
{
    int64_t lanes = 2;
    while (lanes < LUN_LANES && lanes < line)
        lanes *= 2;
    return lanes;
}

static lun_status reduce(runner *x)
{
    const lun_layout *of = &x->a->of;
    const int64_t inner = x->lines / of->extent[0];
    int64_t count = ACCUMULATORS / (x->lanes * inner);
    count = count < 1 ? 1 : count > of->extent[0] ? of->extent[0] : count;
    const int64_t room =
        count * inner * x->lanes > ACCUMULATORS ? count * inner * x->lanes : ACCUMULATORS;
    const int64_t chunks = lun__order_chunks(&x->a->visit[1].ir, x->line);
    lun_status s = take(x, room, false, x->acc[0]);
    if (s == LUN_OK)
        s = take(x, room / 2 + 1, false, x->acc[1]);
    if (s == LUN_OK)
        s = take(x, chunks * count * inner, false, x->cells[0]);
    if (s == LUN_OK && chunks > 1)
        s = take(x, (chunks + 1) / 2 * count * inner, false, x->cells[1]);
    if (s == LUN_OK)
        s = take(x, x->lines, true, x->out);
    for (int64_t at = 0; s == LUN_OK && at < of->extent[0]; at += count) {
        block b = {.first = at, .count = count, .at = at * inner};
        if (of->extent[0] - at < count)
            b.count = of->extent[0] - at;
        b.lines = b.count * inner;
        s = reduce_block(x, &b, room);
    }
    return s;
}

/* Lines of few elements: one launch. */
static lun_status reduce_brief(runner *x)
{
    const lun_lowered *l = &x->a->brief;
    const int first = l->ir.slot_count - x->a->result_count;
    lun_binding to;
    lun_status s = take(x, x->lines, true, x->out);
    if (s != LUN_OK)
        return s;
    s = lun__bind_open(x->e, l, &to);
    for (int i = 0; s == LUN_OK && i < first; i++) {
        const lun_slot_source *from = &l->slots[i];
        lun_layout at;
        int64_t step = 0;
        if (l->ir.slots[i].role != LUN_SLOT_IN) {
            s = lun__bind_slot(x->e, &to, i, NULL, 0, x->lines);
            continue;
        }
        (void)lun__across_places(x->a, from, &at, &step);
        at.offset += from->copy * step + from->offset;
        s = lun__bind_elements(x->e, &to, i, from->node, &at, x->lines);
    }
    for (int r = 0; s == LUN_OK && r < x->a->result_count; r++)
        s = lun__bind_part(x->e, &to, first + r, x->out[r], 0, NULL, x->lines, true);
    if (s == LUN_OK)
        s = launch(x, l, &to, x->lines);
    lun__bind_close(&to);
    return s;
}

lun_status lun__across_run(lun_engine *e, const lun_across *a)
{
    runner x = {.e = e, .a = a};
    x.line = 1;
    for (int k = a->kept; k < a->of.rank; k++)
        x.line *= a->of.extent[k];
    x.lines = lun__layout_count(&a->of) / x.line;
    x.lanes = lanes_for(x.line);
    lun_backend_slot *b;
    lun_status s = lun__backend(e, &b);
    if (s == LUN_OK)
        s = a->is_brief ? reduce_brief(&x) : reduce(&x);
    for (int r = 0; s == LUN_OK && r < a->result_count; r++) {
        lun__node_become_leaf(e, a->results[r], x.out[r], 0);
        x.out[r] = NULL;
    }
    runner_free(&x);
    return s;
}
