/* join_chunks.h - a launch and what its chunks or segments amount to. */
#ifndef LUN_JOIN_CHUNKS_H
#define LUN_JOIN_CHUNKS_H

#include "backend.h"
#include "engine/state.h"
#include "plan/plan.h"
#include "spread/intervals.h"

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
/* Which chunks ranks have cells of, and what is to be done: those of this rank are joined, unless
 * own is -1, and noted to go to all; or, once that is told, what all come to is made of it. */
typedef struct lun_rank_chunks {
    const lun_interval *at;
    int ranks, own;
    bool told;
} lun_rank_chunks;
/* The same on ranks; a failure is not explained yet. */
lun_status lun__join_ranks(lun_engine *e, const lun_backend_slot *b, const lun_lowered *l,
                           lun_kernel *k, lun_launch *run, const lun_rank_chunks *of);
/* The results' nodes become numbers, of the cells of that row; not of segments. */
void lun__join_take(lun_engine *e, const lun_lowered *l, const uint64_t *cells);

#endif
