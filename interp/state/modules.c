/* modules.c - luaopen_lunarray: makes the embedded Lua files known to require and runs the one that
 * is the module itself. After it has run, require "lunarray.format.csv" and the like need no file
 * and no path. Knows nothing of arrays: those come from luaopen_lunarray_core. */
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "bind/host/found.h"
#include "lunarray.h"
#include "state/modules.h"

#define MODULE_NAME "lunarray"
#define CORE_NAME   "lunarray.core"

LUN_API int luaopen_lunarray_core(lua_State *L);

/* Pushes the compiled chunk of a row; raises Lua's error where it does not compile. */
static void push_chunk(lua_State *L, const struct lun__embedded *row)
{
    if (luaL_loadbufferx(L, (const char *)row->bytes, row->length, row->chunk, "t") != LUA_OK)
        lua_error(L);
}

/* The loader in package.preload; its upvalue is the row. Passes on what require gives it. */
static int load_row(lua_State *L)
{
    const struct lun__embedded *row = lua_touserdata(L, lua_upvalueindex(1));
    push_chunk(L, row);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* Fills package.preload and runs the embedded lua/lunarray/init.lua; returns what that returns.
 * The module itself is not preloaded: require finds it by this function. */
int luaopen_lunarray(lua_State *L)
{
    const struct lun__embedded *init = NULL;

    if (lun__lua_missing())
        return 0; /* without Lua no error can be raised */
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    for (const struct lun__embedded *row = lun__embedded; row->name; row++) {
        if (strcmp(row->name, MODULE_NAME) == 0) {
            init = row;
            continue;
        }
        lua_pushlightuserdata(L, (void *)row);
        lua_pushcclosure(L, load_row, 1);
        lua_setfield(L, -2, row->name);
    }
    lua_pushcfunction(L, luaopen_lunarray_core);
    lua_setfield(L, -2, CORE_NAME);
    lua_pop(L, 1);

    if (!init)
        return luaL_error(L, "'%s' was built without lua/lunarray/init.lua", MODULE_NAME);
    push_chunk(L, init);
    lua_pushliteral(L, MODULE_NAME);
    lua_pushstring(L, init->chunk + 1);
    lua_call(L, 2, 1);
    return 1;
}
