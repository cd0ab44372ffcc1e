/* host.c - the engine of a lua_State: opened at first use, ended with the state; the references
 * that its userdata hold; the bytes reported to the garbage collector.
 *
 * Invariant: every entry of held is in one of three states: in use (box is its userdata, whose slot
 * is the entry's index), in the list `ended` (no box, the reference still held) or in the list
 * `unused` (no box, no reference). Both lists are linked by next and end with -1. The allocator,
 * when Lua frees a box, only moves its entry from use to `ended`, for it must call neither Lua nor
 * the engine; calls of the binding and finalisers release those. Entries never move. engine is NULL
 * once the host has ended, and all references are released then. Only the thread that runs the
 * state changes a host. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/host/bind.h"

/* Keys of the registry: their addresses. */
static const char host_key, offer_key, rank_key;

static const int unwatched;

/* Bytes of elements after which the collector is run a step; more often would cost more than it
 * frees. Temporaries of a loop add up to this before their memory is reused, so it fits a core's
 * private cache. */
#define TELL (512 * 1024)
/* A full collection is due beyond this many bytes of elements, once as many were added as the last
 * one left or as Lua's own heap has: a generational collector visits old arrays only when that heap
 * has doubled. */
#define FULL (INT64_C(64) << 20)

/* ---- opening and ending ---------------------------------------------------------------------- */

static void warn(void *state, const char *text)
{
    lua_State *L = state;
    lua_warning(L, "lunarray: ", 1);
    lua_warning(L, text, 0);
}

static uint64_t fresh_seed(const void *salt)
{
    uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint64_t)time(NULL) * UINT64_C(0x9E3779B97F4A7C15) + (uintptr_t)salt;
    return seed;
}

/* Releases the reference of an entry, which stays. The release may call this function again. */
static void release_entry(lun__held *held)
{
    lun__held was = *held;
    held->as.array = NULL;
    switch (was.kind) {
    case LUN__ARRAY:
        lun_release(was.as.array);
        break;
    case LUN__FUNCTION:
        lun_function_release(was.as.function);
        break;
    case LUN__GROUPING:
        lun_grouping_release(was.as.grouping);
        break;
    case LUN__BUFFER:
        lun_buffer_release(was.as.buffer);
        break;
    case LUN__TASK:
        lun_task_release(was.as.task);
        break;
    case LUN__QUEUE:
        lun_queue_free(was.as.queue);
        break;
    case LUN__EVENT:
        lun_event_release(was.as.event);
        break;
    default:
        if (was.as.plan)
            lun_plan_release(was.as.plan);
    }
}

/* Moves the entry of a box whose userdata has ended to that list; does nothing if no box is at
 * `data`. */
static void box_ended(void *host, const void *data)
{
    lun__host *h = host;
    const lun__box *box = data;
    uint32_t slot = (uint32_t)box->slot;
    lun__held *held = slot < (uint32_t)h->room ? lun__host_held_at(h, (int32_t)slot) : NULL;
    if (!held || held->box != box)
        return;
    held->box = NULL;
    held->next = h->ended;
    h->ended = (int32_t)slot;
}

void lun__host_leave_ranks(lua_State *L, lun__host *h, const char *why)
{
    h->waiting = L;
    (void)lun_spmd_end(h->engine, why);
    lun_spmd_serve(h->engine, NULL, NULL);
}

void lun__host_end(lua_State *L, lun__host *h)
{
    if (!h->engine)
        return;
    lun__host_leave_ranks(L, h, NULL);
    for (int32_t i = 0; i < h->room; i++)
        release_entry(lun__host_held_at(h, i));
    if (h->recycler)
        lun__block_pool_serve(h->recycler, NULL, NULL);
    for (int32_t i = 0; i < h->room / LUN__HELD_PAGE; i++)
        free(h->held[i]);
    free(h->held);
    h->held = NULL;
    h->room = 0;
    h->unused = h->ended = -1;
    if (h->owned)
        lun_close(h->engine);
    h->engine = NULL;
    h->watched = &unwatched;
}

/* The host's finaliser, the last one in a normal run; later finalisers find no engine. */
static int end_host(lua_State *L)
{
    lun__host *h = lua_touserdata(L, 1);
    if (h && lua_rawlen(L, 1) == sizeof *h)
        lun__host_end(L, h);
    return 0;
}

