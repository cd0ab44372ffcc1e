/* evaluation.c - scripts with evaluation off, for lua/lunarray/plan: the engine refuses to
 * evaluate, arrays get memory as if they had been evaluated. */
#include "bind/host/bind.h"

/* internal.evaluation(on): off, each evaluation fails with LUN_ECANCEL, until it is on again or the
 * stretch of work ends. */
static int evaluation(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    h->plans = !lua_toboolean(L, 1);
    if (h->plans) {
        lun_cancel(h->engine);
    } else {
        lun_host_end(h->engine);
        lun_host_begin(h->engine);
    }
    return 0;
}

/* internal.proxy() */
static int proxy(lua_State *L)
{
    (void)lua_newuserdatauv(L, 0, 0);
    return 1;
}

/* internal.hollow(a): the handle a has from here on memory of its dtype and shape whose elements
 * are not set, as if it had been evaluated. Whether it has: not where there is too little memory or
 * the dtype is no number's. */
static int hollow(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_unevaluated(L, h, 1), *flat = NULL, *made = NULL;
    const lun_dtype t = lun_dtype_of(a);
    int64_t shape[LUN_MAX_RANK];
    lun_blank *memory = NULL;
    void *bytes = NULL;
    lua_pushboolean(L, false);
    if (lun_is_logical(a) || !lun_is_measured(a) || lun_class_of(a) != LUN_COMPOSITION)
        return 1;
    const int rank = lun_shape(a, shape);
    if (lun_blank_new(h->engine, lun_size(a), (int)lun_dtype_size(t), &memory, &bytes) != LUN_OK)
        return 1;
    if (lun_blank_vector(h->engine, memory, t, &flat) != LUN_OK)
        lun_blank_drop(h->engine, memory);
    else if (lun_reshape(h->engine, flat, rank, shape, &made) == LUN_OK) {
        *lun__lua_array_slot(L, h, 1) = made;
        lun_release(a);
        lua_pushboolean(L, true);
    }
    lun_release(flat);
    return 1;
}

void lun__open_evaluation(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"evaluation", evaluation}, {"hollow", hollow}, {"proxy", proxy}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
