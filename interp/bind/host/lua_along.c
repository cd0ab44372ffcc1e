/* lua_along.c - axes and options of reductions as scripts write them: a:sum(2), a:max{axis=1}. */
#include <string.h>

#include "bind/host/bind.h"

/* ---- which axes ------------------------------------------------------------------------------ */

/* The axis at the top, as the script counts it. */
static lua_Integer axis_at_top(lua_State *L, int i)
{
    int exact = 0;
    lua_Integer axis = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact)
        lun__blame_argument(L, i,
                            lua_pushfstring(L,
                                            "option axis: an integer or a list of integers "
                                            "expected, got %s",
                                            lun__error_push_shown(L, -1)));
    return axis;
}

/* The axes at the top: one, or a list. */
static void read_axis(lua_State *L, int i, lun__axes *out)
{
    if (lua_type(L, -1) != LUA_TTABLE) {
        out->named[out->count++] = axis_at_top(L, i);
        return;
    }
    lua_Unsigned n = lua_rawlen(L, -1);
    if (n == 0)
        out->count = LUN_NO_AXES;
    if (n > LUN_MAX_RANK)
        lun__blame_argument(L, i, "option axis: the list of axes is too long");
    for (lua_Unsigned k = 1; k <= n; k++) {
        lua_rawgeti(L, -1, (lua_Integer)k);
        out->named[out->count++] = axis_at_top(L, i);
        lua_pop(L, 1);
    }
}

const char *lun__lua_along_resolve(lua_State *L, lun__host *h, int array, lua_Integer axis,
                                   int *out)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(lun__lua_array_check(L, h, array), shape);
    *out = (int)(axis < 0 ? rank + axis : axis - 1);
    if (axis && axis >= -rank && axis <= rank)
        return NULL;
    const char *kind = lun__error_push_kind(L, h, array);
    if (axis == 0)
        return lua_pushfstring(
            L, "axis 0 is out of range: axes of %s count from 1, or backwards from -1", kind);
    return lua_pushfstring(L, "axis %I is out of range: %s has %d", axis, kind, rank);
}

const char *lun__lua_along_resolve_all(lua_State *L, lun__host *h, int array, const lun__axes *axes,
                                       int *out)
{
    for (int k = 0; k < axes->count; k++) {
        const char *wrong = lun__lua_along_resolve(L, h, array, axes->named[k], &out[k]);
        for (int j = 0; j < k && !wrong; j++)
            if (out[j] == out[k])
                wrong = lua_pushfstring(L, "axis %d of %s is given twice", out[k] + 1,
                                        lun__error_push_kind(L, h, array));
        if (wrong)
            return wrong;
    }
    return NULL;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool read_flag(lua_State *L, int i, const char *name)
{
    if (lua_type(L, -1) != LUA_TBOOLEAN)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "option %s: true or false expected, got %s", name,
                                            lun__error_push_shown(L, -1)));
    return lua_toboolean(L, -1);
}

bool lun__lua_along_ddof(lua_State *L, int i, lun_along_options *out)
{
    const double most = 0x1p53, x = lua_type(L, i) == LUA_TNUMBER ? lua_tonumber(L, i) : -1;
    if (!(x >= 0 && x <= most))
        return false;
    out->ddof = (int64_t)x;
    out->ddof_part = x - (double)out->ddof;
    return true;
}

static void read_ddof(lua_State *L, int i, lun_along_options *out)
{
    if (!lun__lua_along_ddof(L, -1, out))
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "option ddof: a number from 0 on expected, got %s",
                                            lun__error_push_shown(L, -1)));
}

bool lun__lua_along_axes(lua_State *L, int i, const char *name, lun__axes *out)
{
    if (!strcmp(name, "axis"))
        read_axis(L, i, out);
    else if (!strcmp(name, "keep"))
        out->options.keep = read_flag(L, i, name);
    else if (!strcmp(name, "inclusive"))
        out->inclusive = read_flag(L, i, name);
    else if (!strcmp(name, "skipnan"))
        out->options.skipnan = read_flag(L, i, name);
    else if (!strcmp(name, "skipna"))
        out->options.propagate = !read_flag(L, i, name);
    else if (!strcmp(name, "ddof"))
        read_ddof(L, i, &out->options);
    else
        return false;
    return true;
}

/* Whether an example of options, "axis=2, keep=true", has one of that name. */
static bool has_option(const char *options, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = options; n && (at = strstr(at, name)); at += n)
        if ((at == options || at[-1] == ' ') && at[n] == '=')
            return true;
    return false;
}

