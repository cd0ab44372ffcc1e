/* pairs.c - reductions of all pairs of rows on the host; see plan/pairs.h.
 *
 * The operand of the lanes is packed: blocks of LUN_BLOCK of its rows side by side, number by
 * number of the line.  A launch takes lines of one block, for LUN_PAIRS_ROWS rows of the other
 * operand each, turn by turn, so that a packed block stays in the cache.  Where rows or lanes are
 * not whole groups, the last group begins earlier and computes some elements again; where there are
 * fewer than one group, it is padded, and the result is made beside.  Knows backends only as what
 * launches. */
#include "run/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ir/order.h"
#include "run/bind.h"
#include "run/profile.h"
#include "run/run.h"

enum { LANES = LUN_BLOCK, ROWS = LUN_PAIRS_ROWS, TURNS = 16, MOST_OPERANDS = 8 };

struct lun_pairs_work {
    lun_engine *e;
    const lun_pairs *p;
    lun_kernel_entry *k;
    int64_t extent[3], first;   /* those of p, but from row `first` of its result on */
    const lun_pairs_near *near; /* by slot: its elements at a place; NULL: they are the array's */
    int64_t rows, lanes, line;  /* of the operands */
    int64_t blocks;             /* whole ones; a last one follows if `more` */
    bool more;
    lun_storage *packed[MOST_OPERANDS]; /* by number of the slot among those of lanes */
    lun_storage *to;                    /* the kernel's results, */
    int64_t top, step;                  /* its first row; from row to row */
    bool lent;                          /* `to` is the caller's, for all rows */
    bool working;                       /* what is launched counts elsewhere */
};
typedef struct lun_pairs_work work;

static int64_t at_least(int64_t n, int64_t least)
{
    return n < least ? least : n;
}

/* ---- moving elements ------------------------------------------------------------------------- */

/* Elements of one layout to the places of another, on threads. */
typedef struct move {
    lun_layout from, to;
    const char *source;
    char *target;
    int size;
} move;

static void move_some(void *ctx, int64_t from, int64_t to)
{
    const move *m = ctx;
    lun__layout_copy(&m->from, m->source, &m->to, m->target, m->size, from, to - from);
}

static void move_all(lun_engine *e, move *m)
{
    const lun_backend_slot *b = e->backends[e->current];
    int64_t n = lun__layout_count(&m->from);
    if (b->backend->share)
        b->backend->share(b->state, n, 2 * n * m->size, m, move_some);
    else
        move_some(m, 0, n);
}

