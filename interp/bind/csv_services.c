/* csv_services.c - what the reader of CSV asks for: the text, from a file where it stands, a
 * string or unpacked gzip data; threads; memory of the engine's for columns; Lua's strings. No
 * error of Lua's leaves a function here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/csv.h"

typedef lun__csv_reader reader;

struct lun__csv_known {
    int64_t row; /* from 1; 0: none */
    int32_t column;
    uint32_t hash;
};
typedef lun__csv_known known;
enum { KNOWN = 1 << 13 }; /* fit a core's own cache */

int lun__csv_read_text(void *ctx, int64_t at, int64_t count, void *to)
{
    const reader *r = ctx;
    char *p = to;
    if (r->unpacked.count) {
        lun__unpacked_read(&r->unpacked, at, count, to);
        return 0;
    }
    if (r->file < 0)
        memcpy(to, r->text + at, (size_t)count);
    for (int64_t done = 0; r->file >= 0 && done < count;) {
        ssize_t got = pread(r->file, p + done, (size_t)(count - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : -1;
        done += got;
    }
    return 0;
}

static void share(void *ctx, int64_t count, void *of, void (*task)(void *of, int64_t k))
{
    lun_host_share(((reader *)ctx)->host->engine, count, of, task);
}

static bool is_stopped(void *ctx)
{
    reader *r = ctx;
    r->status = lun_host_check(r->host->engine);
    return r->status != LUN_OK;
}

/* Calls f with the reader and what it is to do, a light userdata; false: it raised an error. */
static bool protected(reader *r, lua_CFunction f, void *what)
{
    lua_State *L = r->L;
    lua_pushcfunction(L, f);
    lua_pushvalue(L, r->lists);
    lua_pushlightuserdata(L, what);
    r->raised = lua_pcall(L, 2, 0, 0) != LUA_OK;
    return !r->raised;
}

typedef struct column {
    int64_t k, rows;
    bool text;
} column;

/* (lists, column): its list, or none. */
static int make_list(lua_State *L)
{
    const column *c = lua_touserdata(L, 2);
    if (c->text)
        lua_createtable(L, c->rows < INT_MAX ? (int)c->rows : INT_MAX, 0);
    else
        lua_pushboolean(L, 0);
    lua_rawseti(L, 1, c->k + 1);
    return 0;
}

static bool give_column(void *ctx, int64_t k, lun__csv_kind kind, int64_t rows, void **memory)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    column c = {.k = k, .rows = rows, .text = kind == LUN__CSV_TEXT};
    lun_blank_drop(h->engine, r->blanks[k]);
    r->blanks[k] = NULL;
    if (!c.text) {
        LUN__TRY(r->status, lun_blank_new(h->engine, rows, kind == LUN__CSV_BOOL ? 1 : 8,
                                          &r->blanks[k], memory));
        if (r->status != LUN_OK)
            return false;
    }
    return protected(r, make_list, &c);
}

typedef struct texts {
    reader *r;
    int64_t k, first, count;
    const char *text;
    const lun__csv_span *fields;
} texts;

/* Puts the string of an earlier row with this text, if there is one known, into `row` of the
 * list at 3. */
static bool copy_known(lua_State *L, const known *e, const char *text, size_t length, int64_t row)
{
    size_t had;
    lua_rawgeti(L, 3, e->row);
    const char *s = lua_tolstring(L, -1, &had);
    if (had != length || memcmp(s, text, length) != 0) {
        lua_pop(L, 1);
        return false;
    }
    lua_rawseti(L, 3, row);
    return true;
}

/* (lists, texts): fields as strings into their list. */
static int store_texts(lua_State *L)
{
    const texts *t = lua_touserdata(L, 2);
    lua_rawgeti(L, 1, t->k + 1);
    for (int64_t i = 0; i < t->count; i++) {
        const lun__csv_span *f = &t->fields[i];
        const char *text = t->text + f->start;
        int64_t row = t->first + i + 1;
        known *e = &t->r->known[(f->hash + (uint32_t)t->k) % KNOWN];
        if (e->row && e->hash == f->hash && e->column == (int32_t)t->k &&
            copy_known(L, e, text, f->length, row))
            continue;
        lua_pushlstring(L, text, f->length);
        lua_rawseti(L, 3, row);
        *e = (known){.row = row, .hash = f->hash, .column = (int32_t)t->k};
    }
    return 0;
}

static bool give_texts(void *ctx, int64_t k, int64_t first, const char *text,
                       const lun__csv_span *fields, int64_t count)
{
    reader *r = ctx;
    texts t = {.r = r, .k = k, .first = first, .count = count, .text = text, .fields = fields};
    if (!r->known)
        r->known = calloc(KNOWN, sizeof *r->known);
    if (!r->known)
        r->status = LUN_ENOMEM;
    return r->known && protected(r, store_texts, &t);
}

void lun__csv_serve(lun__csv_reader *r)
{
    r->services.ctx = r;
    r->services.read = lun__csv_read_text;
    r->services.share = share;
    r->services.stop = is_stopped;
    r->services.column = give_column;
    r->services.text = give_texts;
}

void lun__csv_end_columns(lun__csv_reader *r)
{
    for (int64_t k = 0; r->host->engine && k < r->count; k++)
        lun_blank_drop(r->host->engine, r->blanks[k]);
    free(r->blanks);
    free(r->known);
    r->blanks = NULL;
    r->known = NULL;
    r->count = 0;
}
