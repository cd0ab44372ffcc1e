/* zlib.c - checksums and compression by zlib: internal.crc32, internal.inflate, internal.deflate,
 * for lua/lunarray/format/zip.lua. No function of Lua's is called while zlib holds memory. Knows
 * neither files nor arrays. */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "bind/host/bind.h"

enum { RAW = -MAX_WBITS, MEMORY = 8 }; /* no header around the data; zlib's own default */

/* The bytes that zlib takes in one call. */
static uInt some_of(size_t left)
{
    return left < UINT_MAX ? (uInt)left : UINT_MAX;
}

/* crc32(text [, crc]): the checksum of the text, continued from crc. */
static int checksum(lua_State *L)
{
    size_t left;
    const unsigned char *text = (const unsigned char *)luaL_checklstring(L, 1, &left);
    uLong crc = (uLong)luaL_optinteger(L, 2, 0);
    while (left > 0) {
        uInt some = some_of(left);
        crc = crc32(crc, text, some);
        text += some;
        left -= some;
    }
    lua_pushinteger(L, (lua_Integer)crc);
    return 1;
}

/* Runs inflate or deflate over both buffers until zlib ends; its last status. *made, *used: bytes
 * written and read. */
static int run(z_stream *z, int (*step)(z_stream *, int), size_t from, size_t room, size_t *used,
               size_t *made)
{
    size_t left = from, free = room;
    int status = Z_OK;
    while (status == Z_OK) {
        z->avail_in = some_of(left);
        z->avail_out = some_of(free);
        uInt in = z->avail_in, out = z->avail_out;
        status = step(z, left == in ? Z_FINISH : Z_NO_FLUSH);
        left -= in - z->avail_in;
        free -= out - z->avail_out;
        if (status == Z_BUF_ERROR && free > 0 && (z->avail_in < in || z->avail_out < out))
            status = Z_OK; /* only this call's part of a buffer is used up */
    }
    *used = from - left;
    *made = room - free;
    return status;
}

/* inflate(text, size): the `size` bytes that the whole text holds; or nil, message. */
static int unpack(lua_State *L)
{
    size_t length, used, made;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer size = luaL_checkinteger(L, 2);
    luaL_argcheck(L, size >= 0 && (uint64_t)size < SIZE_MAX, 2, "no size");
    char *to =
        lua_newuserdatauv(L, (size_t)size + 1, 0); /* one more: shows if there are more bytes */
    z_stream z = {.next_in = (const Bytef *)text, .next_out = (Bytef *)to};
    if (inflateInit2(&z, RAW) != Z_OK)
        return luaL_error(L, "not enough memory");
    int status = run(&z, inflate, length, (size_t)size + 1, &used, &made);
    inflateEnd(&z);
    if (status == Z_MEM_ERROR)
        return luaL_error(L, "not enough memory");
    if (status == Z_STREAM_END && made == (size_t)size && used == length) {
        lua_pushlstring(L, to, made);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, status != Z_STREAM_END && status != Z_BUF_ERROR
                          ? "its compressed data are damaged"
                          : "its compressed data do not fit the sizes that are stated");
    return 2;
}

/* deflate(text): its bytes, compressed. */
static int pack(lua_State *L)
{
    size_t length, used, made;
    const char *text = luaL_checklstring(L, 1, &length);
    z_stream z = {.next_in = (const Bytef *)text};
    size_t room = compressBound(length);
    char *to = lua_newuserdatauv(L, room, 0);
    z.next_out = (Bytef *)to;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return luaL_error(L, "not enough memory");
    int status = run(&z, deflate, length, room, &used, &made);
    deflateEnd(&z);
    if (status != Z_STREAM_END)
        return luaL_error(L, "zlib failed");
    lua_pushlstring(L, to, made);
    return 1;
}

void lun__open_zlib(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"crc32", checksum}, {"inflate", unpack}, {"deflate", pack}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
