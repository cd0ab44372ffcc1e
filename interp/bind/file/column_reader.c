/* column_reader.c - see column_reader.h. */
#include "bind/file/column_reader.h"

#include <errno.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef lun__column_reader reader;

/* ---- services of the format's reader: none raises -------------------------------------------- */

static int read_text(void *ctx, int64_t at, int64_t count, void *to)
{
    const reader *r = ctx;
    char *p = to;
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

static int read_unpacked(void *ctx, int64_t at, int64_t count, void *to)
{
    return lun__gzip_random_read(((reader *)ctx)->unpacked, at, count, to);
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

static void report(void *ctx, int64_t done, int64_t size)
{
    lun_host_progress(((reader *)ctx)->host->engine, "read", "bytes", done, size);
}

static bool give_column(void *ctx, int64_t k, lun__csv_kind kind, int64_t rows, void **memory)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    lun_blank_drop(h->engine, r->blanks[k]);
    r->blanks[k] = NULL;
    r->rows = rows;
    LUN__TRY(r->status,
             lun_blank_new(h->engine, rows, (int)lun__csv_kind_bytes(kind), &r->blanks[k], memory));
    return r->status == LUN_OK;
}

static bool give_validity(void *ctx, int64_t k, int64_t rows, void **memory)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    LUN__TRY(r->status, lun_blank_new(h->engine, rows, 1, &r->valid[k], memory));
    return r->status == LUN_OK;
}

static bool give_texts(void *ctx, int64_t k, lun_text_made *values, int bytes, void **codes)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    r->texts[k] = *values;
    r->bytes[k] = (unsigned char)bytes;
    lun_blank_drop(h->engine, r->wide);
    r->wide = NULL;
    if (bytes == 4)
        return true;
    r->wide = r->blanks[k];
    r->blanks[k] = NULL;
    LUN__TRY(r->status, lun_blank_new(h->engine, r->rows, bytes, &r->blanks[k], codes));
    return r->status == LUN_OK;
}

static lun_status enter_texts(lun_engine *e, int64_t bytes)
{
    char text[96];
    if (lun_memory_take(e, bytes))
        return LUN_OK;
    snprintf(text, sizeof text, "memory limit reached: the texts alone take %lld bytes",
             (long long)bytes);
    return lun_fail(e, LUN_ELIMIT, text);
}

/* Counts so many bytes of texts, in place of those before. */
static bool count_memory(void *ctx, int64_t bytes)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    lun_memory_give(h->engine, r->entered);
    r->entered = 0;
    LUN__TRY(r->status, enter_texts(h->engine, bytes));
    r->entered = r->status == LUN_OK ? bytes : 0;
    return r->status == LUN_OK;
}

void lun__column_reader_begin(reader *r, lun__host *h)
{
    *r = (reader){.host = h, .file = -1};
    r->services.ctx = r;
    r->services.read = read_text;
    r->services.share = share;
    r->services.stop = is_stopped;
    r->services.progress = report;
    r->services.column = give_column;
    r->services.validity = give_validity;
    r->services.texts = give_texts;
    r->services.memory = count_memory;
}

static void free_values(lun_text_made *v)
{
    for (int32_t k = 0; k < v->buffer_count; k++)
        free(v->buffers[k].bytes);
    free(v->buffers);
    free(v->views);
}

void lun__column_reader_end_columns(reader *r)
{
    if (r->working && r->host->engine)
        lun_host_work(r->host->engine, false);
    r->working = false;
    for (int64_t k = 0; r->host->engine && k < r->count; k++) {
        lun_blank_drop(r->host->engine, r->blanks[k]);
        lun_blank_drop(r->host->engine, r->valid[k]);
    }
    for (int64_t k = 0; k < r->count; k++)
        free_values(&r->texts[k]);
    lun_blank_drop(r->host->engine, r->wide);
    lun_memory_give(r->host->engine, r->entered);
    free(r->blanks);
    free(r->valid);
    free(r->texts);
    free(r->bytes);
    r->blanks = r->valid = NULL;
    r->wide = NULL;
    r->texts = NULL;
    r->bytes = NULL;
    r->count = r->entered = 0;
}

void lun__column_reader_end(reader *r)
{
    lun__column_reader_end_columns(r);
    lun__gzip_random_end(r->host->engine, r->unpacked);
    r->unpacked = NULL;
}

/* ---- the text -------------------------------------------------------------------------------- */

