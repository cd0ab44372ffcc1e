/* text_columns.c - columns of text as lists of Lua's, for lua/lunarray: a table whose metatable has
 * the cells as bytes and gives single strings. Where a script writes to it, runs through it with
 * pairs or asks for many of them, the table gets all of its strings and loses the metatable: then
 * it is a plain list. Knows no format of files. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file/text_columns.h"

/* Strings that are given one by one, besides once the whole column, before all are made: a loop
 * costs a fifth of what making all does. */
enum { SERVED = 1000 };

/* The field of the metatable that has the column: its address. */
static const char column_key;

/* ---- memory ---------------------------------------------------------------------------------- */

lun__column *lun__column_new(lun__host *h)
{
    lun__column *c = calloc(1, sizeof *c);
    if (c)
        c->host = h;
    return c;
}

void lun__column_end(lun__column *c)
{
    if (!c)
        return;
    for (int64_t k = 0; c->host->engine && k < c->count; k++)
        lun_blank_drop(c->host->engine, c->blanks[k]);
    free(c->blanks);
    lun__texts_clear(&c->texts);
    free(c);
}

lun_status lun__column_add(lun__column *c, const lun__texts_part *parts, int64_t count)
{
    lun_engine *e = c->host->engine;
    size_t bytes = 2 * LUN__TEXTS_MARGIN;
    void *memory;
    for (int64_t k = 0; k < count; k++)
        bytes += lun__texts_size(&parts[k]);
    if (c->count == c->room) {
        int64_t room = 2 * c->room + 16;
        lun_blank **blanks = realloc(c->blanks, (size_t)room * sizeof *blanks);
        if (!blanks)
            return LUN_ENOMEM;
        c->blanks = blanks;
        c->room = room;
    }
    lun_status s = lun_blank_new(e, (int64_t)bytes, 1, &c->blanks[c->count], &memory);
    if (s != LUN_OK)
        return s;
    c->count++;
    return lun__texts_add(&c->texts, parts, count, memory) ? LUN_OK : LUN_ENOMEM;
}

/* A userdata that owns a column. */
typedef struct owner {
    lun__column *column;
} owner;

static int end_owner(lua_State *L)
{
    owner *o = lua_touserdata(L, 1);
    lun__column_end(o->column);
    o->column = NULL;
    return 0;
}

static owner *push_owner(lua_State *L)
{
    owner *o = lua_newuserdatauv(L, sizeof *o, 0);
    o->column = NULL;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_owner);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return o;
}

/* ---- strings --------------------------------------------------------------------------------- */

static void push_text(lua_State *L, const lun__texts_part *p, int64_t level)
{
    lun__text t = lun__texts_kept(p, level);
    lua_pushlstring(L, t.at, t.length);
}

/* Puts the string on the top into the table at `list`, if that has none there. */
static void put(lua_State *L, int list, int64_t row, bool empty)
{
    if (!empty && lua_rawgeti(L, list, row) != LUA_TNIL) {
        lua_pop(L, 2);
        return;
    }
    if (!empty)
        lua_pop(L, 1);
    lua_rawseti(L, list, row);
}

/* The strings of a part that has numbers are made once: those of its texts, in a table. */
static void put_coded(lua_State *L, int list, const lun__texts_part *p, bool empty)
{
    lua_createtable(L, (int)p->levels, 0);
    for (int64_t k = 0; k < p->levels; k++) {
        push_text(L, p, k);
        lua_rawseti(L, -2, k + 1);
    }
    int levels = lua_gettop(L);
    for (int64_t i = 0; i < p->count; i++) {
        lua_rawgeti(L, levels, p->codes[i] + 1);
        put(L, list, p->first + i + 1, empty);
    }
    lua_pop(L, 1);
}

/* (list, column): the strings into the list. */
static int fill_list(lua_State *L)
{
    const lun__column *c = lua_touserdata(L, 2);
    lun_status s = LUN_OK;
    lua_pushnil(L);
    bool empty = lua_next(L, 1) == 0;
    lua_settop(L, 1);
    for (int64_t k = 0; k < c->texts.count; k++) {
        const lun__texts_part *p = &c->texts.parts[k];
        if (p->codes)
            put_coded(L, 1, p, empty);
        for (int64_t i = 0; !p->codes && i < p->count; i++) {
            push_text(L, p, i);
            put(L, 1, p->first + i + 1, empty);
        }
        s = lun_host_check(c->host->engine);
        if (s != LUN_OK)
            return lun__raise_stop(L, s);
    }
    return 0;
}

