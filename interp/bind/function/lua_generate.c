/* lua_generate.c - lun.generate and lun.each: functions called for indices.  Reads shapes and
 * options; functions are lua_function.c's. */
#include <stdio.h>
#include <string.h>

#include "bind/function/lua_skeleton.h"
#include "luafn/luafn.h"

/* The indices of the call: first[k] .. first[k] + extent[k] - 1 along axis k. */
typedef struct ranges {
    int rank;
    int64_t first[LUN_MAX_RANK], extent[LUN_MAX_RANK];
} ranges;

/* The integer at i, which is `what` of an axis. */
static int64_t integer(lua_State *L, int i, int arg, int axis, const char *what)
{
    int exact = 0;
    lua_Integer n = lua_type(L, i) == LUA_TNUMBER ? lua_tointegerx(L, i, &exact) : 0;
    if (!exact)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "axis %d: %s is an integer, got %s", axis, what,
                                            lun__error_push_shown(L, i)));
    return n;
}

/* Adds the axis that is at the top, a number or {first, last}. */
static void read_axis(lua_State *L, int arg, ranges *r)
{
    int64_t *first = &r->first[r->rank], *extent = &r->extent[r->rank];
    int axis = ++r->rank, at = lua_gettop(L);
    *first = 1;
    if (lua_type(L, at) != LUA_TTABLE) {
        *extent = integer(L, at, arg, axis, "an extent");
        if (*extent < 0)
            lun__blame_argument(L, arg,
                                lua_pushfstring(L, "axis %d: the extent is negative: %I", axis,
                                                (lua_Integer)*extent));
        return;
    }
    if (lua_rawlen(L, at) != 2)
        lun__blame_argument(L, arg, lua_pushfstring(L, "axis %d: {first, last} expected", axis));
    lua_rawgeti(L, at, 1);
    *first = integer(L, at + 1, arg, axis, "the first index");
    lua_rawgeti(L, at, 2);
    int64_t last = integer(L, at + 2, arg, axis, "the last index");
    *extent = 0;
    if (last >= *first && (__builtin_sub_overflow(last, *first, extent) ||
                           __builtin_add_overflow(*extent, 1, extent)))
        lun__blame_argument(L, arg, "too many elements");
}

/* The shape at arg: a number, or a table of axes. */
static void read_ranges(lua_State *L, int arg, ranges *r)
{
    int top = lua_gettop(L);
    r->rank = 0;
    if (lua_type(L, arg) == LUA_TNUMBER) {
        lua_pushvalue(L, arg);
        read_axis(L, arg, r);
        lua_settop(L, top);
        return;
    }
    if (lua_type(L, arg) != LUA_TTABLE)
        lun__error_bad_type(L, arg, "number of elements or table of extents");
    lua_Unsigned n = lua_rawlen(L, arg);
    if (n < 1 || n > LUN_MAX_RANK)
        lun__blame_argument(
            L, arg,
            lua_pushfstring(L, "1 to %d extents expected, got %I", LUN_MAX_RANK, (lua_Integer)n));
    for (int k = 1; k <= (int)n; k++) {
        lua_rawgeti(L, arg, k);
        read_axis(L, arg, r);
        lua_settop(L, top);
    }
}

/* What lun.generate makes. */
typedef struct generation {
    ranges r;
    lun__skeleton k; /* its dtypes */
} generation;

static int build_generated(lua_State *L, lun__host *h, int function, const void *data)
{
    const generation *of = data;
    const ranges *r = &of->r;
    lun_array *outs[LUN_MAX_OUTPUTS];
    int room = 1, results = 1;
    lun_status s;
    lua_copy(L, function, 2); /* so that messages number this argument */
    lun_function *f = lun__lua_function_at(L, h, 2, r->rank, false);
    int first = lua_gettop(L) + 1;
    lun__lua_array_new(L, h);
    if (luafn_compile_returned(L))
        lua_pop(L, 1);
    (void)luafn_compile_pairs(L);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun_generate(h->engine, f, r->rank, r->first, r->extent, outs, room, &results));
    if (s == LUN_EARG && results > room && results <= LUN_MAX_OUTPUTS) {
        luaL_checkstack(L, results, "too many results");
        for (; room < results; room++)
            lun__lua_array_new(L, h);
        LUN__TRY(s, lun_generate(h->engine, f, r->rank, r->first, r->extent, outs, room, &results));
    }
    const int wide = s != LUN_OK ? lun__record_too_wide(L, LUN_MAX_OUTPUTS) : 0;
    if (wide) {
        lun__lua_skeleton_check_out(L, &of->k, of->k.name, wide);
        lua_pushvalue(L, 2);
        return lun__record_in_groups(L, h, LUN_MAX_OUTPUTS, false, build_generated, data);
    }
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, s == LUN_EARG || s == LUN_EDTYPE ? 2 : 1, "generate");
    for (int i = 0; i < results; i++)
        *lun__lua_array_slot(L, h, first + i) = outs[i];
    const uint32_t pairs = luafn_compile_pairs(L);
    if (pairs)
        results = lun__lua_complex_pairs(L, h, first, results, pairs);
    lun__lua_skeleton_convert(L, h, &of->k, of->k.name, first, results, 2);
    return luafn_compile_returned(L) ? lun__record_gather(L, first) : results;
}

