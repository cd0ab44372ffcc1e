/* file.c - arrays on files, and elements into files: internal.open, elements, bytes, write,
 * write_by_ranks and others, for lua/lunarray/format/io.lua and raw.lua. */
#include <errno.h>
#include <lualib.h>
#include <stdio.h>
#include <unistd.h>

#include "bind/host/bind.h"
#include "bind/host/write_signals.h"

/* Bytes computed and written at a time. */
#define PIECE (INT64_C(2) << 20)

/* internal.open(path): the bytes of a file as a Vector of u8; or nil, message, errno. */
static int open_file(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *path = luaL_checkstring(L, 1);
    lun_status s;
    int reason = 0;
    for (int tries = 0; tries < 2; tries++) {
        lun_array **out = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_open_file(h->engine, path, out));
        reason = errno;
        if (s != LUN_EIO || (reason != EMFILE && reason != ENFILE))
            break;
        lua_gc(L, LUA_GCCOLLECT); /* unreachable arrays keep files open */
    }
    if (s == LUN_EIO) {
        luaL_pushfail(L);
        lua_pushstring(L, lun_error_from(h->engine, 1));
        lua_pushinteger(L, reason);
        return 3;
    }
    lun__error_check(L, h, s, 1);
    return 1;
}

static int push_elements(lua_State *L, bool now)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    (void)lun__lua_array_check(L, h, 1);
    int64_t offset = luaL_checkinteger(L, 2);
    lun_dtype t = lun__lua_value_dtype(L, 3);
    int rank = lun__lua_value_shape(L, 4, shape);
    bool swapped = lua_toboolean(L, 5);
    int64_t step = now ? luaL_optinteger(L, 6, 0) : 0;
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *bytes = lun__lua_array_check(L, h, 1);
    lun_status s;
    if (now)
        LUN__TRY(s, lun_file_load(h->engine, bytes, offset, step, t, swapped, rank, shape, out));
    else
        LUN__TRY(s, lun_file_elements(h->engine, bytes, offset, t, swapped, rank, shape, out));
    lun__error_check(L, h, s, 1);
    return 1;
}

/* internal.elements(bytes, offset, dtype, shape, swapped): the array of the elements in such
 * bytes. */
static int file_elements(lua_State *L)
{
    return push_elements(L, false);
}

/* internal.loaded(bytes, offset, dtype, shape, swapped [, step]): the same, read now; step: from
 * the first byte of an element to that of the next. */
static int load_elements(lua_State *L)
{
    return push_elements(L, true);
}

/* internal.crc_of(bytes, offset, count): the CRC-32 of some of such bytes. */
static int crc_of(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *bytes = lun__lua_array_check(L, h, 1);
    const int64_t offset = luaL_checkinteger(L, 2), count = luaL_checkinteger(L, 3);
    uint32_t crc = 0;
    lun_status s;
    LUN__TRY(s, lun_file_crc(h->engine, bytes, offset, count, &crc));
    lun__error_check(L, h, s, 1);
    lua_pushinteger(L, crc);
    return 1;
}

/* internal.ranks_read(): whether ranks among the locations in use read files. */
static int ranks_read(lua_State *L)
{
    lua_pushboolean(L, lun_ranks_read(lun__host_here(L)->engine));
    return 1;
}

/* internal.bytes(a, first, count): elements, counted from 1 in row-major order, as this machine
 * stores them. If they can be computed alone, the result is not kept. */
static int part_bytes(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    int64_t size = lun_size(a), first = luaL_checkinteger(L, 2), count = luaL_checkinteger(L, 3);
    luaL_argcheck(L, first >= 1 && first - 1 <= size, 2, "index out of range");
    luaL_argcheck(L, count >= 0 && count <= size - (first - 1), 3, "more elements than there are");
    size_t bytes = (size_t)count * (size_t)lun_dtype_size(lun_dtype_of(a));
    luaL_Buffer text;
    char *to = luaL_buffinitsize(L, &text, bytes);
    lun_status s;
    LUN__TRY(s, lun_read(h->engine, a, to, first - 1, count));
    lun__error_check(L, h, s, 1);
    luaL_pushresultsize(&text, bytes);
    lun__host_report_memory(L, h);
    return 1;
}

/* internal.write(file, a): all elements into a file of Lua's, some at a time; if they can be
 * computed in parts, the results are not kept. True; or nil, message, errno. */
