/* scope.h - separate globals for scripts of one state. */
#ifndef LUN_SCOPE_H
#define LUN_SCOPE_H

#include <stdbool.h>

#include <lua.h>

/* Raises errors: makes the present globals those of the first scope, and the initial ones of
 * others. */
void lun__scope_open(lua_State *L);
/* Puts the chosen scope into use: its globals and its methods of strings; true: another one was in
 * use, which is on the stack for lun__scope_leave. Raises nothing. */
bool lun__scope_enter(lua_State *L);
void lun__scope_leave(lua_State *L);
/* Raises errors: chooses the scope of that name, made if it is new; "": the first. */
void lun__scope_choose(lua_State *L, const char *name);
/* Raises errors: drops it, and chooses the first one if it was chosen. False: there is none of that
 * name, or it is the first. */
bool lun__scope_drop(lua_State *L, const char *name);

#endif
