/* pairs.h - runs reductions of all pairs of rows.  Private to prims/run. */
#ifndef LUN_RUN_PAIRS_H
#define LUN_RUN_PAIRS_H

#include "plan/pairs.h"
#include "run/kernels.h"

/* Elements that a slot reads, in host memory: the first one is number `first` of its array. */
typedef struct lun_pairs_near {
    lun_storage *elements;
    int64_t first;
} lun_pairs_near;

/* Computes the result of p; its node is a LEAF then.  Fails as lun__run_lowered does. */
lun_status lun__pairs_run(lun_engine *e, const lun_pairs *p);

/* Rows first .. first + count - 1 of it, row-major, in a storage for the caller; near: by slot, or
 * NULL: operands are in host memory. */
lun_status lun__pairs_part(lun_engine *e, const lun_pairs *p, int64_t first, int64_t count,
                           const lun_pairs_near *near, lun_storage **out);
/* The same on the places of the set in use, each some rows (allpairs.c). */
lun_status lun__pairs_shared(lun_engine *e, const lun_pairs *p);

typedef struct lun_pairs_work lun_pairs_work;
/* Some rows of the result at a time, of p whose lanes go along rows: at most `count`, which is at
 * least LUN_PAIRS_ROWS, or where they belong in `whole`, unless that is NULL.  *out, also after a
 * failure, is to be closed. */
lun_status lun__pairs_open(lun_engine *e, const lun_pairs *p, int64_t count, lun_storage *whole,
                           lun_pairs_work **out);
/* Rows first .. first + count - 1, count >= LUN_PAIRS_ROWS.  *out: where row 0 is or would be; the
 * rows are there until the next ones are computed. */
lun_status lun__pairs_rows(lun_pairs_work *w, int64_t first, int64_t count, void **out);
lun_kernel_entry *lun__pairs_kernel(const lun_pairs_work *w);
void lun__pairs_close(lun_pairs_work *w); /* NULL is allowed */

#endif
