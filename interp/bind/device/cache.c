/* cache.c - compiled kernels on disk, for scripts: lun.cache.export and import, and the numbers for
 * the prompt. */
#include "bind/host/bind.h"

/* internal.cache(clear): the directory, entries and bytes of the kernels on disk, which are removed
 * if clear, and the most bytes allowed; or nil and why there is no cache. */
static int survey(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_cache_state s = {.size = sizeof s};
    lun_cache_info(h->engine, lua_toboolean(L, 1), &s);
    if (!s.directory) {
        lua_pushnil(L);
        lua_pushstring(L, s.reason);
        return 2;
    }
    lua_pushstring(L, s.directory);
    lua_pushinteger(L, s.entries);
    lua_pushinteger(L, s.bytes);
    lua_pushinteger(L, s.limit);
    return 4;
}

/* Pushes the number of kernels; or nil, message, code for a file that cannot be read or written. */
static int outcome(lua_State *L, lun__host *h, lun_status s, int64_t count)
{
    if (s == LUN_EIO) {
        lua_pushnil(L);
        lua_pushstring(L, lun_error_from(h->engine, 1));
        lua_pushstring(L, lun_status_name(s));
        return 3;
    }
    lun__error_check(L, h, s, 1);
    lua_pushinteger(L, count);
    return 1;
}

static int cache_export(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t count = 0;
    lun_status s = lun_cache_export(h->engine, luaL_checkstring(L, 1), &count);
    return outcome(L, h, s, count);
}

static int cache_import(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t count = 0;
    lun_status s = lun_cache_import(h->engine, luaL_checkstring(L, 1), &count);
    return outcome(L, h, s, count);
}

void lun__open_cache(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"export", cache_export, 1}, {"import", cache_import, 1}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"cache", survey}, {NULL, NULL}};
    lua_newtable(L);
    lun__register_offer(L, p, lua_gettop(L), functions);
    lua_setfield(L, p->core, "cache");
    lun__register(L, p, p->internal, internal);
}
