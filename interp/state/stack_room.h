/* stack_room.h - room on the stacks of a state of our own. Lua 5.4.4 with Debian's mend of
 * CVE-2022-33099 goes on with the old stack where the first `..` of `a .. "-" .. b` calls a
 * metamethod that makes the stack move: room that is there beforehand keeps it where it is. */
#ifndef LUN_STACK_ROOM_H
#define LUN_STACK_ROOM_H

#include <lua.h>

/* Of a new state, outside of all calls: it stays there as long as the state exists. */
void lun__stack_room_make(lua_State *L);
/* Of each coroutine that it makes from now on; its libraries are open. */
void lun__stack_room_of_coroutines(lua_State *L);

#endif
