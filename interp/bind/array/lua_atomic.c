/* lua_atomic.c - lun.atomic: atomic changes of elements in plain Lua; in kernels luafn recognises
 * the functions by their identity.  Knows no operation. */
#include "bind/host/bind.h"
#include "lunarray_bind.h"

/* The flat index, from 0, of the element at the indices from argument 2 on; *next: the argument
 * behind. */
static int64_t position(lua_State *L, const lun_array *a, int *next)
{
    int64_t shape[LUN_MAX_RANK], at = 0;
    const int rank = lun_shape(a, shape);
    for (int k = 0; k < rank; k++) {
        const lua_Integer i = luaL_checkinteger(L, k + 2);
        if (i < 1 || i > shape[k])
            lun__blame_argument(
                L, k + 2,
                lua_pushfstring(L, "index %I is out of range: 1 to %I", i, (lua_Integer)shape[k]));
        at = at * shape[k] + i - 1;
    }
    *next = rank + 2;
    return at;
}

/* w, i, ..., [expected,] x.  Upvalues: the host, the number of the operation. */
static int change(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const int which = (int)lua_tointeger(L, lua_upvalueindex(2));
    const bool expects = lun_atomic_expects(which);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_value x, expected = {0}, old;
    lun_status s;
    int next;
    const int64_t at = position(L, a, &next);
    lun__bind_count(L, lun_atomic_name(which), next + expects);
    if (expects)
        expected = lun__lua_array_value(L, h, next);
    x = lun__lua_array_value(L, h, next + expects);
    LUN__TRY(s, lun_atomic_apply(h->engine, a, which, at, x, expected, &old));
    lun__error_check(L, h, s, s == LUN_EDTYPE ? 1 : next + expects);
    lun__lua_value_push(L, old);
    lun__host_report_memory(L, h);
    return 1;
}

int lun__lua_atomic_at(lua_State *L, int i)
{
    if (lua_tocfunction(L, i) != change || !lua_getupvalue(L, i, 2))
        return -1;
    const int which = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return which;
}

void lun__open_atomic(lua_State *L, const lun__parts *p)
{
    lua_newtable(L);
    for (int k = 0; lun_atomic_name(k); k++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, k);
        lua_pushcclosure(L, change, 2);
        lua_setfield(L, -2, lun_atomic_name(k));
    }
    lua_setfield(L, p->core, "atomic");
}
