/* lua_arrow.h - streams of Arrow's C interface in a Lua state. */
#ifndef LUN_LUA_ARROW_H
#define LUN_LUA_ARROW_H

#include <lua.h>

#include "lunarray_arrow.h"

/* The stream that core.internal.arrow_export made, at i; raises an error if it is none, or
 * empty. */
struct ArrowArrayStream *lun__lua_arrow_stream(lua_State *L, int i);

#endif
