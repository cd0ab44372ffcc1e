/* csv.c - columns of CSV text as Vectors, for lua/lunarray/format/csv.lua: internal.csv_open and
 * csv_columns. */
#include <stdlib.h>
#include <string.h>

#include "bind/file/column_reader.h"

typedef struct reader {
    lun__column_reader columns;
    lun__csv *csv;
    char *recoded; /* the text as UTF-8, if it is of another encoding; user value 1 keeps the text
                      else, and 2 the rules */
} reader;

static int read_recoded(void *ctx, int64_t at, int64_t count, void *to)
{
    memcpy(to, ((const reader *)ctx)->recoded + at, (size_t)count);
    return 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int end_reader(lua_State *L)
{
    reader *r = lua_touserdata(L, 1);
    lun__csv_close(r->csv);
    lun__column_reader_end(&r->columns);
    free(r->recoded);
    r->csv = NULL;
    r->recoded = NULL;
    return 0;
}

/* Pushes nil, what is wrong, line, column (from 1), fields or errno or byte, the system's
 * text or the field. */
static int push_fault(lua_State *L, const lun__csv_fault *f)
{
    static const char *const names[] = {[LUN__CSV_EMPTY] = "empty",
                                        [LUN__CSV_RAGGED] = "ragged",
                                        [LUN__CSV_OPEN_QUOTE] = "open quote",
                                        [LUN__CSV_AFTER_QUOTE] = "after quote",
                                        [LUN__CSV_LATE_QUOTE] = "late quote",
                                        [LUN__CSV_RETURN] = "return",
                                        [LUN__CSV_NUL] = "nul",
                                        [LUN__CSV_ENCODING] = "encoding",
                                        [LUN__CSV_LONG] = "long",
                                        [LUN__CSV_MISFIT] = "misfit",
                                        [LUN__CSV_OFFSETS] = "offsets",
                                        [LUN__CSV_RECODE] = "recode",
                                        [LUN__CSV_NO_ENCODING] = "no encoding",
                                        [LUN__CSV_MANY] = "many",
                                        [LUN__CSV_UNREAD] = "unread"};
    if (f->what == LUN__CSV_MEMORY)
        return luaL_error(L, "not enough memory");
    luaL_pushfail(L);
    lua_pushstring(L, names[f->what]);
    lua_pushinteger(L, f->line);
    if (f->column < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, f->column + 1);
    lua_pushinteger(L, f->what == LUN__CSV_RAGGED   ? f->fields
                       : f->what == LUN__CSV_UNREAD ? f->error
                                                    : f->byte);
    lua_pushstring(L, f->what == LUN__CSV_UNREAD && f->error > 0 ? strerror(f->error) : f->field);
    return 6;
}

static void push_names(lua_State *L, const reader *r)
{
    int64_t width = lun__csv_width(r->csv);
    lua_createtable(L, width < INT_MAX ? (int)width : INT_MAX, 0);
    for (int64_t k = 0; k < width; k++) {
        size_t length;
        const char *name = lun__csv_name(r->csv, k, &length);
        lua_pushlstring(L, name, length);
        lua_rawseti(L, -2, k + 1);
    }
}

static reader *new_reader(lua_State *L, lun__host *h)
{
    reader *r = lua_newuserdatauv(L, sizeof *r, 2);
    memset(r, 0, sizeof *r);
    lun__column_reader_begin(&r->columns, h);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_reader);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return r;
}

/* The byte that the field `name` of the rules on the top says: of a string its first one; false:
 * none; nil: `by_default`. */
static char byte_of(lua_State *L, const char *name, char by_default)
{
    lua_getfield(L, -1, name);
    if (lua_isstring(L, -1))
        by_default = lua_tostring(L, -1)[0];
    else if (lua_isboolean(L, -1))
        by_default = LUN__CSV_NONE;
    lua_pop(L, 1);
    return by_default;
}

static int64_t number_of(lua_State *L, const char *name, int64_t by_default)
{
    lua_getfield(L, -1, name);
    int64_t x = luaL_optinteger(L, -1, by_default);
    lua_pop(L, 1);
    return x;
}

