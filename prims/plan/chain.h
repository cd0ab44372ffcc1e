/* chain.h - kernels that follow one another over the same rows, to be run some rows at a time, so
 * that what one leaves the next finds in the cache.  Private to prims/. */
#ifndef LUN_CHAIN_H
#define LUN_CHAIN_H

#include "plan/steps.h"

/* What a step of a chain takes its indices for; rows are lines of a REDUCE:
 *   WIDE    elements of rows: n of them
 *   NARROW  rows: n / line of them */
typedef enum lun_chained { LUN_CHAINED_NOT, LUN_CHAINED_WIDE, LUN_CHAINED_NARROW } lun_chained;

/* How a slot of a step reads what an earlier step of its chain computes. */
typedef enum lun_link {
    LUN_LINK_NONE, /* nothing of the chain's */
    LUN_LINK_SAME, /* an element for each of its own indices */
    LUN_LINK_ROW,  /* the element of the row that an index is in */
    LUN_LINK_OTHER /* in another way: not some rows at a time */
} lun_link;

/* Numbers the chains of s in step->chain, from 1; other steps have 0. */
void lun__chains_find(lun_steps *s);
/* Whether n is a result of steps first .. last. */
bool lun__chain_makes(const lun_steps *s, int first, int last, const lun_node *n);
lun_link lun__chain_link(const lun_steps *s, int first, int at, int slot, int64_t line);
/* What step `at` would be in a chain over lines of `line` elements, of n in all. */
lun_chained lun__chain_width(const lun_step *step, int64_t n, int64_t line);

#endif
