/* lua_take.c - a:take and a:put: elements at indices given by an array, a table or a number.
 * Indices count from 1, or back from the end if negative. */
#include <string.h>

#include "bind/host/bind.h"

/* An array of the table at 1, of the dtype named at 2. */
static int table_to_array(lua_State *L)
{
    return lun__from_table(L);
}

/* Raises the failure of reading the table at i, at the top, as an error of that argument. */
static int reraise(lua_State *L, int i)
{
    static const char head[] = "bad argument #1 to ";
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "", *open;
    if (strncmp(text, head, sizeof head - 1) != 0 || !(open = strchr(text, '(')))
        return lua_error(L);
    lua_pushlstring(L, open + 1, strlen(open) - 2);
    return lun__blame_argument(L, i, lua_tostring(L, -1));
}

/* Replaces the table at i by an array; dtype NULL: that of its numbers. */
static void replace_table(lua_State *L, int i, const char *dtype)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, table_to_array, 1);
    lua_pushvalue(L, i);
    lua_pushstring(L, dtype);
    if (lua_pcall(L, 2, 1, 0) != LUA_OK)
        reraise(L, i);
    lua_replace(L, i);
}

void lun__lua_take_indices(lua_State *L, lun__host *h, int i)
{
    if (lua_istable(L, i)) {
        replace_table(L, i, lun_dtype_name(LUN_I64));
    } else if (lua_type(L, i) == LUA_TNUMBER) {
        lua_Integer x = luaL_checkinteger(L, i);
        lun_status s;
        lun_array **out = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_integer(h->engine, x, out));
        lun__error_check(L, h, s, i);
        lua_replace(L, i);
    } else if (!lun__lua_array_is(L, h, i)) {
        lun__error_bad_type(L, i, "array or table of integers");
    }
}

int lun__lua_take_axis(lua_State *L, lun__host *h, int i)
{
    int exact = 0, axis;
    lua_Integer named = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "option axis: an integer expected, got %s",
                                            lun__error_push_shown(L, -1)));
    const char *wrong = lun__lua_along_resolve(L, h, 1, named, &axis);
    return wrong ? lun__blame_argument(L, i, wrong) : axis;
}

/* The elements of a at i, missing where the index is 0. */
static lun_status take_or_na(lun_engine *e, lun_array *a, lun_array *i, int axis, lun_array **out)
{
    const lun_value none = {.dtype = lun_dtype_kind(lun_dtype_of(a)) == LUN_KIND_BOOL ? LUN_BOOL
                                                                                      : LUN_I64};
    const lun_value yes = {.dtype = LUN_BOOL, .as.u = 1};
    lun_array *gone = NULL, *mask = NULL, *taken = NULL;
    lun_status s = lun_missing(e, a, &gone);
    if (s == LUN_OK)
        s = lun_take_from(e, gone, i, axis, 1, &yes, &mask);
    if (s == LUN_OK)
        s = lun_take_from(e, a, i, axis, 1, &none, &taken);
    if (s == LUN_OK)
        s = lun_with_missing(e, taken, mask, out);
    lun_release(gone);
    lun_release(mask);
    lun_release(taken);
    return s;
}

