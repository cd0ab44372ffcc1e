/* blocks.h - how the elements of an array are divided over ranks, which form a grid: pure
 * arithmetic on sizes.  What hosts see of it is in lunarray_bind.h.  Private to prims/. */
#ifndef LUN_BLOCKS_H
#define LUN_BLOCKS_H

#include "lunarray_bind.h"

/* The grid of b's npes ranks over the axes that are blocked; the extents are set, and their
 * product, each counting at least 1, is an int64_t. */
void lun__blocks_grid(lun_blocks *b, const bool *blocked);

#endif
