/* pairs_step.c - reductions of all pairs of rows where the backend in use runs launches with turns,
 * on the host or a device; see kernels/pairs_kernel.h.
 *
 * The operand of the lanes is packed: blocks of LUN_BLOCK of its rows side by side, number by
 * number of the segment.  A launch takes segments of one block, for LUN_PAIRS_ROWS rows of the
 * other operand each, turn by turn, so that a packed block stays in the cache.  Where rows or
 * lanes are not whole groups, the last group begins earlier and computes some elements again;
 * where there are fewer than one group, it is padded, and the result is made beside. */
#include "steps/pairs_step.h"

#include <stdlib.h>

#include "base/clock.h"
#include "ir/combine_order.h"
#include "launch/launch.h"
#include "launch/profile.h"

enum { LANES = LUN_BLOCK, ROWS = LUN_PAIRS_ROWS, TURNS = 16, MOST_OPERANDS = 8 };

struct lun_pairs_work {
    lun_engine *e;
    const lun_pairs *p;
    lun_kernel_entry *k;
    int64_t extent[3], first; /* those of p, but from row `first` of its result on */
    lun_interval wanted;      /* of these rows */
    const lun_scratch_buffer
        *local; /* by slot: its array at a location; NULL: arrays are in host memory */
    int64_t rows, lanes, segment; /* of the operands */
    int64_t blocks;               /* whole ones; a last one follows if `more` */
    bool more;
    lun_storage *packed[MOST_OPERANDS];      /* by number of the slot among those of lanes, */
    lun_scratch_buffer packs[MOST_OPERANDS]; /* and where they are */
    lun_storage *own;      /* memory for the kernel's results; NULL: it is the caller's */
    lun_scratch_buffer to; /* they begin there, */
    int64_t top, step;     /* with row `top`; from row to row */
    bool is_scratch;       /* what is launched counts elsewhere */
};
typedef struct lun_pairs_work work;

static int64_t at_least(int64_t n, int64_t least)
{
    return n < least ? least : n;
}

