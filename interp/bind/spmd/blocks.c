/* blocks.c - how blocked arrays are divided over ranks, for lua/lunarray/block/spread.lua: axes,
 * indices and places count from 1 there.  Knows no way of cutting. */
#include "bind/host/bind.h"

static const char type_name[] = "lunarray.blocks";

/* The list of integers at i, at most LUN_MAX_RANK; its length. */
static int read_list(lua_State *L, int i, int64_t *to)
{
    luaL_checktype(L, i, LUA_TTABLE);
    const lua_Unsigned n = lua_rawlen(L, i);
    luaL_argcheck(L, n <= LUN_MAX_RANK, i, "too many axes");
    for (lua_Unsigned k = 0; k < n; k++) {
        lua_rawgeti(L, i, (lua_Integer)k + 1);
        to[k] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    return (int)n;
}

static void push_list(lua_State *L, const int64_t *from, int count, int64_t more)
{
    lua_createtable(L, count, 0);
    for (int k = 0; k < count; k++) {
        lua_pushinteger(L, from[k] + more);
        lua_rawseti(L, -2, k + 1);
    }
}

/* cut(shape, axes, rule or nil, npes): the division, and the list of ranks along each axis. */
static int cut(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_blocking how = {.size = sizeof how, .rule = luaL_optstring(L, 3, NULL)};
    int64_t axes[LUN_MAX_RANK], grid[LUN_MAX_RANK];
    const int npes = (int)luaL_checkinteger(L, 4), count = read_list(L, 2, axes);
    how.rank = read_list(L, 1, how.extent);
    for (int k = 0; k < count; k++) {
        luaL_argcheck(L, axes[k] >= 1 && axes[k] <= how.rank, 2, "no such axis");
        how.blocked[axes[k] - 1] = true;
    }
    lun_blocks *b = lua_newuserdatauv(L, sizeof *b, 0);
    b->size = sizeof *b;
    luaL_newmetatable(L, type_name);
    lua_setmetatable(L, -2);
    lun_status s = lun_blocks_cut(h->engine, &how, npes, b);
    lun__error_check(L, h, s, 1);
    for (int d = 0; d < b->rank; d++)
        grid[d] = b->grid[d];
    push_list(L, grid, b->rank, 0);
    return 2;
}

const lun_blocks *lun__check_blocks(lua_State *L, int i)
{
    return luaL_checkudata(L, i, type_name);
}

/* box(blocks, pe): lists of the first index and the number of elements along each axis. */
static int box(lua_State *L)
{
    const lun_blocks *b = lun__check_blocks(L, 1);
    const lua_Integer pe = luaL_checkinteger(L, 2);
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    luaL_argcheck(L, pe >= 0 && pe < b->npes, 2, "no such PE");
    lun_blocks_box(b, (int)pe, first, count);
    push_list(L, first, b->rank, 1);
    push_list(L, count, b->rank, 0);
    return 2;
}

/* home(blocks, indices): the PE that has an element, and its indices there. */
static int home(lua_State *L)
{
    const lun_blocks *b = lun__check_blocks(L, 1);
    int64_t index[LUN_MAX_RANK], inside[LUN_MAX_RANK];
    luaL_argcheck(L, read_list(L, 2, index) == b->rank, 2, "an index for each axis expected");
    for (int d = 0; d < b->rank; d++) {
        luaL_argcheck(L, index[d] >= 1 && index[d] <= b->extent[d], 2, "no such element");
        index[d]--;
    }
    lua_pushinteger(L, lun_blocks_home(b, index, inside));
    push_list(L, inside, b->rank, 1);
    return 2;
}

/* whole(blocks, part [, doing, noun, options]): the array of everyone's parts, with the agreement
 * or after it. */
static int whole(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_blocks *b = lun__check_blocks(L, 1);
    const lun_said said = {sizeof said, lua_tostring(L, 3), luaL_optstring(L, 4, ""),
                           luaL_optstring(L, 5, NULL)};
    h->waiting = L;
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *part = lun__lua_array_check(L, h, 2);
    lun_status s;
    LUN__TRY(s, lun_data(h->engine, part, &(const void *){NULL})); /* evaluated, in so many tries */
    if (s == LUN_OK)
        s = lun_blocks_gather(h->engine, said.doing ? &said : NULL, b, part, out);
    return s == LUN_OK ? 1 : lun__spmd_fail(L, h, s);
}

/* Slices of ranks: bounds and shape at 1 and 2. */
static lun_slices read_slices(lua_State *L, lun__host *h)
{
    lun_slices at = {.size = sizeof at};
    const int count = lun_spmd_npes(h->engine) + 1;
    luaL_checktype(L, 1, LUA_TTABLE);
    int64_t *bound = lua_newuserdatauv(L, (size_t)count * sizeof *bound, 0);
    for (int k = 0; k < count; k++) {
        lua_rawgeti(L, 1, k + 1);
        bound[k] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    at.rank = read_list(L, 2, at.shape);
    at.bound = bound;
    return at;
}

/* over(bounds, shape, part): the array of everyone's parts, slices of its first axis. */
static int over(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_slices at = read_slices(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *part = lun__lua_array_check(L, h, 3);
    lun_status s;
    LUN__TRY(s, lun_over_ranks(h->engine, &at, part, out));
    return lun__lua_array_give(L, h, s, 3);
}

/* scan_rows(bounds, shape, part, f, first or nil, inclusive): this rank's part of the scan. */
static int scan_rows(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_slices at = read_slices(L, h);
    lun_function *f = lun__lua_function_at(L, h, 4, 2, true);
    h->waiting = L;
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *part = lun__lua_array_check(L, h, 3);
    lun_array *first = lua_isnil(L, 5) ? NULL : lun__lua_array_check(L, h, 5);
    const lun_status s = lun_scan_rows(h->engine, &at, part, f, first, lua_toboolean(L, 6), out);
    lun__host_collect_for(L, h, lun_size(part) * (int64_t)sizeof(double), true);
    return s == LUN_OK ? 1 : lun__spmd_fail(L, h, s);
}

/* own(all, array): this rank's part of an array divided as `all` is, or nil: it is on all ranks. */
static int own(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *all = lun__lua_array_check(L, h, 1), *a = lun__lua_array_check(L, h, 2);
    const lun_status s = lun_over_ranks_own(h->engine, all, a, out);
    if (s == LUN_OK && !*out)
        lua_pushnil(L);
    return lun__lua_array_give(L, h, s, 2);
}

/* together(f, ...): f(...), which evaluates arrays of everyone's parts. */
static int together(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    h->waiting = L;
    lun__source_line_mark(L, h);
    lun__error_check(L, h, lun_over_ranks_begin(h->engine), 1);
    const int how = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    lun_error_info error = {.size = sizeof error};
    (void)lun_error_get(h->engine, &error);
    const lun_status s = how == LUA_OK ? LUN_OK : how == LUA_ERRMEM ? LUN_ENOMEM : error.status;
    lun__host_collect_for(L, h, lun_over_ranks_end(h->engine, s), true);
    return how == LUA_OK ? lua_gettop(L) : lua_error(L);
}

void lun__open_blocks(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {
        {"cut", cut},   {"box", box}, {"home", home},         {"whole", whole},
        {"over", over}, {"own", own}, {"together", together}, {"scan_rows", scan_rows},
        {NULL, NULL}};
    lua_newtable(L);
    const char *name;
    int64_t value;
    for (int i = 0; lun_order_number(i, &name, &value); i++) {
        lua_pushinteger(L, (lua_Integer)value);
        lua_setfield(L, -2, name);
    }
    lua_setfield(L, p->internal, "order");
    lua_getfield(L, p->internal, "spmd");
    lun__register(L, p, lua_gettop(L), functions);
    lua_pop(L, 1);
}
