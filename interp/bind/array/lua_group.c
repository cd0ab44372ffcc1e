/* lua_group.c - groups of rows and joins for lua/lunarray/table/group.lua: a script's mistake is
 * returned as nil, a text and the number of the operand, everything else is raised. */
#include <string.h>

#include "bind/host/bind.h"

/* Returns `results` values on the top, or the mistake. */
static int finish(lua_State *L, lun__host *h, lun_status s, int results)
{
    switch (s) {
    case LUN_OK:
        lun__host_report_memory(L, h);
        return results;
    case LUN_EARG:
    case LUN_EDTYPE:
    case LUN_ESHAPE:
    case LUN_ERANGE:
    case LUN_EBOUNDS:
        lua_pushnil(L);
        lua_pushstring(L, lun_error_from(h->engine, 1));
        lua_pushinteger(L, lun_error_operand(h->engine));
        return 3;
    default:
        return lun__error_raise(L, h, s, 1);
    }
}

static lun_grouping *check_grouping(lua_State *L, lun__host *h, int i)
{
    const lun__box *box = lun__host_test(L, h, i, LUN__GROUPING, LUN__HELD_BYTES);
    if (!box || !lun__host_held_at(h, box->slot)->as.grouping)
        lun__error_bad_type(L, i, "group");
    return lun__host_held_at(h, box->slot)->as.grouping;
}

/* The Vectors in the table at i, borrowed: their number. The memory is Lua's. */
static int check_keys(lua_State *L, lun__host *h, int i, lun_array ***out)
{
    luaL_checktype(L, i, LUA_TTABLE);
    lua_Integer count = luaL_len(L, i);
    luaL_argcheck(L, count >= 0 && count < 1000, i, "too many keys");
    lun_array **keys = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *keys, 0);
    for (lua_Integer k = 0; k < count; k++) {
        lua_geti(L, i, k + 1);
        keys[k] = lun__lua_array_check(L, h, -1);
        lua_pop(L, 1); /* the table keeps it */
    }
    *out = keys;
    return (int)count;
}

/* internal.grouping(keys, first): groups, how many. */
static int grouping(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **keys;
    lua_settop(L, 2);
    int count = check_keys(L, h, 1, &keys);
    const unsigned flags = lua_toboolean(L, 2) ? LUN_GROUPING_FIRST : 0;
    lun__source_line_mark(L, h);
    lun__held *held = lun__host_new_held(L, h, LUN__GROUPING);
    lun_status s;
    LUN__TRY(s, lun_grouping_make(h->engine, keys, count, flags, &held->as.grouping));
    if (s == LUN_OK)
        lua_pushinteger(L, lun_grouping_groups(held->as.grouping));
    return finish(L, h, s, 2);
}

/* internal.grouping_of(codes, groups): the same of codes from 1 on. */
static int grouping_of(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *codes = lun__lua_array_check(L, h, 1);
    const lua_Integer groups = luaL_checkinteger(L, 2);
    lun__source_line_mark(L, h);
    lun__held *held = lun__host_new_held(L, h, LUN__GROUPING);
    lun_status s;
    LUN__TRY(s, lun_grouping_of(h->engine, codes, groups, 1, &held->as.grouping));
    if (s == LUN_OK)
        lua_pushinteger(L, groups);
    return finish(L, h, s, 2);
}

/* internal.grouping_array(group, what [, k]): "codes", "order", "counts", or "key" number k. */
static int grouping_array(lua_State *L)
{
    static const char *const names[] = {"codes", "order", "counts", "key", NULL};
    lun__host *h = lun__host_here(L);
    const lun_grouping *g = check_grouping(L, h, 1);
    const int what = luaL_checkoption(L, 2, NULL, names);
    const int k = (int)luaL_optinteger(L, 3, 1) - 1;
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_engine *e = h->engine;
    lun_status s;
    LUN__TRY(s, what == 0   ? lun_grouping_codes(e, g, 1, out)
                : what == 1 ? lun_grouping_order(e, g, 1, out)
                : what == 2 ? lun_grouping_counts(e, g, out)
                            : lun_grouping_key(e, g, k, out));
    return finish(L, h, s, 1);
}

/* internal.grouping_reduce(group, name, x, skipnan, ddof, propagate): lazy; name: of a
 * reduction, or "first", "last". */
static int grouping_reduce(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_grouping *g = check_grouping(L, h, 1);
    const char *name = luaL_checkstring(L, 2);
    lun_array *x = lun__lua_array_check(L, h, 3);
    lun_along_options options = {.size = sizeof options, .skipnan = lua_toboolean(L, 4)};
    (void)lun__lua_along_ddof(L, 5, &options);
    options.propagate = lua_toboolean(L, 6);
    const bool first = strcmp(name, "first") == 0, last = strcmp(name, "last") == 0;
    int which = 0;
    lun_reduction_info row = {.size = sizeof row};
    while (!first && !last && lun_reduction_describe((lun_reduction)which, &row) &&
           strcmp(row.name, name) != 0)
        which++;
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    if (first || last)
        LUN__TRY(s, lun_grouping_pick(h->engine, g, last, x, &options, out));
    else
        LUN__TRY(s, lun_grouping_reduce(h->engine, g, (lun_reduction)which, x, &options, out));
    return finish(L, h, s, 1);
}

/* internal.grouping_sort(group, x): lazy. */
static int grouping_sort(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_grouping *g = check_grouping(L, h, 1);
    lun_array *x = lun__lua_array_check(L, h, 2);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_grouping_sort(h->engine, g, x, out));
    return finish(L, h, s, 1);
}

/* internal.join(a, b, left, missing): the rows of both sides, from lists of keys; missing: missing
 * keys are equal. */
static int join(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **a, **b, *i = NULL, *j = NULL;
    lua_settop(L, 4);
    int count = check_keys(L, h, 1, &a);
    luaL_argcheck(L, check_keys(L, h, 2, &b) == count, 2, "another number of keys");
    lun__source_line_mark(L, h);
    lun__lua_array_new(L, h);
    lun__lua_array_new(L, h);
    const unsigned flags =
        (lua_toboolean(L, 3) ? LUN_JOIN_LEFT : 0u) | (lua_toboolean(L, 4) ? LUN_JOIN_MISSING : 0u);
    lun_status s;
    LUN__TRY(s, lun_join(h->engine, a, b, count, flags, 1, &i, &j));
    if (s == LUN_OK) {
        *lun__lua_array_slot(L, h, -2) = i;
        *lun__lua_array_slot(L, h, -1) = j;
    }
    return finish(L, h, s, 2);
}

void lun__open_group(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"grouping", grouping},
                                         {"grouping_of", grouping_of},
                                         {"grouping_array", grouping_array},
                                         {"grouping_reduce", grouping_reduce},
                                         {"grouping_sort", grouping_sort},
                                         {"join", join},
                                         {NULL, NULL}};
    lun__host_new_type(L, p->host_at, LUN__GROUPING, "group");
    lua_pop(L, 1);
    lun__register(L, p, p->internal, functions);
}
