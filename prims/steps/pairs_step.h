/* pairs_step.h - runs reductions of all pairs of rows. */
#ifndef LUN_PAIRS_STEP_H
#define LUN_PAIRS_STEP_H

#include "kernels/pairs_kernel.h"
#include "launch/bind.h"
#include "launch/kernels.h"
#include "launch/scratch_buffers.h"
#include "schedule/steps.h"

/* Computes the result of p; its node is a LEAF then.  Fails as lun__launch_lowered does. */
lun_status lun__pairs_step_run(lun_engine *e, const lun_pairs *p);

typedef struct lun_pairs_work lun_pairs_work; /* NULL is allowed: */
void lun__pairs_step_close(lun_pairs_work *w);

/* ---- some rows, in launches that the caller runs --------------------------------------------- */

enum { LUN_PAIRS_STAGES = 6 }; /* launches, at most, of which each writes elements of its own; */

/* These rows, where the backend in use computes; local: by slot, where element 0 of its array is
 * there, which stays; to: memory for the rows, row-major.  *out, also after a failure, is to be
 * closed. */
lun_status lun__pairs_step_begin(lun_engine *e, const lun_pairs *p, lun_interval rows,
                                 const lun_scratch_buffer *local, const lun_scratch_buffer *to,
                                 lun_pairs_work **out);
/* Launch number `stage`, over indices 0 .. *n - 1 of the kernel; *n 0: there is none, and nothing
 * is bound.  Else, also on failure, `to` is to be closed, before the work is. */
lun_status lun__pairs_step_bind(const lun_pairs_work *w, int stage, lun_binding *to, int64_t *n);
/* All launches have ended: the rows are in `to`, the same as above, or on their way. */
lun_status lun__pairs_step_end(const lun_pairs_work *w, const lun_scratch_buffer *to);
lun_kernel_entry *lun__pairs_step_kernel(const lun_pairs_work *w);

/* ---- some rows at a time --------------------------------------------------------------------- */

/* Some rows of the result at a time, of p whose lanes go along rows: at most `count`, which is at
 * least LUN_PAIRS_ROWS, or where they belong in `whole`, unless that is NULL.  *out, also after a
 * failure, is to be closed. */
lun_status lun__pairs_step_open(lun_engine *e, const lun_pairs *p, int64_t count,
                                lun_storage *whole, lun_pairs_work **out);
/* Rows first .. first + count - 1, count >= LUN_PAIRS_ROWS.  *out: where row 0 is or would be; the
 * rows are there until the next ones are computed. */
lun_status lun__pairs_step_rows(lun_pairs_work *w, int64_t first, int64_t count, void **out);

#endif
