/* records.h - arrays of records between a host in C and scripts, which see them as
 * lua/lunarray/record makes them. */
#ifndef LUN_RECORDS_H
#define LUN_RECORDS_H

#include "bind/host/bind.h"

/* Pushes an array of dtype LUN_RECORD as a script sees it. Raises errors. */
void lun__records_push(lua_State *L, lun__host *h, lun_array *a);
/* Replaces the records at i, an absolute index, by a userdata of their array; false: there are
 * none. Raises errors. */
bool lun__records_replace(lua_State *L, lun__host *h, int i);

#endif