/* lun.generate(shape, f [, {out=}]): element (i, j, ...) is f(i, j, ...). */
static int generate(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    generation of = {.k.name = "generate"};
    const int diverted = lun__record_call_shape(L, "generate");
    if (diverted >= 0)
        return diverted;
    lua_settop(L, 3);
    read_ranges(L, 1, &of.r);
    lun__lua_skeleton_out(L, &of.k, 3);
    if (!lun__lua_variant_is(L, h, 2))
        return build_generated(L, h, 2, &of);
    lua_pushvalue(L, 2);
    return lun__lua_variant_run(L, h, 4, "generate", 2, build_generated, &of);
}

/* An integer of 1 or more at the top, the option `what` of the table at arg. */
static int64_t positive(lua_State *L, int arg, const char *what)
{
    int exact = 0;
    lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || n < 1)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "%s: an integer of 1 or more expected, got %s", what,
                                            lun__error_push_shown(L, -1)));
    return n;
}

static void read_tile(lua_State *L, int arg, int rank, lun_each_options *o)
{
    const int at = lua_gettop(L);
    if (lua_type(L, at) != LUA_TTABLE || (lua_Integer)lua_rawlen(L, at) != rank)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L,
                                            "tile: a list of %d number%s expected, one for each "
                                            "axis",
                                            rank, rank == 1 ? "" : "s"));
    for (int k = 0; k < rank; k++) {
        lua_rawgeti(L, at, k + 1);
        o->tile[k] = positive(L, arg, "tile");
        lua_pop(L, 1);
    }
}

/* {tile={...}, schedule="static", chunk=n} at arg, of a loop over so many axes. */
static lun_each_options each_options(lua_State *L, int arg, int rank)
{
    lun_each_options o = {.size = sizeof o};
    if (lua_isnil(L, arg))
        return o;
    luaL_checktype(L, arg, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1)) {
        const char *name =
            lun__lua_along_option(L, arg, "tile={16, 64}, schedule=\"dynamic\", chunk=4096");
        if (!strcmp(name, "tile"))
            read_tile(L, arg, rank, &o);
        else if (!strcmp(name, "chunk"))
            o.chunk = positive(L, arg, "chunk");
        else if (lua_type(L, -1) != LUA_TSTRING || (strcmp(lua_tostring(L, -1), "static") != 0 &&
                                                    strcmp(lua_tostring(L, -1), "dynamic") != 0))
            lun__blame_argument(L, arg, "schedule: \"static\" or \"dynamic\" expected");
        else
            o.dynamic = lua_tostring(L, -1)[0] == 'd';
    }
    return o;
}

/* Whether the argument at i is passed to the C text: else it is options. */
static bool is_given(lua_State *L, lun__host *h, int i)
{
    const int type = lua_type(L, i);
    return type == LUA_TNUMBER || type == LUA_TBOOLEAN || lun__lua_array_is(L, h, i);
}

/* lun.each(shape, text [, options], args...): C text without a result, with arguments from `first`
 * on. */
static int each_text(lua_State *L, lun__host *h, const ranges *r, const lun_each_options *o,
                     int first)
{
    lun_array *args[LUN_MAX_OPERANDS];
    bool own[LUN_MAX_OPERANDS];
    const int count = lua_gettop(L) - first + 1;
    int taken = 0;
    lun_status s = LUN_OK;
    if (count > LUN_MAX_OPERANDS)
        return luaL_error(L, "bad argument to 'each' (more than %d arguments)", LUN_MAX_OPERANDS);
    for (int k = 0; k < count; k++) {
        if (!is_given(L, h, first + k))
            lun__error_bad_type(L, first + k, "array or number");
        (void)lun__lua_array_operand(L, h, first + k);
    }
    lun_function *f = lun__lua_function_at(L, h, 2, r->rank, false);
    lun__source_line_mark(L, h);
    for (; s == LUN_OK && taken < count; taken += s == LUN_OK)
        s = lun__lua_array_load(L, h, first + taken, &args[taken], &own[taken]);
    if (s == LUN_OK)
        s = lun_each(h->engine, f, r->rank, r->first, r->extent, o, args, count);
    while (taken-- > 0)
        if (own[taken])
            lun_release(args[taken]);
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, s == LUN_EARG || s == LUN_EDTYPE ? 2 : 1, "each");
    lun__host_report_memory(L, h);
    return 0;
}

/* lun.each(shape, f [, options]): f(i, j, ...), which assigns elements of arrays that it
 * captures. */
static int each(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    ranges r;
    lun_status s;
    lun__lua_variant_settle(L, h, 2);
    const bool text = lua_type(L, 2) == LUA_TSTRING;
    if (text && lun__record_one_among(L, 3))
        return lun__record_call_text(L, "each");
    if (!text && lua_gettop(L) > 3)
        return luaL_error(L, "wrong number of arguments to 'each' (at most 3 expected, got %d)",
                          lua_gettop(L));
    read_ranges(L, 1, &r);
    if (!text && (!lua_isfunction(L, 2) || lua_iscfunction(L, 2)))
        lun__error_bad_type(L, 2, "Lua function or C source");
    const bool options = lua_gettop(L) > 2 && (!text || !is_given(L, h, 3));
    const lun_each_options o =
        options ? each_options(L, 3, r.rank) : (lun_each_options){.size = sizeof o};
    if (text)
        return each_text(L, h, &r, &o, options ? 4 : 3);
    lun_function *f = lun__lua_function_at(L, h, 2, r.rank, false);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun_each(h->engine, f, r.rank, r.first, r.extent, &o, NULL, 0));
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, s == LUN_EARG || s == LUN_EDTYPE ? 2 : 1, "each");
    lun__host_report_memory(L, h);
    return 0;
}

void lun__open_generate(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"generate", generate, 3}, {"each", each, LUN__ANY}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
}