void lun__column_reader_take(lua_State *L, int i, int64_t size, reader *r)
{
    if (lua_type(L, i) == LUA_TSTRING) {
        size_t length;
        r->text = lua_tolstring(L, i, &length);
        r->services.size = (int64_t)length;
        return;
    }
    const luaL_Stream *from = luaL_checkudata(L, i, LUA_FILEHANDLE);
    luaL_argcheck(L, from->closef, i, "closed file");
    r->file = fileno(from->f);
    r->services.size = size;
    if (fstat(r->file, &r->opened) != 0)
        luaL_error(L, "%s", strerror(errno));
}

int lun__column_reader_unpack(lua_State *L, reader *r)
{
    lun__gzip_fault fault;
    lun__gzip_source source = {read_text, r, r->services.size};
    r->unpacked = lun__gzip_random_open(r->host->engine, &source, &fault);
    if (r->unpacked) {
        r->services.read = read_unpacked;
        r->services.size = lun__gzip_random_size(r->unpacked);
        return 0;
    }
    if (fault.status == LUN_ECANCEL || fault.status == LUN_ELIMIT)
        return lun__error_raise_stop(L, fault.status);
    const bool unread = fault.status == LUN_EIO;
    if (!unread)
        lun__error_check(L, r->host, fault.status, 1);
    luaL_pushfail(L);
    lua_pushliteral(L, "packed");
    if (unread && fault.reason > 0) {
        lua_pushstring(L, strerror(fault.reason));
        lua_pushinteger(L, fault.reason);
    } else {
        lua_pushstring(L, unread ? "the file was truncated while it was read" : fault.message);
        lua_pushstring(L, unread ? "short" : fault.code);
    }
    return 4;
}

bool lun__column_reader_is_same(const reader *r)
{
    struct stat now;
    const struct stat *then = &r->opened;
    return r->file < 0 || (fstat(r->file, &now) == 0 && now.st_size == then->st_size &&
                           now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
                           now.st_mtim.tv_nsec == then->st_mtim.tv_nsec);
}

/* ---- columns --------------------------------------------------------------------------------- */

bool lun__column_reader_room(lua_State *L, reader *r, int64_t count)
{
    r->blanks = calloc((size_t)count + 1, sizeof *r->blanks);
    r->valid = calloc((size_t)count + 1, sizeof *r->valid);
    r->texts = calloc((size_t)count + 1, sizeof *r->texts);
    r->bytes = calloc((size_t)count + 1, sizeof *r->bytes);
    r->count = r->blanks && r->valid && r->texts && r->bytes ? count : 0;
    r->L = L;
    r->status = LUN_OK;
    r->working = true;
    lun_host_work(r->host->engine, true);
    return r->blanks && r->valid && r->texts && r->bytes;
}

/* Pushes a Vector of a blank's memory, which it owns then. */
static void push_vector(lua_State *L, lun__host *h, lun_blank **from, lun_dtype t)
{
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_blank_vector(h->engine, *from, t, out));
    lun__error_check(L, h, s, 1);
    *from = NULL;
}

/* Pushes column k, whose dtype is one of arrays alone, with its validity. */
static void push_logical(lua_State *L, reader *r, int64_t k, lun_dtype t, bool missing)
{
    lun__host *h = r->host;
    const int n = lua_gettop(L);
    lun_status s;
    push_vector(L, h, &r->blanks[k],
                t == LUN_DATE      ? LUN_I32
                : t != LUN_TEXT    ? LUN_I64
                : r->bytes[k] == 1 ? LUN_U8
                : r->bytes[k] == 2 ? LUN_U16
                                   : LUN_U32);
    if (missing)
        push_vector(L, h, &r->valid[k], LUN_BOOL);
    lun_array *valid = missing ? lun__lua_array_check(L, h, n + 2) : NULL;
    lun_array **whole = lun__lua_array_new(L, h), **out = lun__lua_array_new(L, h);
    lun_array *slots = lun__lua_array_check(L, h, n + 1);
    if (t == LUN_TEXT) {
        lun_memory_give(h->engine, r->entered);
        r->entered = 0;
        s = lun_text_of_codes(h->engine, slots, valid, &r->texts[k], out);
    } else if (valid) {
        s = lun_with_parts(h->engine, slots, valid, whole);
        if (s == LUN_OK)
            s = lun_cast(h->engine, *whole, t, out);
    } else {
        s = lun_cast(h->engine, slots, t, out);
    }
    lun__error_check(L, h, s, 1);
    lua_replace(L, n + 1);
    lua_settop(L, n + 1);
}

