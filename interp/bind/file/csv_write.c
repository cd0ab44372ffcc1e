/* csv_write.c - columns into a file of Lua's as CSV text, for lua/lunarray/format/csv.lua:
 * internal.csv_check and csv_write. Rows are loaded in batches from the engine and formatted on all
 * threads. */
#include <errno.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file/gzip.h"
#include "bind/host/bind.h"
#include "csv/csv.h"

enum { PART = 4096, PARTS = 16, ROWS = PART * PARTS }; /* rows of a task; tasks of a batch */
enum { SOME = 256 };                                   /* texts that are looked at together */

typedef struct part {
    char *text;
    size_t room, length;
    char *packed; /* of a file of gzip data: the packed text */
    size_t packed_room, packed_length;
    bool failed;
} part;

typedef struct writer {
    lun__csv_column *columns;
    void **memory;         /* of each column: ROWS elements or texts */
    unsigned char **valid; /* of columns of numbers with missing elements */
    int64_t count, rows;   /* columns; rows of this batch */
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
    w->valid = calloc((size_t)count + 1, sizeof *w->valid);
    if (!w->columns || !w->memory || !w->valid)
        luaL_error(L, "not enough memory");
    w->count = count;
    return w;
}

/* ---- a batch --------------------------------------------------------------------------------- */

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
    if (w->columns[k].kind != LUN__CSV_TEXT) {
        load_elements(L, h, w, first, w->memory[k]);
        return;
    }
    lun_array *a = lun__lua_array_check(L, h, lua_gettop(L));
    lun_status s;
    LUN__TRY(s, lun_text_read(h->engine, a, first, w->rows, w->memory[k]));
    lun__error_check(L, h, s, 3);
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

static void write_part(void *of, int64_t i)
{
    writer *w = of;
    part *p = &w->parts[i];
    int64_t first = i * PART, last = w->rows - first < PART ? w->rows : first + PART;
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

/* Makes memory for the column on the top, for batches of so many rows. */
static void make_room(lua_State *L, lun__host *h, writer *w, int64_t k, int64_t rows)
{
    static const lun__csv_kind kinds[] = {[LUN_KIND_BOOL] = LUN__CSV_BOOL,
                                          [LUN_KIND_SIGNED] = LUN__CSV_I64,
                                          [LUN_KIND_UNSIGNED] = LUN__CSV_U64,
                                          [LUN_KIND_FLOAT] = LUN__CSV_F64};
    lun__csv_column *c = &w->columns[k];
    const lun_dtype t = lun_dtype_of(lun__lua_array_check(L, h, lua_gettop(L)));
    size_t size = sizeof(lun_string);
    c->kind = LUN__CSV_TEXT;
    if (t != LUN_TEXT) {
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
    writer *w = new_writer(L, count);
    w->form = take_form(L, 6);
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
        make_room(L, h, w, k, rows);
        lua_pop(L, 2);
    }
    bool ok = lua_toboolean(L, 8) || write_header(L, w, names, to->f);
    const int64_t last = count == 1 ? last_present(L, h, rows, w->columns[0].kind) : -1;
    for (int64_t first = 0; ok && first < rows; first += w->rows) {
        w->form.last = last - first;
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
