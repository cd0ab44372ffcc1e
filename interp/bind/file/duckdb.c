/* duckdb.c - DuckDB for lua/lunarray/format/duckdb.lua: internal.duckdb_open gives an instance,
 * whose method connect gives a connection, which runs statements and gives the rows of a stream in
 * turn.
 *
 * Invariant: a connection keeps its instance as a user value, rows of a stream their connection;
 * each is used by the thread of its Lua state, and ends what it has once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/host/bind.h"
#include "duckdb/query.h"

#define INSTANCE   "lunarray.duckdb"
#define CONNECTION "lunarray.duckdb_connection"
#define ROWS       "lunarray.duckdb_rows"

typedef lun__duckdb_query query;

typedef struct instance {
    lun__duckdb_instance of;
    lun__host *host;
    bool is_open;
} instance;

typedef struct connection {
    instance *from;
    lun__duckdb_connection of; /* NULL: closed */
} connection;

/* ---- failures -------------------------------------------------------------------------------- */

/* Pushes nil, message, code; raises what is the engine's. */
static int push_fault(lua_State *L, lun__host *h, lun_status s, const lun__duckdb_fault *f)
{
    if (s == LUN_OK)
        s = f->status;
    if (s == LUN_ENOMEM)
        return luaL_error(L, "not enough memory");
    if (s == LUN_ECANCEL || s == LUN_ELIMIT)
        return lun__error_raise_stop(L, s);
    lun__error_check(L, h, s, 1);
    luaL_pushfail(L);
    lua_pushstring(L, f->text);
    lua_pushstring(L, f->code);
    return 3;
}

/* ---- instances and connections --------------------------------------------------------------- */

static int end_instance(lua_State *L)
{
    instance *d = luaL_checkudata(L, 1, INSTANCE);
    if (d->is_open)
        lun__duckdb_query_close(&d->of);
    d->is_open = false;
    return 0;
}

/* internal.duckdb_open(settings): an instance in memory, with settings by name; or nil, message,
 * code. */
static int open_instance(lua_State *L)
{
    enum { MOST = 16 };
    const char *settings[2 * MOST];
    lun__duckdb_fault f;
    int count = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    instance *d = lua_newuserdatauv(L, sizeof *d, 0);
    memset(d, 0, sizeof *d);
    d->host = lun__host_here(L);
    luaL_setmetatable(L, INSTANCE);
    for (lua_pushnil(L); lua_next(L, 1) && count < MOST; lua_pop(L, 1)) {
        settings[2 * count] = luaL_checkstring(L, -2);
        settings[2 * count++ + 1] = luaL_checkstring(L, -1); /* the table keeps both */
    }
    lua_settop(L, 2);
    d->is_open = lun__duckdb_query_open(d->host->engine, &d->of, settings, count, &f);
    return d->is_open ? 1 : push_fault(L, d->host, LUN_OK, &f);
}

/* internal.duckdb_limits(): threads of the engine, 0: not known; bytes that its memory limit
 * leaves, nil: there is none. */
static int limits(lua_State *L)
{
    const lun__host *h = lun__host_here(L);
    lun_config config = {.size = sizeof config};
    lun_config_get(h->engine, &config);
    lua_pushinteger(L, config.threads);
    if (config.memory_limit <= 0)
        return 1;
    const int64_t used = lun_memory_used(h->engine);
    lua_pushinteger(L, config.memory_limit > used ? config.memory_limit - used : 0);
    return 2;
}

static int end_connection(lua_State *L)
{
    connection *c = luaL_checkudata(L, 1, CONNECTION);
    if (c->of && c->from->is_open)
        c->from->of.library->disconnect(&c->of);
    c->of = NULL;
    return 0;
}

/* instance:connect(): a connection; or nil, message, code. */
static int connect(lua_State *L)
{
    instance *d = luaL_checkudata(L, 1, INSTANCE);
    lun__duckdb_fault f = {.status = LUN_OK};
    luaL_argcheck(L, d->is_open, 1, "closed");
    connection *c = lua_newuserdatauv(L, sizeof *c, 1);
    *c = (connection){.from = d};
    luaL_setmetatable(L, CONNECTION);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    c->of = lun__duckdb_query_connect(&d->of, &f);
    return c->of ? 1 : push_fault(L, d->host, LUN_OK, &f);
}

