/* scope.h - separate globals for scripts of one state. */
#ifndef LUN_SCOPE_H
#define LUN_SCOPE_H

#include <stdbool.h>

#include <lua.h>

/* Raises errors: makes the present globals those of the first scope, and the initial ones of
 * others. */
void lun__scope_open(lua_State *L);
/* Puts the scope with that key into use, NULL: the chosen one: its globals and its methods of
 * strings. 1: another one was in use, which is on the stack for lun__scope_leave; 0: it was in use;
 * -1: the stack has no room. Raises nothing. */
int lun__scope_enter(lua_State *L, const void *key);
void lun__scope_leave(lua_State *L);

/* Raises errors: chooses the scope of that name, made if it is new; "": the first. */
void lun__scope_choose(lua_State *L, const char *name);
/* Raises errors: drops it, and chooses the first one if it was chosen. False: there is none of that
 * name, or it is the first. */
bool lun__scope_drop(lua_State *L, const char *name);

/* Raises errors: makes a scope without a name, of a key, an address of the host's. */
void lun__scope_make(lua_State *L, const void *key);
/* Drops it. Raises nothing. */
void lun__scope_end(lua_State *L, const void *key);
/* Raises errors: pops a value, which the scope holds under an address of the host's until that gets
 * another, or nil. */
void lun__scope_hold(lua_State *L, const void *key, const void *address);
/* Pushes it; nil: there is none. */
void lun__scope_held(lua_State *L, const void *key, const void *address);
/* Lets go of it. Raises nothing. */
void lun__scope_let_go(lua_State *L, const void *key, const void *address);

#endif