void lun__column_reader_make(lua_State *L, reader *r, const lun__csv_wanted *wanted, int list,
                             int flags, int valid)
{
    static const lun_dtype dtypes[] = {
        [LUN__CSV_I64] = LUN_I64,         [LUN__CSV_U64] = LUN_U64,
        [LUN__CSV_F64] = LUN_F64,         [LUN__CSV_BOOL] = LUN_BOOL,
        [LUN__CSV_TEXT] = LUN_TEXT,       [LUN__CSV_DATE] = LUN_DATE,
        [LUN__CSV_STAMP] = LUN_TIMESTAMP, [LUN__CSV_DURATION] = LUN_DURATION};
    for (int64_t k = 0; k < r->count; k++) {
        const bool logical = wanted[k].kind >= LUN__CSV_TEXT;
        lua_pushinteger(L, wanted[k].seen);
        lua_rawseti(L, flags, k + 1);
        if (logical)
            push_logical(L, r, k, dtypes[wanted[k].kind], wanted[k].missing);
        else
            push_vector(L, r->host, &r->blanks[k], dtypes[wanted[k].kind]);
        lua_rawseti(L, list, k + 1);
        if (logical || !wanted[k].missing)
            continue;
        push_vector(L, r->host, &r->valid[k], LUN_BOOL);
        lua_rawseti(L, valid, k + 1);
    }
}

int lun__column_reader_refuse(lua_State *L, reader *r)
{
    lun_status s = r->status;
    lun__column_reader_end_columns(r);
    if (s == LUN_ECANCEL || s == LUN_ELIMIT)
        return lun__error_raise_stop(L, s);
    return lun__error_raise(L, r->host, s, 1);
}

/* Takes the words of the list on the top, whose memory is pushed below it. */
static const lun__csv_words *take_words(lua_State *L)
{
    size_t bytes = 0, count = lua_rawlen(L, -1), length;
    const int list = lua_gettop(L);
    for (size_t k = 1; k <= count; k++) {
        lua_rawgeti(L, list, (lua_Integer)k);
        bytes += (luaL_checklstring(L, -1, &length), length);
        lua_pop(L, 1);
    }
    luaL_argcheck(L, bytes < UINT32_MAX, 3, "too long");
    lun__csv_words *w =
        lua_newuserdatauv(L, sizeof *w + (count + 1) * sizeof(uint32_t) + bytes + 1, 0);
    uint32_t *ends = (uint32_t *)(w + 1);
    char *text = (char *)(ends + count + 1);
    *w = (lun__csv_words){.bytes = text, .ends = ends, .count = (int64_t)count};
    bytes = 0;
    for (size_t k = 1; k <= count; k++) {
        lua_rawgeti(L, list, (lua_Integer)k);
        const char *word = lua_tolstring(L, -1, &length);
        memcpy(text + bytes, word, length);
        bytes += length;
        ends[k - 1] = (uint32_t)bytes;
        lua_pop(L, 1);
    }
    lua_insert(L, -2);
    return w;
}

lun__csv_how lun__column_reader_how(lua_State *L)
{
    static const char *const kinds[] = {"i64",  "u64",       "f64",      "bool", "text",
                                        "date", "timestamp", "duration", NULL};
    lun__csv_how how = {0};
    lua_getfield(L, -1, "kind");
    how.forced = !lua_isnil(L, -1);
    if (how.forced)
        how.kind = (lun__csv_kind)luaL_checkoption(L, -1, NULL, kinds);
    lua_getfield(L, -2, "low");
    how.low = luaL_optinteger(L, -1, how.kind == LUN__CSV_U64 ? 0 : INT64_MIN);
    lua_getfield(L, -3, "high");
    how.high = (uint64_t)luaL_optinteger(L, -1, how.kind == LUN__CSV_U64 ? -1 : INT64_MAX);
    lua_pop(L, 3);
    lua_getfield(L, -1, "undated");
    how.undated = lua_toboolean(L, -1);
    lua_getfield(L, -2, "format");
    how.format = lua_tostring(L, -1); /* the table keeps it */
    lua_getfield(L, -3, "seen");
    how.seen = (unsigned)luaL_optinteger(L, -1, 0);
    lua_pop(L, 3);
    lua_getfield(L, -1, "missing");
    if (!lua_isnil(L, -1)) {
        how.missing = take_words(L);
        lua_pop(L, 1);
        lua_insert(L, -2);
    } else {
        lua_pop(L, 1);
    }
    return how;
}
