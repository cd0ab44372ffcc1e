/* scope.c - separate globals for scripts of one state.
 *
 * A scope is a table: its globals, the methods of strings while it is in use, and what a host
 * holds of it. The globals are made by lua/lunarray/base/scope.lua.
 *
 * Invariant: the registry has all scopes by name, those without a name by their keys, the chosen
 * one and the one in use. The chosen one is among the first. The one in use is the first one while
 * no script runs; its globals are the registry's, and its methods are those of strings. What puts a
 * scope into use only replaces values, so that it cannot fail by memory. */
#include "state/scope.h"

#include <lauxlib.h>

#include "state/modules.h"

/* Keys of the registry: their addresses. */
static const char all_key, chosen_key, used_key, index_key, methods_key;

enum { GLOBALS = 1, STRINGS, HELD };

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

/* Pushes a scope with the globals and the methods of strings on the top, which it pops. */
static void push_scope(lua_State *L)
{
    lua_createtable(L, 2, 0);
    lua_insert(L, -3);
    lua_rawseti(L, -3, STRINGS);
    lua_rawseti(L, -2, GLOBALS);
}

/* The same with methods of strings of its own. */
static void push_own(lua_State *L)
{
    lua_getfield(L, -1, "string");
    call_file(L, "methods");
    push_scope(L);
}

/* ---- in use ---------------------------------------------------------------------------------- */

/* Pops a scope and puts it into use. */
static void use(lua_State *L)
{
    lua_rawgeti(L, -1, GLOBALS);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &methods_key); /* the metatable of strings, or nil */
    if (lua_istable(L, -1)) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &index_key);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, -3) == LUA_TNIL) {
            lua_pop(L, 2); /* a script has removed it */
        } else {
            lua_pop(L, 1);
            lua_rawgeti(L, -3, STRINGS);
            lua_rawset(L, -3);
        }
    }
    lua_pop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &used_key);
}

void lun__scope_open(lua_State *L)
{
    lua_pushglobaltable(L);
    call_file(L, "keep");
    lua_pop(L, 1);
    lua_pushliteral(L, "__index");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &index_key);
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1))
        lua_rawsetp(L, LUA_REGISTRYINDEX, &methods_key);
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushglobaltable(L);
    push_own(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &chosen_key);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "");
    lua_pushboolean(L, false); /* so that `use` replaces a value */
    lua_rawsetp(L, LUA_REGISTRYINDEX, &used_key);
    use(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &all_key);
}

int lun__scope_enter(lua_State *L, const void *key)
{
    if (!lua_checkstack(L, 8))
        return -1;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &used_key);
    lua_rawgetp(L, LUA_REGISTRYINDEX, key ? key : &chosen_key);
    if (lua_rawequal(L, -1, -2)) {
        lua_pop(L, 2);
        return 0;
    }
    use(L);
    return 1;
}

void lun__scope_leave(lua_State *L)
{
    use(L);
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
        push_own(L);
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

/* ---- without a name -------------------------------------------------------------------------- */

void lun__scope_make(lua_State *L, const void *key)
{
    lua_pushnil(L);
    call_file(L, "light");
    lua_pushnil(L);
    call_file(L, "common_strings");
    push_scope(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void lun__scope_end(lua_State *L, const void *key)
{
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* Pushes what the host holds of a scope, a table, or nil. */
static int push_held(lua_State *L, const void *key)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    const int type = lua_istable(L, -1) ? lua_rawgeti(L, -1, HELD) : (lua_pushnil(L), LUA_TNIL);
    lua_remove(L, -2);
    return type;
}

void lun__scope_hold(lua_State *L, const void *key, const void *address)
{
    if (push_held(L, key) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_rawgetp(L, LUA_REGISTRYINDEX, key);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, HELD);
        lua_remove(L, -2);
    }
    lua_insert(L, -2);
    lua_rawsetp(L, -2, address);
    lua_pop(L, 1);
}

void lun__scope_held(lua_State *L, const void *key, const void *address)
{
    if (push_held(L, key) != LUA_TNIL)
        lua_rawgetp(L, -1, address);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
}

void lun__scope_let_go(lua_State *L, const void *key, const void *address)
{
    if (push_held(L, key) != LUA_TNIL) {
        lua_pushnil(L);
        lua_rawsetp(L, -2, address); /* there it is replaced */
    }
    lua_pop(L, 1);
}
