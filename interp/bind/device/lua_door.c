/* lua_door.c - libraries of the system that data come and go by: lun.door. */
#include "bind/host/bind.h"

/* lun.door(name): opens the library. True; nil, message, "library" where there is none that will
 * do. */
static int door(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_status s = lun_door_open(h->engine, luaL_checkstring(L, 1), NULL);
    if (s != LUN_EIO) {
        lun__error_check(L, h, s, 1);
        lua_pushboolean(L, true);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, lun_error(h->engine));
    lua_pushliteral(L, "library");
    return 3;
}

/* core.internal.doors(k): name, use, version and path of the library number k, which is opened for
 * that; name and use alone if it cannot be, nothing beyond the last. */
static int doors(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_door d = {.size = sizeof d};
    if (!lun_door_describe((int)luaL_checkinteger(L, 1) - 1, &d))
        return 0;
    (void)lun_door_open(h->engine, d.name, &d);
    lua_pushstring(L, d.name);
    lua_pushstring(L, d.use);
    lua_pushstring(L, d.version);
    lua_pushstring(L, d.path);
    return 4;
}

void lun__open_door(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {{"door", door, 1}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"doors", doors}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
    lun__register_offer(L, p, p->core, functions);
}
