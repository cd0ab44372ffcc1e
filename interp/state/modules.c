/* modules.c - luaopen_lunarray: makes the embedded Lua files known to require and runs the one that
 * is the module itself. After it has run, require "lunarray.format.csv" and the like need no file
 * and no path. A file is loaded when it is first required. Arrays come from
 * luaopen_lunarray_core.
 *
 * The files see globals of their own (`environment`): copies of Lua's functions and libraries as
 * they were when the module was opened, and a require that finds only the files. So a script that
 * changes its globals or Lua's libraries does not change the files, and a sandbox removes nothing
 * from them. Their tostring writes floats with a decimal point in every locale, as the engine does.
 * `_G` is the script's globals.
 *
 * Invariant: a file runs once per state; the table of loaded files, an upvalue of the files'
 * require, maps its name to its result and is never exposed to scripts, which get copies of the
 * module. */
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "bind/host/bind.h"
#include "bind/host/lua_library.h"
#include "lunarray.h"
#include "state/modules.h"

#define MODULE_NAME "lunarray"
#define CORE_NAME   "lunarray.core"

LUN_API int luaopen_lunarray_core(lua_State *L);

static const char require_key; /* of the registry: its address */

/* ---- the files' globals ---------------------------------------------------------------------- */

/* Pushes a copy of the table on the top, without its metatable. */
static void push_copy(lua_State *L)
{
    int from = lua_gettop(L);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, from); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, from + 1);
    }
}

/* tostring(x) of the files. */
static int text_of(lua_State *L)
{
    luaL_checkany(L, 1);
    lun__value_text(L, 1);
    return 1;
}

/* Pushes the files' globals but for require. */
static void push_environment(lua_State *L)
{
    static const char *const libraries[] = {"string", "table", "math", "utf8",   "coroutine",
                                            "debug",  "io",    "os",   "package"};
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    const int loaded = lua_gettop(L);
    lua_newtable(L);
    const int to = lua_gettop(L);
    lua_getfield(L, loaded, LUA_GNAME);
    if (!lua_istable(L, -1)) { /* the registry has no globals: a host's choice */
        lua_pop(L, 1);
        lua_pushglobaltable(L);
    }
    for (lua_pushnil(L); lua_next(L, to + 1); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && lua_iscfunction(L, -1)) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_rawset(L, to);
        }
    lua_setfield(L, to, LUA_GNAME);
    lua_pushcfunction(L, text_of);
    lua_setfield(L, to, "tostring");
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (lua_getfield(L, loaded, libraries[i]) == LUA_TTABLE) {
            push_copy(L);
            lua_setfield(L, to, libraries[i]);
        }
        lua_settop(L, to);
    }
    lua_remove(L, loaded);
}

/* ---- the files ------------------------------------------------------------------------------- */

static const struct lun__embedded *row_of(const char *name)
{
    const struct lun__embedded *row = lun__embedded;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row->name ? row : NULL;
}

/* Runs a file with its name and its chunk's; pushes what it returns. The files' globals are at
 * `environment`. */
static void run_file(lua_State *L, const struct lun__embedded *row, int environment)
{
    if (luaL_loadbufferx(L, (const char *)row->bytes, row->length, row->chunk, "bt") != LUA_OK)
        lua_error(L);
    lua_pushvalue(L, environment);
    lua_setupvalue(L, -2, 1);
    lua_pushstring(L, row->name);
    lua_pushstring(L, row->chunk + 1);
    lua_call(L, 2, 1);
}

/* The files' require, and the loader in package.preload. Upvalues: the files' globals, the results
 * of the files that have run, by name. */
static int require_file(lua_State *L)
{
    const int environment = lua_upvalueindex(1), files = lua_upvalueindex(2);
    const char *name = luaL_checkstring(L, 1);
    if (lua_getfield(L, files, name) != LUA_TNIL)
        return 1;
    if (strcmp(name, CORE_NAME) == 0) {
        lua_pushcfunction(L, luaopen_lunarray_core);
        lua_call(L, 0, 1);
    } else {
        const struct lun__embedded *row = row_of(name);
        if (!row)
            return luaL_error(L, "module '%s' was built without '%s'", MODULE_NAME, name);
        run_file(L, row, environment);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, files, name);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (strcmp(name, MODULE_NAME) != 0) { /* scripts get copies of the module itself */
        lua_pushvalue(L, -2);
        lua_setfield(L, -2, name);
    }
    lua_pop(L, 1);
    return 1;
}

/* Pushes the files' require, made at first use together with the entries of package.preload. */
static void push_require(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &require_key) == LUA_TFUNCTION)
        return;
    lua_pop(L, 1);
    push_environment(L);
    lua_pushvalue(L, -1);
    lua_newtable(L);
    lua_pushcclosure(L, require_file, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "require");
    lua_remove(L, -2);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    for (const struct lun__embedded *row = lun__embedded; row->name; row++)
        if (strcmp(row->name, MODULE_NAME) != 0) { /* require finds it by luaopen_lunarray */
            lua_pushvalue(L, -2);
            lua_setfield(L, -2, row->name);
        }
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, CORE_NAME);
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &require_key);
}

void lun__module_push(lua_State *L, const char *name)
{
    push_require(L);
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
}

/* A copy of the module, for the scripts of this state. */
int luaopen_lunarray(lua_State *L)
{
    if (lun__lua_library_missing())
        return 0; /* without Lua's functions no error can be raised */
    lun__module_push(L, MODULE_NAME);
    lun__module_push(L, "lunarray.base.scope");
    lua_getfield(L, -1, "module");
    lua_call(L, 0, 1);
    return 1;
}
