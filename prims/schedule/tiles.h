/* tiles.h - steps that are run some indices at a time: a kernel, or none, and the algorithms that
 * take what it makes in its order, or the matrix product whose rows it makes, so that they find it
 * in the cache.  Private to prims/. */
#ifndef LUN_TILES_H
#define LUN_TILES_H

#include "schedule/steps.h"

/* Indices that are run at a time; rows of a product's first operand, if they are more. */
enum { LUN_TILE_INDICES = 1 << 18, LUN_TILE_ROWS = 256 };

/* Numbers such steps among the first `count` in step->chain, as chains are, which come first. */
void lun__tiles_find(lun_engine *e, lun_steps *s, int count);
/* Whether the steps that begin with `first`, which are a chain by their number, are such. */
bool lun__tiles_begin(const lun_steps *s, int first);
/* Whether an earlier step of those makes n, which is then in no memory of its own, or takes it. */
bool lun__tiles_makes(const lun_steps *s, int at, const lun_node *n);
bool lun__tiles_has_taken(const lun_steps *s, int at, const lun_node *n);

#endif
