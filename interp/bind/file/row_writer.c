/* row_writer.c - see row_writer.h. */
#include "bind/file/row_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file/gzip.h"

typedef lun__row_writer writer;
typedef lun__row_part part;

enum { PART = 4096, ROWS = PART * LUN__ROW_PARTS }; /* rows of a task; of a batch */

static int end_writer(lua_State *L)
{
    writer *w = lua_touserdata(L, 1);
    for (int64_t k = 0; k < w->count; k++)
        free(w->memory[k]), free(w->valid[k]);
    for (int i = 0; i < LUN__ROW_PARTS; i++)
        free(w->parts[i].text), free(w->parts[i].packed);
    free(w->memory);
    free(w->valid);
    free(w->columns);
    memset(w, 0, sizeof *w);
    return 0;
}

writer *lun__row_writer_new(lua_State *L, int64_t count)
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
    w->columns_at = 3;
    w->valid_at = 7;
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
        lua_rawgeti(L, w->valid_at, k + 1);
        load_elements(L, h, w, first, w->valid[k]);
        lua_pop(L, 1);
    }
    if (w->columns[k].kind != LUN__CSV_TEXT && w->columns[k].kind != LUN__CSV_DURATION) {
        load_elements(L, h, w, first, w->memory[k]);
        return;
    }
    lun_array *a = lun__lua_array_check(L, h, lua_gettop(L));
    lun_status s;
    LUN__TRY(s, lun_text_read(h->engine, a, first, w->rows, w->memory[k]));
    lun__error_check(L, h, s, 3);
}

bool lun__row_writer_grow(char **memory, size_t *room, size_t needed)
{
    if (needed <= *room)
        return true;
    free(*memory);
    *memory = malloc(needed);
    *room = *memory ? needed : 0;
    return *memory != NULL;
}

/* Packs the text of a part. */
static bool pack(part *p)
{
    if (!lun__row_writer_grow(&p->packed, &p->packed_room, lun__gzip_bound(p->length)))
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
    p->failed =
        !w->bound(w, first, last, &needed) || !lun__row_writer_grow(&p->text, &p->room, needed);
    if (p->failed)
        return;
    p->length = (size_t)(w->write(w, p, first, last) - p->text);
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

void lun__row_writer_column(lua_State *L, lun__host *h, writer *w, int64_t k, int64_t rows)
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
    lua_rawgeti(L, w->valid_at, k + 1);
    if (!lua_isnil(L, -1))
        c->valid = w->valid[k] = malloc((size_t)(rows < ROWS ? rows : ROWS) + 1);
    if (!c->data || (!lua_isnil(L, -1) && !c->valid))
        luaL_error(L, "not enough memory");
    lua_pop(L, 1);
}

/* Writes the text of the first part. */
static bool put_first(lua_State *L, writer *w, bool made, FILE *to)
{
    if (!made || (w->packs && !pack(&w->parts[0])))
        luaL_error(L, "not enough memory");
    return put_out(w, &w->parts[0], to);
}

bool lun__row_writer_text(lua_State *L, writer *w, const char *text, size_t length, FILE *to)
{
    part *p = &w->parts[0];
    const bool made = lun__row_writer_grow(&p->text, &p->room, length + 1);
    p->length = made ? length : 0;
    if (made)
        memcpy(p->text, text, length);
    return length == 0 || put_first(L, w, made, to);
}

void lun__row_writer_load(lua_State *L, lun__host *h, writer *w, int64_t first, int64_t rows)
{
    w->first = first;
    w->rows = rows - first < ROWS ? rows - first : ROWS;
    for (int64_t k = 0; k < w->count; k++) {
        lua_rawgeti(L, w->columns_at, k + 1);
        load_column(L, h, w, k, first);
        lua_pop(L, 1);
    }
}

bool lun__row_writer_rows(lua_State *L, lun__host *h, writer *w, int64_t rows, FILE *to)
{
    bool ok = true;
    for (int64_t first = 0; ok && first < rows; first += w->rows) {
        lun__row_writer_load(L, h, w, first, rows);
        ok = write_batch(L, h, w, to);
        lun_host_progress(h->engine, "write", "rows", w->first + w->rows, rows);
    }
    return ok;
}
