/* runner.c - the running Lua thread of a state, which another thread can stop: by a hook, as the
 * stock interpreter does on Ctrl-C, so that Lua runs at full speed until then.
 *
 * Invariant: `running` is set before a Lua thread runs or goes on, which then waits until
 * `stopping` is 0: so the thread whose hook is being set does not end meanwhile. Only one thread at
 * a time sets hooks, the one that has set `stopping`.
 *
 * lua_sethook may be called while the state runs (Lua 5.4, ldebug.c): it writes fields that the
 * virtual machine reads without synchronisation, and walks the list of active calls. Two rules make
 * that safe from another thread. Only the running Lua thread is touched, and a switch to another
 * one waits until that is done: so it cannot end meanwhile. No block of the state is freed
 * meanwhile (sandbox.c's allocator waits), so the calls that are walked stay. All fields of ours
 * that both threads read are atomic.
 *
 * A coroutine that a C library resumes by lua_resume is not known here; it stops when it returns.
 * Neither a finaliser nor a message handler of xpcall is stopped: Lua calls no hook in them. Knows
 * nothing of engines. */
#include "state/runner.h"

#include <time.h>

#include <lauxlib.h>

static const struct timespec moment = {.tv_nsec = 10 * 1000};

void lun__runner_wait(lun__runner *r)
{
    while (__atomic_load_n(&r->stopping, __ATOMIC_SEQ_CST))
        nanosleep(&moment, NULL); /* no busy loop: the other thread may have a lower priority */
}

/* Either this sees `asked`, or lun__runner_stop sees L. */
static void run_on(lun__runner *r, lua_State *L)
{
    __atomic_store_n(&r->running, L, __ATOMIC_SEQ_CST);
    lun__runner_wait(r);
    if (L && __atomic_load_n(&r->asked, __ATOMIC_SEQ_CST))
        lua_sethook(L, r->hook, LUA_MASKCOUNT, 1);
}

lua_State *lun__runner_enter(lun__runner *r, lua_State *L)
{
    lua_State *before = r->running;
    run_on(r, L);
    return before;
}

void lun__runner_leave(lun__runner *r, lua_State *before)
{
    run_on(r, before);
}

/* Twice: a call that just began may have tested for a hook before it was set, without being in the
 * list yet. */
void lun__runner_stop(lun__runner *r)
{
    int none = 0;
    __atomic_store_n(&r->asked, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_compare_exchange_n(&r->stopping, &none, 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return;
    lua_State *L = __atomic_load_n(&r->running, __ATOMIC_SEQ_CST);
    for (int i = 0; L && i < 2; i++) {
        lua_sethook(L, r->hook, LUA_MASKCOUNT, 1);
        if (i == 0)
            nanosleep(&moment, NULL);
    }
    __atomic_store_n(&r->stopping, 0, __ATOMIC_SEQ_CST);
}

/* ---- coroutines ------------------------------------------------------------------------------ */

/* Resumes co with the `given` values on the top of L; returns the number of its results, on the top
 * of L, or -1 and the error there. */
static int resume(lua_State *L, lun__runner *r, lua_State *co, int given)
{
    int count = 0;
    if (!lua_checkstack(co, given)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, given);
    lua_State *before = lun__runner_enter(r, co);
    int status = lua_resume(co, L, given, &count);
    lun__runner_leave(r, before);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, count + 1)) {
        lua_pop(co, count);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, count);
    return count;
}

static int co_resume(lua_State *L)
{
    lun__runner *r = lua_touserdata(L, lua_upvalueindex(1));
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "thread");
    int count = resume(L, r, co, lua_gettop(L) - 1);
    lua_pushboolean(L, count >= 0);
    int given = count < 0 ? 1 : count;
    lua_insert(L, -given - 1);
    return given + 1;
}

/* Upvalues: the runner, the coroutine. An error ends the coroutine and is raised again. */
static int call_wrapped(lua_State *L)
{
    lun__runner *r = lua_touserdata(L, lua_upvalueindex(1));
    lua_State *co = lua_tothread(L, lua_upvalueindex(2));
    int count = resume(L, r, co, lua_gettop(L));
    if (count >= 0)
        return count;
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_State *before = lun__runner_enter(r, co); /* for the __close of its variables */
        status = lua_resetthread(co);
        lun__runner_leave(r, before);
        lua_xmove(co, L, 1);
    }
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int co_wrap(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, call_wrapped, 2);
    return 1;
}

void lun__runner_open(lua_State *L, lun__runner *r)
{
    static const luaL_Reg functions[] = {{"resume", co_resume}, {"wrap", co_wrap}, {NULL, NULL}};
    lua_getglobal(L, "coroutine");
    lua_pushlightuserdata(L, r);
    luaL_setfuncs(L, functions, 1);
    lua_pop(L, 1);
}
