/* adjacent_columns.h - strided slots of a launch that are neighbouring columns.  Private to
 * prims/run. */
#ifndef LUN_ADJACENT_COLUMNS_H
#define LUN_ADJACENT_COLUMNS_H

#include "launch/bind.h"

enum { LUN_COLUMNS_SLOTS = 128 }; /* of a launch with more each is read alone */

/* Notes in the streams which slots are read together. */
void lun__columns_find(lun_stream *streams, const lun_strided *strided, int slots);

#endif