/* Where slot i reads its elements. */
static lun_status find_operand(const work *w, int i, lun_layout *at, lun_scratch_buffer *from)
{
    const lun_slot_source *source = &w->p->kernel.slots[i];
    (void)lun__pairs_kernel_layout(w->p->extent, source, at);
    at->extent[0] = w->extent[0];
    at->offset += w->first * at->stride[0];
    if (w->local) {
        *from = w->local[i];
        return LUN_OK;
    }
    lun_storage *s = source->node->storage;
    const lun_status status = lun__mirror_host(w->e, s, false);
    *from = (lun_scratch_buffer){.data = s->data, .origin = source->node->offset};
    return status;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Lanes first .. first + count - 1, in blocks, to block `block` of what is packed; the same lane is
 * that of several if `row` is 0. */
typedef struct lanes {
    int64_t block, blocks, lane, first, count, row;
} lanes;

static lun_status pack(const work *w, int i, const lanes *x, const lun_scratch_buffer *to)
{
    lun_scratch_buffer from;
    lun_layout at;
    lun_status s = find_operand(w, i, &at, &from);
    const int64_t row = at.stride[w->p->lanes];
    const lun_layout of = {.rank = 3,
                           .offset = at.offset + x->first * row,
                           .extent = {x->blocks, w->segment, x->count},
                           .stride = {row * LANES, at.stride[2], x->row * row}};
    const lun_layout places = {.rank = 3,
                               .offset = x->block * w->segment * LANES + x->lane,
                               .extent = {x->blocks, w->segment, x->count},
                               .stride = {w->segment * LANES, LANES, 1}};
    const lun_dtype t = (lun_dtype)w->p->kernel.ir.slots[i].dtype;
    return s == LUN_OK ? lun__scratch_buffer_arrange(w->e, t, &from, &of, to, &places) : s;
}

/* What slot i reads of each lane, packed; a block with fewer lanes repeats the last. */
static lun_status pack_slot(const work *w, int i, lun_storage **out, lun_scratch_buffer *to)
{
    const int64_t some = w->lanes < LANES ? w->lanes : LANES;
    const lanes parts[] = {{0, w->blocks, 0, 0, LANES, 1},
                           {w->blocks, w->more, 0, w->lanes - some, some, 1},
                           {w->blocks, w->more, some, w->lanes - 1, LANES - some, 0}};
    int64_t room;
    if (__builtin_mul_overflow((w->blocks + w->more) * LANES, w->segment, &room))
        return lun__launch_run_no_memory(w->e, w->p->result->n);
    lun_status s =
        lun__scratch_buffer_take(w->e, (lun_dtype)w->p->kernel.ir.slots[i].dtype, room, out, to);
    for (size_t k = 0; s == LUN_OK && k < sizeof parts / sizeof *parts; k++)
        if (parts[k].blocks && parts[k].count)
            s = pack(w, i, &parts[k], to);
    return s;
}

static lun_status pack_operands(work *w)
{
    const lun_lowered *l = &w->p->kernel;
    lun_status s = LUN_OK;
    int next = 0;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        if (l->ir.slots[i].role != LUN_SLOT_ARRAY || l->slots[i].copy != LUN_PAIRS_LANE)
            continue;
        s = next < MOST_OPERANDS ? pack_slot(w, i, &w->packed[next], &w->packs[next])
                                 : lun__fail(w->e, LUN_EARG, "internal: too many operands");
        next++;
    }
    return s;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Groups of rows from `row` on, by blocks from packed block `block` on, whose first lane is
 * `lane`. */
typedef struct part {
    int64_t row, groups, turns, block, blocks, lane;
} part;

/* Launch number `stage` of rows first .. first + count - 1; false: it has nothing to do. */
static bool part_of(const work *w, int64_t first, int64_t count, int stage, part *t)
{
    const int64_t groups = count / ROWS, whole = groups / TURNS * TURNS, rest = groups - whole;
    const part rows[] = {{.row = first, .groups = whole, .turns = TURNS},
                         {.row = first + whole * ROWS, .groups = rest, .turns = rest},
                         {.row = count < ROWS ? first : first + count - ROWS,
                          .groups = count % ROWS != 0,
                          .turns = 1}};
    *t = rows[stage / 2];
    t->blocks = stage % 2 ? w->more : w->blocks;
    if (stage % 2) {
        t->block = w->blocks;
        t->lane = w->lanes < LANES ? 0 : w->lanes - LANES;
    }
    return t->groups && t->blocks;
}

static lun_status bind_result(const work *w, lun_binding *to, int i, const part *t)
{
    const lun_layout segments = {
        .rank = 3,
        .offset = (t->row - w->top + w->p->kernel.slots[i].copy) * w->step + t->lane,
        .extent = {t->blocks, t->groups, LANES},
        .stride = {LANES, ROWS * w->step, 1}};
    return lun__bind_segments_at(w->e, to, i, (lun_dtype)w->p->result->dtype,
                                 lun__scratch_buffer_start(&w->to), w->to.origin, &segments, true);
}

/* packed: where the operand of slot i is, if it is that of lanes. */
static lun_status bind_operand(const work *w, lun_binding *to, int i, const part *t,
                               const lun_scratch_buffer *packed)
{
    const lun_dtype dtype = (lun_dtype)w->p->kernel.ir.slots[i].dtype;
    lun_layout at, segments = {.rank = 3, .extent = {t->blocks, t->groups, LANES}};
    lun_scratch_buffer from;
    if (packed) {
        segments.offset = t->block * w->segment * LANES;
        segments.stride[0] = w->segment * LANES;
        return lun__bind_segments_at(w->e, to, i, dtype, lun__scratch_buffer_start(packed), 0,
                                     &segments, false);
    }
    lun_status s = find_operand(w, i, &at, &from);
    if (s != LUN_OK)
        return s;
    const int64_t row = at.stride[!w->p->lanes];
    segments.offset = at.offset + t->row * row;
    segments.stride[1] = ROWS * row;
    return lun__bind_segments_at(w->e, to, i, dtype, lun__scratch_buffer_start(&from), from.origin,
                                 &segments, false);
}

/* What the functions have beside rows: an array, or a number. */
static lun_status bind_other(const work *w, lun_binding *to, int i, int64_t n)
{
    const lun_slot_source *from = &w->p->kernel.slots[i];
    const int64_t size = lun__dtype_get((lun_dtype)w->p->kernel.ir.slots[i].dtype)->bytes;
    if (!w->local)
        return lun__bind_slot(w->e, to, i, NULL, 0, n);
    const lun_scratch_buffer *x = &w->local[i];
    to->origin[i] = x->origin + from->offset;
    to->room[i] = x->room - from->offset;
    to->at[i] = x->buffer ? (void *)x->buffer : (char *)x->data + to->origin[i] * size;
    return LUN_OK;
}

static lun_status bind_slots(const work *w, lun_binding *to, const part *t)
{
    const lun_lowered *l = &w->p->kernel;
    lun_status s = LUN_OK;
    int packed = 0;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const int role = l->ir.slots[i].role, copy = l->slots[i].copy;
        if (role == LUN_SLOT_OUT)
            s = bind_result(w, to, i, t);
        else if (role == LUN_SLOT_ARRAY && copy != LUN_PAIRS_OTHER)
            s = bind_operand(w, to, i, t, copy == LUN_PAIRS_LANE ? &w->packs[packed++] : NULL);
        else
            s = bind_other(w, to, i, t->blocks * t->groups * LANES);
    }
    return s;
}

