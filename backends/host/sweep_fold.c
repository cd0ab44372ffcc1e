/* sweep_fold.c - sweeps whose last stage combines its elements; see sweeps.h.
 *
 * Its kernel takes chunk after chunk of the array, each from its first element to its last one, as
 * ir/combine_order.h states, and asks for part after part (lun_frame.part): what is left of a
 * row, in whole blocks; then, where rows do not end with a block, the one that two rows share,
 * copied. When a row is the first one of its unit, the stages before it take the steps that this
 * unit needs.  So bits are those of the stage by itself. */
#include <string.h>

#include "host/sweeps.h"

/* Where a slot's elements are; a result is in memory or nowhere. */
typedef enum fold_place {
    FOLD_SAME, /* in the launch's slot, all of them */
    FOLD_RING,
    FOLD_READ,   /* to be read part by part */
    FOLD_NOWHERE /* nothing needs them */
} fold_place;

typedef struct fold_slot {
    fold_place place;
    bool out, walks;
    int read; /* RING: its number */
    int64_t size;
    /* the row's elements, counted from the array's first one; RING: from there to the next row */
    char *base;
    int64_t step;
    char *copy;               /* room for a row */
    const lun_stream *stream; /* READ */
} fold_slot;

typedef struct fold {
    lun_frame frame; /* of the last stage: `part` comes from there to here */
    lun_stint *before, own;
    void **slots; /* of the frame */
    fold_slot *at;
    int count;
    int64_t size; /* elements of a row */
    int64_t row;  /* the one that base counts for, -1: none yet */
    int64_t tail; /* results of the last block, from here on, are in copies; -1: they are not */
    bool good;    /* else the kernel runs to the end of its chunk, on any elements */
} fold;

/* Of a slot's copy, for elements of any size. */
static size_t copy_bytes(int64_t row)
{
    return (size_t)lun__order_blocks(row) * sizeof(uint64_t);
}

size_t lun__sweep_fold_slots(const lun_ir *ir)
{
    return (size_t)ir->slot_count * sizeof(fold_slot);
}

size_t lun__sweep_fold_copies(const lun_ir *ir, int64_t row)
{
    return (size_t)ir->slot_count * copy_bytes(row);
}

