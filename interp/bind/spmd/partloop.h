/* partloop.h - loops on parts of arrays as Lua tables: what partloop.c reads for partmarks.c, too.
 * Private to the room. */
#ifndef LUN_BIND_PARTLOOP_H
#define LUN_BIND_PARTLOOP_H

#include "bind/host/bind.h"
#include "lunarray_bind.h"

enum { LUN__MOST_PARTS = 64 };

/* By lun_computed; NULL behind them. */
extern const char *const lun__computed_names[];

/* The loop {whole=, box=} at 1, on the arrays from `from` on. */
lun_part_loop lun__read_loop(lua_State *L, lun__host *h, int from, lun_array **arrays);
/* The parts at i; how many there are. */
int lun__read_parts(lua_State *L, lun__host *h, int i, lun_part *parts);
int lun__raise_loop(lua_State *L, lun__host *h, lun_status s);

#endif
