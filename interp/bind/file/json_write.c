/* json_write.c - columns into a file of Lua's as JSON text, for lua/lunarray/format/json.lua:
 * internal.json_write. */
#include <lualib.h>
#include <stdio.h>

#include "bind/file/row_writer.h"
#include "json/json.h"

typedef struct form {
    lun__json_shape shape;
    lun_string *names; /* with quotes and colon */
} form;

static bool bound(const lun__row_writer *w, int64_t first, int64_t last, size_t *bytes)
{
    const form *f = w->form;
    return lun__json_write_bound(w->columns, f->names, w->count, first, last, bytes);
}

static char *write(const lun__row_writer *w, lun__row_part *p, int64_t first, int64_t last)
{
    const form *f = w->form;
    return lun__json_write_rows(p->text, f->shape, w->columns, f->names, w->count, first, last,
                                w->first + first > 0, &p->odd);
}

static bool put_text(lua_State *L, lun__row_writer *w, int i, FILE *to)
{
    size_t length;
    const char *text = luaL_checklstring(L, i, &length);
    return lun__row_writer_text(L, w, text, length, to);
}

/* internal.json_write(file, names, columns, rows, packed, shape, valid, bare, head, foot): head,
 * rows and foot into a file of Lua's, packed: as gzip data. names: as they stand before the
 * values; shape: "rows", "items" or "values"; columns, valid: as of csv_write; bare: by their
 * numbers, whether the texts of a column are written as they are. True, and how many floats were
 * written as null; or nil, message, errno. */
static int json_write(lua_State *L)
{
    static const char *const shapes[] = {"rows", "items", "values", NULL};
    lun__host *h = lun__host_here(L);
    const luaL_Stream *to = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, to->closef, 1, "closed file");
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    const int64_t rows = luaL_checkinteger(L, 4), count = (int64_t)lua_rawlen(L, 3);
    form f = {.shape = (lun__json_shape)luaL_checkoption(L, 6, NULL, shapes)};
    luaL_checktype(L, 7, LUA_TTABLE);
    luaL_checktype(L, 8, LUA_TTABLE);
    lua_settop(L, 10);
    lun__row_writer *w = lun__row_writer_new(L, count);
    f.names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *f.names, 0);
    w->form = &f;
    w->bound = bound;
    w->write = write;
    w->packs = lua_toboolean(L, 5);
    for (int64_t k = 0; k < count; k++) {
        size_t length;
        lua_rawgeti(L, 2, k + 1);
        f.names[k].data = luaL_checklstring(L, -1, &length); /* the list keeps it */
        f.names[k].length = (int64_t)length;
        lua_rawgeti(L, 3, k + 1);
        lun__row_writer_column(L, h, w, k, rows);
        lua_rawgeti(L, 8, k + 1);
        if (lua_toboolean(L, -1) && w->columns[k].kind == LUN__CSV_TEXT)
            w->columns[k].kind = LUN__CSV_DURATION;
        lua_pop(L, 3);
    }
    const bool ok = put_text(L, w, 9, to->f) && lun__row_writer_rows(L, h, w, rows, to->f) &&
                    put_text(L, w, 10, to->f);
    int results = luaL_fileresult(L, ok, NULL);
    lun__host_report_memory(L, h);
    if (!ok)
        return results;
    int64_t odd = 0;
    for (int i = 0; i < LUN__ROW_PARTS; i++)
        odd += w->parts[i].odd;
    lua_pushinteger(L, odd);
    return results + 1;
}

void lun__open_json_write(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {{"json_write", json_write}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