static char *counted(const void *at, int64_t elements, int64_t size)
{
    return (char *)((uintptr_t)at - (uintptr_t)(elements * size));
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The steps up to that at which the last stage takes a unit. */
static bool advance(fold *f, int64_t unit)
{
    lun_sweep_tile *p = f->own.p;
    const int64_t step = unit + p->plan->stage[f->own.stage].lag;
    if (f->row >= 0)
        lun__sweep_buffer_step(p);
    while (lun__sweep_unit_step(f->before, p->step, f->own.stage)) {
        if (p->step == step)
            return true;
        lun__sweep_buffer_step(p);
    }
    return false;
}

/* Finds the row in the rings.  False: there is none. */
static bool find_row(fold *f, int64_t row)
{
    lun_stint *s = &f->own;
    const lun_sweep_box *b = &s->p->sweep->box;
    int64_t unit = row;
    for (int k = b->rank - 2; k >= 1; k--) {
        s->index[k] = unit % b->extent[k];
        unit /= b->extent[k];
    }
    if ((f->row < 0 || unit != s->unit) && !advance(f, unit))
        return false;
    s->unit = unit;
    for (int i = 0; i < f->count; i++) {
        fold_slot *to = &f->at[i];
        if (to->place != FOLD_RING)
            continue;
        void *at = lun__sweep_buffer_read(s->p, to->read, unit, s->lo, s->index, &to->step);
        to->base = counted(at, row * f->size, to->size);
        to->step -= f->size * to->size;
    }
    return true;
}

/* Goes to the row, which is the first one or follows that before. */
static void move_to(fold *f, int64_t row)
{
    const lun_sweep_box *b = &f->own.p->sweep->box;
    const int64_t more = b->rank > 2 ? b->extent[b->rank - 2] : 1;
    if (!f->good || row == f->row)
        return;
    if (f->row >= 0 && row % more)
        for (int i = 0; i < f->count; i++)
            f->at[i].base += f->at[i].place == FOLD_RING ? f->at[i].step : 0;
    else
        f->good = find_row(f, row);
    f->row = row;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Reads elements of a slot that is no ring. */
static void read_some(fold *f, const fold_slot *from, int64_t first, int64_t count, char *to)
{
    const lun_stint *s = &f->own;
    int failure = 0;
    if (from->stream)
        failure = from->stream->read(from->stream->self, from->stream->origin + first, count, to);
    else
        memcpy(to, from->base + first * from->size, (size_t)(count * from->size));
    if (failure)
        lun__work_note((lun__run *)(uintptr_t)s->r, s->chunk, LUN_EIO,
                       (from - f->at) | (int64_t)s->stage << 32, failure);
    f->good = f->good && !failure;
}

/* Elements first .. end - 1 of the row, of what is in rings, to the copies of a block. */
static void copy_rings(fold *f, int64_t block, int64_t first, int64_t end)
{
    for (int i = 0; i < f->count; i++) {
        const fold_slot *slot = &f->at[i];
        if (slot->place == FOLD_RING)
            memcpy(slot->copy + (first - block) * slot->size, slot->base + first * slot->size,
                   (size_t)((end - first) * slot->size));
    }
}

/* The slots of a block with copies of what is not in memory, or not as a whole. */
static void point_to_copies(fold *f, int64_t from, int64_t count)
{
    for (int i = 0; i < f->count; i++) {
        const fold_slot *slot = &f->at[i];
        if (!slot->walks || (slot->place == FOLD_SAME && count == LUN_BLOCK))
            continue;
        if (f->good && !slot->out && slot->place != FOLD_RING)
            read_some(f, slot, from, count, slot->copy);
        f->slots[i] = counted(slot->copy, from, slot->size);
    }
}

/* The block at `from`, which the row does not fill; or where there is no row. */
static int64_t share_block(fold *f, int64_t from, int64_t hi)
{
    const int64_t next = (f->row + 1) * f->size;
    const int64_t end = hi - from < LUN_BLOCK ? hi : from + LUN_BLOCK;
    const int64_t own = end < next ? end : next;
    point_to_copies(f, from, end - from);
    if (f->good)
        copy_rings(f, from, from, own);
    if (own < end)
        move_to(f, f->row + 1);
    if (own < end && f->good)
        copy_rings(f, from, own, end);
    f->tail = end - from < LUN_BLOCK ? from : -1;
    return end;
}

static int64_t next_part(lun_frame *frame, int64_t from, int64_t hi)
{
    fold *f = (fold *)(void *)frame;
    const int64_t row = from / f->size, rest = (row + 1) * f->size - from;
    const int64_t most = rest < hi - from ? rest : hi - from, some = most / LUN_BLOCK * LUN_BLOCK;
    move_to(f, row);
    frame->stream = f->own.r->cut.stream && some;
    if (!f->good || !some)
        return share_block(f, from, hi);
    for (int i = 0; i < f->count; i++) {
        const fold_slot *slot = &f->at[i];
        if (slot->place == FOLD_READ)
            read_some(f, slot, from, some, slot->copy);
        f->slots[i] = slot->place == FOLD_READ || slot->place == FOLD_NOWHERE
                          ? counted(slot->copy, from, slot->size)
                          : slot->base;
    }
    return from + some;
}

/* Results of the last block go to memory. */
static void hand_out(const fold *f)
{
    for (int i = 0; f->tail >= 0 && i < f->count; i++) {
        const fold_slot *slot = &f->at[i];
        if (slot->out && slot->place == FOLD_SAME)
            memcpy(slot->base + f->tail * slot->size, slot->copy,
                   (size_t)((f->frame.n - f->tail) * slot->size));
    }
}

/* ---- a tile ---------------------------------------------------------------------------------- */

static void open_slot(fold *f, int i, char *copy)
{
    const lun_stint *s = &f->own;
    const lun_sweep_stage *stage = s->s;
    const int role = s->ir->slots[i].role, array = stage->slots[i];
    fold_slot *to = &f->at[i];
    *to = (fold_slot){.place = FOLD_SAME,
                      .out = role == LUN_SLOT_OUT,
                      .walks = role == LUN_SLOT_OUT || role == LUN_SLOT_IN,
                      .size = lun__dtype_get((lun_dtype)s->ir->slots[i].dtype)->bytes,
                      .base = stage->launch->slots[i],
                      .copy = copy};
    if (to->out) {
        to->base = s->p->sweep->arrays[array].to;
        to->place = to->base ? FOLD_SAME : FOLD_NOWHERE;
    } else if (to->walks && s->p->plan->array[s->p->sweep->box.read[array].array].ring) {
        to->place = FOLD_RING;
        to->read = array;
    } else if (to->walks) {
        const lun_sweep_array *from = &s->p->sweep->arrays[s->p->sweep->box.read[array].array];
        const lun_launch *l = s->p->sweep->stages[from->stage].launch;
        to->base = l->slots[from->slot];
        if (l->streams && l->streams[from->slot].read)
            to->stream = &l->streams[from->slot];
        to->place = to->stream ? FOLD_READ : FOLD_SAME;
    }
    f->slots[i] = to->base;
}

static void open_slots(fold *f, char *memory)
{
    for (int i = 0; i < f->count; i++) {
        open_slot(f, i, memory);
        memory += copy_bytes(f->size);
    }
}

void lun__sweep_fold_run(lun_stint *s, int64_t step, int64_t from, int64_t to)
{
    const lun_sweeps *x = s->x;
    const int last = x->sweep->box.stages - 1;
    const lun_exec *exec = x->kernels[last].exec;
    const lun_launch *l = x->sweep->stages[last].launch;
    fold f = {.frame = s->w->frame,
              .before = s,
              .own = *s,
              .slots = (void **)(void *)(s->w->tables + x->fold_slots),
              .at = (fold_slot *)(void *)(s->w->tables + x->fold_places),
              .count = x->kernels[last].ir->slot_count,
              .size = x->sweep->box.extent[x->sweep->box.rank - 1],
              .row = -1,
              .tail = -1,
              .good = true};
    lun__sweep_unit_stage(&f.own, last);
    open_slots(&f, s->w->tables + x->fold_copies);
    f.frame.n = l->n;
    f.frame.slots = f.slots;
    f.frame.args = l->args;
    f.frame.scratch = (char *)s->w->frame.scratch + x->scratch;
    f.frame.trap = -1;
    f.frame.part = next_part;
    lun__sweep_buffer_begin(s->p, step);
    for (int64_t lo = from, hi; lo < to; lo = hi) {
        hi = to - lo < LUN_CHUNK ? to : lo + LUN_CHUNK;
        f.frame.partials = l->partials + lo / LUN_CHUNK * f.own.ir->result_count;
        exec->body(exec->self, lo, hi, &f.frame);
        if (!f.good || lun__sweep_unit_failed(&f.own, &f.frame) ||
            lun__work_finished((lun__run *)(uintptr_t)s->r, s->chunk))
            return;
    }
    hand_out(&f);
}
