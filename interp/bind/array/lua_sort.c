/* lua_sort.c - a:sort(), a:unique(), a:quantile(q) and their like. */
#include <limits.h>
#include <string.h>

#include "bind/host/bind.h"

/* The options at `i`. */
typedef struct options {
    lun__axes axes;
    bool flag; /* descending, smallest */
    bool missing_first;
} options;

/* Option `missing`: "first" or "last". */
static bool read_missing(lua_State *L, int i)
{
    const char *given = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (strcmp(given, "first") != 0 && strcmp(given, "last") != 0)
        lun__blame_argument(
            L, i,
            lua_pushfstring(L, "option missing: \"first\" or \"last\" expected, got %s",
                            lun__error_push_shown(L, -1)));
    return given[0] == 'f';
}

/* Reads the options at i, of which `known` is an example, for the array at 1; the axes from 0. */
static void read_axes(lua_State *L, lun__host *h, int i, const char *known, options *o, int *at)
{
    *o = (options){.axes = {.options = {.size = sizeof o->axes.options}}};
    if (lua_isnoneornil(L, i))
        return;
    if (!strncmp(known, "axis", 4))
        lun__lua_along_positional(L, i);
    lun__lua_along_check(L, i, known);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        const char *name = lun__lua_along_option(L, i, known);
        if (lun__lua_along_axes(L, i, name, &o->axes))
            continue;
        if (!strcmp(name, "missing")) {
            o->missing_first = read_missing(L, i);
            continue;
        }
        if (lua_type(L, -1) != LUA_TBOOLEAN)
            lun__blame_argument(L, i,
                                lua_pushfstring(L, "option %s: true or false expected, got %s",
                                                name, lun__error_push_shown(L, -1)));
        o->flag = lua_toboolean(L, -1);
    }
    const char *wrong = lun__lua_along_resolve_all(L, h, 1, &o->axes, at);
    if (wrong)
        lun__blame_argument(L, i, wrong);
}

/* The same with one axis at most. */
static void read_options(lua_State *L, lun__host *h, int i, const char *known, options *o, int *at)
{
    read_axes(L, h, i, known, o, at);
    if (o->axes.count > 1 || o->axes.count == LUN_NO_AXES)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "option axis: one axis expected, got %s",
                                            o->axes.count > 1 ? "several" : "none"));
}

