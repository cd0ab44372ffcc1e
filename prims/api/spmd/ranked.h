/* ranked.h - arrays of all ranks combined in rank order.  Private to the room. */
#ifndef LUN_RANKED_H
#define LUN_RANKED_H

#include "lunarray_bind.h"

/* Combines list[0 .. count-1] by the pair tree into list[0]; the others are released. */
lun_status lun__reduce_blocks_fold(lun_engine *e, lun_op op, lun_array **list, int count);
/* x of all ranks combined on each of them, in blocks, after the agreement that said has. op of two
 * such arrays has their dtype. */
lun_status lun__reduce_blocks(lun_engine *e, const lun_said *said, lun_op op, lun_array *x,
                              lun_array **out);

#endif