/* Behind the value at `at` of an example of options; the commas in a list belong to it. */
static const char *after_value(const char *at)
{
    for (int depth = 0; *at && (depth || *at != ','); at++)
        depth += (*at == '{') - (*at == '}');
    return at;
}

/* Pushes the names in an example of options, "the options are axis, keep". */
static const char *push_known(lua_State *L, const char *options)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    bool several = *after_value(options);
    luaL_addstring(&text, several ? "the options are " : "the only option is ");
    for (const char *at = options; *at;) {
        luaL_addlstring(&text, at, strcspn(at, "="));
        at = after_value(at);
        if (*at)
            luaL_addlstring(&text, at, 2), at += 2;
    }
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

const char *lun__lua_along_option(lua_State *L, int i, const char *options)
{
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (!has_option(options, name)) {
        const char *got = lun__error_push_shown(L, -2);
        lun__blame_argument(
            L, i, lua_pushfstring(L, "unknown option '%s': %s", got, push_known(L, options)));
    }
    return name;
}

void lun__lua_along_check(lua_State *L, int i, const char *options)
{
    if (lua_type(L, i) != LUA_TTABLE)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "options such as {%s} expected, got %s", options,
                                            lun__error_push_shown(L, i)));
}

void lun__lua_along_positional(lua_State *L, int i)
{
    if (lua_type(L, i) != LUA_TNUMBER)
        return;
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, i);
    lua_setfield(L, -2, "axis");
    lua_replace(L, i);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static int rank_of(const lun_array *a)
{
    int64_t shape[LUN_MAX_RANK];
    return lun_shape(a, shape);
}

bool lun__lua_along_takes(lua_State *L, lun__host *h, const lun_reduction_info *row, int i)
{
    if (lua_type(L, i) == LUA_TTABLE)
        return true;
    if (lua_isnoneornil(L, i))
        return false;
    if (!row->option[0])
        return true;
    int rank = rank_of(lun__lua_array_check(L, h, 1));
    if (rank > 1)
        lun__blame_argument(
            L, i,
            lua_pushfstring(L,
                            "ambiguous for an array of rank %d, an axis or %s: write "
                            "%s{axis=...} or %s{%s=...}",
                            rank, row->option, row->name, row->name, row->option));
    return false;
}

lun_status lun__lua_along_from_1(lun_engine *e, lun_array **out)
{
    lun_array *one = NULL, *position = *out;
    lun_status s = lun_integer(e, 1, &one);
    *out = NULL;
    if (s == LUN_OK)
        s = lun_add(e, position, one, out);
    lun_release(one);
    lun_release(position);
    return s;
}

/* The axes and options at i, for the array at 1: at[] from 0. */
static void read_along(lua_State *L, lun__host *h, const lun_reduction_info *row, int i,
                       lun__axes *axes, int *at)
{
    const char *known = row->option[0] ? "axis=2, keep=true, skipnan=true, skipna=false, ddof=1"
                                       : "axis=2, keep=true, skipnan=true, skipna=false";
    *axes = (lun__axes){.options = {.size = sizeof axes->options}};
    if (lua_type(L, i) == LUA_TTABLE) {
        for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1))
            lun__lua_along_axes(L, i, lun__lua_along_option(L, i, known), axes);
    } else {
        int exact = 0;
        lua_Integer axis = lua_type(L, i) == LUA_TNUMBER ? lua_tointegerx(L, i, &exact) : 0;
        if (!exact)
            lun__blame_argument(L, i,
                                lua_pushfstring(L, "an axis or a table of options expected, got %s",
                                                lun__error_push_shown(L, i)));
        axes->named[axes->count++] = axis;
    }
    const char *wrong = lun__lua_along_resolve_all(L, h, 1, axes, at);
    if (wrong)
        lun__blame_argument(L, i, wrong);
}

bool lun__lua_along_push(lua_State *L, lun__host *h, lun_reduction r, int i)
{
    lun_reduction_info row = {.size = sizeof row};
    lun__axes axes;
    int at[LUN_MAX_RANK];
    lun_status s;
    (void)lun_reduction_describe(r, &row);
    read_along(L, h, &row, i, &axes, at);
    if (row.index)
        lun__source_line_mark(L, h); /* it fails for a segment of NaN only */
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    LUN__TRY(s, lun_along(h->engine, r, a, at, axes.count, &axes.options, out));
    if (s == LUN_OK && row.index)
        s = lun__lua_along_from_1(h->engine, out);
    lun__error_check(L, h, s, i);
    return rank_of(*out) == 0 && !axes.options.keep;
}
