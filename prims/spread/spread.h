/* spread.h - how the elements of an array are divided among places: pure arithmetic on sizes.
 * Places are numbers and opaque pointers here.  Private to prims/. */
#ifndef LUN_SPREAD_H
#define LUN_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "lunarray.h"
#include "lunarray_bind.h"
#include "spread/intervals.h"

/* All on one place; contiguous parts in the order of places; the same with elements of the
 * neighbours' parts beside them; all on every place. */
typedef enum lun_spread_kind {
    LUN_SPREAD_NONE,
    LUN_SPREAD_SINGLE,
    LUN_SPREAD_BLOCK,
    LUN_SPREAD_OVERLAP,
    LUN_SPREAD_COPY,
    LUN_SPREAD_KINDS
} lun_spread_kind;

/* Sizes of the parts of n over p places.
 * REMAINDER  floor(n / p) each, and the last takes the rest too
 * CEILING    ceil(n / p) each until nothing is left
 * BALANCED   differing by one at most, larger ones first
 * WEIGHTS    up to place k floor(n * (w[0] + .. + w[k]) / sum), the last takes the rest
 * BOUNDS     as another array's are */
typedef enum lun_spread_rule {
    LUN_SPREAD_REMAINDER,
    LUN_SPREAD_CEILING,
    LUN_SPREAD_BALANCED,
    LUN_SPREAD_WEIGHTS,
    LUN_SPREAD_BOUNDS,
    LUN_SPREAD_RULES
} lun_spread_rule;

/* Immutable once made, counted. */
typedef struct lun_spread {
    int refs;
    lun_spread_kind kind;
    lun_spread_rule rule; /* BLOCK, OVERLAP */
    int places, device;   /* device: SINGLE: its number, from 0 */
    int64_t n, unit;      /* elements; those of a slice, which is never divided by a rule */
    int64_t halo;         /* OVERLAP: slices of the neighbours on either side */
    const void **place;   /* by number, behind the bounds */
    int64_t bound[];      /* BLOCK, OVERLAP: part k is bound[k] .. bound[k + 1] - 1 */
} lun_spread;

/* One over so many places, all else zero, with one reference; NULL without memory. */
lun_spread *lun__spread_new(int places);

/* The bounds of n slices, bound[0] = 0 .. bound[places] = n; weights: one for each place, none
 * negative, with a positive sum; NULL unless the rule is WEIGHTS. */
void lun__spread_cut(lun_spread_rule rule, const double *weights, int64_t n, int places,
                     int64_t *bound);
/* Slices before part k, 0 <= k <= places; the rule is no WEIGHTS or BOUNDS. */
int64_t lun__spread_bound(lun_spread_rule rule, int64_t n, int places, int k);
/* What has to be at place k: of BLOCK its part, of OVERLAP that and its halo. */
lun_interval lun__spread_part(const lun_spread *s, int k);
/* The place that a part's element belongs to: of BLOCK and OVERLAP. */
int lun__spread_owner(const lun_spread *s, int64_t element);
/* Whether both divide equally long arrays in the same way, halos aside. */
bool lun__spread_same(const lun_spread *a, const lun_spread *b);
/* A copy to be changed, with one reference; NULL without memory. */
lun_spread *lun__spread_copy(const lun_spread *s);
lun_spread *lun__spread_retain(const lun_spread *s);
void lun__spread_release(lun_spread *s); /* NULL is allowed */
const char *lun__spread_kind_name(lun_spread_kind kind);
const char *lun__spread_rule_name(lun_spread_rule rule); /* NULL: it has no name */

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* The grid of b's npes ranks over the axes that are blocked; the extents are set, and their
 * product, each counting at least 1, is an int64_t. */
void lun__blocks_grid(lun_blocks *b, const bool *blocked);

#endif
