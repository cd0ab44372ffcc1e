/* csv_write.c - columns into a file of Lua's as CSV text, for lua/lunarray/format/csv.lua:
 * internal.csv_check and csv_write. */
#include <lualib.h>
#include <stdio.h>

#include "bind/file/row_writer.h"

enum { SOME = 256 }; /* texts that are looked at together */

typedef lun__row_writer writer;

static bool bound(const writer *w, int64_t first, int64_t last, size_t *bytes)
{
    return lun__csv_write_rows_bound(w->form, w->columns, w->count, first, last, bytes);
}

static char *write(const writer *w, lun__row_part *p, int64_t first, int64_t last)
{
    lun__csv_form form = *(const lun__csv_form *)w->form;
    form.last -= w->first; /* of the batch */
    return lun__csv_write_rows(p->text, &form, w->columns, w->count, first, last);
}

/* Writes the line of names. False: errno says why. */
static bool write_header(lua_State *L, writer *w, const lun__csv_column *names, FILE *to)
{
    size_t needed;
    if (!lun__csv_write_rows_bound(w->form, names, w->count, 0, 1, &needed))
        luaL_error(L, "not enough memory");
    char *text = lua_newuserdatauv(L, needed, 0);
    const char *end = lun__csv_write_rows(text, w->form, names, w->count, 0, 1);
    const bool ok = lun__row_writer_text(L, w, text, (size_t)(end - text), to);
    lua_pop(L, 1);
    return ok;
}

/* The last row with a text of the only column, where that is of texts; -1: none, or others. */
static int64_t last_present(lua_State *L, lun__host *h, int64_t rows, lun__csv_kind kind)
{
    lun_string texts[SOME];
    if (kind != LUN__CSV_TEXT)
        return -1;
    lua_rawgeti(L, 3, 1);
    for (int64_t some, k = 0; k == 0 && rows > 0; rows -= some - k) {
        lun_array *a = lun__lua_array_check(L, h, lua_gettop(L));
        lun_status s;
        k = some = rows < SOME ? rows : SOME;
        LUN__TRY(s, lun_text_read(h->engine, a, rows - some, some, texts));
        lun__error_check(L, h, s, 3);
        while (k > 0 && !texts[k - 1].data)
            k--;
    }
    lua_pop(L, 1);
    return rows - 1;
}

/* The form that the table at i says: separator, decimal, quote, float, na; it lives as long. */
static lun__csv_form take_form(lua_State *L, int i)
{
    static const char *const quotes[] = {"needed", "all", "none", NULL};
    lun__csv_form f = {.separator = ',', .decimal = '.', .missing = ""};
    if (lua_isnoneornil(L, i))
        return f;
    luaL_checktype(L, i, LUA_TTABLE);
    const char *const names[] = {"quote", "separator", "decimal", "float", "na"};
    for (int k = 0; k < 5; k++)
        lua_getfield(L, i, names[k]);
    f.quotes = (lun__csv_quotes)luaL_checkoption(L, -5, quotes[0], quotes);
    f.separator = luaL_optstring(L, -4, ",")[0];
    f.decimal = luaL_optstring(L, -3, ".")[0];
    f.floats = lua_tostring(L, -2); /* the table keeps them */
    if (lua_isstring(L, -1))
        f.missing = lua_tolstring(L, -1, &f.missing_length);
    lua_pop(L, 5);
    return f;
}

/* internal.csv_write(file, names, columns, rows, packed, form, valid [, no header]): header and
 * rows into a file of Lua's, packed: as gzip data. columns: arrays of bool, i64, u64, f64 or text;
 * valid: by their numbers, the validity of those of numbers that have one. True; or nil, message,
 * errno. */
static int csv_write(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const luaL_Stream *to = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, to->closef, 1, "closed file");
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    int64_t rows = luaL_checkinteger(L, 4), count = (int64_t)lua_rawlen(L, 3);
    lua_settop(L, 8);
    luaL_checktype(L, 7, LUA_TTABLE);
    writer *w = lun__row_writer_new(L, count);
    lun__csv_form form = take_form(L, 6);
    w->form = &form;
    w->bound = bound;
    w->write = write;
    w->packs = lua_toboolean(L, 5);
    lun_string *header = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *header, 0);
    lun__csv_column *names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
    for (int64_t k = 0; k < count; k++) {
        lua_rawgeti(L, 2, k + 1);
        size_t length;
        header[k].data = luaL_checklstring(L, -1, &length); /* the list keeps it */
        header[k].length = (int64_t)length;
        names[k] = (lun__csv_column){.kind = LUN__CSV_TEXT, .data = &header[k]};
        lua_rawgeti(L, 3, k + 1);
        lun__row_writer_column(L, h, w, k, rows);
        lua_pop(L, 2);
    }
    bool ok = lua_toboolean(L, 8) || write_header(L, w, names, to->f);
    form.last = count == 1 ? last_present(L, h, rows, w->columns[0].kind) : -1;
    ok = ok && lun__row_writer_rows(L, h, w, rows, to->f);
    int results = luaL_fileresult(L, ok, NULL);
    lun__host_report_memory(L, h);
    return results;
}

/* internal.csv_check(texts, form): the first row of a text Vector that needs quotes, which the form
 * does not write; nothing: there is none. */
static int csv_check(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 2);
    const lun__csv_form form = take_form(L, 2);
    const int64_t rows = lun_size(lun__lua_array_check(L, h, 1));
    lun_string texts[SOME];
    for (int64_t first = 0, some; first < rows; first += some) {
        lun_array *a = lun__lua_array_check(L, h, 1);
        lun_status s;
        some = rows - first < SOME ? rows - first : SOME;
        LUN__TRY(s, lun_text_read(h->engine, a, first, some, texts));
        lun__error_check(L, h, s, 1);
        for (int64_t k = 0; k < some; k++)
            if (texts[k].data &&
                !lun__csv_write_rows_is_bare(&form, texts[k].data, (size_t)texts[k].length)) {
                lua_pushinteger(L, first + k + 1);
                return 1;
            }
    }
    return 0;
}

void lun__open_csv_write(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"csv_write", csv_write}, {"csv_check", csv_check}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
