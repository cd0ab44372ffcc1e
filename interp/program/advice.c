/* advice.c - what prompt/other_languages.lua knows of an error, for messages of scripts. */
#include "program/advice.h"

#include <stddef.h>
#include <string.h>

#include <lauxlib.h>

/* Protected: name, arguments... -> what the function of that name in the module gives. */
static int ask(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunarray.prompt.other_languages");
    lua_call(L, 1, 1);
    lua_pushvalue(L, 1);
    lua_gettable(L, -2);
    lua_replace(L, 1);
    lua_pop(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* With the message, and above it `ask` and its arguments: appends what the call gives. */
static void append(lua_State *L, int count)
{
    const int message = lua_gettop(L) - count - 1;
    if (lua_pcall(L, count, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING) {
        lua_pushfstring(L, "%s\n%s", lua_tostring(L, message), lua_tostring(L, -1));
        lua_replace(L, message);
    }
    lua_settop(L, message);
}

void lun__advice_syntax(lua_State *L, const char *text)
{
    if (lua_type(L, -1) != LUA_TSTRING || !lua_checkstack(L, 8))
        return;
    lua_pushcfunction(L, ask);
    lua_pushliteral(L, "of_script");
    lua_pushvalue(L, -3);
    if (text)
        lua_pushstring(L, text);
    else
        lua_pushnil(L);
    append(L, 3);
}

void lun__advice_error(lua_State *L)
{
    lua_Debug raised;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (text && (strstr(text, "a nil value (") || strstr(text, "no column '")) &&
        lua_checkstack(L, 8)) {
        lua_pushcfunction(L, ask);
        lua_pushliteral(L, "of_name");
        lua_pushvalue(L, -3);
        append(L, 2);
        return;
    }
    /* no module is loaded for other messages */
    if (!text ||
        (!strstr(text, " expected, got ") && !strstr(text, "compare an array") &&
         !strstr(text, "a function value (field ")) ||
        !lua_checkstack(L, 8) || !lua_getstack(L, 1, &raised))
        return;
    lua_pushcfunction(L, ask);
    lua_pushliteral(L, "of_error");
    lua_pushvalue(L, -3);
    lua_getinfo(L, "f", &raised);
    if (lua_getstack(L, 2, &raised))
        lua_getinfo(L, "f", &raised);
    else
        lua_pushnil(L);
    append(L, 4);
}
