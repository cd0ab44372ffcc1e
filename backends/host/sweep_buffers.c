/* sweep_buffers.c - units of sweeps in a worker's memory; see sweep_buffers.h. */
#include <string.h>

#include "host/sweep_buffers.h"

static size_t size_of(const lun_sweep_tile *p, int array)
{
    return (size_t)p->sweep->box.size[array];
}

/* The unit must be in the ring at this step: newest[] has the entry of the last one, and those
 * before it precede that entry around the ring. */
static char *unit_of(const lun_sweep_tile *p, int array, int64_t unit)
{
    const lun_sweep_part *a = &p->plan->array[array];
    int64_t at = p->newest[array] - (p->step - a->lag - unit);
    return p->memory + p->rings[array] +
           (size_t)((at < 0 ? at + a->ring : at) * a->unit) * size_of(p, array);
}

void lun__sweep_buffer_step(lun_sweep_tile *p)
{
    p->step++;
    for (int a = 0; a < p->sweep->box.arrays; a++)
        p->newest[a] = p->newest[a] + 1 < p->plan->array[a].ring ? p->newest[a] + 1 : 0;
}

/* Elements from a unit's first one. */
static int64_t offset_of(const lun_sweep_tile *p, int array, const int64_t *index)
{
    const lun_sweep_part *a = &p->plan->array[array];
    int64_t at = a->lead;
    for (int k = 1; k < p->sweep->box.rank; k++)
        at += (index[k] - p->lo[k] + a->before[k]) * a->stride[k];
    return at;
}

void *lun__sweep_buffer_at(const lun_sweep_tile *p, int array, int64_t unit, const int64_t *index)
{
    return unit_of(p, array, unit) + (size_t)offset_of(p, array, index) * size_of(p, array);
}

/* Bytes from an index to the element that a read takes for it, within a unit. */
static int64_t shift_of(const lun_sweep_tile *p, const lun_sweep_read *r)
{
    int64_t shift = 0;
    for (int k = 1; k < p->sweep->box.rank; k++)
        shift += r->by[k] * p->plan->array[r->array].stride[k];
    return shift * p->sweep->box.size[r->array];
}

static void open_reader(const lun_sweep_tile *p, int read)
{
    const lun_sweep_read *r = &p->sweep->box.read[read];
    const lun_sweep_part *a = &p->plan->array[r->array], *stage = &p->plan->stage[r->stage];
    const int64_t size = p->sweep->box.size[r->array];
    int64_t lo[LUN_LAYOUT_RANK], hi;
    for (int k = 1; k < p->sweep->box.rank; k++)
        lun__sweep_buffer_range(p, stage, k, &lo[k], &hi);
    p->readers[read] = (lun_sweep_reader){.at = p->memory + p->rings[r->array] +
                                                offset_of(p, r->array, lo) * size + shift_of(p, r),
                                          .back = stage->lag - a->lag - r->by[0],
                                          .ring = a->ring,
                                          .unit = a->unit * size};
}

/* The address of an element beyond the ends of axis 0. */
static void *read_beyond(const lun_sweep_tile *p, const lun_sweep_read *r, int64_t unit,
                         const int64_t *index, int64_t *by)
{
    unit = lun__pad_source(p->sweep->arrays[r->array].pad, 0, unit);
    if (unit < 0)
        *by = 0;
    if (unit < 0)
        return p->memory + p->values[r->array];
    return (char *)lun__sweep_buffer_at(p, r->array, unit, index) + shift_of(p, r);
}

void *lun__sweep_buffer_read(const lun_sweep_tile *p, int read, int64_t unit, const int64_t *lo,
                             const int64_t *index, int64_t *by)
{
    const lun_sweep_box *b = &p->sweep->box;
    const lun_sweep_read *r = &b->read[read];
    const lun_sweep_reader *from = &p->readers[read];
    unit += r->by[0];
    *by = lun__sweep_buffer_segment(p, r->array);
    if (!b->wraps[0] && (unit < 0 || unit >= b->extent[0]))
        return read_beyond(p, r, unit, index, by);
    int64_t at = p->newest[r->array] - from->back;
    char *place = from->at + (at < 0 ? at + from->ring : at) * from->unit;
    for (int k = 1; k < b->rank - 1; k++)
        place += (index[k] - lo[k]) * p->plan->array[r->array].stride[k] * b->size[r->array];
    return place;
}

void lun__sweep_buffer_begin(lun_sweep_tile *p, int64_t step)
{
    p->step = step;
    for (int a = 0; a < p->sweep->box.arrays; a++) {
        const lun_sweep_part *part = &p->plan->array[a];
        p->newest[a] = part->ring ? lun__sweep_buffer_within(step - part->lag, part->ring) : 0;
    }
    for (int i = 0; i < p->sweep->box.reads; i++)
        open_reader(p, i);
}

