/* spmd.c - what lua/lunarray needs of ranks: the agreement before a step, strings of bytes between
 * ranks, requests that a Lua function answers. Knows nothing of what the bytes say. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "bind/field.h"

/* Its address is the key of the registry where the function is that answers requests. */
static const char handler_key;

/* ---- errors ---------------------------------------------------------------------------------- */

int lun__spmd_fail(lua_State *L, lun__host *h, lun_status s)
{
    if (s == LUN_ECANCEL || s == LUN_ELIMIT || s == LUN_ENOMEM)
        return lun__raise_fault(L, h, s);
    lua_pushstring(L, lun_error(h->engine));
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

/* The host of the running function; requests that come while it waits are answered in L. */
static lun__host *here(lua_State *L)
{
    lun__host *h = lun__here(L);
    h->waiting = L;
    return h;
}

/* Bytes that the engine has allocated, in so many parts that stand one after the other. */
typedef struct parts {
    int count;
    int64_t *counts;
    char *bytes;
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

/* The same of one part, as a string. */
static int push_bytes(lua_State *L, void *bytes, int64_t count)
{
    parts p = {1, &count, bytes};
    lua_pushcfunction(L, copy_bytes);
    lua_pushlightuserdata(L, &p);
    int status = lua_pcall(L, 1, 1, 0);
    free(bytes);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* ---- beginning, agreement, end --------------------------------------------------------------- */

/* start(): the number of ranks, and that of this one. */
static int start(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun_status s = lun_spmd_start(h->engine);
    if (s != LUN_OK)
        return lun__spmd_fail(L, h, s);
    lua_pushinteger(L, lun_spmd_npes(h->engine));
    lua_pushinteger(L, lun_spmd_mype(h->engine));
    return 2;
}

/* step(doing, noun [, options]) */
static int step(lua_State *L)
{
    lun__host *h = here(L);
    const char *doing = luaL_checkstring(L, 1), *noun = luaL_checkstring(L, 2);
    const char *options = luaL_optstring(L, 3, NULL);
    lun__mark(L, h);
    lun_status s = lun_spmd_step(h->engine, doing, noun, options);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

static int together(lua_State *L, lun_status (*act)(lun_engine *e))
{
    lun__host *h = here(L);
    lun__mark(L, h);
    lun_status s = act(h->engine);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

static int barrier(lua_State *L)
{
    return together(L, lun_spmd_barrier);
}

static int barrier_begin(lua_State *L)
{
    return together(L, lun_spmd_barrier_begin);
}

static int barrier_end(lua_State *L)
{
    return together(L, lun_spmd_barrier_end);
}

static int critical_begin(lua_State *L)
{
    return together(L, lun_spmd_critical_begin);
}

static int critical_end(lua_State *L)
{
    return together(L, lun_spmd_critical_end);
}

/* inside(region): "master"; nothing: it is left. */
static int inside(lua_State *L)
{
    static const char *const regions[] = {"", "master", NULL};
    int region = luaL_checkoption(L, 1, "", regions);
    lun_spmd_inside(lun__here(L)->engine, region ? regions[region] : NULL);
    return 0;
}

/* count(gets, puts) */
static int count(lua_State *L)
{
    lun_spmd_count(lun__here(L)->engine, luaL_checkinteger(L, 1), luaL_checkinteger(L, 2));
    return 0;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* gather(bytes): the list of all ranks' bytes. */
static int gather(lua_State *L)
{
    lun__host *h = here(L);
    size_t length;
    const char *own = luaL_checklstring(L, 1, &length);
    parts p = {.count = lun_spmd_npes(h->engine)};
    void *all = NULL;
    lun_status s = lun_spmd_gather_bytes(h->engine, own, (int64_t)length, &p.counts, &all);
    p.bytes = all;
    return s == LUN_OK ? push_parts(L, p) : lun__spmd_fail(L, h, s);
}

/* bcast(root, bytes): root's bytes; the other ranks give nil. */
static int bcast(lua_State *L)
{
    lun__host *h = here(L);
    int root = (int)luaL_checkinteger(L, 1);
    size_t length = 0;
    const char *own = luaL_optlstring(L, 2, "", &length);
    void *bytes = (void *)(uintptr_t)own;
    int64_t got = (int64_t)length;
    lua_settop(L, 2);
    lun_status s = lun_spmd_bcast_bytes(h->engine, root, &bytes, &got);
    if (s != LUN_OK)
        return lun__spmd_fail(L, h, s);
    return bytes == own ? 1 : push_bytes(L, bytes, got);
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

/* exchange(list): a string for each rank, a string from each. */
static int exchange(lua_State *L)
{
    lun__host *h = here(L);
    parts given = read_parts(L, h, 1), got = {.count = given.count};
    void *bytes = NULL;
    lun_status s =
        lun_spmd_exchange_bytes(h->engine, given.bytes, given.counts, &got.counts, &bytes);
    got.bytes = bytes;
    return s == LUN_OK ? push_parts(L, got) : lun__spmd_fail(L, h, s);
}

/* send(pe, tag, bytes); tag nil: within a step, apart from scripts' messages */
static int send(lua_State *L)
{
    lun__host *h = here(L);
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
    lun__host *h = here(L);
    int pe = (int)luaL_checkinteger(L, 1), tag = (int)luaL_optinteger(L, 2, 0);
    void *bytes = NULL;
    int64_t length = 0;
    lun__mark(L, h);
    lun_status s = lua_isnoneornil(L, 2) ? lun_spmd_handed(h->engine, pe, &bytes, &length)
                                         : lun_spmd_receive(h->engine, pe, tag, &bytes, &length);
    return s == LUN_OK ? push_bytes(L, bytes, length) : lun__spmd_fail(L, h, s);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* One request, for answer_protected. */
typedef struct question {
    int from;
    const char *bytes;
    int64_t count;
} question;

static int answer_protected(lua_State *L)
{
    const question *q = lua_touserdata(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &handler_key);
    lua_pushinteger(L, q->from);
    lua_pushlstring(L, q->bytes ? q->bytes : "", (size_t)q->count);
    lua_call(L, 2, 0);
    return 0;
}

/* The engine's call for each request: the handler replies, and catches errors of its own; what is
 * left is a lack of memory, which an empty reply says. */
static void answer(void *ctx, int from, const void *bytes, int64_t bytes_count)
{
    const lun__host *h = ctx;
    lua_State *L = h->waiting;
    question q = {from, bytes, bytes_count};
    if (lua_checkstack(L, LUA_MINSTACK)) {
        lua_pushcfunction(L, answer_protected);
        lua_pushlightuserdata(L, &q);
        if (lua_pcall(L, 1, 0, 0) == LUA_OK)
            return;
        lua_pop(L, 1);
    }
    if (bytes)
        (void)lun_spmd_reply(h->engine, from, "", 0);
}

/* serve(f): f(from, bytes) answers the requests of other ranks, by reply; "": that rank has
 * ended. */
static int serve(lua_State *L)
{
    lun__host *h = lun__here(L);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &handler_key);
    h->waiting = L;
    lun_spmd_serve(h->engine, answer, h);
    return 0;
}

static int listen(lua_State *L)
{
    lun__host *h = here(L);
    lun_status s = lun_spmd_listen(h->engine);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* reply(pe, bytes) */
static int reply(lua_State *L)
{
    lun__host *h = lun__here(L);
    size_t length;
    const char *bytes = luaL_checklstring(L, 2, &length);
    lun_status s = lun_spmd_reply(h->engine, (int)luaL_checkinteger(L, 1), bytes, (int64_t)length);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* request(pe, bytes): the reply. */
static int request(lua_State *L)
{
    lun__host *h = here(L);
    size_t length;
    int pe = (int)luaL_checkinteger(L, 1);
    const char *bytes = luaL_checklstring(L, 2, &length);
    void *got = NULL;
    int64_t got_length = 0;
    lun__mark(L, h);
    lun_status s = lun_spmd_request(h->engine, pe, bytes, (int64_t)length, &got, &got_length);
    return s == LUN_OK ? push_bytes(L, got, got_length) : lun__spmd_fail(L, h, s);
}

/* ---- registration ---------------------------------------------------------------------------- */

/* about() -> how many ranks there are, this one's number, what carries their messages, hardware
 * threads that this process may use, those of the machine. */
static int about(lua_State *L)
{
    lun_engine *e = lun__here(L)->engine;
    const int linked = lun_linked(e);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    const int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const bool known = sched_getaffinity(0, sizeof cpus, &cpus) == 0;
    lua_pushinteger(L, linked ? linked : lun_spmd_npes(e));
    lua_pushinteger(L, linked ? 0 : lun_spmd_mype(e));
    lua_pushstring(L, lun_ranks_transport(e));
    lua_pushinteger(L, known ? CPU_COUNT(&cpus) : all);
    lua_pushinteger(L, all);
    return 5;
}

void lun__open_spmd(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"about", about},
                                         {"start", start},
                                         {"step", step},
                                         {"barrier", barrier},
                                         {"barrier_begin", barrier_begin},
                                         {"barrier_end", barrier_end},
                                         {"critical_begin", critical_begin},
                                         {"critical_end", critical_end},
                                         {"inside", inside},
                                         {"count", count},
                                         {"gather", gather},
                                         {"bcast", bcast},
                                         {"exchange", exchange},
                                         {"send", send},
                                         {"receive", receive},
                                         {"serve", serve},
                                         {"listen", listen},
                                         {"reply", reply},
                                         {"request", request},
                                         {NULL, NULL}};
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, p->internal, "spmd");
    lun__register(L, p, lua_gettop(L), functions);
    lua_pop(L, 1);
}
