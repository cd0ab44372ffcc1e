/* lua_queue.c - lun.queue, lun.task and events: work that is given to devices, and waiting for
 * it. */
#include <string.h>

#include "bind/host/bind.h"

/* ---- tasks ----------------------------------------------------------------------------------- */

/* The buffer or number at i. */
static lun_argument check_argument(lua_State *L, lun__host *h, int i)
{
    lun_argument a = {.size = sizeof a};
    if (lun__host_test(L, h, i, LUN__BUFFER, LUN__HELD_BYTES)) {
        a.buffer = lun__lua_buffer_held(L, h, i, LUN__BUFFER, "buffer")->as.buffer;
    } else if (lun__lua_array_is(L, h, i)) {
        lun__blame_argument(L, i,
                            "an array: a task takes buffers and numbers, lun.copy fills them");
    } else if (!lun__lua_value_at(L, i, &a.number)) {
        lun__error_bad_type(L, i, "buffer or number");
    }
    return a;
}

/* lun.task(workdiv, f, args...) */
static int task(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const int count = lua_gettop(L) - 2;
    lun_argument args[LUN_MAX_OPERANDS];
    lun_workdiv w;
    if (lun__record_one_among(L, 3))
        return lun__record_call_text(L, "task");
    lun__lua_teams_division(L, 1, &w);
    lun__lua_variant_settle(L, h, 2);
    if ((!lua_isfunction(L, 2) || lua_iscfunction(L, 2)) && lua_type(L, 2) != LUA_TSTRING)
        lun__error_bad_type(L, 2, "Lua function or C source");
    if (count > LUN_MAX_OPERANDS)
        return luaL_error(L, "bad argument to 'task' (more than %d arguments)", LUN_MAX_OPERANDS);
    for (int k = 0; k < count; k++)
        args[k] = check_argument(L, h, k + 3);
    lun_function *f = lun__lua_function_at(L, h, 2, 1, false);
    lun__source_line_mark(L, h);
    lun__held *held = lun__host_new_held(L, h, LUN__TASK);
    lun_status s;
    LUN__TRY(s, lun_task_new(h->engine, f, &w, count > 0 ? args : NULL, count, &held->as.task));
    if (s != LUN_OK && s != LUN_EFREED)
        lun__error_raise_as(L, h, s, 2, "task");
    lun__lua_buffer_check(L, h, s, "task");
    return 1;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* lun.queue(device [, {async=true}]) */
static int queue(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_queue_options options = {.size = sizeof options};
    lua_settop(L, 2);
    const char *device = lun__lua_buffer_device(L, 1);
    if (!lua_isnil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
            (void)lun__lua_along_option(L, 2, "async=true");
        lua_getfield(L, 2, "async");
        if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
            lun__blame_argument(L, 2, "async: true or false expected");
        options.async = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    lun__held *held = lun__host_new_held(L, h, LUN__QUEUE);
    lun_status s = lun_queue_new(h->engine, device, &options, &held->as.queue);
    if (s == LUN_ELIMIT) { /* some may be garbage */
        lun__host_collect(L, h);
        held = lun__host_held_at(h, ((const lun__box *)lua_touserdata(L, -1))->slot);
        s = lun_queue_new(h->engine, device, &options, &held->as.queue);
    }
    lun__lua_buffer_check(L, h, s, "queue");
    return 1;
}

static lun_queue *check_queue(lua_State *L, lun__host *h)
{
    return lun__lua_buffer_held(L, h, 1, LUN__QUEUE, "queue")->as.queue;
}

/* q:enqueue(task), q:enqueue(e): q. */
static int enqueue(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_queue *q = check_queue(L, h);
    lun_status s;
    lun__source_line_mark(L, h);
    if (lun__host_test(L, h, 2, LUN__TASK, LUN__HELD_BYTES)) {
        s = lun_queue_enqueue(q, lun__lua_buffer_held(L, h, 2, LUN__TASK, "task")->as.task);
    } else if (lun__lua_array_is(L, h, 2)) {
        lun_array *a = lun__lua_array_unevaluated(L, h, 2);
        LUN__TRY(s, lun_queue_evaluate(q, a));
    } else {
        return lun__error_bad_type(L, 2, "task or array");
    }
    lun__lua_buffer_check(L, h, s, "enqueue");
    lun__host_report_memory(L, h);
    lua_settop(L, 1);
    return 1;
}

static int record(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_queue *q = check_queue(L, h);
    lun__held *held = lun__host_new_held(L, h, LUN__EVENT);
    lun__lua_buffer_check(L, h, lun_queue_record(q, &held->as.event), "record");
    return 1;
}

/* A failure of work enqueued earlier is no bad argument of the wait. */
static void check_waited(lua_State *L, lun__host *h, lun_status s)
{
    if (s == LUN_EFREED)
        luaL_error(L, "%s", lun_error_from(h->engine, 1));
    if (s != LUN_OK)
        lun__error_raise_fault(L, h, s);
}

/* q:wait(), q:wait(event) */
static int wait_queue(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_queue *q = check_queue(L, h);
    if (lua_isnoneornil(L, 2)) {
        check_waited(L, h, lun_queue_wait(q));
        lun__host_report_memory(L, h);
        return 0;
    }
    lun_event *ev = lun__lua_buffer_held(L, h, 2, LUN__EVENT, "event")->as.event;
    lun__lua_buffer_check(L, h, lun_queue_wait_for(q, ev), "wait");
    return 0;
}

static int idle(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    bool is = false;
    lun__lua_buffer_check(L, h, lun_queue_idle(check_queue(L, h), &is), "idle");
    lua_pushboolean(L, is);
    return 1;
}

/* local q <close>: waits; a failure is not raised while an error is. */
static int close_queue(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__box *box = lun__host_test(L, h, 1, LUN__QUEUE, LUN__HELD_BYTES);
    if (!box || !lun__host_held_at(h, box->slot)->as.queue)
        return 0;
    lun_queue *q = lun__host_held_at(h, box->slot)->as.queue;
    const bool failing = !lua_isnoneornil(L, 2);
    lun_status s = lun_queue_wait(q);
    lun__host_held_at(h, box->slot)->as.queue = NULL;
    lun_queue_free(q);
    if (!failing)
        check_waited(L, h, s);
    return 0;
}

static int queue_text(lua_State *L)
{
    lun__host *h = lua_touserdata(L, lua_upvalueindex(1));
    const lun__box *box = lun__host_test(L, h, 1, LUN__QUEUE, LUN__HELD_BYTES);
    const lun_queue *q = box && h->engine ? lun__host_held_at(h, box->slot)->as.queue : NULL;
    if (q)
        lua_pushfstring(L, "queue on %s", lun_queue_device(q));
    else
        lua_pushliteral(L, "closed queue");
    return 1;
}

/* ---- events ---------------------------------------------------------------------------------- */

static int event_done(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    bool done = false;
    lun_event *ev = lun__lua_buffer_held(L, h, 1, LUN__EVENT, "event")->as.event;
    lun__lua_buffer_check(L, h, lun_event_done(ev, &done), "done");
    lua_pushboolean(L, done);
    return 1;
}

static int event_wait(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_event *ev = lun__lua_buffer_held(L, h, 1, LUN__EVENT, "event")->as.event;
    check_waited(L, h, lun_event_wait(ev));
    lun__host_report_memory(L, h);
    return 0;
}

void lun__open_queue(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"queue", queue, 2}, {"task", task, LUN__ANY}, {NULL, NULL, 0}};
    static const lun__entry queues[] = {{"enqueue", enqueue, 2},
                                        {"record", record, 1},
                                        {"wait", wait_queue, 2},
                                        {"idle", idle, 1},
                                        {NULL, NULL, 0}};
    static const lun__entry events[] = {
        {"done", event_done, 1}, {"wait", event_wait, 1}, {NULL, NULL, 0}};
    static const lun__entry tasks[] = {{NULL, NULL, 0}};
    static const luaL_Reg meta[] = {
        {"__tostring", queue_text}, {"__close", close_queue}, {NULL, NULL}};
    lun__lua_buffer_methods(L, p, LUN__QUEUE, "queue", queues);
    lun__register(L, p, lua_gettop(L), meta);
    lun__lua_buffer_methods(L, p, LUN__EVENT, "event", events);
    lun__lua_buffer_methods(L, p, LUN__TASK, "task", tasks);
    lua_pop(L, 3);
    lun__register_offer(L, p, p->core, functions);
}