void lun__sweep_buffer_values(const lun_sweep_tile *p)
{
    const lun_sweep_box *b = &p->sweep->box;
    for (int a = 0; a < b->arrays; a++) {
        const lun_padding *pad = p->sweep->arrays[a].pad;
        const lun_sweep_part *part = &p->plan->array[a];
        if (!part->ring || !pad)
            continue;
        int64_t row = b->rank > 2 ? part->stride[b->rank - 2] : part->unit;
        char *to = p->memory + p->values[a];
        for (int64_t i = 0; i < row; i++, to += size_of(p, a))
            memcpy(to, &pad->value, size_of(p, a));
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Elements lo .. hi - 1 along the last axis of a row of the box, whose element 0 is number
 * `row`. */
static int load_row(const lun_sweep_tile *p, int array, int64_t row, int64_t lo, int64_t hi,
                    char *to)
{
    const lun_sweep_array *from = &p->sweep->arrays[array];
    const lun_launch *l = p->sweep->stages[from->stage].launch;
    const lun_stream *stream = l->streams ? &l->streams[from->slot] : NULL;
    const int64_t n = p->sweep->box.extent[p->sweep->box.rank - 1];
    const size_t size = size_of(p, array);
    while (lo < hi) { /* once but where the axis wraps */
        int64_t j = lun__sweep_buffer_within(lo, n), some = hi - lo < n - j ? hi - lo : n - j;
        if (stream && stream->read) {
            int failure = stream->read(stream->self, stream->origin + row + j, some, to);
            if (failure)
                return failure;
        } else {
            memcpy(to, (const char *)l->slots[from->slot] + (size_t)(row + j) * size,
                   (size_t)some * size);
        }
        to += (size_t)some * size;
        lo += some;
    }
    return 0;
}

int lun__sweep_buffer_load(const lun_sweep_tile *p, int array, int64_t unit)
{
    const lun_sweep_box *b = &p->sweep->box;
    const int last = b->rank - 1;
    int64_t lo[LUN_LAYOUT_RANK], hi[LUN_LAYOUT_RANK], index[LUN_LAYOUT_RANK];
    int failure = 0;
    for (int k = 1; k <= last; k++) {
        lun__sweep_buffer_range(p, &p->plan->array[array], k, &lo[k], &hi[k]);
        index[k] = lo[k];
    }
    do {
        failure = load_row(p, array, lun__sweep_buffer_flat(p, unit, index), lo[last], hi[last],
                           lun__sweep_buffer_at(p, array, unit, index));
    } while (!failure && lun__sweep_buffer_next(b->rank, lo, hi, index));
    return failure;
}

/* ---- margins --------------------------------------------------------------------------------- */

/* One element. */
static inline void put(char *to, const void *from, size_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

/* count times the element at `from`. */
static void put_same(char *to, const void *from, int64_t count, size_t size)
{
    for (int64_t i = 0; i < count; i++, to += size)
        put(to, from, size);
}

/* The margins along axis k at the place where its index 0 stands: of elements, or of all that the
 * axes behind have. */
static void fill_axis(const lun_sweep_tile *p, int array, int k, int64_t lo, int64_t hi, char *zero)
{
    const lun_sweep_part *a = &p->plan->array[array];
    const lun_padding *pad = p->sweep->arrays[array].pad;
    const int64_t n = p->sweep->box.extent[k], end = p->hi[k] + a->after[k];
    const int64_t stride = a->stride[k];
    const size_t size = size_of(p, array);
    for (int64_t i = p->lo[k] - a->before[k]; i < end; i++) {
        if (i == lo)
            i = hi;
        if (i >= end)
            break;
        int64_t from = i < 0 || i >= n ? lun__pad_source(pad, k, i) : i;
        char *to = zero + i * stride * (int64_t)size;
        if (from < 0)
            put_same(to, &pad->value, stride, size);
        else if (from >= lo && from < hi && stride == 1)
            put(to, zero + from * (int64_t)size, size);
        else if (from >= lo && from < hi)
            memcpy(to, zero + from * stride * (int64_t)size, (size_t)stride * size);
    }
}

void lun__sweep_buffer_margins(const lun_sweep_tile *p, int array, int64_t unit)
{
    const lun_sweep_box *b = &p->sweep->box;
    const lun_sweep_part *a = &p->plan->array[array];
    int64_t lo[LUN_LAYOUT_RANK], hi[LUN_LAYOUT_RANK], index[LUN_LAYOUT_RANK];
    if (!p->sweep->arrays[array].pad)
        return;
    for (int k = 1; k < b->rank; k++)
        lun__sweep_buffer_range(p, a, k, &lo[k], &hi[k]);
    for (int k = b->rank - 1; k >= 1; k--) { /* axes behind k are filled */
        if (!(a->before[k] || a->after[k]) || (b->wraps[k] && p->plan->piece[k] < b->extent[k]))
            continue;
        for (int i = 1; i < b->rank; i++)
            index[i] = i < k ? lo[i] : i == k ? 0 : p->lo[i] - a->before[i];
        do {
            char *zero = lun__sweep_buffer_at(p, array, unit, index);
            if (k < b->rank - 1) /* with what stands before the first element */
                zero -= a->lead * b->size[array];
            fill_axis(p, array, k, lo[k], hi[k], zero);
        } while (lun__sweep_buffer_next(k + 1, lo, hi, index));
    }
}
