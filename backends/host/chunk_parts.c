/* chunk_parts.c - a chunk part by part; see chunk_parts.h.
 *
 * Neighbours along the last axis are side by side in memory too, but for those of the first and
 * the last elements of a segment.  A kernel that only stores computes with what it finds there, and
 * these few elements once more, gathered from all segments of the part.  For others the elements
 * are copied, those of segments' ends over what was found there. */
#include "host/chunk_parts.h"

#include <string.h>

#include "base/layout/strided_few.h"
#include "ir/combine_order.h"

enum {
    ALIGNED = 64,
    EDGE_SHARE = 16,  /* of a segment at least so many times what is computed twice */
    EDGE_COLUMNS = 64 /* of a segment, at most */
};

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t size_of(const lun_ir *ir, int slot)
{
    return (size_t)lun__dtype_get((lun_dtype)ir->slots[slot].dtype)->bytes;
}

static bool is_walked(const lun_ir *ir, int s)
{
    return ir->slots[s].role == LUN_SLOT_IN || ir->slots[s].role == LUN_SLOT_OUT;
}

bool lun__parts_fit(const lun_ir *ir, const lun_launch *l)
{
    bool found = false;
    lun_staging_need need;
    if (!l->streams || l->segment || ir->scan >= 0)
        return false;
    lun__staging_need(ir, l, &need);
    for (int s = 0; s < ir->slot_count; s++)
        found |= l->streams[s].run != NULL;
    return found && !need.file && !need.unit && !need.columns;
}

/* Whether an element comes out the same at any index, fails nowhere and ends whatever it reads. */
static bool may_repeat(const lun_ir *ir, const lun_launch *l)
{
    for (int i = 0; i < ir->count; i++) {
        const int kind = ir->ins[i].kind;
        if (kind == LUN_IR_INDEX || kind == LUN_IR_RANDOM || kind == LUN_IR_GATHER ||
            kind == LUN_IR_CALL || kind == LUN_IR_LOOP || kind == LUN_IR_REDUCE ||
            lun__ir_may_fail(ir, &ir->ins[i]))
            return false;
    }
    for (int s = 0; s < ir->slot_count; s++) /* nor is it written over what it reads */
        for (int k = 0; ir->slots[s].role == LUN_SLOT_OUT && k < ir->slot_count; k++)
            if (ir->slots[k].role == LUN_SLOT_IN && l->slots[k] == l->slots[s])
                return false;
    return true;
}

/* Elements that are computed again in a part, at most. */
static int64_t edges_most(int64_t chunk)
{
    return lun__order_blocks(chunk / EDGE_SHARE + EDGE_COLUMNS);
}

/* Addresses by slot, those at edges, runs, and whether they are patched. */
static size_t table_bytes(const lun_ir *ir)
{
    return rounded((size_t)ir->slot_count *
                   (2 * sizeof(void *) + sizeof(lun_stream_run) + sizeof(bool)));
}

size_t lun__parts_bytes(const lun_ir *ir, int64_t chunk)
{
    size_t each = (LUN_PART + (size_t)edges_most(chunk)) * sizeof(uint64_t);
    return table_bytes(ir) + (size_t)ir->slot_count * each;
}

void lun__parts_open(lun_parts *p, const lun_ir *ir, const lun_launch *l, char *memory,
                     int64_t chunk)
{
    *p = (lun_parts){.ir = ir,
                     .launch = l,
                     .base = l->slots,
                     .slots = (void **)(void *)memory,
                     .slot_bytes = LUN_PART * sizeof(uint64_t),
                     .edge_bytes = (size_t)edges_most(chunk) * sizeof(uint64_t),
                     .again = may_repeat(ir, l)};
    p->edge_slots = p->slots + ir->slot_count;
    p->runs = (lun_stream_run *)(void *)(p->edge_slots + ir->slot_count);
    p->patched = (bool *)(p->runs + ir->slot_count);
    p->buffers = memory + table_bytes(ir);
    p->edges = p->buffers + (size_t)ir->slot_count * p->slot_bytes;
}