static int ordered(lua_State *L, bool places)
{
    lun__host *h = lun__host_here(L);
    options o;
    int at[LUN_MAX_RANK] = {-1};
    lun__lua_array_check(L, h, 1);
    read_options(L, h, 2, "axis=1, descending=true, missing=\"first\"", &o, at);
    const int flags = (o.flag ? LUN_DESCENDING : 0) | (o.missing_first ? LUN_MISSING_FIRST : 0);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    if (places)
        LUN__TRY(s, lun_argsort(h->engine, a, at[0], flags, 1, out));
    else
        LUN__TRY(s, lun_sort(h->engine, a, at[0], flags, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* a:sort([{axis=, descending=, missing=}]) */
static int array_sort(lua_State *L)
{
    const int diverted = lun__lua_complex_divert(L, lun__host_here(L), "sort");
    return diverted < 0 ? ordered(L, false) : diverted;
}

/* a:argsort([{axis=, descending=, missing=}]) */
static int array_argsort(lua_State *L)
{
    const int diverted = lun__lua_complex_divert(L, lun__host_here(L), "argsort");
    return diverted < 0 ? ordered(L, true) : diverted;
}

/* a:topk(k [, {smallest=}]) */
static int array_topk(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    options o;
    int at[LUN_MAX_RANK];
    lun__lua_array_check(L, h, 1);
    const lua_Integer k = luaL_checkinteger(L, 2);
    read_options(L, h, 3, "smallest=true", &o, at);
    lua_settop(L, 2);
    lun__source_line_mark(L, h);
    lun__lua_array_new(L, h);
    lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *values = NULL, *places = NULL;
    lun_status s;
    LUN__TRY(s, lun_topk(h->engine, a, k, o.flag ? 0 : LUN_DESCENDING, 1, &values, &places));
    *lun__lua_array_slot(L, h, 3) = values;
    *lun__lua_array_slot(L, h, 4) = places;
    lun__error_check(L, h, s, k < 0 ? 2 : 1);
    lun__host_report_memory(L, h);
    return 2;
}

/* a:unique() */
static int array_unique(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    lun__lua_along_positional(L, 2);
    const int diverted = lua_istable(L, 2) ? lun__lua_complex_method(L, "unique_rows")
                                           : lun__lua_complex_divert(L, h, "unique");
    if (diverted >= 0)
        return diverted;
    lua_settop(L, 1);
    lun__source_line_mark(L, h);
    lun__lua_array_new(L, h);
    lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *values = NULL, *counts = NULL;
    lun_status s;
    LUN__TRY(s, lun_unique(h->engine, a, &values, &counts));
    *lun__lua_array_slot(L, h, 2) = values;
    *lun__lua_array_slot(L, h, 3) = counts;
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 2;
}

/* Exchanges *x, of segments of a, for what is missing where an element of the segment is. */
static lun_status gap_of_segment(lun_engine *e, lun_array *a, const int *axes, int count,
                                 lun_array **x)
{
    lun_array *gone = NULL, *some = NULL, *made = NULL;
    const lun_along_options o = {.size = sizeof o};
    lun_status s = lun_missing(e, a, &gone);
    if (s == LUN_OK)
        s = lun_along(e, LUN_ANY, gone, axes, count, &o, &some);
    if (s == LUN_OK)
        s = lun_with_missing(e, *x, some, &made);
    lun_release(gone);
    lun_release(some);
    if (s != LUN_OK)
        return s;
    lun_release(*x);
    *x = made;
    return LUN_OK;
}

/* Calls lun_quantile of the array at 1 with q; a number if the result is one. */
static int quantiles(lua_State *L, lun__host *h, int i, const double *q, lua_Unsigned count)
{
    options o;
    int at[LUN_MAX_RANK];
    int64_t shape[LUN_MAX_RANK];
    lun_status s;
    lun_value x;
    read_axes(L, h, i, "axis=1, skipnan=true, skipna=false", &o, at);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    LUN__TRY(s, lun_quantile(h->engine, a, q, (int64_t)count, at, o.axes.count,
                             o.axes.options.skipnan, out));
    if (s == LUN_OK && o.axes.options.propagate && lun_has_missing(a))
        LUN__TRY(s, gap_of_segment(h->engine, a, at, o.axes.count, out));
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__error_check(L, h, s, i == 3 && operand ? operand : 1);
    lun__host_report_memory(L, h);
    if (lun_shape(*lun__lua_array_slot(L, h, -1), shape))
        return 1;
    if (lun_is_logical(*lun__lua_array_slot(L, h, -1))) {
        lun__index_push(L, h, *lun__lua_array_slot(L, h, -1), 0, 1);
        return 1;
    }
    LUN__TRY(s, lun_get(h->engine, *lun__lua_array_slot(L, h, -1), 0, &x));
    lun__error_check(L, h, s, 1);
    lun__lua_value_push(L, x);
    return 1;
}

/* a:quantile(q [, {axis=, skipnan=, skipna=}]) */
static int array_quantile(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    lua_settop(L, 3);
    if (lua_type(L, 2) != LUA_TTABLE) {
        const double q = luaL_checknumber(L, 2);
        return quantiles(L, h, 3, &q, 0);
    }
    const lua_Unsigned count = lua_rawlen(L, 2);
    if (count == 0)
        lun__blame_argument(L, 2, "the list is empty: at least one number is needed");
    if (count > INT_MAX / 16)
        lun__blame_argument(L, 2, "too many numbers");
    double *q = lua_newuserdatauv(L, (size_t)count * sizeof *q, 0);
    for (lua_Unsigned k = 0; k < count; k++) {
        lua_rawgeti(L, 2, (lua_Integer)k + 1);
        if (lua_type(L, -1) != LUA_TNUMBER)
            lun__blame_argument(L, 2,
                                lua_pushfstring(L, "element %d is a %s, not a number", (int)k + 1,
                                                luaL_typename(L, -1)));
        q[k] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return quantiles(L, h, 3, q, count);
}

/* a:median([{axis=, skipnan=, skipna=}]) */
static int array_median(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const double half = 0.5;
    lun__lua_array_check(L, h, 1);
    lua_settop(L, 2);
    return quantiles(L, h, 2, &half, 0);
}

/* The option `side` of the table at i. */
static int read_side(lua_State *L, int i)
{
    int flags = 0;
    if (lua_isnoneornil(L, i))
        return 0;
    lun__lua_along_check(L, i, "side=\"right\"");
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        lun__lua_along_option(L, i, "side=right");
        const char *side = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        if (strcmp(side, "left") && strcmp(side, "right"))
            lun__blame_argument(L, i,
                                lua_pushfstring(L,
                                                "option side: 'left' or 'right' expected, got %s",
                                                lun__error_push_shown(L, -1)));
        flags = side[0] == 'r' ? LUN_RIGHT : 0;
    }
    return flags;
}

/* sorted:searchsorted(x [, {side=}]) */
static int array_searchsorted(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_value v;
    lun_status s;
    lun__lua_array_check(L, h, 1);
    const bool number = !lun__lua_array_operand(L, h, 2);
    const int flags = read_side(L, 3);
    lua_settop(L, 3);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    bool own = false;
    lun_array *x = NULL;
    s = lun__lua_array_load(L, h, 2, &x, &own);
    if (s == LUN_OK)
        LUN__TRY(s, lun_searchsorted(h->engine, a, x, flags, 1, out));
    if (own)
        lun_release(x);
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__error_check(L, h, s, operand ? operand : 2);
    lun__host_report_memory(L, h);
    if (!number)
        return 1;
    LUN__TRY(s, lun_get(h->engine, *lun__lua_array_slot(L, h, -1), 0, &v));
    lun__error_check(L, h, s, 1);
    lun__lua_value_push(L, v);
    return 1;
}

void lun__open_sort(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {{"sort", array_sort, 2},
                                           {"argsort", array_argsort, 2},
                                           {"topk", array_topk, 3},
                                           {"unique", array_unique, 2},
                                           {"quantile", array_quantile, 3},
                                           {"median", array_median, 2},
                                           {"searchsorted", array_searchsorted, 3},
                                           {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
    lun__register_offer(L, p, p->methods, functions);
}
