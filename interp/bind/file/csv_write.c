/* csv_write.c - columns into a file of Lua's as CSV text, for lua/lunarray/format/csv.lua:
 * internal.csv_check and csv_write. Rows are loaded in batches, elements of arrays from the engine
 * and fields of lists from Lua, and formatted on all threads. */
#include <errno.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file/gzip.h"
#include "bind/file/text_columns.h"
#include "bind/host/bind.h"
#include "csv/csv.h"

enum { PART = 4096, PARTS = 16, ROWS = PART * PARTS }; /* rows of a task; tasks of a batch */

typedef struct part {
    char *text;
    size_t room, length;
    char *packed; /* of a file of gzip data: the packed text */
    size_t packed_room, packed_length;
    bool failed;
} part;

typedef struct writer {
    lun__csv_column *columns;
    void **memory;              /* of each column: ROWS elements or cells */
    const lun__column **texts;  /* of a column of text that has no strings */
    unsigned char **valid;      /* of columns with missing elements */
    int64_t count, first, rows; /* columns; this batch */
    bool packs;
    lun__csv_form form;
    part parts[PARTS];
} writer;

static int end_writer(lua_State *L)
{
    writer *w = lua_touserdata(L, 1);
    for (int64_t k = 0; k < w->count; k++)
        free(w->memory[k]), free(w->valid[k]);
    for (int i = 0; i < PARTS; i++)
        free(w->parts[i].text), free(w->parts[i].packed);
    free(w->memory);
    free(w->texts);
    free(w->valid);
    free(w->columns);
    memset(w, 0, sizeof *w);
    return 0;
}

static writer *new_writer(lua_State *L, int64_t count)
{
    writer *w = lua_newuserdatauv(L, sizeof *w, 0);
    memset(w, 0, sizeof *w);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_writer);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    w->columns = calloc((size_t)count + 1, sizeof *w->columns);
    w->memory = calloc((size_t)count + 1, sizeof *w->memory);
    w->texts = calloc((size_t)count + 1, sizeof *w->texts);
    w->valid = calloc((size_t)count + 1, sizeof *w->valid);
    if (!w->columns || !w->memory || !w->texts || !w->valid)
        luaL_error(L, "not enough memory");
    w->count = count;
    return w;
}

/* ---- a batch --------------------------------------------------------------------------------- */

/* The field that the value on the top is; false: it is none. Strings are not copied. */
static bool to_cell(lua_State *L, lun__csv_cell *c)
{
    switch (lua_type(L, -1)) {
    case LUA_TSTRING:
        c->kind = LUN__CSV_TEXT;
        c->as.text = lua_tolstring(L, -1, &c->length);
        return true;
    case LUA_TBOOLEAN:
        c->kind = LUN__CSV_BOOL;
        c->as.b = lua_toboolean(L, -1);
        return true;
    case LUA_TNUMBER:
        c->kind = lua_isinteger(L, -1) ? LUN__CSV_I64 : LUN__CSV_F64;
        if (c->kind == LUN__CSV_I64)
            c->as.i = lua_tointeger(L, -1);
        else
            c->as.d = lua_tonumber(L, -1);
        return true;
    default:
        return false;
    }
}

/* Loads rows of the array on the top. */
static void load_elements(lua_State *L, lun__host *h, const writer *w, int64_t first, void *to)
{
    lun_array *a = lun__lua_array_check(L, h, lua_gettop(L));
    lun_status s;
    LUN__TRY(s, lun_read(h->engine, a, to, first, w->rows));
    lun__error_check(L, h, s, 3);
}

/* Loads rows of the column on the top into its memory. */
static void load_column(lua_State *L, lun__host *h, writer *w, int64_t k, int64_t first)
{
    if (w->valid[k]) {
        lua_rawgeti(L, 7, k + 1);
        load_elements(L, h, w, first, w->valid[k]);
        lua_pop(L, 1);
    }
    if (w->texts[k]) /* each task does so */
        return;
    if (!lua_istable(L, -1)) {
        load_elements(L, h, w, first, w->memory[k]);
        return;
    }
    lun__csv_cell *cells = w->memory[k];
    for (int64_t r = 0; r < w->rows; r++) {
        lua_rawgeti(L, -1, first + r + 1);
        if (!to_cell(L, &cells[r]))
            luaL_error(L, "the list of column %I has changed while it was saved",
                       (LUAI_UACINT)k + 1);
        lua_pop(L, 1);
    }
}

