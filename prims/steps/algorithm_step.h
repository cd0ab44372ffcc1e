/* algorithm_step.h - the step of a plan that does an algorithm.  Private to prims/. */
#ifndef LUN_ALGORITHM_STEP_H
#define LUN_ALGORITHM_STEP_H

#include "backend.h"
#include "engine/state.h"
#include "graph/node.h"
#include "schedule/steps.h"
#include "spread/spread.h"

enum { LUN_BESIDE = 16 }; /* algorithms in one run, at most */

/* The next step behind `after`, from `at` on, that lun__algorithm_step_run runs beside step `at`;
 * `count`: there is none.  The first LUN_BESIDE - 1 are run. */
int lun__algorithm_step_beside(const lun_steps *s, int at, int after, int count);
/* Step `at`, an ALGORITHM of operands that are LEAFs or NUMBERs, or a RESULT of one, and those
 * among the first `count` steps that take the same rows and can be run beside it: they and all
 * results that there are become LEAFs. */
lun_status lun__algorithm_step_run(lun_engine *e, const lun_steps *s, int at, int count);

/* The status s of a run of n, an ALGORITHM: a failure is in n's words, at the source line where it
 * was built. */
lun_status lun__algorithm_step_explain(lun_engine *e, const lun_node *n, lun_status s,
                                       const lun_algorithm_run *r);

/* ---- some elements at a time ----------------------------------------------------------------- */

/* One under way. */
typedef struct lun_algorithm_work {
    lun_engine *e;
    lun_backend_slot *at;
    lun_node *n;
    const lun_algorithm_row *row;
    lun_algorithm_run r;
    lun_storage *number[LUN_ALGORITHM_OPERANDS]; /* the elements of an operand that is a NUMBER */
    lun_storage *to[LUN_ALGORITHM_RESULTS];
    lun_node *node[LUN_ALGORITHM_RESULTS]; /* that wait for a result, with a reference; or NULL */
    lun_storage *scratch;
    int64_t read;             /* bytes of operands in memory */
    int64_t made;             /* elements of a result whose length is found */
    double seconds, transfer; /* of work; of operands on their way from a device */
} lun_algorithm_work;

/* Begins n, an ALGORITHM; operands that are neither LEAFs nor NUMBERs are not in memory.  Also on
 * failure it is to be closed. */
lun_status lun__algorithm_step_open(lun_engine *e, lun_node *n, lun_algorithm_work *w);
/* Takes elements first .. first + count - 1 of one that takes its operands in order; piece(ctx,
 * operand): where these are of one that is not in memory, else NULL. */
lun_status lun__algorithm_step_tile(lun_algorithm_work *w, int64_t first, int64_t count,
                                    const void *(*piece)(const void *ctx, const lun_node *n),
                                    const void *ctx);
/* Ends it: where s is LUN_OK n and its results become LEAFs.  Gives s, or why that failed. */
lun_status lun__algorithm_step_close(lun_algorithm_work *w, lun_status s);

#endif
