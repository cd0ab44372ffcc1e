/* lua_table.c - lun_table in Lua: userdata that hold a reference, and a table's columns as two
 * lists, of names and of arrays. lua/lunarray/table/lists.lua makes scripts' tables of these. */
#include "bind/host/bind.h"

#define TYPE "lunarray.table"

lun_table **lun__lua_table_new(lua_State *L)
{
    lun_table **t = lua_newuserdatauv(L, sizeof(lun_table *), 0);
    *t = NULL;
    luaL_setmetatable(L, TYPE);
    return t;
}

void lun__lua_table_end(const lun__host *h, lun_table **t)
{
    if (h->engine)
        lun_table_release(*t);
    *t = NULL;
}

lun_status lun__lua_table_make(lua_State *L, lun__host *h, int names, int arrays)
{
    const int64_t n = (int64_t)lua_rawlen(L, names);
    const char **name = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *name, 0);
    lun_array **array = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof(lun_array *), 0);
    for (int64_t k = 0; k < n; k++) { /* both lists keep what is pushed alive */
        lua_rawgeti(L, names, k + 1);
        name[k] = luaL_checkstring(L, -1);
        lua_rawgeti(L, arrays, k + 1);
        array[k] = lun__lua_array_check(L, h, -1);
        lua_pop(L, 2);
    }
    return lun_table_make(h->engine, name, array, n, lun__lua_table_new(L));
}

void lun__lua_table_lists(lua_State *L, lun__host *h, lun_table *t)
{
    const int64_t n = lun_table_width(t);
    lua_createtable(L, (int)n, 0);
    lua_createtable(L, (int)n, 0);
    for (int64_t k = 0; k < n; k++) {
        const char *name = lun_table_name(t, k);
        lua_pushstring(L, name);
        lua_rawseti(L, -3, k + 1);
        lun_array **out = lun__lua_array_new(L, h);
        lun_status s = lun_table_column(h->engine, t, name, out);
        lun__error_check(L, h, s, 1);
        lua_rawseti(L, -2, k + 1);
    }
}

/* A userdata that has ended; upvalue: the host. */
static int collect(lua_State *L)
{
    lun__lua_table_end(lua_touserdata(L, lua_upvalueindex(1)), luaL_checkudata(L, 1, TYPE));
    return 0;
}

void lun__open_table(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg events[] = {{"__gc", collect}, {NULL, NULL}};
    luaL_newmetatable(L, TYPE);
    lun__register(L, p, lua_gettop(L), events);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}