/* Room for so many bytes in a part's memory, whose contents are lost. */
static bool grow(char **memory, size_t *room, size_t needed)
{
    if (needed <= *room)
        return true;
    free(*memory);
    *memory = malloc(needed);
    *room = *memory ? needed : 0;
    return *memory != NULL;
}

static bool pack(part *p)
{
    if (!grow(&p->packed, &p->packed_room, lun__gzip_bound(p->length)))
        return false;
    p->packed_length = lun__gzip_pack(p->text, p->length, p->packed, p->packed_room);
    return p->packed_length > 0;
}

/* Takes rows of a column of text of this batch. */
static void load_texts(const lun__texts *from, lun__csv_cell *cells, int64_t batch, int64_t first,
                       int64_t last)
{
    int64_t at = 0;
    for (int64_t r = first; r < last; r++) {
        at = lun__texts_find(from, batch + r, at);
        const lun__texts_part *p = &from->parts[at];
        lun__text x = lun__texts_kept(p, lun__texts_level(p, batch + r - p->first));
        cells[r] = (lun__csv_cell){.kind = LUN__CSV_TEXT, .length = x.length, .as.text = x.at};
    }
}

static void write_part(void *of, int64_t i)
{
    writer *w = of;
    part *p = &w->parts[i];
    int64_t first = i * PART, last = w->rows - first < PART ? w->rows : first + PART;
    for (int64_t k = 0; k < w->count; k++)
        if (w->texts[k])
            load_texts(&w->texts[k]->texts, w->memory[k], w->first, first, last);
    size_t needed;
    p->length = 0;
    p->failed = !lun__csv_write_rows_bound(&w->form, w->columns, w->count, first, last, &needed) ||
                !grow(&p->text, &p->room, needed);
    if (p->failed)
        return;
    p->length = (size_t)(lun__csv_write_rows(p->text, &w->form, w->columns, w->count, first, last) -
                         p->text);
    if (w->packs)
        p->failed = !pack(p);
}

static bool put_out(const writer *w, const part *p, FILE *to)
{
    const char *text = w->packs ? p->packed : p->text;
    size_t length = w->packs ? p->packed_length : p->length;
    errno = 0;
    return fwrite(text, 1, length, to) == length;
}

/* False: errno says why. */
static bool write_batch(lua_State *L, lun__host *h, writer *w, FILE *to)
{
    int64_t parts = (w->rows + PART - 1) / PART;
    lun_host_share(h->engine, parts, w, write_part);
    for (int64_t i = 0; i < parts; i++) {
        const part *p = &w->parts[i];
        if (p->failed)
            luaL_error(L, "not enough memory");
        if (!put_out(w, p, to))
            return false;
    }
    lun_status s = lun_host_check(h->engine);
    if (s != LUN_OK)
        lun__error_raise_stop(L, s);
    return true;
}

/* ---- for Lua --------------------------------------------------------------------------------- */

/* Makes memory for the column on the top, for batches of so many rows. A column of text stays on
 * the stack. */
static void make_room(lua_State *L, lun__host *h, writer *w, int64_t k, int64_t rows)
{
    static const lun__csv_kind kinds[] = {[LUN_KIND_BOOL] = LUN__CSV_BOOL,
                                          [LUN_KIND_SIGNED] = LUN__CSV_I64,
                                          [LUN_KIND_UNSIGNED] = LUN__CSV_U64,
                                          [LUN_KIND_FLOAT] = LUN__CSV_F64};
    lun__csv_column *c = &w->columns[k];
    size_t size = sizeof(lun__csv_cell);
    c->kind = LUN__CSV_TEXT;
    if (!lua_istable(L, -1)) {
        lun_dtype t = lun_dtype_of(lun__lua_array_check(L, h, lua_gettop(L)));
        c->kind = kinds[lun_dtype_kind(t)];
        size = (size_t)lun_dtype_size(t);
        luaL_argcheck(L, size == (c->kind == LUN__CSV_BOOL ? 1 : 8), 3,
                      "elements of 8 bytes wanted");
    }
    w->memory[k] = malloc((size_t)(rows < ROWS ? rows : ROWS) * size + 1);
    c->data = w->memory[k];
    lua_rawgeti(L, 7, k + 1);
    if (!lua_isnil(L, -1))
        c->valid = w->valid[k] = malloc((size_t)(rows < ROWS ? rows : ROWS) + 1);
    if (!c->data || (!lua_isnil(L, -1) && !c->valid))
        luaL_error(L, "not enough memory");
    lua_pop(L, 1);
}

