/* sqlite.c - SQLite databases, for lua/lunarray/format/sqlite.lua: internal.sqlite_open, and
 * methods of what it gives: query, insert, execute, close.
 *
 * Invariant: a database is used by the thread of its Lua state. While a call of the library runs,
 * `status` says whether the script must stop, which its handlers ask for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bind/file/column_reader.h"
#include "bind/file/row_writer.h"
#include "bind/file/sqlite_library.h"
#include "column/gather.h"
#include "csv/piece.h"

#define TYPE "lunarray.sqlite"

enum {
    STEPS = 10000,   /* of the library between two looks at the stop */
    WAIT = 5000,     /* milliseconds for a lock */
    NAP = 10,        /* of these at a time */
    ROWS = 50000,    /* of a piece */
    TEXTS = 16 << 20 /* bytes of its texts, about */
};

typedef struct database {
    lun__host *host;
    lun__sqlite lib;
    lun__sqlite_db *db; /* NULL: closed */
    lun_status status;
} database;

/* ---- a database ------------------------------------------------------------------------------ */

static int is_stopped(void *of)
{
    database *d = of;
    if (d->status == LUN_OK)
        d->status = lun_host_check(d->host->engine);
    return d->status != LUN_OK;
}

static int wait_for_lock(void *of, int tries)
{
    const struct timespec nap = {.tv_nsec = NAP * 1000000L};
    if (tries >= WAIT / NAP || is_stopped(of))
        return 0;
    nanosleep(&nap, NULL);
    return 1;
}

static database *check_database(lua_State *L)
{
    database *d = luaL_checkudata(L, 1, TYPE);
    if (!d->db)
        luaL_error(L, "the database is closed");
    d->status = LUN_OK;
    return d;
}

/* Pushes nil, message, code of the database; raises where the script must stop. */
static int push_failure(lua_State *L, database *d, int code)
{
    char text[2000];
    snprintf(text, sizeof text, "%s", d->db ? d->lib.errmsg(d->db) : "not enough memory");
    if (d->status != LUN_OK)
        return lun__error_raise_stop(L, d->status);
    luaL_pushfail(L);
    lua_pushstring(L, text);
    lua_pushinteger(L, code & 0xff);
    return 3;
}

static int end_database(lua_State *L)
{
    database *d = luaL_checkudata(L, 1, TYPE);
    if (d->db)
        d->lib.close_v2(d->db);
    d->db = NULL;
    return 0;
}

/* Opens the database with these flags; its code. */
static int open_with(database *d, const char *path, int flags)
{
    const int code = d->lib.open_v2(path, &d->db, flags, NULL);
    if (code)
        return code;
    d->lib.busy_handler(d->db, wait_for_lock, d);
    d->lib.progress_handler(d->db, STEPS, is_stopped, d);
    return d->lib.exec(d->db, "pragma trusted_schema = off", NULL, NULL, NULL);
}

/* Reads from the database, opened for reading. A hot journal, which a killed writer leaves, must be
 * rolled back first: that needs a connection that may write, which opens it again. */
static int roll_back(database *d, const char *path)
{
    enum { BUSY = 5, READONLY = 8 };
    static const char look[] = "pragma schema_version";
    const int code = d->lib.exec(d->db, look, NULL, NULL, NULL) & 0xff;
    if (code != READONLY)
        return code == BUSY ? code : 0; /* the first statement fails with any other */
    d->lib.close_v2(d->db);
    d->db = NULL;
    const int again = open_with(d, path, LUN__SQLITE_WRITE);
    return again ? again : d->lib.exec(d->db, "pragma query_only = on", NULL, NULL, NULL);
}

/* internal.sqlite_open(path, mode): a database; mode: "read", "write", "create". Nil, message,
 * code: it cannot be opened; the code is "library" where there is no library. */
static int sqlite_open(lua_State *L)
{
    static const char *const modes[] = {"read", "write", "create", NULL};
    static const int flags[] = {LUN__SQLITE_READ, LUN__SQLITE_WRITE,
                                LUN__SQLITE_WRITE | LUN__SQLITE_CREATE};
    const char *path = luaL_checkstring(L, 1);
    const int mode = luaL_checkoption(L, 2, NULL, modes);
    database *d = lua_newuserdatauv(L, sizeof *d, 0);
    *d = (database){.host = lun__host_here(L)};
    luaL_setmetatable(L, TYPE);
    if (!lun__sqlite_library_open(d->host, &d->lib)) {
        luaL_pushfail(L);
        lua_pushstring(L, lun_error(d->host->engine));
        lua_pushliteral(L, "library");
        return 3;
    }
    int code = open_with(d, path, flags[mode]);
    if (code == 0 && flags[mode] == LUN__SQLITE_READ)
        code = roll_back(d, path);
    return code ? push_failure(L, d, code) : 1;
}