/* The rules of the table at i, which must live as long. */
static lun__csv_rules take_rules(lua_State *L, int i)
{
    static const char *const headers[] = {"either", "names", "none", NULL};
    static const char *const ragged[] = {"error", "fill", "skip", NULL};
    lun__csv_rules r = LUN__CSV_RULES;
    luaL_checktype(L, i, LUA_TTABLE);
    lua_pushvalue(L, i);
    r.separator = byte_of(L, "separator", 0);
    r.quote = byte_of(L, "quote", r.quote);
    r.escape = byte_of(L, "escape", r.escape);
    r.decimal = byte_of(L, "decimal", r.decimal);
    r.thousands = byte_of(L, "thousands", r.thousands);
    r.skip = number_of(L, "skip", 0);
    r.most = number_of(L, "nrows", -1);
    lua_getfield(L, -1, "trim");
    r.trim = lua_toboolean(L, -1);
    lua_getfield(L, -2, "comment");
    r.comment = lua_tolstring(L, -1, &r.comment_length); /* the table keeps it */
    lua_getfield(L, -3, "header");
    r.header = (lun__csv_header)luaL_checkoption(L, -1, headers[0], headers);
    lua_getfield(L, -4, "ragged");
    r.ragged = (lun__csv_ragged)luaL_checkoption(L, -1, ragged[0], ragged);
    lua_pop(L, 5);
    return r;
}

/* Makes UTF-8 of the text, if the rules at `i` name another encoding or it begins as UTF-16 does;
 * false: *fault. */
static bool recode(lua_State *L, int i, reader *r, lun__csv_fault *fault)
{
    int64_t length = 0;
    lua_getfield(L, i, "encoding");
    bool ok = lun__csv_encoding_recode(&r->columns.services, lua_tostring(L, -1), &r->recoded,
                                       &length, fault);
    lua_pop(L, 1);
    if (ok && r->recoded) {
        r->columns.services.read = read_recoded;
        r->columns.services.size = length;
    }
    return ok;
}

/* internal.csv_open(text) or (file, size), bytes of a piece, whether it is gzip data, a table of
 * rules (lun__csv_rules): a reader, the names in its header, whether its first line is a row and
 * gives none, what separates fields, whether the last line lacks its newline; or nil and what
 * push_fault pushes; or nil, "packed", message, code. */
static int csv_open(lua_State *L)
{
    lun__csv_fault fault;
    lun__host *h = lun__host_here(L);
    lua_settop(L, 5);
    if (lua_isnil(L, 5)) {
        lua_createtable(L, 0, 0);
        lua_replace(L, 5);
    }
    lun__csv_rules rules = take_rules(L, 5);
    reader *r = new_reader(L, h);
    lun__column_reader_take(L, 1, luaL_optinteger(L, 2, 0), &r->columns);
    r->columns.services.piece = luaL_optinteger(L, 3, 0);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, 5);
    lua_setiuservalue(L, -2, 2);
    int refused = lua_toboolean(L, 4) ? lun__column_reader_unpack(L, &r->columns) : 0;
    if (refused)
        return refused;
    if (recode(L, 5, r, &fault))
        r->csv = lun__csv_open(&r->columns.services, &rules, &fault);
    if (!r->csv)
        return push_fault(L, &fault);
    push_names(L, r);
    lua_pushboolean(L, lun__csv_is_nameless(r->csv));
    lua_pushlstring(L, &(char){lun__csv_separator(r->csv)}, 1);
    lua_pushboolean(L, lun__csv_is_unended(r->csv));
    return 5;
}

static reader *check_reader(lua_State *L, const lun__host *h)
{
    reader *r = lua_touserdata(L, 1);
    luaL_argcheck(L, r && lua_rawlen(L, 1) == sizeof *r && r->columns.host == h && r->csv, 1,
                  "no reader");
    return r;
}

/* internal.csv_close(reader): gives its memory back. */
static int csv_close(lua_State *L)
{
    check_reader(L, lun__host_here(L));
    return end_reader(L);
}

/* internal.csv_next(reader, rows): from now on csv_columns reads the next rows in turn, at most so
 * many; false: there are none. Without a number: all rows, and the first in turn are next. And the
 * bytes of text before them, and all. */
