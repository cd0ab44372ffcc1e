/* own_state.c - arrays passed to and from a lua_State of the host, which has opened the module. */
#include "bind/host/bind.h"
#include "bind/host/lua_library.h"

lun_engine *lun_to_engine(lua_State *L)
{
    return L && !lun__lua_library_missing() ? lun__host_engine(L) : NULL;
}

lun_array *lun_to_array(lua_State *L, int index)
{
    return L && !lun__lua_library_missing() ? lun__lua_array_at(L, index) : NULL;
}

/* With the host as upvalue; the array as light userdata at 1. */
static int push_array(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lua_touserdata(L, 1);
    if (lun_engine_of(a) != h->engine)
        return luaL_error(L, "the array belongs to another engine");
    lun_array **place = lun__lua_array_new(L, h);
    lun_retain(a);
    *place = a;
    return 1;
}

void lun_push_array(lua_State *L, lun_array *a)
{
    luaL_checkstack(L, 3, NULL);
    if (!lun__host_of(L))
        luaL_error(L, "the module lunarray is not open in this state");
    lun__host_open(L);
    lua_pushcclosure(L, push_array, 1);
    lua_pushlightuserdata(L, a);
    lua_call(L, 1, 1);
}
