/* placing.h - which indices of a kernel each place of the set in use runs, which elements that
 * needs there, and how results are distributed.  Nothing moves here: launch/launch_dist.c does it,
 * placing/moves.c tells it beforehand.  Private to prims/. */
#ifndef LUN_PLACING_H
#define LUN_PLACING_H

#include "schedule/steps.h"
#include "spread/spread.h"

/* How the array of a node that a kernel reads is distributed, in elements of its storage, whose
 * element `*offset` is the node's first; NULL: it is not. */
typedef const lun_spread *lun_placing_look(void *ctx, const lun_node *n, int64_t *offset);
/* How the indices of a kernel over n are distributed, by the distributions of what it reads
 * element by element: SINGLE, BLOCK or, unless they write arrays in place, COPY.  *out: a
 * reference.  LUN_ENOMEM. */
lun_status lun__placing_cut(lun_engine *e, const lun_lowered *l, int64_t n, lun_placing_look *look,
                            void *ctx, lun_spread **out);
/* The number of the place that is given its indices i-th, of so many: devices first, which work
 * while the host computes. */
int lun__placing_turn(lun_engine *e, int places, int i);
/* The indices that place k runs: parts of segments, and of chunks that are combined, go where their
 * last index is; a scan begins where its first chunk does. */
lun_interval lun__placing_range(const lun_spread *cut, const lun_lowered *l, int k);
/* Of a scan: the indices of place k whose chunks' totals others start from: whole chunks, of which
 * they have the last index, but where bits do not depend on chunks. */
lun_interval lun__placing_totals(const lun_step *step, const lun_spread *cut, int k);
/* Whether slot i is read element by element, so that its array takes part in the choice. */
bool lun__placing_counts(const lun_lowered *l, int i);
/* Whether that is all that it reads, at the index itself: what lun_lowered.aligned says. */
bool lun__placing_aligned(const lun_lowered *l);
/* The elements, counted from the first of the array that it reads, that slot i needs for those
 * indices at a place; none for results and what is in no memory. */
lun_interval lun__placing_need(const lun_lowered *l, int i, lun_interval indices);
/* Whether a slot's elements are at indices that the kernel computes. */
bool lun__placing_gathers(const lun_ir *ir, int slot);
/* Whether a place takes, in memory of its own, its part of such a step; else the host's is used. */
bool lun__placing_takes(const lun_backend_slot *at, const lun_node *n);
/* How many operands of n, the first ones, locations take shards of; each reads the others whole, on
 * the host. */
static inline int lun__placing_shared(const lun_node *n)
{
    return lun__algorithm_rows[n->op].taken == LUN_TAKEN_PIECES ? n->count : 1;
}
/* How the places share the elements that n takes, by the distributions of its operands.  *out: a
 * reference. */
lun_status lun__placing_stream(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                               lun_spread **out);
bool lun__placing_one_segment(const lun_node *n);
/* How they share its elements, and how the result is distributed.  *out: a reference. */
lun_status lun__placing_order(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                              lun_spread **out);
/* Of one segment that several places share, each with its part in order: by how many of these
 * elements samples are apart, which say where to cut; 0: one place has all. */
int64_t lun__placing_apart(const lun_node *n, const lun_spread *cut);
/* Those of location k, from its first element on. */
lun_interval lun__placing_samples(const lun_step *step, const lun_spread *cut, int k);
/* The most bytes that place k gives to others: its part, to the places that merge it, and of what
 * it has merged then what is beyond its part, for samples are that far from the truth. */
int64_t lun__placing_exchange(const lun_step *step, const lun_spread *cut, int k);
/* How the results of segments are distributed, one element for each; NULL without memory. */
lun_spread *lun__placing_of_segments(const lun_spread *cut, int64_t segment);
/* The elements of reductions of segments, distributed so, that location k has computed and has in
 * its own memory, if that is the host's. */
lun_interval lun__placing_keeps(const lun_spread *segments, const lun_backend_slot *at, int k);
/* The elements of part k and so many on either side; none where the part has none. */
lun_interval lun__placing_widened(const lun_spread *cut, int k, int64_t halo);
/* How they share the rows of n, of all matrices in turn, by the distribution of its first operand.
 * *out: a reference. */
lun_status lun__placing_rows(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                             lun_spread **out);
/* The elements of the array of operand i of n, without its offset, that rows of the result need. */
lun_interval lun__placing_rows_need(const lun_node *n, int i, lun_interval rows);
/* How the elements of n are distributed, whose rows are; NULL without memory. */
lun_spread *lun__placing_of_rows(const lun_spread *rows, int64_t columns);
/* Whether a place runs the kernel that takes several rows at once (step->pairs), else the one with
 * an index for each element (step->lowered). */
bool lun__placing_packs(const lun_backend_slot *at);
/* How they share these rows, by the distribution of what has as many.  *out: a reference. */
lun_status lun__placing_pairs_rows(lun_engine *e, const struct lun_pairs *p, lun_placing_look *look,
                                   void *ctx, lun_spread **out);
/* The elements, counted from the first of its array, that slot i needs for rows of the result at
 * a place that packs; *all: they are the same for each row. */
lun_interval lun__placing_pairs_need(const struct lun_pairs *p, int i, lun_interval rows,
                                     bool *all);
/* The node in memory whose elements n has, LEAF or not yet; NULL: none. */
const lun_node *lun__placing_array(const lun_node *n);
/* Whether such a step reads in the memory of a device, else in the host's. */
bool lun__placing_on_device(lun_engine *e, const lun_step *step);

/* ---- what these are made of ------------------------------------------------------------------ */

/* n elements in blocks of whole slices of `unit`, a divisor of n; NULL without memory. */
lun_spread *lun__placing_blocks(lun_engine *e, int64_t n, int64_t unit);
/* The distribution of an array as one of n indices, of which the first is its element `offset`;
 * NULL without memory. */
lun_spread *lun__placing_seen(const lun_spread *of, int64_t offset, int64_t n);
/* From the lowest to the highest place of elements first .. last of a layout; beyond int64_t
 * all. */
lun_interval lun__placing_reach(const lun_layout *at, int64_t first, int64_t last);

#endif
