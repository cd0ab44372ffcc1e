/* sort.h - the order of elements: numbers ascend or descend, -0.0 is less than 0.0, NaNs come last
 * in both directions, false is less than true; equal ones keep their order.
 *
 * So there is one result, on any number of threads.  Elements become unsigned keys (keys.h), the
 * whole is cut by the upper bits that vary, and each part is sorted digit by digit in a worker's
 * cache (radix.h). */
#ifndef LUN_SORT_H
#define LUN_SORT_H

#include "host/host.h"

typedef struct lun_sorting {
    lun_dtype dtype;
    bool descending;
    int64_t n,
        segment; /* segments of so many elements, each alone: n % segment == 0; n == segment: one */
    const void *from;
    void *to;         /* the elements in order; NULL: not wanted.  Apart from `from` */
    int64_t *indices; /* the index in its segment of each of them; NULL: not wanted */
    int64_t base;     /* the number of a segment's first index */
    void *scratch;    /* lun__sorting_room's bytes */
} lun_sorting;

/* Bytes of scratch memory that a run by at most so many threads needs; 0: none.  Of s the pointers
 * say only whether they are NULL. */
int64_t lun__sorting_room(const lun_sorting *s, int threads);
/* Not more than team->threads threads, which is at most what the scratch is for.  LUN_OK or
 * LUN_ECANCEL: the results are then without meaning. */
lun_status lun__sorting_run(const lun_services *services, const lun_team *team,
                            const lun_sorting *s);

#endif