static int write_elements(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const luaL_Stream *to = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, to->closef, 1, "closed file");
    int64_t total = lun_size(lun__lua_array_check(L, h, 2));
    size_t size = (size_t)lun_dtype_size(lun_dtype_of(lun__lua_array_check(L, h, 2)));
    int64_t most = PIECE / (int64_t)size;
    char *buffer = lua_newuserdatauv(L, (size_t)(total < most ? total : most) * size, 0);
    for (int64_t first = 0, some; first < total; first += some) {
        lun_array *a = lun__lua_array_check(L, h, 2);
        some = total - first < most ? total - first : most;
        lun_status s;
        LUN__TRY(s, lun_read(h->engine, a, buffer, first, some));
        lun__error_check(L, h, s, 2);
        errno = 0;
        if (fwrite(buffer, size, (size_t)some, to->f) != (size_t)some)
            return luaL_fileresult(L, 0, NULL);
    }
    lun__host_report_memory(L, h);
    return luaL_fileresult(L, 1, NULL);
}

/* internal.on_ranks(a): whether ranks serve that may have its elements, or compute them. */
static int is_on_ranks(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    (void)lun__lua_array_check(L, h, 1);
    lua_pushboolean(L, lun_linked(h->engine) > 1);
    return 1;
}

/* internal.write_by_ranks(file, name, at, mark_at, mark, a): all elements, from byte `at` on, into
 * a file of Lua's, which has that name and mark: by all ranks that see it. True; or nil, message,
 * errno. */
static int write_by_ranks(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, file->closef, 1, "closed file");
    size_t marked;
    lun_write_to to = {.size = sizeof to,
                       .path = luaL_checkstring(L, 2),
                       .at = luaL_checkinteger(L, 3),
                       .mark_at = luaL_checkinteger(L, 4)};
    to.mark = luaL_checklstring(L, 5, &marked);
    to.mark_bytes = (int64_t)marked;
    (void)lun__lua_array_check(L, h, 6);
    if (fflush(file->f) != 0)
        return luaL_fileresult(L, 0, NULL);
    to.descriptor = fileno(file->f);
    lun_status s;
    int reason;
    LUN__TRY(s, lun_write_file(h->engine, lun__lua_array_check(L, h, 6), &to));
    reason = errno;
    if (s == LUN_EIO && reason) {
        errno = reason;
        return luaL_fileresult(L, 0, NULL);
    }
    lun__error_check(L, h, s, 6);
    lun__host_report_memory(L, h);
    lua_pushboolean(L, 1);
    return 1;
}

/* internal.cut(file, bytes): it ends there. True; or nil, message, errno. */
static int cut(lua_State *L)
{
    const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, file->closef, 1, "closed file");
    const lua_Integer bytes = luaL_checkinteger(L, 2);
    const bool done = fflush(file->f) == 0 && ftruncate(fileno(file->f), (off_t)bytes) == 0;
    return luaL_fileresult(L, done, NULL);
}

/* internal.work(begins): work that reports its progress begins, or ends. */
static int work(lua_State *L)
{
    lun_host_work(lun__host_here(L)->engine, lua_toboolean(L, 1));
    return 0;
}

/* internal.work_done(what, unit, done, total): how far such work is, in "bytes" or "rows". */
static int work_done(lua_State *L)
{
    lun_host_progress(lun__host_here(L)->engine, luaL_checkstring(L, 1), luaL_checkstring(L, 2),
                      luaL_checkinteger(L, 3), luaL_checkinteger(L, 4));
    return 0;
}

/* internal.streamed(a): whether it reads files, or has no elements in memory. */
static int is_streamed(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_array *a = lun__lua_array_check(L, h, 1);
    lua_pushboolean(L, lun_is_streamed(a) || lun_is_virtual(a));
    return 1;
}

/* internal.writing(f, ...): the results of f(...), within which files that grow too large and pipes
 * without a reader are errors and no signals. */
static int writing(lua_State *L)
{
    lun__held_signal held;
    lun__write_signals_hold(&held);
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    lun__write_signals_let_go(&held);
    return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

void lun__open_file(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"open", open_file},
                                         {"elements", file_elements},
                                         {"loaded", load_elements},
                                         {"crc_of", crc_of},
                                         {"ranks_read", ranks_read},
                                         {"bytes", part_bytes},
                                         {"write", write_elements},
                                         {"on_ranks", is_on_ranks},
                                         {"write_by_ranks", write_by_ranks},
                                         {"cut", cut},
                                         {"work", work},
                                         {"work_done", work_done},
                                         {"streamed", is_streamed},
                                         {"writing", writing},
                                         {NULL, NULL}};
    lun__register(L, p, p->internal, functions);
}
