/* zlib.c - checksums and compression by zlib: internal.crc32, internal.inflate, internal.deflate,
 * for lua/lunarray/format/zip.lua, and internal.unpacking, internal.unpack for gzip data that comes
 * in pieces. Elsewhere than in what unpacking gives, which a finaliser ends, zlib holds no memory
 * while a function of Lua's is called. Knows neither files nor arrays. */
#include <limits.h>
#include <stdbool.h>
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

/* ---- gzip data in pieces --------------------------------------------------------------------- */

#define UNPACKING "lunarray.unpacking"
enum { GZIP = MAX_WBITS + 16, PIECE = 1 << 18 };

typedef struct unpacking {
    z_stream z;
    bool begun, between; /* zlib holds memory; a member has ended, or none has begun */
} unpacking;

/* unpacking(): gzip data of which nothing has come. */
static int unpacking_new(lua_State *L)
{
    unpacking *u = lua_newuserdatauv(L, sizeof *u, 0);
    memset(u, 0, sizeof *u);
    luaL_setmetatable(L, UNPACKING);
    if (inflateInit2(&u->z, GZIP) != Z_OK)
        return luaL_error(L, "not enough memory");
    u->begun = u->between = true;
    return 1;
}

static int unpacking_end(lua_State *L)
{
    unpacking *u = luaL_checkudata(L, 1, UNPACKING);
    if (u->begun)
        inflateEnd(&u->z);
    u->begun = false;
    return 0;
}

static int bad(lua_State *L, const char *code, const char *message)
{
    lua_pushnil(L);
    lua_pushstring(L, message);
    lua_pushstring(L, code);
    return 3;
}

/* Behind a member, or in front of the first one: whether another one begins. */
static bool next_member(unpacking *u)
{
    const bool begins = *u->z.next_in == 0x1f && inflateReset(&u->z) == Z_OK;
    u->between = !begins;
    return begins;
}

/* unpack(u, bytes): what they unpack to, of one member or several; "" means that no more come. Or
 * nil, message, code. */
static int unpack_next(lua_State *L)
{
    unpacking *u = luaL_checkudata(L, 1, UNPACKING);
    size_t left;
    const char *bytes = luaL_checklstring(L, 2, &left);
    luaL_argcheck(L, u->begun && left < UINT_MAX, 2, "too many bytes");
    if (left == 0 && !u->between)
        return bad(L, "short", "the gzip data ends early");
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    u->z.next_in = (const Bytef *)bytes;
    u->z.avail_in = (uInt)left;
    int status = Z_OK;
    while (status == Z_OK && (u->z.avail_in > 0 || u->z.avail_out == 0)) {
        if (u->between && u->z.avail_in == 0)
            break;
        if (u->between && !next_member(u))
            return bad(L, "long", "bytes follow the gzip data");
        u->z.next_out = (Bytef *)luaL_prepbuffsize(&b, PIECE);
        u->z.avail_out = PIECE;
        status = inflate(&u->z, Z_NO_FLUSH);
        luaL_addsize(&b, PIECE - u->z.avail_out);
        u->between = status == Z_STREAM_END;
        if (status == Z_STREAM_END || (status == Z_BUF_ERROR && u->z.avail_in == 0))
            status = Z_OK;
    }
    if (status == Z_MEM_ERROR)
        return luaL_error(L, "not enough memory");
    if (status != Z_OK)
        return bad(L, "format",
                   lua_pushfstring(L, "the gzip data is damaged (%s)",
                                   u->z.msg ? u->z.msg : "a dictionary is missing"));
    luaL_pushresult(&b);
    return 1;
}

void lun__open_zlib(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"crc32", checksum},     {"inflate", unpack},          {"deflate", pack},
        {"unpack", unpack_next}, {"unpacking", unpacking_new}, {NULL, NULL}};
    if (luaL_newmetatable(L, UNPACKING)) {
        lua_pushcfunction(L, unpacking_end);
        lua_setfield(L, -2, "__gc");
    }
    lua_pop(L, 1);
    lun__register(L, p, p->internal, inside);
}
