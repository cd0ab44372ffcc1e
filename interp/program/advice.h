/* advice.h - a line behind messages that people of other languages meet: what Lua says in the place
 * of a syntax error, which of the engine's functions takes an array. */
#ifndef LUN_ADVICE_H
#define LUN_ADVICE_H

#include <lua.h>

/* With the message of a chunk that did not load on the top: appends a line if one is known. text:
 * the chunk's, NULL: that of the file that the message names. Calls Lua, protected; changes nothing
 * where that fails. */
void lun__advice_syntax(lua_State *L, const char *text);

/* With the message of an error on the top, in a message handler: likewise, where an array
 * was given to what takes none, or none where one belongs, or a name is not there. */
void lun__advice_error(lua_State *L);

#endif
