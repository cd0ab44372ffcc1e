/* space.h - the axes of an index space: as few as say where each of several arrays has its
 * elements.  Pure: knows no node, no kernel.
 *
 * Indices are counted in flat order.  An axis begins where some array's elements do not go on as
 * they do along the axes behind it, or where a segment ends. */
#ifndef LUN_SPACE_H
#define LUN_SPACE_H

#include "base/layout/pad_rows.h"

enum { LUN_SPACE_AXES = 16 };

/* `count` numbers of indices, 1 < under[0] < under[1] < ... < n, each of which divides the next and
 * n: those of the axes behind an axis.  {.n = n}: one axis. */
typedef struct lun_space {
    int64_t n, under[LUN_SPACE_AXES - 1];
    int count;
} lun_space;

/* An axis begins every `under` indices.  Not where that divides no other axis evenly, since a box
 * cannot say it, and not beyond LUN_SPACE_AXES. */
void lun__space_cut(lun_space *s, int64_t under);
/* The axes of an array of n elements are axes of the space. */
void lun__space_of_layout(lun_space *s, const lun_layout *l);
void lun__space_of_padding(lun_space *s, const lun_padding *p);
/* The extents, outermost first; gives how many, from 1 on. */
int lun__space_extents(const lun_space *s, int64_t extent[LUN_SPACE_AXES]);

#endif
