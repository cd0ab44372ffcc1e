/* traceback.c - the traceback of an error, in bounded time where time is limited. luaL_traceback
 * walks the whole stack some forty times: half a second for 200,000 calls. */
#include "state/traceback.h"

#include <lauxlib.h>

#include "bind/host/bind.h"

enum {
    DEEP = 10000, /* calls; a stack of fewer is left to luaL_traceback */
    SHOWN = 10
};

static bool is_limited(lua_State *L)
{
    lun_config c = {.size = sizeof c};
    const lun_engine *e = lun__host_engine(L);
    if (!e)
        return false;
    lun_config_get(e, &c);
    return c.sandbox || c.time_limit > 0;
}

/* Adds one call to the text on the top. */
static void add_call(lua_State *L, lua_Debug *at)
{
    lua_getinfo(L, "Sln", at);
    lua_pushfstring(L, "\n\t%s:", at->short_src);
    if (at->currentline > 0)
        lua_pushfstring(L, "%d:", at->currentline);
    else
        lua_pushliteral(L, "");
    if (*at->namewhat)
        lua_pushfstring(L, " in %s '%s'", at->namewhat, at->name);
    else if (*at->what == 'm')
        lua_pushliteral(L, " in main chunk");
    else if (*at->what == 'C')
        lua_pushliteral(L, " in ?");
    else
        lua_pushfstring(L, " in function <%s:%d>", at->short_src, at->linedefined);
    lua_concat(L, 4);
}

void lun__traceback(lua_State *L, const char *text, int level)
{
    lua_Debug at;
    if (!is_limited(L) || !lua_getstack(L, DEEP, &at)) {
        luaL_traceback(L, L, text, level);
        return;
    }
    luaL_checkstack(L, 8, NULL);
    lua_pushfstring(L, "%s\nstack traceback:", text);
    for (int i = 0; i < SHOWN && lua_getstack(L, level + i, &at); i++)
        add_call(L, &at);
    lua_pushfstring(L, "\n\t...\t(more than %d levels)", (int)DEEP - level - SHOWN);
    lua_concat(L, 2);
}
