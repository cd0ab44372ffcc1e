/* lua_offset.c - offset views: arrays whose indices begin elsewhere. The box has where; what is
 * done with them is lua/lunarray/names/offset.lua's.
 *
 * Invariant: the user value of an offset view is an array of `rank` axes, and no index overflows:
 * first[k] + extent - 1 is an int64_t. */
#include "bind/host/bind.h"

enum { ARRAY_OF = 1 };

typedef struct offset {
    lun__box box;
    int rank;
    int64_t first[LUN_MAX_RANK];
} offset;

static const offset *offset_at(lua_State *L, const lun__host *h, int i)
{
    return (const offset *)lun__host_test(L, h, i, LUN__OFFSET, sizeof(offset));
}

/* internal.offset_view(a, first...): an integer for each axis, which the caller has checked. */
static int new_view(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(lun__lua_array_check(L, h, 1), shape);
    offset *o = (offset *)lun__host_new_box(L, h, LUN__OFFSET, sizeof *o, 1);
    for (o->rank = 0; o->rank < rank; o->rank++) {
        const int64_t first = luaL_checkinteger(L, o->rank + 2);
        luaL_argcheck(L, first <= INT64_MAX - shape[o->rank], o->rank + 2, "index overflow");
        o->first[o->rank] = first;
    }
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, ARRAY_OF);
    return 1;
}

/* internal.offset_parts(o): its array, and where the indices of each axis begin; nothing of another
 * value. */
static int parts(lua_State *L)
{
    const offset *o = offset_at(L, lun__host_here(L), 1);
    if (!o)
        return 0;
    lua_getiuservalue(L, 1, ARRAY_OF);
    for (int k = 0; k < o->rank; k++)
        lua_pushinteger(L, o->first[k]);
    return o->rank + 1;
}

bool lun__lua_offset_is(lua_State *L, int i)
{
    const lun__host *h = lun__host_of(L);
    return h && offset_at(L, h, i);
}

lun_array *lun__lua_offset_at(lua_State *L, int i, int64_t *shift)
{
    const lun__host *h = lun__host_of(L);
    const offset *o = h ? offset_at(L, h, i) : NULL;
    if (!o)
        return NULL;
    lua_getiuservalue(L, i, ARRAY_OF);
    lun_array *a = lun__lua_complex_is(L, -1) ? NULL : lun__lua_array_at(L, lua_gettop(L));
    lua_pop(L, 1);
    for (int k = 0; k < o->rank; k++)
        shift[k] = o->first[k] - 1;
    return a;
}

void lun__open_offset(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"offset_view", new_view}, {"offset_parts", parts}, {NULL, NULL}};
    lun__host_new_type(L, p->host_at, LUN__OFFSET, "offset view");
    lua_setfield(L, p->internal, "offset_type");
    lun__register(L, p, p->internal, internal);
}
