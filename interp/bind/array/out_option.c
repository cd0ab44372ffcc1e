/* out_option.c - the option out= of functions with several results: s:run{..., out={a, b}} and
 * lun.eval(e1, e2, {out={a, b}}). They are stored together by the engine. */
#include "bind/host/bind.h"

int lun__out_option_push(lua_State *L, lun__host *h, int i, const char *call)
{
    int count = 1;
    i = lua_absindex(L, i);
    if (lua_type(L, i) == LUA_TTABLE) {
        lua_Unsigned n = lua_rawlen(L, i);
        if (n < 1 || n > LUN__MOST_TARGETS)
            luaL_error(L, "bad argument 'out' to '%s' (a list of 1 to %d arrays expected)", call,
                       LUN__MOST_TARGETS);
        luaL_checkstack(L, (int)n + LUA_MINSTACK, "too many arrays");
        for (count = 0; count < (int)n; count++)
            lua_rawgeti(L, i, count + 1);
    } else {
        lua_pushvalue(L, i);
    }
    for (int k = -count; k < 0; k++) {
        if (!lun__lua_array_is(L, h, k))
            luaL_error(L, "bad argument 'out' to '%s' (array expected, got %s)", call,
                       luaL_typename(L, k));
        lun__lua_array_check(L, h, k);
    }
    return count;
}

void lun__out_option_store(lua_State *L, lun__host *h, const char *call, int first, int results,
                           int count)
{
    lun_array *from[LUN__MOST_TARGETS], *to[LUN__MOST_TARGETS];
    bool own[LUN__MOST_TARGETS] = {false};
    int targets = lua_gettop(L) - count + 1, loaded = 0;
    lun_status s = LUN_OK;
    if (results != count)
        luaL_error(L, "bad argument 'out' to '%s' (%d result%s, but %d array%s)", call, results,
                   results == 1 ? "" : "s", count, count == 1 ? "" : "s");
    for (; s == LUN_OK && loaded < count; loaded++) {
        to[loaded] = lun__lua_array_check(L, h, targets + loaded);
        from[loaded] = NULL;
        LUN__TRY(s, lun__lua_array_load(L, h, first + loaded, &from[loaded], &own[loaded]));
    }
    if (s == LUN_OK)
        LUN__TRY(s, lun_store_all(h->engine, to, from, count));
    while (loaded--)
        if (own[loaded] && from[loaded])
            lun_release(from[loaded]);
    int about = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    if (about && count == 1)
        luaL_error(L, "bad argument 'out' to '%s' (%s)", call, lun_error_from(h->engine, 1));
    if (about)
        luaL_error(L, "bad argument 'out' to '%s' (array %d: %s)", call, about,
                   lun_error_from(h->engine, 1));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
}
