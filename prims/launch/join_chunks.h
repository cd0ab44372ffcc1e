/* join_chunks.h - a launch and what its chunks or segments amount to. */
#ifndef LUN_JOIN_CHUNKS_H
#define LUN_JOIN_CHUNKS_H

#include "backend.h"
#include "engine/state.h"
#include "plan/plan.h"

/* Rows of cells that a launch over n indices needs: one for each chunk, or for each segment. */
int64_t lun__join_rows(const lun_lowered *l, int64_t n);
/* Begins and ends a run, see lun_backend.begin.  The first row of run->partials is the results
 * then, or row k those of segment k; unjoined: the chunks stay as they are. */
lun_status lun__join_submit(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                            lun_kernel *k, lun_launch *run, lun_work_mark *mark);
lun_status lun__join_collect(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                             lun_kernel *k, lun_launch *run, lun_work_mark mark, bool unjoined);
/* The same for `rows` chunks whose cells are in run->partials already, of launches that had run's
 * arguments; the kernel has run on b. */
lun_status lun__join_partials(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                              lun_kernel *k, lun_launch *run, int64_t rows);
/* The results' nodes become numbers, of the cells of that row; not of segments. */
void lun__join_take(lun_engine *e, const lun_lowered *l, const uint64_t *cells);

#endif
