/* scope.c - separate globals for scripts of one state.
 *
 * A scope is a table of two: its globals, and the methods of strings while it is in use. The
 * globals are made by lua/lunarray/base/scope.lua.
 *
 * Invariant: the registry has all scopes by name, the chosen one and the one in use. The chosen one
 * is among them. The one in use is the first one while no script runs; its globals are the
 * registry's, and its methods are those of strings. */
#include "state/scope.h"

#include <lauxlib.h>

#include "state/modules.h"

/* Keys of the registry: their addresses. */
static const char all_key, chosen_key, used_key;

enum { GLOBALS = 1, STRINGS };

/* Replaces the value on the top by the result of a function of lua/lunarray/base/scope.lua for
 * it. */
static void call_file(lua_State *L, const char *name)
{
    lun__module_push(L, "lunarray.base.scope");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_call(L, 1, 1);
}

/* Pushes a scope with the globals on the top, which it pops. */
static void push_scope(lua_State *L)
{
    lua_createtable(L, 2, 0);
    lua_insert(L, -2);
    lua_getfield(L, -1, "string");
    call_file(L, "methods");
    lua_rawseti(L, -3, STRINGS);
    lua_rawseti(L, -2, GLOBALS);
}

/* ---- in use ---------------------------------------------------------------------------------- */

/* Protected: puts the scope at 1 into use. */
static int use(lua_State *L)
{
    lua_rawgeti(L, 1, GLOBALS);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushvalue(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &used_key);
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) {
        lua_pushliteral(L, "__index");
        lua_rawgeti(L, 1, STRINGS);
        lua_rawset(L, -3);
    }
    return 0;
}

void lun__scope_open(lua_State *L)
{
    lua_pushglobaltable(L);
    call_file(L, "keep");
    lua_newtable(L);
    lua_pushglobaltable(L);
    push_scope(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &chosen_key);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "");
    lua_pushcfunction(L, use);
    lua_insert(L, -2);
    lua_call(L, 1, 0);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &all_key);
}

/* Pops the scope on the top and puts it into use. It can fail by memory for a key that a script has
 * removed: the methods of strings stay unchanged then. */
static void try_use(lua_State *L)
{
    lua_pushcfunction(L, use);
    lua_insert(L, -2);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK)
        lua_pop(L, 1);
}

bool lun__scope_enter(lua_State *L)
{
    if (!lua_checkstack(L, 4))
        return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &used_key);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &chosen_key);
    if (lua_rawequal(L, -1, -2)) {
        lua_pop(L, 2);
        return false;
    }
    try_use(L);
    return true;
}

void lun__scope_leave(lua_State *L)
{
    try_use(L);
}

/* ---- by name --------------------------------------------------------------------------------- */

/* Pushes the scope of that name; nil: none. */
static int push_named(lua_State *L, const char *name)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &all_key);
    return lua_getfield(L, -1, name);
}

void lun__scope_choose(lua_State *L, const char *name)
{
    if (push_named(L, name) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_pushnil(L);
        call_file(L, "globals");
        push_scope(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, name);
    }
    lua_rawsetp(L, LUA_REGISTRYINDEX, &chosen_key);
    lua_pop(L, 1);
}

bool lun__scope_drop(lua_State *L, const char *name)
{
    const int all = lua_gettop(L) + 1;
    if (!*name || push_named(L, name) == LUA_TNIL)
        return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &chosen_key);
    if (lua_rawequal(L, -1, -2)) {
        lua_getfield(L, all, "");
        lua_rawsetp(L, LUA_REGISTRYINDEX, &chosen_key);
    }
    lua_pushnil(L);
    lua_setfield(L, all, name);
    lua_settop(L, all - 1);
    return true;
}
