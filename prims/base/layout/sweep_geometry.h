/* sweep_geometry.h - the geometry of stages over one box that read elements around each index, run
 * unit by unit so that what lies between them stays in the cache: how far each stage lags behind,
 * how many units of each array are kept, how far beyond a piece of the box each stage computes.
 * Pure: of a dtype an element's size is all that counts.
 *
 * A unit is all indices of a piece with one index along axis 0.  At step x each stage takes unit
 * x - lag; arrays between stages are kept in rings of units, arrays in memory are read into such
 * rings, but for those whose elements only the same indices take, which are read where they stand
 * (sliding windows and folded storage, as in Ragan-Kelley et al. 2013: Halide).  Pieces overlap:
 * what one needs of its neighbour it computes itself (overlapped tiling).  Axes 1 and up are whole
 * or cut into pieces; along a whole axis an array has margins instead. */
#ifndef LUN_SWEEP_GEOMETRY_H
#define LUN_SWEEP_GEOMETRY_H

#include "base/layout/layout.h"

/* Stage `stage` reads of array `array` the elements that stand so far from each index. */
typedef struct lun_sweep_read {
    int stage, array;
    int64_t by[LUN_LAYOUT_RANK];
} lun_sweep_read;

typedef struct lun_sweep_box {
    int rank; /* >= 2 */
    int64_t extent[LUN_LAYOUT_RANK];
    bool wraps[LUN_LAYOUT_RANK]; /* what stands beyond that axis' ends is the box again */
    bool whole; /* the last stage takes its elements in their order: no axis but the first is cut */
    int stages, arrays, reads;
    const lun_sweep_read *read; /* in the order of their stages */
    const int *maker;           /* by array: the stage that makes it, -1: it is in memory */
    const int *size;            /* by array: bytes of an element */
} lun_sweep_box;

/* Of a stage, or of an array.  Before and after a piece along an axis: what is computed, or kept,
 * beyond it; along a whole axis of a stage 0, of an array its margins. */
typedef struct lun_sweep_part {
    int64_t before[LUN_LAYOUT_RANK], after[LUN_LAYOUT_RANK];
    int64_t lag;
    /* of an array: units that are kept, 0: nothing reads it, or what is in memory is read there;
     * elements of a unit, from one index of an axis to the next, and before the first of a line */
    int64_t ring, unit, stride[LUN_LAYOUT_RANK], lead;
} lun_sweep_part;

typedef struct lun_sweep_plan {
    int64_t piece[LUN_LAYOUT_RANK]; /* of axes 1 and up; cut axes of at least 64 along the last */
    int64_t bytes;                  /* of all rings */
    lun_sweep_part *stage, *array;
} lun_sweep_plan;

/* The plan for the first `stages` stages, with rings of at most `cache_bytes` bytes where cutting
 * axes can make them so small.  False: there is no memory, or there are too many bytes to count.
 * *out is to be freed also then. */
bool lun__sweep_geometry_plan(const lun_sweep_box *box, int stages, int64_t cache_bytes,
                              lun_sweep_plan *out);
void lun__sweep_geometry_free(lun_sweep_plan *p);
/* How many of the first stages are best run together; 0: not even one fits. */
int lun__sweep_geometry_depth(const lun_sweep_box *box, int64_t cache_bytes);

/* Units that chunks of a reduction over the box, from its first element on, end with: so many, or a
 * multiple. */
int64_t lun__sweep_geometry_chunks(const lun_sweep_box *box, int64_t chunk);

#endif
