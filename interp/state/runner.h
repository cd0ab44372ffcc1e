/* runner.h - the running Lua thread of a state, so that it can be stopped from outside. Knows
 * nothing of engines. */
#ifndef LUN_RUNNER_H
#define LUN_RUNNER_H

#include <stdbool.h>

#include <lua.h>

typedef struct lun__runner {
    lua_Hook hook;      /* set in the Lua thread that shall stop; called at each instruction */
    lua_State *running; /* the Lua thread that runs, NULL: none */
    int stopping;       /* another thread, or a signal handler, is setting its hook */
    int asked;          /* to stop, since the outermost lun__runner_enter */
} lun__runner;

/* Replaces coroutine.resume and coroutine.wrap of a new state by functions that update r; r lives
 * as long as the state. Raises errors. */
void lun__runner_open(lua_State *L, lun__runner *r);
/* L runs from now on; returns the one that ran before, for lun__runner_leave. */
lua_State *lun__runner_enter(lun__runner *r, lua_State *L);
/* `before` runs again; afterwards no other thread touches the Lua thread that ran. */
void lun__runner_leave(lun__runner *r, lua_State *before);
/* Sets the hook of the running Lua thread, at once or when it runs again. From any thread or signal
 * handler. */
void lun__runner_stop(lun__runner *r);
/* Waits until no other thread reads the state: before a block of the state is freed. */
void lun__runner_wait(lun__runner *r);
/* Whether lun__runner_wait must wait. */
static inline bool lun__runner_watched(const lun__runner *r)
{
    return __atomic_load_n(&r->stopping, __ATOMIC_RELAXED);
}

#endif
