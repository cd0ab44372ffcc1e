/* lua_compress.c - a:compress(mask), mask:indices(). */
#include "bind/host/bind.h"

/* The axis, from 0, that the options at 3 name; -1: none. */
static int axis_of(lua_State *L, lun__host *h)
{
    int axis = -1;
    lua_settop(L, 3);
    lun__lua_along_positional(L, 3);
    if (!lua_isnil(L, 3))
        lun__lua_along_check(L, 3, "axis=1");
    for (lua_pushnil(L); lua_istable(L, 3) && lua_next(L, 3); lua_pop(L, 1)) {
        (void)lun__lua_along_option(L, 3, "axis=1");
        axis = lun__lua_take_axis(L, h, 3);
    }
    return axis;
}

/* a:compress(mask [, {axis=}]) */
static int compress(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    lun__lua_array_check(L, h, 2);
    const int axis = axis_of(L, h);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *mask = lun__lua_array_check(L, h, 2);
    lun_status s;
    LUN__TRY(s, axis < 0 ? lun_compress(h->engine, a, mask, out)
                         : lun_compress_along(h->engine, a, mask, axis, out));
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__error_check(L, h, s, operand ? operand : 2);
    lun__host_report_memory(L, h);
    return 1;
}

static int indices(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *mask = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_indices(h->engine, mask, 1, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_compress(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"compress", compress, 3}, {"indices", indices, 1}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
    lun__register_offer(L, p, p->methods, functions);
}
