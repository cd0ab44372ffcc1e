/* chain.h - kernels that follow one another over the same rows, or matrix products, to be run some
 * rows at a time, so that what one leaves the next finds in the cache.  Private to prims/. */
#ifndef LUN_CHAIN_H
#define LUN_CHAIN_H

#include "schedule/steps.h"
#include "spread/spread.h"

enum { LUN_CHAIN_STEPS = 64 }; /* most in one chain */

/* What a step of a chain takes its indices for; rows are segments of a REDUCE:
 *   WIDE    elements of rows: n of them; run row by row (lun_lowered.rows)
 *   NARROW  rows: n / segment of them */
typedef enum lun_chained { LUN_CHAINED_NOT, LUN_CHAINED_WIDE, LUN_CHAINED_NARROW } lun_chained;

/* Numbers the chains among the first `count` steps of s, whose groups `groups` are, in step->chain,
 * from 1, and lowers their wide steps for rows; other steps have 0.  *chains: how many there
 * are.  LUN_ENOMEM. */
lun_status lun__chains_find(lun_engine *e, const lun_schedule *groups, lun_steps *s, int count,
                            int *chains);
/* The elements of a slice along the slowest axis of what a kernel over n makes, or reads. */
int64_t lun__chain_unit(const lun_lowered *l, int64_t n);
/* Whether slot i of step `at` reads element by element an array in memory, distributed over the set
 * in use as the steps from `first` on are, or not at all; all: how the first one's operands are,
 * NULL: in blocks of slices. */
bool lun__chain_goes(lun_engine *e, const lun_steps *s, int first, int at, int i,
                     const lun_spread *all);
/* The elements of a row of a chain that begins with that step, a LAUNCH or a PRODUCT; 0: none. */
int64_t lun__chain_segment(const lun_step *step);
/* The last step of the chain that begins at step `first`. */
int lun__chain_last(const lun_steps *s, int first);
/* Whether n is a result of steps first .. last. */
bool lun__chain_makes(const lun_steps *s, int first, int last, const lun_node *n);
/* Whether part is n, or a part of n's elements, or of what is made of them. */
bool lun__chain_is_of(const lun_node *part, const lun_node *n);
/* Whether a slot has n's elements, or such that a stream makes of them. */
bool lun__chain_reads(const lun_slot_source *from, const lun_node *n);
/* Whether n, a result of the chain that ends with step `last`, is asked for, or read behind it. */
bool lun__chain_keeps(const lun_steps *s, int last, const lun_node *n);
/* Bytes that step `at` takes from memory or leaves there for a slot; of a chain: for all of its
 * steps, told of the first. */
int64_t lun__chain_moves(const lun_steps *s, int at, int slot);
/* What step `at` would be in a chain over segments of `segment` elements, of n in all. */
lun_chained lun__chain_width(const lun_step *step, int64_t n, int64_t segment);

#endif
