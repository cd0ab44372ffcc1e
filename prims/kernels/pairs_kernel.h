/* pairs_kernel.h - reductions of all pairs of rows (LUN_FOLDS_BLOCKS) on the host: some rows of one
 * operand with as many of the other as a block has lanes, at once.  Private to prims/. */
#ifndef LUN_PAIRS_KERNEL_H
#define LUN_PAIRS_KERNEL_H

#include "plan/plan.h"
#include "spread/intervals.h"

enum { LUN_PAIRS_ROWS = 4 }; /* that go through the loop together */

/* Whose elements a slot of the kernel has: lun_slot_source.copy of ARRAY slots.  OUT slots count
 * rows there. */
typedef enum lun_pairs_operand {
    LUN_PAIRS_OTHER, /* an array that a function indexes */
    LUN_PAIRS_ROW,   /* the same for all lanes: slot element 0 is the first one of the first row */
    LUN_PAIRS_LANE   /* lane by lane, side by side: for each number of the segment a block */
} lun_pairs_operand;

/* A kernel over the lanes of one block: it computes as many segments as there are OUT slots. */
typedef struct lun_pairs {
    lun_lowered kernel;
    lun_node *result;
    int64_t extent[3]; /* rows and columns of the result, elements of a segment */
    int lanes;         /* the axis of the result that lanes go along: 1, or 0 where that is short */
} lun_pairs;

/* How group g, of a sink that lun__node_in_blocks, is run on the host.  LUN_ENOMEM. */
lun_status lun__pairs_kernel_make(lun_engine *e, const lun_schedule *s, int g, lun_pairs **out);
void lun__pairs_kernel_free(lun_pairs *p); /* NULL is allowed */
/* The rows of the result that launches compute where these are wanted: of few the rows beside
 * them, too, which a group has. */
lun_interval lun__pairs_kernel_rows(const lun_pairs *p, lun_interval rows);
/* Bytes of the arrays that it reads. */
int64_t lun__pairs_kernel_reads(const lun_pairs *p);
/* The offsets of the elements of slot i by row, column and number of the segment: those of
 * extent 1 do not move.  False: no strides say them. */
bool lun__pairs_kernel_layout(const int64_t extent[3], const lun_slot_source *from,
                              lun_layout *out);

#endif
