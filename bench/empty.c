/* empty.c - operators, a function and a method on userdata that compute nothing: what Lua itself
 * takes for an expression, its collection included.  A Lua module; floor.lua times it. */
#include <lauxlib.h>
#include <lua.h>

int luaopen_empty(lua_State *L);

enum { BYTES = 16 };

/* empty.make() and a + b: a new userdata; the upvalue is its metatable. */
static int make(lua_State *L)
{
    lua_newuserdatauv(L, BYTES, 0);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_setmetatable(L, -2);
    return 1;
}

static int combine(lua_State *L)
{
    return lua_touserdata(L, 1) && lua_touserdata(L, 2) ? make(L) : 0;
}

/* The method in the upvalue's table. */
static int find(lua_State *L)
{
    lua_settop(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    return 1;
}

static int touch(lua_State *L)
{
    return lua_touserdata(L, 1) != NULL;
}

int luaopen_empty(lua_State *L)
{
    static const luaL_Reg events[] = {{"__add", combine}, {"__mul", combine}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"free", touch}, {NULL, NULL}};
    luaL_newmetatable(L, "empty");
    lua_pushvalue(L, -1);
    luaL_setfuncs(L, events, 1);
    luaL_newlib(L, methods);
    lua_pushcclosure(L, find, 1);
    lua_setfield(L, -2, "__index");
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_pushcclosure(L, make, 1);
    lua_setfield(L, -2, "make");
    lua_pushcfunction(L, touch);
    lua_setfield(L, -2, "eval");
    return 1;
}
