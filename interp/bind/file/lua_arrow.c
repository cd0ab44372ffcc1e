/* lua_arrow.c - tables as streams of Arrow's C interface: what lua/lunarray/format/arrow.lua calls.
 *
 * Invariant: a box's stream is released, or moved to its importer, once: `release` is then
 * NULL. */
#include <stdint.h>
#include <string.h>

#include "bind/file/lua_arrow.h"
#include "bind/host/bind.h"
#include "lunarray_arrow.h"

#define TYPE "lunarray.arrow"

typedef struct box {
    struct ArrowArrayStream stream;
} box;

/* ---- out ------------------------------------------------------------------------------------- */

/* core.internal.arrow_export(names, arrays [, options]): two lists of one length; the stream. */
static int export(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 3);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    const char *options = luaL_optstring(L, 3, NULL);
    box *b = lua_newuserdatauv(L, sizeof *b, 0);
    memset(b, 0, sizeof *b);
    luaL_setmetatable(L, TYPE);
    lun_status s = lun__lua_table_make(L, h, 1, 2);
    lun__error_check(L, h, s, 1);
    lun_table **t = lua_touserdata(L, -1);
    LUN__TRY(s, lun_to_arrow_stream(h->engine, *t, options, &b->stream));
    lun__lua_table_end(h, t);
    lun__error_check(L, h, s, s == LUN_EARG ? 2 : 1);
    lun__host_report_memory(L, h);
    lua_pushvalue(L, 4);
    return 1;
}

struct ArrowArrayStream *lun__lua_arrow_stream(lua_State *L, int i)
{
    box *b = luaL_checkudata(L, i, TYPE);
    luaL_argcheck(L, b->stream.release, i, "the stream is empty");
    return &b->stream;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* What no address of a user's memory is below, and none has bits beyond. */
#define LUN__FIRST_PAGE   4096
#define LUN__ADDRESS_BITS 56

/* The stream at 1: a box, an address, a light userdata. An address of something else is the
 * caller's fault, and read as a stream, but for those that can be none. */
static struct ArrowArrayStream *stream_at(lua_State *L)
{
    box *b = luaL_testudata(L, 1, TYPE);
    struct ArrowArrayStream *s = b ? &b->stream : NULL;
    if (lua_islightuserdata(L, 1))
        s = lua_touserdata(L, 1);
    else if (lua_isinteger(L, 1))
        s = (struct ArrowArrayStream *)(uintptr_t)lua_tointeger(L, 1); // NOLINT
    else if (!b)
        lun__error_bad_type(L, 1, "stream, or the address of one,");
    if ((uintptr_t)s < LUN__FIRST_PAGE || (uintptr_t)s >> LUN__ADDRESS_BITS ||
        (uintptr_t)s % _Alignof(struct ArrowArrayStream))
        lun__blame_argument(L, 1, "no address of an ArrowArrayStream");
    if (!s->release)
        lun__blame_argument(L, 1, "the stream is empty: it was imported or closed already");
    return s;
}

/* core.internal.arrow_import(stream [, options]): two lists, of names and of arrays. */
static int import(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *options = luaL_optstring(L, 2, NULL);
    lua_settop(L, 2);
    struct ArrowArrayStream *stream = stream_at(L);
    lun_table **t = lun__lua_table_new(L);
    lun_status s = lun_from_arrow_stream(h->engine, stream, options, t);
    if (s == LUN_EIO) {
        lua_pushnil(L);
        lua_pushstring(L, lun_error(h->engine));
        lua_pushliteral(L, "format");
        return 3;
    }
    lun__error_check(L, h, s, s == LUN_EARG && options ? 2 : 1);
    lun__lua_table_lists(L, h, *t);
    lun__lua_table_end(h, t);
    lun__host_report_memory(L, h);
    return 2;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* s:address() */
static int address(lua_State *L)
{
    box *b = luaL_checkudata(L, 1, TYPE);
    lua_pushinteger(L, (lua_Integer)(uintptr_t)&b->stream);
    return 1;
}

/* s:close(): releases what nobody has moved. */
static int close(lua_State *L)
{
    box *b = luaL_checkudata(L, 1, TYPE);
    if (b->stream.release)
        b->stream.release(&b->stream);
    b->stream.release = NULL;
    return 0;
}

static int text(lua_State *L)
{
    const box *b = luaL_checkudata(L, 1, TYPE);
    lua_pushfstring(L, "Arrow stream%s", b->stream.release ? "" : ", empty");
    return 1;
}

void lun__open_arrow(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"address", address, 1}, {"close", close, 1}, {NULL, NULL, 0}};
    static const luaL_Reg events[] = {
        {"__gc", close}, {"__close", close}, {"__tostring", text}, {NULL, NULL}};
    static const luaL_Reg internal[] = {
        {"arrow_export", export}, {"arrow_import", import}, {NULL, NULL}};
    luaL_newmetatable(L, TYPE);
    const int type = lua_gettop(L);
    lua_newtable(L);
    lun__register_offer(L, p, lua_gettop(L), methods);
    lua_setfield(L, type, "__index");
    lun__register(L, p, type, events);
    lua_pushboolean(L, 0);
    lua_setfield(L, type, "__metatable");
    lua_pop(L, 1);
    lun__register(L, p, p->internal, internal);
}
