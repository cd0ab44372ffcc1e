/* csv.c - columns of CSV text as Vectors, for lua/lunarray/format/csv.lua: internal.csv_open and
 * csv_columns. The text is a file of Lua's, read in place, or a string.
 *
 * Invariant: blanks, valid and texts have an entry for each wanted column while columns are read
 * and are NULL otherwise; entered is what the memory limit counts of the texts being read; L is the
 * thread of that call. Services run on it but read, which is called by several at once and changes
 * nothing. */
#include <errno.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bind/file/gzip.h"
#include "bind/host/bind.h"
#include "csv/csv.h"

typedef struct reader {
    lun__host *host;
    lua_State *L; /* while columns are read */
    lun__csv_services services;
    lun__csv *csv;
    int file;           /* -1: the text is a string */
    struct stat opened; /* the file as it was then */
    char *recoded;      /* the text as UTF-8, if it is of another encoding */
    const char *text;   /* a user value of the reader, as the rules are */
    lun__unpacked
        *unpacked; /* gzip data in the file or string, which unpacks to the text, or NULL */
    lun_blank **blanks, **valid;
    lun_text_made *texts;         /* of columns of text, whose blanks have codes */
    unsigned char *bytes;         /* of each of them */
    lun_blank *wide;              /* codes that are made narrower */
    int64_t count, rows, entered; /* count: of wanted columns; entered: in bytes */
    lun_status status;
} reader;

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

