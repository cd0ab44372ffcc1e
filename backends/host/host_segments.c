/* host_segments.c - kernels run segment by segment; see host_segments.h.
 *
 * A kernel computes whole blocks of 64, so it writes beyond the end of a segment that has another
 * length.  Within a chunk the next segments overwrite that; segments whose blocks reach beyond it
 * go through a stand-in, for the next chunk may be another worker's.  The order of combination is
 * the kernel's. */
#include "host/host_segments.h"

#include <string.h>

static size_t size_of(const lun_ir *ir, int s)
{
    return (size_t)lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
}

static size_t rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

/* Addresses by slot, and how far they move from turn to turn. */
static size_t table_bytes(const lun_ir *ir)
{
    return rounded((size_t)ir->slot_count * (sizeof(void *) + sizeof(int64_t)));
}

size_t lun__host_segments_bytes(const lun_ir *ir, int64_t segment)
{
    size_t total = table_bytes(ir);
    for (int s = 0; s < ir->slot_count; s++)
        total += (size_t)lun__order_blocks(segment) * size_of(ir, s);
    return rounded(total);
}

static bool is_walked(const lun_ir *ir, int s)
{
    return ir->slots[s].role == LUN_SLOT_IN || ir->slots[s].role == LUN_SLOT_OUT;
}

/* The slots for the segment at index `at` of a chunk that ends at `hi`.  Where the last block is
 * not to be touched in full, a stand-in; *outs: whether some are of OUT slots. */
static void place(const lun__run *r, const lun_worker *w, void *const *base, int64_t at, int64_t hi,
                  bool *outs)
{
    const lun_ir *ir = r->ir;
    const int64_t segment = r->launch->segment, whole = lun__order_blocks(segment);
    void **slots = (void **)(void *)w->tables;
    char *spare = w->tables + table_bytes(ir);
    *outs = false;
    for (int s = 0; s < ir->slot_count; s++) {
        size_t size = size_of(ir, s);
        slots[s] = base[s];
        if (!is_walked(ir, s))
            continue;
        bool fed = r->launch->streams && r->launch->streams[s].read;
        bool out = ir->slots[s].role == LUN_SLOT_OUT;
        slots[s] = (void *)((uintptr_t)base[s] + (uintptr_t)at * size);
        if (fed || whole == segment ||
            (!(out && at + whole > hi) && r->launch->room[s] >= at + whole))
            continue;
        if (out) {
            *outs = true;
        } else {
            memcpy(spare, slots[s], (size_t)segment * size);
            memset(spare + (size_t)segment * size, 0, (size_t)(whole - segment) * size);
        }
        slots[s] = spare;
        spare += (size_t)whole * size;
    }
}

/* What stand-ins of OUT slots have got goes where it belongs. */
static void hand_out(const lun__run *r, const lun_worker *w, void *const *base, int64_t at)
{
    const lun_ir *ir = r->ir;
    void *const *slots = (void **)(void *)w->tables;
    for (int s = 0; s < ir->slot_count; s++) {
        void *to = (void *)((uintptr_t)base[s] + (uintptr_t)at * size_of(ir, s));
        if (ir->slots[s].role == LUN_SLOT_OUT && slots[s] != to)
            memcpy(to, slots[s], (size_t)r->launch->segment * size_of(ir, s));
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* The slots for the segment at index `at`, and the bytes by which each moves to the next one. */
static void place_turns(const lun__run *r, const lun_worker *w, void *const *base, int64_t at)
{
    const lun_ir *ir = r->ir;
    const lun_launch *l = r->launch;
    uintptr_t *slots = (uintptr_t *)(void *)w->tables;
    int64_t *steps = (int64_t *)(void *)(slots + ir->slot_count);
    for (int s = 0; s < ir->slot_count; s++) {
        const lun_layout *layout = l->streams ? l->streams[s].layout : NULL;
        int64_t size = (int64_t)size_of(ir, s), from = at, to = at + l->segment;
        if (layout) {
            from = lun__layout_offset(layout, at);
            to = l->turns > 1 ? lun__layout_offset(layout, at + l->segment) : from;
        }
        bool walks = is_walked(ir, s) || layout;
        slots[s] = (uintptr_t)base[s] + (walks ? (uintptr_t)(from * size) : 0);
        steps[s] = walks ? (to - from) * size : 0;
    }
}

/* Groups of segments, each from its first turn to its last. */
static void run_turns(const lun__run *r, const lun_exec *x, lun_worker *w, int64_t lo, int64_t hi)
{
    const int64_t segment = r->launch->segment, turns = r->launch->turns;
    const int slots = r->ir->slot_count;
    lun_frame *frame = &w->frame;
    void *const *base = frame->slots;
    uintptr_t *at = (uintptr_t *)(void *)w->tables;
    const int64_t *steps = (int64_t *)(void *)(at + slots);
    frame->n = segment;
    frame->stream = 0;
    for (int64_t group = lo; group < hi; group += segment * turns) {
        place_turns(r, w, base, group);
        frame->slots = (void **)(void *)at;
        for (int64_t turn = 0; turn < turns && frame->trap < 0; turn++) {
            x->body(x->self, 0, segment, frame);
            for (int s = 0; s < slots; s++)
                at[s] += (uintptr_t)steps[s];
        }
        if (frame->trap >= 0 || __atomic_load_n(frame->cancel, __ATOMIC_RELAXED))
            break;
    }
}

/* ---- segments -------------------------------------------------------------------------------- */

void lun__host_segments_run(const lun__run *r, const lun_exec *x, lun_worker *w, int64_t lo,
                            int64_t hi)
{
    const lun_ir *ir = r->ir;
    const int64_t segment = r->launch->segment;
    lun_frame *frame = &w->frame;
    void *const *base = frame->slots;
    if (r->launch->turns) {
        run_turns(r, x, w, lo, hi);
        return;
    }
    frame->n = segment;
    frame->stream = 0;
    for (int64_t at = lo; at < hi && frame->trap < 0; at += segment) {
        bool outs;
        uint64_t carry = r->carry;
        place(r, w, base, at, hi, &outs);
        frame->slots = (void **)(void *)w->tables;
        frame->partials = r->launch->partials + at / segment * ir->result_count;
        frame->carry = &carry;
        x->body(x->self, 0, segment, frame);
        if (outs && frame->trap < 0)
            hand_out(r, w, base, at);
        if (__atomic_load_n(frame->cancel, __ATOMIC_RELAXED))
            break;
    }
}
