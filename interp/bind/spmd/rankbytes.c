/* rankbytes.c - strings of bytes between ranks, for lua/lunarray, and failures of ranks. Knows
 * nothing of what they say. */
#include <stdlib.h>
#include <string.h>

#include "bind/host/bind.h"
#include "bind/host/field.h"

/* ---- errors ---------------------------------------------------------------------------------- */

int lun__spmd_fail(lua_State *L, lun__host *h, lun_status s)
{
    if (s == LUN_ECANCEL || s == LUN_ELIMIT || s == LUN_ENOMEM)
        return lun__error_raise_fault(L, h, s);
    lua_pushstring(L, lun_error_from(h->engine, 1));
    if (s != LUN_ESCRIPT && s != LUN_EBACKEND) {
        char place[LUN__SOURCE_LINE];
        lun__source_line(L, 0, place, sizeof place);
        lua_pushfstring(L, "%s%s%s", place, place[0] ? ": " : "", lua_tostring(L, -1));
        return lua_error(L);
    }
    lua_createtable(L, 0, 3);
    lua_insert(L, -2);
    lua_setfield(L, -2, "message");
    lun__field_set_text(L, "code", lun_status_name(s));
    lun__field_set_text(L, "where", "");
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__ERROR);
    lua_setmetatable(L, -2);
    return lua_error(L);
}

