/* arrow_file.c - columns of Arrow's files, and tables as such: what
 * lua/lunarray/format/arrowfile.lua calls.
 *
 * Invariant: a reader has its file open, or holds its text as a user value, until it ends; `file`
 * is NULL before and after. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrow/ipc.h"
#include "bind/file/lua_arrow.h"
#include "bind/host/bind.h"

#define READER "lunarray.arrow_file"

typedef struct reader {
    lun_ipc *file;
    int fd; /* -1: the bytes are a string */
    struct stat opened;
    const char *text;
} reader;

static int read_bytes(void *ctx, int64_t at, int64_t n, void *to)
{
    const reader *r = ctx;
    if (r->fd < 0)
        memcpy(to, r->text + at, (size_t)n);
    for (int64_t done = 0; r->fd >= 0 && done < n;) {
        const ssize_t got = pread(r->fd, (char *)to + done, (size_t)(n - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : -1;
        done += got;
    }
    return 0;
}

static int end(lua_State *L)
{
    reader *r = luaL_checkudata(L, 1, READER);
    lun__ipc_file_close(r->file);
    if (r->fd >= 0)
        close(r->fd);
    r->file = NULL;
    r->fd = -1;
    return 0;
}

static reader *new_reader(lua_State *L)
{
    reader *r = lua_newuserdatauv(L, sizeof *r, 1);
    *r = (reader){.fd = -1};
    if (luaL_newmetatable(L, READER)) {
        lua_pushcfunction(L, end);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return r;
}

/* Nil, message, code; raises what is the engine's. */
static int push_fault(lua_State *L, lun__host *h, const lun_file_fault *f)
{
    if (f->status == LUN_ENOMEM)
        return luaL_error(L, "not enough memory");
    if (f->status == LUN_ECANCEL || f->status == LUN_ELIMIT)
        return lun__error_raise_stop(L, f->status);
    lun__error_check(L, h, f->status, 1);
    luaL_pushfail(L);
    lua_pushstring(L, f->text);
    if (f->reason)
        lua_pushinteger(L, f->reason);
    else
        lua_pushstring(L, f->code);
    return 3;
}

/* core.internal.arrow_open(file of Lua's | bytes): a reader, the names of the columns, how many
 * rows there are; or nil, message, code. */
static int open_reader(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const luaL_Stream *from = luaL_testudata(L, 1, LUA_FILEHANDLE);
    size_t size = 0;
    lun_file_fault f;
    lun_ipc_source source = {.read = read_bytes};
    lua_settop(L, 1);
    reader *r = new_reader(L);
    if (from) {
        luaL_argcheck(L, from->closef, 1, "closed file");
        r->fd = fcntl(fileno(from->f), F_DUPFD_CLOEXEC, 0);
        if (r->fd < 0 || fstat(r->fd, &r->opened) != 0)
            return luaL_fileresult(L, 0, NULL);
        source.size = (int64_t)r->opened.st_size;
    } else {
        r->text = luaL_checklstring(L, 1, &size);
        source.size = (int64_t)size;
        lua_pushvalue(L, 1);
        lua_setiuservalue(L, 2, 1);
    }
    source.ctx = r;
    r->file = lun__ipc_file_open(h->engine, &source, &f);
    if (!r->file)
        return push_fault(L, h, &f);
    const int64_t width = lun__ipc_file_width(r->file);
    lua_createtable(L, width < INT_MAX ? (int)width : 0, 0);
    for (int64_t k = 0; k < width; k++) {
        lua_pushstring(L, lun__ipc_file_name(r->file, k));
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushinteger(L, lun__ipc_file_rows(r->file));
    return 3;
}

/* The reader at 1 and, from 0, the number of its column at 2. */
static reader *check_column(lua_State *L, int64_t *k)
{
    reader *r = luaL_checkudata(L, 1, READER);
    *k = luaL_checkinteger(L, 2) - 1;
    luaL_argcheck(L, r->file, 1, "ended");
    luaL_argcheck(L, *k >= 0 && *k < lun__ipc_file_width(r->file), 2, "no such column");
    return r;
}

static bool has_changed(const reader *r)
{
    struct stat st;
    return r->fd >= 0 && (fstat(r->fd, &st) != 0 || st.st_size != r->opened.st_size ||
                          st.st_mtim.tv_sec != r->opened.st_mtim.tv_sec ||
                          st.st_mtim.tv_nsec != r->opened.st_mtim.tv_nsec);
}

static lun_status read_into(lun__host *h, const reader *r, int64_t k, int64_t most,
                            const char *options, lun_array **out, lun_file_fault *f)
{
    return lun__ipc_column(h->engine, r->file, k, most, options, out, f) ? LUN_OK : f->status;
}

/* core.internal.arrow_column(reader, number, most [, options]): the first rows of a column, `most`
 * at most; or nil, message, code. */
static int column(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t k;
    const reader *r = check_column(L, &k);
    const int64_t most = luaL_checkinteger(L, 3);
    const char *options = luaL_optstring(L, 4, NULL);
    lun_file_fault f;
    lun_status s;
    lun_array **out = lun__lua_array_new(L, h);
    LUN__TRY(s, read_into(h, r, k, most, options, out, &f));
    if (has_changed(r)) {
        f = (lun_file_fault){.reason = EIO};
        strcpy(f.text, "the file has changed since it was opened; open it again");
    }
    if (s != LUN_OK || f.code || f.reason)
        return push_fault(L, h, &f);
    lun__host_report_memory(L, h);
    return 1;
}

/* core.internal.arrow_place(reader, number): the byte of the file at which the numbers of a column
 * stand one after the other; nil: they do not. */
static int place(lua_State *L)
{
    int64_t k;
    const reader *r = check_column(L, &k);
    const int64_t at = lun__ipc_column_place(r->file, k);
    if (at < 0)
        luaL_pushfail(L);
    else
        lua_pushinteger(L, at);
    return 1;
}

static bool put(void *ctx, const void *bytes, int64_t n)
{
    return fwrite(bytes, 1, (size_t)n, ctx) == (size_t)n;
}

/* core.internal.arrow_write(file, stream, as_stream, codes [, codec]): the batches of what
 * arrow_export made, into a file of Lua's. True; or nil, message, code. */
static int write_file(lua_State *L)
{
    static const char *const codecs[] = {"none", "lz4", "zstd", NULL};
    lun__host *h = lun__host_here(L);
    const luaL_Stream *to = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, to->closef, 1, "closed file");
    struct ArrowArrayStream *stream = lun__lua_arrow_stream(L, 2);
    const lun_ipc_form form = {
        lua_toboolean(L, 3), lua_toboolean(L, 4),
        (lun_ipc_codec)(luaL_checkoption(L, 5, codecs[0], codecs) + LUN_IPC_NONE)};
    const lun_ipc_sink sink = {to->f, put};
    lun_file_fault f;
    errno = 0;
    const bool done = lun__ipc_write(h->engine, stream, &form, &sink, &f);
    if (!done && !f.reason)
        return push_fault(L, h, &f);
    return luaL_fileresult(L, done, NULL);
}

void lun__open_arrow_file(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"arrow_open", open_reader},
                                         {"arrow_column", column},
                                         {"arrow_place", place},
                                         {"arrow_write", write_file},
                                         {NULL, NULL}};
    lun__register(L, p, p->internal, functions);
}