static void open_engine(lua_State *L, lun__host *h)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &offer_key) == LUA_TLIGHTUSERDATA) {
        h->engine = lua_touserdata(L, -1);
        lua_pop(L, 1);
        return;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lun_config config = {.size = sizeof config, .log = warn, .log_ctx = lua_tothread(L, -1)};
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &rank_key) == LUA_TLIGHTUSERDATA) {
        const lun_config *rank = lua_touserdata(L, -1);
        config.ranks = rank->ranks;
        config.rank = rank->rank;
        config.threads = rank->threads;
    }
    lua_pop(L, 3);
    if (lun_open(&config, &h->engine) != LUN_OK) {
        h->engine = NULL;
        luaL_error(L, "cannot open the engine (%s)", lun_error(NULL));
    }
    h->owned = true;
}

lun__host *lun__host_open(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &host_key) == LUA_TUSERDATA)
        return lua_touserdata(L, -1);
    lua_pop(L, 1);
    lun__host *h = lua_newuserdatauv(L, sizeof *h, LUN__VALUES);
    memset(h, 0, sizeof *h);
    h->unused = h->ended = -1;
    h->math = "fast";
    h->seed = fresh_seed(h);
    lua_createtable(L, 0, 2);
    lua_pushliteral(L, "lunarray.engine");
    lua_setfield(L, -2, "__name");
    lua_pushcfunction(L, end_host);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    h->watched = &unwatched;
    open_engine(L, h);
    h->watched = lun_host_watched(h->engine);
    h->recycler = lun__block_pool_of(L, LUN__HELD_BYTES);
    if (h->recycler)
        lun__block_pool_serve(h->recycler, h, box_ended);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &host_key);
    return h;
}

void lun__host_offer(lua_State *L, lun_engine *e)
{
    lua_pushlightuserdata(L, e);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &offer_key);
}

void lun__host_rank(lua_State *L, const lun_config *config)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)config);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &rank_key);
}

lun__host *lun__host_of(lua_State *L)
{
    if (!lua_checkstack(L, 1))
        return NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &host_key);
    lun__host *h = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return h;
}

lun_engine *lun__host_engine(lua_State *L)
{
    const lun__host *h = lun__host_of(L);
    return h ? h->engine : NULL;
}

int lun__host_ended(lua_State *L)
{
    return luaL_error(L, "the engine is closed");
}

/* ---- userdata -------------------------------------------------------------------------------- */

/* The finaliser of userdata with an entry in held; arrays have none where the allocator reports
 * their end. */
static int end_box(lua_State *L)
{
    lun__host *h = lua_touserdata(L, lua_upvalueindex(1));
    lun__box *box = lua_touserdata(L, 1);
    bool ours = box && lua_rawlen(L, 1) == LUN__HELD_BYTES && box->host == h;
    if (ours && box->kind <= LUN__PLAN && h->engine) {
        box_ended(h, box);
        lun__host_release_ended(h);
        box->host = NULL;
    }
    return 0;
}

void lun__host_release_ended(lun__host *h)
{
    while (h->ended >= 0) {
        int32_t slot = h->ended;
        lun__held *held = lun__host_held_at(h, slot);
        h->ended = held->next;
        held->next = h->unused;
        h->unused = slot;
        release_entry(held);
    }
}

void lun__host_new_type(lua_State *L, int host_at, lun__kind kind, const char *name)
{
    const lun__host *h = lua_touserdata(L, host_at);
    lua_createtable(L, 0, 32);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    if (kind <= LUN__PLAN && !(kind == LUN__ARRAY && h->recycler)) {
        lua_pushvalue(L, host_at);
        lua_pushcclosure(L, end_box, 1);
        lua_setfield(L, -2, "__gc");
    }
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, host_at, (int)kind);
}

lun__box *lun__host_new_box(lua_State *L, lun__host *h, lun__kind kind, size_t size, int values)
{
    lun__box *box = lua_newuserdatauv(L, size, values);
    memset(box, 0, size);
    box->host = h;
    box->kind = (int32_t)kind;
    lua_getiuservalue(L, lua_upvalueindex(1), (int)kind);
    lua_setmetatable(L, -2);
    return box;
}