static lun_status bind(const work *w, const part *t, lun_binding *to)
{
    lun_status s = lun__bind_open(w->e, &w->p->kernel, to);
    to->segment = LANES;
    to->turns = t->turns;
    to->is_scratch = w->is_scratch;
    return s == LUN_OK ? bind_slots(w, to, t) : s;
}

static lun_status launch(const work *w, const part *t)
{
    const int64_t n = t->blocks * t->groups * LANES;
    lun_binding to;
    lun_status s = bind(w, t, &to);
    if (s == LUN_OK)
        s = lun__launch_run(w->e, &to, w->k, n, 0, n, NULL);
    lun__bind_close(&to);
    return s;
}

/* Rows first .. first + count - 1. */
static lun_status launch_some(const work *w, int64_t first, int64_t count)
{
    lun_status s = LUN_OK;
    part t;
    for (int stage = 0; s == LUN_OK && stage < LUN_PAIRS_STAGES; stage++)
        if (part_of(w, first, count, stage, &t))
            s = launch(w, &t);
    return s;
}

/* ---- some rows of the result ----------------------------------------------------------------- */

/* Of these rows, and of those beside them that launches compute, too. */
static void begin(lun_engine *e, const lun_pairs *p, lun_interval rows, work *w)
{
    const lun_interval all = lun__pairs_kernel_rows(p, rows);
    *w = (work){.e = e,
                .p = p,
                .extent = {all.hi - all.lo, p->extent[1], p->extent[2]},
                .first = all.lo,
                .wanted = {rows.lo - all.lo, rows.hi - all.lo}};
    w->rows = w->extent[!p->lanes];
    w->lanes = w->extent[p->lanes];
    w->segment = w->extent[2];
    w->step = at_least(w->lanes, LANES);
    w->blocks = w->lanes / LANES;
    w->more = w->lanes % LANES != 0;
}

/* The kernel, what is packed, and memory for that many rows; to: where they belong, if it has the
 * form that the kernel writes, or NULL. */
static lun_status make(work *w, int64_t rows, const lun_scratch_buffer *to)
{
    lun_backend_slot *b;
    int64_t room;
    lun_status s = lun__backend(w->e, &b);
    if (s == LUN_OK && __builtin_mul_overflow(rows, w->step, &room))
        return lun__launch_run_no_memory(w->e, w->p->result->n);
    if (s == LUN_OK)
        s = lun__kernel_of(w->e, &w->p->kernel, &w->k);
    if (s == LUN_OK)
        s = pack_operands(w);
    if (to)
        w->to = *to;
    else if (s == LUN_OK)
        s = lun__scratch_buffer_take(w->e, (lun_dtype)w->p->result->dtype, room, &w->own, &w->to);
    return s;
}

