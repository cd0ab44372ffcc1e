/* memory_file.c - files of Lua's whose bytes are in memory: lun.encode writes by them what
 * lun.save writes into files.
 *
 * Invariant: `room` bytes are allocated, and entered in the engine's account; `length` of them are
 * written. The stream ends before its buffer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include <errno.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/host/bind.h"

#define BUFFER "lunarray.memory_file"

enum { FIRST = 4096 };

typedef struct buffer {
    lun__host *host;
    char *bytes;
    size_t length, room;
} buffer;

/* Room for `more` bytes; false: there is no memory. */
static bool grow(buffer *b, size_t more)
{
    size_t room = b->room ? b->room : FIRST;
    while (room - b->length < more)
        room *= 2;
    if (room == b->room)
        return true;
    if (!lun_memory_take(b->host->engine, (int64_t)(room - b->room)))
        return false;
    char *now = realloc(b->bytes, room);
    if (!now) {
        lun_memory_give(b->host->engine, (int64_t)(room - b->room));
        return false;
    }
    b->bytes = now;
    b->room = room;
    return true;
}

static ssize_t put(void *ctx, const char *from, size_t count)
{
    buffer *b = ctx;
    if (count > SIZE_MAX / 4 || !grow(b, count)) {
        errno = ENOMEM;
        return 0;
    }
    memcpy(b->bytes + b->length, from, count);
    b->length += count;
    return (ssize_t)count;
}

static int end_buffer(lua_State *L)
{
    buffer *b = luaL_checkudata(L, 1, BUFFER);
    if (b->host->engine)
        lun_memory_give(b->host->engine, (int64_t)b->room);
    free(b->bytes);
    b->bytes = NULL;
    b->length = b->room = 0;
    return 0;
}

static int close_stream(lua_State *L)
{
    luaL_Stream *s = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_fileresult(L, fclose(s->f) == 0, NULL);
}

/* internal.memory_file(): a file to write, and its buffer. */
static int new_file(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_Stream *s = lua_newuserdatauv(L, sizeof *s, 1);
    s->closef = NULL;
    buffer *b = lua_newuserdatauv(L, sizeof *b, 0);
    *b = (buffer){.host = h};
    luaL_setmetatable(L, BUFFER);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, -3, 1); /* the stream keeps its buffer */
    s->f = fopencookie(b, "w", (cookie_io_functions_t){.write = put});
    if (!s->f)
        return luaL_fileresult(L, 0, NULL);
    s->closef = close_stream;
    lua_pushvalue(L, -2);
    luaL_setmetatable(L, LUA_FILEHANDLE);
    lua_pop(L, 1);
    return 2;
}

/* internal.memory_bytes(buffer): what was written, as a string; the buffer is empty then. */
static int take_bytes(lua_State *L)
{
    const buffer *b = luaL_checkudata(L, 1, BUFFER);
    lua_pushlstring(L, b->bytes, b->length);
    lua_pushcfunction(L, end_buffer);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
    return 1;
}

void lun__open_memory_file(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"memory_file", new_file}, {"memory_bytes", take_bytes}, {NULL, NULL}};
    luaL_newmetatable(L, BUFFER);
    lua_pushcfunction(L, end_buffer);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lun__register(L, p, p->internal, internal);
}