/* db:execute(text): runs statements without parameters and rows. True; or nil, message, code. */
static int execute(lua_State *L)
{
    database *d = check_database(L);
    const char *text = luaL_checkstring(L, 2);
    lun_host_event(d->host->engine, true, LUN_TOOL_DOOR, "sqlite", text);
    const int code = d->lib.exec(d->db, text, NULL, NULL, NULL);
    lun_host_event(d->host->engine, false, LUN_TOOL_DOOR, "sqlite", text);
    if (code)
        return push_failure(L, d, code);
    lua_pushboolean(L, 1);
    return 1;
}

/* ---- statements ------------------------------------------------------------------------------ */

typedef enum blob_form { NO_BLOBS, HEX, BASE64 } blob_form;

/* A statement that is run, freed with the userdata that it is. */
typedef struct query {
    database *d;
    lun__sqlite_statement *statement;
    lun__column_reader reader;
    lun__col_wishes wishes;
    lun__col_wish *list; /* the columns, by name */
    lun__col_gather *gather;
    lun__col_cells cells;
    char *texts; /* of the piece */
    int64_t texts_length, texts_room, pieces, rows;
    int width;
    unsigned char *numbers, *letters, *cast; /* of each column: has such; is cast to text */
    blob_form blobs;
    const char *wrong; /* a value that is refused: what it is, its row and column */
    int wrong_column;
    int64_t *part; /* of each column, in the piece */
} query;

static void end_reading(query *q)
{
    lun__col_gather_end(q->gather);
    lun__col_cells_end(&q->cells);
    lun__column_reader_end(&q->reader);
    free(q->texts);
    free(q->numbers);
    free(q->letters);
    free(q->part);
    q->gather = NULL;
    q->texts = NULL;
    q->numbers = q->letters = NULL;
    q->part = NULL;
    q->texts_length = q->texts_room = q->pieces = q->rows = 0;
}

static int end_query(lua_State *L)
{
    query *q = lua_touserdata(L, 1);
    if (q->d) {
        end_reading(q);
        if (q->statement)
            q->d->lib.finalize(q->statement);
        free(q->cast);
    }
    q->d = NULL;
    return 0;
}

static query *new_query(lua_State *L, database *d)
{
    query *q = lua_newuserdatauv(L, sizeof *q, 1);
    memset(q, 0, sizeof *q);
    q->d = d;
    lun__column_reader_begin(&q->reader, d->host);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_query);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1); /* the database stays as long */
    return q;
}

/* Binds the value on the top, a number, a text or a boolean, which is NULL, to parameter i. */
static int bind_value(lua_State *L, query *q, int i)
{
    const lun__sqlite *s = &q->d->lib;
    size_t length;
    if (lua_isinteger(L, -1))
        return s->bind_int64(q->statement, i, lua_tointeger(L, -1));
    if (lua_type(L, -1) == LUA_TNUMBER)
        return s->bind_double(q->statement, i, lua_tonumber(L, -1));
    if (lua_isboolean(L, -1))
        return s->bind_null(q->statement, i);
    if (lua_type(L, -1) == LUA_TSTRING) {
        const char *text = lua_tolstring(L, -1, &length); /* the table of parameters keeps it */
        if (length < INT_MAX)
            return s->bind_text(q->statement, i, text, (int)length, NULL);
    }
    return luaL_error(L, "parameter %d is a %s; numbers, booleans, texts and lun.na are bound", i,
                      luaL_typename(L, -1));
}

