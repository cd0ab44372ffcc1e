/* bins.h - which bin a number is in.  Private to the room.
 *
 * Bin b holds what is at least edges[b] and less than edges[b + 1]; the last one its upper edge,
 * too.
 * A first guess comes from a multiplication, where the edges are even, else from a search; what
 * counts are comparisons with the edges. */
#ifndef LUN_BINS_H
#define LUN_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "table/dtype.h"

typedef struct lun_bins {
    const double *edges; /* count + 1, ascending */
    int64_t count;
    bool even;
    double scale;
} lun_bins;

enum { LUN_BINS_BLOCK = 1024 };

/* Bins of `count` + 1 edges.  The number of the first edge that is NaN or below the one before; -1:
 * there is none. */
int64_t lun__bins_make(const double *edges, int64_t count, lun_bins *out);
/* The bins of n elements of dtype t, at most LUN_BINS_BLOCK; `count` where they are in none. */
void lun__bins_find(const lun_bins *bins, lun_dtype t, const void *from, int64_t n, int64_t *to);

#endif