/* ---- ends of segments ------------------------------------------------------------------------ */

/* The elements of column `column` of lo .. hi - 1: the first one's index, and how many. */
static int64_t column_of(const lun_stream_run *r, int64_t lo, int64_t hi, int64_t column,
                         int64_t *first)
{
    int64_t ahead = column - r->column;
    *first = lo + ahead + (ahead < 0 ? r->segment : 0);
    return *first < hi ? (hi - *first + r->segment - 1) / r->segment : 0;
}

static int64_t next_column(const lun_stream_run *r, int64_t column)
{
    return column + 1 == r->low ? r->high : column + 1;
}

static int64_t first_column(const lun_stream_run *r)
{
    return r->low ? 0 : r->high;
}

/* Slot s, copied, with the elements that belong at ends of segments. */
static void patch(const lun_parts *p, int s, int64_t lo, int64_t hi, char *to)
{
    const lun_stream_run *r = &p->runs[s];
    const lun_stream *from = &p->launch->streams[s];
    const size_t size = size_of(p->ir, s);
    const int64_t each = (int64_t)size;
    memcpy(to, r->at, (size_t)(hi - lo) * size);
    for (int64_t c = first_column(r), first; c < r->segment; c = next_column(r, c)) {
        const int64_t count = column_of(r, lo, hi, c, &first);
        if (count == 0)
            continue;
        from->column(from->self, from->origin + first, count, p->edges);
        lun__strided_few_copy(to + (first - lo) * each, r->segment * each, p->edges, each, count,
                              size);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Whether wrong elements are a small part of each segment. */
static bool are_few(const lun_stream_run *r)
{
    const int64_t columns = r->low + r->segment - r->high;
    return r->low <= r->high && columns <= EDGE_COLUMNS && columns * EDGE_SHARE <= r->segment;
}

/* Whether a slot's wrong elements are so few that the part computes them again; they are then
 * among those that it does.  The segments of all such slots are the same. */
static bool takes_edges(lun_parts *p, const lun_stream_run *r)
{
    const lun_stream_run *has = &p->again_at;
    lun_stream_run both = {
        .segment = r->segment, .column = r->column, .low = r->low, .high = r->high};
    if (r->low == 0 && r->high == r->segment)
        return true;
    if (!p->again || (has->segment && (has->segment != r->segment || has->column != r->column)))
        return false;
    if (has->segment) {
        both.low = has->low > r->low ? has->low : r->low;
        both.high = has->high < r->high ? has->high : r->high;
    }
    if (!are_few(&both))
        return false;
    p->again_at = both;
    return true;
}

/* How far the part goes that begins at lo: as far as all is in place, or a part with copies. */
static int64_t end_of(lun_parts *p, int64_t lo, int64_t hi)
{
    const int64_t part = hi - lo < LUN_PART ? hi - lo : LUN_PART;
    int64_t end = hi;
    p->again_at = (lun_stream_run){0};
    for (int s = 0; s < p->ir->slot_count; s++) {
        const lun_stream *from = &p->launch->streams[s];
        lun_stream_run *r = &p->runs[s];
        *r = (lun_stream_run){0};
        p->patched[s] = false;
        if (!lun__staging_holds(from))
            continue;
        if (from->run)
            *r = from->run(from->self, from->origin + lo);
        if (r->count < part || !takes_edges(p, r)) {
            p->patched[s] = r->count >= part && are_few(r);
            r->count = 0;
        }
        const int64_t most = r->count > LUN_PART ? r->count / LUN_PART * LUN_PART : LUN_PART;
        if (most < end - lo)
            end = lo + most;
    }
    return end;
}

int64_t lun__parts_next(lun_parts *p, int64_t lo, int64_t hi)
{
    const int64_t end = end_of(p, lo, hi);
    char *buffer = p->buffers;
    for (int s = 0; s < p->ir->slot_count; s++) {
        const lun_stream *from = &p->launch->streams[s];
        const uintptr_t size = size_of(p->ir, s), back = (uintptr_t)lo * size;
        p->slots[s] = p->base[s];
        if (!lun__staging_holds(from))
            continue;
        if (p->runs[s].count >= end - lo) {
            p->slots[s] = (void *)((uintptr_t)p->runs[s].at - back);
            continue;
        }
        p->runs[s].count = 0;
        if (p->patched[s])
            patch(p, s, lo, end, buffer);
        else if (from->read)
            from->read(from->self, from->origin + lo, end - lo, buffer);
        if (from->read) {
            memset(buffer + (size_t)(end - lo) * size, 0,
                   (size_t)(lun__order_blocks(end - lo) - (end - lo)) * size);
        }
        p->slots[s] = (void *)((uintptr_t)buffer - back);
        buffer += p->slot_bytes;
    }
    return end;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The elements at edges of slot s, to memory; or of memory to the slot. */
static void move_edges(const lun_parts *p, int64_t lo, int64_t hi, int s, char *at)
{
    const lun_stream *from = &p->launch->streams[s];
    const size_t size = size_of(p->ir, s);
    const lun_stream_run *r = &p->again_at;
    const int64_t step = r->segment * (int64_t)size, each = (int64_t)size;
    for (int64_t c = first_column(r), first; c < r->segment; c = next_column(r, c)) {
        const int64_t count = column_of(r, lo, hi, c, &first);
        char *slot = (char *)((uintptr_t)p->slots[s] + (uintptr_t)(first * each));
        if (count == 0)
            continue;
        if (p->ir->slots[s].role == LUN_SLOT_OUT)
            lun__strided_few_copy(slot, step, at, each, count, size);
        else if (from->read && p->runs[s].count)
            from->column(from->self, from->origin + first, count, at);
        else
            lun__strided_few_copy(at, each, slot, step, count, size);
        at += count * each;
    }
}

static int64_t count_edges(const lun_parts *p, int64_t lo, int64_t hi)
{
    const lun_stream_run *r = &p->again_at;
    int64_t total = 0, first;
    for (int64_t c = first_column(r); c < r->segment; c = next_column(r, c))
        total += column_of(r, lo, hi, c, &first);
    return total;
}

static void compute_edges(const lun_parts *p, const lun_exec *x, int64_t lo, int64_t hi,
                          lun_frame *frame)
{
    const int slots = p->ir->slot_count;
    const int64_t count = count_edges(p, lo, hi), n = frame->n, stream = frame->stream;
    void **at = p->edge_slots;
    for (int s = 0; s < slots; s++) {
        at[s] = is_walked(p->ir, s) ? p->edges + (size_t)s * p->edge_bytes : p->slots[s];
        if (p->ir->slots[s].role == LUN_SLOT_IN)
            move_edges(p, lo, hi, s, at[s]);
    }
    frame->slots = at;
    frame->n = count;
    frame->stream = 0;
    x->body(x->self, 0, count, frame);
    frame->n = n;
    frame->stream = stream;
    for (int s = 0; s < slots; s++)
        if (p->ir->slots[s].role == LUN_SLOT_OUT)
            move_edges(p, lo, hi, s, at[s]);
}

void lun__parts_edges(lun_parts *p, const lun_exec *x, int64_t lo, int64_t hi, lun_frame *frame)
{
    if (p->again_at.segment)
        compute_edges(p, x, lo, hi, frame);
    for (int s = 0; s < p->ir->slot_count; s++) {
        const lun_stream *to = &p->launch->streams[s];
        if (to->write)
            to->write(to->self, to->origin + lo, hi - lo,
                      (void *)((uintptr_t)p->slots[s] + (uintptr_t)lo * size_of(p->ir, s)));
    }
}
