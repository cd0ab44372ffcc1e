/* lua_pad.c - a:pad, and the option for elements beyond the ends of an axis. */
#include <math.h>
#include <string.h>

#include "bind/host/bind.h"

void lun__lua_pad_edge(lua_State *L, int arg, const char *what, lun_edge *edge, lun_value *x)
{
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (strcmp(text, "wrap") == 0)
        *edge = LUN_EDGE_WRAP;
    else if (strcmp(text, "nearest") == 0)
        *edge = LUN_EDGE_NEAREST;
    else if (!lun__lua_value_at(L, -1, x))
        lun__blame_argument(L, arg,
                            lua_pushfstring(L,
                                            "%s\"wrap\", \"nearest\" or a number expected, got %s",
                                            what, lun__error_push_shown(L, -1)));
}

void lun__lua_pad_check_nan(lua_State *L, int arg, const char *what, lun_dtype t)
{
    if (lun_dtype_kind(t) != LUN_KIND_FLOAT && lun_dtype_kind(t) != LUN_KIND_COMPLEX &&
        !lun__lua_value_has_gaps(t))
        lun__blame_argument(L, arg,
                            lua_pushfstring(L,
                                            "%s is required, since %s has no NaN: \"wrap\", "
                                            "\"nearest\" or a number",
                                            what, lun_dtype_name(t)));
}

/* The number at the top of the stack, within argument 2, of elements added on one side. */
static int64_t check_width(lua_State *L, int axis)
{
    int exact = 0;
    lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || n < 0)
        lun__blame_argument(L, 2,
                            lua_pushfstring(L,
                                            "axis %d: a number of elements, or {before, after}, "
                                            "expected, got %s",
                                            axis + 1, lun__error_push_shown(L, -1)));
    return n;
}

/* Pops the numbers of elements added at the ends of an axis: {before, after}, or a number for
 * both. */
static void pop_widths(lua_State *L, int axis, int64_t *before, int64_t *after)
{
    if (lua_istable(L, -1)) {
        if (lua_rawlen(L, -1) != 2)
            lun__blame_argument(L, 2,
                                lua_pushfstring(L, "axis %d: {before, after} expected", axis + 1));
        lua_rawgeti(L, -1, 1);
        *before = check_width(L, axis);
        lua_rawgeti(L, -2, 2);
        *after = check_width(L, axis);
        lua_pop(L, 2);
    } else {
        *before = *after = check_width(L, axis);
    }
    lua_pop(L, 1);
}

/* a:pad(n or {n or {before, after}, ...} [, edge]) */
static int array_pad(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK], before[LUN_MAX_RANK] = {0}, after[LUN_MAX_RANK] = {0};
    lun_edge edges[LUN_MAX_RANK], edge = LUN_EDGE_VALUE;
    lun_value x = {.dtype = LUN_F64, .as.d = (double)NAN};
    lun_array *a = lun__lua_array_check(L, h, 1);
    int rank = lun_shape(a, shape);
    bool listed = lua_istable(L, 2);
    lua_settop(L, 3);
    if (listed && lua_rawlen(L, 2) > (lua_Unsigned)rank) {
        lun__error_push_kind(L, h, 1);
        lun__blame_argument(L, 2,
                            lua_pushfstring(L, "widths of %I axes: %s has %d",
                                            (lua_Integer)lua_rawlen(L, 2), lua_tostring(L, -1),
                                            rank));
    }
    for (int k = 0; k < (listed ? (int)lua_rawlen(L, 2) : rank); k++) {
        if (listed)
            lua_rawgeti(L, 2, k + 1);
        else
            lua_pushvalue(L, 2);
        pop_widths(L, k, &before[k], &after[k]);
    }
    if (lua_isnil(L, 3))
        lun__lua_pad_check_nan(L, 3, "an edge", lun_dtype_of(a));
    else
        lun__lua_pad_edge(L, 3, "", &edge, &x);
    if (edge == LUN_EDGE_VALUE && !lua_isnil(L, 3))
        lun__lua_text_refuse_value(L, 3, "an edge", a);
    for (int k = 0; k < rank; k++)
        edges[k] = edge;
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    a = lun__lua_array_check(L, h, 1);
    LUN__TRY(s, lun_pad(h->engine, a, before, after, edges, x, out));
    lun__error_check(L, h, s, s == LUN_ERANGE || s == LUN_EDTYPE ? 3 : 1);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_pad(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {{"pad", array_pad, 3}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->methods, methods);
}
