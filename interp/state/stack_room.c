/* stack_room.c - see stack_room.h. */
#include "state/stack_room.h"

#include <lauxlib.h>

enum { OF_STATE = 1000, OF_COROUTINE = 500 }; /* slots */

/* coroutine.create, or coroutine.wrap, which has its thread as its upvalue; upvalue 1: Lua's. */
static int with_room(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    lua_State *thread = lua_tothread(L, -1);
    if (!thread && lua_getupvalue(L, -1, 1)) {
        thread = lua_tothread(L, -1);
        lua_pop(L, 1);
    }
    if (thread)
        (void)lua_checkstack(thread, OF_COROUTINE);
    return 1;
}

void lun__stack_room_make(lua_State *L)
{
    (void)lua_checkstack(L, OF_STATE);
}

void lun__stack_room_of_coroutines(lua_State *L)
{
    static const char *const names[] = {"create", "wrap"};
    if (lua_getglobal(L, "coroutine") == LUA_TTABLE)
        for (int k = 0; k < 2; k++) {
            lua_getfield(L, -1, names[k]);
            lua_pushcclosure(L, with_room, 1);
            lua_setfield(L, -2, names[k]);
        }
    lua_pop(L, 1);
}