static bool is_direct(const work *w)
{
    return w->p->lanes == 1 && w->rows >= ROWS && w->lanes >= LANES &&
           w->wanted.hi - w->wanted.lo == w->rows;
}

lun_status lun__pairs_step_begin(lun_engine *e, const lun_pairs *p, lun_interval rows,
                                 const lun_scratch_buffer *local, const lun_scratch_buffer *to,
                                 lun_pairs_work **out)
{
    work *w = *out = malloc(sizeof *w);
    if (!w)
        return lun__fail_nomem(e);
    begin(e, p, rows, w);
    w->local = local;
    return make(w, at_least(w->rows, ROWS), is_direct(w) ? to : NULL);
}

lun_status lun__pairs_step_bind(const lun_pairs_work *w, int stage, lun_binding *to, int64_t *n)
{
    part t;
    *n = 0;
    if (!part_of(w, 0, w->rows, stage, &t))
        return LUN_OK;
    *n = t.blocks * t.groups * LANES;
    return bind(w, &t, to);
}

lun_status lun__pairs_step_end(const lun_pairs_work *w, const lun_scratch_buffer *to)
{
    const int64_t extent[] = {w->wanted.hi - w->wanted.lo, w->extent[1]};
    lun_layout at = lun__layout_right(2, extent), of = at;
    of.stride[w->p->lanes] = 1;
    of.stride[!w->p->lanes] = w->step;
    of.offset = w->wanted.lo * of.stride[0];
    return is_direct(w) ? LUN_OK
                        : lun__scratch_buffer_arrange(w->e, (lun_dtype)w->p->result->dtype, &w->to,
                                                      &of, to, &at);
}

lun_status lun__pairs_step_run(lun_engine *e, const lun_pairs *p)
{
    const lun_stats before = e->stats;
    const double start = lun__clock_now();
    lun_storage *to = NULL;
    lun_scratch_buffer at;
    work *w = NULL;
    lun_status s =
        lun__storage_new(e, (lun_dtype)p->result->dtype, p->extent[0] * p->extent[1], &to);
    if (s != LUN_OK)
        return s;
    at = (lun_scratch_buffer){.data = to->data};
    s = lun__pairs_step_begin(e, p, (lun_interval){0, p->extent[0]}, NULL, &at, &w);
    if (s == LUN_OK)
        s = launch_some(w, 0, w->rows);
    if (s == LUN_OK)
        s = lun__pairs_step_end(w, &at);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__clock_now() - start, &p->kernel, w->k, p->result->n);
    lun__pairs_step_close(w);
    if (s == LUN_OK)
        lun__node_become_leaf(e, p->result, to, 0);
    else
        lun__storage_release(e, to);
    return s;
}

/* ---- some rows at a time --------------------------------------------------------------------- */

lun_status lun__pairs_step_open(lun_engine *e, const lun_pairs *p, int64_t count,
                                lun_storage *whole, lun_pairs_work **out)
{
    const lun_scratch_buffer to = {.data = whole ? whole->data : NULL};
    work *w = *out = malloc(sizeof *w);
    if (!w)
        return lun__fail_nomem(e);
    begin(e, p, (lun_interval){0, p->extent[0]}, w);
    w->is_scratch = true;
    return make(w, count, whole ? &to : NULL);
}

lun_status lun__pairs_step_rows(lun_pairs_work *w, int64_t first, int64_t count, void **out)
{
    const int64_t size = lun__dtype_get((lun_dtype)w->p->result->dtype)->bytes;
    w->top = w->own ? first : 0;
    *out = (void *)((uintptr_t)w->to.data - (uintptr_t)(w->top * w->step * size));
    return launch_some(w, first, count);
}

lun_kernel_entry *lun__pairs_step_kernel(const lun_pairs_work *w)
{
    return w->k;
}

void lun__pairs_step_close(lun_pairs_work *w)
{
    if (!w)
        return;
    for (int i = 0; i < MOST_OPERANDS; i++)
        if (w->packed[i])
            lun__storage_release(w->e, w->packed[i]);
    if (w->own)
        lun__storage_release(w->e, w->own);
    free(w);
}
