/* lua_make.c - functions that make arrays: lun.vector, zeros, ones, empty, full, range, index,
 * linspace, random. Tables are read by from_table.c. */
#include <math.h>
#include <string.h>

#include "bind/host/bind.h"

static lun_dtype opt_dtype(lua_State *L, int i, lun_dtype fallback)
{
    return lua_isnoneornil(L, i) ? fallback : lun__lua_value_number_dtype(L, i);
}

/* The options at i + 1, or at i instead of a dtype; pops from them on. */
static lun__making opt_layout(lua_State *L, int i, int *at)
{
    *at = lua_istable(L, i) && lua_isnoneornil(L, i + 1) ? i : i + 1;
    lun__making layout = lun__lua_layout_options(L, *at);
    if (lua_gettop(L) >= *at)
        lua_settop(L, *at - 1);
    return layout;
}

/* lun.vector(t [, dtype [, opts]]); of an array: a copy. */
static int make_vector(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int options;
    if (lun__record_is_listed(L, 1))
        return lun__record_call_list(L, "vector", 1);
    if (lua_type(L, 1) == LUA_TNUMBER)
        lun__blame_argument(
            L, 1,
            "table of numbers expected, got number: in braces they are one, lun.vector{1, 2}");
    lun__making layout = opt_layout(L, 2, &options);
    if (lua_istable(L, 1)) {
        lun__from_table(L);
        lun__lua_layout_apply(L, h, &layout, true, options);
        return 1;
    }
    if (!lun__lua_array_is(L, h, 1))
        return lun__error_bad_type(L, 1, "table of numbers");
    const lun_dtype own = lun_dtype_of(lun__lua_array_check(L, h, 1));
    const lun_dtype t = lua_isnoneornil(L, 2) ? own : lun__lua_value_any_dtype(L, 2);
    if (t != own && (lun__lua_value_has_gaps(t) || lun__lua_value_has_gaps(own))) {
        lua_settop(L, 2);
        lua_getfield(L, 1, "cast");
        lua_insert(L, 1);
        lua_call(L, 2, 1);
        return 1;
    }
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    if (t == own)
        LUN__TRY(s, lun_copy(h->engine, a, out));
    else
        LUN__TRY(s, lun_cast(h->engine, a, t, out));
    lun__error_check(L, h, s, 1);
    bool given = layout.given;
    layout.given = true; /* a cast array keeps the layout of its source */
    lun__lua_layout_apply(L, h, &layout, given, options);
    lun__host_report_memory(L, h);
    return 1;
}

/* An array of x with the shape at 1, in the layout that was an option at `options`. */
static int make_full(lua_State *L, lun_value x, lun_dtype t, const lun__making *layout, int options,
                     int arg)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    int rank = lun__lua_value_shape(L, 1, shape);
    lun_status s;
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX) {
        const double z[2] = {lun_dtype_kind(x.dtype) == LUN_KIND_FLOAT ? x.as.d : (double)x.as.i,
                             0};
        lun__lua_complex_full(L, h, rank, shape, t, z);
    } else {
        lun_array **out = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_full(h->engine, rank, shape, t, x, out));
        lun__error_check(L, h, s, arg);
    }
    lun__lua_layout_apply(L, h, layout, false, options);
    lun__host_report_memory(L, h);
    return 1;
}

/* The shape may be written as several numbers, so arguments are counted when it is one. */

/* lun.zeros(shape [, dtype [, opts]]) and lun.ones. */
static int make_constant(lua_State *L, const char *name, int64_t number)
{
    int options, diverted = lun__record_call_shape(L, name);
    if (diverted >= 0)
        return diverted;
    lun__lua_value_gather_shape(L, 1);
    lun__bind_count(L, name, 3);
    lun__making layout = opt_layout(L, 2, &options);
    lun_value x = {.dtype = LUN_I64, .as.i = number};
    return make_full(L, x, opt_dtype(L, 2, LUN_F64), &layout, options, 1);
}