static int csv_next(lua_State *L)
{
    int64_t at, size;
    reader *r = check_reader(L, lun__host_here(L));
    bool some = true;
    if (lua_isnoneornil(L, 2))
        lun__csv_rewind(r->csv);
    else
        some = lun__csv_next(r->csv, luaL_checkinteger(L, 2));
    lun__csv_place(r->csv, &at, &size);
    lua_pushboolean(L, some);
    lua_pushinteger(L, at);
    lua_pushinteger(L, size);
    return 3;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What is wanted by the lists at 2 and 3; pushes memory that lives as long. */
static lun__csv_wanted *take_wanted(lua_State *L, const reader *r, int64_t count)
{
    const int64_t width = lun__csv_width(r->csv);
    lun__csv_wanted *wanted = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *wanted, 0);
    lua_createtable(L, 0, 0); /* keeps words */
    const int kept = lua_gettop(L);
    for (int64_t k = 0; k < count; k++) {
        wanted[k] = (lun__csv_wanted){0};
        lua_rawgeti(L, 2, k + 1);
        wanted[k].column = luaL_checkinteger(L, -1) - 1;
        luaL_argcheck(L, wanted[k].column >= 0 && wanted[k].column < width, 2, "no such column");
        lua_pop(L, 1);
        if (!lua_istable(L, 3))
            continue;
        lua_rawgeti(L, 3, k + 1);
        if (lua_istable(L, -1))
            wanted[k].how = lun__column_reader_how(L);
        lua_pop(L, 1);
        if (wanted[k].how.missing)
            lua_rawseti(L, kept, k + 1);
    }
    return wanted;
}

/* internal.csv_columns(reader, {column, ...} [, {how or false, ...}]), counted from 1: a list of
 * these columns, the number of rows, the flags of columns (csv/csv.h), their validity where
 * elements are missing, and how many rows were left out; or nil and what push_fault pushes; or nil,
 * "changed". how: lun__column_reader_how. */
static int csv_columns(lua_State *L)
{
    enum { LIST = 4, FLAGS, VALID };
    lun__host *h = lun__host_here(L);
    reader *r = check_reader(L, h);
    luaL_checktype(L, 2, LUA_TTABLE);
    if (!lun__column_reader_is_same(&r->columns)) {
        luaL_pushfail(L);
        lua_pushliteral(L, "changed");
        return 2;
    }
    int64_t count = (int64_t)lua_rawlen(L, 2), rows;
    lun__column_reader_end_columns(&r->columns);
    lua_settop(L, 3);
    for (int i = LIST; i <= VALID; i++)
        lua_createtable(L, count < INT_MAX ? (int)count : INT_MAX, 0);
    lun__csv_wanted *wanted = take_wanted(L, r, count);
    if (!lun__column_reader_room(L, &r->columns, count)) {
        lun__column_reader_end_columns(&r->columns);
        return luaL_error(L, "not enough memory");
    }
    luaL_checkstack(L, 8, NULL);
    lun__csv_fault fault;
    bool ok = lun__csv_read(r->csv, wanted, count, &rows, &fault);
    if (!ok && fault.what == LUN__CSV_REFUSED)
        return lun__column_reader_refuse(L, &r->columns);
    if (ok)
        lun__column_reader_make(L, &r->columns, wanted, LIST, FLAGS, VALID);
    lun__column_reader_end_columns(&r->columns);
    if (!ok)
        return push_fault(L, &fault);
    lun__host_report_memory(L, h);
    lua_settop(L, VALID);
    lua_pushinteger(L, rows);
    lua_insert(L, LIST + 1);
    lua_pushinteger(L, lun__csv_skipped(r->csv));
    return 5;
}

/* internal.csv_kind(flags): what a column with these flags is, "text" or the name of its dtype; and
 * a list of the words that stood for missing elements. */
static int csv_kind(lua_State *L)
{
    static const char *const names[] = {
        [LUN__CSV_I64] = "i64",        [LUN__CSV_U64] = "u64",   [LUN__CSV_F64] = "f64",
        [LUN__CSV_BOOL] = "bool",      [LUN__CSV_TEXT] = "text", [LUN__CSV_DATE] = "date",
        [LUN__CSV_STAMP] = "timestamp"};
    const unsigned seen = (unsigned)luaL_checkinteger(L, 1);
    lua_pushstring(L, names[lun__csv_column_kind(seen)]);
    lua_createtable(L, 0, 0);
    for (int k = 0, n = 0; k < LUN__CSV_WORD_COUNT; k++)
        if (seen & (unsigned)LUN__CSV_WORDS << k) {
            lua_pushstring(L, lun__csv_words_defaults[k]);
            lua_rawseti(L, -2, ++n);
        }
    return 2;
}

void lun__open_csv(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {{"csv_open", csv_open},   {"csv_columns", csv_columns},
                                      {"csv_close", csv_close}, {"csv_next", csv_next},
                                      {"csv_kind", csv_kind},   {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
