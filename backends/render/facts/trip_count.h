/* trip_count.h - how many rounds a loop has, where constants say so. */
#ifndef LUN_TRIP_COUNT_H
#define LUN_TRIP_COUNT_H

#include "ir/structure.h"

/* True if a LOOP is known to end soon, with those around it that are: it need not ask whether it
 * shall stop. */
bool lun__rounds_few(const lun_ir *ir, const lun_ir_structure *blocks, int32_t loop);

#endif