static int make_zeros(lua_State *L)
{
    return make_constant(L, "zeros", 0);
}

static int make_ones(lua_State *L)
{
    return make_constant(L, "ones", 1);
}

/* lun.full of a complex number. */
static int make_complex_full(lua_State *L, const double z[2], const lun__making *layout,
                             int options)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    const lun_dtype t = opt_dtype(L, 3, LUN_C128);
    if (lun_dtype_kind(t) != LUN_KIND_COMPLEX)
        lun__blame_argument(L, 2,
                            lua_pushfstring(L,
                                            "a complex number does not fit %s: take re, im or "
                                            "abs()",
                                            lun_dtype_name(t)));
    const int rank = lun__lua_value_shape(L, 1, shape);
    lun__lua_complex_full(L, h, rank, shape, t, z);
    lun__lua_layout_apply(L, h, layout, false, options);
    lun__host_report_memory(L, h);
    return 1;
}

/* lun.empty(shape [, dtype [, opts]]): elements are undefined. */
static int make_empty(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int options;
    int64_t shape[LUN_MAX_RANK];
    lun__lua_value_gather_shape(L, 1);
    lun__bind_count(L, "empty", 3);
    const lun__making layout = opt_layout(L, 2, &options);
    const lun_dtype t = opt_dtype(L, 2, LUN_F64);
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX)
        return make_full(L, (lun_value){.dtype = LUN_I64}, t, &layout, options, 1);
    const int rank = lun__lua_value_shape(L, 1, shape);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_empty(h->engine, rank, shape, t, out));
    lun__error_check(L, h, s, 1);
    lun__lua_layout_apply(L, h, &layout, false, options);
    lun__host_report_memory(L, h);
    return 1;
}

/* lun.full(shape, x [, dtype [, opts]]): by default the dtype is that of x. */
static int make_filled(lua_State *L)
{
    int options, diverted = lun__record_call_shape(L, "full");
    if (diverted >= 0)
        return diverted;
    lun__making layout = opt_layout(L, 3, &options);
    double z[2];
    if (lun__lua_complex_number_at(L, lun__host_here(L), 2, z))
        return make_complex_full(L, z, &layout, options);
    lun_value x = lun__lua_array_value(L, lun__host_here(L), 2);
    lun_dtype t = opt_dtype(L, 3, x.dtype);
    uint64_t room;
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX)
        return make_full(L, x, t, &layout, options, 2);
    const char *why = lun__lua_value_pack(t, x, &room);
    if (why)
        lun__blame_argument(L, 2,
                            lua_pushfstring(L, "%s %s: the dtype is %s",
                                            lun__error_push_shown(L, 2), why, lun_dtype_name(t)));
    return make_full(L, x, t, &layout, options, 2);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The number of integers a, a + step, ... up to b, as Lua's for counts; -1 if beyond int64_t. */
static int64_t count_integers(lua_Integer a, lua_Integer b, lua_Integer step)
{
    if (step > 0 ? a > b : a < b)
        return 0;
    lua_Unsigned span =
        step > 0 ? (lua_Unsigned)b - (lua_Unsigned)a : (lua_Unsigned)a - (lua_Unsigned)b;
    lua_Unsigned pace = step > 0 ? (lua_Unsigned)step : 0 - (lua_Unsigned)step;
    lua_Unsigned steps = span / pace;
    return steps >= (lua_Unsigned)LUA_MAXINTEGER ? -1 : (int64_t)steps + 1;
}

/* The number of i >= 0 with a + i * step not beyond b; -1 if beyond int64_t. */
static int64_t count_floats(double a, double b, double step)
{
    if (step > 0 ? a > b : a < b)
        return 0;
    double steps = floor((b - a) / step);
    if (!(steps < 0x1p53))
        return -1;
    /* The division is rounded, and so are the elements: compare the rounded elements. */
    double next = a + (steps + 1) * step, last = a + steps * step;
    if (step > 0 ? next <= b : next >= b)
        steps += 1;
    else if (steps > 0 && (step > 0 ? last > b : last < b))
        steps -= 1;
    return (int64_t)steps + 1;
}

