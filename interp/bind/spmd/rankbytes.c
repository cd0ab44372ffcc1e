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
        return lun__raise_fault(L, h, s);
    lua_pushstring(L, lun_error_from(h->engine, 1));
    if (s != LUN_ESCRIPT && s != LUN_EBACKEND) {
        char place[LUN__PLACE];
        lun__script_place(L, 0, place, sizeof place);
        lua_pushfstring(L, "%s%s%s", place, place[0] ? ": " : "", lua_tostring(L, -1));
        return lua_error(L);
    }
    lua_createtable(L, 0, 3);
    lua_insert(L, -2);
    lua_setfield(L, -2, "message");
    lun__set_text(L, "code", lun_status_name(s));
    lun__set_text(L, "where", "");
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__ERROR);
    lua_setmetatable(L, -2);
    return lua_error(L);
}

lun__host *lun__here_waiting(lua_State *L)
{
    lun__host *h = lun__here(L);
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

/* ---- steps and messages ---------------------------------------------------------------------- */

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
    lun__mark(L, h);
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

/* Elements on their way into memory that is to be an array's. */
typedef struct landing {
    lun_blank *blank;
    void *bytes;
    int64_t n, shape[LUN_MAX_RANK];
    int rank;
    lun_dtype dtype;
} landing;

/* Of the arguments dtype, shape at i and behind it. */
static landing open_landing(lua_State *L, lun__host *h, int i)
{
    landing x = {.n = 1, .dtype = lun__check_dtype(L, i)};
    lun_status s;
    x.rank = lun__check_shape(L, i + 1, x.shape);
    for (int d = 0; d < x.rank; d++)
        if (__builtin_mul_overflow(x.n, x.shape[d], &x.n))
            luaL_error(L, "the shape is too large");
    LUN__TRY(s, lun_blank_new(h->engine, x.n, (int)lun_dtype_size(x.dtype), &x.blank, &x.bytes));
    if (s != LUN_OK)
        (void)lun__raise_fault(L, h, s);
    return x;
}

/* Pushes the array, or raises the failure s. */
static int land(lua_State *L, lun__host *h, landing *x, lun_status s)
{
    lun_array *flat = NULL, **out;
    if (s != LUN_OK) {
        if (!lun_spmd_lingers(h->engine))
            lun_blank_drop(h->engine, x->blank);
        return lun__spmd_fail(L, h, s);
    }
    out = lun__new_array(L, h);
    LUN__TRY(s, lun_blank_vector(h->engine, x->blank, x->dtype, &flat));
    if (s == LUN_OK) {
        LUN__TRY(s, lun_reshape(h->engine, flat, x->rank, x->shape, out));
        lun_release(flat);
    } else {
        lun_blank_drop(h->engine, x->blank);
    }
    return s == LUN_OK ? 1 : lun__raise_fault(L, h, s);
}

/* bcast_array(root, a) on root; bcast_array(root, nil, dtype, shape) on the others: an array of
 * root's elements, which are in memory, since a was evaluated. */
static int bcast_array(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const int root = (int)luaL_checkinteger(L, 1);
    if (lua_isnil(L, 2)) {
        landing x = open_landing(L, h, 3);
        const int64_t bytes = x.n * lun_dtype_size(x.dtype);
        return land(L, h, &x, lun_spmd_bcast_into(h->engine, root, x.bytes, bytes));
    }
    lun_array *a = lun__check_array(L, h, 2);
    const void *from = NULL;
    lun_status s;
    LUN__TRY(s, lun_data(h->engine, a, &from));
    lun__check(L, h, s, 2);
    s = lun_spmd_bcast_into(h->engine, root, (void *)(uintptr_t)from,
                            lun_size(a) * lun_dtype_size(lun_dtype_of(a)));
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

static void release_array(void *a)
{
    lun_release(a);
}

/* send_array(pe, tag, a): more of a message; a was evaluated. Its elements stay where they are, and
 * a write to it before they have gone leaves them alone. */
static int send_array(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_checkinteger(L, 2);
    lun_array *a = lun__check_array(L, h, 3), *held = NULL;
    const void *from = NULL;
    lun_status s;
    LUN__TRY(s, lun_cast(h->engine, a, lun_dtype_of(a), &held));
    lun__check(L, h, s, 3);
    LUN__TRY(s, lun_data(h->engine, held, &from));
    if (s != LUN_OK) {
        lun_release(held);
        lun__check(L, h, s, 3);
    }
    s = lun_spmd_send_lent(h->engine, pe, tag, from, lun_size(a) * lun_dtype_size(lun_dtype_of(a)),
                           release_array, held);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* receive_array(pe, tag, dtype, shape): the array that send_array has sent. */
static int receive_array(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_checkinteger(L, 2);
    landing x = open_landing(L, h, 3);
    const int64_t bytes = x.n * lun_dtype_size(x.dtype);
    return land(L, h, &x, lun_spmd_receive_into(h->engine, pe, tag, x.bytes, bytes));
}

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

/* exchange(list [, counts or nil, most]): a string for each rank, a string from each; counts: it is
 * known how many bytes each has; most: none of any rank has more. */
static int exchange(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const lua_Integer most = luaL_optinteger(L, 3, 0);
    lua_settop(L, 3);
    parts given = read_parts(L, h, 1), got = {.count = given.count};
    void *bytes = NULL;
    read_counts(L, 2, &got);
    lun_status s;
    if (got.lent)
        s = lun_spmd_exchange_known(h->engine, given.bytes, given.counts, got.counts, most, &bytes);
    else if (!lua_isnil(L, 3))
        s = lun_spmd_exchange_within(h->engine, given.bytes, given.counts, most, &got.counts,
                                     &bytes);
    else
        s = lun_spmd_exchange_bytes(h->engine, given.bytes, given.counts, &got.counts, &bytes);
    got.bytes = bytes;
    return s == LUN_OK ? push_parts(L, got) : lun__spmd_fail(L, h, s);
}

/* send(pe, tag, bytes); tag nil: within a step, apart from scripts' messages */
static int send(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    size_t length;
    int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_optinteger(L, 2, 0);
    const char *bytes = luaL_checklstring(L, 3, &length);
    lun_status s = lua_isnil(L, 2) ? lun_spmd_hand_on(h->engine, pe, bytes, (int64_t)length)
                                   : lun_spmd_send(h->engine, pe, tag, bytes, (int64_t)length);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* receive(pe, tag): the next message; without a tag: within a step. */
static int receive(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_optinteger(L, 2, 0);
    void *bytes = NULL;
    int64_t length = 0;
    lun__mark(L, h);
    lun_status s = lua_isnoneornil(L, 2) ? lun_spmd_handed(h->engine, pe, &bytes, &length)
                                         : lun_spmd_receive(h->engine, pe, tag, &bytes, &length);
    return s == LUN_OK ? lun__push_bytes(L, bytes, length) : lun__spmd_fail(L, h, s);
}

void lun__open_rankbytes(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"gather", gather},
                                         {"bcast", bcast},
                                         {"bcast_array", bcast_array},
                                         {"send_array", send_array},
                                         {"receive_array", receive_array},
                                         {"exchange", exchange},
                                         {"send", send},
                                         {"receive", receive},
                                         {NULL, NULL}};
    lua_getfield(L, p->internal, "spmd");
    lun__register(L, p, lua_gettop(L), functions);
    lua_pop(L, 1);
}