/* Binds the parameters in the table at 3, by number or name. */
static void bind_all(lua_State *L, query *q)
{
    const lun__sqlite *s = &q->d->lib;
    const int count = s->bind_parameter_count(q->statement);
    if (!lua_istable(L, 3))
        lua_createtable(L, 0, 0), lua_replace(L, 3);
    for (int i = 1; i <= count; i++) {
        const char *name = s->bind_parameter_name(q->statement, i);
        if (name && *name != '?')
            lua_getfield(L, 3, name + 1);
        else
            lua_rawgeti(L, 3, i);
        if (lua_isnil(L, -1))
            luaL_error(L, "parameter %s%d is missing", name ? name : "?", i);
        if (bind_value(L, q, i))
            luaL_error(L, "parameter %d cannot be bound", i);
        lua_pop(L, 1);
    }
    if ((int)lua_rawlen(L, 3) > count)
        luaL_error(L, "%d parameters expected, got %d", count, (int)lua_rawlen(L, 3));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Room for so many bytes more of texts, and a margin. */
static char *more_texts(query *q, int64_t bytes)
{
    if (q->texts_length + bytes + 2 * LUN__CSV_MARGIN > q->texts_room) {
        const int64_t room = 2 * q->texts_room + bytes + 4 * LUN__CSV_MARGIN;
        char *texts = realloc(q->texts, (size_t)room);
        if (!texts)
            return NULL;
        memset(texts + q->texts_room, 0, (size_t)(room - q->texts_room));
        q->texts = texts;
        q->texts_room = room;
        q->cells.text = texts;
    }
    return q->texts + q->texts_length;
}

/* Writes bytes as text; how many characters. */
static int64_t blob_text(const query *q, const unsigned char *from, int64_t n, char *to)
{
    static const char hex[] = "0123456789abcdef",
                      letters[] =
                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *first = to;
    for (int64_t k = 0; q->blobs == HEX && k < n; k++) {
        *to++ = hex[from[k] >> 4];
        *to++ = hex[from[k] & 15];
    }
    for (int64_t k = 0; q->blobs == BASE64 && k < n; k += 3) {
        const unsigned b = k + 1 < n ? from[k + 1] : 0, c = k + 2 < n ? from[k + 2] : 0;
        const unsigned x = (unsigned)from[k] << 16 | b << 8 | c;
        *to++ = letters[x >> 18];
        *to++ = letters[x >> 12 & 63];
        *to++ = (char)(k + 1 < n ? letters[x >> 6 & 63] : '=');
        *to++ = (char)(k + 2 < n ? letters[x & 63] : '=');
    }
    return to - first;
}

/* A text or bytes of column k as a value; false: refused, or no memory. */
static bool take_text(query *q, int k, bool blob, lun__col_value *v)
{
    const lun__sqlite *s = &q->d->lib;
    const char *text = blob ? s->column_blob(q->statement, k) : s->column_text(q->statement, k);
    const int64_t length = s->column_bytes(q->statement, k);
    char *to = more_texts(q, blob ? 2 * length + 4 : length);
    if (!to)
        return false;
    v->type = LUN__COL_TEXT;
    v->start = (uint32_t)q->texts_length;
    if (blob) {
        v->length = (uint32_t)blob_text(q, (const unsigned char *)text, length, to);
    } else {
        v->length = (uint32_t)length;
        memcpy(to, text, (size_t)length);
        if (lun__csv_utf8_no_text(to, length) >= 0)
            q->wrong = "is a text that is not UTF-8, or has a NUL byte";
    }
    q->texts_length += v->length;
    return !q->wrong;
}

/* The value of column k as text, a number cast as SQLite does. */
static bool take_value(query *q, int k, lun__col_value *v)
{
    const lun__sqlite *s = &q->d->lib;
    const int type = s->column_type(q->statement, k);
    if (type == LUN__SQLITE_BLOB && !q->blobs) {
        q->wrong = "is a blob: {blobs = \"hex\"} or \"base64\" makes it text";
        return false;
    }
    q->letters[k] |= type == LUN__SQLITE_TEXT || type == LUN__SQLITE_BLOB;
    q->numbers[k] |= type == LUN__SQLITE_INTEGER || type == LUN__SQLITE_FLOAT;
    if (q->cast[k] || type == LUN__SQLITE_TEXT || type == LUN__SQLITE_BLOB)
        return take_text(q, k, type == LUN__SQLITE_BLOB, v);
    v->type = type == LUN__SQLITE_INTEGER ? LUN__COL_INTEGER : LUN__COL_REAL;
    if (type == LUN__SQLITE_INTEGER)
        v->as.bits = (uint64_t)s->column_int64(q->statement, k);
    else
        v->as.number = s->column_double(q->statement, k);
    return true;
}

typedef enum outcome { DONE, AGAIN, FAILED, WRONG, VALUE } outcome;

/* Puts the row that stands there. AGAIN: a column has numbers and texts, and is cast from now
 * on. */
static outcome take_row(query *q, lun__col_fault *fault)
{
    const lun__sqlite *s = &q->d->lib;
    for (int k = 0; k < q->width; k++) {
        lun__col_value v = {.at = q->rows};
        if (s->column_type(q->statement, k) == LUN__SQLITE_NULL)
            continue;
        if (!take_value(q, k, &v)) {
            q->wrong_column = k;
            *fault = (lun__col_fault){.what = LUN__COL_MEMORY};
            return q->wrong ? WRONG : VALUE;
        }
        if (q->numbers[k] && q->letters[k] && !q->cast[k]) {
            q->cast[k] = 1;
            return AGAIN;
        }
        if (!lun__col_cells_put(&q->cells, q->part[k], &v, fault))
            return VALUE;
    }
    q->cells.rows++;
    q->rows++;
    return DONE;
}

/* Begins a piece: its parts, in the order of the columns. */
static bool begin_piece(query *q)
{
    q->cells.wishes = &q->wishes;
    q->cells.text = q->texts;
    q->texts_length = 0;
    for (int k = 0; k < q->width; k++) {
        char name[16];
        const int n = snprintf(name, sizeof name, "%d", k);
        q->part[k] = lun__col_cells_column(&q->cells, -1, name, (uint32_t)n);
        if (q->part[k] < 0)
            return false;
    }
    return true;
}

static bool end_piece(query *q, lun__col_fault *fault)
{
    const lun__csv_services *s = &q->reader.services;
    *fault = (lun__col_fault){.what = LUN__COL_MEMORY};
    q->cells.text = q->texts;
    if (!lun__col_gather_room(q->gather, q->pieces + 1) ||
        !lun__col_gather_add(q->gather, q->pieces++, 0, &q->cells, fault))
        return false;
    fault->what = LUN__COL_REFUSED;
    return s->memory(s->ctx, lun__col_gather_bytes(q->gather)) && !s->stop(s->ctx);
}

/* Reads rows, at most `most` (-1: all). FAILED: *code. */
static outcome read_rows(query *q, int64_t most, int *code, lun__col_fault *fault)
{
    const lun__sqlite *s = &q->d->lib;
    const size_t width = (size_t)q->width + 1;
    q->gather = lun__col_gather_new(&q->wishes);
    q->numbers = calloc(width, 1);
    q->letters = calloc(width, 1);
    q->part = calloc(width, sizeof *q->part);
    *fault = (lun__col_fault){.what = LUN__COL_MEMORY};
    if (!q->gather || !q->numbers || !q->letters || !q->part || !more_texts(q, 0) ||
        !begin_piece(q))
        return VALUE;
    while (most < 0 || q->rows < most) {
        *code = s->step(q->statement);
        if (*code == LUN__SQLITE_DONE)
            break;
        if (*code != LUN__SQLITE_ROW)
            return FAILED;
        const outcome o = take_row(q, fault);
        if (o != DONE)
            return o;
        if (q->cells.rows < ROWS && q->texts_length < TEXTS)
            continue;
        if (!end_piece(q, fault) || !begin_piece(q))
            return VALUE;
    }
    int64_t piece;
    if (!end_piece(q, fault) ||
        !lun__col_gather_settle(q->gather, &q->reader.services, true, &piece, fault))
        return VALUE;
    return DONE;
}

/* Pushes nil, "value", what, name of the column, row. */
/* The same where tools see it. */
static outcome read_seen(query *q, int64_t most, int *code, lun__col_fault *fault)
{
    lun_host_event(q->d->host->engine, true, LUN_TOOL_DOOR, "sqlite", "rows");
    const outcome o = read_rows(q, most, code, fault);
    lun_host_event(q->d->host->engine, false, LUN_TOOL_DOOR, "sqlite", "rows");
    return o;
}

static int push_value_fault(lua_State *L, query *q, outcome o, const lun__col_fault *f)
{
    if (o == VALUE && f->what == LUN__COL_MEMORY)
        return luaL_error(L, "not enough memory");
    if (o == VALUE && f->what == LUN__COL_REFUSED)
        return lun__column_reader_refuse(L, &q->reader);
    luaL_pushfail(L);
    lua_pushliteral(L, "value");
    if (o == WRONG) {
        lua_pushstring(L, q->wrong);
        lua_pushstring(L, q->d->lib.column_name(q->statement, q->wrong_column));
        lua_pushinteger(L, q->rows + 1);
        return 5;
    }
    lua_pushstring(L,
                   f->what == LUN__COL_ROUNDED
                       ? "is an integer beyond 2^53 in a column that has numbers with a fraction: "
                         "cast it in the query"
                   : f->what == LUN__COL_MANY ? "has more different texts than an array can have"
                                              : "does not fit its column");
    lua_pushstring(L, q->d->lib.column_name(q->statement, (int)strtol(f->name, NULL, 10)));
    lua_pushinteger(L, f->at + 1);
    return 5;
}

/* Pushes the names of the columns and their declared types. */
static void push_names(lua_State *L, const query *q)
{
    const lun__sqlite *s = &q->d->lib;
    lua_createtable(L, q->width, 0);
    lua_createtable(L, q->width, 0);
    for (int k = 0; k < q->width; k++) {
        const char *declared = s->column_decltype(q->statement, k);
        lua_pushstring(L, s->column_name(q->statement, k));
        lua_rawseti(L, -3, k + 1);
        lua_pushstring(L, declared ? declared : "");
        lua_rawseti(L, -2, k + 1);
    }
}

/* Pushes names, columns, validity, declared types and the number of rows. */
static int push_table(lua_State *L, query *q)
{
    lun__col_fault fault;
    const int first = lua_gettop(L) + 1;
    const int64_t width = lun__col_gather_width(q->gather);
    lun__csv_wanted *wanted = lua_newuserdatauv(L, ((size_t)width + 1) * sizeof *wanted, 0);
    memset(wanted, 0, ((size_t)width + 1) * sizeof *wanted);
    for (int k = 0; k < 3; k++)
        lua_createtable(L, q->width, 0);
    if (!lun__column_reader_room(L, &q->reader, width))
        return luaL_error(L, "not enough memory");
    if (!lun__col_gather_finish(q->gather, &q->reader.services, wanted, &fault))
        return push_value_fault(L, q, VALUE, &fault);
    luaL_checkstack(L, 12, NULL);
    lun__column_reader_make(L, &q->reader, wanted, first + 1, first + 2, first + 3);
    push_names(L, q);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, first + 1);
    lua_pushvalue(L, first + 3);
    lua_pushvalue(L, -4);
    lua_pushinteger(L, q->rows);
    lun__host_report_memory(L, q->d->host);
    return 5;
}

