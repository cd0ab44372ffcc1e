/* sandbox.c - Lua states whose memory, time and reach an engine limits. Memory: an allocator that
 * counts. Time and interruption: a hook whose error is raised again at each instruction, so that no
 * pcall survives it. It is set from the beginning, and every coroutine inherits it, if there is a
 * limit to watch; else only once the engine is cancelled (runner.c). Reach: the globals made by
 * lua/lunarray/sandbox.lua. Knows nothing of arrays.
 *
 * Invariant of a guard: bytes is the sum of the state's live blocks, counted in the engine's
 * account until `ends`. `stopped` is LUN_OK or the
 * status of the error under stop_key, and returns to LUN_OK, as does `refused`, when the outermost
 * stretch begins. Only the thread that runs the state changes a guard; other threads use its runner
 * only. */
#include "state/sandbox.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <lualib.h>

#include "bind/host/bind.h"
#include "state/modules.h"
#include "state/runner.h"
#include "state/stack_room.h"

enum {
    STEP = 1000, /* instructions between two checks of the clock */
    WATCHED = LUA_MASKCOUNT | LUA_MASKCALL
};

/* The context of the state's allocator. */
typedef struct guard {
    lun_engine *engine;
    lun_config config;
    int64_t bytes; /* of Lua's live blocks, in the engine's account */
    bool ends;
    bool refused;       /* memory was refused because of the limit, in this stretch, */
    bool starved;       /* and nothing was collected since */
    int64_t collected;  /* of the account, in use after the last collection for the limit */
    lun_status stopped; /* status of the error under stop_key, in this stretch; LUN_OK: none */
    lun__runner runner;
} guard;

/* Every coroutine gets a copy of the main thread's extra space. */
static guard *guard_of(lua_State *L)
{
    guard *g;
    memcpy(&g, lua_getextraspace(L), sizeof g);
    return g;
}

/* Keys of the registry: their addresses. */
static const char stop_key, guard_key;

static void watch(lua_State *L, lua_Debug *ar);

/* ---- memory ---------------------------------------------------------------------------------- */

/* More bytes of Lua's, or fewer, in the engine's account. A state that ends counts no more: its
 * finalisers may need a little to end well. */
static bool count(guard *g, int64_t more)
{
    if (g->ends)
        return true;
    if (more > 0 && !lun_memory_take(g->engine, more))
        return false;
    if (more < 0)
        lun_memory_give(g->engine, -more);
    g->bytes += more;
    return true;
}

/* Lua's allocator. Making a block smaller never fails. */
static void *allocate(void *ctx, void *old, size_t old_size, size_t size)
{
    guard *g = ctx;
    if (!size && lun__runner_watched(&g->runner))
        lun__runner_wait(&g->runner);
    size_t had = old ? old_size : 0; /* for a new block old_size is the type of the object */
    if (size > had) {
        bool refused = size > INT64_MAX / 4 || !count(g, (int64_t)(size - had));
        g->refused |= refused;
        g->starved |= refused;
        if (refused)
            return NULL;
    }
    void *now = NULL;
    if (g->config.alloc)
        now = old || size ? g->config.alloc(g->config.alloc_ctx, old, size) : NULL;
    else if (size)
        now = realloc(old, size);
    else
        free(old);
    if (size && !now) {
        if (size > had)
            count(g, (int64_t)had - (int64_t)size);
        return size <= had ? old : NULL;
    }
    if (size < had)
        count(g, (int64_t)size - (int64_t)had);
    return now;
}

static void warn(void *ctx, const char *text, int more)
{
    const guard *g = ctx;
    (void)more;
    if (text[0] != '@')
        lun_host_log(g->engine, LUN_LOG_WARN, "script", text);
}

bool lun__sandbox_refused(lua_State *L)
{
    if (!lua_checkstack(L, 1))
        return false;
    const bool limited = lua_rawgetp(L, LUA_REGISTRYINDEX, &guard_key) != LUA_TNIL;
    lua_pop(L, 1);
    return limited && guard_of(L)->refused;
}

static lun_status no_memory(lun_engine *e, bool refused)
{
    return refused ? lun_fail(e, LUN_ELIMIT, "memory limit reached")
                   : lun_fail(e, LUN_ENOMEM, "not enough memory for Lua");
}

lun_status lun__sandbox_no_memory(lua_State *L, lun_engine *e)
{
    return no_memory(e, guard_of(L)->refused);
}

lun_status lun__sandbox_new(lun_engine *e, lua_State **out)
{
    guard *g = calloc(1, sizeof *g);
    if (!g)
        return no_memory(e, false);
    g->engine = e;
    g->runner.hook = watch;
    g->config.size = sizeof g->config;
    lun_config_get(e, &g->config);
    lua_State *L = lua_newstate(allocate, g);
    if (!L) {
        bool refused = g->refused;
        free(g);
        return no_memory(e, refused);
    }
    memcpy(lua_getextraspace(L), &g, sizeof g);
    lun__stack_room_make(L);
    lua_setwarnf(L, warn, g);
    lun__block_pool_wrap(L);
    *out = L;
    return LUN_OK;
}

