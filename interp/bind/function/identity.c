/* identity.c - the first values of reductions and scans as scripts give them: one, or a list of one
 * for each element. */
#include "bind/function/lua_skeleton.h"

/* Pushes the identity given at i as an array and returns it; nil and NULL if there is none. */
lun_array *lun__identity_push(lua_State *L, lun__host *h, int i)
{
    if (lua_isnoneornil(L, i)) {
        lua_pushnil(L);
        return NULL;
    }
    lun__lua_array_operand(L, h, i);
    double z[2];
    if (lua_type(L, i) == LUA_TUSERDATA && !lun__lua_complex_number_at(L, h, i, z)) {
        lun_array *a = lun__lua_array_check(L, h, i);
        luaL_argcheck(L, lun_size(a) == 1, i, "one number expected");
        lua_pushvalue(L, i);
        return a;
    }
    lun_array **out = lun__lua_array_new(L, h);
    bool own;
    lun_status s;
    LUN__TRY(s, lun__lua_array_load(L, h, i, out, &own));
    lun__error_check(L, h, s, i);
    return *out;
}

/* Pushes a list that holds the identities in the list at i, one for each element of k; they become
 * k's. */
void lun__identities_push(lua_State *L, lun__host *h, lun__skeleton *k, int i)
{
    const lua_Unsigned n = lua_type(L, i) == LUA_TTABLE ? lua_rawlen(L, i) : 0;
    if (lua_type(L, i) != LUA_TTABLE || n != (lua_Unsigned)k->leaves)
        lun__blame_argument(L, i,
                            lua_pushfstring(L,
                                            "a list of %d initial values expected, one for each of "
                                            "the elements, got %s",
                                            k->leaves,
                                            lua_type(L, i) == LUA_TTABLE
                                                ? lua_pushfstring(L, "%I", (lua_Integer)n)
                                                : luaL_typename(L, i)));
    lua_createtable(L, k->leaves, 0);
    int list = lua_gettop(L);
    for (int j = 0; j < k->leaves; j++) {
        if (lua_rawgeti(L, i, j + 1) != LUA_TNUMBER && lua_type(L, -1) != LUA_TBOOLEAN &&
            !lun__lua_array_is(L, h, lua_gettop(L)) && !lun__lua_complex_is(L, lua_gettop(L)))
            lun__blame_argument(L, i,
                                lua_pushfstring(L, "initial value %d: a number expected, got %s",
                                                j + 1, luaL_typename(L, -1)));
        k->ids[j] = lun__identity_push(L, h, lua_gettop(L));
        lua_rawseti(L, list, j + 1);
        lua_pop(L, 1);
    }
}