lun__host *lun__here_waiting(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    h->waiting = L;
    return h;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Bytes that the engine has allocated, in so many parts that stand one after the other. */
typedef struct parts {
    int count;
    int64_t *counts;
    char *bytes;
    bool lent; /* the counts are Lua's */
} parts;

static int copy_parts(lua_State *L)
{
    const parts *p = lua_touserdata(L, 1);
    const char *at = p->bytes;
    lua_createtable(L, p->count, 0);
    for (int i = 0; i < p->count; at += p->counts[i++]) {
        lua_pushlstring(L, at, (size_t)p->counts[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* Pushes the parts as a list of strings and frees them, also where that fails. */
static int push_parts(lua_State *L, parts p)
{
    lua_pushcfunction(L, copy_parts);
    lua_pushlightuserdata(L, &p);
    int status = lua_pcall(L, 1, 1, 0);
    if (!p.lent)
        free(p.counts);
    free(p.bytes);
    return status == LUA_OK ? 1 : lua_error(L);
}

static int copy_bytes(lua_State *L)
{
    const parts *p = lua_touserdata(L, 1);
    lua_pushlstring(L, p->bytes, (size_t)p->counts[0]);
    return 1;
}

int lun__push_bytes(lua_State *L, void *bytes, int64_t count)
{
    parts p = {1, &count, bytes, true};
    lua_pushcfunction(L, copy_bytes);
    lua_pushlightuserdata(L, &p);
    int status = lua_pcall(L, 1, 1, 0);
    free(bytes);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* ---- gathers and broadcasts ------------------------------------------------------------------ */

/* gather(bytes [, doing, noun, options]): the list of all ranks' bytes, with the agreement or after
 * it. */
static int gather(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    size_t length;
    const char *own = luaL_checklstring(L, 1, &length);
    const lun_said said = {sizeof said, luaL_optstring(L, 2, NULL), luaL_optstring(L, 3, ""),
                           luaL_optstring(L, 4, NULL)};
    parts p = {.count = lun_spmd_npes(h->engine)};
    void *all = NULL;
    lun__source_line_mark(L, h);
    lun_status s = lun_spmd_gather_said(h->engine, said.doing ? &said : NULL, own, (int64_t)length,
                                        &p.counts, &all);
    p.bytes = all;
    return s == LUN_OK ? push_parts(L, p) : lun__spmd_fail(L, h, s);
}

/* bcast(root, bytes): root's bytes; the other ranks give nil. */
static int bcast(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    int root = (int)luaL_checkinteger(L, 1);
    size_t length = 0;
    const char *own = luaL_optlstring(L, 2, "", &length);
    void *bytes = (void *)(uintptr_t)own;
    int64_t got = (int64_t)length;
    lua_settop(L, 2);
    lun_status s = lun_spmd_bcast_bytes(h->engine, root, &bytes, &got);
    if (s != LUN_OK)
        return lun__spmd_fail(L, h, s);
    return bytes == own ? 1 : lun__push_bytes(L, bytes, got);
}

/* ---- arrays, without a copy ------------------------------------------------------------------ */

/* dense(a): a handle on the elements that a has now, side by side in memory. */
static int dense(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1), **out = lun__lua_array_new(L, h);
    const void *data = NULL;
    lun_status s;
    if (lun_layout_of(a) == LUN_LAYOUT_RIGHT)
        LUN__TRY(s, lun_cast(h->engine, a, lun_dtype_of(a), out));
    else
        LUN__TRY(s, lun_copy(h->engine, a, out));
    if (s == LUN_OK)
        LUN__TRY(s, lun_data(h->engine, *out, &data));
    return s == LUN_OK ? 1 : lun__error_raise_fault(L, h, s);
}

/* blank(dtype, shape): an array whose elements are to come. */
static int blank(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_dtype t = lun__lua_value_dtype(L, 1);
    int64_t shape[LUN_MAX_RANK], n = 1;
    const int rank = lun__lua_value_shape(L, 2, shape);
    lun_blank *memory = NULL;
    lun_array *flat = NULL, **out = lun__lua_array_new(L, h);
    void *bytes = NULL;
    lun_status s;
    for (int d = 0; d < rank; d++)
        if (__builtin_mul_overflow(n, shape[d], &n))
            return luaL_error(L, "the shape is too large");
    LUN__TRY(s, lun_blank_new(h->engine, n, (int)lun_dtype_size(t), &memory, &bytes));
    if (s == LUN_OK)
        LUN__TRY(s, lun_blank_vector(h->engine, memory, t, &flat));
    if (s == LUN_OK)
        LUN__TRY(s, lun_reshape(h->engine, flat, rank, shape, out));
    else
        lun_blank_drop(h->engine, memory);
    lun_release(flat);
    return s == LUN_OK ? 1 : lun__error_raise_fault(L, h, s);
}

/* Elements that dense or blank has given: where they are, how many bytes. */
typedef struct elements {
    void *bytes;
    int64_t count;
} elements;

static elements elements_at(lua_State *L, lun__host *h, int i)
{
    lun_array *a = lun__lua_array_check(L, h, i);
    const void *bytes = NULL;
    lun__error_check(L, h, lun_data(h->engine, a, &bytes), i);
    return (elements){(void *)(uintptr_t)bytes, lun_size(a) * lun_dtype_size(lun_dtype_of(a))};
}

/* Of a call that has failed: the transport may still work on the elements at i. */
static void keep(lua_State *L, lun__host *h, int i)
{
    if (lun_spmd_lingers(h->engine))
        lun_retain(lun__lua_array_at(L, i));
}

/* bcast_array(root, a): root's elements, into those of the others. */
static int bcast_array(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const int root = (int)luaL_checkinteger(L, 1);
    const elements x = elements_at(L, h, 2);
    const lun_status s = lun_spmd_bcast_into(h->engine, root, x.bytes, x.count);
    if (s == LUN_OK)
        return 0;
    keep(L, h, 2);
    return lun__spmd_fail(L, h, s);
}

static void release_array(void *a)
{
    lun_release(a);
}

/* send_array(pe, tag, a): more of a message. The elements stay where they are, and a write to a
 * before they have gone leaves them alone. */
static int send_array(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_checkinteger(L, 2);
    const elements x = elements_at(L, h, 3);
    lun_array *a = lun__lua_array_at(L, 3);
    lun_retain(a);
    const lun_status s = lun_spmd_send_lent(h->engine, pe, tag, x.bytes, x.count, release_array, a);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* receive_array(pe, tag, a): what send_array has sent, into a. */
static int receive_array(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_checkinteger(L, 2);
    const elements x = elements_at(L, h, 3);
    const lun_status s = lun_spmd_receive_into(h->engine, pe, tag, x.bytes, x.count);
    if (s == LUN_OK)
        return 0;
    keep(L, h, 3);
    return lun__spmd_fail(L, h, s);
}

/* move(list, given): the part of a step in which large arrays go from rank to rank; a list of PEs
 * and arrays in turn, first those that go, so many, then those that come. */
static int move(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    const int given = (int)luaL_checkinteger(L, 2), all = (int)(lua_rawlen(L, 1) / 2);
    const size_t room = (size_t)all + 1;
    int64_t *counts = lua_newuserdatauv(L, room * sizeof *counts, 0);
    void **bytes = lua_newuserdatauv(L, room * sizeof *bytes, 0);
    int *pes = lua_newuserdatauv(L, room * sizeof *pes, 0);
    for (int k = 0; k < all; k++) {
        lua_rawgeti(L, 1, 2 * k + 1);
        lua_rawgeti(L, 1, 2 * k + 2);
        const elements x = elements_at(L, h, lua_gettop(L));
        pes[k] = (int)luaL_checkinteger(L, -2);
        bytes[k] = x.bytes;
        counts[k] = x.count;
        lua_pop(L, 2);
    }
    const lun_status s = lun_spmd_move(h->engine, pes, bytes, counts, given, all - given);
    for (int k = 0; s != LUN_OK && k < all; k++) {
        lua_rawgeti(L, 1, 2 * k + 2);
        keep(L, h, lua_gettop(L));
        lua_pop(L, 1);
    }
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* allreduce(name, a): arrays of one dtype and shape on all ranks, combined by an operation. */
static int allreduce(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    lun_array *a = lun__lua_array_check(L, h, 2), **out = lun__lua_array_new(L, h);
    lun_op op = LUN_OP_NONE;
    if (!lun_op_find(luaL_checkstring(L, 1), 2, &op))
        return luaL_argerror(L, 1, "no operation");
    const lun_status s = lun_spmd_allreduce(h->engine, op, a, out);
    return s == LUN_OK ? 1 : lun__spmd_fail(L, h, s);
}

/* ---- exchanges and messages ------------------------------------------------------------------ */

/* What a list of strings is as parts: counts in a userdata, all bytes as one string; both
 * pushed. */
static parts read_parts(lua_State *L, lun__host *h, int list)
{
    parts p = {.count = lun_spmd_npes(h->engine)};
    luaL_checktype(L, list, LUA_TTABLE);
    p.counts = lua_newuserdatauv(L, (size_t)p.count * sizeof *p.counts, 0);
    luaL_Buffer all;
    luaL_buffinit(L, &all);
    for (int i = 0; i < p.count; i++) {
        size_t length;
        lua_rawgeti(L, list, i + 1);
        luaL_checklstring(L, -1, &length);
        p.counts[i] = (int64_t)length;
        luaL_addvalue(&all);
    }
    luaL_pushresult(&all);
    p.bytes = (char *)(uintptr_t)lua_tostring(L, -1);
    return p;
}

/* The counts that a list has, in a userdata that is pushed; no list: NULL. */
static void read_counts(lua_State *L, int list, parts *p)
{
    if (lua_isnoneornil(L, list))
        return;
    luaL_checktype(L, list, LUA_TTABLE);
    p->counts = lua_newuserdatauv(L, (size_t)p->count * sizeof *p->counts, 0);
    p->lent = true;
    for (int i = 0; i < p->count; i++) {
        lua_rawgeti(L, list, i + 1);
        p->counts[i] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
}

/* exchange(list [, counts]): a string for each rank, a string from each; counts: it is known how
 * many bytes each has. */
static int exchange(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    lua_settop(L, 2);
    parts given = read_parts(L, h, 1), got = {.count = given.count};
    void *bytes = NULL;
    read_counts(L, 2, &got);
    const lun_status s =
        got.lent
            ? lun_spmd_exchange_known(h->engine, given.bytes, given.counts, got.counts, &bytes)
            : lun_spmd_exchange_bytes(h->engine, given.bytes, given.counts, &got.counts, &bytes);
    got.bytes = bytes;
    return s == LUN_OK ? push_parts(L, got) : lun__spmd_fail(L, h, s);
}

/* send(pe, tag, bytes) */
static int send(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    size_t length;
    int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_checkinteger(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &length);
    const lun_status s = lun_spmd_send(h->engine, pe, tag, bytes, (int64_t)length);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* receive(pe, tag): the next message. */
static int receive(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_checkinteger(L, 2);
    void *bytes = NULL;
    int64_t length = 0;
    lun__source_line_mark(L, h);
    const lun_status s = lun_spmd_receive(h->engine, pe, tag, &bytes, &length);
    return s == LUN_OK ? lun__push_bytes(L, bytes, length) : lun__spmd_fail(L, h, s);
}

void lun__open_rankbytes(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"gather", gather},
                                         {"bcast", bcast},
                                         {"dense", dense},
                                         {"blank", blank},
                                         {"bcast_array", bcast_array},
                                         {"send_array", send_array},
                                         {"receive_array", receive_array},
                                         {"move", move},
                                         {"allreduce", allreduce},
                                         {"exchange", exchange},
                                         {"send", send},
                                         {"receive", receive},
                                         {NULL, NULL}};
    lua_getfield(L, p->internal, "spmd");
    lun__register(L, p, lua_gettop(L), functions);
    lua_pop(L, 1);
}