/* The statement at 2 prepared; false: the number of pushed values that say why not is *results. */
static bool prepare(lua_State *L, database *d, query *q, int *results)
{
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length), *rest = NULL;
    const int code = length < INT_MAX
                         ? d->lib.prepare_v2(d->db, text, (int)length + 1, &q->statement, &rest)
                         : 1;
    if (code) {
        *results = push_failure(L, d, code);
        return false;
    }
    if (!q->statement)
        luaL_error(L, "one statement expected, got none");
    if (rest[strspn(rest, " \t\r\n;")])
        luaL_error(L, "one statement expected, got more");
    return true;
}

/* Runs a statement without rows: pushes true and the number of rows that changed. */
static int run(lua_State *L, database *d, query *q)
{
    const int before = d->lib.total_changes(d->db);
    const int code = d->lib.step(q->statement);
    if (code != LUN__SQLITE_DONE)
        return push_failure(L, d, code);
    lua_pushboolean(L, 1);
    lua_pushinteger(L, d->lib.total_changes(d->db) - before);
    return 2;
}

/* db:query(text, parameters, rows, blobs, undated): names, columns, validity, declared types,
 * number of rows; or true and the number of rows changed; or nil, message, code; or nil,
 * "value", what is wrong, name of the column, row. rows: at most, -1: all; blobs: "no", "hex",
 * "base64". Raises for a text that is not one statement, and for parameters that are not its. */