/* a:take(i [, {axis=1, missing=x}]) */
static int array_take(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int axis = 0;
    bool filled = false, na = false;
    lun_value missing;
    lun_status s;
    lun__lua_array_check(L, h, 1);
    lua_settop(L, 3);
    lun__lua_along_positional(L, 3);
    if (!lua_isnil(L, 3))
        lun__lua_along_check(L, 3, "axis=1, missing=0");
    for (lua_pushnil(L); lua_istable(L, 3) && lua_next(L, 3); lua_pop(L, 1)) {
        if (!strcmp(lun__lua_along_option(L, 3, "axis=1, missing=0"), "axis")) {
            axis = lun__lua_take_axis(L, h, 3);
        } else if (!(na = lun__lua_missing_at(L, h, lua_gettop(L)))) {
            filled = true;
            missing = lun__lua_array_value(L, h, lua_gettop(L));
        }
    }
    lua_settop(L, 3);
    if (filled)
        lun__lua_text_refuse_value(L, 3, "option missing", lun__lua_array_check(L, h, 1));
    lun__lua_take_indices(L, h, 2);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *i = lun__lua_array_check(L, h, 2);
    if (na)
        LUN__TRY(s, take_or_na(h->engine, a, i, axis, out));
    else
        LUN__TRY(s, lun_take_from(h->engine, a, i, axis, 1, filled ? &missing : NULL, out));
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__error_check(L, h, s, operand ? operand : filled && s == LUN_ERANGE ? 3 : 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* The operation at the top, a name, a symbol or a function of ours; false: it is none. */
static bool read_operation(lua_State *L, lun_op *op)
{
    if (lua_type(L, -1) == LUA_TSTRING)
        return lun_op_find(lua_tostring(L, -1), 2, op);
    return lun__ops_at(L, lua_gettop(L), op) || lun__lua_reduce_op_at(L, lua_gettop(L), op);
}

/* The options {axis=, combine=} at 4; by: the stack index of a Lua function that combines, or 0. */
static int put_options(lua_State *L, lun__host *h, lun_op *op, int *by)
{
    int axis = 0;
    lun__lua_along_positional(L, 4);
    if (!lua_isnil(L, 4))
        lun__lua_along_check(L, 4, "axis=1, combine=\"+\"");
    for (lua_pushnil(L); lua_istable(L, 4) && lua_next(L, 4); lua_pop(L, 1)) {
        lun__lua_variant_settle(L, h, lua_gettop(L));
        if (!strcmp(lun__lua_along_option(L, 4, "axis=1, combine=\"+\""), "axis"))
            axis = lun__lua_take_axis(L, h, 4);
        else if (!read_operation(L, op)) {
            *by = lua_isfunction(L, -1) && !lua_iscfunction(L, -1);
            if (!*by)
                lun__blame_argument(
                    L, 4,
                    lua_pushfstring(L,
                                    "option combine: an operation of two operands, its "
                                    "symbol or a Lua function expected, got %s",
                                    lun__error_push_shown(L, -1)));
        }
    }
    lua_settop(L, 4);
    if (*by)
        lua_getfield(L, 4, "combine");
    *by = *by ? lua_gettop(L) : 0;
    return axis;
}

/* a:put(i, x [, {axis=1, combine=}]) */
static int array_put(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_op op = LUN_OP_NONE;
    lun_array *x;
    bool own;
    lun_status s;
    lun__lua_array_check(L, h, 1);
    lua_settop(L, 4);
    int by = 0, axis = put_options(L, h, &op, &by);
    lun_function *f = by ? lun__lua_function_at(L, h, by, 2, false) : NULL;
    lun__lua_take_indices(L, h, 2);
    const lun_dtype t = lun_dtype_of(lun__lua_array_check(L, h, 1));
    const bool wide = (op == LUN_OP_MIN || op == LUN_OP_MAX) &&
                      lun_dtype_kind(t) == LUN_KIND_UNSIGNED && lun_dtype_size(t) == 8;
    if (lua_istable(L, 3)) /* Lua's integers stand for those of u64 with the same bits */
        replace_table(L, 3, wide ? lun_dtype_name(t) : NULL);
    else
        lun__lua_array_operand(L, h, 3);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun__lua_array_load(L, h, 3, &x, &own));
    lun__error_check(L, h, s, 3);
    lun_array *a = lun__lua_array_check(L, h, 1), *i = lun__lua_array_check(L, h, 2);
    LUN__TRY(s, f ? lun_put_by(h->engine, a, i, x, axis, 1, f)
                  : lun_put_from(h->engine, a, i, x, axis, 1, op));
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    if (own)
        lun_release(x);
    lun__error_check(L, h, s, operand ? operand : f ? 4 : 1);
    lua_settop(L, 1);
    return 1;
}

void lun__open_take(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"take", array_take, 3}, {"put", array_put, 4}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->methods, methods);
    static const lun__entry functions[] = {{"take", array_take, 3}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
}
