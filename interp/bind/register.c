/* register.c - how a part adds its functions to the tables that core.c has made.
 * Knows no part, and nothing of what the functions do. */
#include "bind/bind.h"

void lun__register(lua_State *L, const lun__parts *p, int table, const luaL_Reg *functions)
{
    lua_pushvalue(L, table);
    lua_pushvalue(L, p->host_at);
    luaL_setfuncs(L, functions, 1);
    lua_pop(L, 1);
}