static int run_query(lua_State *L)
{
    static const char *const blobs[] = {"no", "hex", "base64", NULL};
    database *d = check_database(L);
    lua_settop(L, 6);
    const int64_t most = luaL_checkinteger(L, 4);
    query *q = new_query(L, d);
    const int at = lua_gettop(L);
    int code = 0, results;
    lun__col_fault fault;
    q->blobs = (blob_form)luaL_checkoption(L, 5, NULL, blobs);
    q->wishes.how.undated = lua_toboolean(L, 6);
    if (!prepare(L, d, q, &results))
        return results;
    bind_all(L, q);
    q->width = d->lib.column_count(q->statement);
    if (q->width == 0)
        return run(L, d, q);
    q->cast = calloc((size_t)q->width + 1, 1);
    if (!q->cast)
        return luaL_error(L, "not enough memory");
    const bool begun = d->lib.get_autocommit(d->db) && d->lib.stmt_readonly(q->statement) &&
                       d->lib.exec(d->db, "begin", NULL, NULL, NULL) == 0;
    outcome o;
    q->reader.L = L;
    while ((o = read_seen(q, most, &code, &fault)) == AGAIN &&
           d->lib.stmt_readonly(q->statement)) { /* what is read again is the same: a transaction */
        d->lib.reset(q->statement);
        end_reading(q);
        lun__column_reader_begin(&q->reader, d->host);
        q->reader.L = L;
    }
    if (o == AGAIN) {
        q->wrong =
            "is a number beside texts, or a text beside numbers, in rows of a statement that "
            "changes the database";
        o = WRONG;
    }
    results = o == FAILED ? push_failure(L, d, code) : 0;
    d->lib.reset(q->statement);
    if (begun)
        d->lib.exec(d->db, "commit", NULL, NULL, NULL);
    if (o != FAILED)
        results = o == DONE ? push_table(L, q) : push_value_fault(L, q, o, &fault);
    lua_pushcfunction(L, end_query);
    lua_pushvalue(L, at);
    lua_call(L, 1, 0);
    return results;
}

