/* clock.c - a monotonic clock for the benchmark scripts: clock.now() in milliseconds. A Lua module;
 * it must not know the engine. */
#include <time.h>

#include <lauxlib.h>
#include <lua.h>

static int now(lua_State *L)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    lua_pushnumber(L, (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6);
    return 1;
}

extern int luaopen_clock(lua_State *L);
int luaopen_clock(lua_State *L)
{
    static const luaL_Reg functions[] = {{"now", now}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
