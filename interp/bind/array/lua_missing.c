/* lua_missing.c - missing elements: lun.na, their value in Lua, and the two parts of
 * arrays that have some. What is made of them in Lua is names/statistics.lua's. */
#include "bind/host/bind.h"

/* Its address is the key of lun.na in the registry. */
static const char na_key;

bool lun__lua_missing_at(lua_State *L, lun__host *h, int i)
{
    return lun__host_test(L, h, i, LUN__NA, sizeof(lun__box)) != NULL;
}

void lun__lua_missing_push(lua_State *L, lun__host *h)
{
    (void)h;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &na_key);
}

void lun__lua_missing_replace(lua_State *L, lun__host *h, int i, lun_dtype t)
{
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_na(h->engine, t, out));
    lun__error_check(L, h, s, i);
    lua_replace(L, i);
}

void lun__lua_missing_with(lua_State *L, lun__host *h, int rank, const int64_t *shape,
                           const bool *there)
{
    lun_array *valid = NULL, **out = lun__lua_array_new(L, h);
    lun_array *slots = lun__lua_array_check(L, h, -2);
    lun_status s;
    LUN__TRY(s, lun_tensor(h->engine, there, rank, shape, LUN_BOOL, &valid));
    lun__error_check(L, h, s, 1);
    LUN__TRY(s, lun_with_parts(h->engine, slots, valid, out));
    lun_release(valid);
    lun__error_check(L, h, s, 1);
    lua_remove(L, -2);
}

static int na_text(lua_State *L)
{
    lua_pushliteral(L, "<NA>");
    return 1;
}

static int no_arithmetic(lua_State *L)
{
    return luaL_error(L, "attempt to calculate with lun.na, the missing value: it stands in lists, "
                         "a[i] = lun.na, lun.where(c, lun.na, a) and take{missing=lun.na}");
}

/* a:ismissing(): a mask. */
static int array_ismissing(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_missing(h->engine, a, out));
    return lun__lua_array_give(L, h, s, 1);
}

/* core.internal.with_missing(a, validity): the elements of a where the bools, which broadcast, are
 * true; missing where they are false. */
static int with_missing(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *mask = NULL, **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *valid = lun__lua_array_check(L, h, 2);
    lun_status s;
    LUN__TRY(s, lun_lnot(h->engine, valid, &mask));
    lun__error_check(L, h, s, 2);
    LUN__TRY(s, lun_with_missing(h->engine, a, mask, out));
    lun_release(mask);
    return lun__lua_array_give(L, h, s, 2);
}

/* core.internal.has_missing(x): whether x is an array whose elements may be missing; evaluates
 * nothing. */
static int has_missing(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushboolean(L, lun__lua_array_is(L, h, 1) &&
                           lun_has_missing(lun__lua_array_unevaluated(L, h, 1)));
    return 1;
}

/* core.internal.slots(a): a without its validity: NaN, 0 or false where elements are missing. */
static int slots(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_with_missing(h->engine, a, NULL, out));
    return lun__lua_array_give(L, h, s, 1);
}

void lun__open_missing(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg events[] = {{"__tostring", na_text},
                                      {"__add", no_arithmetic},
                                      {"__sub", no_arithmetic},
                                      {"__mul", no_arithmetic},
                                      {"__div", no_arithmetic},
                                      {"__idiv", no_arithmetic},
                                      {"__mod", no_arithmetic},
                                      {"__pow", no_arithmetic},
                                      {"__unm", no_arithmetic},
                                      {"__band", no_arithmetic},
                                      {"__bor", no_arithmetic},
                                      {"__bxor", no_arithmetic},
                                      {"__bnot", no_arithmetic},
                                      {"__lt", no_arithmetic},
                                      {"__le", no_arithmetic},
                                      {"__concat", no_arithmetic},
                                      {NULL, NULL}};
    static const lun__entry methods[] = {{"ismissing", array_ismissing, 1}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"with_missing", with_missing},
                                        {"has_missing", has_missing},
                                        {"slots", slots},
                                        {NULL, NULL}};
    lun__host_new_type(L, p->host_at, LUN__NA, "lunarray.na");
    lun__register(L, p, lua_gettop(L), events);
    lua_pop(L, 1);
    lun__box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (lun__box){.host = p->host, .kind = LUN__NA};
    lua_getiuservalue(L, p->host_at, LUN__NA);
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &na_key);
    lua_setfield(L, p->core, "na");
    lun__register_offer(L, p, p->methods, methods);
    lun__register_offer(L, p, p->core, methods);
    lun__register(L, p, p->internal, internal);
}
