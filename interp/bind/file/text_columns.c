/* text_columns.c - columns of text as lists of Lua's, for lua/lunarray: a table whose metatable has
 * the cells as bytes and gives single strings. Where a script writes to it, runs through it with
 * pairs or asks for many of them, the table gets all of its strings and loses the metatable: then
 * it is a plain list.
 *
 * Invariant: the table of a column is empty while it has the metatable, whose field column_key is
 * the userdata that owns the column; a plain list has neither. blanks[k] is the memory of the k-th
 * call of lun__text_column_add, and all cells lie in these. Cells never change. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file/text_columns.h"

/* Strings given one by one, beyond one pass over the column, before all are made: a pass costs a
 * fifth of making all. */
enum { SERVED = 1000 };

/* The field of the metatable that has the column: its address. */
static const char column_key;

/* ---- memory ---------------------------------------------------------------------------------- */

lun__column *lun__text_column_new(lun__host *h)
{
    lun__column *c = calloc(1, sizeof *c);
    if (c)
        c->host = h;
    return c;
}

void lun__text_column_end(lun__column *c)
{
    if (!c)
        return;
    for (int64_t k = 0; c->host->engine && k < c->count; k++)
        lun_blank_drop(c->host->engine, c->blanks[k]);
    free(c->blanks);
    lun__texts_clear(&c->texts);
    free(c);
}

lun_status lun__text_column_add(lun__column *c, const lun__texts_part *parts, int64_t count)
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
    lun__text_column_end(o->column);
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
            return lun__error_raise_stop(L, s);
    }
    return 0;
}

/* Fills the table at i with the strings of the column, which is on the top, and removes the
 * metatable. */
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
    if (runs) /* all strings made here stay alive; a collector would traverse them repeatedly */
        lua_gc(L, LUA_GCSTOP);
    int failed = lua_pcall(L, 2, 0, 0);
    if (runs)
        lua_gc(L, LUA_GCRESTART);
    if (failed)
        lua_error(L);
    lua_pushnil(L);
    lua_setmetatable(L, i);
}

lun__column *lun__text_column_at(lua_State *L, int i)
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
        lua_pop(L, 2); /* a script has written by rawset */
        make_plain(L, i, c);
    }
    lua_pop(L, 1);
    return NULL;
}

void lun__text_column_list(lua_State *L, int i)
{
    i = lua_absindex(L, i);
    lun__column *c = lun__text_column_at(L, i);
    if (c) {
        make_plain(L, i, c);
        lua_pop(L, 1);
    }
}

/* ---- metamethods of a list ------------------------------------------------------------------- */

/* The column of the running function. */
static lun__column *column_here(lua_State *L)
{
    return ((owner *)lua_touserdata(L, lua_upvalueindex(1)))->column;
}

