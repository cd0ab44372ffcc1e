/* padded_slots.h - slots on an array with elements beyond its ends: where they stand in the array
 * itself. Private to prims/run. */
#ifndef LUN_PADDED_SLOTS_H
#define LUN_PADDED_SLOTS_H

#include "launch/bind.h"

/* x, whose elements `to` reads, is of such an array; room: elements from its base on that may be
 * read. */
void lun__near_bind(lun_strided *x, const lun_padding *pad, int64_t room, lun_stream *to);

#endif