static connection *check_connection(lua_State *L)
{
    connection *c = luaL_checkudata(L, 1, CONNECTION);
    if (!c->of || !c->from->is_open)
        luaL_error(L, "the database is closed");
    return c;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Binds the value on the top to parameter i: a number, a boolean, a text; a table is NULL. */
static int bind_value(lua_State *L, const query *q, uint64_t i)
{
    const lun__duckdb_library *d = q->instance->library;
    size_t length;
    if (lua_isinteger(L, -1))
        return d->bind_int64(q->prepared, i, lua_tointeger(L, -1));
    if (lua_type(L, -1) == LUA_TNUMBER)
        return d->bind_double(q->prepared, i, lua_tonumber(L, -1));
    if (lua_isboolean(L, -1))
        return d->bind_boolean(q->prepared, i, lua_toboolean(L, -1));
    if (lua_type(L, -1) != LUA_TSTRING)
        return d->bind_null(q->prepared, i);
    const char *text = lua_tolstring(L, -1, &length);
    return d->bind_varchar_length(q->prepared, i, text, length);
}

/* Pushes the name of parameter i, as a number where it has none. */
static const char *push_parameter(lua_State *L, const query *q, uint64_t i)
{
    const lun__duckdb_library *d = q->instance->library;
    const char *name = d->parameter_name(q->prepared, i);
    lua_pushstring(L, name ? name : "");
    d->free((void *)(uintptr_t)name);
    if (!*lua_tostring(L, -1)) {
        lua_pop(L, 1);
        lua_pushinteger(L, (lua_Integer)i);
    }
    lua_pushvalue(L, -1); /* of which no number is made a text where it stands */
    return lua_tostring(L, -1);
}

/* Binds the parameters in the table at `list`, by number or name. */
static void bind_all(lua_State *L, const query *q, int list)
{
    const uint64_t count = q->instance->library->nparams(q->prepared);
    for (uint64_t i = 1; i <= count; i++) {
        const char *shown = push_parameter(L, q, i);
        lua_pushvalue(L, -2);
        lua_gettable(L, list);
        if (lua_isnil(L, -1) && lua_stringtonumber(L, shown)) { /* "$1" has the name 1 */
            lua_remove(L, -2);
            lua_gettable(L, list);
        }
        if (lua_isnil(L, -1))
            luaL_error(L, "parameter %s is missing", shown);
        if (bind_value(L, q, i))
            luaL_error(L, "parameter %s cannot be bound: it is no UTF-8 text", shown);
        lua_pop(L, 3);
    }
    uint64_t given = 0;
    for (lua_pushnil(L); lua_next(L, list); lua_pop(L, 1))
        given++;
    if (given > count)
        luaL_error(L, "%d parameters expected, got %d", (int)count, (int)given);
}

/* ---- tables of a query ----------------------------------------------------------------------- */

/* Exports a column; its array is element i of the list at `arrays`. */
static void export(lua_State *L, lun__host *h, lun__duckdb_given_column *c, int arrays, int64_t i)
{
    lun_status s;
    lua_rawgeti(L, arrays, i + 1);
    lun_array *a = lun__lua_array_check(L, h, lua_gettop(L));
    LUN__TRY(s, lun_array_to_arrow(h->engine, a, &c->schema, &c->array));
    lun__error_check(L, h, s, 2);
    c->is_out = true;
    lua_pop(L, 1);
}

/* Takes the table on the top: { name =, names = {}, arrays = {}, rows =, eager = {} }. */
static void take_table(lua_State *L, lun__host *h, lun__duckdb_given *t)
{
    const int at = lua_gettop(L);
    lua_getfield(L, at, "name");
    t->name = luaL_checkstring(L, -1); /* the table keeps it, as those of columns */
    lua_getfield(L, at, "rows");
    t->rows = luaL_checkinteger(L, -1);
    lua_getfield(L, at, "names");
    lua_getfield(L, at, "arrays");
    lua_getfield(L, at, "eager");
    const int64_t width = (int64_t)lua_rawlen(L, at + 3);
    t->columns = calloc((size_t)width + 1, sizeof *t->columns);
    if (!t->columns)
        luaL_error(L, "not enough memory");
    t->width = width;
    for (int64_t i = 0; i < width; i++) {
        lun__duckdb_given_column *c = &t->columns[i];
        lua_rawgeti(L, at + 3, i + 1);
        c->name = luaL_checkstring(L, -1);
        lua_rawgeti(L, at + 4, i + 1);
        c->dtype = lun_dtype_of(lun__lua_array_check(L, h, lua_gettop(L)));
        lua_rawgeti(L, at + 5, i + 1);
        const bool eager = lua_toboolean(L, -1);
        lua_pop(L, 3);
        if (!lun__duckdb_scan_takes(c->dtype))
            luaL_error(L, "column '%s' is %s, which DuckDB has no type for", c->name,
                       lun_dtype_name(c->dtype));
        if (eager)
            export(L, h, c, at + 4, i);
    }
    lua_settop(L, at);
}

static int end_tables(lua_State *L)
{
    connection *c = check_connection(L);
    lun__duckdb_scan_end(&c->from->of.tables);
    return 0;
}

/* Takes the list of tables at `list`. */
static void take_tables(lua_State *L, connection *c, int list)
{
    lun__duckdb_tables *t = &c->from->of.tables;
    const int64_t count = (int64_t)lua_rawlen(L, list);
    lun__duckdb_scan_end(t);
    t->list = calloc((size_t)count + 1, sizeof *t->list);
    if (!t->list)
        luaL_error(L, "not enough memory");
    for (int64_t k = 0; k < count; k++) {
        lua_rawgeti(L, list, k + 1);
        t->count = k + 1;
        take_table(L, c->from->host, &t->list[k]);
        lua_pop(L, 1);
    }
}

/* Exports the columns that a query wanted. */
static void export_wanted(lua_State *L, connection *c, int list)
{
    lun__duckdb_tables *t = &c->from->of.tables;
    for (int64_t k = 0; k < t->count; k++) {
        lua_rawgeti(L, list, k + 1);
        lua_getfield(L, -1, "arrays");
        for (int64_t i = 0; i < t->list[k].width; i++)
            if (t->list[k].columns[i].wanted && !t->list[k].columns[i].is_out)
                export(L, c->from->host, &t->list[k].columns[i], lua_gettop(L), i);
        lua_pop(L, 2);
    }
    t->missed = false;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int end_rows(lua_State *L)
{
    query *q = luaL_checkudata(L, 1, ROWS);
    if (q->instance)
        lun__duckdb_query_end(q);
    q->instance = NULL;
    return 0;
}

/* Pushes a query on the connection at 1. */
static query *new_query(lua_State *L, connection *c)
{
    query *q = lua_newuserdatauv(L, sizeof *q, 1);
    memset(q, 0, sizeof *q);
    q->instance = &c->from->of;
    q->connection = c->of;
    luaL_setmetatable(L, ROWS);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    return q;
}

/* Makes the columns arrays: pushes two lists, of names and of arrays, and the number of rows.
 * more: other rows come after these, in the memory of the columns. */
static int push_rows(lua_State *L, lun__host *h, query *q, const char *options, bool more)
{
    lun_config config = {.size = sizeof config};
    lun_config_get(h->engine, &config);
    luaL_checkstack(L, 12, NULL);
    lua_createtable(L, q->width < INT_MAX ? (int)q->width : 0, 0);
    lua_createtable(L, q->width < INT_MAX ? (int)q->width : 0, 0);
    for (int64_t k = 0; k < q->width; k++) {
        lun__duckdb_column *c = &q->columns[k];
        lua_pushstring(L, c->name);
        lua_rawseti(L, -3, k + 1);
        lun_array **out = lun__lua_array_new(L, h);
        if (!lun__duckdb_column_make(h->engine, c, options, more || config.memory_limit > 0, out,
                                     &q->fault))
            return push_fault(L, h, LUN_OK, &q->fault);
        if (!more)
            lun__duckdb_column_end(c);
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushinteger(L, q->rows);
    lun__host_report_memory(L, h);
    return 3;
}

/* Runs the text where tools see it. */
static lun_status run_seen(lun__host *h, query *q, lun__duckdb_how how, const char *text)
{
    lun_host_event(h->engine, true, LUN_TOOL_DOOR, "duckdb", text);
    const lun_status s = lun__duckdb_query_run(h->engine, q, how);
    lun_host_event(h->engine, false, LUN_TOOL_DOOR, "duckdb", text);
    return s;
}

/* The same of its rows. */
static lun_status fetch_seen(lun__host *h, query *q, int64_t most)
{
    lun_host_event(h->engine, true, LUN_TOOL_DOOR, "duckdb", "rows");
    const lun_status s = lun__duckdb_query_fetch(h->engine, q, most);
    lun_host_event(h->engine, false, LUN_TOOL_DOOR, "duckdb", "rows");
    return s;
}

/* Prepares the text at 2 with the parameters at `list`; 0, or that many values pushed. */
static int prepare(lua_State *L, connection *c, query *q, int list)
{
    const lun_status s =
        lun__duckdb_query_prepare(c->from->host->engine, q, luaL_checkstring(L, 2));
    if (s != LUN_OK || q->fault.code)
        return push_fault(L, c->from->host, s, &q->fault);
    bind_all(L, q, list);
    return 0;
}

/* Runs what is prepared, and takes all its rows. */
static lun_status run_whole(lua_State *L, lun__host *h, query *q, lun__duckdb_how how)
{
    lun_status s = run_seen(h, q, how, lua_tostring(L, 2));
    if (s == LUN_OK && !q->fault.code && q->has_rows)
        s = fetch_seen(h, q, -1);
    lun__duckdb_query_end_result(q); /* an open one is in the way of the next statement */
    return s;
}

/* connection:run(text, tables, parameters, stream, options): names, arrays and number of rows of a
 * statement; or true and how many rows it changed; or nil, message, code. Tables: a list, see
 * take_table, which release() frees; stream: a boolean, nil: as suits the columns. */
static int run(lua_State *L)
{
    connection *c = check_connection(L);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TTABLE);
    lua_settop(L, 6);
    const lun__duckdb_how how = lua_isnil(L, 5)       ? LUN__DUCKDB_AS_SUITS
                                : lua_toboolean(L, 5) ? LUN__DUCKDB_STREAM
                                                      : LUN__DUCKDB_COMPLETE;
    const char *options = luaL_optstring(L, 6, NULL);
    query *q = new_query(L, c);
    take_tables(L, c, 3);
    const int failed = prepare(L, c, q, 4);
    if (failed)
        return failed;
    lun_status s = run_whole(L, c->from->host, q, how);
    if (s == LUN_OK && q->fault.code && c->from->of.tables.missed) {
        export_wanted(L, c, 3);
        s = run_whole(L, c->from->host, q, how);
    }
    if (s != LUN_OK || q->fault.code)
        return push_fault(L, c->from->host, s, &q->fault);
    if (q->has_rows)
        return push_rows(L, c->from->host, q, options, false);
    lua_pushboolean(L, 1);
    lua_pushinteger(L, q->changed);
    return 2;
}

/* connection:rows(text, parameters): the rows of a query, to be asked for in turn; or nil, message,
 * code. */
static int rows(lua_State *L)
{
    connection *c = check_connection(L);
    lua_settop(L, 3);
    luaL_checktype(L, 3, LUA_TTABLE);
    query *q = new_query(L, c);
    const int failed = prepare(L, c, q, 3);
    if (failed)
        return failed;
    const lun_status s = run_seen(c->from->host, q, LUN__DUCKDB_STREAM, lua_tostring(L, 2));
    if (s != LUN_OK || q->fault.code)
        return push_fault(L, c->from->host, s, &q->fault);
    lua_pushvalue(L, 4);
    return 1;
}

/* rows:next(most [, options]): names, arrays and number of the next rows, at most so many; or nil,
 * message, code. */
static int next_rows(lua_State *L)
{
    query *q = luaL_checkudata(L, 1, ROWS);
    const int64_t most = luaL_checkinteger(L, 2);
    const char *options = luaL_optstring(L, 3, NULL);
    lua_getiuservalue(L, 1, 1);
    const connection *c = lua_touserdata(L, -1);
    luaL_argcheck(L, q->instance && c->of && c->from->is_open, 1, "ended");
    const lun_status s = fetch_seen(c->from->host, q, most);
    if (s != LUN_OK || q->fault.code)
        return push_fault(L, c->from->host, s, &q->fault);
    return push_rows(L, c->from->host, q, options, true);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void open_type(lua_State *L, const lun__parts *p, const char *type, const luaL_Reg *methods,
                      lua_CFunction end)
{
    luaL_newmetatable(L, type);
    lua_createtable(L, 0, 4);
    lun__register(L, p, lua_gettop(L), methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, end);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
}

void lun__open_duckdb(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg of_instance[] = {
        {"connect", connect}, {"close", end_instance}, {NULL, NULL}};
    static const luaL_Reg of_connection[] = {{"run", run},
                                             {"rows", rows},
                                             {"release", end_tables},
                                             {"close", end_connection},
                                             {NULL, NULL}};
    static const luaL_Reg of_rows[] = {{"next", next_rows}, {"close", end_rows}, {NULL, NULL}};
    static const luaL_Reg internal[] = {
        {"duckdb_open", open_instance}, {"duckdb_limits", limits}, {NULL, NULL}};
    open_type(L, p, INSTANCE, of_instance, end_instance);
    open_type(L, p, CONNECTION, of_connection, end_connection);
    open_type(L, p, ROWS, of_rows, end_rows);
    lun__register(L, p, p->internal, internal);
}