/* ---- rows that go in ------------------------------------------------------------------------- */

/* Binds row r of a column to parameter i. */
static int bind_element(query *q, int i, const lun__csv_column *c, int64_t r)
{
    const lun__sqlite *s = &q->d->lib;
    const lun_string *texts = c->data;
    if (c->kind == LUN__CSV_TEXT ? !texts[r].data : c->valid && !c->valid[r])
        return s->bind_null(q->statement, i);
    if (c->kind == LUN__CSV_TEXT)
        return texts[r].length > INT_MAX - 1
                   ? 18 /* too big */
                   : s->bind_text(q->statement, i, texts[r].data, (int)texts[r].length, NULL);
    if (c->kind == LUN__CSV_F64)
        return s->bind_double(q->statement, i, ((const double *)c->data)[r]);
    if (c->kind == LUN__CSV_BOOL)
        return s->bind_int64(q->statement, i, ((const unsigned char *)c->data)[r] != 0);
    return s->bind_int64(q->statement, i, ((const int64_t *)c->data)[r]);
}

/* Inserts a batch; 0, or a code. */
static int insert_batch(query *q, const lun__row_writer *w)
{
    for (int64_t r = 0; r < w->rows; r++) {
        for (int k = 0; k < (int)w->count; k++) {
            const int code = bind_element(q, k + 1, &w->columns[k], r);
            if (code)
                return code;
        }
        const int code = q->d->lib.step(q->statement);
        if (code != LUN__SQLITE_DONE)
            return code;
        q->d->lib.reset(q->statement);
    }
    return is_stopped(q->d) ? LUN__SQLITE_INTERRUPT : 0;
}

/* db:insert(text, columns, rows, valid): runs the statement for each row, its parameters the
 * elements of the columns. True; or nil, message, code. columns, valid: as of
 * internal.csv_write. */
static int insert(lua_State *L)
{
    database *d = check_database(L);
    luaL_checktype(L, 3, LUA_TTABLE);
    const int64_t rows = luaL_checkinteger(L, 4), count = (int64_t)lua_rawlen(L, 3);
    luaL_checktype(L, 5, LUA_TTABLE);
    lua_settop(L, 5);
    query *q = new_query(L, d);
    int results, code = 0;
    if (!prepare(L, d, q, &results))
        return results;
    lun__row_writer *w = lun__row_writer_new(L, count);
    w->columns_at = 3;
    w->valid_at = 5;
    for (int64_t k = 0; k < count; k++) {
        lua_rawgeti(L, 3, k + 1);
        lun__row_writer_column(L, d->host, w, k, rows);
        lua_pop(L, 1);
    }
    for (int64_t first = 0; !code && first < rows; first += w->rows) {
        lun__row_writer_load(L, d->host, w, first, rows);
        code = insert_batch(q, w);
    }
    if (code) {
        results = push_failure(L, d, code);
        return results;
    }
    d->lib.reset(q->statement);
    lua_pushboolean(L, 1);
    return 1;
}

void lun__open_sqlite(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg methods[] = {{"query", run_query},
                                       {"execute", execute},
                                       {"insert", insert},
                                       {"close", end_database},
                                       {NULL, NULL}};
    static const luaL_Reg internal[] = {{"sqlite_open", sqlite_open}, {NULL, NULL}};
    luaL_newmetatable(L, TYPE);
    lua_createtable(L, 0, 4);
    lun__register(L, p, lua_gettop(L), methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, end_database);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lun__register(L, p, p->internal, internal);
}
