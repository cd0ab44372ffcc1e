/* inspector.h - of the body of a function the part that says which elements of arrays it gathers:
 * it marks those that are not at hand. */
#ifndef LUN_INSPECTOR_H
#define LUN_INSPECTOR_H

#include "ir/ir.h"

/* Of an array slot of a body.  Its elements form a grid, of whose axes the last one changes
 * fastest; those of a box in it are at hand. */
typedef struct lun_ir_sought {
    bool apart; /* only such a box is; else all of it is at hand */
    int axes;
    int64_t extent[LUN_MAX_RANK];
    bool whole[LUN_MAX_RANK]; /* the box has all along that axis */
    bool known;   /* out: what is gathered hangs on its elements: all of it has to be at hand */
    int argument; /* out: of the new body, i64s: the box's first index, from 0, and the number along
                     each axis in turn */
    int slot;     /* out: of the new body, the u32s whose bits are marked, TARGET; -1: none is */
} lun_ir_sought;

/* *to, to be freed in every case: a body that marks what the gathers of f from arrays that are
 * apart want of them; its value *count is how many elements it has found not to be at hand, each
 * as often as it is gathered.  What it does not take of f may not fail in it.  LUN_ENOMEM. */
lun_status lun__ir_inspector(const lun_ir *f, lun_ir_sought *of, lun_ir *to, int32_t *count);

#endif
