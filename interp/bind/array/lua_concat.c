/* lua_concat.c - lun.concat, lun.stack and a:shift: joins of several arrays, and an array
 * shifted. */
#include <math.h>
#include <string.h>

#include "bind/host/bind.h"

/* The arrays of the list at 1. The table that it pushes keeps them alive. */
static lun_array **check_list(lua_State *L, lun__host *h, int *count)
{
    if (!lua_istable(L, 1))
        lun__error_bad_type(L, 1, "list of arrays");
    lua_Unsigned n = lua_rawlen(L, 1);
    if (n == 0)
        lun__blame_argument(L, 1, "the list is empty: at least one array is needed");
    luaL_argcheck(L, n <= INT_MAX / 2, 1, "too many arrays");
    lua_createtable(L, (int)n, 0);
    lun_array **list = lua_newuserdatauv(L, (size_t)n * sizeof *list, 0);
    for (*count = 0; *count < (int)n; ++*count) {
        lua_rawgeti(L, 1, *count + 1);
        if (!lun__lua_array_is(L, h, -1))
            lun__blame_argument(L, 1,
                                lua_pushfstring(L, "element %d is a %s, not an array", *count + 1,
                                                luaL_typename(L, -1)));
        list[*count] = lun__lua_array_check(L, h, -1);
        lua_rawseti(L, -3, *count + 1);
    }
    return list;
}

/* Axis `axis` of a script as an axis, from 0, of so many; a bad argument number `arg` otherwise. */
static int check_axis(lua_State *L, int arg, lua_Integer axis, int axes)
{
    if (axis == 0)
        lun__blame_argument(L, arg,
                            "axis 0 is out of range: axes count from 1, or backwards from -1");
    if (axis < -axes || axis > axes)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "axis %I is out of range: there %s %d", axis,
                                            axes == 1 ? "is" : "are", axes));
    return axis < 0 ? axes + (int)axis : (int)axis - 1;
}

/* Pushes the result of `make` for the list at 1, along the axis at 2; it has `more` axes than the
 * arrays. */
static int join(lua_State *L, int more,
                lun_status (*make)(lun_engine *e, lun_array *const *arrays, int count, int axis,
                                   lun_array **out))
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    lun_status s;
    int count, axis = 0;
    lua_settop(L, 2);
    lun_array **list = check_list(L, h, &count);
    if (!lua_isnil(L, 2))
        axis = check_axis(L, 2, luaL_checkinteger(L, 2), lun_shape(list[0], shape) + more);
    lun_array **out = lun__lua_array_new(L, h);
    LUN__TRY(s, make(h->engine, list, count, axis, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* lun.concat(list [, axis=1]) */
static int concat_list(lua_State *L)
{
    if (lun__record_is_listed(L, 1))
        return lun__record_call_list(L, "concat", 1);
    return join(L, 0, lun_concat_along);
}

/* lun.stack(list [, axis=1]) */
static int stack_list(lua_State *L)
{
    if (lun__record_is_listed(L, 1))
        return lun__record_call_list(L, "stack", 1);
    return join(L, 1, lun_stack);
}

/* The options of a shift. */
typedef struct beyond {
    int axis;
    lun_edge edge;
    lun_value x;
    bool given, missing; /* missing: elements there are */
} beyond;

/* The option whose key is at -2 and whose value is on the top of the stack. */
static void read_option(lua_State *L, lun__host *h, int rank, beyond *o)
{
    const char *key = lun__lua_along_option(L, 3, "axis=1, edge=0");
    int exact = 0;
    if (strcmp(key, "axis") == 0) {
        lua_Integer axis = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
        luaL_argcheck(L, exact, 3, "option axis: an integer expected");
        o->axis = check_axis(L, 3, axis, rank);
    } else {
        o->given = true;
        o->missing = lun__lua_missing_at(L, h, -1);
        if (!o->missing)
            lun__lua_pad_edge(L, 3, "option edge: ", &o->edge, &o->x);
    }
}

/* What is shifted, missing where no element was. */
static lun_status shift_missing(lun_engine *e, lun_array *a, int64_t k, int axis, lun_array **out)
{
    const lun_value no = {.dtype = LUN_BOOL}, yes = {.dtype = LUN_BOOL, .as.u = 1};
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(a, shape);
    lun_array *moved = NULL, *none = NULL, *gone = NULL;
    const bool bools = lun_dtype_kind(lun_dtype_of(a)) == LUN_KIND_BOOL;
    const lun_value zero = {.dtype = bools ? LUN_BOOL : LUN_I64};
    lun_status s = lun_shift(e, a, k, axis, LUN_EDGE_VALUE, zero, &moved);
    if (s == LUN_OK)
        s = lun_full(e, rank, shape, LUN_BOOL, no, &none);
    if (s == LUN_OK)
        s = lun_shift(e, none, k, axis, LUN_EDGE_VALUE, yes, &gone);
    if (s == LUN_OK)
        s = lun_with_missing(e, moved, gone, out);
    lun_release(moved);
    lun_release(none);
    lun_release(gone);
    return s;
}

/* a:shift(k [, {axis=1, edge=}]) */
static int array_shift(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    beyond o = {.edge = LUN_EDGE_VALUE, .x = {.dtype = LUN_F64, .as.d = (double)NAN}};
    int64_t shape[LUN_MAX_RANK];
    lun_array *a = lun__lua_array_check(L, h, 1);
    int rank = lun_shape(a, shape);
    lun_dtype t = lun_dtype_of(a);
    lua_Integer k = luaL_checkinteger(L, 2);
    lua_settop(L, 3);
    if (!lua_isnil(L, 3)) {
        lun__lua_along_check(L, 3, "axis=1, edge=0");
        for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1))
            read_option(L, h, rank, &o);
    }
    const lun_kind kind = lun_dtype_kind(t);
    if (!o.given)
        o.missing = kind != LUN_KIND_FLOAT && kind != LUN_KIND_COMPLEX;
    if (o.missing && lun__lua_value_has_gaps(t)) /* as it is */
        o.missing = o.given = false;
    if (o.given && !o.missing && o.edge == LUN_EDGE_VALUE)
        lun__lua_text_refuse_value(L, 3, "option edge", lun__lua_array_check(L, h, 1));
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    a = lun__lua_array_check(L, h, 1);
    if (o.missing)
        LUN__TRY(s, shift_missing(h->engine, a, k, o.axis, out));
    else
        LUN__TRY(s, lun_shift(h->engine, a, k, o.axis, o.edge, o.x, out));
    lun__error_check(L, h, s, s == LUN_ERANGE || s == LUN_EDTYPE ? 3 : 1);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_concat(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"concat", concat_list, 2}, {"stack", stack_list, 2}, {NULL, NULL, 0}};
    static const lun__entry methods[] = {{"shift", array_shift, 3}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
    lun__register_offer(L, p, p->methods, methods);
}