void lun__sandbox_close(lua_State *L)
{
    guard *g = guard_of(L);
    lun_memory_give(g->engine, g->bytes);
    g->ends = true;
    lua_close(L);
    free(g);
}

/* ---- time ------------------------------------------------------------------------------------ */

static bool is_watched(const guard *g)
{
    return g->config.sandbox || g->config.time_limit > 0;
}

/* Sets the hook that L has while nothing must end. */
static void set_hook(lua_State *L, const guard *g)
{
    if (is_watched(g))
        lua_sethook(L, watch, WATCHED, STEP);
    else if (lua_gethook(L) == watch)
        lua_sethook(L, NULL, 0, 0);
}

/* Raises the error of a stretch that must end. It may be raised again for each of a million
 * variables that are closed, so it is made once. */
static int raise_stop(lua_State *L, guard *g, lun_status s)
{
    if (g->stopped != s || lua_rawgetp(L, LUA_REGISTRYINDEX, &stop_key) == LUA_TNIL) {
        lun__error_push_stop(L, s);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &stop_key);
        g->stopped = s;
    }
    return lua_error(L);
}

/* A full collection where Lua has been refused memory, or soon may be: its own emergency collection
 * gives back nothing of the engine's, since it runs no finalisers. */
static void collect(lua_State *L, guard *g)
{
    const int64_t limit = g->config.memory_limit, used = limit ? lun_memory_used(g->engine) : 0;
    if (!g->starved && (used <= limit / 4 * 3 || used - g->collected <= limit / 16))
        return;
    g->starved = false;
    lun__host_collect(L, lun__host_of(L));
    g->collected = lun_memory_used(g->engine);
}

/* Called every STEP instructions, and before each call, of which some take long; once the stretch
 * must end, at each instruction, but not when the error's handler is called. */
static void watch(lua_State *L, lua_Debug *ar)
{
    guard *g = guard_of(L);
    const lun_status s = lun_host_check(g->engine);
    (void)ar;
    if (s == LUN_OK)
        collect(L, g);
    if (s == LUN_OK) {
        if (!is_watched(g) || lua_gethookcount(L) != STEP)
            set_hook(L, g);
        return;
    }
    lua_sethook(L, watch, LUA_MASKCOUNT, 1);
    raise_stop(L, g, s);
}

lua_State *lun__sandbox_begin(lua_State *L)
{
    guard *g = guard_of(L);
    if (!g->runner.running) {
        lun_config now = {.size = sizeof now};
        lun_config_get(g->engine, &now);
        g->config.time_limit = now.time_limit;
        g->refused = false;
        g->stopped = LUN_OK;
        __atomic_store_n(&g->runner.asked, 0, __ATOMIC_SEQ_CST);
        g->collected = 0;
        collect(L, g); /* what the last script left */
        set_hook(L, g);
    }
    lun_host_begin(g->engine);
    return lun__runner_enter(&g->runner, L);
}

void lun__sandbox_end(lua_State *L, lua_State *before)
{
    guard *g = guard_of(L);
    lun__host *h = lun__host_of(L);
    lun__runner_leave(&g->runner, before);
    if (h)
        lun__host_release_ended(h);
    lun_host_end(g->engine);
}

lua_State *lun__sandbox_running(lua_State *L)
{
    lua_State *running = guard_of(L)->runner.running;
    return running ? running : L;
}

void lun__sandbox_stop(void *L)
{
    lun__runner_stop(&guard_of(L)->runner);
}

/* For the functions that run other code: raises the error again where that code swallowed it. */
static int check(lua_State *L)
{
    lun_status s = lun_host_check(guard_of(L)->engine);
    return s == LUN_OK ? 0 : raise_stop(L, guard_of(L), s);
}

/* ---- reach ----------------------------------------------------------------------------------- */

/* Makes the sandbox's globals those with which chunks are loaded. */
static void restrict_globals(lua_State *L)
{
    lun__module_push(L, "lunarray.sandbox");
    lua_pushcfunction(L, check);
    lua_call(L, 1, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

void lun__sandbox_open_libs(lua_State *L)
{
    guard *g = guard_of(L);
    lua_pushboolean(L, true);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &guard_key);
    luaL_openlibs(L);
    lun__stack_room_of_coroutines(L);
    lun__runner_open(L, &g->runner);
    lun__host_offer(L, g->engine);
    luaL_requiref(L, "lunarray", luaopen_lunarray, 0);
    lua_setglobal(L, "lun");
    if (g->config.sandbox)
        restrict_globals(L);
}
