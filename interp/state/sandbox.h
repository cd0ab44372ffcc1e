/* sandbox.h - Lua states whose memory, time and reach an engine limits. Knows nothing of arrays. */
#ifndef LUN_SANDBOX_H
#define LUN_SANDBOX_H

#include <stdbool.h>

#include <lua.h>

#include "lunarray.h"

/* A new, empty state for scripts of this engine: its memory comes from the engine's allocator and
 * counts against the engine's memory limit; warnings go to its log. */
lun_status lun__sandbox_new(lun_engine *e, lua_State **out);
/* Records that L has no memory: LUN_ELIMIT if the limit has refused some since the last
 * lun__sandbox_begin, else LUN_ENOMEM. */
lun_status lun__sandbox_no_memory(lua_State *L, lun_engine *e);
/* Whether L is such a state, and the limit has refused some. */
bool lun__sandbox_refused(lua_State *L);
/* Ends such a state; the engine stays. */
void lun__sandbox_close(lua_State *L);

/* Raises errors: opens the libraries and the module, for this engine, as the globals lua and `lun`;
 * in an engine that is a sandbox removes functions that reach beyond it. */
void lun__sandbox_open_libs(lua_State *L);

/* From here to the end the engine's time limit counts and lun_cancel holds for all that L runs.
 * Limits are watched at each instruction of Lua if the engine is a sandbox or has a time limit.
 * These stretches nest; end takes the result of begin. */
lua_State *lun__sandbox_begin(lua_State *L);
void lun__sandbox_end(lua_State *L, lua_State *before);
/* The Lua thread that runs in such a stretch, else L. */
lua_State *lun__sandbox_running(lua_State *L);
/* Stops what such a state, a lua_State, runs. From any thread or signal handler. */
void lun__sandbox_stop(void *L);

#endif
