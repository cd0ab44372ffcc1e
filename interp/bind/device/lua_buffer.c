/* lua_buffer.c - lun.buffer and lun.copy: memory at a location, and copies by queues. */
#include <string.h>

#include "bind/host/bind.h"

/* ---- what the explicit layer shares ---------------------------------------------------------- */

const char *lun__lua_buffer_device(lua_State *L, int i)
{
    if (lua_type(L, i) == LUA_TTABLE) {
        if (lua_getfield(L, i, "place") != LUA_TSTRING)
            lun__blame_argument(L, i, "a table that is no row of lun.devices()");
        lua_replace(L, i);
    }
    if (lua_type(L, i) != LUA_TSTRING)
        lun__error_bad_type(L, i, "name of a device, or row of lun.devices(),");
    return lua_tostring(L, i);
}

lun__held *lun__lua_buffer_held(lua_State *L, lun__host *h, int i, lun__kind kind, const char *name)
{
    const lun__box *box = lun__host_test(L, h, i, kind, LUN__HELD_BYTES);
    if (!box)
        lun__error_bad_type(L, i, name);
    lun__held *held = lun__host_held_at(h, box->slot);
    if (!held->as.array)
        luaL_error(L, "attempt to use a closed %s", name);
    return held;
}

void lun__lua_buffer_methods(lua_State *L, const lun__parts *p, lun__kind kind, const char *name,
                             const lun__entry *methods)
{
    lun__host_new_type(L, p->host_at, kind, name);
    lua_newtable(L);
    lun__register_offer(L, p, lua_gettop(L), methods);
    lua_setfield(L, -2, "__index");
}

void lun__lua_buffer_check(lua_State *L, lun__host *h, lun_status s, const char *name)
{
    if (s == LUN_EFREED)
        luaL_error(L, "%s", lun_error_from(h->engine, 1));
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, 1, name);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static int64_t integer_option(lua_State *L, int at, const char *name)
{
    int exact = 0;
    const lua_Integer x = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || x < 1)
        lun__blame_argument(
            L, at,
            lua_pushfstring(L, "option %s: bytes, a positive integer, expected, got %s", name,
                            lun__error_push_shown(L, -1)));
    return x;
}

/* The text stays in the table. */
static const char *memory_option(lua_State *L, int at)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        lun__blame_argument(L, at,
                            lua_pushfstring(L, "option memory: a text expected, got %s",
                                            lun__error_push_shown(L, -1)));
    return lua_tostring(L, -1);
}

/* The table of options at 4, or at 3 where a dtype is left out. */
static lun_buffer_options buffer_options(lua_State *L)
{
    lun_buffer_options o = {.size = sizeof o};
    const int at = lua_type(L, 3) == LUA_TTABLE && lua_isnil(L, 4) ? 3 : 4;
    if (lua_isnil(L, at))
        return o;
    luaL_checktype(L, at, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
        const char *name = lun__lua_along_option(L, at, "pitch=4096, align=64, memory=pinned");
        if (strcmp(name, "memory") == 0)
            o.memory = memory_option(L, at);
        else if (strcmp(name, "pitch") == 0)
            o.pitch = integer_option(L, at, name);
        else
            o.align = integer_option(L, at, name);
    }
    return o;
}

/* lun.buffer(device, extents [, dtype] [, {pitch=, align=, memory=}]) */
static int buffer(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t extent[LUN_MAX_RANK];
    lua_settop(L, 4);
    const char *device = lun__lua_buffer_device(L, 1);
    const int rank = lun__lua_value_shape(L, 2, extent);
    const lun_buffer_options options = buffer_options(L);
    const bool given = lua_type(L, 3) != LUA_TTABLE && !lua_isnil(L, 3);
    const lun_dtype t = given ? lun__lua_value_dtype(L, 3) : LUN_F64;
    lun__held *held = lun__host_new_held(L, h, LUN__BUFFER);
    lun_status s;
    LUN__TRY(s, lun_buffer_make(h->engine, device, rank, extent, t, &options, &held->as.buffer));
    lun__lua_buffer_check(L, h, s, "buffer");
    lun__host_report_memory(L, h);
    return 1;
}

/* The buffer at 1, with its memory not freed. */
static lun_memory *live(lua_State *L, lun_buffer_info *info)
{
    lun__host *h = lun__host_here(L);
    lun_memory *b = lun__lua_buffer_held(L, h, 1, LUN__BUFFER, "buffer")->as.buffer;
    *info = (lun_buffer_info){.size = sizeof *info};
    lun_buffer_get(b, info);
    if (info->freed)
        luaL_error(L, "attempt to use a freed buffer");
    return b;
}

static int extents(lua_State *L)
{
    lun_buffer_info info;
    (void)live(L, &info);
    for (int k = 0; k < info.rank; k++)
        lua_pushinteger(L, info.extent[k]);
    return info.rank;
}

static int dtype(lua_State *L)
{
    lun_buffer_info info;
    (void)live(L, &info);
    lua_pushstring(L, lun_dtype_name(info.dtype));
    return 1;
}

static int device(lua_State *L)
{
    lun_buffer_info info;
    (void)live(L, &info);
    lua_pushstring(L, info.device);
    return 1;
}

static int pitch(lua_State *L)
{
    lun_buffer_info info;
    (void)live(L, &info);
    lua_pushinteger(L, info.pitch);
    return 1;
}

