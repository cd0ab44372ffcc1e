/* staging.c - a worker's buffers for the elements of strided slots; see staging.h. */
#include "host/staging.h"

#include <string.h>

#include "base/layout/column_transpose.h"

enum { LINE = 64 };

static size_t rounded(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static size_t table_bytes(const lun_ir *ir)
{
    return rounded((size_t)ir->slot_count * sizeof(void *));
}

/* Whole blocks, whatever the element, and a segment more: buffers of many slots, which are
 * filled and read side by side, would else compete for the same sets of the nearest cache. */
static size_t buffer_bytes(const lun_ir *ir, int slot, int64_t chunk)
{
    size_t size = lun__dtype_get((lun_dtype)ir->slots[slot].dtype)->bytes;
    return rounded((size_t)chunk) * size + LINE;
}

/* Indices that read whole lines of cache of a layout whose neighbours in memory are along an axis
 * further out; 0: the inner axis is the one. */
static int64_t unit_of(const lun_layout *l, int64_t size)
{
    int64_t inner = 1;
    for (int k = l->rank - 1; k >= 0; k--) {
        if (l->stride[k] == 1 || l->stride[k] == -1)
            return k == l->rank - 1 || inner > INT64_MAX / LINE ? 0 : inner * (LINE / size);
        if (inner > INT64_MAX / LINE || inner * l->extent[k] == 0)
            return 0;
        inner *= l->extent[k];
    }
    return 0;
}

void lun__staging_need(const lun_ir *ir, const lun_launch *l, lun_staging_need *out)
{
    bool some = false, all = true;
    *out = (lun_staging_need){0};
    for (int s = 0; l->streams && s < ir->slot_count; s++) {
        const lun_stream *from = &l->streams[s];
        int64_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        const bool strided = lun__staging_holds(from) && from->layout;
        int64_t unit = strided ? unit_of(from->layout, size) : 0;
        if (strided)
            out->strided += size;
        else if (from->read && size > out->file)
            out->file = size;
        if (unit > out->unit)
            out->unit = unit;
        out->written |= from->write != NULL;
        if (from->read && from->columns) {
            some = true;
            all = all && lun__column_transpose_fast((int)size, from->layout->stride[0]);
        }
    }
    out->columns = some;
    out->shuffled = some && all;
}

size_t lun__staging_bytes(const lun_ir *ir, const lun_launch *l, int64_t chunk)
{
    size_t total = table_bytes(ir);
    for (int s = 0; l->streams && s < ir->slot_count; s++)
        if (lun__staging_holds(&l->streams[s]) &&
            __builtin_add_overflow(total, buffer_bytes(ir, s, chunk), &total))
            return SIZE_MAX;
    return l->streams ? total : 0;
}

void lun__staging_open(lun_staging *f, const lun_ir *ir, char *memory, int64_t chunk)
{
    *f = (lun_staging){.slots = (void **)(void *)memory,
                       .buffers = memory + table_bytes(ir),
                       .chunk = chunk,
                       .held = -1};
}

/* Reads slots whose elements are side by side at each index (work.h); f->slots has the buffers of
 * those that are left, NULL for the others. */
static void fill_columns(const lun_staging *f, const lun_ir *ir, const lun_launch *l, int64_t lo,
                         int64_t hi)
{
    for (int s = 0; s < ir->slot_count; s++) {
        const lun_stream *from = &l->streams[s];
        void *to[LUN_STREAM_COLUMNS];
        int which[LUN_STREAM_COLUMNS], columns = 0;
        if (!from->read || !from->columns)
            continue;
        for (int k = s; k >= 0 && l->streams[k].read; k = l->streams[k].next - 1) {
            which[columns] = k;
            to[columns++] = f->slots[k];
        }
        if (!from->read_columns(from->self, columns, from->origin + lo, hi - lo, to))
            continue;
        while (columns--)
            f->slots[which[columns]] = NULL;
    }
}

int lun__staging_fill(lun_staging *f, const lun_ir *ir, const lun_launch *l, int64_t lo, int64_t hi)
{
    char *at = f->buffers;
    if (f->held == lo)
        return 0;
    f->held = -1;
    for (int s = 0; s < ir->slot_count; s++) {
        size_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        size_t filled = (size_t)(hi - lo) * size, touched = rounded((size_t)(hi - lo)) * size;
        f->slots[s] = at;
        if (!lun__staging_holds(&l->streams[s]))
            continue;
        if (l->streams[s].read)
            memset(at + filled, 0, touched - filled);
        at += buffer_bytes(ir, s, f->chunk);
    }
    fill_columns(f, ir, l, lo, hi);
    for (int s = 0; s < ir->slot_count; s++) {
        const lun_stream *from = &l->streams[s];
        if (!from->read || !f->slots[s])
            continue;
        int failure = from->read(from->self, from->origin + lo, hi - lo, f->slots[s]);
        if (failure) {
            f->slot = s;
            return failure;
        }
    }
    f->held = lo;
    return 0;
}

void **lun__staging_slots(const lun_staging *f, const lun_ir *ir, const lun_launch *l,
                          void *const *base)
{
    uintptr_t at = (uintptr_t)f->buffers;
    memcpy(f->slots, base, (size_t)ir->slot_count * sizeof *base);
    for (int s = 0; s < ir->slot_count; s++) {
        uintptr_t size = (uintptr_t)lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        if (!lun__staging_holds(&l->streams[s]))
            continue;
        f->slots[s] = (void *)(at - (uintptr_t)f->held * size); /* where element 0 would be */
        at += buffer_bytes(ir, s, f->chunk);
    }
    return f->slots;
}

void lun__staging_drain(const lun_staging *f, const lun_ir *ir, const lun_launch *l, int64_t lo,
                        int64_t hi)
{
    for (int s = 0; s < ir->slot_count; s++) {
        const lun_stream *to = &l->streams[s];
        uintptr_t size = (uintptr_t)lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        if (to->write)
            to->write(to->self, to->origin + lo, hi - lo,
                      (void *)((uintptr_t)f->slots[s] + (uintptr_t)lo * size));
    }
}