/* Writes the line of names, in the first part's memory. False: errno says why. */
static bool write_header(lua_State *L, writer *w, const lun__csv_column *names, FILE *to)
{
    part *p = &w->parts[0];
    size_t needed;
    bool ok = lun__csv_write_rows_bound(&w->form, names, w->count, 0, 1, &needed) &&
              grow(&p->text, &p->room, needed);
    if (ok)
        p->length =
            (size_t)(lun__csv_write_rows(p->text, &w->form, names, w->count, 0, 1) - p->text);
    if (!ok || (w->packs && !pack(p)))
        luaL_error(L, "not enough memory");
    return put_out(w, p, to);
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
 * rows into a file of Lua's, packed: as gzip data. columns: arrays of bool, i64, u64 or f64, and
 * lists that csv_check accepts; valid: by their numbers, the validity of those that have one. True;
 * or nil, message, errno. */
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
    writer *w = new_writer(L, count);
    w->form = take_form(L, 6);
    w->packs = lua_toboolean(L, 5);
    lun__csv_cell *header = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *header, 0);
    lun__csv_column *names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
    for (int64_t k = 0; k < count; k++) {
        lua_rawgeti(L, 2, k + 1);
        luaL_argcheck(L, to_cell(L, &header[k]), 2, "names wanted");
        names[k] = (lun__csv_column){.kind = LUN__CSV_TEXT, .data = &header[k]};
        lua_rawgeti(L, 3, k + 1);
        make_room(L, h, w, k, rows);
        luaL_checkstack(L, 8, "too many columns");
        w->texts[k] = lun__text_column_at(L, -1);
        lua_remove(L, w->texts[k] ? -2 : -1);
        lua_remove(L, w->texts[k] ? -2 : -1);
    }
    bool ok = lua_toboolean(L, 8) || write_header(L, w, names, to->f);
    for (int64_t first = 0; ok && first < rows; first += w->rows) {
        w->first = first;
        w->rows = rows - first < ROWS ? rows - first : ROWS;
        for (int64_t k = 0; k < count; k++) {
            lua_rawgeti(L, 3, k + 1);
            load_column(L, h, w, k, first);
            lua_pop(L, 1);
        }
        ok = write_batch(L, h, w, to->f);
    }
    int results = luaL_fileresult(L, ok, NULL);
    lun__host_report_memory(L, h);
    return results;
}

/* Whether the cell can be a field: UTF-8, which needs no quotes where none are written. */
static bool is_writable(const lun__csv_form *f, const lun__csv_cell *c)
{
    return c->kind != LUN__CSV_TEXT || f->quotes != LUN__CSV_NEVER ||
           lun__csv_write_rows_is_bare(f, c->as.text, c->length);
}

/* The first row of a column of text whose cell needs quotes where none are written, from 1; 0: all
 * can be fields. */
static int64_t find_quoted(const lun__csv_form *f, const lun__texts *texts)
{
    for (int64_t k = 0; f->quotes == LUN__CSV_NEVER && k < texts->count; k++) {
        const lun__texts_part *p = &texts->parts[k];
        for (int64_t i = 0; i < p->count; i++) {
            lun__text x = lun__texts_kept(p, lun__texts_level(p, i));
            if (!lun__csv_write_rows_is_bare(f, x.at, x.length))
                return p->first + i + 1;
        }
    }
    return 0;
}

/* internal.csv_check(list [, form]): nothing if its elements can be fields; else the first row that
 * cannot, and the name of its type, "string" for one that is no UTF-8, "quotes" for one that needs
 * quotes where the form has none. */
static int csv_check(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    const lun__csv_form form = take_form(L, 2);
    const lun__column *column = lun__text_column_at(L, 1);
    if (column) {
        int64_t row = find_quoted(&form, &column->texts);
        if (!row)
            return 0;
        lua_pushinteger(L, row);
        lua_pushliteral(L, "quotes");
        return 2;
    }
    int64_t count = (int64_t)lua_rawlen(L, 1);
    for (int64_t r = 1; r <= count; r++) {
        lun__csv_cell c;
        lua_rawgeti(L, 1, r);
        const bool field = to_cell(L, &c) && !(c.kind == LUN__CSV_TEXT &&
                                               !lun__csv_utf8_is_text(c.as.text, c.length));
        if (!field || !is_writable(&form, &c)) {
            lua_pushinteger(L, r);
            lua_pushstring(L, field ? "quotes" : luaL_typename(L, -2));
            return 2;
        }
        lua_pop(L, 1);
    }
    return 0;
}

void lun__open_csv_write(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"csv_write", csv_write}, {"csv_check", csv_check}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