static int memory(lua_State *L)
{
    lun_buffer_info info;
    (void)live(L, &info);
    lua_pushstring(L, info.memory);
    return 1;
}

static int free_buffer(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_buffer_free(lun__lua_buffer_held(L, h, 1, LUN__BUFFER, "buffer")->as.buffer);
    return 0;
}

static int buffer_text(lua_State *L)
{
    lun__host *h = lua_touserdata(L, lua_upvalueindex(1));
    lun_buffer_info info = {.size = sizeof info};
    const lun__box *box = lun__host_test(L, h, 1, LUN__BUFFER, LUN__HELD_BYTES);
    if (box && h->engine)
        lun_buffer_get(lun__host_held_at(h, box->slot)->as.buffer, &info);
    if (!info.rank || info.freed) {
        lua_pushliteral(L, "freed buffer");
        return 1;
    }
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    lua_pushfstring(L, "buffer %s[", lun_dtype_name(info.dtype));
    luaL_addvalue(&text);
    for (int k = 0; k < info.rank; k++) {
        lua_pushfstring(L, "%s%I", k ? ", " : "", (lua_Integer)info.extent[k]);
        luaL_addvalue(&text);
    }
    lua_pushfstring(L, "] on %s", info.device);
    luaL_addvalue(&text);
    luaL_pushresult(&text);
    return 1;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The buffer or array at i. */
static lun_copy_side check_side(lua_State *L, lun__host *h, int i)
{
    lun_copy_side side = {.size = sizeof side};
    if (lun__host_test(L, h, i, LUN__BUFFER, LUN__HELD_BYTES))
        side.buffer = lun__lua_buffer_held(L, h, i, LUN__BUFFER, "buffer")->as.buffer;
    else if (lun__lua_array_is(L, h, i))
        side.array = lun__lua_array_check(L, h, i);
    else
        lun__error_bad_type(L, i, "buffer or array");
    return side;
}

static int rank_of(const lun_copy_side *side)
{
    lun_buffer_info info = {.size = sizeof info};
    int64_t shape[LUN_MAX_RANK];
    if (!side->buffer)
        return lun_shape(side->array, shape);
    lun_buffer_get(side->buffer, &info);
    return info.rank;
}

/* As many integers as there are axes, at i: a number, or a list. */
static void check_integers(lua_State *L, int i, int rank, const char *what, int64_t *out)
{
    const bool list = lua_type(L, i) == LUA_TTABLE;
    if (!list && lua_type(L, i) != LUA_TNUMBER)
        lun__error_bad_type(L, i, "number or list of numbers");
    if ((list ? (lua_Integer)lua_rawlen(L, i) : 1) != rank)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "%s: %d number%s expected, one for each axis", what,
                                            rank, rank == 1 ? "" : "s"));
    for (int k = 0; k < rank; k++) {
        int exact;
        if (list)
            lua_rawgeti(L, i, k + 1);
        else
            lua_pushvalue(L, i);
        out[k] = lua_tointegerx(L, -1, &exact);
        if (lua_type(L, -1) != LUA_TNUMBER || !exact)
            lun__blame_argument(L, i,
                                lua_pushfstring(L, "%s: an integer expected, got %s", what,
                                                lun__error_push_shown(L, -1)));
        lua_pop(L, 1);
    }
}

/* Where a side begins, counted from 1, at i. */
static void check_from(lua_State *L, int i, int rank, const char *what, lun_copy_side *side)
{
    if (lua_isnil(L, i))
        return;
    check_integers(L, i, rank, what, side->from);
    for (int k = 0; k < rank; k++)
        if (side->from[k]-- < 1)
            lun__blame_argument(L, i, lua_pushfstring(L, "%s: elements count from 1", what));
}

/* lun.copy(q, dst, src [, extents [, dst_from, src_from]]) */
static int copy(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t extent[LUN_MAX_RANK];
    lua_settop(L, 6);
    lun_copy_side to = check_side(L, h, 2), from = check_side(L, h, 3);
    const int rank = rank_of(&from);
    const bool given = !lua_isnil(L, 4);
    if (given)
        check_integers(L, 4, rank, "extents", extent);
    check_from(L, 5, rank_of(&to), "where the target begins", &to);
    check_from(L, 6, rank, "where the source begins", &from);
    lun__source_line_mark(L, h);
    lun_queue *q = lun__lua_buffer_held(L, h, 1, LUN__QUEUE, "queue")->as.queue;
    lun_status s;
    LUN__TRY(s, lun_queue_copy(q, &to, &from, given ? extent : NULL));
    if (s != LUN_OK && s != LUN_EFREED)
        lun__error_raise_as(L, h, s, 2, "copy");
    lun__lua_buffer_check(L, h, s, "copy");
    lun__host_report_memory(L, h);
    return 0;
}

void lun__open_buffer(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"buffer", buffer, 4}, {"copy", copy, 6}, {NULL, NULL, 0}};
    static const lun__entry methods[] = {{"extents", extents, 1}, {"dtype", dtype, 1},
                                         {"device", device, 1},   {"pitch", pitch, 1},
                                         {"memory", memory, 1},   {"free", free_buffer, 1},
                                         {NULL, NULL, 0}};
    static const luaL_Reg meta[] = {{"__tostring", buffer_text}, {NULL, NULL}};
    lun__lua_buffer_methods(L, p, LUN__BUFFER, "buffer", methods);
    lun__register(L, p, lua_gettop(L), meta);
    lua_pop(L, 1);
    lun__register_offer(L, p, p->core, functions);
}