/* Gives the table at i the strings of the column, which is on the top; no metatable is left. */
static void make_plain(lua_State *L, int i, lun__column *c)
{
    if (!c->host->engine)
        return;
    luaL_checkstack(L, 8, NULL);
    i = lua_absindex(L, i);
    bool runs = lua_gc(L, LUA_GCISRUNNING) == 1;
    lua_pushcfunction(L, fill_list);
    lua_pushvalue(L, i);
    lua_pushlightuserdata(L, c);
    if (runs) /* all that is made here stays; a collector would look at it again and again */
        lua_gc(L, LUA_GCSTOP);
    int failed = lua_pcall(L, 2, 0, 0);
    if (runs)
        lua_gc(L, LUA_GCRESTART);
    if (failed)
        lua_error(L);
    lua_pushnil(L);
    lua_setmetatable(L, i);
}

lun__column *lun__to_column(lua_State *L, int i)
{
    i = lua_absindex(L, i);
    if (!lua_istable(L, i) || !lua_getmetatable(L, i))
        return NULL;
    const owner *o =
        lua_rawgetp(L, -1, &column_key) == LUA_TUSERDATA ? lua_touserdata(L, -1) : NULL;
    lun__column *c = o ? o->column : NULL;
    lua_remove(L, -2);
    if (c) {
        lua_pushnil(L);
        if (lua_next(L, i) == 0)
            return c;
        lua_pop(L, 2); /* something was put there past the metatable */
        make_plain(L, i, c);
    }
    lua_pop(L, 1);
    return NULL;
}

void lun__make_list(lua_State *L, int i)
{
    i = lua_absindex(L, i);
    lun__column *c = lun__to_column(L, i);
    if (c) {
        make_plain(L, i, c);
        lua_pop(L, 1);
    }
}

/* ---- what stands for a list's own doing ------------------------------------------------------ */

/* The column of the running function. */
static lun__column *column_here(lua_State *L)
{
    return ((owner *)lua_touserdata(L, lua_upvalueindex(1)))->column;
}

/* Fields of the table (at 1), which is the column's list, unless it was given this function. */
static bool is_list(lua_State *L)
{
    lun__column *c = lun__to_column(L, 1);
    lua_settop(L, c ? lua_gettop(L) - 1 : lua_gettop(L));
    return c && c == column_here(L);
}

/* __index(list, key) */
static int get(lua_State *L)
{
    int whole;
    lun__column *c = column_here(L);
    lua_Integer i = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &whole) : (whole = 0);
    if (!whole || !c || !c->host->engine || i < 1 || i > c->texts.rows)
        return 0;
    if (++c->served > SERVED + c->texts.rows && is_list(L)) {
        lun__make_list(L, 1);
        lua_rawgeti(L, 1, i);
        return 1;
    }
    c->part = lun__texts_find(&c->texts, i - 1, c->part);
    const lun__texts_part *p = &c->texts.parts[c->part];
    push_text(L, p, lun__texts_level(p, i - 1 - p->first));
    return 1;
}

/* __newindex(list, key, value) */
static int set(lua_State *L)
{
    if (is_list(L))
        lun__make_list(L, 1);
    if (lua_isnil(L, 2))
        return luaL_error(L, "table index is nil");
    if (lua_type(L, 2) == LUA_TNUMBER && lua_tonumber(L, 2) != lua_tonumber(L, 2))
        return luaL_error(L, "table index is NaN");
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
}

/* __len(list) */
static int length(lua_State *L)
{
    const lun__column *c = column_here(L);
    lua_pushinteger(L, is_list(L) && c ? c->texts.rows : (lua_Integer)lua_rawlen(L, 1));
    return 1;
}

static int next(lua_State *L)
{
    lua_settop(L, 2);
    return lua_next(L, 1) ? 2 : (lua_pushnil(L), 1);
}

/* __pairs(list) */
static int all(lua_State *L)
{
    if (is_list(L))
        lun__make_list(L, 1);
    lua_pushcfunction(L, next);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

void lun__push_column(lua_State *L, lun__column **c)
{
    static const luaL_Reg methods[] = {
        {"__index", get}, {"__newindex", set}, {"__len", length}, {"__pairs", all}, {NULL, NULL}};
    luaL_checkstack(L, 8, NULL);
    lua_createtable(L, 0, 0);
    lua_createtable(L, 0, 6);
    owner *o = push_owner(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, &column_key);
    luaL_setfuncs(L, methods, 1);
    lua_pushliteral(L, "texts");
    lua_setfield(L, -2, "__metatable");
    o->column = *c;
    *c = NULL;
    lua_setmetatable(L, -2);
}

void lun__share_texts(void *h, int64_t count, void *of, void (*task)(void *of, int64_t k))
{
    lun_host_share(((lun__host *)h)->engine, count, of, task);
}

/* internal.texts(value): the number of rows of a column without strings, nil for anything else. */
static int texts(lua_State *L)
{
    const lun__column *c = lun__to_column(L, 1);
    if (!c)
        return 0;
    lua_pushinteger(L, c->texts.rows);
    return 1;
}

void lun__open_texts(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {{"texts", texts}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