/* lun.range(a, b [, step]): b included, as Lua's for; i64 if all three are integers, else f64. */
static int make_range(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 3);
    if (lua_isnil(L, 2) && lua_isinteger(L, 1)) {
        const lua_Integer n = lua_tointeger(L, 1);
        lun__blame_argument(L, 2,
                            lua_pushfstring(L,
                                            "the last number is missing: 1 to %I is lun.index(%I), "
                                            "0 to %I is lun.range(0, %I)",
                                            n, n, n - (n > 0), n - (n > 0)));
    }
    if (lua_isnil(L, 3)) {
        lua_pushinteger(L, 1);
        lua_replace(L, 3);
    }
    bool integers = true;
    for (int i = 1; i <= 3; i++) {
        luaL_checktype(L, i, LUA_TNUMBER);
        integers = integers && lua_isinteger(L, i);
    }
    luaL_argcheck(L, lua_tonumber(L, 3) != 0, 3, "'step' is zero");
    lun_value first, step;
    int64_t count;
    lun__lua_value_at(L, 1, &first);
    lun__lua_value_at(L, 3, &step);
    if (integers) {
        count = count_integers(first.as.i, lua_tointeger(L, 2), step.as.i);
    } else {
        first = (lun_value){.dtype = LUN_F64, .as.d = lua_tonumber(L, 1)};
        step = (lun_value){.dtype = LUN_F64, .as.d = lua_tonumber(L, 3)};
        for (int i = 1; i <= 3; i++)
            luaL_argcheck(L, isfinite(lua_tonumber(L, i)), i, "not a finite number");
        count = count_floats(first.as.d, lua_tonumber(L, 2), step.as.d);
    }
    luaL_argcheck(L, count >= 0, 2, "too many elements");
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_range(h->engine, first, step, count, integers ? LUN_I64 : LUN_F64, out));
    return lun__lua_array_give(L, h, s, 2);
}

/* A count at argument i. */
static int64_t check_count(lua_State *L, int i)
{
    if (lua_type(L, i) != LUA_TNUMBER)
        lun__error_bad_type(L, i, "number of elements");
    lua_Integer n = luaL_checkinteger(L, i);
    luaL_argcheck(L, n >= 0, i, "number of elements is negative");
    return n;
}

static int make_index(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t n = check_count(L, 1);
    lun_value one = {.dtype = LUN_I64, .as.i = 1};
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_range(h->engine, one, one, n, LUN_I64, out));
    return lun__lua_array_give(L, h, s, 1);
}

/* The option {endpoint=true} at i. */
static bool read_endpoint(lua_State *L, int i)
{
    bool endpoint = true;
    if (lua_isnoneornil(L, i))
        return true;
    lun__lua_along_check(L, i, "endpoint=false");
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        (void)lun__lua_along_option(L, i, "endpoint=false");
        if (lua_type(L, -1) != LUA_TBOOLEAN)
            lun__blame_argument(L, i,
                                lua_pushfstring(L,
                                                "option endpoint: true or false expected, got %s",
                                                lun__error_push_shown(L, -1)));
        endpoint = lua_toboolean(L, -1);
    }
    return endpoint;
}

/* lun.linspace(a, b, n [, {endpoint=true}]): without the endpoint the first n of n + 1. */
static int make_linspace(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    double a = luaL_checknumber(L, 1);
    double b = luaL_checknumber(L, 2);
    int64_t n = check_count(L, 3);
    const bool endpoint = read_endpoint(L, 4);
    luaL_argcheck(L, endpoint || n < INT64_MAX, 3, "too many elements");
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *all = NULL;
    lun_status s;
    LUN__TRY(s, lun_linspace(h->engine, a, b, n + !endpoint, LUN_F64, endpoint ? out : &all));
    if (s == LUN_OK && !endpoint)
        LUN__TRY(s, lun_slice(h->engine, all, 0, n, 1, out));
    lun_release(all);
    return lun__lua_array_give(L, h, s, 3);
}

