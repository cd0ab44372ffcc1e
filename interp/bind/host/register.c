/* register.c - adds a part's functions to the tables that core.c has made, wrapped so that too many
 * arguments are refused. */
#include <string.h>

#include "bind/host/bind.h"

void lun__register(lua_State *L, const lun__parts *p, int table, const luaL_Reg *functions)
{
    lua_pushvalue(L, table);
    lua_pushvalue(L, p->host_at);
    luaL_setfuncs(L, functions, 1);
    lua_pop(L, 1);
}

void lun__register_too_many(lua_State *L, const char *name, int most)
{
    lua_Debug call;
    int given = lua_gettop(L);
    while (given > most && lua_isnil(L, given))
        given--;
    if (given <= most) {
        lua_settop(L, given);
        return;
    }
    if (lua_getstack(L, 0, &call) && lua_getinfo(L, "n", &call) &&
        strcmp(call.namewhat, "method") == 0) {
        given--; /* the receiver of a method is not written as an argument */
        most--;
    }
    if (most == 0)
        luaL_error(L, "wrong number of arguments to '%s' (none expected, got %d)", name, given);
    luaL_error(L, "wrong number of arguments to '%s' (at most %d expected, got %d)", name, most,
               given);
}

/* Upvalues: the host, the entry. */
static int call_counted(lua_State *L)
{
    const lun__entry *f = lua_touserdata(L, lua_upvalueindex(2));
    int records = lun__record_among(L, 1);
    if (records)
        return lun__record_call(L, f->name, records);
    lun__bind_count(L, f->name, f->most);
    return f->call(L);
}

void lun__register_offer(lua_State *L, const lun__parts *p, int table, const lun__entry *functions)
{
    for (const lun__entry *f = functions; f->name; f++) {
        lua_pushvalue(L, p->host_at);
        lua_pushlightuserdata(L, (void *)(uintptr_t)f);
        lua_pushcclosure(L, call_counted, 2);
        lua_setfield(L, table, f->name);
    }
}
