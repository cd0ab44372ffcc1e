/* lua_tool.c - regions and traces, and what the files in Lua tell tools. */
#include <errno.h>
#include <string.h>

#include "bind/host/bind.h"

/* internal.region(name): a region begins; internal.region(): the innermost one ends. */
static int region(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *name = luaL_optstring(L, 1, NULL);
    lun_status s;
    if (name)
        LUN__TRY(s, lun_region_begin(h->engine, name));
    else
        LUN__TRY(s, lun_region_end(h->engine));
    lun__error_check(L, h, s, 1);
    return 0;
}

/* internal.trace(path): a trace begins; internal.trace(): it ends.  True; or nil, message, and
 * errno where the file cannot be written. */
static int trace(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *path = luaL_optstring(L, 1, NULL);
    const lun_status s = lun_trace(h->engine, path);
    const int code = errno;
    if (s != LUN_OK && s != LUN_EIO && s != LUN_EARG)
        return lun__error_raise(L, h, s, 1);
    if (s == LUN_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, lun_error_from(h->engine, 1));
    if (s == LUN_EARG)
        return 2;
    lua_pushinteger(L, code);
    return 3;
}

/* internal.file_event(begins, name, path): a file begins or ends to be loaded or saved. */
static int event(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_host_event(h->engine, lua_toboolean(L, 1), LUN_TOOL_FILE, luaL_checkstring(L, 2),
                   luaL_checkstring(L, 3));
    return 0;
}

void lun__open_tool(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"region", region}, {"trace", trace}, {"file_event", event}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