/* ---- random ---------------------------------------------------------------------------------- */

/* The options of lun.random. */
typedef struct random_options {
    uint64_t seed;
    lun_dist dist;
    lun_dtype dtype;
    lun__making layout;
} random_options;

static const char distributions; /* its address is the key in the registry */

/* Keeps the function of Lua that draws from other distributions: of shape, options, seed. */
static int set_distributions(lua_State *L)
{
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &distributions);
    return 0;
}

/* The option whose key is at -2 and whose value is on the top of the stack.  False: there is none,
 * or not for what is drawn here. */
static bool read_option(lua_State *L, random_options *o)
{
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (strcmp(key, "seed") == 0) {
        int exact = 0;
        o->seed = (uint64_t)(lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0);
        luaL_argcheck(L, exact, 2, "'seed' is not an integer");
    } else if (strcmp(key, "dist") == 0) {
        if (strcmp(text, "uniform") == 0)
            o->dist = LUN_UNIFORM;
        else if (strcmp(text, "normal") == 0)
            o->dist = LUN_NORMAL;
        else
            return false;
    } else if (strcmp(key, "dtype") == 0) {
        if (!lun_dtype_find(text, &o->dtype))
            lun__blame_argument(
                L, 2, lua_pushfstring(L, "unknown dtype '%s'", lun__error_push_shown(L, -1)));
    } else {
        return lun__lua_layout_read(L, key, &o->layout, 2);
    }
    return true;
}

/* lun.random(shape [, {seed=, dist=, dtype=, layout=, label=, readonly=}]): without a seed, other
 * numbers at every call. */
static int make_random(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    random_options o = {.seed = h->seed, .dist = LUN_UNIFORM, .dtype = LUN_F64};
    int64_t shape[LUN_MAX_RANK + 1];
    bool other = false;
    int diverted = lun__record_call_shape(L, "random");
    if (diverted >= 0)
        return diverted;
    lun__lua_value_gather_shape(L, 1);
    lun__bind_count(L, "random", 2);
    lua_settop(L, 2);
    int rank = lun__lua_value_shape(L, 1, shape);
    h->seed += UINT64_C(0x9E3779B97F4A7C15);
    if (!lua_isnil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
            other |= !read_option(L, &o);
    }
    if (other) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &distributions);
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_pushinteger(L, (lua_Integer)o.seed);
        lua_call(L, 3, 1);
    } else {
        const bool complex = lun_dtype_kind(o.dtype) == LUN_KIND_COMPLEX;
        const lun_dtype t = complex ? lun_complex_part(o.dtype) : o.dtype;
        lun_array **out = lun__lua_array_new(L, h);
        lun_status s;
        shape[rank] = 2;
        LUN__TRY(s, lun_random(h->engine, rank + complex, shape, o.seed, o.dist, t, out));
        lun__error_check(L, h, s, 2);
        if (complex)
            lun__lua_complex_of_lanes(L, h, 2);
    }
    lun__lua_layout_apply(L, h, &o.layout, false, 2);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_make(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"vector", make_vector, 3},     {"zeros", make_zeros, LUN__ANY},
        {"ones", make_ones, LUN__ANY},  {"empty", make_empty, LUN__ANY},
        {"full", make_filled, 4},       {"range", make_range, 3},
        {"index", make_index, 1},       {"random", make_random, LUN__ANY},
        {"linspace", make_linspace, 4}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"distributions", set_distributions}, {NULL, NULL}};
    lun__register_offer(L, p, p->core, functions);
    lun__register(L, p, p->internal, internal);
}