static int read_recoded(void *ctx, int64_t at, int64_t count, void *to)
{
    memcpy(to, ((const reader *)ctx)->recoded + at, (size_t)count);
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

/* r->blanks and texts are set while columns are read. */
static void set_services(reader *r)
{
    r->services.ctx = r;
    r->services.read = read_text;
    r->services.share = share;
    r->services.stop = is_stopped;
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

/* Frees what reading columns left. */
static void end_columns(reader *r)
{
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

/* ---- opening --------------------------------------------------------------------------------- */

static int end_reader(lua_State *L)
{
    reader *r = lua_touserdata(L, 1);
    end_columns(r);
    lun__csv_close(r->csv);
    lun__gzip_random_end(r->host->engine, r->unpacked);
    free(r->recoded);
    r->csv = NULL;
    r->recoded = NULL;
    r->unpacked = NULL;
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
    r->host = h;
    r->file = -1;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_reader);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    set_services(r);
    return r;
}

/* Unpacks the text; 0, or the number of pushed values that say why not. */
static int unpack(lua_State *L, reader *r)
{
    lun__gzip_fault fault;
    lun__gzip_source source = {read_text, r, r->services.size};
    r->unpacked = lun__gzip_random_open(r->host->engine, &source, &fault);
    if (r->unpacked) {
        r->services.read = read_unpacked;
        r->services.size = lun__gzip_random_size(r->unpacked);
        return 0;
    }
    if (fault.status == LUN_EIO)
        return push_fault(
            L, &(lun__csv_fault){.what = LUN__CSV_UNREAD, .column = -1, .error = fault.reason});
    if (fault.status == LUN_ECANCEL || fault.status == LUN_ELIMIT)
        return lun__error_raise_stop(L, fault.status);
    lun__error_check(L, r->host, fault.status, 1);
    luaL_pushfail(L);
    lua_pushliteral(L, "packed");
    lua_pushstring(L, fault.message);
    lua_pushstring(L, fault.code);
    return 4;
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
    bool ok =
        lun__csv_encoding_recode(&r->services, lua_tostring(L, -1), &r->recoded, &length, fault);
    lua_pop(L, 1);
    if (ok && r->recoded) {
        r->services.read = read_recoded;
        r->services.size = length;
    }
    return ok;
}

/* Takes the text at 1, a string, or a file of as many bytes as 2 says. */
static void take_text(lua_State *L, reader *r)
{
    if (lua_type(L, 1) == LUA_TSTRING) {
        size_t length;
        r->text = lua_tolstring(L, 1, &length);
        r->services.size = (int64_t)length;
        return;
    }
    const luaL_Stream *from = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, from->closef, 1, "closed file");
    r->file = fileno(from->f);
    r->services.size = luaL_checkinteger(L, 2);
    if (fstat(r->file, &r->opened) != 0)
        luaL_error(L, "%s", strerror(errno));
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
    take_text(L, r);
    r->services.piece = luaL_optinteger(L, 3, 0);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, 5);
    lua_setiuservalue(L, -2, 2);
    int refused = lua_toboolean(L, 4) ? unpack(L, r) : 0;
    if (refused)
        return refused;
    if (recode(L, 5, r, &fault))
        r->csv = lun__csv_open(&r->services, &rules, &fault);
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
    luaL_argcheck(L, r && lua_rawlen(L, 1) == sizeof *r && r->host == h && r->csv, 1, "no reader");
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

/* Whether the file is unchanged since it was opened. */
static bool is_same(const reader *r)
{
    struct stat now;
    const struct stat *then = &r->opened;
    return r->file < 0 || (fstat(r->file, &now) == 0 && now.st_size == then->st_size &&
                           now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
                           now.st_mtim.tv_nsec == then->st_mtim.tv_nsec);
}

/* ---- reading --------------------------------------------------------------------------------- */

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

/* Puts the columns into the table `list`, their flags into the table `flags`, and the validity of
 * those of numbers and truth values that have one into `valid`. */
static void make_columns(lua_State *L, reader *r, const lun__csv_wanted *wanted, int list,
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

/* Raises the failure of a service. */
static int raise_refusal(lua_State *L, reader *r)
{
    lun_status s = r->status;
    end_columns(r);
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

/* The table on the top says how a column is read: kind, low, high (forced), missing (a list). What
 * it needs is put below it. */
static lun__csv_how take_how(lua_State *L)
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
            wanted[k].how = take_how(L);
        lua_pop(L, 1);
        if (wanted[k].how.missing)
            lua_rawseti(L, kept, k + 1);
    }
    return wanted;
}

/* Room for the columns that are read; false: there is no memory. */
static bool begin_columns(lua_State *L, reader *r, int64_t count)
{
    r->blanks = calloc((size_t)count + 1, sizeof *r->blanks);
    r->valid = calloc((size_t)count + 1, sizeof *r->valid);
    r->texts = calloc((size_t)count + 1, sizeof *r->texts);
    r->bytes = calloc((size_t)count + 1, sizeof *r->bytes);
    r->count = r->blanks && r->valid && r->texts && r->bytes ? count : 0;
    r->L = L;
    r->status = LUN_OK;
    return r->blanks && r->valid && r->texts && r->bytes;
}

/* internal.csv_columns(reader, {column, ...} [, {how or false, ...}]), counted from 1: a list of
 * these columns, the number of rows, the flags of columns (csv/csv.h), their validity where
 * elements are missing, and how many rows were left out; or nil and what push_fault pushes; or nil,
 * "changed". how: take_how. */
static int csv_columns(lua_State *L)
{
    enum { LIST = 4, FLAGS, VALID };
    lun__host *h = lun__host_here(L);
    reader *r = check_reader(L, h);
    luaL_checktype(L, 2, LUA_TTABLE);
    if (!is_same(r)) {
        luaL_pushfail(L);
        lua_pushliteral(L, "changed");
        return 2;
    }
    int64_t count = (int64_t)lua_rawlen(L, 2), rows;
    end_columns(r);
    lua_settop(L, 3);
    for (int i = LIST; i <= VALID; i++)
        lua_createtable(L, count < INT_MAX ? (int)count : INT_MAX, 0);
    lun__csv_wanted *wanted = take_wanted(L, r, count);
    if (!begin_columns(L, r, count)) {
        end_columns(r);
        return luaL_error(L, "not enough memory");
    }
    luaL_checkstack(L, 8, NULL);
    lun__csv_fault fault;
    bool ok = lun__csv_read(r->csv, wanted, count, &rows, &fault);
    if (!ok && fault.what == LUN__CSV_REFUSED)
        return raise_refusal(L, r);
    if (ok)
        make_columns(L, r, wanted, LIST, FLAGS, VALID);
    end_columns(r);
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
