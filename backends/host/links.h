/* links.h - a chain's stages on some rows, and the offsets of their arrays in a worker's memory.
 * Private to host/.
 *
 * Invariant: all offsets are into the worker's `tables`, multiples of LUN_ALIGNMENT, and the same
 * for all workers; arrays[] has offsets of arrays that pass through it only (lun__links_hold).
 * Nothing there outlives the rows in work. */
#ifndef LUN_LINKS_H
#define LUN_LINKS_H

#include "host/host_run.h"

typedef struct lun__links {
    const lun_chain *chain;
    const lun_host_kernel *kernels;
    int64_t first, end, rows; /* the run's rows; most that go through all stages at a time */
    int64_t whole;            /* elements of a segment in whole blocks */
    size_t *arrays;           /* by array, of those that pass through it */
    size_t *feeds;            /* by stage: buffers for streams */
    size_t slots, cells, chunks, spare, bytes; /* chunks: cells of the chunks of a segment */
    bool headed; /* array 0 is a product's: where it is no memory it is given with the rows */
} lun__links;

static inline size_t lun__links_rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

/* Whether elements of array number `at` pass through a worker's memory. */
static inline bool lun__links_hold(const lun__links *l, int at)
{
    const lun_chain_array *a = &l->chain->arrays[at];
    return (a->narrow || !a->data) && !(l->headed && at == 0);
}

/* Takes rows row .. row + count - 1, at most l->rows, through all stages, as number k of the run.
 * `given`: those of array 0, in segments of l->whole elements; NULL: they are memory or a stage's.
 * False: the run has failed. */
bool lun__links_run(lun__run *r, lun_worker *w, int64_t k, int64_t row, int64_t count,
                    const void *given);

#endif