/* What slot i reads: places, from element `offset` of *s on. */
static lun_status find_operand(const work *w, int i, lun_layout *at, lun_storage **s,
                               int64_t *offset)
{
    const lun_slot_source *from = &w->p->kernel.slots[i];
    (void)lun__pairs_places(w->p->extent, from, at);
    at->extent[0] = w->extent[0];
    at->offset += w->first * at->stride[0];
    *s = w->near ? w->near[i].elements : from->node->storage;
    *offset = w->near ? -w->near[i].first : from->node->offset;
    return lun__storage_host(w->e, *s, false);
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Lanes first .. first + count - 1, in blocks, to block `block` of what is packed; a block with
 * fewer repeats the last. */
static void pack(const work *w, const lun_layout *at, const lun_storage *from, lun_storage *to,
                 int64_t block, int64_t first, int64_t count)
{
    const int64_t row = at->stride[w->p->lanes], size = lun__dtype_get(to->dtype)->bytes;
    const int64_t some = count < LANES ? count : LANES;
    move m = {.source = from->data, .size = (int)size};
    m.target = (char *)to->data + block * w->line * LANES * size;
    m.from = (lun_layout){.rank = 3,
                          .offset = at->offset + first * row,
                          .extent = {count / some, w->line, some},
                          .stride = {row * LANES, at->stride[2], row}};
    m.to = (lun_layout){
        .rank = 3, .extent = {count / some, w->line, some}, .stride = {w->line * LANES, LANES, 1}};
    move_all(w->e, &m);
    for (int64_t l = 0; some < LANES && l < w->line; l++) {
        char *lane = m.target + l * LANES * size;
        for (int64_t j = some; j < LANES; j++)
            memcpy(lane + j * size, lane + (some - 1) * size, (size_t)size);
    }
}

/* What slot i reads of each lane, packed. */
static lun_status pack_slot(work *w, int i, lun_storage **out)
{
    const int64_t blocks = w->blocks + w->more;
    lun_storage *from;
    lun_layout at;
    int64_t room, offset;
    if (__builtin_mul_overflow(blocks * LANES, w->line, &room))
        return lun__no_working_memory(w->e, w->p->result->n);
    lun_status s = find_operand(w, i, &at, &from, &offset);
    at.offset += offset;
    if (s == LUN_OK)
        s = lun__storage_new(w->e, from->dtype, room, out);
    if (s == LUN_OK && w->blocks)
        pack(w, &at, from, *out, 0, 0, w->blocks * LANES);
    if (s == LUN_OK && w->more) {
        int64_t count = w->lanes < LANES ? w->lanes : LANES;
        pack(w, &at, from, *out, w->blocks, w->lanes - count, count);
    }
    return s;
}

static lun_status pack_operands(work *w)
{
    const lun_lowered *l = &w->p->kernel;
    lun_status s = LUN_OK;
    int next = 0;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_ARRAY && l->slots[i].copy == LUN_PAIRS_LANE)
            s = next < MOST_OPERANDS ? pack_slot(w, i, &w->packed[next++])
                                     : lun__fail(w->e, LUN_EARG, "internal: too many operands");
    return s;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Groups of rows from `row` on, by blocks from packed block `block` on, whose first lane is
 * `lane`. */
typedef struct part {
    int64_t row, groups, block, blocks, lane;
} part;

static lun_status bind_operand(const work *w, lun_binding *to, int i, const part *t,
                               lun_storage *packed)
{
    const bool lane = w->p->kernel.slots[i].copy == LUN_PAIRS_LANE;
    lun_layout at, lines = {.rank = 3, .extent = {t->blocks, t->groups, LANES}};
    lun_storage *of;
    int64_t offset;
    if (lane) {
        lines.offset = t->block * w->line * LANES;
        lines.stride[0] = w->line * LANES;
        return lun__bind_lines(w->e, to, i, packed, 0, &lines, false);
    }
    lun_status s = find_operand(w, i, &at, &of, &offset);
    if (s != LUN_OK)
        return s;
    const int64_t row = at.stride[!w->p->lanes];
    lines.offset = at.offset + t->row * row;
    lines.stride[1] = ROWS * row;
    return lun__bind_lines(w->e, to, i, of, offset, &lines, false);
}

static lun_status launch(const work *w, const part *t, int64_t turns)
{
    const lun_lowered *l = &w->p->kernel;
    const int64_t n = t->blocks * t->groups * LANES;
    lun_binding to;
    int packed = 0;
    lun_status s = lun__bind_open(w->e, l, &to);
    to.line = LANES;
    to.turns = turns;
    to.working = w->working;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_slot_source *from = &l->slots[i];
        if (l->ir.slots[i].role == LUN_SLOT_OUT) {
            const lun_layout lines = {.rank = 3,
                                      .offset = (t->row - w->top + from->copy) * w->step + t->lane,
                                      .extent = {t->blocks, t->groups, LANES},
                                      .stride = {LANES, ROWS * w->step, 1}};
            s = lun__bind_lines(w->e, &to, i, w->to, 0, &lines, true);
        } else if (l->ir.slots[i].role == LUN_SLOT_ARRAY && from->copy != LUN_PAIRS_OTHER) {
            bool lane = from->copy == LUN_PAIRS_LANE;
            s = bind_operand(w, &to, i, t, lane ? w->packed[packed++] : NULL);
        } else {
            s = lun__bind_slot(w->e, &to, i, NULL, 0, n);
        }
    }
    if (s == LUN_OK)
        s = lun__bind_run(w->e, &to, w->k, n, 0, n, NULL);
    lun__bind_close(&to);
    return s;
}

/* All blocks for groups of rows from `row` on, some turns at a time. */
static lun_status launch_rows(const work *w, int64_t row, int64_t groups, int64_t turns)
{
    part t = {.row = row, .groups = groups, .blocks = w->blocks};
    lun_status s = groups && w->blocks ? launch(w, &t, turns) : LUN_OK;
    if (s == LUN_OK && groups && w->more) {
        t.block = w->blocks;
        t.blocks = 1;
        t.lane = w->lanes < LANES ? 0 : w->lanes - LANES;
        s = launch(w, &t, turns);
    }
    return s;
}

