/* spmd.c - what lua/lunarray needs of ranks: the agreement before a step, requests that a Lua
 * function answers. Knows nothing of what is agreed on. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <unistd.h>

#include "bind/host/bind.h"

/* Its address is the key of the registry where the function is that answers requests. */
static const char handler_key;

/* ---- beginning, agreement, end --------------------------------------------------------------- */

/* start(): the number of ranks, and that of this one. */
static int start(lua_State *L)
{
    lun__host *h = lun__host_here(L);
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
    lun__host *h = lun__here_waiting(L);
    const char *doing = luaL_checkstring(L, 1), *noun = luaL_checkstring(L, 2);
    const char *options = luaL_optstring(L, 3, NULL);
    lun__source_line_mark(L, h);
    lun_status s = lun_spmd_step(h->engine, doing, noun, options);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* agree(doing, noun, options or nil, value, most, yes): as step; whether all ranks have the same
 * value, what none has more of, whether all say yes. */
static int agree(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const char *doing = luaL_checkstring(L, 1), *noun = luaL_checkstring(L, 2);
    const char *options = luaL_optstring(L, 3, NULL);
    lun_agreed a = {sizeof a, luaL_checkinteger(L, 4), luaL_checkinteger(L, 5), lua_toboolean(L, 6),
                    false};
    lun__source_line_mark(L, h);
    lun_status s = lun_spmd_agree(h->engine, doing, noun, options, &a);
    if (s != LUN_OK)
        return lun__spmd_fail(L, h, s);
    lua_pushboolean(L, a.same);
    lua_pushinteger(L, a.most);
    lua_pushboolean(L, a.yes);
    return 3;
}

/* unable(why): in the place of a step; raises an error where other ranks take theirs. */
static int unable(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    const char *why = luaL_checkstring(L, 1);
    lun__source_line_mark(L, h);
    lun_status s = lun_spmd_unable(h->engine, why);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

static int together(lua_State *L, lun_status (*act)(lun_engine *e))
{
    lun__host *h = lun__here_waiting(L);
    lun__source_line_mark(L, h);
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
    lun_spmd_inside(lun__host_here(L)->engine, region ? regions[region] : NULL);
    return 0;
}

/* count(gets, puts) */
static int count(lua_State *L)
{
    lun_spmd_count(lun__host_here(L)->engine, luaL_checkinteger(L, 1), luaL_checkinteger(L, 2));
    return 0;
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
    lun__host *h = lun__host_here(L);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &handler_key);
    h->waiting = L;
    lun_spmd_serve(h->engine, answer, h);
    return 0;
}

static int listen(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    lun_status s = lun_spmd_listen(h->engine);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* hold(on): whether requests wait for their answers. */
static int hold(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    lun_status s = lun_spmd_hold(h->engine, lua_toboolean(L, 1));
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* reply(pe, bytes) */
static int reply(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    size_t length;
    const char *bytes = luaL_checklstring(L, 2, &length);
    lun_status s = lun_spmd_reply(h->engine, (int)luaL_checkinteger(L, 1), bytes, (int64_t)length);
    return s == LUN_OK ? 0 : lun__spmd_fail(L, h, s);
}

/* request(pe, bytes): the reply. */
static int request(lua_State *L)
{
    lun__host *h = lun__here_waiting(L);
    size_t length;
    int pe = (int)luaL_checkinteger(L, 1);
    const char *bytes = luaL_checklstring(L, 2, &length);
    void *got = NULL;
    int64_t got_length = 0;
    lun__source_line_mark(L, h);
    lun_status s = lun_spmd_request(h->engine, pe, bytes, (int64_t)length, &got, &got_length);
    return s == LUN_OK ? lun__push_bytes(L, got, got_length) : lun__spmd_fail(L, h, s);
}

/* ---- registration ---------------------------------------------------------------------------- */

/* about() -> how many ranks there are, this one's number, what carries their messages, hardware
 * threads that this process may use, those of the machine. */
static int about(lua_State *L)
{
    lun_engine *e = lun__host_here(L)->engine;
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
                                         {"agree", agree},
                                         {"unable", unable},
                                         {"barrier", barrier},
                                         {"barrier_begin", barrier_begin},
                                         {"barrier_end", barrier_end},
                                         {"critical_begin", critical_begin},
                                         {"critical_end", critical_end},
                                         {"inside", inside},
                                         {"count", count},
                                         {"serve", serve},
                                         {"listen", listen},
                                         {"hold", hold},
                                         {"reply", reply},
                                         {"request", request},
                                         {NULL, NULL}};
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, p->internal, "spmd");
    lun__register(L, p, lua_gettop(L), functions);
    lua_pop(L, 1);
}
