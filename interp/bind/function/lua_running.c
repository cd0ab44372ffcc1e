/* lua_running.c - functions that run along segments of a Vector, for the Lua files, and
 * lun.call. */
#include <string.h>

#include "bind/host/bind.h"
#include "luafn/luafn.h"

/* internal.run_lines(f, id, x, first, counts, give): the results of f along segments of x; nil and
 * a text: the function does not fit. */
static int run_lines(lua_State *L)
{
    static const char *const gives[] = {"behind", "before", "ends", NULL};
    lun__host *h = lun__host_here(L);
    const lun_lines_give give = (lun_lines_give)luaL_checkoption(L, 6, NULL, gives);
    lun_array *id;
    bool own;
    lun_status s;
    lua_settop(L, 6);
    lun__lua_array_operand(L, h, 2);
    lun_function *f = lun__lua_function_at(L, h, 1, 2, false);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    LUN__TRY(s, lun__lua_array_load(L, h, 2, &id, &own));
    lun__error_check(L, h, s, 2);
    lun_array *x = lun__lua_array_check(L, h, 3), *first = lun__lua_array_check(L, h, 4),
              *counts = lun__lua_array_check(L, h, 5);
    LUN__TRY(s, lun_run_lines(h->engine, f, id, x, first, counts, give, out));
    if (own)
        lun_release(id);
    if (s == LUN_EARG || s == LUN_EDTYPE) {
        lua_pushnil(L);
        lua_pushstring(L, lun_error_from(h->engine, 1));
        return 2;
    }
    lun__error_check(L, h, s, 1);
    return 1;
}

/* ---- lun.call -------------------------------------------------------------------------------- */

/* The arguments of a call, those from stack index 2 on. */
typedef struct arguments {
    lun_array *at[LUN_MAX_PARAMS];
    bool own[LUN_MAX_PARAMS];
    int count;
} arguments;

static void check_arguments(lua_State *L, lun__host *h, int top)
{
    lun__lua_variant_settle(L, h, 1);
    if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1))
        lun__error_bad_type(L, 1, "Lua function");
    if (top - 1 > LUN_MAX_PARAMS)
        luaL_error(L, "too many arguments to 'call' (at most %d after the function)",
                   LUN_MAX_PARAMS);
    for (int i = 2; i <= top; i++) {
        int type = lua_type(L, i);
        if (lun__lua_array_is(L, h, i))
            lun__lua_array_check(L, h, i);
        else if (type != LUA_TNUMBER && type != LUA_TBOOLEAN)
            lun__error_bad_type(L, i, "array, number or boolean");
    }
}

/* Builds the results into outs. */
static lun_status build(lua_State *L, lun__host *h, lun_function *f, int top, lun_array **outs,
                        int *results)
{
    arguments a = {.count = 0};
    lun_status s = LUN_OK;
    for (; s == LUN_OK && a.count < top - 1; a.count++) {
        a.at[a.count] = NULL;
        LUN__TRY(s, lun__lua_array_load(L, h, a.count + 2, &a.at[a.count], &a.own[a.count]));
    }
    if (s == LUN_OK)
        LUN__TRY(s, lun_call_alone(h->engine, f, a.at, a.count, outs, LUN_MAX_OUTPUTS, results));
    for (int k = 0; k < a.count; k++)
        if (a.own[k] && a.at[k])
            lun_release(a.at[k]);
    return s;
}

/* lun.call(f, ...): f on numbers and whole arrays, compiled, on one thread; its results. */
static int call(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const int top = lua_gettop(L);
    lun_array *outs[LUN_MAX_OUTPUTS];
    uint64_t cell = 0;
    int results = 0;
    if (lun__record_one_among(L, 2))
        return lun__record_call_text(L, "call");
    check_arguments(L, h, top);
    lun_function *f = lun__lua_function_at(L, h, 1, 0, false);
    luaL_checkstack(L, LUN_MAX_OUTPUTS + LUA_MINSTACK, "too many results");
    const int first = lua_gettop(L) + 1;
    for (int k = 0; k < LUN_MAX_OUTPUTS; k++)
        lun__lua_array_new(L, h);
    lun__source_line_mark(L, h);
    lun_status s = build(L, h, f, top, outs, &results);
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, 1, "call");
    for (int k = 0; k < results; k++)
        *lun__lua_array_slot(L, h, first + k) = outs[k];
    LUN__TRY(s, lun_prepare(h->engine, outs, results)); /* else a long loop would be interpreted */
    if (s != LUN_ECANCEL && s != LUN_ELIMIT)
        LUN__TRY(s, lun_eval(h->engine, outs, results));
    lun__error_check(L, h, s, 1);
    for (int k = 0; k < results; k++) {
        LUN__TRY(s, lun_read(h->engine, outs[k], &cell, 0, 1));
        lun__error_check(L, h, s, 1);
        lun__lua_value_push_element(L, lun_dtype_of(outs[k]), &cell);
    }
    lun__host_report_memory(L, h);
    return luafn_compile_returned(L) ? lun__record_gather(L, lua_gettop(L) - results) : results;
}

void lun__open_running(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"run_lines", run_lines}, {NULL, NULL}};
    static const lun__entry offered[] = {{"call", call, LUN__ANY}, {NULL, NULL, 0}};
    lun__register(L, p, p->internal, functions);
    lun__register_offer(L, p, p->core, offered);
}