/* Adds a page of entries to held. */
static void grow(lua_State *L, lun__host *h)
{
    const int32_t pages = h->room / LUN__HELD_PAGE, first = h->room;
    const bool fits = first <= INT32_MAX - LUN__HELD_PAGE;
    lun__held **held = h->held;
    if (fits && !(pages & (pages - 1))) /* the list of pages is full */
        held = realloc(held, (pages ? 2 * (size_t)pages : 1) * sizeof *held);
    lun__held *page = fits && held ? calloc(LUN__HELD_PAGE, sizeof *page) : NULL;
    if (held)
        h->held = held;
    if (!page)
        luaL_error(L, "not enough memory");
    for (int32_t i = 0; i < LUN__HELD_PAGE; i++)
        page[i].next = i + 1 < LUN__HELD_PAGE ? first + i + 1 : -1;
    h->held[pages] = page;
    h->unused = first;
    h->room = first + LUN__HELD_PAGE;
}

/* Pushes a userdata without its metatable. */
static inline lun__held *push_box(lua_State *L, lun__host *h, lun__kind kind)
{
    lun__box *box = lua_newuserdatauv(L, LUN__HELD_BYTES, 0);
    *box = (lun__box){.host = NULL, .slot = -1, .kind = (int32_t)kind};
    /* Making the userdata may have run the collector, which adds to `ended` only. */
    if (h->ended >= 0)
        lun__host_release_ended(h);
    if (h->unused < 0)
        grow(L, h);
    box->slot = h->unused;
    lun__held *held = lun__host_held_at(h, box->slot);
    h->unused = held->next;
    held->kind = (int32_t)kind;
    held->box = box;
    box->host = h;
    return held;
}

lun__held *lun__host_new_held(lua_State *L, lun__host *h, lun__kind kind)
{
    lun__held *held = push_box(L, h, kind);
    lua_getiuservalue(L, lua_upvalueindex(1), (int)kind);
    lua_setmetatable(L, -2);
    return held;
}

lun__held *lun__host_new_held_array(lua_State *L, lun__host *h, int metatable)
{
    lun__held *held = push_box(L, h, LUN__ARRAY);
    lua_pushvalue(L, metatable);
    lua_setmetatable(L, -2);
    return held;
}

/* ---- the collector, and source lines --------------------------------------------------------- */

void lun__host_collect(lua_State *L, lun__host *h)
{
    lua_gc(L, LUA_GCCOLLECT);
    if (h)
        lun__host_release_ended(h);
}

/* Bytes of Lua's heap. */
static int64_t heap_of(lua_State *L)
{
    return (int64_t)lua_gc(L, LUA_GCCOUNT) * 1024;
}

/* Whether a full collection is due: as many bytes as are alive, of arrays and of Lua's heap, may be
 * garbage. */
static bool is_due(lua_State *L, const lun__host *h)
{
    lun_stats stats = {.size = sizeof stats};
    lun_stats_get(h->engine, &stats);
    int64_t heap = heap_of(L), most = h->collected + (h->collected > heap ? h->collected : heap);
    return stats.allocated > FULL && stats.allocated > most;
}

static void collect_all(lua_State *L, lun__host *h)
{
    lun_stats stats = {.size = sizeof stats};
    lun__host_collect(L, h);
    lun_stats_get(h->engine, &stats);
    h->collected = stats.allocated;
}

static void collect_some(lua_State *L, lun__host *h, int64_t bytes)
{
    int64_t kilobytes = bytes / 1024;
    lua_gc(L, LUA_GCSTEP, kilobytes < INT_MAX ? (int)kilobytes : INT_MAX);
    lun__host_release_ended(h);
}

void lun__host_report_memory(lua_State *L, lun__host *h)
{
    h->pressure += lun_pressure(h->engine);
    if (h->pressure < TELL) {
        if (h->pressure < 0)
            h->pressure = 0;
        return;
    }
    int64_t bytes = h->pressure;
    h->pressure = 0;
    if (lua_gc(L, LUA_GCISRUNNING) != 1)
        return;
    if (is_due(L, h))
        collect_all(L, h);
    else
        collect_some(L, h, bytes);
}

void lun__host_collect_for(lua_State *L, lun__host *h, int64_t bytes, bool thoroughly)
{
    if (lua_gc(L, LUA_GCISRUNNING) != 1)
        return;
    if (!thoroughly)
        collect_some(L, h, TELL);
    else if (bytes / 2 > heap_of(L) || is_due(L, h))
        collect_all(L, h);
}
