/* traceback.h - the traceback of an error, in bounded time where time is limited. */
#ifndef LUN_TRACEBACK_H
#define LUN_TRACEBACK_H

#include <lua.h>

/* Pushes the text with what luaL_traceback adds from this level on. Raises errors. */
void lun__traceback(lua_State *L, const char *text, int level);

#endif