/* Whether the table at 1 is the column's list; a script may call a metamethod with another one. */
static bool is_list(lua_State *L)
{
    lun__column *c = lun__text_column_at(L, 1);
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
        lun__text_column_list(L, 1);
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
        lun__text_column_list(L, 1);
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
        lun__text_column_list(L, 1);
    lua_pushcfunction(L, next);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

void lun__text_column_push(lua_State *L, lun__column **c)
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

void lun__text_column_share(void *h, int64_t count, void *of, void (*task)(void *of, int64_t k))
{
    lun_host_share(((lun__host *)h)->engine, count, of, task);
}

/* internal.texts(value): the number of rows of a column without strings, nil for anything else. */
static int texts(lua_State *L)
{
    const lun__column *c = lun__text_column_at(L, 1);
    if (!c)
        return 0;
    lua_pushinteger(L, c->texts.rows);
    return 1;
}

/* ---- rows of a column ------------------------------------------------------------------------ */

/* They are looked up and packed on all threads; no strings are made. */
enum {
    TAKEN = 8192, /* rows that a task takes */
    TASKS = 16
};

/* A batch of rows taken from a column, each task into its own memory. */
typedef struct taking {
    const lun__column *from;
    lun__column *to;
    int64_t *rows; /* from 1; 0: a missing one */
    int64_t first, count;
    void *rooms[TASKS];
    lun__texts_part parts[TASKS];
} taking;

static void take_rows(void *of, int64_t task)
{
    taking *t = of;
    const lun__texts *from = &t->from->texts;
    int64_t first = task * TAKEN, last = t->count - first < TAKEN ? t->count : first + TAKEN;
    int64_t part = 0, n = last - first;
    size_t bytes = 0;
    lun__text *texts = malloc((size_t)n * sizeof *texts);
    free(t->rooms[task]);
    t->rooms[task] = NULL;
    for (int64_t r = first; texts && r < last; r++) {
        int64_t row = t->rows[r];
        texts[r - first] = (lun__text){.at = ""};
        if (row < 1 || row > from->rows)
            continue;
        part = lun__texts_find(from, row - 1, part);
        const lun__texts_part *p = &from->parts[part];
        lun__text x = lun__texts_kept(p, lun__texts_level(p, row - 1 - p->first));
        x.hash = lun__texts_hash(x.at, x.length);
        texts[r - first] = x;
        bytes += x.length;
    }
    if (texts && bytes < UINT32_MAX)
        t->rooms[task] = malloc(lun__texts_room(n, bytes) + 1);
    if (t->rooms[task])
        lun__texts_pack(texts, t->first + first, n, t->rooms[task], &t->parts[task]);
    free(texts);
}

static int end_taking(lua_State *L)
{
    taking *t = lua_touserdata(L, 1);
    for (int k = 0; k < TASKS; k++)
        free(t->rooms[k]);
    free(t->rows);
    lun__text_column_end(t->to);
    memset(t, 0, sizeof *t);
    return 0;
}

static taking *new_taking(lua_State *L)
{
    taking *t = lua_newuserdatauv(L, sizeof *t, 0);
    memset(t, 0, sizeof *t);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_taking);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    t->rows = malloc(sizeof *t->rows * TAKEN * TASKS);
    if (!t->rows)
        luaL_error(L, "not enough memory");
    return t;
}

/* Takes the rows of a batch; the array of their numbers is at 2. */
static lun_status take_batch(lua_State *L, lun__host *h, taking *t)
{
    lun_status s;
    int64_t tasks = (t->count + TAKEN - 1) / TAKEN;
    LUN__TRY(s, lun_read(h->engine, lun__lua_array_check(L, h, 2), t->rows, t->first, t->count));
    if (s != LUN_OK)
        return s;
    lun_host_share(h->engine, tasks, t, take_rows);
    for (int64_t k = 0; k < tasks; k++)
        if (!t->rooms[k])
            return LUN_ENOMEM;
    LUN__TRY(s, lun__text_column_add(t->to, t->parts, tasks));
    return s == LUN_OK ? lun_host_check(h->engine) : s;
}

/* internal.texts_take(list, rows): of a column without strings those of an i64 Vector of row
 * numbers, "" for 0; nil for any other list. */
static int texts_take(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 2);
    const lun__column *from = lun__text_column_at(L, 1);
    if (!from)
        return 0;
    lun_array *rows = lun__lua_array_check(L, h, 2);
    int64_t n = lun_size(rows);
    lun_dtype type = lun_dtype_of(rows);
    luaL_argcheck(L, lun_dtype_kind(type) == LUN_KIND_SIGNED && lun_dtype_size(type) == 8, 2,
                  "not i64");
    taking *t = new_taking(L);
    t->from = from;
    t->to = lun__text_column_new(h);
    lun_status s = t->to ? LUN_OK : LUN_ENOMEM;
    for (; s == LUN_OK && t->first < n; t->first += t->count) {
        t->count = n - t->first < TAKEN * TASKS ? n - t->first : TAKEN * TASKS;
        s = take_batch(L, h, t);
    }
    if (s == LUN_ECANCEL || s == LUN_ELIMIT)
        return lun__error_raise_stop(L, s);
    if (s == LUN_ENOMEM)
        return luaL_error(L, "not enough memory");
    lun__error_check(L, h, s, 2);
    lun__text_column_push(L, &t->to);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_text_columns(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {{"texts", texts}, {"texts_take", texts_take}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
