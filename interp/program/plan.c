/* plan.c - calls lua/lunarray/plan/script.lua and reports the faults that it finds; see plan.h. */
#include "program/plan.h"

#include <lauxlib.h>

#include "program/errors_json.h"
#include "program/protected_call.h"

/* Pushes a function of the module. */
static void push_function(lua_State *L, const char *name)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunarray.plan.script");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

static void report_all(lua_State *L, const char *program)
{
    const int list = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TSTRING; i++) {
        if (lun__errors_json_on())
            lun__errors_json_write("error", "name", lua_tostring(L, -1));
        else
            lun__call_complain(program, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
}

/* The message handler: what ends the plan alone stays as it is, faults are described. */
static int describe(lua_State *L)
{
    lua_settop(L, 1);
    push_function(L, "is_end");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    const bool ends = lua_toboolean(L, -1);
    lua_settop(L, 1);
    if (ends)
        lua_pushnil(L);
    else
        lun__call_describe(L);
    return 1;
}

/* Protected: the chunk and its arguments -> nothing. */
static int run_planned(lua_State *L)
{
    const int count = lua_gettop(L) - 1;
    push_function(L, "begin");
    lua_call(L, 0, 0);
    lua_call(L, count, 0);
    push_function(L, "done");
    lua_call(L, 0, 0);
    return 0;
}

bool lun__plan(lua_State *L, const char *program, const char *path, int count)
{
    const int chunk = lua_gettop(L) - count;
    push_function(L, "faults");
    lua_pushvalue(L, chunk);
    lua_pushstring(L, path);
    lua_pushboolean(L, lun__errors_json_on());
    lua_call(L, 3, 1);
    bool ok = lua_rawlen(L, -1) == 0;
    if (ok) {
        lua_pop(L, 1);
        lua_pushcfunction(L, run_planned);
        lua_insert(L, chunk);
        const int status = lun__call_with(L, count + 1, 0, describe);
        ok = status == LUA_OK || lua_isnil(L, -1) || lun__call_report(L, program, status) == LUA_OK;
    } else {
        report_all(L, program);
    }
    lua_settop(L, chunk - 1);
    return ok;
}
