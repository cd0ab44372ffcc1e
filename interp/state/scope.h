/* scope.h - globals of their own for scripts of one state. Knows nothing of what they run. */
#ifndef LUN_SCOPE_H
#define LUN_SCOPE_H

#include <stdbool.h>

#include <lua.h>

/* Raises errors: the globals as they are now are those of the first scope, and what those of others
 * begin with. */
void lun__scope_open(lua_State *L);
/* The globals, and the functions that strings have as methods, become those of the scope that was
 * chosen; true: they were others, which lie on the stack for lun__scope_leave. Raises nothing. */
bool lun__scope_enter(lua_State *L);
void lun__scope_leave(lua_State *L);
/* Raises errors: the scope of that name, made at first, becomes the one chosen; "": the first. */
void lun__scope_choose(lua_State *L, const char *name);
/* Raises errors: forgets it, and chooses the first one if it was chosen. False: there is none of
 * that name, or it is the first. */
bool lun__scope_drop(lua_State *L, const char *name);

#endif
