/* traceback.c - the traceback of an error, of the script's calls alone, in bounded time where time
 * is limited. luaL_traceback walks the whole stack some forty times: half a second for 200,000
 * calls. */
#include "state/traceback.h"

#include <lauxlib.h>
#include <string.h>

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

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Takes the calls within the library's own files, and of `error` by them, out of the traceback on
 * the top; an error that names such a file is one of ours and keeps them. */
static void leave_out_own(lua_State *L, const char *text)
{
    static const char own[] = "\tlua/lunarray/", raised[] = "\t[C]: in function 'error'\n",
                      tail[] = "\t(...tail calls...)\n";
    const char *line = lua_tostring(L, -1), *begin = strstr(line, "\nstack traceback:\n");
    luaL_Buffer left;
    if (!begin || (text && strstr(text, own + 1)) || !strstr(begin, own))
        return;
    luaL_buffinit(L, &left);
    luaL_addlstring(&left, line, (size_t)(begin + 1 - line));
    bool gone = false; /* the call before */
    for (line = begin + 1; *line;) {
        const size_t length = strcspn(line, "\n"), whole = length + (line[length] == '\n');
        gone = begins(line, own) || (gone && begins(line, tail)) ||
               (begins(line, raised) && begins(line + whole, own));
        if (!gone)
            luaL_addlstring(&left, line, whole);
        line += whole;
    }
    luaL_pushresult(&left);
    lua_remove(L, -2);
}

void lun__traceback(lua_State *L, const char *text, int level)
{
    lua_Debug at;
    if (!is_limited(L) || !lua_getstack(L, DEEP, &at)) {
        luaL_traceback(L, L, text, level);
        leave_out_own(L, text);
        return;
    }
    luaL_checkstack(L, 8, NULL);
    lua_pushfstring(L, "%s\nstack traceback:", text);
    for (int i = 0; i < SHOWN && lua_getstack(L, level + i, &at); i++)
        add_call(L, &at);
    lua_pushfstring(L, "\n\t...\t(more than %d levels)", (int)DEEP - level - SHOWN);
    lua_concat(L, 2);
}
