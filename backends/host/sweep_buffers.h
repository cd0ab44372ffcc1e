/* sweep_buffers.h - units of sweeps in a worker's ring buffers: how they are read into them, and
 * their margins (Halide's storage folding).  A part of host_sweep.c.
 *
 * Invariant: at step s the ring of array a has room for units s - lag - ring + 1 .. s - lag, the
 * last one at newest[a], each one before it at the entry before, around the ring.  One worker owns
 * tile and memory. */
#ifndef LUN_SWEEP_BUFFERS_H
#define LUN_SWEEP_BUFFERS_H

#include "host/host_run.h"

/* Where a read takes its elements: for the first line of its stage's units in the ring's first one,
 * and how many units before the array's newest one.  In bytes. */
typedef struct lun_sweep_reader {
    char *at;
    int64_t back, ring, unit;
} lun_sweep_reader;

/* A tile of the box that a worker runs, and its memory. */
typedef struct lun_sweep_tile {
    const lun_sweep *sweep;
    const lun_sweep_plan *plan;
    int64_t lo[LUN_LAYOUT_RANK], hi[LUN_LAYOUT_RANK]; /* of the results */
    int64_t first, end; /* units whose results it stores: where tiles share one, the first does */
    char *memory;
    const size_t *rings;  /* by array, in memory */
    const size_t *values; /* by array: a row of the value beyond its ends */
    int64_t step;
    int64_t *newest;           /* by array: where in its ring the unit of this step is */
    lun_sweep_reader *readers; /* by read */
} lun_sweep_tile;

/* Begins with a step; goes on to the next one. */
void lun__sweep_buffer_begin(lun_sweep_tile *p, int64_t step);
void lun__sweep_buffer_step(lun_sweep_tile *p);

/* The indices along an axis that a stage, or a reader of an array, takes for the tile. */
static inline void lun__sweep_buffer_range(const lun_sweep_tile *p, const lun_sweep_part *of,
                                           int axis, int64_t *lo, int64_t *hi)
{
    const lun_sweep_box *b = &p->sweep->box;
    const bool whole = axis && p->plan->piece[axis] == b->extent[axis];
    *lo = p->lo[axis] - (whole ? 0 : of->before[axis]);
    *hi = p->hi[axis] + (whole ? 0 : of->after[axis]);
    if (!b->wraps[axis]) {
        *lo = *lo < 0 ? 0 : *lo;
        *hi = *hi > b->extent[axis] ? b->extent[axis] : *hi;
    }
}

/* Index i of an axis of n that goes on from its start. */
static inline int64_t lun__sweep_buffer_within(int64_t i, int64_t n)
{
    return i % n + (i % n < 0 ? n : 0);
}

/* The number of the row index[1 ..] of a unit, times a row's elements. */
static inline int64_t lun__sweep_buffer_flat(const lun_sweep_tile *p, int64_t unit,
                                             const int64_t *index)
{
    const lun_sweep_box *b = &p->sweep->box;
    int64_t row = lun__sweep_buffer_within(unit, b->extent[0]);
    for (int k = 1; k < b->rank - 1; k++)
        row = row * b->extent[k] + lun__sweep_buffer_within(index[k], b->extent[k]);
    return row * b->extent[b->rank - 1];
}

/* The address of element index[1 ..] of unit `unit` of an array; the unit is kept or the next. */
void *lun__sweep_buffer_at(const lun_sweep_tile *p, int array, int64_t unit, const int64_t *index);
/* What read `read` takes for the row index[1 ..] of its stage's unit `unit`, whose rows begin at
 * lo[1 ..]; the unit that is read may lie beyond the ends of axis 0.  *by: how many bytes behind
 * that is what it takes for the next row. */
void *lun__sweep_buffer_read(const lun_sweep_tile *p, int read, int64_t unit, const int64_t *lo,
                             const int64_t *index, int64_t *by);
/* Bytes from a row of an array in its ring to the next one. */
static inline int64_t lun__sweep_buffer_segment(const lun_sweep_tile *p, int array)
{
    const lun_sweep_box *b = &p->sweep->box;
    return b->rank > 2 ? p->plan->array[array].stride[b->rank - 2] * b->size[array] : 0;
}
/* Reads a unit of an array that no stage makes. 0, or what a stream's read gave. */
int lun__sweep_buffer_load(const lun_sweep_tile *p, int array, int64_t unit);
/* Fills the elements beyond the ends of the other axes. */
void lun__sweep_buffer_margins(const lun_sweep_tile *p, int array, int64_t unit);
/* Fills the rows of values. */
void lun__sweep_buffer_values(const lun_sweep_tile *p);

/* The rows of a box: index[1 .. rank - 2] from lo on; false: there are no more. */
static inline bool lun__sweep_buffer_next(int rank, const int64_t *lo, const int64_t *hi,
                                          int64_t *index)
{
    int k = rank - 2;
    for (; k >= 1 && ++index[k] >= hi[k]; k--)
        index[k] = lo[k];
    return k >= 1;
}

#endif
