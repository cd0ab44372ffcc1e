/* lua_compress.c - a:compress(mask), mask:indices(). */
#include "bind/host/bind.h"

/* The axis, from 0, that the options at 3 name; -1: none. */
static int axis_of(lua_State *L, lun__host *h)
{
    int axis = -1;
    lua_settop(L, 3);
    if (!lua_isnil(L, 3))
        luaL_checktype(L, 3, LUA_TTABLE);
    for (lua_pushnil(L); lua_istable(L, 3) && lua_next(L, 3); lua_pop(L, 1)) {
        (void)lun__check_option(L, 3, "axis=1");
        axis = lun__axis_option(L, h, 3);
    }
    return axis;
}

/* a:compress(mask [, {axis=}]) */
static int compress(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun__check_array(L, h, 1);
    lun__check_array(L, h, 2);
    const int axis = axis_of(L, h);
    lun__mark(L, h);
    lun_array **out = lun__new_array(L, h);
    lun_array *a = lun__check_array(L, h, 1), *mask = lun__check_array(L, h, 2);
    lun_status s;
    LUN__TRY(s, axis < 0 ? lun_compress(h->engine, a, mask, out)
                         : lun_compress_along(h->engine, a, mask, axis, out));
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__check(L, h, s, operand ? operand : 2);
    lun__report_memory(L, h);
    return 1;
}

static int indices(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun__check_array(L, h, 1);
    lun__mark(L, h);
    lun_array **out = lun__new_array(L, h);
    lun_array *mask = lun__check_array(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_indices(h->engine, mask, 1, out));
    lun__check(L, h, s, 1);
    lun__report_memory(L, h);
    return 1;
}

void lun__open_compress(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"compress", compress, 3}, {"indices", indices, 1}, {NULL, NULL, 0}};
    lun__offer(L, p, p->core, functions);
    lun__offer(L, p, p->methods, functions);
}
