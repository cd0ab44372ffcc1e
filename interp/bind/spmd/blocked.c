/* blocked.c - handles of blocked arrays, whose elements lua/lunarray/block/blocked.lua keeps, and
 * the exchange of two handles, by which distribute changes an array of the script in place. */
#include "bind/host/bind.h"

/* type(): the metatable of all handles, for blocked.lua to fill. */
static int type(lua_State *L)
{
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__BLOCKED);
    return 1;
}

/* handle(): a new one. */
static int handle(lua_State *L)
{
    (void)lun__host_new_held(L, lun__host_here(L), LUN__BLOCKED);
    return 1;
}

static lun__box *check_handle(lua_State *L, const lun__host *h, int i)
{
    lun__box *box = lun__host_test(L, h, i, LUN__ARRAY, LUN__HELD_BYTES);
    if (!box)
        box = lun__host_test(L, h, i, LUN__BLOCKED, LUN__HELD_BYTES);
    if (!box)
        lun__error_bad_type(L, i, "array");
    return box;
}

/* swap(a, b): what two handles are, an array or a blocked one, changes places. */
static int swap(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__box *a = check_handle(L, h, 1), *b = check_handle(L, h, 2);
    lun__held *held_a = lun__host_held_at(h, a->slot), *held_b = lun__host_held_at(h, b->slot);
    const lun__held was = *held_a;
    const int32_t kind = a->kind;
    held_a->as = held_b->as;
    held_a->kind = held_b->kind;
    held_b->as = was.as;
    held_b->kind = was.kind;
    a->kind = b->kind;
    b->kind = kind;
    for (int i = 1; i <= 2; i++) {
        lua_getiuservalue(L, lua_upvalueindex(1), (i == 1 ? a : b)->kind);
        lua_setmetatable(L, i);
    }
    return 0;
}

void lun__open_blocked(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {
        {"type", type}, {"handle", handle}, {"swap", swap}, {NULL, NULL}};
    lun__host_new_type(L, p->host_at, LUN__BLOCKED, "a blocked array");
    lua_pop(L, 1);
    lua_createtable(L, 0, 3);
    lun__register(L, p, lua_gettop(L), functions);
    lua_setfield(L, p->internal, "blocked");
}