/* Rows first .. first + count - 1. */
static lun_status launch_some(const work *w, int64_t first, int64_t count)
{
    const int64_t groups = count / ROWS, whole = groups / TURNS * TURNS, rest = groups - whole;
    lun_status s = launch_rows(w, first, whole, TURNS);
    if (s == LUN_OK)
        s = launch_rows(w, first + whole * ROWS, rest, rest);
    if (s == LUN_OK && count % ROWS)
        s = launch_rows(w, count < ROWS ? first : first + count - ROWS, 1, 1);
    return s;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The result, from what is padded, or has rows as columns. */
static lun_status unpad(work *w)
{
    lun_storage *own = NULL;
    lun_status s = lun__storage_new(w->e, (lun_dtype)w->p->result->dtype, w->rows * w->lanes, &own);
    if (s != LUN_OK)
        return s;
    move m = {
        .source = w->to->data, .target = own->data, .size = lun__dtype_get(own->dtype)->bytes};
    m.from = m.to = lun__layout_right(2, w->extent);
    m.from.stride[w->p->lanes] = 1;
    m.from.stride[!w->p->lanes] = w->step;
    move_all(w->e, &m);
    lun__storage_release(w->e, w->to);
    w->to = own;
    return LUN_OK;
}

/* Of rows first .. first + count - 1 of the result. */
static void begin(lun_engine *e, const lun_pairs *p, int64_t first, int64_t count, work *w)
{
    *w = (work){.e = e, .p = p, .extent = {count, p->extent[1], p->extent[2]}, .first = first};
    w->rows = w->extent[!p->lanes];
    w->lanes = w->extent[p->lanes];
    w->line = w->extent[2];
    w->step = at_least(w->lanes, LANES);
    w->blocks = w->lanes / LANES;
    w->more = w->lanes % LANES != 0;
}

/* The kernel, what is packed, and memory for that many rows. */
static lun_status make(work *w, int64_t rows)
{
    lun_backend_slot *b;
    int64_t room;
    lun_status s = lun__backend(w->e, &b);
    if (s == LUN_OK && __builtin_mul_overflow(rows, w->step, &room))
        return lun__no_working_memory(w->e, w->p->result->n);
    if (s == LUN_OK)
        s = lun__run_kernel(w->e, &w->p->kernel, &w->k);
    if (s == LUN_OK)
        s = pack_operands(w);
    if (s == LUN_OK && !w->to)
        s = lun__storage_new(w->e, (lun_dtype)w->p->result->dtype, room, &w->to);
    return s;
}

static void let_go(const work *w)
{
    for (int i = 0; i < MOST_OPERANDS; i++)
        if (w->packed[i])
            lun__storage_release(w->e, w->packed[i]);
}

lun_status lun__pairs_part(lun_engine *e, const lun_pairs *p, int64_t first, int64_t count,
                           const lun_pairs_near *near, lun_storage **out)
{
    work w;
    begin(e, p, first, count, &w);
    w.near = near;
    const bool direct = p->lanes == 1 && w.rows >= ROWS && w.lanes >= LANES;
    const lun_stats before = e->stats;
    const double start = lun__now();
    lun_status s = make(&w, at_least(w.rows, ROWS));
    if (s == LUN_OK)
        s = launch_some(&w, 0, w.rows);
    if (s == LUN_OK && !direct)
        s = unpad(&w);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__now() - start, &p->kernel, w.k, w.rows * w.lanes);
    let_go(&w);
    if (s == LUN_OK)
        *out = w.to;
    else if (w.to)
        lun__storage_release(e, w.to);
    return s;
}

lun_status lun__pairs_run(lun_engine *e, const lun_pairs *p)
{
    lun_storage *to;
    lun_status s = lun__pairs_part(e, p, 0, p->extent[0], NULL, &to);
    if (s == LUN_OK)
        lun__node_become_leaf(e, p->result, to, 0);
    return s;
}

/* ---- some rows at a time --------------------------------------------------------------------- */

lun_status lun__pairs_open(lun_engine *e, const lun_pairs *p, int64_t count, lun_storage *whole,
                           lun_pairs_work **out)
{
    work *w = *out = malloc(sizeof *w);
    if (!w)
        return lun__nomem(e);
    begin(e, p, 0, p->extent[0], w);
    w->working = true;
    w->lent = whole != NULL;
    w->to = whole;
    return make(w, count);
}

lun_status lun__pairs_rows(lun_pairs_work *w, int64_t first, int64_t count, void **out)
{
    const int64_t size = lun__dtype_get(w->to->dtype)->bytes;
    w->top = w->lent ? 0 : first;
    *out = (void *)((uintptr_t)w->to->data - (uintptr_t)(w->top * w->step * size));
    return launch_some(w, first, count);
}

lun_kernel_entry *lun__pairs_kernel(const lun_pairs_work *w)
{
    return w->k;
}

void lun__pairs_close(lun_pairs_work *w)
{
    if (!w)
        return;
    let_go(w);
    if (w->to && !w->lent)
        lun__storage_release(w->e, w->to);
    free(w);
}
